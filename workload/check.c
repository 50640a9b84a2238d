// SPDX-License-Identifier: GPL-2.0-only
/* What is plainly wrong once all programs are there: waiting for what never comes. */
#include "workload/private.h"
#include "workload/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MAX	(1u << 20)	/* in one channel */

struct use {
	uint8_t gives, takes;
	uint32_t smallest;	/* message */
	uint32_t tasks;		/* at a barrier */
	uint32_t program;	/* the last one that was counted there, + 1 */
};

struct uses {
	struct use *of[SYMBOL_NR];
	uint32_t *tasks;	/* of each program */
	uint8_t ends;		/* a task other than main does */
};

static int fail_object(struct work_compile *c, enum work_symbol_kind kind, uint32_t index,
		       const char *why)
{
	for (uint32_t i = 0; i < c->nr_symbols; i++) {
		const struct work_symbol *s = &c->symbols[i];

		if (s->kind != kind || index - s->first >= s->nr)
			continue;
		if (s->is_array)
			return work_fail(c, -EINVAL, s->token, "%.*s[%u]: %s",
					 WORK_NAME(c, s->name), index - s->first, why);
		return work_fail(c, -EINVAL, s->token, "%.*s: %s", WORK_NAME(c, s->name), why);
	}
	return -EINVAL;
}

static void note_send(struct work_compile *c, const struct work_op *op, struct use *use)
{
	uint64_t least = op->dist == WORK_NONE ? op->value :
						 work_dist_least(&c->w->dists[op->dist]);

	if (!use->gives || least < use->smallest)
		use->smallest = (uint32_t)least;
	use->gives = 1;
}

static void note_barrier(const struct uses *u, uint32_t program, struct use *use)
{
	if (use->program == program + 1)
		return;
	use->program = program + 1;
	use->tasks += u->tasks[program];
}

static void note(struct work_compile *c, struct uses *u, uint32_t program,
		 const struct work_op *op)
{
	switch (op->kind) {
	case WORK_SEND:
		note_send(c, op, &u->of[SYMBOL_CHANNEL][op->a]);
		break;
	case WORK_RECV:
		u->of[SYMBOL_CHANNEL][op->a].takes = 1;
		break;
	case WORK_POST:
		u->of[SYMBOL_SEMAPHORE][op->a].gives = 1;
		break;
	case WORK_WAIT:
		u->of[SYMBOL_SEMAPHORE][op->a].takes = 1;
		break;
	case WORK_PARK:
		u->of[SYMBOL_LIST][op->a].takes = 1;
		if (op->b != WORK_NONE)
			u->of[SYMBOL_SEMAPHORE][op->b].gives = 1;
		break;
	case WORK_RELEASE:
		u->of[SYMBOL_LIST][op->a].gives = 1;
		break;
	case WORK_BARRIER:
		note_barrier(u, program, &u->of[SYMBOL_BARRIER][op->a]);
		break;
	case WORK_RAISE:
		u->of[SYMBOL_FLAG][op->a].gives = 1;
		break;
	case WORK_AWAIT:
		u->of[SYMBOL_FLAG][op->a].takes = 1;
		break;
	case WORK_COUNT:
	case WORK_SAMPLE:
	case WORK_SAMPLE_WAKE:
		u->of[SYMBOL_METRIC][op->a].gives = 1;
		break;
	default:
		break;
	}
}

static uint32_t most_messages(const struct work_channel *ch, uint32_t smallest)
{
	if (ch->page && smallest >= ch->page)
		return ch->capacity / ch->page;
	if (ch->page)
		return ch->capacity / ch->page * (ch->page / smallest);
	return (ch->capacity - 1) / work_charge(ch, smallest) + 1;
}

static int check_channel(struct work_compile *c, const struct uses *u, uint32_t i)
{
	struct work_channel *ch = &c->w->channels[i];
	const struct use *use = &u->of[SYMBOL_CHANNEL][i];

	if (use->takes && !use->gives)
		return fail_object(c, SYMBOL_CHANNEL, i, "a task receives, but none sends");
	if (use->gives && !use->takes)
		return fail_object(c, SYMBOL_CHANNEL, i, "a task sends, but none receives");
	ch->messages = use->gives ? most_messages(ch, use->smallest) : 1;
	if (ch->messages > MESSAGES_MAX)
		return fail_object(c, SYMBOL_CHANNEL, i, "it holds more than 2^20 messages");
	return 0;
}

