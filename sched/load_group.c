// SPDX-License-Identifier: GPL-2.0-only
/* Task groups: shares, the way of load from queue to queue, blocked load, h_load. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/load_math.h"

#define MIN_SHARES	2	/* unscaled although shares are scaled, as in the kernel */

/*
 * calc_group_shares(): the queue's part of the group's load. Its own part is taken as
 * it is now, because averages are slow where a group was idle.
 */
static uint64_t group_shares(const struct sched_cfs_rq *cfs_rq)
{
	const struct sched_group *group = cfs_rq->group;
	uint64_t load = sched_load_down(cfs_rq->rq->rules, cfs_rq->weight);
	uint64_t shares;
	int64_t all;

	if (load < cfs_rq->avg.load_avg)
		load = cfs_rq->avg.load_avg;
	all = group->load_avg - (int64_t)cfs_rq->tg_load_avg_contrib + (int64_t)load;
	shares = group->shares * load;
	if (all)
		shares = (uint64_t)((int64_t)shares / all);
	if ((int64_t)shares < MIN_SHARES)
		return MIN_SHARES;
	return shares > group->shares ? group->shares : shares;
}

/* calc_group_runnable(), up to v5.6 */
static uint64_t group_runnable(const struct sched_cfs_rq *cfs_rq, uint64_t shares)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint64_t load = sched_load_down(rules, cfs_rq->weight);
	uint64_t runnable = sched_load_down(rules, cfs_rq->runnable_weight);

	if (load < cfs_rq->avg.load_avg)
		load = cfs_rq->avg.load_avg;
	if (runnable < cfs_rq->avg.runnable_avg)
		runnable = cfs_rq->avg.runnable_avg;
	runnable *= shares;
	if (load)
		runnable /= load;
	if (runnable < MIN_SHARES)
		return MIN_SHARES;
	return runnable > shares ? shares : runnable;
}

void sched_runnable_add(struct sched_cfs_rq *cfs_rq, const struct sched_entity *se)
{
	struct sched_avg *avg = &cfs_rq->avg;

	cfs_rq->runnable_weight += se->runnable_weight;
	avg->runnable_avg += se->avg.runnable_avg;
	avg->runnable_sum += sched_load_down(cfs_rq->rq->rules, se->runnable_weight) *
			     se->avg.runnable_sum;
}

void sched_runnable_sub(struct sched_cfs_rq *cfs_rq, const struct sched_entity *se)
{
	struct sched_avg *avg = &cfs_rq->avg;

	cfs_rq->runnable_weight -= se->runnable_weight;
	avg->runnable_avg = sched_sub_positive(avg->runnable_avg, se->avg.runnable_avg);
	avg->runnable_sum = sched_sub_positive(avg->runnable_sum,
					       sched_load_down(cfs_rq->rq->rules,
							       se->runnable_weight) *
					       se->avg.runnable_sum);
}

/* The averages of an entity that has other weights from now on. */
static void rescale(struct sched_entity *se, const struct sched_load_rules *rules)
{
	uint32_t divider = sched_pelt_divider(&se->avg);

	se->avg.load_avg = sched_load_down(rules, se->weight) * se->avg.load_sum / divider;
	if (rules->runnable_load)
		se->avg.runnable_avg = sched_load_down(rules, se->runnable_weight) *
				       se->avg.runnable_sum / divider;
}

/* reweight_entity() of a group. Equal weights are not passed over: sums round anew. */
static void reweight(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint64_t weight,
		     uint64_t runnable)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;

	if (se->on_rq) {
		cfs_rq->weight += weight - se->weight;
		cfs_rq->inv_weight = 0;
		if (rules->runnable_load)
			sched_runnable_sub(cfs_rq, se);
	}
	sched_sub_load(rules, &cfs_rq->avg, se->avg.load_avg,
		       sched_load_down(rules, se->weight) * se->avg.load_sum,
		       sched_pelt_divider(&se->avg));
	if (weight != se->weight)
		se->inv_weight = 0;
	se->weight = weight;
	if (rules->runnable_load)
		se->runnable_weight = runnable;
	rescale(se, rules);
	cfs_rq->avg.load_avg += se->avg.load_avg;
	cfs_rq->avg.load_sum += sched_load_down(rules, weight) * se->avg.load_sum;
	if (se->on_rq && rules->runnable_load)
		sched_runnable_add(cfs_rq, se);
}

void sched_load_reshare(struct sched_entity *se)
{
	const struct sched_load_rules *rules = se->cfs_rq->rq->rules;
	uint64_t shares;

	if (!se->my_q)
		return;
	shares = group_shares(se->my_q);
	if (rules->runnable_load) {
		reweight(se->cfs_rq, se, shares, group_runnable(se->my_q, shares));
	} else {
		se->runnable_weight = se->my_q->h_nr_running;
		reweight(se->cfs_rq, se, shares, 0);
	}
}

