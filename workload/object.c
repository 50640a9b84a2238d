// SPDX-License-Identifier: GPL-2.0-only
/* What tasks share: channels, locks, semaphores, lists, barriers, flags, groups. */
#include "workload/private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define GROUP_DEPTH_MAX	8

const char *work_symbol_text(enum work_symbol_kind kind)
{
	static const char *const text[SYMBOL_NR] = {
		[SYMBOL_CHANNEL] = "channel", [SYMBOL_LOCK] = "lock",
		[SYMBOL_SEMAPHORE] = "semaphore", [SYMBOL_LIST] = "list",
		[SYMBOL_BARRIER] = "barrier", [SYMBOL_FLAG] = "flag",
		[SYMBOL_GROUP] = "group", [SYMBOL_METRIC] = "metric",
		[SYMBOL_TASK] = "task",
	};

	return text[kind];
}

/* "NAME" or "NAME[COUNT]" of something new. */
int work_declare(struct work_compile *c, enum work_symbol_kind kind, struct work_symbol **out)
{
	uint32_t token = c->pos, name;
	struct work_symbol *s;
	int64_t nr = 1;
	int rc = work_expect_name(c, "a name", &name);

	if (rc)
		return rc;
	if (c->names[name].symbol != WORK_NONE)
		return work_fail(c, -EINVAL, token, "%s is there already, a %s",
				 work_found(c, token),
				 work_symbol_text(c->symbols[c->names[name].symbol].kind));
	rc = work_grow(c, &c->symbols, &c->room_symbols, c->nr_symbols, sizeof(*c->symbols));
	if (rc)
		return rc;
	s = &c->symbols[c->nr_symbols];
	*s = (struct work_symbol){ .kind = kind, .name = name, .token = token };
	if (work_is(c, '[')) {
		s->is_array = 1;
		c->pos++;
		rc = work_count(c, "the number of elements", 1, WORK_OBJECTS_MAX, &nr);
		rc = rc ? rc : work_expect(c, ']', "]");
	}
	s->nr = (uint32_t)nr;
	c->names[name].symbol = c->nr_symbols++;
	*out = s;
	return rc;
}

/* The names of a kind, for messages. */
static const char *known(const struct work_compile *c, enum work_symbol_kind kind, char *buf,
			 size_t size)
{
	size_t len = 0;

	for (uint32_t i = 0; i < c->nr_symbols && len < size; i++)
		if (c->symbols[i].kind == kind)
			len += (size_t)snprintf(buf + len, size - len, "%s%.*s", len ? ", " : "",
						WORK_NAME(c, c->symbols[i].name));
	return len ? buf : "none";
}

int work_find(struct work_compile *c, enum work_symbol_kind kind, const struct work_symbol **out)
{
	uint32_t token = c->pos, name, symbol;
	char buf[160];
	int rc;

	snprintf(buf, sizeof(buf), "the name of a %s", work_symbol_text(kind));
	rc = work_expect_name(c, buf, &name);
	if (rc)
		return rc;
	symbol = c->names[name].symbol;
	if (symbol == WORK_NONE || c->symbols[symbol].kind != kind)
		return work_fail(c, -EINVAL, token, "%s is no %s; there are: %s",
				 work_found(c, token), work_symbol_text(kind),
				 known(c, kind, buf, sizeof(buf)));
	*out = &c->symbols[symbol];
	return 0;
}

int work_subscript(struct work_compile *c, const struct work_symbol *symbol, uint32_t *element)
{
	uint32_t token = c->pos;
	struct work_value v;
	int rc;

	*element = 0;
	if (!symbol->is_array && !work_is(c, '['))
		return 0;
	if (!symbol->is_array)
		return work_fail(c, -EINVAL, token, "%.*s is no array",
				 WORK_NAME(c, symbol->name));
	rc = work_expect(c, '[', "[: it is an array");
	rc = rc ? rc : work_expression(c, &v);
	if (rc)
		return rc;
	if (v.type != VALUE_NUMBER || v.n < 0 || v.n >= symbol->nr)
		return work_fail(c, -EINVAL, token, "%.*s has the elements 0 to %u, not %lld",
				 WORK_NAME(c, symbol->name), symbol->nr - 1, (long long)v.n);
	*element = (uint32_t)v.n;
	return work_expect(c, ']', "]");
}

int work_object(struct work_compile *c, enum work_symbol_kind kind, uint32_t *index,
		const struct work_symbol **symbol)
{
	const struct work_symbol *s;
	int rc = work_find(c, kind, &s);

	if (!rc && s->per_cpu)
		*index = 0;
	else
		rc = rc ? rc : work_subscript(c, s, index);
	if (rc)
		return rc;
	*index += s->first;
	if (symbol)
		*symbol = s;
	return 0;
}

