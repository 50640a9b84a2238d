/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the wake path reads, in user space: the user-space host of wake/. It is
 * fed by events (simulation) or by whole snapshots (recordings), and answers
 * sched_wake().
 */
#ifndef SCHED_STATE_H
#define SCHED_STATE_H

#include "sched/topology.h"
#include "sched/variant.h"
#include "wake/context.h"

/* The run queue of a CPU, as other CPUs see it. */
struct sched_rq {
	wake_u64 load_avg;		/* root cfs_rq, blocked load included; nice 0 = 1024 */
	wake_u64 runnable_load;		/* of its queued tasks only (v5.4) */
	wake_u64 avg_idle;		/* ns */
	wake_u64 capacity;		/* capacity_of(), 1024 scale */
	wake_u32 nr_running;		/* all classes, delayed dequeues included */
	wake_u32 nr_delayed;		/* fair tasks that are delayed dequeues */
	wake_u32 nr_idle_policy;	/* fair tasks under SCHED_IDLE */
	wake_u32 yield_count;		/* lppaca */
	wake_u8 curr_idle;		/* the idle task is current */
	wake_u8 ttwu_pending;
	wake_u8 preempted;		/* vCPU, where the architecture keeps a flag */
	wake_u8 lppaca_idle;
	wake_u8 pad[12];
} __attribute__((aligned(64)));

/* sched_idle_cpu(): tasks are queued, and all of them are SCHED_IDLE. */
static inline wake_u32 sched_only_idle_policy(const struct sched_rq *rq)
{
	return rq->nr_running && rq->nr_running == rq->nr_idle_policy;
}

struct sched_task {
	struct wake_task wake;
	wake_u64 load;			/* task_h_load(), nice 0 = 1024 */
	wake_u64 util;			/* task_util_est(), 1024 scale */
	wake_u64 uclamp_min, uclamp_max;
	wake_u32 nr_allowed;
	wake_u8 exiting, kthread, idle_policy;
	wake_u8 on_cpu, delayed, migration_disabled;
	wake_u64 allowed[WAKE_WORDS];
};

/* The state; struct wake_host is the name by which wake/ knows it. */
struct wake_host {
	const struct sched_topology *topo;
	struct sched_rq *rq;			/* by CPU */
	wake_u64 idle[WAKE_WORDS];		/* idle_cpu(), kept with the run queues */
	struct wake_cpu *cpu;			/* by CPU */
	struct wake_llc *llc;			/* by span index of an LLC domain */
	struct sched_task *waker, *wakee;	/* of the decision in flight */
	struct wake_scan *scan;			/* by CPU */
	wake_u64 jiffies;
	wake_u64 clock;				/* ns */
	wake_u32 hz;
	wake_u32 in_task;			/* no interrupt on top of the waker */
	wake_u32 lpar;				/* WAKE_LPAR* */
	struct sim_charge *charge;		/* of a host that charges: sim/select.h */
};

#define sched_state wake_host

/* All CPUs idle with the capacity of their topology; hints as after a domain build. */
int sched_state_create(const struct sched_topology *topo, wake_u32 hz, struct sched_state **out);
void sched_state_free(struct sched_state *state);

/* The hints of this CPU's LLC domain, or NULL. */
static inline struct wake_llc *sched_llc(const struct sched_state *state, wake_u32 cpu)
{
	wake_u16 span = state->topo->cpus[cpu].llc;

	return span == SCHED_NO_SPAN ? NULL : &state->llc[span];
}

/*
 * Snapshot: everything at once. idle: idle_cpu() of each CPU, which wins over what
 * rq says of it: a recording may know more (a preempted vCPU isn't available).
 */
void sched_set_snapshot(struct sched_state *state, const struct sched_rq *rq, const wake_u64 *idle,
			wake_u64 jiffies);

/* Events: one function each. A task is queued, or gone from its run queue. */
void sched_enqueue(struct sched_state *state, wake_u32 cpu, const struct sched_task *task);
void sched_dequeue(struct sched_state *state, wake_u32 cpu, const struct sched_task *task);
/* The CPU chose its next task; NULL: the idle task, after newidle balance failed. */
void sched_switch(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		  const struct sched_task *next);
/* A wake-up for cpu was sent (1) or has arrived (0): rq->ttwu_pending. */
void sched_pending(struct sched_state *state, wake_u32 cpu, wake_u32 pending);
/* The idle loop; tick_stopping: it stops the tick, or the tick is stopped. */
void sched_idle_enter(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		      wake_u32 tick_stopping);
void sched_tick(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu);
/* A wake-up ended an idle period; avg_idle is the new average, ns. */
void sched_idle_exit(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		     wake_u64 avg_idle);
/* A periodic or nohz balance of cpu's LLC domain summed its utilisation up. */
void sched_llc_balance(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		       wake_u64 sum_util);
/* Domains were (re)built: the hints of every LLC domain start anew. */
void sched_domains_built(struct sched_state *state);
void sched_fork(struct sched_task *child, const struct sched_task *parent, wake_u64 id,
		wake_u32 cpu);

/* A wake-up: where does wakee go? State changes as the kernel's would. */
struct sched_wake {
	struct sched_task *waker, *wakee;
	wake_u32 cpu;			/* that runs the wake-up */
	wake_u32 prev;
	wake_u32 flags;			/* WAKE_WF_* */
	wake_u32 in_task;		/* no interrupt on top of the waker */
	wake_u32 fair_only;		/* only select_task_rq_fair() */
};

void sched_wake(struct sched_state *state, const struct wake_rules *rules,
		const struct sched_wake *wake, struct wake_decision *out);

/* One line of the candidate log. */
struct sched_note {
	wake_u32 cpu;
	wake_u16 step, verdict;		/* enum wake_step, enum wake_verdict */
	wake_u32 nr;			/* budget left */
};

struct sched_log {
	size_t nr;			/* notes that there were; those past max are lost */
	size_t max;
	struct sched_note *notes;
};

/* The same decision from the same source, and every CPU that it considered. */
void sched_wake_log(struct sched_state *state, const struct wake_rules *rules,
		    const struct sched_wake *wake, struct wake_decision *out,
		    struct sched_log *log);

/* Invariants of a state; NULL, or what is wrong. */
const char *sched_check(const struct sched_state *state);

#endif