void sched_group_contribute(struct sched_cfs_rq *cfs_rq)
{
	int64_t delta = (int64_t)(cfs_rq->avg.load_avg - cfs_rq->tg_load_avg_contrib);

	if (!cfs_rq->se)
		return;
	if ((uint64_t)(delta < 0 ? -delta : delta) > cfs_rq->tg_load_avg_contrib / 64) {
		cfs_rq->group->load_avg += delta;
		cfs_rq->tg_load_avg_contrib = cfs_rq->avg.load_avg;
	}
}

/* update_tg_cfs_util() */
static void propagate_util(const struct sched_load_rules *rules, struct sched_avg *queue,
			   struct sched_avg *se, const struct sched_avg *child, uint32_t divider)
{
	int64_t delta = (int64_t)(child->util_avg - se->util_avg), delta_sum;
	uint32_t sum;

	if (!delta)
		return;
	se->util_avg = child->util_avg;
	sum = (uint32_t)(se->util_avg * divider);
	delta_sum = (int64_t)sum - se->util_sum;
	se->util_sum = sum;
	queue->util_avg = sched_add_positive(queue->util_avg, delta);
	if (rules->sums == SCHED_SUMS_FLOORED) {
		sum = queue->util_sum + (uint32_t)delta_sum;
		if (delta_sum < 0 && sum > queue->util_sum)
			sum = 0;
		queue->util_sum = (uint32_t)sched_floor(sum, queue->util_avg);
	} else {
		queue->util_sum = (uint32_t)(queue->util_avg * divider);
	}
}

/* update_tg_cfs_runnable(), from v5.7 */
static void propagate_runnable(const struct sched_load_rules *rules, struct sched_avg *queue,
			       struct sched_avg *se, const struct sched_avg *child,
			       uint32_t divider)
{
	int64_t delta = (int64_t)(child->runnable_avg - se->runnable_avg), delta_sum;
	uint64_t sum;

	if (!delta)
		return;
	se->runnable_avg = child->runnable_avg;
	sum = se->runnable_avg * divider;
	delta_sum = (int64_t)(sum - se->runnable_sum);
	se->runnable_sum = sum;
	queue->runnable_avg = sched_add_positive(queue->runnable_avg, delta);
	if (rules->sums == SCHED_SUMS_FLOORED)
		queue->runnable_sum = sched_floor(sched_add_positive(queue->runnable_sum,
								     delta_sum),
						  queue->runnable_avg);
	else
		queue->runnable_sum = queue->runnable_avg * divider;
}

/*
 * For how long the group's entity counts as runnable once child's load changed by sum:
 * as little overlap as possible where load came, all tasks alike where it left.
 */
static uint64_t runnable_sum(const struct sched_load_rules *rules, const struct sched_entity *se,
			     int64_t sum, uint32_t divider)
{
	const struct sched_cfs_rq *child = se->my_q;
	uint64_t weight = sched_load_down(rules, child->weight), least, left = 0;

	if (sum >= 0) {
		sum += (int64_t)se->avg.load_sum;
		left = (uint64_t)sum < divider ? (uint64_t)sum : divider;
	} else {
		if (weight)
			left = child->avg.load_sum / weight;
		if (left > se->avg.load_sum)
			left = se->avg.load_sum;
	}
	least = se->avg.util_sum >> 10;	/* what ran was runnable */
	return left > least ? left : least;
}

/* The part of v5.4's update_tg_cfs_runnable() that keeps runnable_load_avg. */
static void propagate_runnable_load(struct sched_cfs_rq *cfs_rq, struct sched_entity *se,
				    uint64_t sum, uint32_t divider)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint64_t load_sum = sched_load_down(rules, se->runnable_weight) * sum;
	uint64_t load_avg = load_sum / divider;
	int64_t delta_sum = (int64_t)(load_sum - sched_load_down(rules, se->weight) *
						 se->avg.runnable_sum);
	int64_t delta_avg = (int64_t)(load_avg - se->avg.runnable_avg);

	se->avg.runnable_sum = sum;
	se->avg.runnable_avg = load_avg;
	if (!se->on_rq)
		return;
	cfs_rq->avg.runnable_avg = sched_add_positive(cfs_rq->avg.runnable_avg, delta_avg);
	cfs_rq->avg.runnable_sum = sched_add_positive(cfs_rq->avg.runnable_sum, delta_sum);
}

