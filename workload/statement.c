// SPDX-License-Identifier: GPL-2.0-only
/* The statements of a task's body. */
#include "workload/private.h"

#include <errno.h>
#include <string.h>

#define HELD_PER_CPU	(1u << 31)

static int emit(struct work_compile *c, enum work_op_kind kind, uint32_t a, uint32_t b)
{
	return work_emit(c, (struct work_op){ .kind = (uint16_t)kind, .a = a, .b = b,
					      .dist = WORK_NONE });
}

/* KIND OBJECT */
static int on_object(struct work_compile *c, enum work_op_kind kind, enum work_symbol_kind object)
{
	uint32_t index;
	int rc = work_object(c, object, &index, NULL);

	return rc ? rc : emit(c, kind, index, 0);
}

static int st_run(struct work_compile *c)
{
	struct work_op op = { .kind = WORK_RUN };
	int64_t memory = 0;
	int rc = work_amount(c, AMOUNT_TIME, &op);

	if (!rc && work_takes(c, WORD_memory))
		rc = work_count(c, "a percentage", 0, 100, &memory);
	op.a = (uint32_t)memory;
	return rc ? rc : work_emit(c, op);
}

static int amount_only(struct work_compile *c, enum work_op_kind kind)
{
	struct work_op op = { .kind = (uint16_t)kind };
	int rc = work_amount(c, AMOUNT_TIME, &op);

	return rc ? rc : work_emit(c, op);
}

static int st_spin(struct work_compile *c)
{
	return amount_only(c, WORK_SPIN);
}

static int st_sleep(struct work_compile *c)
{
	return amount_only(c, WORK_SLEEP);
}

static int st_every(struct work_compile *c)
{
	struct work_op op = { .kind = WORK_EVERY, .dist = WORK_NONE };
	int rc = work_time(c, "a period", 1, &op.value);

	return rc ? rc : work_emit(c, op);
}

static int st_send(struct work_compile *c)
{
	struct work_op op = { .kind = WORK_SEND };
	int rc = work_object(c, SYMBOL_CHANNEL, &op.a, NULL);

	rc = rc ? rc : work_amount(c, AMOUNT_BYTES, &op);
	return rc ? rc : work_emit(c, op);
}

static int st_recv(struct work_compile *c)
{
	return on_object(c, WORK_RECV, SYMBOL_CHANNEL);
}

static uint32_t find_held(const struct work_compile *c, uint32_t lock)
{
	uint32_t i = 0;

	while (i < c->body.nr_held && c->body.held[i] != lock)
		i++;
	return i;
}

static int lock_named(struct work_compile *c, uint32_t *lock, uint32_t *per_cpu)
{
	const struct work_symbol *s;
	int rc = work_object(c, SYMBOL_LOCK, lock, &s);

	*per_cpu = !rc && s->per_cpu;
	return rc;
}

/* At most one per-CPU lock at a time: who unlocks it need not remember which. */
static int st_lock(struct work_compile *c)
{
	uint32_t token = c->pos, lock, per_cpu;
	int rc = lock_named(c, &lock, &per_cpu);

	if (rc)
		return rc;
	if (c->body.nr_held == WORK_HELD_MAX)
		return work_fail(c, -E2BIG, token, "more than %u locks at a time", WORK_HELD_MAX);
	if (per_cpu && c->kthread)
		return work_fail(c, -EINVAL, token,
				 "a kthread may run where there is no lock for its CPU");
	for (uint32_t i = 0; i < c->body.nr_held; i++) {
		if (c->body.held[i] == lock || (per_cpu && c->body.held[i] & HELD_PER_CPU))
			return work_fail(c, -EINVAL, token, "%s: the task already holds %s",
					 work_found(c, token),
					 per_cpu ? "a per-CPU lock" : "this lock");
	}
	c->body.held[c->body.nr_held++] = lock | (per_cpu ? HELD_PER_CPU : 0);
	return emit(c, WORK_LOCK, lock, per_cpu);
}

static int st_unlock(struct work_compile *c)
{
	uint32_t token = c->pos, lock, per_cpu, i;
	int rc = lock_named(c, &lock, &per_cpu);

	if (rc)
		return rc;
	i = find_held(c, lock | (per_cpu ? HELD_PER_CPU : 0));
	if (i == c->body.nr_held)
		return work_fail(c, -EINVAL, token, "%s is not held here", work_found(c, token));
	c->body.held[i] = c->body.held[--c->body.nr_held];
	return emit(c, WORK_UNLOCK, lock, per_cpu);
}

static int st_post(struct work_compile *c)
{
	return on_object(c, WORK_POST, SYMBOL_SEMAPHORE);
}

static int st_wait(struct work_compile *c)
{
	c->body.sleeps = 1;
	return on_object(c, WORK_WAIT, SYMBOL_SEMAPHORE);
}

static int st_clear(struct work_compile *c)
{
	return on_object(c, WORK_CLEAR, SYMBOL_SEMAPHORE);
}

