/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the state that a recorded kernel had follow from one record to the next? The
 * events of sched/ are fed with what the records tell; what comes out must be what the
 * next record found. A pair of records is judged only where nothing that wasn't
 * recorded can have come between, as far as the recording tells; all others are
 * counted by what was missing.
 */
#ifndef TRACE_CONFORM_H
#define TRACE_CONFORM_H

#include "trace/replay.h"

/*
 * X(name, what is compared)
 *
 * FLIPS, LAST_WAKEE, RECENT  of a task, from one record that shows it (as waker or
 *		wakee) to the next. Only select_task_rq_fair() writes them, and it is
 *		what was recorded; the idle tasks count by their CPU.
 * FORK		a child has its parent's history, and its own CPU as recent_used_cpu
 * IDLE		the idle map of a record from the run queues of the same record
 * QUEUE	nr_running, ttwu_pending, SCHED_IDLE tasks and idle map of all CPUs, from a
 *		wake-up to the next call by the same task without a context switch
 * HAS_IDLE	a set has_idle_cores stays set between two calls; one that isn't
 *		stays so without a context switch
 * SCAN_COST	avg_scan_cost of a CPU, from one of its calls to the next
 * LOAD		load_avg of a task from one wake-up to the next: its time asleep and on
 *		a run queue is known within a period each, and it may be one period off
 */
#define TRACE_IMPLICATIONS(X) \
	X(FLIPS, "wakee_flips") \
	X(LAST_WAKEE, "last_wakee") \
	X(RECENT, "recent_used_cpu") \
	X(FORK, "fork") \
	X(IDLE, "idle map") \
	X(QUEUE, "run queues") \
	X(HAS_IDLE, "has_idle_cores") \
	X(SCAN_COST, "avg_scan_cost") \
	X(LOAD, "load_avg")

enum trace_implication {
#define X(name, text) TRACE_IMPLIES_##name,
	TRACE_IMPLICATIONS(X)
#undef X
	TRACE_NR_IMPLICATIONS
};

extern const char *const trace_implication_text[TRACE_NR_IMPLICATIONS];

/* Why a pair is not judged. X(name, text) */
#define TRACE_UNJUDGED(X) \
	X(FIRST, "nothing earlier is known") \
	X(GAP, "calls between them are missing") \
	X(DISTURBED, "a call that others may have disturbed") \
	X(OVERLAP, "calls at the same time") \
	X(NOT_RECORDED, "switches were not recorded") \
	X(SWITCHED, "context switches between them") \
	X(OTHER_CALLER, "another task called next") \
	X(SLOW_PATH, "a fork or exec") \
	X(FALLBACK, "the chosen CPU wasn't allowed") \
	X(UNSELECTED, "a wake-up without selection between them") \
	X(REUSED, "last_wakee may have exited and its task_struct be another's") \
	X(PREEMPTED, "an idle vCPU may have been preempted") \
	X(UNSEEN, "the task was not seen running") \
	X(MOVED, "the task changed its CPU or weight") \
	X(WIDE, "when it slept is not known well enough")

enum trace_unjudged {
#define X(name, text) TRACE_UNJUDGED_##name,
	TRACE_UNJUDGED(X)
#undef X
	TRACE_NR_UNJUDGED
};

extern const char *const trace_unjudged_text[TRACE_NR_UNJUDGED];

struct trace_implied {
	uint64_t agree, differ;
	uint64_t changed;		/* of agree: the value was another before */
	uint64_t unjudged[TRACE_NR_UNJUDGED];
	/* The first that differs: RECORD#position of the later one, and a value of each. */
	uint64_t position, expected, found;
};

struct trace_conformed {
	char load[64];
	char release[64];
	struct sched_variant variant;
	uint64_t records;
	bool complete;			/* no call is missing between the first and the last */
	struct trace_implied implied[TRACE_NR_IMPLICATIONS];
};

/*
 * All of one recording of wake-ups. variant: NULL for the recorded one. 0, or a
 * negative errno and where; -EINVAL for a file of writers, -EFBIG for one that takes
 * more than 1 GiB to keep.
 */
int trace_conform(const char *path, const struct sched_variant *variant,
		  struct trace_conformed *out, struct trace_error *err);
/* The same of a recording that is open at its beginning. */
int trace_conform_reader(struct trace_reader *reader, const struct sched_variant *variant,
			 struct trace_conformed *out, struct trace_error *err);

#endif
