// SPDX-License-Identifier: GPL-2.0-only
/* Numbers with fractions and units, exactly; and how messages show them. */
#include "workload/private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *text;
	int64_t scale;
	enum work_type type;
} units[] = {
	{ "", 1, VALUE_NUMBER },	 { "ns", 1, VALUE_TIME },
	{ "us", 1000, VALUE_TIME },	 { "ms", 1000000, VALUE_TIME },
	{ "s", 1000000000, VALUE_TIME }, { "k", 1000, VALUE_NUMBER },
	{ "M", 1000000, VALUE_NUMBER },	 { "Ki", 1024, VALUE_NUMBER },
	{ "Mi", 1048576, VALUE_NUMBER },
};

#define NR_UNITS	(sizeof(units) / sizeof(units[0]))

/* Digits at *p; *nr: how many. 1: too many. */
static int digits(const char **p, const char *end, int64_t *n, uint32_t *nr)
{
	*nr = 0;
	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++, (*nr)++) {
		if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, **p - '0', n))
			return 1;
	}
	return 0;
}

/* n with that many digits behind its point, times scale; 1: not a whole number; 2: too large */
static int shift(int64_t *n, uint32_t decimals, int64_t scale)
{
	if (__builtin_mul_overflow(*n, scale, n))
		return 2;
	for (; decimals; decimals--) {
		if (*n % 10)
			return 1;
		*n /= 10;
	}
	return 0;
}

int work_number(struct work_compile *c, uint32_t token, uint32_t scale, struct work_value *out)
{
	const struct work_token *t = &c->tokens[token];
	const char *p = (t->line ? c->text : c->given[t->given].value) + t->at;
	const char *end = p + t->len;
	uint32_t whole, decimals = 0, unit = 0;
	int bad;

	*out = (struct work_value){ VALUE_NUMBER, 0, WORK_NONE };
	bad = digits(&p, end, &out->n, &whole) ? 2 : 0;
	if (!bad && p < end && *p == '.') {
		p++;
		bad = digits(&p, end, &out->n, &decimals) ? 2 : 0;
	}
	while (!bad && unit < NR_UNITS && (strlen(units[unit].text) != (size_t)(end - p) ||
					   memcmp(units[unit].text, p, (size_t)(end - p))))
		unit++;
	if (unit == NR_UNITS)
		return work_fail(c, -EINVAL, token,
				 "\"%.*s\" is no unit; there are ns, us, ms, s, k, M, Ki, Mi",
				 end - p < 20 ? (int)(end - p) : 20, p);
	out->type = units[unit].type;
	if (!bad)
		bad = shift(&out->n, decimals, units[unit].scale * scale);
	if (bad)
		return work_fail(c, -EINVAL, token, "%s is %s", work_found(c, token),
				 bad == 1 ? "no whole number" : "too large");
	return 0;
}

void work_value_text(const struct work_compile *c, const struct work_value *v, char *buf,
		     size_t size)
{
	static const uint32_t larger[] = { 4, 3, 2, 1 };

	if (v->type == VALUE_WORD) {
		snprintf(buf, size, "%.*s", WORK_NAME(c, v->n));
		return;
	}
	if (v->type == VALUE_LIST) {
		snprintf(buf, size, "a list");
		return;
	}
	for (uint32_t i = 0; v->type == VALUE_TIME && i < 4; i++) {
		if (v->n % units[larger[i]].scale)
			continue;
		snprintf(buf, size, "%lld%s", (long long)(v->n / units[larger[i]].scale),
			 units[larger[i]].text);
		return;
	}
	snprintf(buf, size, "%lld", (long long)v->n);
}
