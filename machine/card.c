// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads cards, wakelab-machine(5):
 *
 *	cost NAME VALUE CLASS [LOW..HIGH] "SOURCE"
 *	idle NAME KIND exit NS residency NS CLASS [LOW..HIGH] "SOURCE"
 *	hz NUMBER
 *	card NAME
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/card.h"

#define SOURCE_MAX 200
/* The simulator counts costs of lines and bytes in 32 bits of ps, and others in those of ns. */
#define LINE_NS_MAX 4000u
#define STEP_NS_MAX 1000000u
#define IDLE_NS_MAX 1000000000u
#define LINES_MAX   10000u
#define PERCENT_MAX 1000u
#define HZ_MIN	    24u
#define HZ_MAX	    1200u

#define BAD(c, ...) machine_fail_line((c)->err, -EINVAL, (c)->name, (c)->line, __VA_ARGS__)
#define CUT(word) (int)((word).len > 60 ? 60 : (word).len), (word).p

/* What a number may be: in thousandths where decimals are allowed. */
struct limits {
	uint64_t min, max;
	bool decimals;
};

static struct limits limits_of(const struct machine_cost_kind *kind)
{
	struct limits l = { 0, LINES_MAX, false };

	if (!strcmp(kind->unit, "%")) {
		l.min = 1;
		l.max = PERCENT_MAX;
	} else if (!strcmp(kind->unit, "ns")) {
		l.decimals = true;
		l.max = kind->offset <= offsetof(struct machine_costs, copy) ? LINE_NS_MAX :
									       STEP_NS_MAX;
		l.max *= 1000;
	}
	return l;
}

bool machine_card_keyword(struct machine_span word)
{
	return machine_span_is(word, "cost") || machine_span_is(word, "idle") ||
	       machine_span_is(word, "hz") || machine_span_is(word, "card");
}

/* Digits, and up to three after a point, as thousandths; 0 or -EINVAL. */
static int thousandths(struct machine_span s, uint64_t *out)
{
	const char *point = memchr(s.p, '.', s.len);
	size_t whole = point ? (size_t)(point - s.p) : s.len, rest = point ? s.len - whole - 1 : 0;
	unsigned long v, part = 0;

	if (machine_parse_uint(s.p, whole, IDLE_NS_MAX, &v))
		return -EINVAL;
	if (point && (rest > 3 || machine_parse_uint(point + 1, rest, 999, &part)))
		return -EINVAL;
	for (; point && rest < 3; rest++)
		part *= 10;
	*out = (uint64_t)v * 1000 + part;
	return 0;
}

static int number(struct machine_card *c, struct machine_span s, const struct limits *l,
		  const char *what, uint64_t *out)
{
	uint64_t scale = l->decimals ? 1000 : 1;
	unsigned long v;
	int rc;

	if (l->decimals) {
		rc = thousandths(s, out);
	} else {
		rc = machine_parse_uint(s.p, s.len, l->max, &v);
		*out = rc ? 0 : v;
	}
	if (rc || *out < l->min || *out > l->max)
		return BAD(c, "expected %s from %u to %u%s, found \"%.*s\"", what,
			   (unsigned)(l->min / scale), (unsigned)(l->max / scale),
			   l->decimals ? ", up to three decimals" : "", CUT(s));
	return 0;
}

static int read_class(struct machine_card *c, struct machine_span word, enum machine_class *out)
{
	for (unsigned i = 0; i < MACHINE_NR_CLASSES; i++) {
		if (!machine_span_is(word, machine_class_name(i)))
			continue;
		*out = i;
		return 0;
	}
	return BAD(c, "expected measured, pinned-fit, base-fit, assumed or identified, "
		   "found \"%.*s\"", CUT(word));
}

/* "LOW..HIGH", if it is next. */
static int read_range(struct machine_card *c, struct machine_span *rest, const struct limits *l,
		      struct machine_cost *cost)
{
	struct machine_span ahead = *rest, low, high;
	const char *dots;
	int rc;

