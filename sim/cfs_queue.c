// SPDX-License-Identifier: GPL-2.0-only
/* CFS on one queue: virtual time, slices, places, and whose turn it is. */
#include "sim/cfs.h"

/* Never equal: who comes later stands behind those with the same vruntime. */
static int compare(const struct sched_entity *a, const struct sched_entity *b)
{
	return cfs_before(a, b) ? -1 : 1;
}

RB_GENERATE_INTERNAL(sched_tree, sched_entity, node, compare, __attribute__((unused)) static)

void cfs_tree_insert(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	RB_INSERT(sched_tree, &cfs_rq->tasks, se);
	if (!cfs_rq->leftmost || cfs_before(se, cfs_rq->leftmost))
		cfs_rq->leftmost = se;
}

void cfs_tree_remove(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (cfs_rq->leftmost == se)
		cfs_rq->leftmost = RB_NEXT(sched_tree, &cfs_rq->tasks, se);
	RB_REMOVE(sched_tree, &cfs_rq->tasks, se);
}

uint64_t cfs_delta_fair(uint64_t delta, struct sched_entity *se)
{
	if (se->weight == SCHED_NICE_0_LOAD)
		return delta;
	return sched_calc_delta(se->cfs_rq->rq->rules, delta, SCHED_NICE_0_LOAD, se->weight,
				&se->inv_weight);
}

/* sched_idle_cfs_rq() */
static int only_idle(const struct sched_cfs_rq *cfs_rq)
{
	return cfs_rq->nr_running && cfs_rq->nr_running == cfs_rq->idle_nr_running;
}

/* Who isn't queued yet is reckoned with as if it were. */
uint64_t cfs_slice(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	const struct fair_params *params = cfs_rq_of(cfs_rq)->params;
	uint64_t least = params->min_granularity, slice = params->latency;
	uint32_t nr = params->alt_period ? cfs_rq->rq->root->h_nr_running : cfs_rq->nr_running;

	nr += !se->on_rq;
	if (nr > params->nr_latency)
		slice = nr * params->min_granularity;
	if (params->idle_entities && sched_entity_idle(se) && !only_idle(cfs_rq))
		least = params->idle_min_granularity;
	for (; se; se = se->parent) {
		struct sched_cfs_rq *queue = se->cfs_rq;
		uint32_t unknown = 0;

		slice = sched_calc_delta(queue->rq->rules, slice, se->weight,
					 queue->weight + (se->on_rq ? 0 : se->weight),
					 se->on_rq ? &queue->inv_weight : &unknown);
	}
	return params->base_slice && slice < least ? least : slice;
}

/* Queued entities never gain time because somebody is placed behind them. */
static void update_min_vruntime(struct sched_cfs_rq *cfs_rq)
{
	const struct sched_entity *first = cfs_rq->leftmost, *curr = cfs_rq->curr;

	if (curr && curr->on_rq && (!first || cfs_before(curr, first)))
		first = curr;
	if (first && (int64_t)(first->vruntime - cfs_rq->min_vruntime) > 0)
		cfs_rq->min_vruntime = first->vruntime;
}

void cfs_update_curr(struct sched_cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->curr;
	uint64_t now = cfs_rq->rq->clock_task, delta;

	if (!curr)
		return;
	delta = now - curr->exec_start;
	if ((int64_t)delta <= 0)
		return;
	curr->exec_start = now;
	curr->sum_exec_runtime += delta;
	curr->vruntime += cfs_delta_fair(delta, curr);
	update_min_vruntime(cfs_rq);
}

/*
 * entity_is_long_sleeper(): min_vruntime may be ahead of real time by NICE_0 / MIN_SHARES,
 * so that after 104 days of sleep a difference of vruntimes could change its sign.
 */
static int long_sleeper(const struct sched_entity *se)
{
	uint64_t now = se->cfs_rq->rq->clock_task;

	return se->exec_start && now > se->exec_start &&
	       now - se->exec_start > (1ull << 63) / 1024;
}

void cfs_place(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t initial)
{
	const struct fair_params *params = cfs_rq_of(cfs_rq)->params;
	uint64_t vruntime = cfs_rq->min_vruntime;

	if (initial)		/* START_DEBIT: the running period is promised to others */
		vruntime += cfs_delta_fair(cfs_slice(cfs_rq, se), se);
	else if (params->idle_entities && sched_entity_idle(se))
		vruntime -= params->min_granularity / 2;
	else			/* GENTLE_FAIR_SLEEPERS: half a latency of credit */
		vruntime -= params->latency / 2;
	if (long_sleeper(se) || (int64_t)(vruntime - se->vruntime) > 0)
		se->vruntime = vruntime;
}

