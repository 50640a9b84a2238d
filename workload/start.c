// SPDX-License-Identifier: GPL-2.0-only
/*
 * How tasks come to run: some at time 0, each other one by one fork. A load that has no
 * task main gets one, which forks in the file's order what nobody else forks, and exits.
 */
#include "workload/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct work_symbol *symbol_of(const struct work_compile *c, uint32_t task)
{
	for (uint32_t i = 0; i < c->nr_symbols; i++)
		if (c->symbols[i].kind == SYMBOL_TASK && task - c->symbols[i].first <
							 c->symbols[i].nr)
			return &c->symbols[i];
	return &c->symbols[0];
}

static int fail_task(struct work_compile *c, uint32_t task, const char *why)
{
	const struct work_symbol *s = symbol_of(c, task);

	return work_fail(c, -EINVAL, s->token, "%s %s", c->w->tasks[task].name, why);
}

/* Marks what the op forks as started; each only once. */
static int start(struct work_compile *c, const struct work_op *op, uint8_t *started)
{
	for (uint32_t t = op->a; t < op->a + op->b; t++) {
		if (c->w->tasks[t].starts)
			return fail_task(c, t, "starts by itself and is forked");
		if (started[t]++)
			return fail_task(c, t, "is forked twice");
	}
	return 0;
}

static int count_forks(struct work_compile *c, uint8_t *started)
{
	int rc = 0;

	for (uint32_t t = 0; t < c->w->nr_tasks; t++) {
		const struct work_program *p = &c->w->programs[c->w->tasks[t].program];

		if (!c->forks[c->w->tasks[t].program])
			continue;
		for (uint32_t i = 0; i < p->nr && !rc; i++)
			if (c->w->ops[p->first + i].kind == WORK_FORK)
				rc = start(c, &c->w->ops[p->first + i], started);
		if (rc)
			return rc;
	}
	return 0;
}

static int make_main(struct work_compile *c, const uint8_t *started)
{
	struct work_task *main = &c->w->tasks[c->w->nr_tasks];
	uint32_t first = c->w->nr_ops, t = 0;
	int rc = 0;

	c->body.endless = 0;
	while (t < c->w->nr_tasks && !rc) {
		uint32_t begin = t;

		while (t < c->w->nr_tasks && !started[t] && !c->w->tasks[t].starts)
			t++;
		if (t > begin)
			rc = work_emit(c, (struct work_op){ .kind = WORK_FORK, .a = begin,
							    .b = t - begin,
							    .dist = WORK_NONE });
		else
			t++;
	}
	if (rc || c->w->nr_ops == first)
		return rc;
	*main = (struct work_task){ .name = "main", .mask = WORK_NONE, .starts = 1 };
	rc = work_emit(c, (struct work_op){ .kind = WORK_EXIT, .dist = WORK_NONE });
	rc = rc ? rc : work_program_end(c, first, &main->program);
	rc = rc ? rc : work_process(c, WORD_main, 1u << 31, &main->process);
	c->w->nr_tasks++;
	c->forks[main->program] = 1;
	return rc;
}

/* Puts who starts into queue, and behind them whom they fork; returns how many. */
static uint32_t reach(const struct work_compile *c, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t t = 0; t < c->w->nr_tasks; t++)
		if (c->w->tasks[t].starts)
			queue[tail++] = t;
	for (; head < tail; head++) {
		const struct work_task *task = &c->w->tasks[queue[head]];
		const struct work_program *p = &c->w->programs[task->program];

		if (!c->forks[task->program])
			continue;
		for (uint32_t i = p->first; i < p->first + p->nr; i++)
			for (uint32_t k = 0; c->w->ops[i].kind == WORK_FORK && k < c->w->ops[i].b;
			     k++)
				queue[tail++] = c->w->ops[i].a + k;
	}
	return tail;
}

static int check_reach(struct work_compile *c, uint32_t *queue)
{
	uint32_t nr = reach(c, queue), t = 0;

	if (nr == c->w->nr_tasks)
		return 0;
	memset(c->started, 0, c->w->nr_tasks);
	while (nr)
		c->started[queue[--nr]] = 1;
	while (c->started[t])
		t++;
	return fail_task(c, t, "is never started");
}

/* Which programs have a fork. */
static int note_forks(struct work_compile *c)
{
	c->forks = calloc(c->w->nr_programs + 1, 1);
	if (!c->forks)
		return work_nomem(c);
	for (uint32_t p = 0; p < c->w->nr_programs; p++)
		for (uint32_t i = 0; i < c->w->programs[p].nr; i++)
			c->forks[p] |= c->w->ops[c->w->programs[p].first + i].kind == WORK_FORK;
	return 0;
}

int work_starter(struct work_compile *c)
{
	uint32_t *queue;
	int rc = note_forks(c);

	if (rc)
		return rc;
	if (!c->w->nr_tasks)
		return work_fail(c, -EINVAL, c->pos, "the load has no task");
	c->started = calloc(c->w->nr_tasks + 2, 1);
	queue = calloc(c->w->nr_tasks + 1, sizeof(*queue));
	rc = c->started && queue ? 0 : work_nomem(c);
	rc = rc ? rc : count_forks(c, c->started);
	if (!rc && c->main == WORK_NONE)
		rc = make_main(c, c->started);
	rc = rc ? rc : check_reach(c, queue);
	free(queue);
	return rc;
}