	cost->low = cost->high = cost->value;
	if (!machine_next_word(&ahead, &low) || *low.p == '"') {
		if (cost->class == MACHINE_ASSUMED)
			return BAD(c, "expected the range of what is assumed, as 20..60");
		return 0;
	}
	dots = memmem(low.p, low.len, "..", 2);
	if (!dots)
		return BAD(c, "expected a range, as 20..60, or a source in quotes, found \"%.*s\"",
			   CUT(low));
	high = (struct machine_span){ dots + 2, low.len - (size_t)(dots - low.p) - 2 };
	low.len = (size_t)(dots - low.p);
	rc = number(c, low, l, "the low end", &cost->low);
	if (!rc)
		rc = number(c, high, l, "the high end", &cost->high);
	if (rc)
		return rc;
	if (cost->value < cost->low || cost->value > cost->high)
		return BAD(c, "the value is outside its range");
	*rest = ahead;
	return 0;
}

/* The quoted source, which ends the line. */
static int read_source(struct machine_card *c, struct machine_span rest, char **out)
{
	struct machine_span word;
	const char *end;
	size_t len;

	while (rest.len && (*rest.p == ' ' || *rest.p == '\t')) {
		rest.p++;
		rest.len--;
	}
	end = rest.len && *rest.p == '"' ? memchr(rest.p + 1, '"', rest.len - 1) : NULL;
	if (!end || end == rest.p + 1)
		return BAD(c, "expected where the value comes from, in quotes");
	len = (size_t)(end - rest.p) - 1;
	if (len > SOURCE_MAX)
		return BAD(c, "the source is longer than %d bytes", SOURCE_MAX);
	for (const char *p = rest.p + 1; p < end; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return BAD(c, "the source holds a control character");
	rest.len -= (size_t)(end + 1 - rest.p);
	rest.p = end + 1;
	if (machine_next_word(&rest, &word) && *word.p != '#')
		return BAD(c, "expected nothing after the source, found \"%.*s\"", CUT(word));
	*out = strndup(end - len, len);
	return *out ? 0 : machine_nomem(c->err);
}

/* "CLASS [LOW..HIGH] "SOURCE"", the end of a line; cost->value is there. */
static int read_tail(struct machine_card *c, struct machine_span rest, const struct limits *l,
		     struct machine_cost *cost)
{
	struct machine_span word;
	int rc;

	if (!machine_next_word(&rest, &word))
		return BAD(c, "expected a class and a source in quotes after the value");
	rc = read_class(c, word, &cost->class);
	if (!rc)
		rc = read_range(c, &rest, l, cost);
	return rc ? rc : read_source(c, rest, &cost->source);
}

/* There are too many names for a message: those nearest, and where all are. */
static int unknown_cost(struct machine_card *c, struct machine_span word)
{
	const struct machine_cost_kind *kind;
	size_t at = 0, same = 0;
	char known[160] = "";

	for (unsigned i = 0; (kind = machine_cost_kind(i)); i++)
		for (size_t n = 1; n <= word.len && !strncmp(kind->name, word.p, n); n++)
			same = n > same ? n : same;
	for (unsigned i = 0; same && (kind = machine_cost_kind(i)) && at < sizeof(known); i++)
		if (!strncmp(kind->name, word.p, same))
			at += (size_t)snprintf(known + at, sizeof(known) - at, " %s", kind->name);
	return BAD(c, "\"%.*s\" is no cost; near it%s; "
		   "\"wakelab machine --costs kunpeng920\" lists all", (int)(word.len > 30 ? 30 : word.len), word.p, same ? known : " is none");
}

static int key_cost(struct machine_card *c, struct machine_span rest)
{
	const struct machine_cost_kind *kind = NULL;
	struct machine_span name, value;
	struct machine_cost *cost;
	struct limits l;
	int rc;

	if (!machine_next_word(&rest, &name) || !machine_next_word(&rest, &value))
		return BAD(c, "expected \"cost NAME VALUE CLASS RANGE SOURCE\"");
	for (unsigned i = 0; (kind = machine_cost_kind(i)); i++)
		if (machine_span_is(name, kind->name))
			break;
	if (!kind)
		return unknown_cost(c, name);
	cost = (struct machine_cost *)((char *)c->costs + kind->offset);
	if (cost->source)
		return BAD(c, "%s is there twice", kind->name);
	l = limits_of(kind);
	rc = number(c, value, &l, kind->name, &cost->value);
	return rc ? rc : read_tail(c, rest, &l, cost);
}

static int read_kind(struct machine_card *c, struct machine_span word,
		     enum machine_idle_kind *out)
{
	for (unsigned i = 0; i <= MACHINE_IDLE_CEDE; i++) {
		if (!machine_span_is(word, machine_idle_kind_name(i)))
			continue;
		*out = i;
		return 0;
	}
	return BAD(c, "expected poll, mwait, halt or cede, found \"%.*s\"", CUT(word));
}

/* "exit 1000": the word and its ns. */
static int read_ns(struct machine_card *c, struct machine_span *rest, const char *what,
		   const struct limits *l, uint64_t *out)
{
	struct machine_span word;

	if (!machine_next_word(rest, &word) || !machine_span_is(word, what) ||
	    !machine_next_word(rest, &word))
		return BAD(c, "expected \"idle NAME KIND exit NS residency NS CLASS RANGE "
			   "SOURCE\"; no \"%s NS\"", what);
	return number(c, word, l, what, out);
}

/* Names are short and differ; states go from shallow to deep, as cpuidle drivers list them. */
static int check_state(struct machine_card *c, const struct machine_idle_state *state)
{
	const struct machine_costs *costs = c->costs;

	for (unsigned i = 0; i < costs->nr_idle; i++)
		if (!strcmp(costs->idle[i].name, state->name))
			return BAD(c, "idle state %s is there twice", state->name);
	if (costs->nr_idle &&
	    (costs->idle[costs->nr_idle - 1].exit.value > state->exit.value ||
	     costs->idle[costs->nr_idle - 1].residency.value > state->residency.value))
		return BAD(c, "idle state %s is shallower than the one before", state->name);
	return 0;
}

/* The residency is the governor's number: no range, and the class and source of the exit. */
static int key_idle(struct machine_card *c, struct machine_span rest)
{
	const struct limits l = { 0, IDLE_NS_MAX * 1000ull, true };
	struct machine_idle_state state = { .name = "" };
	struct machine_span name, kind;
	int rc;

	if (!machine_next_word(&rest, &name) || !machine_next_word(&rest, &kind))
		return BAD(c, "expected \"idle NAME KIND exit NS residency NS CLASS RANGE "
			   "SOURCE\"");
	if (name.len >= sizeof(state.name))
		return BAD(c, "names of idle states have at most %zu bytes",
			   sizeof(state.name) - 1);
	if (c->costs->nr_idle == MACHINE_IDLE_MAX)
		return BAD(c, "more than %d idle states", MACHINE_IDLE_MAX);
	memcpy(state.name, name.p, name.len);
	rc = read_kind(c, kind, &state.kind);
	if (!rc)
		rc = read_ns(c, &rest, "exit", &l, &state.exit.value);
	if (!rc)
		rc = read_ns(c, &rest, "residency", &l, &state.residency.value);
	if (!rc)
		rc = check_state(c, &state);
	if (!rc)
		rc = read_tail(c, rest, &l, &state.exit);
	if (rc)
		return rc;
	state.residency.low = state.residency.high = state.residency.value;
	state.residency.class = state.exit.class;
	state.residency.source = strdup(state.exit.source);
	if (!state.residency.source) {
		free(state.exit.source);
		return machine_nomem(c->err);
	}
	c->costs->idle[c->costs->nr_idle++] = state;
	return 0;
}

/* The last word of a line, but for a comment. */
static bool only_word(struct machine_span rest, struct machine_span *word)
{
	struct machine_span more;

	return machine_next_word(&rest, word) && *word->p != '#' &&
	       (!machine_next_word(&rest, &more) || *more.p == '#');
}

static int key_hz(struct machine_card *c, struct machine_span rest)
{
	struct machine_span word;
	unsigned long v;

	if (!only_word(rest, &word) || machine_parse_uint(word.p, word.len, HZ_MAX, &v) ||
	    v < HZ_MIN)
		return BAD(c, "expected CONFIG_HZ, from %u to %u", HZ_MIN, HZ_MAX);
	if (c->costs->hz)
		return BAD(c, "hz is there twice");
	c->costs->hz = (unsigned)v;
	return 0;
}

static int key_card(struct machine_card *c, struct machine_span rest)
{
	struct machine_error err = { "", "" };
	struct machine_span word;
	char *name;
	int rc;

	if (!only_word(rest, &word))
		return BAD(c, "expected the name of a card or a preset");
	if (c->base)
		return BAD(c, "card is there twice");
	name = strndup(word.p, word.len);
	rc = name ? machine_card_read(name, &c->base, &err) : machine_nomem(c->err);
	free(name);
	return rc == -ENOENT ? BAD(c, "%s", err.text) : rc;
}

int machine_card_line(struct machine_card *c, struct machine_span line)
{
	struct machine_span word;

	if (!c->costs)
		c->costs = machine_costs_new();
	if (!c->costs)
		return machine_nomem(c->err);
	machine_next_word(&line, &word);
	if (machine_span_is(word, "card"))
		return key_card(c, line);
	c->own = true;
	if (machine_span_is(word, "cost"))
		return key_cost(c, line);
	return machine_span_is(word, "idle") ? key_idle(c, line) : key_hz(c, line);
}

int machine_card_finish(struct machine_card *c, const char *title, struct machine_costs **out)
{
	*out = NULL;
	if (!c->costs)
		return 0;
	c->costs->card = strdup(c->own || !c->base ? title : c->base->card);
	if (!c->costs->card || (c->base && machine_costs_fill(c->costs, c->base)))
		return machine_nomem(c->err);
	*out = c->costs;
	c->costs = NULL;
	return 0;
}

void machine_card_drop(struct machine_card *c)
{
	machine_costs_free(c->costs);
	machine_costs_free(c->base);
	c->costs = c->base = NULL;
}

/* An embedded text: of cards first, as a preset may not have the name of one. */
static const char *embedded(const char *name, size_t *len)
{
	unsigned i;

	for (i = 0; machine_card_name(i); i++)
		if (!strcmp(machine_card_name(i), name))
			return machine_card_text(i, len);
	for (i = 0; machine_preset_name(i); i++)
		if (!strcmp(machine_preset_name(i), name))
			return machine_preset_text(i, len);
	return NULL;
}

static int no_such_card(const char *name, struct machine_error *err)
{
	char known[200] = "";
	size_t at = 0;
	unsigned i;

	for (i = 0; machine_preset_name(i) && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, " %s",
				       machine_preset_name(i));
	return machine_fail(err, -ENOENT, "card", "there is no card \"%.40s\"; there are common%s",
			    name, known);
}

int machine_card_read(const char *name, struct machine_costs **out, struct machine_error *err)
{
	struct machine_card card = { .name = name, .err = err };
	struct machine_span text, line, word, rest;
	int rc = 0;

	text.p = embedded(name, &text.len);
	if (!text.p)
		return no_such_card(name, err);
	for (card.line = 1; !rc && machine_next_line(&text, &line); card.line++) {
		rest = line;
		if (machine_next_word(&rest, &word) && machine_card_keyword(word))
			rc = machine_card_line(&card, line);
	}
	if (!rc)
		rc = machine_card_finish(&card, name, out);
	machine_card_drop(&card);
	return rc ? rc : *out ? 0 : no_such_card(name, err);
}
