/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load of tasks, run queues and task groups: PELT applied to the hierarchy, as
 * kernel/sched/fair.c does it with CONFIG_FAIR_GROUP_SCHED on a 64-bit kernel, v5.4 to
 * v6.5. Weights are scaled as there (nice 0: 1024 << 10), averages are not (1024).
 *
 * A run queue's order is not kept here but stands in the same structures, because both
 * are read together: vruntime, the tree and the buddies belong to sim/'s classes.
 *
 * What runnable_avg means: up to v5.6 it is runnable_load_avg, the load of queued
 * entities alone, which v5.4 balances by and compares in wake_affine_weight(); from v5.7
 * it is 1024 for each queued task, which says how crowded a CPU is. load_avg counts
 * sleepers that have not decayed yet in all versions.
 *
 * Not modelled: bandwidth control, uclamp, other classes' utilisation, attaching of
 * running tasks to other groups. A stable tree is taken for its mainline release.
 */
#ifndef SCHED_LOAD_H
#define SCHED_LOAD_H

#include <stddef.h>
#include <bsd/sys/tree.h>

#include "sched/pelt.h"

#define SCHED_LOAD_SHIFT	10			/* SCHED_FIXEDPOINT_SHIFT */
#define SCHED_NICE_0_LOAD	(1024ull << SCHED_LOAD_SHIFT)
#define SCHED_CLOCK_START	(1ull << 30)		/* ns; 0 is no time: a detached entity */
#define SCHED_NR_NICE		40
#define SCHED_GROUP_DEPTH_MAX	16

/* How sums follow where averages move between entities and queues. */
enum sched_sums {
	SCHED_SUMS_APART,	/* up to v5.12: each by itself */
	SCHED_SUMS_LOAD,	/* v5.13: sum = average * divider where a group's load changed */
	SCHED_SUMS_SYNCED,	/* v5.14: and for all that leaves a queue */
	SCHED_SUMS_FLOORED,	/* v5.17: by itself, but at least the average's least sum */
};

/* What differs between versions. */
struct sched_load_rules {
	uint32_t util_unchanged;	/* UTIL_AVG_UNCHANGED: 1, from v5.13 the top bit */
	uint8_t sums;			/* enum sched_sums */
	uint8_t runnable_load;		/* up to v5.6: runnable_load_avg is kept */
	uint8_t weight_min;		/* v5.7: a weight scaled down is at least 2 */
	uint8_t propagate_max;		/* up to v5.7: LOAD_AVG_MAX divides in propagation */
	uint8_t fast_up;		/* v5.5: UTIL_EST_FASTUP */
	uint8_t leaf_parents;		/* v5.13: a queue stays a leaf where load may come up */
	uint8_t pelt_lag;		/* v6.0: migrate_se_pelt_lag() */
	uint8_t attach_floor;		/* v5.18: an attached load_sum is at least 1 */
	uint8_t with_queue;		/* v6.1: load comes and goes with its task's queueing */
};

/* By version; for those after v6.5 as v6.5. */
void sched_load_rules_of(uint32_t major, uint32_t minor, struct sched_load_rules *out);

struct sched_cfs_rq;
struct sched_group;

/* A task or a group on one CPU. Three cache lines: order, time, load. */
struct sched_entity {
	uint64_t vruntime;
	RB_ENTRY(sched_entity) node;
	struct sched_cfs_rq *cfs_rq;	/* on which it is, or was, queued */
	uint64_t weight;		/* scaled */
	uint32_t inv_weight;		/* 2^32 / unscaled weight; 0: not known */
	uint8_t on_rq;
	uint8_t depth;			/* 0: on a root queue */
	uint8_t idle_policy;		/* a task under SCHED_IDLE */
	uint8_t pad;

	uint64_t exec_start;		/* ns of clock_task; 0: just came from another CPU */
	uint64_t sum_exec_runtime, prev_sum_exec_runtime; /* ns */
	struct sched_entity *parent;	/* NULL: on a root queue */
	struct sched_cfs_rq *my_q;	/* a group's; NULL: a task */
	uint64_t runnable_weight;	/* up to v5.6: scaled; v5.7: queued tasks of my_q */

	struct sched_avg avg __attribute__((aligned(64)));
} __attribute__((aligned(64)));

