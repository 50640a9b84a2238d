/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of a CPU's fair tasks, behind one table of operations: CFS is sim/cfs.c;
 * EEVDF will be another. Load tracking (PELT, groups) is sched/load.h's and the same
 * for both.
 *
 * The caller owns time: before each call it brings rq->load.clock_task up to date with
 * fair_clock(). Nothing here allocates, sends interrupts or switches contexts; what
 * has to happen stands in rq->resched afterwards.
 */
#ifndef SIM_FAIR_H
#define SIM_FAIR_H

#include "sched/load.h"
#include "wake/versions.h"

struct fair_ops;
struct fair_system;

/* A task as the fair class sees it; the simulator's task embeds it. */
struct fair_task {
	struct sched_entity se;		/* first; se.cfs_rq: its group's queue on cpu */
	uint32_t cpu;			/* of its run queue, or the last one */
	uint8_t on_rq;			/* queued, running included */
	uint8_t idle_policy;		/* SCHED_IDLE */
	uint8_t batch;			/* SCHED_BATCH */
	uint8_t left;			/* between fair_ops.leave() and .enqueue() */
	struct sched_group *group;	/* NULL: the root */
	struct fair_task *lru_next, *lru_prev;	/* rq->cfs_tasks */
};

/* The fair part of struct rq. */
struct fair_rq {
	struct sched_load_rq load;	/* clocks, leaf queues; cpu */
	struct sched_cfs_rq *root;	/* load.root */
	struct fair_task *curr;		/* running fair task, or NULL */
	uint32_t nr_running;		/* h_nr_running of the root: all queued fair tasks */
	uint32_t nr_idle;		/* idle_h_nr_running of the root */
	uint32_t resched;		/* TIF_NEED_RESCHED wanted by this class */
	uint32_t cpu;
	/* Queued tasks, most recently enqueued or run first: detach_tasks() takes the tail. */
	struct fair_task *lru_first, *lru_last;
	struct fair_system *system;
} __attribute__((aligned(64)));

enum fair_flags {
	FAIR_WAKEUP = 1,	/* enqueue: it slept */
	FAIR_MIGRATED = 2,	/* enqueue: from another CPU's queue */
	FAIR_NEW = 4,		/* enqueue: wake_up_new_task() */
	FAIR_SLEEP = 8,		/* dequeue: it goes to sleep */
};

/* Tunables as the kernel scales them, ns. */
struct fair_params {
	uint64_t latency, min_granularity, idle_min_granularity, wakeup_granularity;
	uint32_t nr_latency;
	uint8_t alt_period;		/* v5.13: h_nr_running of the rq counts */
	uint8_t base_slice;		/* v5.13: at least min_granularity */
	uint8_t idle_groups;		/* v5.15: cpu.idle and its rules */
	uint8_t idle_credit;		/* v5.15: idle entities get min_granularity of credit */
	uint8_t runnable_load;		/* up to v5.6: runnable_load_avg is kept */
	uint8_t wakeup_preemption;	/* sched_feat(WAKEUP_PREEMPTION) */
};

/* cpus: online CPUs (tunable scaling is logarithmic, at most 8 count). */
void fair_params_of(const struct wake_version *version, uint32_t cpus, struct fair_params *out);

struct fair_ops {
	/* A new task on rq, before its first enqueue; parent may be NULL (task_fork_fair()). */
	void (*fork)(struct fair_rq *rq, struct fair_task *task, const struct fair_task *parent);
	void (*enqueue)(struct fair_rq *rq, struct fair_task *task, uint32_t flags);
	void (*dequeue)(struct fair_rq *rq, struct fair_task *task, uint32_t flags);
	/* Chooses and makes it current (set_next_entity()); NULL: none is queued. */
	struct fair_task *(*pick)(struct fair_rq *rq);
	/* The current task stops running; it may still be queued (put_prev_entity()). */
	void (*put)(struct fair_rq *rq);
	void (*tick)(struct fair_rq *rq);
	/* May a task that was just enqueued preempt the current one? */
	void (*wakeup_preempt)(struct fair_rq *rq, struct fair_task *task);
	void (*yield)(struct fair_rq *rq);
	/* Accounts the current task up to now (update_curr()). */
	void (*update)(struct fair_rq *rq);
	/*
	 * The task gets another CPU: migrate_task_rq_fair(). waking: it sleeps, and its
	 * load stays behind until rq's next update; else it was dequeued by a balancer.
	 */
	void (*leave)(struct fair_rq *rq, struct fair_task *task, uint32_t waking);
};

extern const struct fair_ops fair_cfs;

/*
 * The run queues of nr_cpus CPUs and their root group. capacity: by CPU, 1024 scale.
 * *rqs: array by CPU, owned by the system.
 */
int fair_system_create(uint32_t nr_cpus, const uint16_t *capacity, const struct fair_params *params,
		       const struct fair_ops *ops, struct fair_system **out, struct fair_rq **rqs);
void fair_system_free(struct fair_system *system);	/* accepts NULL */

/* parent NULL: the root. shares as cpu.shares: 1024 weighs as a task of nice 0. */
int fair_group_create(struct fair_system *system, struct sched_group *parent, uint32_t shares,
		      uint32_t idle, struct sched_group **out);

/* Before the first fork(). group NULL: the root. */
void fair_task_init(struct fair_task *task, int nice, struct sched_group *group);

/*
 * rq's clocks go on to now (ns of its CPU without interrupts); idle: the CPU idles, so
 * clock_pelt catches up with clock_task.
 */
void fair_clock(struct fair_rq *rq, uint64_t now, uint32_t idle);

/* task_h_load(): the task's share of its CPU's root load, refreshed at most once a jiffy. */
uint64_t fair_h_load(struct fair_rq *rq, struct fair_task *task, uint64_t jiffies);

/* update_blocked_averages(): all groups of rq decay to now. */
void fair_update_blocked(struct fair_rq *rq);

/* sync_entity_load_avg(): a sleeper's own averages decay to its queue's last update. */
void fair_sync(struct fair_rq *rq, struct fair_task *task);

#endif
