// SPDX-License-Identifier: GPL-2.0-only
/*
 * Distributions: means, moments and quantiles of draws, and the same tables from every
 * compiler.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>
#include "workload_test.h"

#define DRAWS	(1u << 24)

/* A load whose task draws from that distribution; kept until the next one. */
static struct workload *current;

static const struct work_dist *dist_of(const char *statement)
{
	struct work_error err;
	char text[512];

	workload_free(current);
	current = NULL;
	snprintf(text, sizeof(text), "load x\nchannel c pipe\ntask t { %s; recv c; send c 1 }\n",
		 statement);
	if (compile_with(text, NULL, &current, &err))
		fail_msg("%s: %s", err.place, err.text);
	assert_int_not_equal(current->ops[0].dist, WORK_NONE);
	return &current->dists[current->ops[0].dist];
}

/* As the simulator's: the finaliser of splitmix64 over a Weyl sequence. */
static uint64_t random_of(uint64_t n)
{
	uint64_t x = (n + 1) * 0x9e3779b97f4a7c15ULL;

	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

struct moments {
	double mean, second, variance;
	uint64_t min, max;
};

/* One random number in each of DRAWS equal parts of all: closer to the truth than chance. */
static uint64_t stratified(uint64_t i)
{
	return i << 40 | random_of(i) >> 24;
}

static struct moments draw_many(const struct work_dist *d, uint64_t (*random)(uint64_t i))
{
	struct moments m = { 0.0, 0.0, 0.0, UINT64_MAX, 0 };

	for (uint64_t i = 0; i < DRAWS; i++) {
		uint64_t x = work_draw(d, random(i));

		m.mean += (double)x;
		m.second += (double)x * (double)x;
		m.min = x < m.min ? x : m.min;
		m.max = x > m.max ? x : m.max;
	}
	m.mean /= DRAWS;
	m.second /= DRAWS;
	m.variance = m.second - m.mean * m.mean;
	return m;
}

static double share_below(const struct work_dist *d, double limit)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < DRAWS / 4; i++)
		n += (double)work_draw(d, random_of(i)) < limit;
	return (double)n / (DRAWS / 4);
}

#define NEAR(x, y, relative)	assert_true(fabs((double)(x) / (y) - 1.0) < (relative))
#define WITHIN(x, y, most)	assert_true(fabs((double)(x) - (y)) < (most))

static void exponential(void **state)
{
	const struct work_dist *d = dist_of("run exp 10us");
	struct moments m = draw_many(d, random_of);

	(void)state;
	NEAR(m.mean, 1e4, 0.001);	/* standard error 0.00024 */
	NEAR(m.second, 2e8, 0.002);	/* 0.00055 */
	WITHIN(share_below(d, 1e4 * log(2.0)), 0.5, 0.001);
	WITHIN(share_below(d, 1e3), 1.0 - exp(-0.1), 0.001);
	WITHIN(share_below(d, 3e4), 1.0 - exp(-3.0), 0.0005);
	WITHIN(share_below(d, 7e4), 1.0 - exp(-7.0), 0.00005);
	/* 2^24 draws: a maximum below 10 or above 30 means has a chance of 1 in 10^9 */
	assert_true(m.max > 100000 && m.max < 300000);
	assert_int_equal(m.min, 0);
	m = draw_many(d, stratified);
	NEAR(m.mean, 1e4, 0.0001);
	NEAR(m.second, 2e8, 0.0002);
}

/* Exactly, by the table instead of draws: its steps and halvings, integrated. */
static void exponential_table(void **state)
{
	const struct work_dist *d = dist_of("sleep exp 1ms");
	double mean = 0.0, second = 0.0, unit = 256e6, tail = (double)d->tail / unit;

	(void)state;
	for (int i = 0; i < WORK_QUANTILES - 1; i++) {
		double a = (double)d->quantile[i] / unit, b = (double)d->quantile[i + 1] / unit;

		NEAR(b + 1.0, 1.0 - log(1.0 - (i + 1) / 2048.0), 1e-8);
		mean += (a + b) / 2.0 / (WORK_QUANTILES - 1);
		second += (a * a + a * b + b * b) / 3.0 / (WORK_QUANTILES - 1);
	}
	NEAR(tail, log(2.0), 1e-8);
	/* x = y + n tail, n geometric with mean 1 and second moment 3 */
	NEAR(mean + tail, 1.0, 1e-6);
	NEAR(second + 2.0 * mean * tail + 3.0 * tail * tail, 2.0, 1e-6);
}

