// SPDX-License-Identifier: GPL-2.0-only
/* Entities and queues: how averages age, join, leave. Groups are in load_group.c. */
#include <string.h>

#include "sched/load_math.h"

const uint32_t sched_prio_to_weight[SCHED_NR_NICE] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
	1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
	110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
};

const uint32_t sched_prio_to_wmult[SCHED_NR_NICE] = {
	48388, 59856, 76040, 92818, 118348, 147320, 184698, 229616, 287308, 360437,
	449829, 563644, 704093, 875809, 1099582, 1376151, 1717300, 2157191, 2708050, 3363326,
	4194304, 5237765, 6557202, 8165337, 10153587, 12820798, 15790321, 19976592, 24970740,
	31350126, 39045157, 49367440, 61356676, 76695844, 95443717, 119304647, 148102320,
	186737708, 238609294, 286331153,
};

void sched_load_rules_of(uint32_t major, uint32_t minor, struct sched_load_rules *out)
{
	uint32_t v = major * 1000 + minor;

	memset(out, 0, sizeof(*out));
	out->util_unchanged = v >= 5013 ? 1u << 31 : 1;
	out->sums = v >= 5017 ? SCHED_SUMS_FLOORED : v >= 5014 ? SCHED_SUMS_SYNCED :
		    v >= 5013 ? SCHED_SUMS_LOAD : SCHED_SUMS_APART;
	out->runnable_load = v <= 5006;
	out->weight_min = v >= 5007 ? 2 : 0;
	out->propagate_max = v <= 5007;
	out->fast_up = v >= 5005;
	out->leaf_parents = v >= 5013;
	out->pelt_lag = v >= 6000;
	out->attach_floor = v >= 5018;
	out->with_queue = v >= 6001;
}

static uint32_t inverse_of(uint64_t weight)
{
	if (!weight)
		return UINT32_MAX;
	return weight >= UINT32_MAX ? 1 : (uint32_t)(UINT32_MAX / weight);
}

/* Shifts a value below 2^32; returns by how much. */
static int fit_32_bits(uint64_t *value)
{
	uint32_t high = (uint32_t)(*value >> 32);
	int shift = high ? 32 - __builtin_clz(high) : 0;

	*value >>= shift;
	return shift;
}

uint64_t sched_calc_delta(const struct sched_load_rules *rules, uint64_t delta, uint64_t weight,
			  uint64_t of, uint32_t *inverse)
{
	uint64_t factor = sched_load_down(rules, weight);
	int shift = 32;

	if (!*inverse)
		*inverse = inverse_of(sched_load_down(rules, of));
	shift -= fit_32_bits(&factor);
	factor *= *inverse;
	shift -= fit_32_bits(&factor);
	return (uint64_t)((unsigned __int128)delta * factor >> shift);
}

void sched_entity_init(struct sched_entity *se, int nice, uint32_t idle_policy)
{
	memset(se, 0, sizeof(*se));
	se->idle_policy = (uint8_t)idle_policy;
	se->weight = idle_policy ? SCHED_WEIGHT_IDLEPRIO : sched_prio_to_weight[nice + 20];
	se->weight <<= SCHED_LOAD_SHIFT;
	se->inv_weight = idle_policy ? SCHED_WMULT_IDLEPRIO : sched_prio_to_wmult[nice + 20];
}

void sched_entity_move(struct sched_entity *se, struct sched_group *group, uint32_t cpu)
{
	se->cfs_rq = &group->cfs_rqs[cpu];
	se->parent = se->cfs_rq->se;
	se->depth = group->depth;
}

/* A task is thought heavy until it shows what it needs; a group begins empty. */
void sched_entity_born(struct sched_entity *se)
{
	const struct sched_load_rules *rules = se->cfs_rq->rq->rules;

	memset(&se->avg, 0, sizeof(se->avg));
	if (rules->runnable_load)
		se->runnable_weight = se->weight;
	if (se->my_q)
		return;
	se->avg.load_avg = sched_load_down(rules, se->weight);
	if (rules->runnable_load)
		se->avg.runnable_avg = se->avg.load_avg;
}

void sched_load_rq_init(struct sched_load_rq *rq, uint32_t cpu, uint16_t capacity,
			const struct sched_load_rules *rules)
{
	memset(rq, 0, sizeof(*rq));
	rq->clock_task = rq->clock_pelt = SCHED_CLOCK_START;
	rq->rules = rules;
	rq->cpu = cpu;
	rq->capacity = capacity;
	rq->idle = 1;
}

/*
 * update_idle_rq_clock_pelt(): a slow CPU that was always busy has no idle time from
 * which to make up what clock_pelt is behind.
 */