void cfs_enqueue_entity(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t flags)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint32_t relative = !(flags & FAIR_WAKEUP) || flags & FAIR_MIGRATED;
	uint32_t curr = cfs_rq->curr == se;	/* woken before it has left its CPU */

	cfs_update_curr(cfs_rq);
	if (relative)		/* after the update, so that it isn't placed in the past */
		se->vruntime += cfs_rq->min_vruntime;
	sched_load_update(cfs_rq, se, SCHED_UPDATE_TG | SCHED_DO_ATTACH);
	sched_load_reshare(se);
	if (rules->runnable_load)
		sched_runnable_add(cfs_rq, se);
	sched_load_account(cfs_rq, se);
	if (flags & FAIR_WAKEUP)
		cfs_place(cfs_rq, se, 0);
	if (flags & FAIR_MIGRATED)
		se->exec_start = 0;	/* not cache hot */
	if (!curr)
		cfs_tree_insert(cfs_rq, se);
	se->on_rq = 1;
	if (cfs_rq->nr_running == 1)
		sched_leaf_add(cfs_rq);
}

/*
 * An entity that will be moved gets relative in time before min_vruntime goes on without
 * it.
 */
void cfs_dequeue_entity(struct sched_cfs_rq *cfs_rq, struct sched_entity *se, uint32_t flags)
{
	const struct sched_load_rules *rules = cfs_rq->rq->rules;
	uint32_t update = SCHED_UPDATE_TG;

	if (!se->my_q && !(flags & FAIR_SLEEP) && rules->with_queue)
		update |= SCHED_DO_DETACH;
	cfs_update_curr(cfs_rq);
	sched_load_update(cfs_rq, se, update);
	if (rules->runnable_load)
		sched_runnable_sub(cfs_rq, se);
	cfs_clear_buddies(cfs_rq, se);
	if (se != cfs_rq->curr)
		cfs_tree_remove(cfs_rq, se);
	se->on_rq = 0;
	sched_load_unaccount(cfs_rq, se);
	if (!(flags & FAIR_SLEEP))
		se->vruntime -= cfs_rq->min_vruntime;
	sched_load_reshare(se);
	update_min_vruntime(cfs_rq);
}

void cfs_set_next(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (cfs_rq_of(cfs_rq)->params->set_clears_buddies)
		cfs_clear_buddies(cfs_rq, se);
	if (se->on_rq) {
		cfs_tree_remove(cfs_rq, se);
		sched_load_update(cfs_rq, se, SCHED_UPDATE_TG);
	}
	se->exec_start = cfs_rq->rq->clock_task;
	cfs_rq->curr = se;
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
}

void cfs_put_prev(struct sched_cfs_rq *cfs_rq, struct sched_entity *prev)
{
	if (prev->on_rq) {
		cfs_update_curr(cfs_rq);
		cfs_tree_insert(cfs_rq, prev);
		sched_load_update(cfs_rq, prev, 0);
	}
	cfs_rq->curr = NULL;
}

/* The granularity is real time of se: who weighs little has to be further behind. */
int cfs_preempts(const struct sched_entity *curr, struct sched_entity *se)
{
	int64_t behind = (int64_t)(curr->vruntime - se->vruntime);
	uint64_t granularity = cfs_rq_of(se->cfs_rq)->params->wakeup_granularity;

	if (behind <= 0)
		return -1;
	return behind > (int64_t)cfs_delta_fair(granularity, se);
}

/* The entity that runs if the leftmost has asked to be skipped. */
static struct sched_entity *second(struct sched_cfs_rq *cfs_rq, struct sched_entity *left,
				   struct sched_entity *curr)
{
	struct sched_entity *next;

	if (left == curr)
		return cfs_rq->leftmost;
	next = RB_NEXT(sched_tree, &cfs_rq->tasks, left);
	return !next || (curr && cfs_before(curr, next)) ? curr : next;
}

/* Fair first; then who shall run next, who ran last and was preempted; then no skipped one. */
struct sched_entity *cfs_pick_entity(struct sched_cfs_rq *cfs_rq, struct sched_entity *curr)
{
	struct sched_entity *left = cfs_rq->leftmost, *se;

	if (!left || (curr && cfs_before(curr, left)))
		left = curr;
	se = left;
	if (cfs_rq->skip && cfs_rq->skip == left) {
		se = second(cfs_rq, left, curr);
		if (!se || cfs_preempts(se, left) > 0)
			se = left;
	}
	if (cfs_rq->next && cfs_preempts(cfs_rq->next, left) < 1)
		se = cfs_rq->next;
	else if (cfs_rq->last && cfs_preempts(cfs_rq->last, left) < 1)
		se = cfs_rq->last;
	if (!cfs_rq_of(cfs_rq)->params->set_clears_buddies)
		cfs_clear_buddies(cfs_rq, se);
	return se;
}

void cfs_clear_buddies(struct sched_cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct sched_entity *up;

	if (cfs_rq->last == se)
		for (up = se; up && up->cfs_rq->last == up; up = up->parent)
			up->cfs_rq->last = NULL;
	if (cfs_rq->next == se)
		for (up = se; up && up->cfs_rq->next == up; up = up->parent)
			up->cfs_rq->next = NULL;
	if (cfs_rq->skip == se)
		for (up = se; up && up->cfs_rq->skip == up; up = up->parent)
			up->cfs_rq->skip = NULL;
}
