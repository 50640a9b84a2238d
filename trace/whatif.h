/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What would another variant have chosen for the recorded wake-ups? Each is
 * decided twice from the same state: as recorded, and by the other variant on the
 * domains that its kernel builds. Nothing is carried from one wake-up to the next:
 * the answer is about single decisions, not about where a run would have led.
 */
#ifndef TRACE_WHATIF_H
#define TRACE_WHATIF_H

#include "trace/replay.h"

/* The chosen CPU at entry. */
enum trace_busy { TRACE_IDLE, TRACE_SCHED_IDLE, TRACE_BUSY, TRACE_NR_BUSY };

extern const char *const trace_busy_text[TRACE_NR_BUSY];

#define TRACE_RULES_MAX	62

/* Causes that are no rule of struct wake_rules. */
#define TRACE_CAUSE_DOMAINS	0u	/* the kernel builds other domains */
#define TRACE_CAUSE_SEVERAL	1u	/* no single rule makes the difference */
#define TRACE_CAUSE_RULES	2u	/* + index into sched_rules */

/* One decision that changes. */
struct trace_change {
	const char *path;
	uint64_t position;		/* PATH#position */
	struct wake_decision base, variant;
	uint64_t causes;		/* a bit for each cause that makes it alone */
};

struct trace_task_changes {
	int32_t pid;
	uint64_t wakeups, changed;
};

struct trace_changes {
	struct sched_variant base, variant;
	uint64_t wakeups, changed;
	uint64_t differ[TRACE_CAUSE_RULES + TRACE_RULES_MAX];	/* 1: this differs between the two */
	uint64_t by_cause[TRACE_CAUSE_RULES + TRACE_RULES_MAX];	/* a change may have several */
	uint64_t by_reason[WAKE_NR_REASONS][WAKE_NR_REASONS];	/* from, to */
	uint64_t by_busy[TRACE_NR_BUSY][TRACE_NR_BUSY];
	uint64_t by_distance[SCHED_NR_DISTANCES][SCHED_NR_DISTANCES];	/* from prev */
	uint64_t base_busy[TRACE_NR_BUSY], variant_busy[TRACE_NR_BUSY];	/* of all wake-ups */
	uint64_t base_probes, variant_probes;
	uint32_t substitutes;		/* bits of enum trace_substitute that the variant needed */
	struct trace_task_changes *tasks;	/* wakees, by pid */
	size_t nr_tasks, max_tasks;
	char example[300];			/* FILE#N of the first change */
	void (*each)(const struct trace_changes *changes, const struct trace_change *change);
						/* called for every change; may be NULL */
};

/* Adds a file's wake-ups to changes, which start zeroed. 0, or negative and where. */
int trace_whatif(const char *path, const struct sched_variant *variant,
		 struct trace_changes *changes, struct trace_error *err);
void trace_changes_free(struct trace_changes *changes);

const char *trace_cause_text(size_t cause);

#endif
