// SPDX-License-Identifier: GPL-2.0-only
/* The event queue against a sorted scan, and cache lines against their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sim/events.h"
#include "sim/line.h"
#include "sim/random.h"

#define SLOTS	300

/* The least (time, slot) of those that are set. */
static uint32_t naive_next(const uint64_t *times)
{
	uint32_t best = SIM_NO_SLOT;

	for (uint32_t i = 0; i < SLOTS; i++) {
		if (times[i] != SIM_NEVER && (best == SIM_NO_SLOT || times[i] < times[best]))
			best = i;
	}
	return best;
}

/* A handler: sets some slots, its own among them or not, and cancels some. */
static void random_handler(struct sim_events *e, uint64_t *times, uint32_t own, uint64_t now,
			   uint64_t *n)
{
	uint32_t changes = (uint32_t)sim_below(sim_random(1, 0, 0, (*n)++), 4);

	times[own] = SIM_NEVER;
	for (uint32_t i = 0; i < changes; i++) {
		uint64_t r = sim_random(2, 0, 0, (*n)++);
		uint32_t slot = r & 1 ? own : (uint32_t)sim_below(r, SLOTS);

		if (r % 5 == 0) {
			sim_events_cancel(e, slot);
			times[slot] = SIM_NEVER;
		} else {
			times[slot] = now + r / 8 % 50;
			sim_events_set(e, slot, times[slot]);
		}
		assert_int_equal(sim_events_time(e, slot), times[slot]);
	}
}

static void test_order(void **state)
{
	uint64_t times[SLOTS], n = 0, handled = 0;
	struct sim_events e;

	(void)state;
	assert_int_equal(sim_events_create(&e, SLOTS), 0);
	for (uint32_t i = 0; i < SLOTS; i++) {
		times[i] = sim_below(sim_random(3, i, 0, 0), 100);
		sim_events_set(&e, i, times[i]);
	}
	while (handled++ < 200000) {
		uint32_t next = naive_next(times);
		uint64_t now;

		if (next == SIM_NO_SLOT) {
			times[7] = 1000;
			sim_events_set(&e, 7, 1000);
			continue;
		}
		now = times[next];
		assert_int_equal(sim_events_next(&e), now);
		assert_int_equal(sim_events_begin(&e), next);
		random_handler(&e, times, next, now, &n);
		sim_events_end(&e);
	}
	sim_events_free(&e);
}

static void test_limits(void **state)
{
	struct sim_events e;

	(void)state;
	assert_int_not_equal(sim_events_create(&e, 1u << SIM_SLOT_BITS), 0);
	assert_int_equal(sim_events_create(&e, 2), 0);
	sim_events_set(&e, 1, SIM_TIME_MAX);
	assert_int_equal(sim_events_next(&e), SIM_TIME_MAX);
	sim_events_set(&e, 1, SIM_TIME_MAX + 1);
	assert_int_equal(sim_events_next(&e), SIM_NEVER);
	sim_events_free(&e);
}

/* CPUs 0, 1 share an LLC, 2, 3 another one of the package, 4 is another package. */
static const struct machine_place places[] = {
	{ .core = 0, .cluster = 0, .llc = 0 },
	{ .core = 1, .cluster = 1, .llc = 0 },
	{ .core = 2, .cluster = 2, .llc = 2 },
	{ .core = 3, .cluster = 3, .llc = 2 },
	{ .core = 4, .cluster = 4, .llc = 4, .package = 1 },
};
static const uint8_t llc_bit[] = { 0, 0, 1, 1, 2 };
static const uint16_t llc_cpu[] = { 0, 2, 4 };

static struct sim_fabric fabric(void)
{
	return (struct sim_fabric){
		.places = places,
		.llc_bit = llc_bit,
		.llc_cpu = llc_cpu,
		.hot = { 0, 1, 10, 20, 100, 500 },
		.fetch = { 0, 1000, 2000, 3000, 4500, 9000 },
		.home = 70,
		.memory = 80,
	};
}

static void test_line(void **state)
{
	struct sim_fabric f = fabric();
	struct sim_line line;

	(void)state;
	sim_line_init(&line);
	assert_int_equal(sim_line_write(&f, &line, 0, 1000), 80);	/* from memory */
	assert_int_equal(sim_line_write(&f, &line, 0, 2000), 0);
	assert_int_equal(sim_line_read(&f, &line, 0, 2000), 0);		/* its own */
	assert_int_equal(sim_line_read(&f, &line, 1, 2000), 20);
	assert_int_equal(sim_line_read(&f, &line, 1, 3000), 0);		/* nobody wrote since */
	assert_int_equal(sim_line_read(&f, &line, 2, 3000), 100);
	assert_int_equal(sim_line_read(&f, &line, 3, 4000), 0);		/* its LLC has it */
	assert_int_equal(sim_line_write(&f, &line, 0, 5000), 100);	/* the farthest reader */
	assert_int_equal(sim_line_write(&f, &line, 0, 6000), 0);
	assert_int_equal(sim_line_write(&f, &line, 4, 7000), 500);
	/* Written in package 1, but its memory is package 0's: nothing more on the way back. */
	assert_int_equal(sim_line_write(&f, &line, 2, 8000), 500);
	assert_int_equal(sim_line_read(&f, &line, 3, 9000), 20);
	assert_int_equal(f.memory_reads, 1);
	assert_int_equal(f.transfers[MACHINE_SAME_LLC], 2);
	assert_int_equal(f.transfers[MACHINE_SAME_PACKAGE], 2);
	assert_int_equal(f.transfers[MACHINE_REMOTE], 2);
}

/* Transfers of one line queue up; a line between LLCs away from its memory pays for that. */
static void test_line_queue(void **state)
{
	struct sim_fabric f = fabric();
	struct sim_line line;

	(void)state;
	sim_line_init(&line);
	sim_line_write(&f, &line, 0, 0);
	assert_int_equal(sim_line_write(&f, &line, 2, 1000), 100);
	assert_int_equal(sim_line_write(&f, &line, 0, 1050), 150);
	assert_int_equal(sim_line_write(&f, &line, 2, 1100), 200);
	line.home = 1;
	assert_int_equal(sim_line_write(&f, &line, 0, 9000), 170);
	assert_int_equal(sim_fetch(&f, 0, 2, 10), 45);
	assert_int_equal(sim_fetch(&f, 0, 0, 10), 0);
	assert_int_equal(sim_fetch(&f, SIM_NO_CPU, 0, 10), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_line_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
