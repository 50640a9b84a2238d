// SPDX-License-Identifier: GPL-2.0-only
/* Tasks: their attributes, and a program for each instance. */
#include "workload/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int work_task_statement(struct work_compile *c)
{
	struct work_symbol *s;
	int rc = work_declare(c, SYMBOL_TASK, &s);

	if (rc)
		return rc;
	if (c->names[s->name].len > 15)
		return work_fail(c, -EINVAL, s->token, "a name of at most 15 characters");
	if (s->nr > WORK_TASKS_MAX - 1 - c->w->nr_tasks)	/* 1: a main that isn't written */
		return work_fail(c, -E2BIG, s->token, "more than %u tasks", WORK_TASKS_MAX - 1);
	if (s->name == WORD_main) {
		if (s->is_array)
			return work_fail(c, -EINVAL, s->token, "there is one main");
		c->main = (uint32_t)(s - c->symbols);
	}
	s->first = c->w->nr_tasks;
	c->w->nr_tasks += s->nr;
	s->attributes = c->pos;
	while (!work_is(c, '{') && !work_statement_ends(c))
		c->pos++;
	s->body = c->pos;
	rc = work_expect(c, '{', "{");
	if (!rc)
		c->pos = c->tokens[s->body].ref + 1;
	return rc;
}

/* in process NAME, in process NAME[EXPR], in group NAME */
static int parse_in(struct work_compile *c, struct work_task *task)
{
	struct work_value v = { VALUE_NUMBER, 0, WORK_NONE };
	uint32_t name, token;
	int rc;

	if (work_takes(c, WORD_group))
		return work_object(c, SYMBOL_GROUP, &task->group, NULL);
	if (!work_takes(c, WORD_process))
		return work_fail(c, -EINVAL, c->pos, "expected process or group, found %s",
				 work_found(c, c->pos));
	rc = work_expect_name(c, "the process' name", &name);
	if (rc)
		return rc;
	token = c->pos;
	if (work_is(c, '[')) {
		c->pos++;
		rc = work_expression(c, &v);
		rc = rc ? rc : work_expect(c, ']', "]");
	}
	if (!rc && (v.type != VALUE_NUMBER || v.n < 0 || v.n > INT32_MAX))
		rc = work_fail(c, -EINVAL, token, "a process' number is from 0 to %d", INT32_MAX);
	return rc ? rc : work_process(c, name, (uint32_t)v.n, &task->process);
}

static int parse_number(struct work_compile *c, struct work_task *task)
{
	static const uint16_t policies[] = { WORD_normal, WORD_batch, WORD_idle, 0 };
	unsigned policy = 0;
	int64_t n = 0;
	int rc;

	if (work_takes(c, WORD_nice)) {
		rc = work_count(c, "nice", -20, 19, &n);
		task->nice = (int8_t)n;
	} else if (work_takes(c, WORD_footprint)) {
		rc = work_count(c, "a footprint", 0, UINT32_MAX, &n);
		task->footprint = (uint32_t)n;
	} else if (work_takes(c, WORD_policy)) {
		rc = work_choice(c, "a policy", policies, &policy);
		task->policy = (uint8_t)policy;
	} else {
		rc = work_fail(c, -EINVAL, c->pos, "expected in process, in group, nice, policy, "
			       "pin, footprint, kthread, starts or {, found %s",
			       work_found(c, c->pos));
	}
	return rc;
}

static int attribute(struct work_compile *c, struct work_task *task)
{
	if (work_takes(c, WORD_in))
		return parse_in(c, task);
	if (work_takes(c, WORD_pin))
		return work_pin(c, &task->mask);
	if (work_takes(c, WORD_kthread)) {
		task->kthread = 1;
		return 0;
	}
	if (work_takes(c, WORD_starts)) {
		task->starts = 1;
		return 0;
	}
	return parse_number(c, task);
}

/* "name", or "name.12" of an array, whose name gives way. */
static void name_task(const struct work_compile *c, const struct work_symbol *s, uint32_t i,
		      char name[16])
{
	char number[12] = "";
	int len = (int)c->names[s->name].len, most;

	if (s->is_array)
		snprintf(number, sizeof(number), ".%u", i);
	most = 15 - (int)strlen(number);
	snprintf(name, 16, "%.*s%s", len < most ? len : most, c->names[s->name].text, number);
}

/* Each instance is a process of its own, kernel threads together are one, or as it says. */
static int finish_task(struct work_compile *c, const struct work_symbol *s, uint32_t i,
		       struct work_task *task)
{
	if (task->kthread && task->group)
		return work_fail(c, -EINVAL, s->token, "a kthread belongs to the root group");
	if (s->name == WORD_main)
		task->starts = 1;
	if (task->process != WORK_NONE)
		return 0;
	return task->kthread ? work_process(c, WORD_kthread, WORK_NONE, &task->process) :
			       work_process(c, s->name, i | 1u << 31, &task->process);
}

static int compile_instance(struct work_compile *c, const struct work_symbol *s, uint32_t i)
{
	struct work_task task = { .process = WORK_NONE, .mask = WORK_NONE };
	uint32_t first = c->w->nr_ops;
	int rc = 0;

	c->variables[c->self].value = (struct work_value){ VALUE_NUMBER, i, WORK_NONE };
	c->pos = s->attributes;
	while (!rc && !work_is(c, '{'))
		rc = attribute(c, &task);
	rc = rc ? rc : finish_task(c, s, i, &task);
	c->kthread = task.kthread;
	rc = rc ? rc : work_compile_body(c, s->body + 1, c->tokens[s->body].ref);
	rc = rc ? rc : work_program_end(c, first, &task.program);
	name_task(c, s, i, task.name);
	c->w->tasks[s->first + i] = task;
	return rc;
}

/* Does its text speak of $self? */
static int is_individual(const struct work_compile *c, const struct work_symbol *s)
{
	for (uint32_t t = s->attributes; t < c->tokens[s->body].ref; t++)
		if (c->tokens[t].kind == TOKEN_VARIABLE && c->tokens[t].ref == WORD_self)
			return 1;
	return 0;
}

/* All instances have the first one's attributes and program. */
static int copy_instances(struct work_compile *c, const struct work_symbol *s)
{
	const struct work_task *model = &c->w->tasks[s->first];
	int rc = 0;

	for (uint32_t i = 1; i < s->nr && !rc; i++) {
		struct work_task *task = &c->w->tasks[s->first + i];

		*task = *model;
		name_task(c, s, i, task->name);
		if (c->processes[model->process].element >> 31)
			task->process = WORK_NONE;
		rc = finish_task(c, s, i, task);
	}
	return rc;
}

int work_tasks(struct work_compile *c)
{
	int rc = 0;

	c->w->tasks = calloc(c->w->nr_tasks + 1, sizeof(*c->w->tasks));
	if (!c->w->tasks)
		return work_nomem(c);
	for (uint32_t i = 0; i < c->nr_symbols && !rc; i++) {
		struct work_symbol s = c->symbols[i];
		uint32_t nr = s.nr;

		if (s.kind != SYMBOL_TASK)
			continue;
		if (!is_individual(c, &s))
			nr = 1;
		c->variables[c->self].bound = 1;
		for (uint32_t k = 0; k < nr && !rc; k++)
			rc = compile_instance(c, &s, k);
		c->variables[c->self].bound = 0;
		if (!rc && nr < s.nr)
			rc = copy_instances(c, &s);
	}
	return rc;
}
