// SPDX-License-Identifier: GPL-2.0-only
/* Parameters: what the load declares, what the user gives; and what is derived by let. */
#include "workload/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVEN_MAX	64

/* Up to the next comma that isn't inside a value, as in "pin=0,4,bytes=1". */
static size_t piece(const char *p)
{
	size_t len = 0, comma;

	for (;;) {
		len += strcspn(p + len, ",");
		if (!p[len])
			return len;
		comma = len + 1;
		if (strcspn(p + comma, "=") < strcspn(p + comma, ","))
			return len;
		len = comma;
	}
}

int work_split_given(struct work_compile *c, const char *parameters)
{
	const char *p = parameters ? parameters : "";
	struct work_given *g;

	c->given = calloc(GIVEN_MAX, sizeof(*c->given));
	if (!c->given)
		return work_nomem(c);
	while (*p) {
		size_t len = piece(p), name = strcspn(p, "=");

		if (c->nr_given == GIVEN_MAX)
			return work_fail_place(c->err, -E2BIG, c->file,
					       "more than %u parameters are given", GIVEN_MAX);
		if (name >= len || !name || len > 4096)
			return work_fail_place(c->err, -EINVAL, c->file,
					       "expected PARAMETER=VALUE, found \"%.*s\"",
					       len < 60 ? (int)len : 60, p);
		g = &c->given[c->nr_given++];
		*g = (struct work_given){ p, p + name + 1, (uint32_t)name,
					  (uint32_t)(len - name - 1), 0 };
		p += len + (p[len] == ',');
	}
	return 0;
}

uint32_t work_variable_add(struct work_compile *c, uint32_t name)
{
	struct work_variable *v;

	if (c->nr_variables == WORK_VARIABLES_MAX)
		return WORK_NONE;
	v = &c->variables[c->nr_variables];
	*v = (struct work_variable){ .name = name, .choices = WORK_NONE,
				     .value = { VALUE_NUMBER, 0, WORK_NONE } };
	c->names[name].variable = c->nr_variables;
	return c->nr_variables++;
}

/* "NAME" of a param or let: a new variable. */
static int new_variable(struct work_compile *c, uint32_t *variable)
{
	uint32_t token = c->pos, name;
	int rc = work_expect_name(c, "a name", &name);

	if (rc)
		return rc;
	if (memchr(c->names[name].text, '-', c->names[name].len))
		return work_fail(c, -EINVAL, token, "%s: $a-b is a difference, use _",
				 work_found(c, token));
	if (c->names[name].variable != WORK_NONE)
		return work_fail(c, -EINVAL, token, "$%.*s is there already",
				 WORK_NAME(c, name));
	*variable = work_variable_add(c, name);
	if (*variable == WORK_NONE)
		return work_fail(c, -E2BIG, token, "more than %u variables", WORK_VARIABLES_MAX);
	return 0;
}

static int find_given(struct work_compile *c, uint32_t name, uint32_t *given)
{
	*given = WORK_NONE;
	for (uint32_t i = 0; i < c->nr_given; i++) {
		struct work_given *g = &c->given[i];

		if (g->name_len != c->names[name].len ||
		    memcmp(g->name, c->names[name].text, g->name_len))
			continue;
		if (*given != WORK_NONE)
			return work_fail_place(c->err, -EINVAL, c->file,
					       "parameter %.*s is given twice", (int)g->name_len,
					       g->name);
		g->used = 1;
		*given = i;
	}
	return 0;
}

/* "pipe|unix|tcp": the words it can be. */
static int parse_choices(struct work_compile *c, struct work_variable *v)
{
	uint32_t name;
	int rc;

	v->choices = c->pos;
	do {
		rc = work_expect_name(c, "a word", &name);
	} while (!rc && work_is(c, '|') && (c->pos++, 1));
	return rc;
}

struct limits {
	struct work_value min, max;
	uint8_t has_min, has_max;
};

static int parse_limits(struct work_compile *c, struct limits *limits)
{
	int rc = 0;

	*limits = (struct limits){ 0 };
	if (work_takes(c, WORD_min)) {
		limits->has_min = 1;
		rc = work_expression(c, &limits->min);
	}
	if (!rc && work_takes(c, WORD_max)) {
		limits->has_max = 1;
		rc = work_expression(c, &limits->max);
	}
	return rc;
}

static int same_kind(const struct work_value *a, const struct work_value *b)
{
	return a->type == b->type || (a->type == VALUE_NUMBER && !a->n) ||
	       (b->type == VALUE_NUMBER && !b->n);
}

static int check_limit(struct work_compile *c, uint32_t token, const struct work_value *v,
		       const struct work_value *limit, int is_max)
{
	char text[64], bound[64];

	work_value_text(c, v, text, sizeof(text));
	work_value_text(c, limit, bound, sizeof(bound));
	if (!same_kind(v, limit))
		return work_fail(c, -EINVAL, token, "%s: expected a value like %s%s", text, bound,
				 limit->type == VALUE_TIME ? ", with a unit" : "");
	if (is_max ? v->n > limit->n : v->n < limit->n)
		return work_fail(c, -EINVAL, token, "%s is %s than %s", text,
				 is_max ? "more" : "less", bound);
	return 0;
}

static int check_word(struct work_compile *c, uint32_t token, const struct work_variable *v,
		      const struct work_value *value)
{
	uint32_t t = v->choices, len = 0;
	char known[160] = "";

	for (;; t += 2) {
		if (value->type == VALUE_WORD && c->tokens[t].ref == (uint32_t)value->n)
			return 0;
		if (len < sizeof(known))
			len += (uint32_t)snprintf(known + len, sizeof(known) - len, "%s%.*s",
						  t == v->choices ? "" : ", ",
						  WORK_NAME(c, c->tokens[t].ref));
		if (c->tokens[t + 1].kind != '|')
			break;
	}
	return work_fail(c, -EINVAL, token, "expected one of %s, found %s", known,
			 work_found(c, token));
}

