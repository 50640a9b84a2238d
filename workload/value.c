// SPDX-License-Identifier: GPL-2.0-only
/* What durations, sizes and counts may be: constants, distributions, mixes of them. */
#include "workload/private.h"

#include <errno.h>

/* An expression of the amount's kind. */
static int parse_one(struct work_compile *c, enum work_amount what, uint64_t *out)
{
	int64_t n = 0;
	int rc;

	if (what == AMOUNT_TIME)
		return work_time(c, "a duration", 0, out);
	if (what == AMOUNT_BYTES)
		rc = work_count(c, "a size", 1, WORK_MESSAGE_MAX, &n);
	else if (what == AMOUNT_LOOPS)
		rc = work_count(c, "a number of rounds", 0, WORK_TIME_MAX, &n);
	else
		rc = work_count(c, "a number", 0, WORK_TIME_MAX, &n);
	*out = (uint64_t)n;
	return rc;
}

static int parse_pair(struct work_compile *c, enum work_amount what, struct work_dist_spec *spec)
{
	uint32_t token = c->pos;
	int rc = 0;

	if (spec->shape == SHAPE_LOGNORMAL && !work_takes(c, WORD_median))
		return work_fail(c, -EINVAL, c->pos, "expected median, found %s",
				 work_found(c, c->pos));
	rc = parse_one(c, what, &spec->a);
	if (!rc && spec->shape == SHAPE_NORMAL && !work_takes(c, WORD_sd))
		return work_fail(c, -EINVAL, c->pos, "expected sd, found %s",
				 work_found(c, c->pos));
	if (!rc && spec->shape == SHAPE_LOGNORMAL && !work_takes(c, WORD_p90))
		return work_fail(c, -EINVAL, c->pos, "expected p90, found %s",
				 work_found(c, c->pos));
	rc = rc ? rc : parse_one(c, what, &spec->b);
	if (!rc && spec->shape != SHAPE_NORMAL && spec->b < spec->a)
		return work_fail(c, -EINVAL, token, "the second value is less than the first");
	if (!rc && spec->shape == SHAPE_LOGNORMAL && (!spec->a || spec->b / spec->a > 1000))
		return work_fail(c, -EINVAL, token,
				 "p90 is at most 1000 times the median, which is not 0");
	return rc;
}

/* "exp 10us", "uniform A B", "normal M sd S", "lognormal median M p90 P" or an expression */
static int parse_spec(struct work_compile *c, enum work_amount what, struct work_dist_spec *spec)
{
	int rc;

	*spec = (struct work_dist_spec){ .weight = 1,
					 .least = what == AMOUNT_BYTES || what == AMOUNT_LOOPS };
	if (work_takes(c, WORD_exp)) {
		uint32_t token = c->pos;

		spec->shape = SHAPE_EXP;
		rc = parse_one(c, what, &spec->a);
		if (!rc && spec->least && spec->a > WORK_MESSAGE_MAX / 32)
			rc = work_fail(c, -E2BIG, token, "a mean of more than %u",
				       WORK_MESSAGE_MAX / 32);
		return rc;
	}
	if (work_takes(c, WORD_uniform))
		spec->shape = SHAPE_UNIFORM;
	else if (work_takes(c, WORD_normal))
		spec->shape = SHAPE_NORMAL;
	else if (work_takes(c, WORD_lognormal))
		spec->shape = SHAPE_LOGNORMAL;
	else
		spec->shape = SHAPE_CONSTANT;
	if (spec->shape != SHAPE_CONSTANT)
		return parse_pair(c, what, spec);
	rc = parse_one(c, what, &spec->a);
	spec->b = spec->a;
	return rc;
}

static int parse_part(struct work_compile *c, enum work_amount what, struct work_dist_spec *spec)
{
	int64_t weight;
	int rc = work_count(c, "a weight", 1, INT32_MAX, &weight);

	rc = rc ? rc : work_expect(c, ':', ": behind the weight");
	rc = rc ? rc : parse_spec(c, what, spec);
	spec->weight = (uint64_t)weight;
	return rc;
}

/* "mix { 8: 45us, 4: uniform 150us 250us }" over as many lines as it likes */
static int parse_mix(struct work_compile *c, enum work_amount what, struct work_dist_key *key)
{
	int rc = work_expect(c, '{', "{");

	do {
		work_skip_lines(c);
		if (!rc && key->nr == WORK_PARTS_MAX)
			rc = work_fail(c, -E2BIG, c->pos, "a mix of more than %u parts",
				       WORK_PARTS_MAX);
		rc = rc ? rc : parse_part(c, what, &key->spec[key->nr]);
		key->nr++;
		work_skip_lines(c);
	} while (!rc && work_is(c, ',') && (c->pos++, 1));
	return rc ? rc : work_expect(c, '}', ", or }");
}

int work_amount(struct work_compile *c, enum work_amount what, struct work_op *op)
{
	struct work_dist_key key = { .nr = 0 };
	uint32_t token = c->pos;
	int rc;

	if (work_takes(c, WORD_mix)) {
		rc = parse_mix(c, what, &key);
	} else {
		key.nr = 1;
		rc = parse_spec(c, what, &key.spec[0]);
	}
	if (rc)
		return rc;
	op->value = key.spec[0].a;
	op->dist = WORK_NONE;
	if (key.nr == 1 && key.spec[0].shape == SHAPE_CONSTANT)
		return 0;
	op->value = 0;
	return work_dist_make(c, token, &key, &op->dist);
}
