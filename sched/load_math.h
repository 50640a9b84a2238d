/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of sched/load*.c: sums that follow averages, and what load.c and load_group.c share. */
#ifndef SCHED_LOAD_MATH_H
#define SCHED_LOAD_MATH_H

#include "sched/load.h"

/* sub_positive() */
static inline uint64_t sched_sub_positive(uint64_t value, uint64_t sub)
{
	return value > sub ? value - sub : 0;
}

/* add_positive() */
static inline uint64_t sched_add_positive(uint64_t value, int64_t add)
{
	uint64_t sum = value + (uint64_t)add;

	return add < 0 && sum > value ? 0 : sum;
}

/*
 * From v5.17 a sum is at least what its average had at the start of a period. The kernel
 * compares 32 bits of both, so a load_sum above 2^32 (some 90 busy tasks of nice 0)
 * loses its upper half whenever a task leaves; a model of it has to as well.
 */
static inline uint64_t sched_floor(uint64_t sum, uint64_t avg)
{
	uint32_t low = (uint32_t)sum, least = (uint32_t)(avg * SCHED_PELT_MIN_DIVIDER);

	return low > least ? low : least;
}

static inline uint64_t sched_sum_less(const struct sched_load_rules *rules, uint64_t sum,
				      uint64_t sub, uint64_t avg, uint64_t divider)
{
	if (rules->sums == SCHED_SUMS_SYNCED)
		return avg * divider;
	sum = sched_sub_positive(sum, sub);
	return rules->sums == SCHED_SUMS_FLOORED ? sched_floor(sum, avg) : sum;
}

/* Takes an entity's average and sum off a queue's. */
static inline void sched_sub_load(const struct sched_load_rules *rules, struct sched_avg *avg,
				  uint64_t sub, uint64_t sum, uint64_t divider)
{
	avg->load_avg = sched_sub_positive(avg->load_avg, sub);
	avg->load_sum = sched_sum_less(rules, avg->load_sum, sum, avg->load_avg, divider);
}

static inline void sched_sub_util(const struct sched_load_rules *rules, struct sched_avg *avg,
				  uint64_t sub, uint32_t sum, uint64_t divider)
{
	avg->util_avg = sched_sub_positive(avg->util_avg, sub);
	avg->util_sum = (uint32_t)sched_sum_less(rules, avg->util_sum, sum, avg->util_avg,
						 divider);
}

static inline void sched_sub_runnable(const struct sched_load_rules *rules, struct sched_avg *avg,
				      uint64_t sub, uint64_t sum, uint64_t divider)
{
	avg->runnable_avg = sched_sub_positive(avg->runnable_avg, sub);
	avg->runnable_sum = sched_sum_less(rules, avg->runnable_sum, sum, avg->runnable_avg,
					   divider);
}

/* add_tg_cfs_propagate() */
static inline void sched_propagate(struct sched_cfs_rq *cfs_rq, int64_t runnable_sum)
{
	cfs_rq->propagate = 1;
	cfs_rq->prop_runnable_sum += runnable_sum;
}

/* update_cfs_rq_load_avg(): 1 if its load may have changed. */
uint32_t sched_queue_update(struct sched_cfs_rq *cfs_rq, uint64_t now);
/* attach_entity_load_avg() */
void sched_attach(struct sched_cfs_rq *cfs_rq, struct sched_entity *se);
/* propagate_entity_load_avg(): a group's entity follows its queue; 1 if it had to. */
uint32_t sched_group_propagate(struct sched_entity *se);
/* update_tg_load_avg() */
void sched_group_contribute(struct sched_cfs_rq *cfs_rq);

#endif
