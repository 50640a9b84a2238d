// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "tests/fair_naive.h"

#define ROOT	NAIVE_MAX

void naive_start(struct naive *n, const struct fair_rq *rq)
{
	memset(n, 0, sizeof(*n));
	n->params = rq->params;
	n->rq = rq;
	n->running = -1;
	for (int i = 0; i <= NAIVE_MAX; i++)
		n->min[i] = (uint64_t)-(1ll << 20);
}

int naive_add(struct naive *n, struct sched_entity *se, int parent)
{
	struct naive_entity *e = &n->e[n->nr];

	memset(e, 0, sizeof(*e));
	e->se = se;
	e->parent = parent;
	e->group = se->my_q != NULL;
	e->weight = se->weight;
	return n->nr++;
}

static uint64_t *min_of(struct naive *n, int i)
{
	return &n->min[n->e[i].parent < 0 ? ROOT : n->e[i].parent];
}

/* The current entity of a queue (by its group), -1: none. */
static int current(const struct naive *n, int queue)
{
	for (int i = 0; i < n->nr; i++)
		if (n->e[i].parent == queue && n->e[i].curr)
			return i;
	return -1;
}

static int earlier(const struct naive *n, int a, int b)
{
	int64_t d = (int64_t)(n->e[a].vruntime - n->e[b].vruntime);

	return d < 0 || (d == 0 && n->e[a].arrival < n->e[b].arrival);
}

/* The earliest queued entity of a queue that is not current, nor but; -1: none. */
static int leftmost(const struct naive *n, int queue, int but)
{
	int best = -1;

	for (int i = 0; i < n->nr; i++)
		if (n->e[i].parent == queue && n->e[i].on_rq && !n->e[i].curr && i != but &&
		    (best < 0 || earlier(n, i, best)))
			best = i;
	return best;
}

static int count(const struct naive *n, int queue)
{
	int nr = 0;

	for (int i = 0; i < n->nr; i++)
		nr += n->e[i].parent == queue && n->e[i].on_rq;
	return nr;
}

static int tasks(const struct naive *n)
{
	int nr = 0;

	for (int i = 0; i < n->nr; i++)
		nr += !n->e[i].group && n->e[i].on_rq;
	return nr;
}

/* Time by weight; the kernel's rounding, with its table for tasks, is tested elsewhere. */
static uint64_t fair(const struct naive *n, uint64_t delta, int i)
{
	uint64_t weight = n->e[i].weight;
	uint32_t inverse = 0;

	if (weight == SCHED_NICE_0_LOAD)
		return delta;
	for (int k = 0; k < SCHED_NR_NICE && !n->e[i].group; k++)
		if (sched_prio_to_weight[k] == weight >> SCHED_LOAD_SHIFT)
			inverse = sched_prio_to_wmult[k];
	return sched_calc_delta(&n->params->load, delta, SCHED_NICE_0_LOAD, weight, &inverse);
}

static void advance_min(struct naive *n, int queue)
{
	uint64_t *min = &n->min[queue < 0 ? ROOT : queue];
	int64_t best = INT64_MAX;

	for (int i = 0; i < n->nr; i++)
		if (n->e[i].parent == queue && n->e[i].on_rq &&
		    (int64_t)(n->e[i].vruntime - *min) < best)
			best = (int64_t)(n->e[i].vruntime - *min);
	if (best != INT64_MAX && best > 0)
		*min += (uint64_t)best;
}

static void account(struct naive *n, int queue)
{
	uint64_t now = n->rq->load.clock_task;
	int i = current(n, queue);

	if (i < 0 || (int64_t)(now - n->e[i].exec_start) <= 0)
		return;
	n->e[i].vruntime += fair(n, now - n->e[i].exec_start, i);
	n->e[i].ran += now - n->e[i].exec_start;
	n->e[i].exec_start = now;
	advance_min(n, queue);
}

/* After an operation groups may weigh something else. */
static void reweigh(struct naive *n)
{
	for (int i = 0; i < n->nr; i++)
		n->e[i].weight = n->e[i].se->weight;
}

static uint64_t slice(const struct naive *n, int task)
{
	const struct fair_params *p = n->params;
	uint64_t slice, nr;

	nr = (uint64_t)(p->alt_period ? tasks(n) : count(n, n->e[task].parent)) +
	     !n->e[task].on_rq;
	slice = nr > p->nr_latency ? nr * p->min_granularity : p->latency;
	for (int i = task; i >= 0; i = n->e[i].parent) {
		uint64_t all = n->e[i].on_rq ? 0 : n->e[i].weight;
		uint32_t inverse = 0;

		for (int k = 0; k < n->nr; k++)
			if (n->e[k].parent == n->e[i].parent && n->e[k].on_rq)
				all += n->e[k].weight;
		slice = sched_calc_delta(&p->load, slice, n->e[i].weight, all, &inverse);
	}
	return p->base_slice && slice < p->min_granularity ? p->min_granularity : slice;
}

