// SPDX-License-Identifier: GPL-2.0-only
/* What a load measures of itself. */
#include "workload/private.h"

#include <errno.h>
#include <string.h>

#define BITS_MAX	12	/* as stats_hist_new() */
#define FACTOR_MAX	1000000000000000LL

static const struct {
	uint16_t word;
	char text[4];
	uint64_t ns;
} time_units[] = {
	{ WORD_ns, "ns", 1 },
	{ WORD_us, "us", 1000 },
	{ WORD_ms, "ms", 1000000 },
	{ WORD_s, "s", 1000000000 },
};

static int parse_unit(struct work_compile *c, struct work_metric *m)
{
	const struct work_token *t = work_at(c);

	if (!work_is(c, TOKEN_TEXT))
		return 0;
	if (t->len >= sizeof(m->unit))
		return work_fail(c, -EINVAL, c->pos, "a unit of at most %zu characters",
				 sizeof(m->unit) - 1);
	memcpy(m->unit, c->text + t->at, t->len);
	c->pos++;
	return 0;
}

static int parse_factor(struct work_compile *c, uint64_t *out)
{
	uint32_t token = c->pos;
	struct work_value v;
	int rc = work_factor(c, &v);

	if (rc)
		return rc;
	if (v.type != VALUE_NUMBER || v.n < 1 || v.n > FACTOR_MAX)
		return work_fail(c, -EINVAL, token, "a factor is a number from 1 to %lld",
				 FACTOR_MAX);
	*out = (uint64_t)v.n;
	return 0;
}

/* "MB/s" * 5351 / 1000000 */
static int parse_rate(struct work_compile *c, struct work_metric *m)
{
	int rc = parse_unit(c, m);

	if (!rc && work_is(c, '*')) {
		c->pos++;
		rc = parse_factor(c, &m->numerator);
	}
	if (!rc && work_is(c, '/')) {
		c->pos++;
		rc = parse_factor(c, &m->denominator);
	}
	return rc;
}

static void parse_time_unit(struct work_compile *c, struct work_metric *m)
{
	for (unsigned i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
		if (!work_takes(c, time_units[i].word))
			continue;
		strcpy(m->unit, time_units[i].text);
		m->denominator = time_units[i].ns;
		return;
	}
}

/* 50 90 *99 99.9: the one with a star stands for the metric */
static int parse_percentiles(struct work_compile *c, struct work_metric *m)
{
	struct work_value v;
	int rc = 0;

	m->star = UINT8_MAX;
	while (!rc && (work_is(c, TOKEN_NUMBER) || work_is(c, '*'))) {
		if (work_is(c, '*')) {
			c->pos++;
			m->star = (uint8_t)m->nr_percentiles;
		}
		if (!work_is(c, TOKEN_NUMBER))
			return work_expect(c, TOKEN_NUMBER, "a percentile");
		rc = work_number(c, c->pos, 10000, &v);
		if (!rc && m->nr_percentiles == 8)
			rc = work_fail(c, -E2BIG, c->pos, "more than 8 percentiles");
		else if (!rc && (v.type != VALUE_NUMBER || v.n < 1 || v.n > 1000000))
			rc = work_fail(c, -EINVAL, c->pos, "a percentile is above 0, at most 100");
		if (!rc)
			m->percentile[m->nr_percentiles++] = (uint32_t)v.n;
		c->pos++;
	}
	return rc;
}

static void default_percentiles(struct work_metric *m)
{
	static const uint32_t defaults[] = { 500000, 900000, 990000, 999000 };

	if (m->nr_percentiles || m->mean)
		return;
	memcpy(m->percentile, defaults, sizeof(defaults));
	m->nr_percentiles = 4;
	m->star = 2;
}

static int parse_latency(struct work_compile *c, struct work_metric *m)
{
	int64_t bits;
	int rc;

	strcpy(m->unit, "ns");
	m->bucket = 1;
	m->bits = 8;
	parse_time_unit(c, m);
	rc = parse_percentiles(c, m);
	if (!rc && work_takes(c, WORD_mean))
		m->mean = 1;
	default_percentiles(m);
	if (m->star == UINT8_MAX)
		m->star = m->mean ? (uint8_t)m->nr_percentiles : 0;
	if (!rc && work_takes(c, WORD_bucket))
		rc = work_time(c, "a bucket", 1, &m->bucket);
	if (!rc && work_takes(c, WORD_bits)) {
		rc = work_count(c, "the bits of precision", 1, BITS_MAX, &bits);
		m->bits = rc ? 0 : (uint32_t)bits;
	}
	if (!rc && work_takes(c, WORD_drop)) {
		m->drops_zero = 1;
		if (!work_takes(c, WORD_zero))
			rc = work_expect(c, TOKEN_WORD, "zero");
	}
	return rc;
}

static int parse_metric(struct work_compile *c, struct work_metric *m)
{
	static const uint16_t kinds[] = { WORD_rate, WORD_latency, WORD_makespan, 0 };
	unsigned kind;
	int rc = work_choice(c, "a kind of metric", kinds, &kind);

	if (rc)
		return rc;
	m->kind = (uint8_t)kind;
	m->numerator = m->denominator = 1;
	m->lower_is_better = kind != WORK_RATE;
	if (kind == WORK_RATE) {
		rc = parse_rate(c, m);
	} else if (kind == WORK_LATENCY) {
		rc = parse_latency(c, m);
	} else {
		strcpy(m->unit, "s");
		m->denominator = 1000000000;
		parse_time_unit(c, m);
	}
	if (!rc && work_takes(c, WORD_lower))
		m->lower_is_better = 1;
	else if (!rc && work_takes(c, WORD_higher))
		m->lower_is_better = 0;
	return rc ? rc : work_expect_end(c);
}

int work_metric_statement(struct work_compile *c)
{
	struct work_metric *m;
	struct work_symbol *s;
	int rc = work_declare(c, SYMBOL_METRIC, &s);

	if (rc)
		return rc;
	if (s->is_array)
		return work_fail(c, -EINVAL, s->token, "a metric is no array");
	if (c->names[s->name].len >= sizeof(m->name))
		return work_fail(c, -EINVAL, s->token, "a name of at most %zu characters",
				 sizeof(m->name) - 1);
	if (c->w->nr_metrics == WORK_METRICS_MAX)
		return work_fail(c, -E2BIG, s->token, "more than %u metrics", WORK_METRICS_MAX);
	rc = work_grow(c, &c->w->metrics, &c->room[SYMBOL_METRIC], c->w->nr_metrics,
		       sizeof(*c->w->metrics));
	if (rc)
		return rc;
	s->first = c->w->nr_metrics++;
	m = &c->w->metrics[s->first];
	memcpy(m->name, c->names[s->name].text, c->names[s->name].len);
	return parse_metric(c, m);
}
