// SPDX-License-Identifier: GPL-2.0-only
/*
 * CFS, v5.4 to v6.5: the operations of kernel/sched/fair.c's class up and down the
 * hierarchy of groups. What it does on each queue is in cfs_queue.c.
 */
#include "sim/cfs.h"

static void lru_add(struct fair_rq *rq, struct fair_task *task)
{
	task->lru_prev = NULL;
	task->lru_next = rq->lru_first;
	if (rq->lru_first)
		rq->lru_first->lru_prev = task;
	else
		rq->lru_last = task;
	rq->lru_first = task;
}

static void lru_remove(struct fair_rq *rq, struct fair_task *task)
{
	if (task->lru_prev)
		task->lru_prev->lru_next = task->lru_next;
	else
		rq->lru_first = task->lru_next;
	if (task->lru_next)
		task->lru_next->lru_prev = task->lru_prev;
	else
		rq->lru_last = task->lru_prev;
}

/* set_task_rq() */
static void move_to(struct fair_rq *rq, struct fair_task *task)
{
	task->cpu = rq->cpu;
	sched_entity_move(&task->se, task->group ? task->group : rq->root->group, rq->cpu);
}

static void fork_task(struct fair_rq *rq, struct fair_task *task, const struct fair_task *parent)
{
	struct sched_entity *se = &task->se;
	struct sched_cfs_rq *cfs_rq;

	move_to(rq, task);
	sched_entity_born(se);
	cfs_rq = parent && parent->se.cfs_rq->rq == &rq->load ? parent->se.cfs_rq : se->cfs_rq;
	if (cfs_rq->curr) {
		cfs_update_curr(cfs_rq);
		se->vruntime = cfs_rq->curr->vruntime;
	}
	cfs_place(cfs_rq, se, 1);
	se->vruntime -= cfs_rq->min_vruntime;
}

/* A group that had and has other tasks: only its weight changes. */
static void update_parent(struct sched_entity *se)
{
	struct sched_cfs_rq *cfs_rq = se->cfs_rq;

	sched_load_update(cfs_rq, se, SCHED_UPDATE_TG);
	if (cfs_rq->curr == se)
		cfs_update_curr(cfs_rq);	/* up to now at its old weight */
	sched_load_reshare(se);
}

static void publish(struct fair_rq *rq)
{
	rq->nr_running = rq->root->h_nr_running;
	rq->nr_idle = rq->root->idle_h_nr_running;
}

static void enqueue(struct fair_rq *rq, struct fair_task *task, uint32_t flags)
{
	struct sched_entity *se = &task->se;
	uint32_t idle = se->idle_policy;

	if (se->cfs_rq->rq != &rq->load)
		move_to(rq, task);
	task->cpu = rq->cpu;
	if (flags & FAIR_NEW) {
		sched_load_guess(se);
		if (!rq->load.rules->with_queue)
			sched_load_attach(se);
	}
	sched_est_enqueue(&rq->load, se);
	for (; se; se = se->parent) {
		struct sched_cfs_rq *cfs_rq = se->cfs_rq;

		if (se->on_rq) {
			update_parent(se);
		} else {
			cfs_enqueue_entity(cfs_rq, se, flags);
			flags = FAIR_WAKEUP;
		}
		cfs_rq->h_nr_running++;
		cfs_rq->idle_h_nr_running += idle;
		idle |= cfs_rq->idle;
	}
	lru_add(rq, task);
	task->on_rq = 1;
	publish(rq);
}

/* set_next_buddy(), set_last_buddy(): up to a level that is idle. */
static void set_next_buddy(struct sched_entity *se)
{
	for (; se && se->on_rq && !sched_entity_idle(se); se = se->parent)
		se->cfs_rq->next = se;
}

static void set_last_buddy(struct sched_entity *se)
{
	for (; se && se->on_rq && !sched_entity_idle(se); se = se->parent)
		se->cfs_rq->last = se;
}

