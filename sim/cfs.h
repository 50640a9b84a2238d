/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of CFS: the queue of one group on one CPU (cfs_queue.c), for cfs.c. */
#ifndef SIM_CFS_H
#define SIM_CFS_H

#include "sim/fair.h"

static inline struct fair_rq *cfs_rq_of(const struct sched_cfs_rq *cfs_rq)
{
	return (struct fair_rq *)(void *)cfs_rq->rq;	/* its first member */
}

static inline struct fair_task *cfs_task_of(struct sched_entity *se)
{
	return (struct fair_task *)(void *)se;		/* its first member */
}

/* entity_before() */
static inline int cfs_before(const struct sched_entity *a, const struct sched_entity *b)
{
	return (int64_t)(a->vruntime - b->vruntime) < 0;
}

void cfs_tree_insert(struct sched_cfs_rq *cfs_rq, struct sched_entity *se);
void cfs_tree_remove(struct sched_cfs_rq *cfs_rq, struct sched_entity *se);

/* calc_delta_fair(): time in ns as vruntime of an entity. */
uint64_t cfs_delta_fair(uint64_t delta, struct sched_entity *se);
/* sched_slice(): ns until the others have waited long enough. */
uint64_t cfs_slice(struct sched_cfs_rq *cfs_rq, struct sched_entity *se);
/* update_curr() */
void cfs_update_curr(struct sched_cfs_rq *cfs_rq);
/* place_entity(): where a sleeper, or a new task (initial), comes in. */
void cfs_place(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t initial);

/* enqueue_entity(), dequeue_entity(); flags: enum fair_flags */
void cfs_enqueue_entity(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t flags);
void cfs_dequeue_entity(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t flags);
/* set_next_entity(), put_prev_entity() */
void cfs_set_next(struct sched_cfs_rq *cfs_rq, struct sched_entity *se);
void cfs_put_prev(struct sched_cfs_rq *cfs_rq, struct sched_entity *prev);

/* wakeup_preempt_entity(): 1 if se is further behind curr than its granularity, -1 ahead. */
int cfs_preempts(const struct sched_entity *curr, struct sched_entity *se);
/* pick_next_entity(); curr: not in the tree but a candidate, or NULL. */
struct sched_entity *cfs_pick_entity(struct sched_cfs_rq *cfs_rq, struct sched_entity *curr);
/* clear_buddies() */
void cfs_clear_buddies(struct sched_cfs_rq *cfs_rq, struct sched_entity *se);

#endif