static void lose_idle_time(struct sched_load_rq *rq)
{
	uint32_t full = ((SCHED_LOAD_AVG_MAX - 1024u) << 10) - SCHED_LOAD_AVG_MAX;

	if (rq->root->avg.util_sum >= full)
		rq->lost_idle_time += rq->clock_task - rq->clock_pelt;
}

void sched_load_clock(struct sched_load_rq *rq, uint64_t clock_task, uint32_t idle)
{
	uint64_t delta = clock_task - rq->clock_task;

	if (idle && !rq->idle)
		lose_idle_time(rq);
	rq->idle = (uint8_t)idle;
	if ((int64_t)delta > 0)
		rq->clock_task = clock_task;
	else
		delta = 0;
	if (idle)
		rq->clock_pelt = rq->clock_task;
	else if (rq->capacity == 1024)
		rq->clock_pelt += delta;
	else
		rq->clock_pelt += delta * rq->capacity >> 10;
}

/* __update_load_avg_se() */
static void age_entity(uint64_t now, const struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint64_t runnable = se->on_rq, runnable_weight = 1;

	if (now - se->avg.last_update_time < 1024)
		return;
	if (rules->runnable_load)
		runnable_weight = sched_load_down(rules, se->runnable_weight);
	else
		runnable = (se->my_q ? se->runnable_weight : se->on_rq) << 10;
	if (!sched_pelt_sum(&se->avg, now, se->on_rq, runnable, cfs_rq->curr == se))
		return;
	sched_pelt_avg(&se->avg, sched_load_down(rules, se->weight), runnable_weight);
	se->avg.est_enqueued &= ~rules->util_unchanged;
}

/* __update_load_avg_blocked_se() */
static void age_sleeper(uint64_t now, struct sched_entity *se)
{
	const struct sched_load_rules *rules = se->cfs_rq->rq->rules;

	if (sched_pelt_sum(&se->avg, now, 0, 0, 0))
		sched_pelt_avg(&se->avg, sched_load_down(rules, se->weight),
			       rules->runnable_load ? sched_load_down(rules, se->runnable_weight) :
			       1);
}

/* __update_load_avg_cfs_rq() */
static uint32_t age_queue(uint64_t now, struct sched_cfs_rq *cfs_rq)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint64_t runnable;

	if (now - cfs_rq->avg.last_update_time < 1024)
		return 0;
	if (rules->runnable_load)
		runnable = sched_load_down(rules, cfs_rq->runnable_weight);
	else
		runnable = (uint64_t)cfs_rq->h_nr_running << 10;
	if (!sched_pelt_sum(&cfs_rq->avg, now, sched_load_down(rules, cfs_rq->weight), runnable,
			    cfs_rq->curr != NULL))
		return 0;
	sched_pelt_avg(&cfs_rq->avg, 1, 1);
	return 1;
}

static void take_off_removed(struct sched_cfs_rq *cfs_rq)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	struct sched_avg *avg = &cfs_rq->avg;
	uint64_t divider = sched_pelt_divider(avg);
	int64_t runnable = (int64_t)cfs_rq->removed_runnable;

	cfs_rq->nr_removed = 0;
	sched_sub_load(rules, avg, cfs_rq->removed_load, cfs_rq->removed_load * divider, divider);
	sched_sub_util(rules, avg, cfs_rq->removed_util,
		       (uint32_t)(cfs_rq->removed_util * divider), divider);
	if (!rules->runnable_load) {
		sched_sub_runnable(rules, avg, cfs_rq->removed_runnable,
				   cfs_rq->removed_runnable * divider, divider);
		/* Unweighted, so it stands for the load's sum. */
		runnable = runnable * (int64_t)divider;
		sched_propagate(cfs_rq, -runnable >> 10);
	} else {
		sched_propagate(cfs_rq, -runnable);
	}
	cfs_rq->removed_load = cfs_rq->removed_util = cfs_rq->removed_runnable = 0;
}

uint32_t sched_queue_update(struct sched_cfs_rq *cfs_rq, uint64_t now)
{
	uint32_t removed = cfs_rq->nr_removed;

	if (removed)
		take_off_removed(cfs_rq);
	return age_queue(now, cfs_rq) | (removed != 0);
}

