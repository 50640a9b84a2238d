/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine for loads, and what each load that compiles has to keep. */
#ifndef TESTS_WORKLOAD_TEST_H
#define TESTS_WORKLOAD_TEST_H

#include <stdlib.h>
#include <string.h>
#include "workload/workload.h"

/* CPUs 0-3 and 8-11, on nodes 0 and 2 */
static const uint16_t test_cpus[] = { 0, 1, 2, 3, 8, 9, 10, 11 };
static const uint16_t test_nodes[] = { 0, 0, 0, 0, 2, 2, 2, 2 };
static const struct work_machine test_machine = { 8, test_cpus, test_nodes };

#define MUST(condition)                \
	do {                           \
		if (!(condition))      \
			return #condition; \
	} while (0)

/* The table that an operation's a is an index of. */
static inline uint32_t table_size(const struct workload *w, const struct work_op *op)
{
	switch (op->kind) {
	case WORK_SEND:
	case WORK_RECV:
		return w->nr_channels;
	case WORK_LOCK:
	case WORK_UNLOCK:
		return w->nr_locks;
	case WORK_POST:
	case WORK_WAIT:
	case WORK_CLEAR:
		return w->nr_semaphores;
	case WORK_PARK:
	case WORK_RELEASE:
		return w->nr_lists;
	case WORK_BARRIER:
		return w->nr_barriers;
	case WORK_RAISE:
	case WORK_AWAIT:
		return w->nr_flags;
	case WORK_LOOP:
	case WORK_NEXT:
	case WORK_MARK:
		return WORK_LOOPS_MAX;
	case WORK_COUNT:
	case WORK_START:
	case WORK_SAMPLE:
	case WORK_SAMPLE_WAKE:
		return w->nr_metrics;
	case WORK_RUN:
		return 101;
	case WORK_FORK:
		return w->nr_tasks;
	default:
		return 1;
	}
}

static inline const char *check_op(const struct workload *w, const struct work_program *p,
				   const struct work_op *op)
{
	MUST(op->kind < WORK_NR_OPS && !op->pad);
	MUST(op->a < table_size(w, op) || op->kind == WORK_PIN);
	MUST(op->dist == WORK_NONE || (op->dist < w->nr_dists && !op->value));
	MUST(op->dist == WORK_NONE || op->dist + w->dists[op->dist].parts < w->nr_dists);
	if (op->kind == WORK_PIN)
		MUST(op->a == WORK_NONE || op->a < w->nr_masks);
	if (op->kind == WORK_FORK)
		MUST(op->b && op->b <= w->nr_tasks - op->a);
	if (op->kind == WORK_NEXT) {
		MUST(op->b && op->b < p->nr);
		MUST(w->ops[p->first + op->b - 1].kind == WORK_LOOP);
		MUST(w->ops[p->first + op->b - 1].a == op->a);
	}
	if (op->kind == WORK_LOCK && op->b)
		MUST(op->a + test_cpus[7] < w->nr_locks);
	if (op->kind == WORK_PARK)
		MUST(op->b == WORK_NONE || op->b < w->nr_semaphores);
	if (op->kind == WORK_SEND && op->dist == WORK_NONE)
		MUST(op->value && op->value <= WORK_MESSAGE_MAX);
	if ((op->kind == WORK_SEND || op->kind == WORK_LOOP) && op->dist != WORK_NONE)
		MUST(work_dist_least(&w->dists[op->dist]));
	if (op->kind <= WORK_EVERY)
		MUST(op->value <= WORK_TIME_MAX);
	return NULL;
}

static inline const char *check_program(const struct workload *w, const struct work_program *p)
{
	const struct work_op *last = &w->ops[p->first + p->nr - 1];
	const char *wrong = NULL;
	int depth = 0;

	MUST(p->nr && p->nr <= w->nr_ops && p->first <= w->nr_ops - p->nr);
	for (uint32_t i = 0; i < p->nr && !wrong; i++) {
		const struct work_op *op = &w->ops[p->first + i];

		wrong = check_op(w, p, op);
		MUST(op->kind != WORK_LOOP || op->a == (uint32_t)depth++);
		MUST(op->kind != WORK_NEXT || op->a == (uint32_t)--depth);
		MUST(op->kind != WORK_EXIT || op == last);
	}
	if (wrong)
		return wrong;
	MUST(!depth);
	MUST(last->kind == WORK_EXIT || last->kind == WORK_NEXT);
	if (last->kind == WORK_NEXT) {
		const struct work_op *loop = &w->ops[p->first + last->b - 1];

		MUST(!loop->value && loop->dist == WORK_NONE);
	}
	return NULL;
}