static int check_metric(struct work_compile *c, const struct uses *u, uint32_t i)
{
	uint8_t kind = c->w->metrics[i].kind;

	if (kind == WORK_RATE && !u->of[SYMBOL_METRIC][i].gives)
		return fail_object(c, SYMBOL_METRIC, i, "no task counts it");
	if (kind == WORK_LATENCY && !u->of[SYMBOL_METRIC][i].gives)
		return fail_object(c, SYMBOL_METRIC, i, "no task samples it");
	if (kind == WORK_MAKESPAN && !u->ends)
		return fail_object(c, SYMBOL_METRIC, i, "no task ever ends");
	return 0;
}

static int check_element(struct work_compile *c, const struct uses *u, enum work_symbol_kind kind,
			 uint32_t i)
{
	const struct use *use = &u->of[kind][i];

	switch (kind) {
	case SYMBOL_CHANNEL:
		return check_channel(c, u, i);
	case SYMBOL_METRIC:
		return check_metric(c, u, i);
	case SYMBOL_SEMAPHORE:
		if (use->takes && !use->gives && !c->w->semaphores[i].count)
			return fail_object(c, kind, i, "a task waits, but none posts");
		return 0;
	case SYMBOL_LIST:
		if (use->takes && !use->gives)
			return fail_object(c, kind, i, "a task parks, but none releases");
		return 0;
	case SYMBOL_FLAG:
		if (use->takes && !use->gives)
			return fail_object(c, kind, i, "a task awaits it, but none raises it");
		return 0;
	case SYMBOL_BARRIER:
		if (use->tasks && use->tasks < c->w->barriers[i].nr)
			return fail_object(c, kind, i, "fewer tasks come than it is of");
		return 0;
	default:
		return 0;
	}
}

static uint32_t nr_of(const struct workload *w, enum work_symbol_kind kind)
{
	const uint32_t nr[SYMBOL_NR] = {
		[SYMBOL_CHANNEL] = w->nr_channels, [SYMBOL_SEMAPHORE] = w->nr_semaphores,
		[SYMBOL_LIST] = w->nr_lists, [SYMBOL_BARRIER] = w->nr_barriers,
		[SYMBOL_FLAG] = w->nr_flags, [SYMBOL_METRIC] = w->nr_metrics,
	};

	return nr[kind];
}

static int check_all(struct work_compile *c, struct uses *u)
{
	const struct workload *w = c->w;
	int rc = 0;

	for (uint32_t t = 0; t < w->nr_tasks; t++) {
		const struct work_program *p = &w->programs[w->tasks[t].program];

		u->tasks[w->tasks[t].program]++;
		u->ends |= w->ops[p->first + p->nr - 1].kind == WORK_EXIT &&
			   strcmp(w->tasks[t].name, "main");
	}
	for (uint32_t p = 0; p < w->nr_programs; p++)
		for (uint32_t i = 0; i < w->programs[p].nr; i++)
			note(c, u, p, &w->ops[w->programs[p].first + i]);
	for (unsigned kind = 0; kind < SYMBOL_NR && !rc; kind++)
		for (uint32_t i = 0; i < nr_of(w, kind) && !rc; i++)
			rc = check_element(c, u, kind, i);
	return rc;
}

int work_check(struct work_compile *c)
{
	struct uses u = { .tasks = calloc(c->w->nr_programs, sizeof(*u.tasks)) };
	int rc = u.tasks ? 0 : work_nomem(c);

	for (unsigned kind = 0; kind < SYMBOL_NR && !rc; kind++) {
		u.of[kind] = calloc(nr_of(c->w, kind) + 1, sizeof(*u.of[kind]));
		if (!u.of[kind])
			rc = work_nomem(c);
	}
	rc = rc ? rc : check_all(c, &u);
	for (unsigned kind = 0; kind < SYMBOL_NR; kind++)
		free(u.of[kind]);
	free(u.tasks);
	return rc;
}