static void uniform(void **state)
{
	const struct work_dist *d = dist_of("run uniform 30ms 37.5ms");
	struct moments m = draw_many(d, stratified);

	(void)state;
	NEAR(m.mean, 33.75e6, 0.0001);
	NEAR(m.variance, 7.5e6 * 7.5e6 / 12.0, 0.002);
	assert_true(m.min >= 30000000 && m.max <= 37500000);
	assert_true(m.min < 30000100 && m.max > 37499900);
	assert_int_equal(work_draw(d, 0), 30000000);
	assert_int_equal(work_draw(d, UINT64_MAX), 37500000);
	WITHIN(share_below(d, 31e6), 1.0 / 7.5, 0.001);
}

static void normal(void **state)
{
	struct moments m = draw_many(dist_of("run normal 8ms sd 400us"), stratified);
	const struct work_dist *d;

	(void)state;
	NEAR(m.mean, 8e6, 0.0001);
	NEAR(m.variance, 400e3 * 400e3, 0.002);
	assert_true(m.max > 8000000 + 4.4 * 400000 && m.max < 8000000 + 5.5 * 400000);
	WITHIN(share_below(&current->dists[0], 8e6 - 400e3), 0.158655, 0.001);
	WITHIN(share_below(&current->dists[0], 8e6 + 2 * 400e3), 0.977250, 0.0005);
	WITHIN(1.0 - share_below(&current->dists[0], 8e6 + 4 * 400e3), 3.167e-5, 1e-5);
	d = dist_of("run normal 1ms sd 1ms");	/* nothing below 0 */
	WITHIN(share_below(d, 1.0), 0.158655, 0.001);
}

static void lognormal(void **state)
{
	const struct work_dist *d = dist_of("run lognormal median 12us p90 18us");
	double sigma = log(1.5) / 1.2815515655446004, mean = 12e3 * exp(sigma * sigma / 2.0);
	struct moments m = draw_many(d, stratified);

	(void)state;
	NEAR(m.mean, mean, 0.001);
	NEAR(m.second, mean * mean * exp(sigma * sigma), 0.002);
	WITHIN(share_below(d, 12e3), 0.5, 0.001);
	WITHIN(share_below(d, 18e3), 0.9, 0.001);
	WITHIN(share_below(d, 12e3 * exp(-2.0 * sigma)), 0.022750, 0.0005);
	WITHIN(1.0 - share_below(d, 12e3 * exp(4.0 * sigma)), 3.167e-5, 1e-5);
	/* a wide one: most of its second moment lies in the last thousandth */
	m = draw_many(dist_of("run lognormal median 10us p90 40us"), stratified);
	sigma = log(4.0) / 1.2815515655446004;
	NEAR(m.mean, 10e3 * exp(sigma * sigma / 2.0), 0.002);
}

static void mixes(void **state)
{
	const struct work_dist *d = dist_of(
		"run mix {\n8: 45us,\n\t4: uniform 150us 250us,\n4: 120us, 2: 15us, 2: 80us }");
	struct moments m = draw_many(d, stratified);

	(void)state;
	NEAR(m.mean, (8 * 45e3 + 4 * 200e3 + 4 * 120e3 + 2 * 15e3 + 2 * 80e3) / 20, 0.0005);
	WITHIN(share_below(d, 15001.0), 0.1, 0.0005);
	WITHIN(share_below(d, 45001.0), 0.5, 0.0005);
	WITHIN(share_below(d, 119999.0), 0.6, 0.0005);
	WITHIN(share_below(d, 120001.0), 0.8, 0.0005);
	WITHIN(share_below(d, 200e3), 0.9, 0.0005);
	assert_int_equal(m.min, 15000);
	assert_true(m.max <= 250000 && m.max > 249900);
	/* tbench's sizes: weights are exact, not multiples of a step */
	d = dist_of("send c mix { 755: 85, 170: 4151, 35: 61495, 40: 65595 }");
	m = draw_many(d, stratified);
	NEAR(m.mean, (755 * 85.0 + 170 * 4151.0 + 35 * 61495.0 + 40 * 65595.0) / 1000, 0.002);
	d = dist_of("run mix { 1: exp 10us, 1: lognormal median 12us p90 18us }");
	assert_int_equal(d->parts, 3);
	m = draw_many(d, stratified);
	NEAR(m.mean, (1e4 + 12e3 * exp(pow(log(1.5) / 1.2815515655446004, 2.0) / 2.0)) / 2.0,
	     0.001);
}