static void dequeue(struct fair_rq *rq, struct fair_task *task, uint32_t flags)
{
	struct sched_entity *se = &task->se;
	uint32_t idle = se->idle_policy, sleeps = flags & FAIR_SLEEP, leaves = 1;

	sched_est_dequeue(&rq->load, se);
	for (; se; se = se->parent) {
		struct sched_cfs_rq *cfs_rq = se->cfs_rq;

		if (leaves)
			cfs_dequeue_entity(cfs_rq, se, flags);
		else
			update_parent(se);
		cfs_rq->h_nr_running--;
		cfs_rq->idle_h_nr_running -= idle;
		idle |= cfs_rq->idle;
		/* Its group goes on: who is in it with the sleeper shall use the slice up. */
		if (leaves && cfs_rq->weight) {
			leaves = 0;
			if (sleeps)
				set_next_buddy(se->parent);
		}
		flags |= FAIR_SLEEP;
	}
	if (sleeps)
		sched_est_update(&rq->load, &task->se);
	lru_remove(rq, task);
	task->on_rq = 0;
	publish(rq);
}

/* The choice of pick_next_task_fair() while a fair task is current. */
static struct sched_entity *choose(struct fair_rq *rq)
{
	struct sched_cfs_rq *cfs_rq = rq->root;
	struct sched_entity *se;

	do {
		struct sched_entity *curr = cfs_rq->curr;

		if (curr && curr->on_rq)
			cfs_update_curr(cfs_rq);
		else
			curr = NULL;
		se = cfs_pick_entity(cfs_rq, curr);
		cfs_rq = se->my_q;
	} while (cfs_rq);
	return se;
}

/* Exchanges current entities up to the queue that both tasks are in, no further. */
static void exchange(struct sched_entity *prev, struct sched_entity *se)
{
	while (se->cfs_rq != prev->cfs_rq) {
		uint32_t se_depth = se->depth, prev_depth = prev->depth;

		if (se_depth <= prev_depth) {
			cfs_put_prev(prev->cfs_rq, prev);
			prev = prev->parent;
		}
		if (se_depth >= prev_depth) {
			cfs_set_next(se->cfs_rq, se);
			se = se->parent;
		}
	}
	cfs_put_prev(prev->cfs_rq, prev);
	cfs_set_next(se->cfs_rq, se);
}

static struct fair_task *pick(struct fair_rq *rq)
{
	struct sched_cfs_rq *cfs_rq = rq->root;
	struct sched_entity *se;
	struct fair_task *task;

	if (!cfs_rq->nr_running)
		return NULL;
	if (rq->curr) {
		se = choose(rq);
		if (se != &rq->curr->se)
			exchange(&rq->curr->se, se);
	} else {
		do {
			se = cfs_pick_entity(cfs_rq, NULL);
			cfs_set_next(cfs_rq, se);
			cfs_rq = se->my_q;
		} while (cfs_rq);
	}
	task = cfs_task_of(se);
	if (rq->lru_first != task) {
		lru_remove(rq, task);
		lru_add(rq, task);
	}
	rq->curr = task;
	rq->resched = 0;
	return task;
}

static void put(struct fair_rq *rq)
{
	if (rq->curr)
		for (struct sched_entity *se = &rq->curr->se; se; se = se->parent)
			cfs_put_prev(se->cfs_rq, se);
	rq->curr = NULL;
	rq->resched = 0;
}

/* check_preempt_tick() */
static void tick_preempt(struct fair_rq *rq, struct sched_cfs_rq *cfs_rq, struct sched_entity *curr)
{
	uint64_t ideal = cfs_slice(cfs_rq, curr);
	uint64_t ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;
	int64_t ahead;

	if (rq->params->slice_limit && ideal > rq->params->latency)
		ideal = rq->params->latency;
	if (ran > ideal) {
		rq->resched = 1;
		cfs_clear_buddies(cfs_rq, curr);	/* it isn't elected again as a favour */
		return;
	}
	if (ran < rq->params->min_granularity)
		return;
	ahead = (int64_t)(curr->vruntime - cfs_rq->leftmost->vruntime);
	if (ahead > (int64_t)ideal)
		rq->resched = 1;
}