void naive_fork(struct naive *n, int task)
{
	struct naive_entity *e = &n->e[task];
	int curr = current(n, e->parent);
	uint64_t place;

	reweigh(n);
	account(n, e->parent);
	if (curr >= 0)
		e->vruntime = n->e[curr].vruntime;
	place = *min_of(n, task) + fair(n, slice(n, task), task);
	if ((int64_t)(place - e->vruntime) > 0)
		e->vruntime = place;
	e->vruntime -= *min_of(n, task);
}

static void join(struct naive *n, int i, uint32_t flags)
{
	struct naive_entity *e = &n->e[i];

	account(n, e->parent);
	if (!(flags & FAIR_WAKEUP) || flags & FAIR_MIGRATED)
		e->vruntime += *min_of(n, i);
	if (flags & FAIR_WAKEUP) {
		uint64_t place = *min_of(n, i) - n->params->latency / 2;

		if ((int64_t)(place - e->vruntime) > 0)
			e->vruntime = place;
	}
	if (flags & FAIR_MIGRATED)
		e->exec_start = 0;
	e->on_rq = 1;
	e->arrival = ++n->arrivals;
}

void naive_enqueue(struct naive *n, int task, uint32_t flags)
{
	for (int i = task; i >= 0; i = n->e[i].parent, flags = FAIR_WAKEUP) {
		if (!n->e[i].on_rq)
			join(n, i, flags);
		else if (n->e[i].curr && n->e[i].group)
			account(n, n->e[i].parent);
	}
	reweigh(n);
}

/* clear_buddies(): upwards as long as it is the buddy. */
#define FORGET(n, which, i) do { \
	for (int up_ = (i); up_ >= 0 && (n)->e[up_].which; up_ = (n)->e[up_].parent) \
		(n)->e[up_].which = 0; \
} while (0)

static void forget(struct naive *n, int i)
{
	FORGET(n, last, i);
	FORGET(n, next, i);
	FORGET(n, skip, i);
}

/* The one buddy of this kind of its queue, and of those above. */
#define FAVOUR(n, which, i) do { \
	for (int up_ = (i); up_ >= 0 && (n)->e[up_].on_rq; up_ = (n)->e[up_].parent) { \
		for (int k_ = 0; k_ < (n)->nr; k_++) \
			if ((n)->e[k_].parent == (n)->e[up_].parent) \
				(n)->e[k_].which = 0; \
		(n)->e[up_].which = 1; \
	} \
} while (0)

void naive_dequeue(struct naive *n, int task, uint32_t flags)
{
	int sleeps = flags & FAIR_SLEEP, leaves = 1;

	for (int i = task; i >= 0; i = n->e[i].parent, flags |= FAIR_SLEEP) {
		if (leaves || n->e[i].curr)
			account(n, n->e[i].parent);
		if (!leaves)
			continue;
		forget(n, i);
		n->e[i].on_rq = 0;
		if (!(flags & FAIR_SLEEP))
			n->e[i].vruntime -= *min_of(n, i);
		advance_min(n, n->e[i].parent);
		leaves = !count(n, n->e[i].parent);
		if (!leaves && sleeps)
			FAVOUR(n, next, n->e[i].parent);
	}
	reweigh(n);
}

/* Is b less than its granularity behind a? */
static int fair_enough(const struct naive *n, int a, int b)
{
	int64_t behind = (int64_t)(n->e[a].vruntime - n->e[b].vruntime);

	return behind <= 0 || behind <= (int64_t)fair(n, n->params->wakeup_granularity, b);
}

static int buddy(const struct naive *n, int queue, int last)
{
	for (int i = 0; i < n->nr; i++)
		if (n->e[i].parent == queue && (last ? n->e[i].last : n->e[i].next))
			return i;
	return -1;
}

/* The earlier of the current entity (if it goes on) and the tree's; ties: the tree's. */
static int first(const struct naive *n, int queue, int curr, int but)
{
	int left = leftmost(n, queue, but);

	if (curr >= 0 && curr != but &&
	    (left < 0 || (int64_t)(n->e[curr].vruntime - n->e[left].vruntime) < 0))
		return curr;
	return left;
}

static int choose(struct naive *n, int queue)
{
	int curr = current(n, queue), left, best;

	if (curr >= 0 && n->e[curr].on_rq)
		account(n, queue);
	else
		curr = -1;
	left = best = first(n, queue, curr, -1);
	if (n->e[left].skip) {
		int second = first(n, queue, curr, left);

		if (second >= 0 && fair_enough(n, second, left))
			best = second;
	}
	if (buddy(n, queue, 0) >= 0 && fair_enough(n, buddy(n, queue, 0), left))
		best = buddy(n, queue, 0);
	else if (buddy(n, queue, 1) >= 0 && fair_enough(n, buddy(n, queue, 1), left))
		best = buddy(n, queue, 1);
	if (!n->params->set_clears_buddies)
		forget(n, best);
	return best;
}

static void stop(struct naive *n, int i)
{
	if (n->e[i].on_rq)
		account(n, n->e[i].parent);
	n->e[i].arrival = ++n->arrivals;
	n->e[i].curr = 0;
}