/* Load tracking of a CPU: the part of struct rq that it needs. */
struct sched_load_rq {
	uint64_t clock_task;		/* ns, without interrupt and stolen time */
	uint64_t clock_pelt;		/* the same, scaled to the CPU's capacity */
	uint64_t lost_idle_time;	/* ns that clock_pelt gave up */
	struct sched_cfs_rq *root;
	struct sched_cfs_rq *first_leaf, *last_leaf; /* leaf_cfs_rq_list: children first */
	const struct sched_load_rules *rules;
	uint32_t cpu;
	uint16_t capacity;		/* arch_scale_cpu_capacity(), 1024 scale */
	uint8_t idle;			/* the idle task is current */
};

RB_HEAD(sched_tree, sched_entity);

/* Four lines, and a fifth for groups; the first belongs to the order. */
struct sched_cfs_rq {
	uint64_t min_vruntime;
	struct sched_tree tasks;	/* without curr */
	struct sched_entity *leftmost, *curr, *next, *last, *skip;
	uint64_t weight;		/* of queued entities, scaled */

	struct sched_load_rq *rq;
	struct sched_group *group;
	struct sched_entity *se;	/* the group's on this CPU; NULL: a root queue */
	uint32_t inv_weight;		/* of weight; 0: not known */
	uint32_t nr_running;		/* entities */
	uint32_t h_nr_running;		/* tasks, those of child groups too */
	uint32_t idle_nr_running;	/* entities: SCHED_IDLE tasks, idle groups */
	uint32_t idle_h_nr_running;	/* tasks that are SCHED_IDLE, or below an idle group */
	uint32_t nr_removed;		/* entities in removed_*: cfs_rq->removed */
	uint8_t idle;			/* of an idle group (v5.15) */
	uint8_t on_list;		/* a leaf: it has load */
	uint8_t propagate;
	uint8_t pad[5];

	struct sched_avg avg;

	uint64_t removed_load, removed_util;
	uint64_t removed_runnable;	/* runnable_avg; up to v5.6 the sum */
	int64_t prop_runnable_sum;
	uint64_t tg_load_avg_contrib;
	uint64_t runnable_weight;	/* of queued entities, scaled (up to v5.6) */
	uint64_t h_load, last_h_load_update; /* update_cfs_rq_h_load(); jiffies */

	struct sched_entity *h_load_next;
	struct sched_cfs_rq *leaf_next, *leaf_prev;
} __attribute__((aligned(64)));

/* A task group: one queue and, but for the root, one entity a CPU. */
struct sched_group {
	struct sched_group *parent;	/* NULL: the root group */
	struct sched_cfs_rq *cfs_rqs;	/* by CPU */
	struct sched_entity *entities;	/* by CPU; NULL: the root group */
	uint64_t shares;		/* scaled */
	uint32_t nr_cpus;
	uint8_t depth;			/* 0: the root group */
	uint8_t idle;			/* cpu.idle */
	int64_t load_avg __attribute__((aligned(64))); /* of the queues' contributions */
};

/* The weights of nice -20 to 19, unscaled, and 2^32 divided by them. */
extern const uint32_t sched_prio_to_weight[SCHED_NR_NICE];
extern const uint32_t sched_prio_to_wmult[SCHED_NR_NICE];
#define SCHED_WEIGHT_IDLEPRIO	3
#define SCHED_WMULT_IDLEPRIO	1431655765u

/* scale_load_down() */
static inline uint64_t sched_load_down(const struct sched_load_rules *rules, uint64_t weight)
{
	uint64_t down = weight >> SCHED_LOAD_SHIFT;

	return weight && down < rules->weight_min ? rules->weight_min : down;
}

/* __calc_delta(): delta * weight / of; *inverse belongs to of and is filled in if 0. */
uint64_t sched_calc_delta(const struct sched_load_rules *rules, uint64_t delta, uint64_t weight,
			  uint64_t of, uint32_t *inverse);

/* A task of nice -20 to 19, or under SCHED_IDLE; in no group yet. */
void sched_entity_init(struct sched_entity *se, int nice, uint32_t idle_policy);
/* set_task_rq(): the queue of its group on a CPU; se is not queued. */
void sched_entity_move(struct sched_entity *se, struct sched_group *group, uint32_t cpu);
/* init_entity_runnable_average(): before its first enqueue. */
void sched_entity_born(struct sched_entity *se);

/* A CPU's clocks and rules; root follows with the root group. */
void sched_load_rq_init(struct sched_load_rq *rq, uint32_t cpu, uint16_t capacity,
			const struct sched_load_rules *rules);
/* update_rq_clock_pelt(): clocks go on by what passed. idle: see struct sched_load_rq. */
void sched_load_clock(struct sched_load_rq *rq, uint64_t clock_task, uint32_t idle);

/* rq_clock_pelt() */
static inline uint64_t sched_clock_pelt(const struct sched_load_rq *rq)
{
	return rq->clock_pelt - rq->lost_idle_time;
}

