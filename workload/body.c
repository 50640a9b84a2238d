// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task's body for one instance: loops and branches of load time are walked, those of run
 * time become operations.
 */
#include "workload/private.h"

#include <errno.h>

static struct work_frame *top(struct work_compile *c)
{
	return &c->body.frames[c->body.nr_frames - 1];
}

int work_push_frame(struct work_compile *c, const struct work_frame *frame)
{
	if (c->body.nr_frames == WORK_FRAMES_MAX)
		return work_fail(c, -E2BIG, c->pos, "blocks nested more than %u deep",
				 WORK_FRAMES_MAX);
	c->body.frames[c->body.nr_frames++] = *frame;
	c->pos = frame->begin;
	return 0;
}

int work_emit(struct work_compile *c, struct work_op op)
{
	int rc;

	if (c->body.endless)
		return work_fail(c, -EINVAL, c->pos,
				 "never reached: the forever before it (line %u) does not end",
				 c->body.endless_line);
	if (c->w->nr_ops == WORK_OPS_MAX)
		return work_fail(c, -E2BIG, c->pos, "more than %u operations", WORK_OPS_MAX);
	rc = work_grow(c, &c->w->ops, &c->room_ops, c->w->nr_ops, sizeof(*c->w->ops));
	if (!rc)
		c->w->ops[c->w->nr_ops++] = op;
	return rc;
}

/* Can it take time, so that a loop around it doesn't stand still? */
static int takes_time(const struct work_op *op)
{
	switch (op->kind) {
	case WORK_RUN:
	case WORK_SPIN:
		return op->value || op->dist != WORK_NONE;
	case WORK_SLEEP:
	case WORK_EVERY:
	case WORK_SEND:
	case WORK_RECV:
	case WORK_WAIT:
	case WORK_PARK:
	case WORK_BARRIER:
	case WORK_AWAIT:
	case WORK_YIELD:
		return 1;
	default:
		return 0;
	}
}

static int check_loop(struct work_compile *c, const struct work_frame *f)
{
	uint32_t i = f->op + 1;

	while (i < c->w->nr_ops && !takes_time(&c->w->ops[i]))
		i++;
	if (i == c->w->nr_ops)
		return work_fail(c, -EINVAL, f->begin - 1, "the loop takes no time");
	if (c->body.nr_held != f->locks)
		return work_fail(c, -EINVAL, f->end,
				 "a round of the loop ends with other locks held than it began");
	return 0;
}

/* A loop's end: back to behind its WORK_LOOP. */
static int close_loop(struct work_compile *c, const struct work_frame *f)
{
	int rc = check_loop(c, f);

	c->body.nr_loops--;
	rc = rc ? rc : work_emit(c, (struct work_op){
		.kind = WORK_NEXT, .a = c->body.nr_loops, .b = f->op + 1 - c->body.first,
		.dist = WORK_NONE });
	if (f->for_ever && !c->body.endless) {
		c->body.endless = 1;
		c->body.endless_line = c->tokens[f->begin - 1].line;
	}
	return rc;
}

/* At the } of the innermost block. */
static int close_block(struct work_compile *c)
{
	struct work_frame *f = top(c), done = *f;

	if (f->kind == FRAME_FOR && ++f->next < f->last) {
		c->variables[f->variable].value.n = f->next;
		c->pos = f->begin;
		return 0;
	}
	c->body.nr_frames--;
	c->pos = done.end + 1;
	if (done.kind == FRAME_LOOP)
		return close_loop(c, &done);
	if (done.kind == FRAME_FOR)
		c->variables[done.variable].bound = 0;
	return done.kind == FRAME_BRANCH && c->body.nr_frames ? work_skip_else(c) : 0;
}

static int end_program(struct work_compile *c)
{
	if (c->body.nr_held)
		return work_fail(c, -EINVAL, c->pos - 1, "the task ends with a lock held");
	if (c->body.endless)
		return 0;
	return work_emit(c, (struct work_op){ .kind = WORK_EXIT, .dist = WORK_NONE });
}

int work_compile_body(struct work_compile *c, uint32_t begin, uint32_t end)
{
	struct work_frame outermost = { .kind = FRAME_BRANCH, .begin = begin, .end = end };
	int rc;

	c->body.nr_frames = c->body.nr_loops = 0;
	c->body.nr_marks = c->body.nr_held = 0;
	c->body.endless = c->body.sleeps = 0;
	c->body.first = c->w->nr_ops;
	rc = work_push_frame(c, &outermost);
	while (!rc && c->body.nr_frames) {
		work_skip_lines(c);
		rc = work_step(c, 1);
		if (rc)
			break;
		rc = c->pos == top(c)->end ? close_block(c) : work_statement(c);
	}
	return rc ? rc : end_program(c);
}