static void tick(struct fair_rq *rq)
{
	if (!rq->curr)
		return;
	for (struct sched_entity *se = &rq->curr->se; se; se = se->parent) {
		struct sched_cfs_rq *cfs_rq = se->cfs_rq;

		cfs_update_curr(cfs_rq);
		sched_load_update(cfs_rq, se, SCHED_UPDATE_TG);
		sched_load_reshare(se);
		if (cfs_rq->nr_running > 1)
			tick_preempt(rq, cfs_rq, se);
	}
}

/* find_matching_se(): the ancestors that are on one queue. */
static void find_matching(struct sched_entity **a, struct sched_entity **b)
{
	while ((*a)->depth > (*b)->depth)
		*a = (*a)->parent;
	while ((*b)->depth > (*a)->depth)
		*b = (*b)->parent;
	while ((*a)->cfs_rq != (*b)->cfs_rq) {
		*a = (*a)->parent;
		*b = (*b)->parent;
	}
}

/* The comparison of check_preempt_wakeup(); *se becomes curr's entity on the common queue. */
static int preempts(struct fair_rq *rq, struct sched_entity **se, struct fair_task *task)
{
	struct sched_entity *wakee = &task->se;

	if (rq->curr->policy == FAIR_IDLE && task->policy != FAIR_IDLE)
		return 1;
	if (task->policy != FAIR_NORMAL || !rq->params->wakeup_preemption)
		return 0;
	find_matching(se, &wakee);
	if (sched_entity_idle(*se) != sched_entity_idle(wakee))
		return (int)sched_entity_idle(*se);
	cfs_update_curr((*se)->cfs_rq);
	if (cfs_preempts(*se, wakee) != 1)
		return 0;
	set_next_buddy(wakee);
	return 1;
}

static void wakeup_preempt(struct fair_rq *rq, struct fair_task *task)
{
	struct sched_entity *se;
	uint32_t many;

	if (!rq->curr) {
		rq->resched = 1;
		return;
	}
	if (rq->curr == task || rq->resched)
		return;
	se = &rq->curr->se;
	many = se->cfs_rq->nr_running >= rq->params->nr_latency;
	if (!preempts(rq, &se, task))
		return;
	rq->resched = 1;
	if (se->on_rq && many && !se->my_q)
		set_last_buddy(se);
}

static void yield(struct fair_rq *rq)
{
	struct sched_entity *se = &rq->curr->se;

	if (rq->nr_running == 1)
		return;
	cfs_clear_buddies(se->cfs_rq, se);
	if (rq->curr->policy != FAIR_BATCH)
		cfs_update_curr(se->cfs_rq);
	for (; se; se = se->parent)
		se->cfs_rq->skip = se;
}

static void update(struct fair_rq *rq)
{
	if (rq->curr)
		cfs_update_curr(rq->curr->se.cfs_rq);
}

static void leave(struct fair_rq *rq, struct fair_task *task, uint32_t waking)
{
	struct sched_entity *se = &task->se;

	if (waking) {
		se->vruntime -= se->cfs_rq->min_vruntime;
		sched_load_remove(se);
	} else if (!rq->load.rules->with_queue) {
		sched_load_detach(se);
	}
	se->avg.last_update_time = 0;
}

const struct fair_ops fair_cfs = {
	.fork = fork_task,
	.enqueue = enqueue,
	.dequeue = dequeue,
	.pick = pick,
	.put = put,
	.tick = tick,
	.wakeup_preempt = wakeup_preempt,
	.yield = yield,
	.update = update,
	.leave = leave,
};
