/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides recorded wake-ups again: a record becomes a whole state of sched/, the
 * wake path chooses, and what it chose and left behind is compared.
 */
#ifndef TRACE_REPLAY_H
#define TRACE_REPLAY_H

#include "sched/state.h"
#include "trace/trace.h"

struct trace_replay {
	struct sched_variant variant;
	struct machine *machine;
	struct sched_topology *topo;
	struct sched_state *state;
	struct sched_rq *rq;		/* the snapshot that is being built */
	struct sched_task waker, wakee;
	struct sched_wake wake;
	struct wake_decision decision;	/* of trace_replay_decide() */
	bool has_x;			/* the recording has the x. columns */
	uint32_t not_task;		/* bits of the recorded preempt_count: in an interrupt */
	uint32_t substitutes;		/* bits of enum trace_substitute */
};

/*
 * What another variant reads and the recorded kernel didn't keep, or the recorder
 * didn't write down, and what stands in for it.
 */
#define TRACE_SUBSTITUTES(X) \
	X(RUNNABLE, "runnable_load_avg: load_avg of busy CPUs, 0 of idle ones") \
	X(PROP, "avg_idle, wake_avg_idle, avg_scan_cost: unknown, so SIS_PROP's least budget") \
	X(AGED, "wake_avg_idle: half of avg_idle, not aged") \
	X(UTIL, "nr_idle_scan: from util_avg at this moment, as a balance would compute it") \
	X(ICPUS, "icpus: the first idle CPU of each core at this moment") \
	X(IDLE_MASK, "idle_cpus_span: the idle CPUs at this moment")

enum trace_substitute {
#define X(name, text) TRACE_SUBSTITUTE_##name,
	TRACE_SUBSTITUTES(X)
#undef X
	TRACE_NR_SUBSTITUTES
};

extern const char *const trace_substitute_text[TRACE_NR_SUBSTITUTES];

/* Which of them a replay needs, as bits; recorded: the recorded kernel's own variant or NULL. */
uint32_t trace_substitutes(const struct trace_replay *replay, const struct sched_variant *recorded);
/* Puts them into the state, after all that was recorded. */
void trace_substitute(struct trace_replay *replay, const struct trace_record *rec);

/*
 * The variant that the recorded kernel was: its release, the proposal that its
 * `variant` line names, its sched features. -EINVAL and why, where it isn't known.
 */
int trace_variant(const struct trace_head *head, struct sched_variant *out,
		  struct trace_error *err);

/* The same, of a recording by path. */
int trace_recorded_variant(const char *path, struct sched_variant *out, struct trace_error *err);

/*
 * Prepares for all records of one recording. variant: NULL for the recorded one;
 * another gets the domains that its own kernel would build. -EINVAL and why.
 */
int trace_replay_create(const struct trace_head *head, const struct sched_variant *variant,
			struct trace_replay **out, struct trace_error *err);
void trace_replay_free(struct trace_replay *replay);

/* The state at entry of the recorded call. */
void trace_replay_load(struct trace_replay *replay, const struct trace_record *rec);
/* After trace_replay_load(): decides; the state is as the call would leave it. */
void trace_replay_decide(struct trace_replay *replay);
/* The same with a log. */
void trace_replay_decide_log(struct trace_replay *replay, struct sched_log *log);

/* Is the record a wake-up (and no fork or exec, which take the slow path)? */
static inline bool trace_is_wakeup(const struct trace_record *rec)
{
	return rec->wake_flags & WAKE_WF_TTWU;
}

/* What can differ between a record and the decision, as bits. */
#define TRACE_DIFFERENCES(X) \
	X(CPU, "CPU") \
	X(AFFINE_RUN, "wake_affine() called") \
	X(AFFINE_THIS, "wake_affine() result") \
	X(RECENT, "recent_used_cpu of the wakee") \
	X(WAKER_RECENT, "recent_used_cpu of the waker") \
	X(FLIPS, "wakee_flips of the waker") \
	X(HAS_IDLE, "has_idle_cores") \
	X(ICPUS, "icpus") \
	X(IDLE_MASK, "idle_cpus_span") \
	X(SIBLING, "sis_scan_sibling") \
	X(CHARGE, "avg_scan_cost, wake_avg_idle")

enum trace_difference {
#define X(name, text) TRACE_DIFF_##name,
	TRACE_DIFFERENCES(X)
#undef X
	TRACE_NR_DIFFERENCES
};

extern const char *const trace_difference_text[TRACE_NR_DIFFERENCES];

/* After a decision: a bit of enum trace_difference for each thing that differs. */
uint32_t trace_replay_compare(const struct trace_replay *replay, const struct trace_record *rec);

/* A line of writers.csv: lets the keepers do what the kernel's did; 1 if the same came out. */
int trace_replay_event(struct trace_replay *replay, const struct trace_event *ev);

#endif
