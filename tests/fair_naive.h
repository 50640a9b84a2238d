/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CFS a second time, as plainly as it can be written: entities in one array, the
 * leftmost found by looking at all of them, buddies as flags. It knows weights and who is
 * in which group from the run queue that it mirrors, nothing else.
 */
#ifndef TESTS_FAIR_NAIVE_H
#define TESTS_FAIR_NAIVE_H

#include "sim/fair.h"

#define NAIVE_MAX	64

struct naive_entity {
	struct sched_entity *se;	/* whose twin it is */
	int parent;			/* index, -1: on the root queue */
	int group;			/* 1: a group */
	uint64_t vruntime, exec_start, ran, ran_before;
	uint64_t weight, arrival;	/* arrival: when it was last put in the tree */
	int on_rq, curr;		/* curr: current on its queue */
	int next, last, skip;
};

struct naive {
	const struct fair_params *params;
	const struct fair_rq *rq;
	int nr;
	struct naive_entity e[NAIVE_MAX];
	uint64_t min[NAIVE_MAX + 1];	/* min_vruntime of the queue of group i; [nr] root */
	uint64_t arrivals;
	int running;			/* the current task, -1: none */
	uint32_t resched;
};

void naive_start(struct naive *n, const struct fair_rq *rq);
/* A group's entity or a task below a group (-1: the root); its index. */
int naive_add(struct naive *n, struct sched_entity *se, int parent);

/* The operations of struct fair_ops, after they were done on the run queue. */
void naive_fork(struct naive *n, int task);
void naive_enqueue(struct naive *n, int task, uint32_t flags);
void naive_dequeue(struct naive *n, int task, uint32_t flags);
int naive_pick(struct naive *n);
void naive_put(struct naive *n);
void naive_preempt(struct naive *n, int task);
void naive_yield(struct naive *n);
/* groups: slices depend on weights that change meanwhile, so resched is taken over. */
void naive_tick(struct naive *n, int groups);

/* NULL, or in what the run queue differs. */
const char *naive_compare(struct naive *n);

#endif