/* Each task runs at the start or is forked by one operation of one task. */
static inline const char *check_starts(const struct workload *w)
{
	uint8_t *started = calloc(w->nr_tasks, 1);
	int bad = 0;

	for (uint32_t t = 0; t < w->nr_tasks; t++) {
		const struct work_program *p = &w->programs[w->tasks[t].program];

		started[t] += w->tasks[t].starts;
		for (uint32_t i = p->first; i < p->first + p->nr; i++)
			for (uint32_t k = 0; w->ops[i].kind == WORK_FORK && k < w->ops[i].b; k++)
				started[w->ops[i].a + k]++;
	}
	for (uint32_t t = 0; t < w->nr_tasks; t++)
		bad |= started[t] != 1;
	free(started);
	return bad ? "each task starts once" : NULL;
}

static inline const char *check_objects(const struct workload *w)
{
	for (uint32_t i = 0; i < w->nr_channels; i++)
		MUST(w->channels[i].messages && w->channels[i].capacity);
	for (uint32_t i = 0; i < w->nr_semaphores; i++)
		MUST(w->semaphores[i].max && w->semaphores[i].count <= w->semaphores[i].max);
	for (uint32_t i = 0; i < w->nr_barriers; i++)
		MUST(w->barriers[i].nr);
	MUST(w->nr_groups && w->groups[0].shares == 1024 && !w->groups[0].parent);
	for (uint32_t i = 1; i < w->nr_groups; i++)
		MUST(w->groups[i].parent < i && w->groups[i].shares >= 2);
	for (uint32_t i = 0; i < w->nr_masks; i++) {
		MUST(w->masks[i].nr);
		for (uint32_t k = 1; k < w->masks[i].nr; k++)
			MUST(w->masks[i].cpus[k - 1] < w->masks[i].cpus[k]);
	}
	for (uint32_t i = 0; i < w->nr_metrics; i++) {
		MUST(w->metrics[i].numerator && w->metrics[i].denominator);
		MUST(memchr(w->metrics[i].name, 0, sizeof(w->metrics[i].name)));
		MUST(memchr(w->metrics[i].unit, 0, sizeof(w->metrics[i].unit)));
		if (w->metrics[i].kind == WORK_LATENCY) {
			MUST(w->metrics[i].bucket && w->metrics[i].bits);
			MUST(w->metrics[i].star < w->metrics[i].nr_percentiles ||
			     w->metrics[i].mean);
		}
	}
	return NULL;
}

/* What is wrong with a load, or NULL. */
static inline const char *check_workload(const struct workload *w)
{
	const char *wrong = check_objects(w);

	MUST(w->name && w->about && w->nr_tasks && w->nr_tasks <= WORK_TASKS_MAX);
	MUST(w->time && w->nr_ops <= WORK_OPS_MAX);
	for (uint32_t i = 0; i < w->nr_programs && !wrong; i++)
		wrong = check_program(w, &w->programs[i]);
	for (uint32_t i = 0; i < w->nr_tasks && !wrong; i++) {
		MUST(w->tasks[i].program < w->nr_programs);
		MUST(w->tasks[i].process < w->nr_processes);
		MUST(w->tasks[i].group < w->nr_groups);
		MUST(w->tasks[i].mask == WORK_NONE || w->tasks[i].mask < w->nr_masks);
		MUST(w->tasks[i].nice >= -20 && w->tasks[i].nice <= 19);
		MUST(w->tasks[i].policy <= WORK_IDLE);
		MUST(memchr(w->tasks[i].name, 0, sizeof(w->tasks[i].name)));
	}
	return wrong ? wrong : check_starts(w);
}

static inline int compile_with(const char *text, const char *parameters, struct workload **w,
			       struct work_error *err)
{
	return workload_load_text("x", text, strlen(text), parameters, &test_machine, w, err);
}

#endif