static int st_park(struct work_compile *c)
{
	uint32_t list, semaphore = WORK_NONE;
	int rc = work_object(c, SYMBOL_LIST, &list, NULL);

	c->body.sleeps = 1;
	if (!rc && work_takes(c, WORD_post))
		rc = work_object(c, SYMBOL_SEMAPHORE, &semaphore, NULL);
	return rc ? rc : emit(c, WORK_PARK, list, semaphore);
}

static int st_release(struct work_compile *c)
{
	return on_object(c, WORK_RELEASE, SYMBOL_LIST);
}

static int st_barrier(struct work_compile *c)
{
	return on_object(c, WORK_BARRIER, SYMBOL_BARRIER);
}

static int st_raise(struct work_compile *c)
{
	return on_object(c, WORK_RAISE, SYMBOL_FLAG);
}

static int st_await(struct work_compile *c)
{
	return on_object(c, WORK_AWAIT, SYMBOL_FLAG);
}

static int st_yield(struct work_compile *c)
{
	return emit(c, WORK_YIELD, 0, 0);
}

static int metric_named(struct work_compile *c, enum work_metric_kind kind, uint32_t *metric)
{
	static const char *const kinds[] = { "rate", "latency", "makespan" };
	uint32_t token = c->pos;
	int rc = work_object(c, SYMBOL_METRIC, metric, NULL);

	if (!rc && c->w->metrics[*metric].kind != kind)
		return work_fail(c, -EINVAL, token, "%s is a %s, not a %s", work_found(c, token),
				 kinds[c->w->metrics[*metric].kind], kinds[kind]);
	return rc;
}

static int st_count(struct work_compile *c)
{
	struct work_op op = { .kind = WORK_COUNT, .dist = WORK_NONE, .value = 1 };
	int rc = metric_named(c, WORK_RATE, &op.a);

	if (!rc && !work_statement_ends(c))
		rc = work_amount(c, AMOUNT_NUMBER, &op);
	return rc ? rc : work_emit(c, op);
}

static int st_start(struct work_compile *c)
{
	uint32_t metric;
	int rc = metric_named(c, WORK_MAKESPAN, &metric);

	return rc ? rc : emit(c, WORK_START, metric, 0);
}

static uint32_t find_mark(const struct work_compile *c, uint32_t name)
{
	uint32_t i = 0;

	while (i < c->body.nr_marks && c->body.marks[i] != name)
		i++;
	return i;
}

static int st_mark(struct work_compile *c)
{
	uint32_t token = c->pos, name, i;
	int rc = work_expect_name(c, "a name", &name);

	if (rc)
		return rc;
	i = find_mark(c, name);
	if (name == WORD_wake)
		return work_fail(c, -EINVAL, token, "wake is the mark of what wakes the task");
	if (i == WORK_LOOPS_MAX)
		return work_fail(c, -E2BIG, token, "more than %u marks", WORK_LOOPS_MAX);
	if (i == c->body.nr_marks)
		c->body.marks[c->body.nr_marks++] = name;
	return emit(c, WORK_MARK, i, 0);
}

/* sample METRIC since MARK, or since wake */
static int st_sample(struct work_compile *c)
{
	uint32_t metric, name, mark, token;
	int rc = metric_named(c, WORK_LATENCY, &metric);

	if (!rc && !work_takes(c, WORD_since))
		rc = work_expect(c, TOKEN_END, "since");
	token = c->pos;
	rc = rc ? rc : work_expect_name(c, "a mark", &name);
	if (rc)
		return rc;
	if (name == WORD_wake && !c->body.sleeps)
		return work_fail(c, -EINVAL, token, "no wait or park before it: nothing woke it");
	if (name == WORD_wake)
		return emit(c, WORK_SAMPLE_WAKE, metric, 0);
	mark = find_mark(c, name);
	if (mark == c->body.nr_marks)
		return work_fail(c, -EINVAL, token, "no \"mark %.*s\" before it",
				 WORK_NAME(c, name));
	return emit(c, WORK_SAMPLE, metric, mark);
}

/* fork NAME, NAME[EXPR] or NAME[FIRST..BEHIND] */
static int st_fork(struct work_compile *c)
{
	const struct work_symbol *s;
	int64_t first = 0, behind;
	int rc = work_find(c, SYMBOL_TASK, &s);

	if (!rc && c->body.nr_loops)
		rc = work_fail(c, -EINVAL, c->pos, "a task is forked once, not in a loop");
	behind = rc ? 0 : s->nr;
	if (!rc && work_is(c, '[')) {
		c->pos++;
		rc = work_count(c, "the first element", 0, (int64_t)s->nr - 1, &first);
		behind = first + 1;
		if (!rc && work_is(c, TOKEN_RANGE)) {
			c->pos++;
			rc = work_count(c, "the element behind the last", first + 1, s->nr,
					&behind);
		}
		rc = rc ? rc : work_expect(c, ']', "]");
	}
	return rc ? rc : emit(c, WORK_FORK, s->first + (uint32_t)first,
			      (uint32_t)(behind - first));
}