/*
 * Queues and entities of a group on nr_cpus CPUs. rqs: the first struct sched_load_rq,
 * the next one lies stride bytes on. parent NULL: the root group, which becomes rqs'
 * root. shares are scaled. 0, -ENOMEM, or -EINVAL: too deep.
 */
int sched_group_create(struct sched_group *parent, uint32_t nr_cpus, uint64_t shares, uint32_t idle,
		       struct sched_load_rq *rqs, size_t stride, struct sched_group **out);
void sched_group_free(struct sched_group *group);	/* accepts NULL; children first */

enum sched_load_update {
	SCHED_UPDATE_TG = 1,	/* the group's load_avg follows */
	SCHED_DO_ATTACH = 2,	/* a detached entity joins its queue's load */
	SCHED_DO_DETACH = 4,	/* the entity leaves it */
};

/* update_load_avg(): entity and queue age to the queue's clock. */
void sched_load_update(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t flags);
/*
 * se_update_runnable() and update_cfs_group(): a group entity's weight follows its
 * queue; nothing for a task. If se is current, update_curr() comes first.
 */
void sched_load_reshare(struct sched_entity *se);

/* se_is_idle() */
static inline uint32_t sched_entity_idle(const struct sched_entity *se)
{
	return se->my_q ? se->my_q->idle : se->idle_policy;
}

/* account_entity_enqueue(), account_entity_dequeue() */
static inline void sched_load_account(struct sched_cfs_rq *cfs_rq, const struct sched_entity *se)
{
	cfs_rq->weight += se->weight;
	cfs_rq->inv_weight = 0;
	cfs_rq->nr_running++;
	cfs_rq->idle_nr_running += sched_entity_idle(se);
}

static inline void sched_load_unaccount(struct sched_cfs_rq *cfs_rq, const struct sched_entity *se)
{
	cfs_rq->weight -= se->weight;
	cfs_rq->inv_weight = 0;
	cfs_rq->nr_running--;
	cfs_rq->idle_nr_running -= sched_entity_idle(se);
}

/* enqueue_runnable_load_avg() and dequeue_...(), before accounting; up to v5.6. */
void sched_runnable_add(struct sched_cfs_rq *cfs_rq, const struct sched_entity *se);
void sched_runnable_sub(struct sched_cfs_rq *cfs_rq, const struct sched_entity *se);

/* post_init_entity_util_avg(): what a new task is thought to need. */
void sched_load_guess(struct sched_entity *se);
/*
 * attach_entity_cfs_rq(), detach_entity_cfs_rq(): an entity that isn't queued joins the
 * hierarchy's load, or leaves it; up to v6.0.
 */
void sched_load_attach(struct sched_entity *se);
void sched_load_detach(struct sched_entity *se);
/* sync_entity_load_avg(): a sleeper decays to its queue's last update. */
void sched_load_sync(struct sched_entity *se);
/*
 * remove_entity_load_avg() and, from v6.0, migrate_se_pelt_lag(): a sleeper's load is
 * left with its queue, to be taken off at the next update. The lag is not estimated but
 * exact, for the caller keeps the CPU's clocks up to date.
 */
void sched_load_remove(struct sched_entity *se);
/* update_blocked_averages(); returns 1 while there is load or utilisation to decay. */
uint32_t sched_load_blocked(struct sched_load_rq *rq);
/* list_add_leaf_cfs_rq(), with its parents. */
void sched_leaf_add(struct sched_cfs_rq *cfs_rq);
/* task_h_load(): 1024 for a nice-0 task that fills a CPU of the root group. */
uint64_t sched_h_load(const struct sched_entity *se, uint64_t jiffies);

/* util_est_enqueue(), util_est_dequeue(), util_est_update() */
void sched_est_enqueue(struct sched_load_rq *rq, const struct sched_entity *se);
void sched_est_dequeue(struct sched_load_rq *rq, const struct sched_entity *se);
void sched_est_update(struct sched_load_rq *rq, struct sched_entity *se);
/* task_util_est() */
uint64_t sched_est_util(const struct sched_load_rules *rules, const struct sched_entity *se);

/* cpu_util_cfs(): at most the CPU's capacity. */
static inline uint64_t sched_cpu_util(const struct sched_load_rq *rq)
{
	const struct sched_avg *avg = &rq->root->avg;
	uint64_t util = avg->util_avg > avg->est_enqueued ? avg->util_avg : avg->est_enqueued;

	return util < rq->capacity ? util : rq->capacity;
}

#endif
