// SPDX-License-Identifier: GPL-2.0-only
/*
 * Integer expressions, by a stack of values and one of operators. A value is a number, a
 * time or a word; sums and comparisons need two of a kind (0 is of any), a product at
 * most one time.
 */
#include "workload/private.h"

#include <errno.h>
#include <stdio.h>

#define DEPTH_MAX	64

enum { OP_NEGATE = 1000, OP_NOT, OP_MIN, OP_MAX };

struct operator {
	uint16_t kind;		/* a token's, or above */
	uint8_t arguments;	/* of the function before a ( */
	uint32_t token;
};

struct stacks {
	struct work_compile *c;
	struct work_value values[DEPTH_MAX];
	struct operator operators[DEPTH_MAX];
	uint32_t nr_values, nr_operators;
};

static int precedence(uint16_t kind)
{
	switch (kind) {
	case TOKEN_OR:
		return 1;
	case TOKEN_AND:
		return 2;
	case TOKEN_EQUAL:
	case TOKEN_DIFFER:
		return 3;
	case '<':
	case '>':
	case TOKEN_AT_MOST:
	case TOKEN_AT_LEAST:
		return 4;
	case '+':
	case '-':
		return 5;
	case '*':
	case '/':
	case '%':
		return 6;
	case OP_NEGATE:
	case OP_NOT:
		return 7;
	default:
		return 0;
	}
}

static int push_value(struct stacks *s, struct work_value v)
{
	if (s->nr_values == DEPTH_MAX)
		return work_fail(s->c, -E2BIG, s->c->pos, "an expression too deep");
	s->values[s->nr_values++] = v;
	return 0;
}

static int push_operator(struct stacks *s, uint16_t kind)
{
	if (s->nr_operators == DEPTH_MAX)
		return work_fail(s->c, -E2BIG, s->c->pos, "an expression too deep");
	s->operators[s->nr_operators++] = (struct operator){ kind, 0, s->c->pos };
	return 0;
}

/* A word compared with a parameter must be one that it can be. */
static int check_choice(struct work_compile *c, uint32_t token, const struct work_value *a,
			const struct work_value *b)
{
	const struct work_variable *v;

	if (a->variable == WORK_NONE || b->variable != WORK_NONE)
		return 0;
	v = &c->variables[a->variable];
	if (v->choices == WORK_NONE)
		return 0;
	for (uint32_t t = v->choices; c->tokens[t].kind == TOKEN_WORD; t += 2) {
		if (c->tokens[t].ref == (uint32_t)b->n)
			return 0;
		if (c->tokens[t + 1].kind != '|')
			break;
	}
	return work_fail(c, -EINVAL, token, "$%.*s is never %.*s", WORK_NAME(c, v->name),
			 WORK_NAME(c, b->n));
}

static int compare_words(struct work_compile *c, const struct operator *op, struct work_value *a,
			 const struct work_value *b)
{
	int rc;

	if (b->type != VALUE_WORD || a->type != VALUE_WORD ||
	    (op->kind != TOKEN_EQUAL && op->kind != TOKEN_DIFFER))
		return work_fail(c, -EINVAL, op->token, "a word can only be compared with a word");
	rc = check_choice(c, op->token, a, b);
	rc = rc ? rc : check_choice(c, op->token, b, a);
	*a = (struct work_value){ VALUE_NUMBER, (a->n == b->n) == (op->kind == TOKEN_EQUAL),
				  WORK_NONE };
	return rc;
}

/* What the result is: of the same kind as both, or by the rules of products. 0: wrong. */
static int result_type(uint16_t kind, const struct work_value *a, const struct work_value *b,
		       enum work_type *type)
{
	int times = (a->type == VALUE_TIME) + (b->type == VALUE_TIME);

	*type = a->type;
	switch (kind) {
	case '*':
		*type = times ? VALUE_TIME : VALUE_NUMBER;
		return times < 2;
	case '/':
		*type = times == 1 ? VALUE_TIME : VALUE_NUMBER;
		return b->type == VALUE_NUMBER || times == 2;
	case TOKEN_AND:
	case TOKEN_OR:
		return !times;
	default:
		if (times == 1 && a->type == VALUE_NUMBER && !a->n)
			*type = VALUE_TIME;
		else if (times == 1 && (b->type == VALUE_TIME || b->n))
			return 0;
		if (kind != '+' && kind != '-' && kind != '%' && kind != OP_MIN && kind != OP_MAX)
			*type = VALUE_NUMBER;
		return 1;
	}
}

static int64_t judge(uint16_t kind, int64_t a, int64_t b)
{
	switch (kind) {
	case '<':
		return a < b;
	case '>':
		return a > b;
	case TOKEN_AT_MOST:
		return a <= b;
	case TOKEN_AT_LEAST:
		return a >= b;
	case TOKEN_EQUAL:
		return a == b;
	case TOKEN_DIFFER:
		return a != b;
	case TOKEN_AND:
		return a && b;
	default:
		return a || b;
	}
}

