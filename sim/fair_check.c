// SPDX-License-Identifier: GPL-2.0-only
/* What has to hold on a run queue between two operations, whatever their order is. */
#include "sim/fair.h"

struct sums {
	uint64_t weight;
	uint32_t nr, tasks, idle, idle_tasks;
};

static void add(struct sums *sums, const struct sched_entity *se)
{
	const struct sched_cfs_rq *child = se->my_q;

	sums->weight += se->weight;
	sums->nr++;
	sums->tasks += child ? child->h_nr_running : 1;
	sums->idle += sched_entity_idle(se);
	if (child)
		sums->idle_tasks += child->idle ? child->h_nr_running : child->idle_h_nr_running;
	else
		sums->idle_tasks += se->idle_policy;
}

/* Counts the tree in order; NULL or what is wrong. */
static const char *walk(const struct sched_cfs_rq *cfs_rq, const struct sched_entity *se,
			const struct sched_entity **before, struct sums *sums)
{
	const char *wrong;

	if (!se)
		return NULL;
	wrong = walk(cfs_rq, RB_LEFT(se, node), before, sums);
	if (wrong)
		return wrong;
	if (se->cfs_rq != cfs_rq || !se->on_rq)
		return "an entity is in a tree that it is not queued on";
	if (se == cfs_rq->curr)
		return "the current entity is in the tree";
	if (!*before && se != cfs_rq->leftmost)
		return "the leftmost entity is another one";
	if (*before && (int64_t)(se->vruntime - (*before)->vruntime) < 0)
		return "the tree is not in the order of vruntime";
	*before = se;
	add(sums, se);
	return walk(cfs_rq, RB_RIGHT(se, node), before, sums);
}

static const char *check_queue(const struct sched_cfs_rq *cfs_rq)
{
	const struct sched_entity *before = NULL;
	struct sums sums = { 0 };
	const char *wrong = walk(cfs_rq, RB_ROOT(&cfs_rq->tasks), &before, &sums);

	if (wrong)
		return wrong;
	if (!before && cfs_rq->leftmost)
		return "there is a leftmost entity of an empty tree";
	if (cfs_rq->curr && cfs_rq->curr->on_rq)
		add(&sums, cfs_rq->curr);
	if (sums.nr != cfs_rq->nr_running)
		return "nr_running is not the number of entities";
	if (sums.weight != cfs_rq->weight)
		return "a queue's weight is not the sum of its entities'";
	if (sums.tasks != cfs_rq->h_nr_running)
		return "h_nr_running is not the number of tasks";
	if (sums.idle != cfs_rq->idle_nr_running || sums.idle_tasks != cfs_rq->idle_h_nr_running)
		return "the idle entities or tasks are miscounted";
	if (cfs_rq->se && cfs_rq->se->on_rq != (cfs_rq->nr_running > 0))
		return "a group is queued without tasks, or not with them";
	if ((cfs_rq->next && !cfs_rq->next->on_rq) || (cfs_rq->last && !cfs_rq->last->on_rq))
		return "a buddy is not queued";
	return NULL;
}

static const char *check_lru(const struct fair_rq *rq)
{
	const struct fair_task *before = NULL;
	uint32_t nr = 0;

	for (const struct fair_task *task = rq->lru_first; task; task = task->lru_next) {
		if (task->lru_prev != before)
			return "the list of tasks is not linked both ways";
		if (!task->on_rq || !task->se.on_rq || task->cpu != rq->cpu ||
		    task->se.cfs_rq->rq != &rq->load)
			return "a task is listed that is not queued here";
		before = task;
		nr++;
	}
	if (before != rq->lru_last)
		return "the list of tasks ends elsewhere";
	return nr == rq->nr_running ? NULL : "nr_running is not the length of the list";
}

const char *fair_check(const struct fair_rq *rq)
{
	const char *wrong = check_lru(rq);

	if (wrong)
		return wrong;
	if (rq->nr_running != rq->root->h_nr_running || rq->nr_idle != rq->root->idle_h_nr_running)
		return "a run queue's counts are not its root's";
	if (rq->nr_running && !rq->root->on_list)
		return "a queue with tasks is not a leaf";
	if (!rq->nr_running && (rq->root->weight || rq->root->leftmost))
		return "an empty run queue has weight or entities";
	for (const struct sched_cfs_rq *leaf = rq->load.first_leaf; leaf && !wrong;
	     leaf = leaf->leaf_next)
		wrong = check_queue(leaf);
	for (const struct sched_entity *se = rq->curr ? &rq->curr->se : NULL; se && !wrong;
	     se = se->parent)
		if (se->cfs_rq->curr != se)
			wrong = "the current task's way up is not current";
	return wrong;
}
