// SPDX-License-Identifier: GPL-2.0-only
/* One average against the exact series, and the integers that the kernel prints. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sched/pelt.h"

#define UNIT	1024u				/* ns */
#define PERIOD	((uint64_t)UNIT * SCHED_PELT_PERIOD)
#define HUGE_WEIGHT 88761u			/* nice -20 */

/* y, y^32 = 1/2: the root of 1/2 taken five times. */
static long double y_of(void)
{
	long double y = 0.5L;

	for (int i = 0; i < 5; i++) {
		long double root = 1;

		for (int n = 0; n < 64; n++)
			root = (root + y / root) / 2;
		y = root;
	}
	return y;
}

static long double power(long double y, uint64_t n)
{
	long double p = 1;

	for (; n; n >>= 1, y *= y)
		if (n & 1)
			p *= y;
	return p;
}

/*
 * The exact sum for a signal that is on from on to off of every cycle (units of 1024
 * ns), at time now: what was on in the present period counts whole, in the one before
 * times y, and so on.
 */
static long double exact_sum(uint64_t now, uint64_t cycle, uint64_t on)
{
	uint64_t current = now / SCHED_PELT_PERIOD;
	long double sum = 0, y = y_of();

	for (uint64_t t = 0; t < now; t++) {
		uint64_t age = current - t / SCHED_PELT_PERIOD;

		if (t % cycle < on && age < 700)
			sum += power(y, age);
	}
	return sum;
}

static void decay_is_the_table_and_halves_every_32_periods(void **state)
{
	static const uint32_t first[] = { 0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a };
	long double y = y_of();

	(void)state;
	for (uint32_t n = 0; n < 4; n++)
		assert_int_equal(sched_pelt_decay(1ull << 32, n), first[n]);
	for (uint32_t n = 0; n < 32; n++)
		assert_int_equal(sched_pelt_decay(1ull << 32, n),
				 (uint64_t)(UINT32_MAX * power(y, n)));
	assert_int_equal(sched_pelt_decay(1ull << 40, 64), (1ull << 38) - (1ull << 6));
	assert_int_equal(sched_pelt_decay(UINT64_MAX, 32 * 63), 0);	/* half of 1, rounded */
	assert_int_equal(sched_pelt_decay(UINT64_MAX, 32 * 62), 2);	/* 3, rounded */
	assert_int_equal(sched_pelt_decay(UINT64_MAX, 32 * 63 + 1), 0);
	assert_int_equal(sched_pelt_decay(UINT64_MAX, UINT64_MAX), 0);
}

static void load_avg_max_is_where_the_series_stops_growing(void **state)
{
	uint64_t sum = 0, before;

	(void)state;
	do {
		before = sum;
		sum = sched_pelt_decay(sum, 1) + SCHED_PELT_PERIOD;
	} while (sum > before);
	assert_int_equal(sum, SCHED_LOAD_AVG_MAX);
}

static void a_busy_entity_weighs_its_weight(void **state)
{
	struct sched_avg avg = { 0 };

	(void)state;
	for (uint64_t now = 0; now < 1000 * PERIOD; now += 997 * UNIT) {
		if (sched_pelt_sum(&avg, now, 1, 1024, 1))
			sched_pelt_avg(&avg, HUGE_WEIGHT, 1);
		assert_true(avg.load_sum <= SCHED_LOAD_AVG_MAX);
	}
	/* rounding down once a period costs at most 1 / (1 - y), 47 of 47742 */
	assert_in_range(avg.load_avg, HUGE_WEIGHT - HUGE_WEIGHT / 1000, HUGE_WEIGHT);
	assert_in_range(avg.util_avg, 1022, 1024);
	assert_in_range(avg.runnable_avg, 1022, 1024);
}

static void averages_change_only_where_a_period_ends(void **state)
{
	struct sched_avg avg = { .last_update_time = 5 * PERIOD };

	(void)state;
	assert_int_equal(sched_pelt_sum(&avg, 5 * PERIOD + 1023, 1, 1024, 1), 0);
	assert_int_equal(avg.load_sum, 0);	/* less than a unit */
	assert_int_equal(avg.last_update_time, 5 * PERIOD);
	assert_int_equal(sched_pelt_sum(&avg, 6 * PERIOD - 1, 1, 1024, 1), 0);
	assert_int_equal(avg.load_sum, 1023);
	assert_int_equal(avg.util_sum, 1023 << 10);
	assert_int_equal(avg.period_contrib, 1023);
	assert_int_equal(avg.last_update_time, 6 * PERIOD - UNIT);
	assert_int_equal(sched_pelt_sum(&avg, 6 * PERIOD, 1, 1024, 1), 1);
	assert_int_equal(avg.period_contrib, 0);
	/* 1023 units and one more, a period old; the new one has none yet */
	assert_int_equal(avg.load_sum, sched_pelt_decay(1023, 1) + sched_pelt_decay(1, 1));
	sched_pelt_avg(&avg, 1024, 1);
	assert_int_equal(avg.load_avg, 1024 * avg.load_sum / (SCHED_LOAD_AVG_MAX - 1024));
}

