// SPDX-License-Identifier: GPL-2.0-only
/* The histogram: schbench's buckets, its percentile rule, sums, merging. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "stats/hist.h"

#define US 1000ULL

/* The value of the bucket that value falls into. */
static uint64_t bucket_value(uint64_t unit, unsigned bits, uint64_t ns)
{
	struct stats_hist *h = stats_hist_new(unit, bits);
	uint64_t value;

	assert_non_null(h);
	stats_hist_add(h, ns);
	value = stats_hist_quantile(h, 500000);
	stats_hist_free(h);
	return value;
}

static void schbench_values(void **state)
{
	/* us, from the tables of the dedicated-vcpu mails and their neighbours */
	static const uint64_t values[] = {1,	45,   511,  513,  691,	707,  2364, 2724, 3972,
					  6184, 6792, 6920, 7480, 8368, 4152, 4888, 93};

	(void)state;
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(bucket_value(US, 8, values[i] * US), values[i] * US);
	assert_int_equal(bucket_value(US, 8, 690 * US), 691 * US);
	assert_int_equal(bucket_value(US, 8, 692 * US), 693 * US);
	assert_int_equal(bucket_value(US, 8, 3968 * US), 3972 * US);
	assert_int_equal(bucket_value(US, 8, 3975 * US + 999), 3972 * US);
	assert_int_equal(bucket_value(US, 8, 3976 * US), 3980 * US);
	assert_int_equal(bucket_value(US, 8, 999), 0);
}

static void buckets_are_narrow(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits <= STATS_HIST_BITS_MAX; bits++) {
		for (uint64_t v = 1; v < 1ULL << 62; v += v / 3 + 1) {
			uint64_t b = bucket_value(1, bits, v);
			uint64_t off = b > v ? b - v : v - b;

			assert_true(off <= v >> (bits + 1));
			if (v < 2ULL << bits)
				assert_int_equal(b, v);
			assert_int_equal(bucket_value(1, bits, b), b);
		}
		assert_true(bucket_value(1, bits, UINT64_MAX) > UINT64_MAX - (UINT64_MAX >> bits));
	}
}

static void quantiles(void **state)
{
	struct stats_hist *h = stats_hist_new(US, 8);

	(void)state;
	assert_int_equal(stats_hist_quantile(h, 990000), 0);
	assert_int_equal(stats_hist_min(h), 0);
	for (uint64_t us = 1; us <= 100; us++)
		stats_hist_add(h, us * US);
	/* the smallest with at least that share at or below it */
	assert_int_equal(stats_hist_quantile(h, 500000), 50 * US);
	assert_int_equal(stats_hist_quantile(h, 500001), 51 * US);
	assert_int_equal(stats_hist_quantile(h, 990000), 99 * US);
	assert_int_equal(stats_hist_quantile(h, 999000), 100 * US);
	assert_int_equal(stats_hist_quantile(h, 1000000), 100 * US);
	assert_int_equal(stats_hist_quantile(h, 1), US);
	assert_int_equal(stats_hist_quantile(h, 0), US);
	stats_hist_free(h);
}

static void counts_and_merging(void **state)
{
	struct stats_hist *a = stats_hist_new(1, 8), *b = stats_hist_new(1, 8);

	(void)state;
	stats_hist_add(a, 5);
	stats_hist_add(a, 1000003);
	stats_hist_merge(a, b);
	assert_int_equal(stats_hist_min(a), 5);
	stats_hist_add(b, 3);
	stats_hist_add(b, 2000003);
	stats_hist_merge(a, b);
	assert_int_equal(stats_hist_count(a), 4);
	assert_int_equal(stats_hist_sum(a), 3000014);
	assert_int_equal(stats_hist_min(a), 3);
	assert_int_equal(stats_hist_max(a), 2000003);
	assert_int_equal(stats_hist_quantile(a, 250000), 3);
	assert_int_equal(stats_hist_quantile(a, 500000), 5);
	stats_hist_clear(a);
	assert_int_equal(stats_hist_count(a), 0);
	assert_int_equal(stats_hist_sum(a), 0);
	assert_int_equal(stats_hist_min(a), 0);
	assert_int_equal(stats_hist_max(a), 0);
	assert_int_equal(stats_hist_quantile(a, 500000), 0);
	stats_hist_free(a);
	stats_hist_free(b);
	stats_hist_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schbench_values),
		cmocka_unit_test(buckets_are_narrow),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(counts_and_merging),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
