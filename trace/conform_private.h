/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by trace/conform*.c: what is kept of each record. */
#ifndef TRACE_CONFORM_PRIVATE_H
#define TRACE_CONFORM_PRIVATE_H

#include "trace/conform.h"

/* A task as a record shows it, and as sched/ leaves it after the call. */
struct conform_task {
	uint64_t key;			/* conform_key() */
	struct wake_task before, after;
	uint64_t load_avg;
	uint32_t cpu, weight;
	bool exiting;
};

struct conform_queue {
	uint32_t nr, nr_idle;		/* tasks, those under SCHED_IDLE */
	bool pending;			/* ttwu_pending */
};

/* A CPU as a record shows it. */
struct conform_cpu {
	struct conform_queue queue;
	int32_t curr;			/* pid */
	bool curr_idle;
};

struct conform_note {
	uint64_t position, seq, t_in, t_out;
	uint64_t nsw, nsw_out;
	uint64_t scan_cost, scan_cost_out;
	uint64_t run;			/* equal: no call between them is missing */
	uint32_t waker_cpu, prev_cpu, ret;
	struct conform_queue queued;	/* of ret, with the wakee */
	struct conform_task waker, wakee;
	uint16_t llc[TRACE_SIDES];		/* SCHED_NO_SPAN: the kernel keeps no hints */
	uint8_t has_idle[TRACE_SIDES], has_idle_after[TRACE_SIDES];
	bool wakeup, fork;
	bool quiet, calm;		/* calm: nothing can have disturbed it */
	bool allowed;			/* ret is */
	size_t row;			/* of cpus and idle masks */
};

/* More than this is not kept of a recording, bytes. */
#define CONFORM_KEEPS	(1ull << 30)

struct conform {
	struct trace_conformed *out;
	const struct sched_topology *topo;
	struct conform_note *notes;	/* by seq, from conform_sort() on */
	struct conform_note **by_time;	/* by t_in */
	size_t nr, max;
	struct conform_cpu *cpus;	/* nr_cpus for each row */
	uint64_t *idle, *idle_after;	/* words for each row */
	size_t max_cpus, max_idle, max_idle_after;
	uint32_t nr_cpus;
	size_t words;
	bool has_x, has_scan_cost;
};

/* pid 0 is a task of each CPU. */
static inline uint64_t conform_key(int32_t pid, uint32_t cpu)
{
	return pid ? (uint32_t)pid : 1ull << 32 | cpu;
}

static inline const struct conform_cpu *conform_cpus(const struct conform *c,
						     const struct conform_note *note)
{
	return &c->cpus[note->row * c->nr_cpus];
}

/* Count a pair that was judged; changed: the value had been another before. */
void conform_judge(struct conform *c, enum trace_implication what,
		   const struct conform_note *note, uint64_t expected, uint64_t found,
		   bool changed);
void conform_agrees(struct conform *c, enum trace_implication what, bool changed);
void conform_differs(struct conform *c, enum trace_implication what,
		     const struct conform_note *note, uint64_t expected, uint64_t found);
void conform_unjudged(struct conform *c, enum trace_implication what, enum trace_unjudged why);

/* 0 or -ENOMEM. */
int conform_tasks(struct conform *c);
void conform_pairs(struct conform *c);
int conform_hints(struct conform *c);
int conform_loads(struct conform *c);

#endif