/* update_tg_cfs_load(); up to v5.6 the load half of update_tg_cfs_runnable() */
static void propagate_load(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t divider)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	struct sched_avg *queue = &cfs_rq->avg;
	uint64_t weight = sched_load_down(rules, se->weight), sum, load_sum;
	int64_t delta_avg, delta_sum;

	if (!se->my_q->prop_runnable_sum)
		return;
	sum = runnable_sum(rules, se, se->my_q->prop_runnable_sum, divider);
	se->my_q->prop_runnable_sum = 0;
	load_sum = weight * sum;
	delta_avg = (int64_t)(load_sum / divider - se->avg.load_avg);
	delta_sum = (int64_t)(load_sum - weight * se->avg.load_sum);
	if (rules->sums == SCHED_SUMS_FLOORED && !delta_avg)
		return;
	se->avg.load_sum = sum;
	se->avg.load_avg = load_sum / divider;
	if (rules->sums == SCHED_SUMS_SYNCED && !delta_avg)
		return;
	queue->load_avg = sched_add_positive(queue->load_avg, delta_avg);
	if (rules->sums == SCHED_SUMS_LOAD || rules->sums == SCHED_SUMS_SYNCED)
		queue->load_sum = queue->load_avg * divider;
	else
		queue->load_sum = sched_add_positive(queue->load_sum, delta_sum);
	if (rules->sums == SCHED_SUMS_FLOORED)
		queue->load_sum = sched_floor(queue->load_sum, queue->load_avg);
	if (rules->runnable_load)
		propagate_runnable_load(cfs_rq, se, sum, divider);
}

uint32_t sched_group_propagate(struct sched_entity *se)
{
	struct sched_cfs_rq *child = se->my_q, *cfs_rq = se->cfs_rq;
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint32_t divider = rules->propagate_max ? SCHED_LOAD_AVG_MAX :
			   sched_pelt_divider(&cfs_rq->avg);

	if (!child->propagate)
		return 0;
	child->propagate = 0;
	sched_propagate(cfs_rq, child->prop_runnable_sum);
	propagate_util(rules, &cfs_rq->avg, &se->avg, &child->avg, divider);
	if (!rules->runnable_load)
		propagate_runnable(rules, &cfs_rq->avg, &se->avg, &child->avg, divider);
	propagate_load(cfs_rq, se, divider);
	return 1;
}

/* Behind before, or first. */
static void link_leaf(struct sched_load_rq *rq, struct sched_cfs_rq *cfs_rq,
		      struct sched_cfs_rq *before)
{
	cfs_rq->on_list = 1;
	cfs_rq->leaf_prev = before;
	cfs_rq->leaf_next = before ? before->leaf_next : rq->first_leaf;
	if (before)
		before->leaf_next = cfs_rq;
	else
		rq->first_leaf = cfs_rq;
	if (cfs_rq->leaf_next)
		cfs_rq->leaf_next->leaf_prev = cfs_rq;
	else
		rq->last_leaf = cfs_rq;
}

static void unlink_leaf(struct sched_load_rq *rq, struct sched_cfs_rq *cfs_rq)
{
	cfs_rq->on_list = 0;
	if (cfs_rq->leaf_prev)
		cfs_rq->leaf_prev->leaf_next = cfs_rq->leaf_next;
	else
		rq->first_leaf = cfs_rq->leaf_next;
	if (cfs_rq->leaf_next)
		cfs_rq->leaf_next->leaf_prev = cfs_rq->leaf_prev;
	else
		rq->last_leaf = cfs_rq->leaf_prev;
}

/*
 * The order among siblings counts: the first to propagate decides whether the parent
 * group's load_avg changes enough to follow. So a queue stands right before its parent;
 * a branch whose top isn't linked yet grows from the list's begin.
 */
void sched_leaf_add(struct sched_cfs_rq *cfs_rq)
{
	struct sched_load_rq *rq = cfs_rq->rq;
	struct sched_cfs_rq *branch = NULL, *parent;

	for (; cfs_rq && !cfs_rq->on_list; cfs_rq = parent) {
		parent = cfs_rq->se ? cfs_rq->se->cfs_rq : NULL;
		if (!parent)
			link_leaf(rq, cfs_rq, rq->last_leaf);
		else if (parent->on_list)
			link_leaf(rq, cfs_rq, parent->leaf_prev);
		else
			link_leaf(rq, cfs_rq, branch);
		branch = cfs_rq;
	}
}

/* cfs_rq_is_decayed(); a child that is linked stands right before its parent. */
static int decayed(const struct sched_cfs_rq *cfs_rq)
{
	const struct sched_avg *avg = &cfs_rq->avg;
	const struct sched_cfs_rq *before = cfs_rq->leaf_prev;

	if (cfs_rq->weight || avg->load_sum || avg->util_sum || avg->runnable_sum)
		return 0;
	return !cfs_rq->rq->rules->leaf_parents || !before ||
	       before->group->parent != cfs_rq->group;
}