static void begin(struct naive *n, int i)
{
	if (n->params->set_clears_buddies)
		forget(n, i);
	n->e[i].curr = 1;
	n->e[i].exec_start = n->rq->load.clock_task;
	n->e[i].ran_before = n->e[i].ran;
}

/* Is a above b, or b itself? */
static int above(const struct naive *n, int a, int b)
{
	for (; b >= 0; b = n->e[b].parent)
		if (a == b)
			return 1;
	return 0;
}

int naive_pick(struct naive *n)
{
	int task = -1, queue = -1;

	reweigh(n);
	if (!tasks(n))
		return -1;
	do {
		task = choose(n, queue);
		queue = task;
	} while (n->e[task].group);
	for (int i = n->running; i >= 0; i = n->e[i].parent)
		if (!above(n, i, task))
			stop(n, i);
	for (int i = task; i >= 0; i = n->e[i].parent)
		if (!n->e[i].curr)
			begin(n, i);
	n->running = task;
	n->resched = 0;
	return task;
}

void naive_put(struct naive *n)
{
	for (int i = n->running; i >= 0; i = n->e[i].parent)
		stop(n, i);
	n->running = -1;
	n->resched = 0;
}

void naive_preempt(struct naive *n, int task)
{
	int a = n->running, b = task;
	int many;

	reweigh(n);
	if (a < 0)
		n->resched = 1;
	if (a == task || n->resched)
		return;
	many = count(n, n->e[a].parent) >= (int)n->params->nr_latency;
	/* up to where both are on one queue; groups here are one level deep */
	if (n->e[a].parent != n->e[b].parent) {
		a = n->e[a].parent >= 0 ? n->e[a].parent : a;
		b = n->e[b].parent >= 0 ? n->e[b].parent : b;
	}
	account(n, n->e[a].parent);
	if (fair_enough(n, a, b))
		return;
	FAVOUR(n, next, b);
	n->resched = 1;
	if (many && n->e[a].on_rq && !n->e[a].group)
		FAVOUR(n, last, a);
}

void naive_yield(struct naive *n)
{
	if (tasks(n) == 1)
		return;
	forget(n, n->running);
	account(n, n->e[n->running].parent);
	for (int i = n->running; i >= 0; i = n->e[i].parent) {
		for (int k = 0; k < n->nr; k++)
			if (n->e[k].parent == n->e[i].parent)
				n->e[k].skip = 0;
		n->e[i].skip = 1;
	}
}

static void judge(struct naive *n, int i)
{
	uint64_t ideal = slice(n, i), turn = n->e[i].ran - n->e[i].ran_before;
	int left = leftmost(n, n->e[i].parent, -1);

	if (n->params->slice_limit && ideal > n->params->latency)
		ideal = n->params->latency;
	if (turn > ideal) {
		n->resched = 1;
		forget(n, i);
	} else if (turn >= n->params->min_granularity &&
		   (int64_t)(n->e[i].vruntime - n->e[left].vruntime) > (int64_t)ideal) {
		n->resched = 1;
	}
}

/* With groups the verdict is taken over: a turn that ends forgets its favours. */
static void take_over(struct naive *n)
{
	n->resched = n->rq->resched;
	for (int i = n->running; i >= 0; i = n->e[i].parent) {
		const struct sched_cfs_rq *queue = n->e[i].se->cfs_rq;

		n->e[i].next = queue->next == n->e[i].se;
		n->e[i].last = queue->last == n->e[i].se;
		n->e[i].skip = queue->skip == n->e[i].se;
	}
}

void naive_tick(struct naive *n, int groups)
{
	for (int i = n->running; i >= 0; i = n->e[i].parent) {
		account(n, n->e[i].parent);
		if (!groups && count(n, n->e[i].parent) > 1)
			judge(n, i);
	}
	if (groups)
		take_over(n);
	reweigh(n);
}

static const char *compare_entity(struct naive *n, int i)
{
	const struct naive_entity *e = &n->e[i];
	const struct sched_cfs_rq *queue = e->se->cfs_rq;

	if (!queue || queue->rq != &n->rq->load)
		return NULL;
	if (e->vruntime != e->se->vruntime)
		return "vruntime";
	if (e->on_rq != e->se->on_rq)
		return "on_rq";
	if (e->curr != (queue->curr == e->se))
		return "curr";
	if (e->next != (queue->next == e->se) || e->last != (queue->last == e->se) ||
	    e->skip != (queue->skip == e->se))
		return "a buddy";
	if (e->ran != e->se->sum_exec_runtime)
		return "sum_exec_runtime";
	if (*min_of(n, i) != queue->min_vruntime)
		return "min_vruntime";
	return NULL;
}

const char *naive_compare(struct naive *n)
{
	const char *wrong = NULL;

	for (int i = 0; i < n->nr && !wrong; i++)
		wrong = compare_entity(n, i);
	if (!wrong && n->resched != n->rq->resched)
		wrong = "resched";
	return wrong;
}