/* 1: overflow */
static int compute(uint16_t kind, int64_t a, int64_t b, int64_t *n)
{
	switch (kind) {
	case '+':
		return __builtin_add_overflow(a, b, n);
	case '-':
		return __builtin_sub_overflow(a, b, n);
	case '*':
		return __builtin_mul_overflow(a, b, n);
	case '/':
	case '%':
		if (a == INT64_MIN && b == -1)
			return 1;
		*n = kind == '/' ? a / b : a % b;
		return 0;
	case OP_MIN:
	case OP_MAX:
		*n = (a < b) == (kind == OP_MIN) ? a : b;
		return 0;
	default:
		*n = judge(kind, a, b);
		return 0;
	}
}

static int apply_one(struct work_compile *c, const struct operator *op, struct work_value *v)
{
	v->variable = WORK_NONE;
	if (v->type == VALUE_WORD || v->type == VALUE_LIST ||
	    (op->kind == OP_NOT && v->type != VALUE_NUMBER))
		return work_fail(c, -EINVAL, op->token, "%s needs a number", op->kind == OP_NOT ?
				 "!" : "-");
	if (op->kind == OP_NOT)
		v->n = !v->n;
	else if (__builtin_sub_overflow(0, v->n, &v->n))
		return work_fail(c, -EINVAL, op->token, "the result is too large");
	return 0;
}

static int apply(struct stacks *s, const struct operator *op)
{
	struct work_value *a, *b;
	struct work_compile *c = s->c;

	if (op->kind == OP_NEGATE || op->kind == OP_NOT)
		return apply_one(c, op, &s->values[s->nr_values - 1]);
	b = &s->values[--s->nr_values];
	a = b - 1;
	if (a->type == VALUE_LIST || b->type == VALUE_LIST)
		return work_fail(c, -EINVAL, op->token, "a list of CPUs is no number");
	if (a->type == VALUE_WORD || b->type == VALUE_WORD)
		return compare_words(c, op, a, b);
	a->variable = WORK_NONE;
	if (!result_type(op->kind, a, b, &a->type))
		return work_fail(c, -EINVAL, op->token,
				 "a time and a plain number don't go together here");
	if ((op->kind == '/' || op->kind == '%') && !b->n)
		return work_fail(c, -EINVAL, op->token, "division by zero");
	if (compute(op->kind, a->n, b->n, &a->n))
		return work_fail(c, -EINVAL, op->token, "the result is too large");
	return 0;
}

/* Applies what binds at least as strongly. */
static int reduce(struct stacks *s, int least)
{
	int rc = 0;

	while (!rc && s->nr_operators &&
	       precedence(s->operators[s->nr_operators - 1].kind) >= least)
		rc = apply(s, &s->operators[--s->nr_operators]);
	return rc;
}

static int variable(struct stacks *s)
{
	struct work_compile *c = s->c;
	uint32_t v = c->names[work_at(c)->ref].variable;

	if (v == WORK_NONE)
		return work_fail(c, -EINVAL, c->pos, "%s is not known here",
				 work_found(c, c->pos));
	if (!c->variables[v].bound)
		return work_fail(c, -EINVAL, c->pos, v == c->self ?
				 "%s is only known in a task or an array" :
				 "%s is only known inside its for", work_found(c, c->pos));
	return push_value(s, c->variables[v].value);
}

static int word(struct stacks *s)
{
	struct work_compile *c = s->c;
	uint32_t name = work_at(c)->ref;
	int rc;

	if ((name != WORD_min && name != WORD_max) || c->tokens[c->pos + 1].kind != '(')
		return push_value(s, (struct work_value){ VALUE_WORD, name, WORK_NONE });
	rc = push_operator(s, name == WORD_min ? OP_MIN : OP_MAX);
	c->pos++;
	rc = rc ? rc : push_operator(s, '(');
	if (!rc)
		s->operators[s->nr_operators - 1].arguments = 1;
	return rc;
}

/* One token where a value has to come; *wanted: still so. */
static int take_operand(struct stacks *s, int *wanted)
{
	struct work_compile *c = s->c;
	struct work_value v;
	int rc;

	switch (work_at(c)->kind) {
	case TOKEN_NUMBER:
		*wanted = 0;
		rc = work_number(c, c->pos, 1, &v);
		return rc ? rc : push_value(s, v);
	case TOKEN_VARIABLE:
		*wanted = 0;
		return variable(s);
	case TOKEN_WORD:
		rc = word(s);
		*wanted = work_is(c, '(');
		return rc;
	case '(':
		return push_operator(s, '(');
	case '-':
		return push_operator(s, OP_NEGATE);
	case '!':
		return push_operator(s, OP_NOT);
	default:
		return work_fail(c, -EINVAL, c->pos, "expected a value, found %s",
				 work_found(c, c->pos));
	}
}

