/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the wake path choose what the recorded kernel chose, decision by decision? */
#ifndef TRACE_VERIFY_H
#define TRACE_VERIFY_H

#include "trace/replay.h"

struct trace_tally {
	uint64_t stable, stable_agree;
	uint64_t unstable, unstable_agree;
};

/* A decision that differs. */
struct trace_mismatch {
	uint64_t position;		/* RECORD#position; a writer's event: its place */
	uint32_t waker_cpu, prev_cpu;
	int32_t recorded;		/* CPU */
	uint32_t ours;
	uint32_t diff;			/* bits of enum trace_difference */
	uint8_t reason;			/* ours */
};

/* What became of one decision. */
struct trace_outcome {
	uint64_t position;		/* RECORD#position */
	uint64_t duration;		/* ns */
	uint32_t diff;			/* bits of enum trace_difference */
	uint8_t reason, affine;		/* ours */
	bool quiet;			/* nothing was seen to change during the call */
	bool stable;
};

/* What became of one file. */
struct trace_verified {
	enum trace_kind kind;
	char load[64];
	char release[64];
	struct sched_variant variant;
	uint64_t slow_path;		/* fork and exec: not decided by this path */
	uint64_t median;		/* ns, of the calls' durations */
	struct trace_tally total;
	struct trace_tally by_reason[WAKE_NR_REASONS];
	struct trace_tally by_affine[WAKE_NR_AFFINES];
	uint64_t differences[TRACE_NR_DIFFERENCES];		/* of stable decisions */
	struct trace_mismatch example[TRACE_NR_DIFFERENCES];	/* the first of each */
	uint64_t events, events_agree;	/* of a file of writers */
	uint64_t probes;		/* of all decisions */
	struct trace_mismatch event_example;
};

/*
 * Decides every record of a file again. variant: NULL for the recorded one. A
 * record is stable when nothing that the decision read can have changed during
 * the call, as far as the file tells:
 *   with x. columns  idle map and switch count are the same at exit, no tick, and
 *                    at most 4 times the file's median duration
 *   without          the idle map is the same, and less than 20 times the median
 *                    plus 100 us
 * list, unless NULL, gets an array of nr_list outcomes, for the caller to free.
 * 0, or a negative errno and where.
 */
int trace_verify(const char *path, const struct sched_variant *variant,
		 struct trace_verified *out, struct trace_outcome **list, size_t *nr_list,
		 struct trace_error *err);

/* The same of a recording that is open at its beginning. */
int trace_verify_reader(struct trace_reader *reader, const struct sched_variant *variant,
			struct trace_verified *out, struct trace_outcome **list, size_t *nr_list,
			struct trace_error *err);

void trace_tally_add(struct trace_tally *to, const struct trace_tally *from);

/* Can this variant end in this reason at all, on some machine? */
bool trace_reason_possible(const struct wake_rules *rules, enum wake_reason reason);

#endif