static void update_leaf(struct sched_cfs_rq *cfs_rq)
{
	struct sched_entity *se = cfs_rq->se;

	if (sched_queue_update(cfs_rq, sched_clock_pelt(cfs_rq->rq)))
		sched_group_contribute(cfs_rq);
	if (se && (se->avg.load_avg || se->avg.util_avg || cfs_rq->propagate))
		sched_load_update(se->cfs_rq, se,
				  cfs_rq->rq->rules->leaf_parents ? SCHED_UPDATE_TG : 0);
}

uint32_t sched_load_blocked(struct sched_load_rq *rq)
{
	struct sched_cfs_rq *cfs_rq, *next;
	uint32_t blocked = 0;

	for (cfs_rq = rq->first_leaf; cfs_rq; cfs_rq = next) {
		update_leaf(cfs_rq);
		blocked |= cfs_rq->avg.load_avg || cfs_rq->avg.util_avg;
		next = cfs_rq->leaf_next;
		if (decayed(cfs_rq))
			unlink_leaf(rq, cfs_rq);
	}
	return blocked;
}

/* update_cfs_rq_h_load(): downwards, from the lowest queue that is up to date. */
static void update_h_load(struct sched_cfs_rq *cfs_rq, uint64_t jiffies)
{
	struct sched_entity *se = cfs_rq->se;

	if (cfs_rq->last_h_load_update == jiffies)
		return;
	cfs_rq->h_load_next = NULL;
	for (; se; se = se->parent) {
		cfs_rq = se->cfs_rq;
		cfs_rq->h_load_next = se;
		if (cfs_rq->last_h_load_update == jiffies)
			break;
	}
	if (!se) {
		cfs_rq->h_load = cfs_rq->avg.load_avg;
		cfs_rq->last_h_load_update = jiffies;
	}
	while ((se = cfs_rq->h_load_next)) {
		se->my_q->h_load = cfs_rq->h_load * se->avg.load_avg / (cfs_rq->avg.load_avg + 1);
		cfs_rq = se->my_q;
		cfs_rq->last_h_load_update = jiffies;
	}
}

uint64_t sched_h_load(const struct sched_entity *se, uint64_t jiffies)
{
	struct sched_cfs_rq *cfs_rq = se->cfs_rq;

	update_h_load(cfs_rq, jiffies);
	return se->avg.load_avg * cfs_rq->h_load / (cfs_rq->avg.load_avg + 1);
}

static void init_queue(struct sched_group *group, uint32_t cpu, struct sched_load_rq *rq)
{
	struct sched_cfs_rq *cfs_rq = &group->cfs_rqs[cpu];
	struct sched_entity *se;

	cfs_rq->min_vruntime = (uint64_t)-(1ll << 20);
	cfs_rq->rq = rq;
	cfs_rq->group = group;
	cfs_rq->idle = group->idle;
	cfs_rq->last_h_load_update = UINT64_MAX;
	if (!group->parent) {
		rq->root = cfs_rq;
		return;
	}
	se = cfs_rq->se = &group->entities[cpu];
	sched_entity_move(se, group->parent, cpu);
	se->my_q = cfs_rq;
	se->weight = SCHED_NICE_0_LOAD;
	sched_entity_born(se);
	/* online_fair_sched_group(): it belongs to the load from now on, with nothing yet. */
	sched_load_attach(se);
}

int sched_group_create(struct sched_group *parent, uint32_t nr_cpus, uint64_t shares, uint32_t idle,
		       struct sched_load_rq *rqs, size_t stride, struct sched_group **out)
{
	struct sched_group *group;
	size_t queues = nr_cpus * sizeof(*group->cfs_rqs);
	size_t entities = parent ? nr_cpus * sizeof(*group->entities) : 0;
	char *memory;

	if (parent && parent->depth >= SCHED_GROUP_DEPTH_MAX)
		return -EINVAL;
	memory = aligned_alloc(64, sizeof(*group) + queues + entities);
	if (!memory)
		return -ENOMEM;
	memset(memory, 0, sizeof(*group) + queues + entities);
	group = (struct sched_group *)(void *)memory;
	group->parent = parent;
	group->shares = shares;
	group->idle = (uint8_t)idle;
	group->nr_cpus = nr_cpus;
	group->depth = parent ? parent->depth + 1 : 0;
	group->cfs_rqs = (struct sched_cfs_rq *)(void *)(memory + sizeof(*group));
	if (parent)
		group->entities = (struct sched_entity *)(void *)(memory + sizeof(*group) + queues);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		init_queue(group, cpu,
			   (struct sched_load_rq *)(void *)((char *)rqs + cpu * stride));
	*out = group;
	return 0;
}

void sched_group_free(struct sched_group *group)
{
	free(group);
}
