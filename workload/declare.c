// SPDX-License-Identifier: GPL-2.0-only
/* The file's outer statements, in order. Bodies of tasks wait until all names are known. */
#include "workload/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int load_statement(struct work_compile *c)
{
	const struct work_token *t;
	uint32_t name;
	int rc = work_expect_name(c, "the load's name", &name);

	if (rc)
		return rc;
	t = work_at(c);
	if (work_is(c, TOKEN_TEXT)) {
		c->w->about = strndup(c->text + t->at, t->len);
		c->pos++;
	} else {
		c->w->about = strdup("");
	}
	return c->w->about ? work_expect_end(c) : work_nomem(c);
}

static int time_statement(struct work_compile *c)
{
	int rc;

	if (c->timed)
		return work_fail(c, -EINVAL, c->pos, "a second time");
	c->timed = 1;
	rc = work_time(c, "the measured time", 1, &c->w->time);
	if (!rc && work_takes(c, WORD_warmup))
		rc = work_time(c, "the warm-up", 0, &c->w->warmup);
	return rc ? rc : work_expect_end(c);
}

static const struct {
	uint16_t word;
	enum work_symbol_kind kind;
} objects[] = {
	{ WORD_channel, SYMBOL_CHANNEL },     { WORD_lock, SYMBOL_LOCK },
	{ WORD_semaphore, SYMBOL_SEMAPHORE }, { WORD_list, SYMBOL_LIST },
	{ WORD_barrier, SYMBOL_BARRIER },     { WORD_flag, SYMBOL_FLAG },
	{ WORD_group, SYMBOL_GROUP },
};

static int declaration(struct work_compile *c)
{
	uint32_t token = c->pos;

	if (work_takes(c, WORD_param))
		return work_parameter(c);
	if (work_takes(c, WORD_let))
		return work_let(c);
	if (work_takes(c, WORD_time))
		return time_statement(c);
	if (work_takes(c, WORD_metric))
		return work_metric_statement(c);
	if (work_takes(c, WORD_task))
		return work_task_statement(c);
	for (unsigned i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (work_takes(c, objects[i].word))
			return work_object_statement(c, objects[i].kind);
	return work_fail(c, -EINVAL, token,
			 "expected param, let, time, channel, lock, semaphore, list, barrier, "
			 "flag, group, metric, task or if, found %s", work_found(c, token));
}

/* One statement. 1: the file's end. */
static int outer(struct work_compile *c)
{
	uint32_t end;
	int rc;

	work_skip_lines(c);
	rc = work_step(c, 1);
	if (rc || work_is(c, TOKEN_END))
		return rc ? rc : 1;
	if (work_is(c, '}')) {	/* of a branch that was taken: others' are skipped */
		c->pos++;
		return work_skip_else(c);
	}
	if (work_is_word(c, WORD_if))
		return work_branch(c, &end);
	rc = declaration(c);
	return rc ? rc : work_expect_end(c);
}

static int add_builtin(struct work_compile *c, uint32_t word, int64_t n)
{
	uint32_t v = work_variable_add(c, word);

	c->variables[v].bound = 1;
	c->variables[v].value = (struct work_value){ VALUE_NUMBER, n, WORK_NONE };
	return (int)v;
}

/* Variables of loops are known from the beginning, so that no name means two things. */
static int add_loop_variables(struct work_compile *c)
{
	for (uint32_t t = 0; t + 1 < c->nr_tokens; t++) {
		uint32_t name = c->tokens[t + 1].ref;

		if (c->tokens[t].kind != TOKEN_WORD || c->tokens[t].ref != WORD_for ||
		    c->tokens[t + 1].kind != TOKEN_WORD ||
		    c->names[name].variable != WORK_NONE)
			continue;
		if (memchr(c->names[name].text, '-', c->names[name].len))
			return work_fail(c, -EINVAL, t + 1, "%s: $a-b is a difference, use _",
					 work_found(c, t + 1));
		if (work_variable_add(c, name) == WORK_NONE)
			return work_fail(c, -E2BIG, t + 1, "more than %u variables",
					 WORK_VARIABLES_MAX);
	}
	return 0;
}

static int is_known(const struct work_name *name)
{
	return name->variable != WORK_NONE || name->declared;
}

/* Each $name has to be somewhere, in branches not taken too. */
static int check_variables(struct work_compile *c)
{
	for (uint32_t t = 0; t + 1 < c->nr_tokens; t++) {
		uint32_t word = c->tokens[t].ref;

		if (c->tokens[t].kind == TOKEN_WORD && c->tokens[t + 1].kind == TOKEN_WORD &&
		    (word == WORD_param || word == WORD_let))
			c->names[c->tokens[t + 1].ref].declared = 1;
	}
	for (uint32_t t = 0; t < c->nr_tokens; t++) {
		if (c->tokens[t].kind == TOKEN_VARIABLE && !is_known(&c->names[c->tokens[t].ref]))
			return work_fail(c, -EINVAL, t, "%s is no parameter, let or loop "
					 "variable; beside those there are $cpus, $nodes and $self",
					 work_found(c, t));
	}
	return 0;
}

int work_declarations(struct work_compile *c)
{
	int rc;

	add_builtin(c, WORD_cpus, c->machine->nr);
	add_builtin(c, WORD_nodes, c->nr_nodes);
	c->self = (uint32_t)add_builtin(c, WORD_self, 0);
	c->variables[c->self].bound = 0;
	rc = add_loop_variables(c);
	rc = rc ? rc : check_variables(c);
	if (rc)
		return rc;
	work_skip_lines(c);
	if (!work_takes(c, WORD_load))
		return work_fail(c, -EINVAL, c->pos, "expected \"load NAME\" first, found %s",
				 work_found(c, c->pos));
	rc = load_statement(c);
	while (!rc)
		rc = outer(c);
	return rc < 0 ? rc : work_check_given(c);
}