static int st_pin(struct work_compile *c)
{
	uint32_t mask;
	int rc = work_pin(c, &mask);

	return rc ? rc : emit(c, WORK_PIN, mask, 0);
}

static int open_loop(struct work_compile *c, struct work_op op)
{
	struct work_frame f = { .kind = FRAME_LOOP, .op = c->w->nr_ops,
				.locks = c->body.nr_held };
	uint32_t open = c->pos;
	int rc = work_expect(c, '{', "{");

	if (rc)
		return rc;
	if (c->body.nr_loops == WORK_LOOPS_MAX)
		return work_fail(c, -E2BIG, open, "run-time loops nested more than %u deep",
				 WORK_LOOPS_MAX);
	f.begin = c->pos;
	f.end = c->tokens[open].ref;
	f.for_ever = op.dist == WORK_NONE && !op.value;
	op.kind = WORK_LOOP;
	op.a = c->body.nr_loops++;
	rc = work_emit(c, op);
	return rc ? rc : work_push_frame(c, &f);
}

static int st_repeat(struct work_compile *c)
{
	struct work_op op = { 0 };
	int rc = work_amount(c, AMOUNT_LOOPS, &op);

	if (rc || op.value || op.dist != WORK_NONE)
		return rc ? rc : open_loop(c, op);
	rc = work_is(c, '{') ? 0 : work_expect(c, '{', "{");
	c->pos = rc ? c->pos : work_at(c)->ref + 1;	/* no round at all */
	return rc;
}

static int st_forever(struct work_compile *c)
{
	return open_loop(c, (struct work_op){ .dist = WORK_NONE });
}

/* for NAME in FIRST..BEHIND { */
static int st_for(struct work_compile *c)
{
	struct work_frame f = { .kind = FRAME_FOR };
	struct work_variable *v;
	uint32_t token = c->pos, name, open;
	int rc = work_expect_name(c, "a name", &name);

	if (!rc && !work_takes(c, WORD_in))
		rc = work_expect(c, TOKEN_END, "in");
	rc = rc ? rc : work_count(c, "the first number", INT32_MIN, INT32_MAX, &f.next);
	rc = rc ? rc : work_expect(c, TOKEN_RANGE, "..");
	rc = rc ? rc : work_count(c, "the number behind the last", INT32_MIN, INT32_MAX, &f.last);
	open = c->pos;
	rc = rc ? rc : work_expect(c, '{', "{");
	if (rc)
		return rc;
	f.begin = c->pos;
	f.end = c->tokens[open].ref;
	f.variable = c->names[name].variable;
	v = &c->variables[f.variable];
	if (v->bound)
		return work_fail(c, -EINVAL, token, "$%.*s is there already",
				 WORK_NAME(c, name));
	if (f.next >= f.last) {
		c->pos = f.end + 1;
		return 0;
	}
	v->bound = 1;
	v->value = (struct work_value){ VALUE_NUMBER, f.next, WORK_NONE };
	return work_push_frame(c, &f);
}

static int st_if(struct work_compile *c)
{
	struct work_frame f = { .kind = FRAME_BRANCH };
	int rc;

	c->pos--;
	rc = work_branch(c, &f.end);
	if (rc || f.end == WORK_NONE)
		return rc;
	f.begin = c->pos;
	return work_push_frame(c, &f);
}

static const struct {
	uint16_t word;
	uint8_t is_block;
	int (*compile)(struct work_compile *c);
} statements[] = {
	{ WORD_run, 0, st_run },	 { WORD_spin, 0, st_spin },
	{ WORD_sleep, 0, st_sleep },	 { WORD_every, 0, st_every },
	{ WORD_send, 0, st_send },	 { WORD_recv, 0, st_recv },
	{ WORD_lock, 0, st_lock },	 { WORD_unlock, 0, st_unlock },
	{ WORD_post, 0, st_post },	 { WORD_wait, 0, st_wait },
	{ WORD_clear, 0, st_clear },	 { WORD_park, 0, st_park },
	{ WORD_release, 0, st_release }, { WORD_barrier, 0, st_barrier },
	{ WORD_raise, 0, st_raise },	 { WORD_await, 0, st_await },
	{ WORD_yield, 0, st_yield },	 { WORD_count, 0, st_count },
	{ WORD_start, 0, st_start },	 { WORD_mark, 0, st_mark },
	{ WORD_sample, 0, st_sample },	 { WORD_fork, 0, st_fork },
	{ WORD_pin, 0, st_pin },	 { WORD_repeat, 1, st_repeat },
	{ WORD_forever, 1, st_forever }, { WORD_for, 1, st_for },
	{ WORD_if, 1, st_if },
};

int work_statement(struct work_compile *c)
{
	uint32_t token = c->pos;
	int rc;

	for (unsigned i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		if (!work_takes(c, statements[i].word))
			continue;
		rc = statements[i].compile(c);
		return rc || statements[i].is_block ? rc : work_expect_end(c);
	}
	return work_fail(c, -EINVAL, token, "%s is no statement of a task", work_found(c, token));
}