/* "WORD N" if it is next. */
static int option(struct work_compile *c, enum work_word word, const char *what, int64_t least,
		  int64_t most, uint32_t *out)
{
	int64_t n = 0;
	int rc;

	if (!work_takes(c, word))
		return 0;
	rc = work_count(c, what, least, most, &n);
	*out = (uint32_t)n;
	return rc ? rc : 1;
}

/*
 * The kernel's sizes: pipe_read() and pipe_write() on 16 pages; unix_write_space() wakes
 * when at most a quarter is charged of net.core.wmem_default; sk_stream_write_space()
 * when a third is free of what TCP's autotuning usually gives a loopback connection;
 * a UDP socket is limited by net.core.rmem_default (and would drop where this blocks).
 */
static const struct work_channel defaults[WORK_NR_CHANNELS] = {
	[WORK_PIPE] = { WORK_PIPE, 0, 65536, 4096, 0, 0, 0 },
	[WORK_UNIX] = { WORK_UNIX, 1, 212992, 0, WORK_SKB, 159744, 0 },
	[WORK_TCP] = { WORK_TCP, 1, 2626560, 0, 1280, 875520, 0 },
	[WORK_UDP] = { WORK_UDP, 1, 212992, 0, WORK_SKB, 106496, 0 },
};

static int channel(struct work_compile *c, uint32_t i)
{
	static const uint16_t kinds[] = { WORD_pipe, WORD_unix, WORD_tcp, WORD_udp, 0 };
	struct work_channel *ch = &c->w->channels[i];
	unsigned kind;
	int rc = work_choice(c, "a kind of channel", kinds, &kind);

	if (rc)
		return rc;
	*ch = defaults[kind];
	do {
		rc = option(c, WORD_capacity, "a capacity", 1, WORK_MESSAGE_MAX, &ch->capacity);
		if (rc > 0) {
			ch->page = ch->capacity < ch->page ? 0 : ch->page;
			ch->wake_writers = (uint32_t)((uint64_t)ch->capacity *
						      defaults[kind].wake_writers /
						      defaults[kind].capacity);
		}
		rc = rc ? rc : option(c, WORD_page, "a page's size", 0, ch->capacity, &ch->page);
		rc = rc ? rc : option(c, WORD_overhead, "an overhead", 0, WORK_MESSAGE_MAX,
				      &ch->overhead);
		rc = rc ? rc : option(c, WORD_wake, "what must be free", 0, ch->capacity,
				      &ch->wake_writers);
	} while (rc > 0);
	if (!rc && ch->page && ch->wake_writers)
		rc = work_fail(c, -EINVAL, c->pos, "writers of a pipe with pages wait for a page");
	return rc;
}

static int lock(struct work_compile *c, uint32_t i)
{
	return work_takes(c, WORD_spin) ? work_time(c, "a spin", 0, &c->w->locks[i].spin) : 0;
}

static int semaphore(struct work_compile *c, uint32_t i)
{
	struct work_semaphore *sem = &c->w->semaphores[i];
	int rc;

	sem->max = INT32_MAX;
	do {
		rc = option(c, WORD_count, "a count", 0, INT32_MAX, &sem->count);
		rc = rc ? rc : option(c, WORD_max, "a maximum", 1, INT32_MAX, &sem->max);
	} while (rc > 0);
	if (!rc && sem->count > sem->max)
		rc = work_fail(c, -EINVAL, c->pos, "its count is above its maximum");
	return rc;
}

static int barrier(struct work_compile *c, uint32_t i)
{
	struct work_barrier *b = &c->w->barriers[i];
	uint32_t token = c->pos;
	int rc = option(c, WORD_of, "the number of tasks that meet", 1, WORK_TASKS_MAX, &b->nr);

	if (!rc)
		return work_fail(c, -EINVAL, token, "expected \"of\" and the number of tasks "
				 "that meet, found %s", work_found(c, token));
	if (rc < 0 || !work_takes(c, WORD_spin))
		return rc < 0 ? rc : 0;
	b->spin = UINT64_MAX;
	return work_takes(c, WORD_forever) ? 0 : work_time(c, "a spin", 0, &b->spin);
}

static int nothing(struct work_compile *c, uint32_t i)
{
	(void)c;
	(void)i;
	return 0;
}