/* The entity's sums as if it had always been where the queue is in its period. */
void sched_attach(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint64_t weight = sched_load_down(rules, se->weight);
	struct sched_avg *avg = &se->avg, *to = &cfs_rq->avg;
	uint32_t divider = sched_pelt_divider(to);

	avg->last_update_time = to->last_update_time;
	avg->period_contrib = to->period_contrib;
	avg->util_sum = (uint32_t)(avg->util_avg * divider);
	avg->load_sum = avg->load_avg * divider;
	if (weight && (!rules->attach_floor || weight < avg->load_sum))
		avg->load_sum /= weight;
	else
		avg->load_sum = rules->attach_floor ? 1 : divider;
	to->load_avg += avg->load_avg;
	to->load_sum += weight * avg->load_sum;
	to->util_avg += avg->util_avg;
	to->util_sum += avg->util_sum;
	if (rules->runnable_load) {
		avg->runnable_sum = avg->load_sum;
	} else {
		avg->runnable_sum = avg->runnable_avg * divider;
		to->runnable_avg += avg->runnable_avg;
		to->runnable_sum += avg->runnable_sum;
	}
	sched_propagate(cfs_rq, (int64_t)avg->load_sum);
}

/* detach_entity_load_avg() */
static void detach(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint32_t divider = sched_pelt_divider(&cfs_rq->avg);
	struct sched_avg *from = &cfs_rq->avg;

	sched_sub_load(rules, from, se->avg.load_avg,
		       sched_load_down(rules, se->weight) * se->avg.load_sum,
		       sched_pelt_divider(&se->avg));
	sched_sub_util(rules, from, se->avg.util_avg, se->avg.util_sum, divider);
	if (!rules->runnable_load)
		sched_sub_runnable(rules, from, se->avg.runnable_avg, se->avg.runnable_sum,
				   divider);
	sched_propagate(cfs_rq, -(int64_t)se->avg.load_sum);
}

void sched_load_update(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t flags)
{
	uint64_t now = sched_clock_pelt(cfs_rq->rq);
	uint32_t decayed;

	if (se->avg.last_update_time)
		age_entity(now, cfs_rq, se);
	decayed = sched_queue_update(cfs_rq, now);
	if (se->my_q)
		decayed |= sched_group_propagate(se);
	if (!se->avg.last_update_time && flags & SCHED_DO_ATTACH) {
		sched_attach(cfs_rq, se);
		sched_group_contribute(cfs_rq);
	} else if (flags & SCHED_DO_DETACH) {
		detach(cfs_rq, se);
		sched_group_contribute(cfs_rq);
	} else if (decayed && flags & SCHED_UPDATE_TG) {
		sched_group_contribute(cfs_rq);
	}
}

void sched_load_guess(struct sched_entity *se)
{
	const struct sched_avg *queue = &se->cfs_rq->avg;
	int64_t cap = ((int64_t)se->cfs_rq->rq->capacity - (int64_t)queue->util_avg) / 2;
	struct sched_avg *avg = &se->avg;

	if (cap > 0) {
		avg->util_avg = (uint64_t)cap;
		/* The scaled weight is the kernel's, so that the cap nearly always decides. */
		if (queue->util_avg)
			avg->util_avg = queue->util_avg * se->weight / (queue->load_avg + 1);
		if (avg->util_avg > (uint64_t)cap)
			avg->util_avg = (uint64_t)cap;
	}
	if (!se->cfs_rq->rq->rules->runnable_load)
		avg->runnable_avg = avg->util_avg;
}

/* propagate_entity_cfs_rq() */
static void propagate_up(struct sched_entity *se)
{
	if (se->cfs_rq->rq->rules->leaf_parents)
		sched_leaf_add(se->cfs_rq);
	for (se = se->parent; se; se = se->parent)
		sched_load_update(se->cfs_rq, se, SCHED_UPDATE_TG);
}

void sched_load_attach(struct sched_entity *se)
{
	sched_load_update(se->cfs_rq, se, SCHED_DO_ATTACH);
	propagate_up(se);
}

void sched_load_detach(struct sched_entity *se)
{
	sched_load_update(se->cfs_rq, se, SCHED_DO_DETACH);
	propagate_up(se);
}

void sched_load_sync(struct sched_entity *se)
{
	if (se->avg.last_update_time)
		age_sleeper(se->cfs_rq->avg.last_update_time, se);
}

void sched_load_remove(struct sched_entity *se)
{
	struct sched_cfs_rq *cfs_rq = se->cfs_rq;
	const struct sched_load_rq *rq = cfs_rq->rq;
	const struct sched_avg *avg = &se->avg;

	sched_load_sync(se);
	cfs_rq->nr_removed++;
	cfs_rq->removed_load += avg->load_avg;
	cfs_rq->removed_util += avg->util_avg;
	cfs_rq->removed_runnable += rq->rules->runnable_load ? avg->load_sum : avg->runnable_avg;
	if (rq->rules->pelt_lag && rq->idle &&
	    (avg->load_sum || avg->util_sum || avg->runnable_sum))
		age_sleeper(sched_clock_pelt(rq), se);
}
