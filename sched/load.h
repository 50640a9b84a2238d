/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load of tasks, run queues and task groups: PELT applied to the hierarchy, as
 * kernel/sched/fair.c does it with CONFIG_FAIR_GROUP_SCHED on a 64-bit kernel, v5.4 to
 * v6.5. Weights are scaled as there: 1024 << 10 is nice 0; averages are not: 1024.
 *
 * A run queue's order is not kept here but stands in the same structures, because both
 * are read together: struct sched_entity's node and vruntime belong to sim/'s classes.
 * Not modelled: bandwidth control, uclamp.
 */
#ifndef SCHED_LOAD_H
#define SCHED_LOAD_H

#include <stddef.h>
#include <bsd/sys/tree.h>

#include "sched/pelt.h"

#define SCHED_LOAD_SHIFT	10	/* SCHED_FIXEDPOINT_SHIFT */
#define SCHED_NICE_0_LOAD	(1024ull << SCHED_LOAD_SHIFT)
#define SCHED_WEIGHT_IDLEPRIO	3

/* How the sums follow where averages are moved between entities and queues. */
enum sched_sums {
	SCHED_SUMS_APART,	/* up to v5.13: each by itself */
	SCHED_SUMS_SYNCED,	/* v5.14: sum = average * divider */
	SCHED_SUMS_FLOORED,	/* v5.17: by itself, but at least the average's least sum */
};

/* What differs between versions. */
struct sched_load_rules {
	uint32_t util_unchanged;	/* UTIL_AVG_UNCHANGED: 1, from v5.13 the top bit */
	uint8_t runnable_load;		/* up to v5.6: runnable_load_avg is kept */
	uint8_t sums;			/* enum sched_sums */
	uint8_t fast_up;		/* v5.5: UTIL_EST_FASTUP */
	uint8_t pelt_lag;		/* v6.0: migrate_se_pelt_lag() */
};

struct sched_cfs_rq;
struct sched_group;

/* A task or a group on one CPU. Three cache lines: order, time, load. */
struct sched_entity {
	uint64_t vruntime;
	RB_ENTRY(sched_entity) node;
	struct sched_cfs_rq *cfs_rq;	/* on which it is (to be) queued */
	uint64_t weight;		/* scaled */
	uint32_t inv_weight;		/* 2^32 / unscaled weight; 0: not known */
	uint8_t on_rq;
	uint8_t depth;			/* 0: on a root queue */
	uint8_t idle_policy;		/* a task under SCHED_IDLE */
	uint8_t pad;

	uint64_t exec_start, sum_exec_runtime, prev_sum_exec_runtime; /* ns */
	struct sched_entity *parent;	/* NULL: on a root queue */
	struct sched_cfs_rq *my_q;	/* a group's; NULL: a task */
	uint64_t runnable_weight;	/* v5.4: scaled; v5.7: tasks of my_q */
	uint64_t reserved[2];

	struct sched_avg avg;
} __attribute__((aligned(64)));

/* What the entities that left by migration took along: cfs_rq->removed. */
struct sched_removed {
	uint32_t nr;
	uint32_t pad;
	uint64_t load_avg, util_avg, runnable_avg; /* runnable_avg: runnable_sum up to v5.6 */
};

/* Load tracking of a CPU: the part of struct rq that it needs. */
struct sched_load_rq {
	uint64_t clock_task;		/* ns, without interrupt and stolen time */
	uint64_t clock_pelt;		/* the same, scaled to the CPU's capacity */
	uint64_t lost_idle_time;	/* ns that clock_pelt gave up */
	struct sched_cfs_rq *root;
	struct sched_cfs_rq *leaves;	/* rq->leaf_cfs_rq_list: children before parents */
	const struct sched_load_rules *rules;
	uint32_t cpu;
	uint16_t capacity;		/* arch_scale_cpu_capacity(), 1024 scale */
	uint8_t idle;			/* the idle task is current */
};

RB_HEAD(sched_tree, sched_entity);

struct sched_cfs_rq {
	/* the order */
	uint64_t min_vruntime;
	struct sched_tree tasks;
	struct sched_entity *leftmost, *curr, *next, *last, *skip;
	uint64_t weight;		/* of queued entities, scaled */

	uint32_t inv_weight;		/* of weight; 0: not known */
	uint32_t nr_running;		/* entities */
	uint32_t h_nr_running;		/* tasks, of child groups too */
	uint32_t idle_nr_running;	/* entities that are SCHED_IDLE or of idle groups */
	uint32_t idle_h_nr_running;	/* tasks that are, or are in such groups */
	uint8_t idle;			/* of an idle group (v5.15) */
	uint8_t on_list;		/* one of rq->leaves */
	uint8_t propagate;
	uint8_t pad;
	struct sched_load_rq *rq;
	struct sched_group *group;
	struct sched_entity *se;	/* the group's on this CPU; NULL: a root queue */
	uint64_t runnable_weight;	/* of queued entities, scaled (up to v5.6) */
	uint64_t order;			/* spare for the class that keeps the order */

	struct sched_avg avg;

	int64_t prop_runnable_sum;
	uint64_t tg_load_avg_contrib;
	struct sched_removed removed;
	struct sched_cfs_rq *leaf_next;
	uint32_t leaf_children;		/* of child groups' queues on rq->leaves */
	uint32_t pad2;

	uint64_t h_load, last_h_load_update; /* update_cfs_rq_h_load(), jiffies */
	struct sched_entity *h_load_next;
} __attribute__((aligned(64)));

/* A task group: one queue and, but for the root, one entity a CPU. */
struct sched_group {
	struct sched_group *parent;	/* NULL: the root group */
	struct sched_cfs_rq *cfs_rqs;	/* by CPU */
	struct sched_entity *entities;	/* by CPU; NULL: the root group */
	uint64_t shares;		/* scaled */
	uint32_t nr_cpus;
	uint8_t idle;			/* cpu.idle */
	uint8_t depth;
	int64_t load_avg __attribute__((aligned(64))); /* sum of the queues' contributions */
};

#endif