static void one_long_update_equals_many_short_ones(void **state)
{
	(void)state;
	for (uint64_t periods = 1; periods < 400; periods += 7) {
		struct sched_avg one = { .period_contrib = 300 }, many = one;
		uint64_t end = periods * PERIOD + 123 * UNIT;

		sched_pelt_sum(&one, end, 1, 1024, 1);
		for (uint64_t now = 0; now <= end; now += 41 * UNIT)
			sched_pelt_sum(&many, now, 1, 1024, 1);
		sched_pelt_sum(&many, end, 1, 1024, 1);
		assert_int_equal(one.period_contrib, many.period_contrib);
		assert_int_equal(one.last_update_time, many.last_update_time);
		/* each rounds down, the many once a period */
		assert_in_range(one.load_sum + 3 - many.load_sum, 0, 50);
	}
}

/* A signal fed in its own edges; at each end of a period the sum is the exact one. */
static void check_duty(uint64_t cycle, uint64_t on, uint64_t cycles)
{
	struct sched_avg avg = { 0 };

	for (uint64_t n = 0; n < cycles; n++) {
		uint64_t edge[2] = { n * cycle + on, (n + 1) * cycle };

		for (int off = 0; off < 2; off++) {
			long double exact;

			if (sched_pelt_sum(&avg, edge[off] * UNIT, !off, off ? 0 : 1024, !off))
				sched_pelt_avg(&avg, 1024, 1);
			exact = exact_sum(edge[off], cycle, on);
			assert_true(avg.load_sum <= exact + 1 && avg.load_sum + 48 >= exact);
			assert_true((avg.util_sum >> 10) <= exact + 1);
			assert_true((avg.util_sum >> 10) + 48 >= exact);
		}
	}
	assert_int_equal(avg.last_update_time, cycles * cycle * UNIT);
}

static void a_quarter_of_the_time_is_the_exact_series(void **state)
{
	(void)state;
	check_duty(10000, 2500, 40);	/* crosses periods anyhow */
	check_duty(4096, 1024, 60);	/* a whole period of four */
	check_duty(100, 25, 300);	/* many times in a period */
}

static void the_average_of_a_quarter_is_a_quarter(void **state)
{
	struct sched_avg avg = { 0 };
	uint64_t sum = 0, nr = 0;

	(void)state;
	for (uint64_t n = 0; n < 4000; n++) {
		if (sched_pelt_sum(&avg, n * PERIOD, n % 4 == 1, n % 4 == 1 ? 1024 : 0, n % 4 == 1))
			sched_pelt_avg(&avg, 1024, 1);
		if (n >= 2000) {
			sum += avg.load_avg;
			nr++;
		}
	}
	assert_in_range(sum / nr, 252, 257);
}

static void utilisation_is_half_after_32_periods(void **state)
{
	struct sched_avg avg = { 0 };

	(void)state;
	for (uint64_t n = 1; n <= 32; n++)
		if (sched_pelt_sum(&avg, n * PERIOD, 1, 1024, 1))
			sched_pelt_avg(&avg, 1024, 1);
	assert_in_range(avg.util_avg, 510, 513);
	for (uint64_t n = 33; n <= 64; n++)
		if (sched_pelt_sum(&avg, n * PERIOD, 0, 0, 0))
			sched_pelt_avg(&avg, 1024, 1);
	assert_in_range(avg.util_avg, 254, 257);
}

static void who_is_not_loaded_does_not_run(void **state)
{
	struct sched_avg avg = { 0 };

	(void)state;
	assert_int_equal(sched_pelt_sum(&avg, 3 * PERIOD, 0, 1024, 1), 1);
	assert_int_equal(avg.util_sum, 0);
	assert_int_equal(avg.runnable_sum, 0);
	assert_int_equal(avg.last_update_time, 3 * PERIOD);
}

static void a_clock_that_goes_back_starts_anew(void **state)
{
	struct sched_avg avg = { .last_update_time = 9 * PERIOD, .load_sum = 77 };

	(void)state;
	assert_int_equal(sched_pelt_sum(&avg, 8 * PERIOD, 1, 1024, 1), 0);
	assert_int_equal(avg.last_update_time, 8 * PERIOD);
	assert_int_equal(avg.load_sum, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decay_is_the_table_and_halves_every_32_periods),
		cmocka_unit_test(load_avg_max_is_where_the_series_stops_growing),
		cmocka_unit_test(a_busy_entity_weighs_its_weight),
		cmocka_unit_test(averages_change_only_where_a_period_ends),
		cmocka_unit_test(one_long_update_equals_many_short_ones),
		cmocka_unit_test(a_quarter_of_the_time_is_the_exact_series),
		cmocka_unit_test(the_average_of_a_quarter_is_a_quarter),
		cmocka_unit_test(utilisation_is_half_after_32_periods),
		cmocka_unit_test(who_is_not_loaded_does_not_run),
		cmocka_unit_test(a_clock_that_goes_back_starts_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