static void sizes_and_rounds_are_positive(void **state)
{
	static const char *const all[] = {
		"send c exp 2", "send c uniform 1 3", "send c normal 3 sd 3",
		"send c lognormal median 1 p90 3", "repeat exp 1 { yield }",
		"repeat mix { 1: 1, 1: normal 1 sd 5 } { yield }", "repeat uniform 0 3 { yield }",
		"repeat mix { 1: 0, 1: 2 } { yield }",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct work_dist *d = dist_of(all[i]);

		assert_int_equal(work_dist_least(d), 1);
		assert_int_equal(draw_many(d, stratified).min, 1);
	}
	assert_int_equal(work_dist_least(dist_of("send c uniform 7 9")), 7);
	assert_int_equal(work_dist_least(dist_of("run mix { 1: 9us, 1: 4us, 1: exp 1s }")), 0);
	assert_int_equal(work_dist_least(dist_of("run mix { 1: 9us, 1: 4us }")), 4000);
	assert_true(draw_many(dist_of("send c exp 32Mi"), stratified).max <= WORK_MESSAGE_MAX);
	assert_true(draw_many(dist_of("send c lognormal median 1Mi p90 1000Mi"), stratified).max <=
		    WORK_MESSAGE_MAX);
	assert_true(draw_many(dist_of("run exp 1000000s"), stratified).max < 30 * WORK_TIME_MAX);
}

static void draws_follow_the_bits(void **state)
{
	const struct work_dist *d = dist_of("run exp 1ms");

	(void)state;
	assert_int_equal(work_draw(d, 1ULL << 63), 0);
	assert_int_equal(work_draw(d, UINT64_MAX), 693147);
	assert_int_equal(work_draw(d, 1ULL << 62), 693147);
	assert_int_equal(work_draw(d, 1ULL << 61), 1386294);
	assert_int_equal(work_draw(d, 0), 27032740);	/* 39 halvings */
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(work_draw(d, random_of(i)), work_draw(d, random_of(i)));
}

/* All tables' bytes: made by gcc and clang they have to be these. */
static void tables_are_the_same(void **state)
{
	static const char *const all[] = {
		"run exp 10us", "run uniform 30ms 37.5ms", "run normal 8ms sd 400us",
		"run lognormal median 12us p90 18us", "run lognormal median 1ns p90 1us",
		"run mix { 8: 45us, 4: uniform 150us 250us, 3: exp 7us }", "send c exp 100",
	};
	uint64_t hash = 14695981039346656037ULL;

	(void)state;
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct work_dist *d = dist_of(all[i]);
		const unsigned char *p = (const unsigned char *)d;

		for (size_t k = 0; k < (d->parts + !d->parts) * sizeof(*d); k++)
			hash = (hash ^ p[k]) * 1099511628211ULL;
	}
	assert_int_equal(hash, 0x3d6565776e090bb4ULL);
}

static void equal_ones_are_one(void **state)
{
	struct workload *w;
	struct work_error err;

	(void)state;
	assert_int_equal(compile_with("load x\ntask t[9] { run exp 10us * ($self % 3 + 1)\n"
				      "sleep exp 20us\nrun exp 10us }\n", NULL, &w, &err), 0);
	assert_int_equal(w->nr_dists, 3);
	assert_int_equal(w->nr_programs, 3 + 1);
	workload_free(w);
}

static int drop(void **state)
{
	(void)state;
	workload_free(current);
	current = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exponential),
		cmocka_unit_test(exponential_table),
		cmocka_unit_test(uniform),
		cmocka_unit_test(normal),
		cmocka_unit_test(lognormal),
		cmocka_unit_test(mixes),
		cmocka_unit_test(sizes_and_rounds_are_positive),
		cmocka_unit_test(draws_follow_the_bits),
		cmocka_unit_test(tables_are_the_same),
		cmocka_unit_test(equal_ones_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, drop);
}