static int check_depth(struct work_compile *c, uint32_t i)
{
	uint32_t depth = 0;

	for (; i; i = c->w->groups[i].parent)
		depth++;
	if (depth > GROUP_DEPTH_MAX)
		return work_fail(c, -E2BIG, c->pos, "groups nested more than %u deep",
				 GROUP_DEPTH_MAX);
	return 0;
}

/* MIN_SHARES and MAX_SHARES: 2 to 2^18 (kernel/sched/core.c). */
static int group(struct work_compile *c, uint32_t i)
{
	struct work_group *g = &c->w->groups[i];
	const struct work_symbol *parent;
	int rc = 0;

	g->shares = 1024;
	while (!rc) {
		if (work_takes(c, WORD_in)) {
			rc = work_object(c, SYMBOL_GROUP, &g->parent, &parent);
			if (!rc && g->parent >= i)
				rc = work_fail(c, -EINVAL, c->pos, "a group in itself");
			continue;
		}
		if (work_takes(c, WORD_idle)) {
			g->idle = 1;
			continue;
		}
		rc = option(c, WORD_shares, "shares", 2, 262144, &g->shares);
		if (!rc)
			break;
		rc = rc < 0 ? rc : 0;
	}
	return rc ? rc : check_depth(c, i);
}

/* A kind: its table in the workload, and what follows the name of each element. */
struct kind {
	void *table;
	uint32_t *nr;
	size_t size;
	int (*parse)(struct work_compile *c, uint32_t i);
};

static struct kind kind_of(struct workload *w, enum work_symbol_kind kind)
{
	static char no_table[1];

	switch (kind) {
	case SYMBOL_CHANNEL:
		return (struct kind){ &w->channels, &w->nr_channels, sizeof(*w->channels),
				      channel };
	case SYMBOL_LOCK:
		return (struct kind){ &w->locks, &w->nr_locks, sizeof(*w->locks), lock };
	case SYMBOL_SEMAPHORE:
		return (struct kind){ &w->semaphores, &w->nr_semaphores, sizeof(*w->semaphores),
				      semaphore };
	case SYMBOL_BARRIER:
		return (struct kind){ &w->barriers, &w->nr_barriers, sizeof(*w->barriers),
				      barrier };
	case SYMBOL_GROUP:
		return (struct kind){ &w->groups, &w->nr_groups, sizeof(*w->groups), group };
	default:
		return (struct kind){ no_table, kind == SYMBOL_LIST ? &w->nr_lists : &w->nr_flags,
				      0, nothing };
	}
}

/* The symbol's elements, each as the statement's rest says, where $self is its number. */
static int elements(struct work_compile *c, const struct kind *kind, struct work_symbol *s)
{
	struct work_variable *self = &c->variables[c->self];
	uint32_t begin = c->pos;
	int rc = 0;

	s->first = *kind->nr;
	if (s->nr > WORK_OBJECTS_MAX - *kind->nr)
		return work_fail(c, -E2BIG, s->token, "more than %u of a kind", WORK_OBJECTS_MAX);
	self->bound = 1;
	for (uint32_t i = 0; i < s->nr && !rc; i++) {
		self->value = (struct work_value){ VALUE_NUMBER, i, WORK_NONE };
		c->pos = begin;
		rc = work_step(c, 1);
		if (!rc && kind->size)
			rc = work_grow(c, kind->table, &c->room[s->kind], *kind->nr, kind->size);
		if (rc)
			break;
		(*kind->nr)++;
		rc = kind->parse(c, *kind->nr - 1);
	}
	self->bound = 0;
	return rc ? rc : work_expect_end(c);
}

int work_object_statement(struct work_compile *c, enum work_symbol_kind kind)
{
	struct kind k = kind_of(c->w, kind);
	struct work_symbol *s;
	int rc = work_declare(c, kind, &s);

	if (!rc && kind == SYMBOL_GROUP && c->names[s->name].len >= sizeof(c->w->groups->name))
		rc = work_fail(c, -EINVAL, s->token, "a name of at most 15 characters");
	if (!rc && kind == SYMBOL_LOCK && work_takes(c, WORD_percpu)) {
		if (s->is_array)
			return work_fail(c, -EINVAL, s->token, "an array for each CPU");
		s->per_cpu = 1;
		s->nr = c->machine->cpus[c->machine->nr - 1] + 1u;
	}
	rc = rc ? rc : elements(c, &k, s);
	for (uint32_t i = 0; !rc && kind == SYMBOL_GROUP && i < s->nr; i++)
		memcpy(c->w->groups[s->first + i].name, c->names[s->name].text,
		       c->names[s->name].len);
	return rc;
}