/* The value at pos, up to the end of what is there, within what is allowed. */
static int parse_value(struct work_compile *c, struct work_variable *v,
		       const struct limits *limits, const struct work_value *like)
{
	uint32_t token = c->pos;
	struct work_value value;
	int rc = work_expression(c, &value);

	rc = rc ? rc : work_expect_end(c);
	if (!rc && v->choices != WORK_NONE)
		rc = check_word(c, token, v, &value);
	else if (!rc && (value.type == VALUE_WORD || value.type == VALUE_LIST))
		rc = work_fail(c, -EINVAL, token, "expected a number, found %s",
			       work_found(c, token));
	if (!rc && like && !same_kind(&value, like))
		rc = work_fail(c, -EINVAL, token, like->type == VALUE_TIME ?
			       "%s needs a unit (ns, us, ms, s)" :
			       "%s: a plain number is expected", work_found(c, token));
	if (!rc && limits->has_min)
		rc = check_limit(c, token, &value, &limits->min, 0);
	if (!rc && limits->has_max)
		rc = check_limit(c, token, &value, &limits->max, 1);
	if (!rc && like && !value.n)
		value.type = like->type;
	v->value.type = value.type;
	v->value.n = value.n;
	return rc;
}

static int parse_number(struct work_compile *c, uint32_t variable, const struct limits *limits,
			uint32_t given)
{
	struct work_variable *v = &c->variables[variable];
	uint32_t behind, token;
	struct work_value like;
	int rc = parse_value(c, v, limits, NULL);

	if (rc || given == WORK_NONE)
		return rc;
	like = v->value;
	behind = c->pos;
	rc = work_lex_given(c, given, &token);
	if (rc)
		return rc;
	c->pos = token;
	rc = parse_value(c, v, limits, v->choices == WORK_NONE ? &like : NULL);
	if (!rc)
		rc = work_expect(c, TOKEN_END, "its end");
	c->pos = behind;
	return rc;
}

/* "-" or "0-3,8": CPUs. */
static int parse_list(struct work_compile *c, struct work_variable *v, uint32_t given)
{
	const struct work_token *t = work_at(c);
	uint32_t token = c->pos++;
	int rc;

	v->value.type = VALUE_LIST;
	v->value.variable = (uint32_t)(v - c->variables);
	if (given == WORK_NONE)
		return work_parse_list(c, token, c->text + t->at, t->len, &v->list, &v->nr);
	rc = work_grow(c, &c->tokens, &c->room_tokens, c->nr_tokens, sizeof(*c->tokens));
	if (rc)
		return rc;
	/* a token only for the place in messages */
	c->tokens[c->nr_tokens] = (struct work_token){ .kind = TOKEN_END,
						       .given = (uint16_t)given };
	return work_parse_list(c, c->nr_tokens++, c->given[given].value,
			       c->given[given].value_len, &v->list, &v->nr);
}

static int is_list_value(const struct work_compile *c)
{
	uint16_t next = c->tokens[c->pos + 1].kind;

	return work_is(c, TOKEN_TEXT) || (work_is(c, '-') && (next == TOKEN_LINE ||
							      next == TOKEN_END || next == '}'));
}

int work_parameter(struct work_compile *c)
{
	uint32_t variable, given, token = c->pos;
	struct limits limits;
	struct work_variable *v;
	int rc = new_variable(c, &variable);

	if (rc)
		return rc;
	v = &c->variables[variable];
	v->is_parameter = 1;
	v->value.variable = variable;
	if (!c->names[v->name].used)
		return work_fail(c, -EINVAL, token, "parameter %.*s is never used",
				 WORK_NAME(c, v->name));
	rc = find_given(c, v->name, &given);
	if (!rc && work_is(c, TOKEN_WORD) && !work_is_word(c, WORD_min) &&
	    !work_is_word(c, WORD_max))
		rc = parse_choices(c, v);
	rc = rc ? rc : parse_limits(c, &limits);
	rc = rc ? rc : work_expect(c, '=', "= and a default");
	if (!rc && is_list_value(c))
		rc = parse_list(c, v, given);
	else if (!rc)
		rc = parse_number(c, variable, &limits, given);
	v->bound = 1;
	return rc;
}

int work_let(struct work_compile *c)
{
	uint32_t variable;
	int rc = new_variable(c, &variable);

	rc = rc ? rc : work_expect(c, '=', "=");
	if (!rc) {
		rc = work_expression(c, &c->variables[variable].value);
		c->variables[variable].bound = 1;
	}
	return rc;
}

/* After all declarations: is there something given that no parameter took? */
int work_check_given(struct work_compile *c)
{
	char known[160] = "";
	uint32_t len = 0;

	for (uint32_t i = 0; i < c->nr_variables; i++) {
		if (c->variables[i].is_parameter && len < sizeof(known))
			len += (uint32_t)snprintf(known + len, sizeof(known) - len, "%s%.*s",
						  len ? ", " : "",
						  WORK_NAME(c, c->variables[i].name));
	}
	for (uint32_t i = 0; i < c->nr_given; i++) {
		if (!c->given[i].used)
			return work_fail_place(c->err, -EINVAL, c->file,
					       "no parameter %.*s; there are: %s",
					       c->given[i].name_len < 40 ?
					       (int)c->given[i].name_len : 40,
					       c->given[i].name, len ? known : "none");
	}
	return 0;
}
