/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of a CPU's fair tasks, behind one table of operations: CFS is sim/cfs.c;
 * EEVDF will be another. Load tracking (PELT, groups) is sched/load.h's and the same
 * for both.
 *
 * The caller owns time: before each call it brings a run queue's clocks up to date with
 * fair_clock(). Nothing here allocates, sends interrupts or switches contexts; what has
 * to happen stands in rq->resched afterwards.
 *
 * The life of a task, as the kernel's core calls the class:
 *
 *   fair_task_init(), fork(parent's rq), enqueue(rq, FAIR_NEW), wakeup_preempt()
 *   runs:      pick() takes back the one that ran, if there is one
 *   sleeps:    dequeue(FAIR_SLEEP), then pick(), or put() before the idle task
 *   wakes:     enqueue(FAIR_WAKEUP), wakeup_preempt(); to another CPU: leave(waking)
 *              first, and enqueue(FAIR_WAKEUP | FAIR_MIGRATED)
 *   is moved:  dequeue(0), leave(), enqueue(FAIR_MIGRATED), wakeup_preempt()
 *   dies:      dequeue(FAIR_SLEEP), pick() or put(), leave(waking)
 */
#ifndef SIM_FAIR_H
#define SIM_FAIR_H

#include "sched/load.h"
#include "wake/versions.h"

struct fair_system;

enum fair_policy { FAIR_NORMAL, FAIR_BATCH, FAIR_IDLE };

/* A task as the fair class sees it; the simulator's task embeds it. */
struct fair_task {
	struct sched_entity se;		/* first */
	struct sched_group *group;	/* NULL: the root */
	struct fair_task *lru_next, *lru_prev;	/* rq->cfs_tasks */
	uint32_t cpu;			/* of its run queue, or the last one */
	uint8_t on_rq;			/* queued, running included */
	uint8_t policy;			/* enum fair_policy */
	uint8_t pad[2];
};

/* Tunables as the kernel scales them (ns), and what differs between versions. */
struct fair_params {
	struct sched_load_rules load;
	uint64_t latency, min_granularity, idle_min_granularity, wakeup_granularity;
	uint32_t nr_latency;
	uint8_t wakeup_preemption;	/* sched_feat(WAKEUP_PREEMPTION) */
	uint8_t alt_period;		/* v5.13: h_nr_running of the rq counts */
	uint8_t base_slice;		/* v5.13: at least min_granularity */
	uint8_t set_clears_buddies;	/* v5.14: set_next_entity() does, not the choice */
	uint8_t idle_groups;		/* v5.15: cpu.idle, and who preempts whom in it */
	uint8_t idle_entities;		/* v5.16: less credit and shorter slices for idle ones */
	uint8_t slice_limit;		/* v6.3: a tick lets nobody run longer than latency */
};

/* cpus: online CPUs (scaling is logarithmic, at most 8 count). Up to v6.5. */
void fair_params_of(const struct wake_version *version, uint32_t cpus, struct fair_params *out);

/* The fair part of struct rq. */
struct fair_rq {
	struct sched_load_rq load;	/* first: clocks, queues that have load */
	struct sched_cfs_rq *root;	/* load.root */
	const struct fair_params *params;
	/*
	 * The task that runs, or that just ran: after its dequeue it stays current until
	 * pick() or put(), as the kernel's does during newidle balance.
	 */
	struct fair_task *curr;
	uint32_t cpu;
	uint32_t nr_running;		/* h_nr_running of the root: all queued fair tasks */
	uint32_t nr_idle;		/* idle_h_nr_running of the root */
	uint32_t resched;		/* TIF_NEED_RESCHED wanted by this class */
	/* Queued tasks, most recently enqueued or run first: detach_tasks() takes the tail. */
	struct fair_task *lru_first, *lru_last;
} __attribute__((aligned(64)));

enum fair_flags {
	FAIR_WAKEUP = 1,	/* enqueue: it slept */
	FAIR_MIGRATED = 2,	/* enqueue: it left another CPU's queue */
	FAIR_NEW = 4,		/* enqueue: wake_up_new_task() */
	FAIR_SLEEP = 8,		/* dequeue: it goes to sleep; else leave() follows */
};

struct fair_ops {
	/*
	 * task_fork_fair(): before its first enqueue, on the parent's CPU, wherever it is
	 * queued then. parent NULL: nobody runs there whom it could resemble.
	 */
	void (*fork)(struct fair_rq *rq, struct fair_task *task, const struct fair_task *parent);
	void (*enqueue)(struct fair_rq *rq, struct fair_task *task, uint32_t flags);
	void (*dequeue)(struct fair_rq *rq, struct fair_task *task, uint32_t flags);
	/*
	 * pick_next_task_fair(): chooses and makes it current. rq->curr is put back only
	 * as far as the next one differs, so the caller leaves it. Clears rq->resched.
	 * NULL: none is queued, nothing changed; newidle balance may follow.
	 */
	struct fair_task *(*pick)(struct fair_rq *rq);
	/* put_prev_task_fair(): the idle task is next (rq->curr may be NULL already). */
	void (*put)(struct fair_rq *rq);
	void (*tick)(struct fair_rq *rq);
	/* May a task that was just enqueued preempt the current one (idle: always)? */
	void (*wakeup_preempt)(struct fair_rq *rq, struct fair_task *task);
	/* sched_yield(); the caller schedules next. */
	void (*yield)(struct fair_rq *rq);
	/* Accounts the current task up to now (update_curr()). */
	void (*update)(struct fair_rq *rq);
	/*
	 * migrate_task_rq_fair(): the task, not queued and not current, gets another CPU.
	 * waking: it slept (or is dead), and its load stays behind until rq's next update;
	 * else a balancer dequeued it.
	 */
	void (*leave)(struct fair_rq *rq, struct fair_task *task, uint32_t waking);
};

extern const struct fair_ops fair_cfs;

/*
 * The run queues of nr_cpus CPUs and their root group. capacity: by CPU, 1024 scale.
 * *rqs: array by CPU, owned by the system. 0, or -ENOMEM.
 */
int fair_system_create(uint32_t nr_cpus, const uint16_t *capacity, const struct fair_params *params,
		       struct fair_system **out, struct fair_rq **rqs);
void fair_system_free(struct fair_system *system);	/* accepts NULL; frees its groups */
size_t fair_system_bytes(const struct fair_system *system); /* allocated */

/*
 * parent NULL: the root. shares as cpu.shares: 1024 weighs as a task of nice 0; 2 to
 * 2^18. idle: cpu.idle, shares don't count then. 0, -ENOMEM; -EINVAL: no such shares,
 * too deep, or no idle groups in this version.
 */
int fair_group_create(struct fair_system *system, struct sched_group *parent, uint32_t shares,
		      uint32_t idle, struct sched_group **out);

/* Before fork(). nice -20 to 19. group NULL: the root. */
void fair_task_init(struct fair_task *task, int nice, enum fair_policy policy,
		    struct sched_group *group);

/*
 * rq's clocks go on to now (ns of its CPU without interrupts, from 0 on); idle: the CPU's
 * idle task is current, so clock_pelt catches up with clock_task. The clocks are
 * SCHED_CLOCK_START ahead of now.
 */
static inline void fair_clock(struct fair_rq *rq, uint64_t now, uint32_t idle)
{
	sched_load_clock(&rq->load, now + SCHED_CLOCK_START, idle);
}

/* task_h_load(): the task's share of its CPU's root load, refreshed at most once a jiffy. */
static inline uint64_t fair_h_load(const struct fair_task *task, uint64_t jiffies)
{
	return sched_h_load(&task->se, jiffies);
}

/* update_blocked_averages(): all groups of rq decay to now. 1: there is more to decay. */
static inline uint32_t fair_update_blocked(struct fair_rq *rq)
{
	return sched_load_blocked(&rq->load);
}

/* sync_entity_load_avg(): a sleeper's own averages decay to its queue's last update. */
static inline void fair_sync(struct fair_task *task)
{
	sched_load_sync(&task->se);
}

/* Invariants of a run queue and its groups; NULL, or what is wrong. */
const char *fair_check(const struct fair_rq *rq);

#endif