/* At , or ): 1 if it belongs to an outer parenthesis or to none. */
static int close(struct stacks *s, int *wanted)
{
	struct work_compile *c = s->c;
	struct operator *op;
	int rc = reduce(s, 1);

	if (rc)
		return rc;
	if (!s->nr_operators)
		return 1;
	op = &s->operators[s->nr_operators - 1];
	if (work_is(c, ',')) {
		*wanted = 1;
		if (op->arguments != 1)
			return work_fail(c, -EINVAL, c->pos, "a , where none belongs");
		op->arguments = 2;
		return 0;
	}
	s->nr_operators--;
	if (!op->arguments)
		return 0;
	if (op->arguments != 2)
		return work_fail(c, -EINVAL, c->pos, "min() and max() take two values");
	return apply(s, &s->operators[--s->nr_operators]);
}

/* One token behind a value; 1: the expression ends before it. */
static int take_operator(struct stacks *s, int *wanted)
{
	uint16_t kind = work_at(s->c)->kind;
	int rc;

	if (kind == ',' || kind == ')')
		return close(s, wanted);
	if (!precedence(kind))
		return 1;
	rc = reduce(s, precedence(kind));
	*wanted = 1;
	return rc ? rc : push_operator(s, kind);
}

int work_expression(struct work_compile *c, struct work_value *out)
{
	struct stacks s;
	int wanted = 1, rc = 0;

	s.c = c;
	s.nr_values = s.nr_operators = 0;
	while (!rc) {
		rc = work_step(c, 1);
		if (!rc)
			rc = wanted ? take_operand(&s, &wanted) : take_operator(&s, &wanted);
		if (!rc)
			c->pos++;
	}
	if (rc < 0)
		return rc;
	rc = reduce(&s, 1);
	if (rc)
		return rc;
	if (s.nr_operators)
		return work_fail(c, -EINVAL, s.operators[s.nr_operators - 1].token,
				 "a ( without its )");
	*out = s.values[0];
	return 0;
}

/* A number, a variable, or an expression in parentheses. */
int work_factor(struct work_compile *c, struct work_value *out)
{
	struct stacks s;
	int wanted = 1, rc;

	s.c = c;
	s.nr_values = s.nr_operators = 0;
	if (work_is(c, '(')) {
		c->pos++;
		rc = work_expression(c, out);
		return rc ? rc : work_expect(c, ')', ")");
	}
	if (!work_is(c, TOKEN_NUMBER) && !work_is(c, TOKEN_VARIABLE))
		return work_fail(c, -EINVAL, c->pos, "expected a number, found %s",
				 work_found(c, c->pos));
	rc = take_operand(&s, &wanted);
	c->pos++;
	*out = s.values[0];
	return rc;
}

int work_count(struct work_compile *c, const char *what, int64_t least, int64_t most, int64_t *out)
{
	uint32_t token = c->pos;
	struct work_value v;
	char text[64];
	int rc = work_expression(c, &v);

	if (rc)
		return rc;
	work_value_text(c, &v, text, sizeof(text));
	if (v.type != VALUE_NUMBER && !(v.type == VALUE_TIME && !v.n))
		return work_fail(c, -EINVAL, token, "%s is a plain number, not %s", what, text);
	if (v.n < least || v.n > most)
		return work_fail(c, v.n > most ? -E2BIG : -EINVAL, token,
				 "%s is from %lld to %lld, not %lld", what, (long long)least,
				 (long long)most, (long long)v.n);
	*out = v.n;
	return 0;
}

int work_time(struct work_compile *c, const char *what, int64_t least, uint64_t *out)
{
	uint32_t token = c->pos;
	struct work_value v;
	char text[64];
	int rc = work_expression(c, &v);

	if (rc)
		return rc;
	work_value_text(c, &v, text, sizeof(text));
	if (v.type != VALUE_TIME && !(v.type == VALUE_NUMBER && !v.n))
		return work_fail(c, -EINVAL, token, "%s needs a unit (ns, us, ms, s): %s", what, text);
	if (v.n < least || v.n > (int64_t)WORK_TIME_MAX)
		return work_fail(c, -EINVAL, token, "%s is from %lldns to %llus, not %s", what,
				 (long long)least, WORK_TIME_MAX / 1000000000, text);
	*out = (uint64_t)v.n;
	return 0;
}

int work_choice(struct work_compile *c, const char *what, const uint16_t *words, unsigned *out)
{
	uint32_t token = c->pos, len = 0;
	struct work_value v;
	char known[128] = "";
	int rc = work_expression(c, &v);

	if (rc)
		return rc;
	for (*out = 0; words[*out]; (*out)++) {
		if (v.type == VALUE_WORD && v.n == words[*out])
			return 0;
		len += (uint32_t)snprintf(known + len, sizeof(known) - len, "%s%.*s",
					  *out ? ", " : "", WORK_NAME(c, words[*out]));
	}
	return work_fail(c, -EINVAL, token, "expected %s (%s), found %s", what, known,
			 work_found(c, token));
}
