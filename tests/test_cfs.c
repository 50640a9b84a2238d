// SPDX-License-Identifier: GPL-2.0-only
/* CFS: who runs when, and for how long. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "tests/fair_scene.h"

#define TICK	(4 * MS)	/* HZ=250 */
#define FINE	10000ull	/* ns: ticks that find edges */

static struct fair_scene scene;

static void tunables_scale_with_the_logarithm_of_cpus(void **state)
{
	static const struct { uint32_t cpus, factor; } rows[] = {
		{ 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 7, 3 }, { 8, 4 }, { 4096, 4 },
	};
	struct wake_version v = fair_scene_version("6.1");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fair_params p;

		fair_params_of(&v, rows[i].cpus, &p);
		assert_int_equal(p.latency, 6 * MS * rows[i].factor);
		assert_int_equal(p.min_granularity, 750000 * rows[i].factor);
		assert_int_equal(p.wakeup_granularity, MS * rows[i].factor);
		assert_int_equal(p.idle_min_granularity, 750000);
		assert_int_equal(p.nr_latency, 8);
	}
}

static uint64_t ran(const struct fair_task *task)
{
	return task->se.sum_exec_runtime;
}

/* Within 1 %: got to all as weight to weights. */
static void check_share(uint64_t got, uint64_t all, uint64_t weight, uint64_t weights)
{
	uint64_t want = all / weights * weight;

	assert_in_range(got, want - want / 100, want + want / 100);
}

static void tasks_share_a_cpu_by_nice(void **state)
{
	static const int nice[] = { 16, 14, 19 };	/* 29, 45, 15: nearly 2 : 3 : 1 */
	static const char *const versions[] = { "5.4", "5.10", "5.13", "6.1", "6.5" };
	struct fair_scene *s = &scene;

	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		uint64_t all = 0;

		fair_scene_start(s, versions[v], 1);
		for (int i = 0; i < 3; i++)
			fair_scene_task(s, 0, nice[i], FAIR_NORMAL, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, 200000 * MS, TICK);
		for (int i = 0; i < 3; i++)
			all += ran(&s->tasks[i]);
		/* the current one is accounted up to the last tick */
		assert_int_equal(all, 200000 * MS);
		check_share(ran(&s->tasks[0]), all, 29, 89);
		check_share(ran(&s->tasks[1]), all, 45, 89);
		check_share(ran(&s->tasks[2]), all, 15, 89);
		fair_scene_end(s);
	}
}

static void groups_share_a_cpu_by_shares_however_many_tasks(void **state)
{
	struct fair_scene *s = &scene;
	struct sched_group *small, *big;
	uint64_t all = 0;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	small = fair_scene_group(s, 1024);
	big = fair_scene_group(s, 2048);
	for (int i = 0; i < 3; i++)
		fair_scene_task(s, 0, 0, FAIR_NORMAL, small);
	fair_scene_task(s, 0, 5, FAIR_NORMAL, big);
	fair_scene_schedule(s, 0);
	fair_scene_run(s, 100000 * MS, TICK);
	for (int i = 0; i < 4; i++)
		all += ran(&s->tasks[i]);
	check_share(ran(&s->tasks[3]), all, 2, 3);
	for (int i = 0; i < 3; i++)
		check_share(ran(&s->tasks[i]), all, 1, 9);
	assert_int_equal(big->entities[0].sum_exec_runtime, ran(&s->tasks[3]));
	fair_scene_end(s);
}

/* Runs the current task until a tick takes the CPU away; how long it ran. */
static uint64_t turn(struct fair_scene *s)
{
	struct fair_task *curr = s->rqs[0].curr;
	uint64_t before = ran(curr);

	while (!s->rqs[0].resched) {
		s->now += FINE;
		fair_scene_clock(s, 0);
		fair_cfs.tick(&s->rqs[0]);
		assert_true(s->now < 10000 * MS);
	}
	return ran(curr) - before;
}

/* How long the first of nr equal tasks runs before a tick takes the CPU away. */
static uint64_t slice_of(const char *version, uint32_t nr, struct fair_scene *s)
{
	fair_scene_start(s, version, 1);
	for (uint32_t i = 0; i < nr; i++)
		fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	return turn(s);
}

/*
 * A period of latency for up to 8 tasks, then 3 ms each. All begin at one place, so
 * it's the slice that ends a turn, not being ahead of the others by one.
 */
static void a_period_is_divided_among_tasks(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	for (uint32_t nr = 2; nr <= 20; nr++) {
		uint64_t slice = nr <= 8 ? 24 * MS / nr : 3 * MS;

		assert_in_range(slice_of("6.1", nr, s), slice - 1, slice + FINE + 1);
		fair_scene_end(s);
		assert_in_range(slice_of("5.4", nr, s), slice - 1, slice + FINE + 1);
		fair_scene_end(s);
	}
}

/* A queued task is behind min_vruntime by so much from now on. */
static void go_back(struct fair_scene *s, struct fair_task *task, uint64_t by)
{
	fair_cfs.dequeue(&s->rqs[0], task, 0);
	fair_cfs.leave(&s->rqs[0], task, 0);
	task->se.vruntime = -by;
	fair_cfs.enqueue(&s->rqs[0], task, FAIR_MIGRATED);
}

/* v5.13 counts all tasks of the CPU; before, only entities of the queue. */
static void a_period_counts_tasks_of_groups_from_v5_13(void **state)
{
	static const struct { const char *version; uint64_t slice; } rows[] = {
		{ "5.10", 24 * MS / 2 }, { "5.13", 12 * 3 * MS / 2 },
		/* v6.3: a tick lets nobody run longer than a latency, which this isn't */
		{ "6.5", 12 * 3 * MS / 2 },
	};
	struct fair_scene *s = &scene;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct sched_group *group;

		fair_scene_start(s, rows[i].version, 1);
		group = fair_scene_group(s, 1024);
		for (int n = 0; n < 11; n++)
			fair_scene_task(s, 0, 0, FAIR_NORMAL, group);
		fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		go_back(s, &s->tasks[11], 100 * MS);
		assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[11]);
		assert_in_range(turn(s), rows[i].slice, rows[i].slice + FINE);
		fair_scene_end(s);
	}
}

/* One task of nice 19 beside one of nice 0: 24 * 15 / 1039 ms is less than 3 ms. */
static void a_slice_is_at_least_a_granularity_from_v5_13(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	for (int late = 0; late < 2; late++) {
		struct fair_task *light;
		uint64_t slice;

		fair_scene_start(s, late ? "5.13" : "5.10", 1);
		fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		light = fair_scene_task(s, 0, 19, FAIR_NORMAL, NULL);
		go_back(s, light, 1000 * MS);
		assert_ptr_equal(fair_scene_schedule(s, 0), light);
		slice = late ? 3 * MS : 24 * MS * 15 / 1039;
		assert_in_range(turn(s), slice, slice + FINE);
		fair_scene_end(s);
	}
}

/* 20 tasks of nice 19 beside one of nice 0: a period of 63 ms, of which it may have 48. */
static void a_turn_is_at_most_a_latency_from_v6_3(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	for (int late = 0; late < 2; late++) {
		uint64_t slice = late ? 24 * MS : 63 * MS * 1024 / 1324;

		fair_scene_start(s, late ? "6.3" : "6.1", 1);
		fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		for (int i = 0; i < 20; i++)
			go_back(s, fair_scene_task(s, 0, 19, FAIR_NORMAL, NULL), -1000 * MS);
		assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[0]);
		assert_in_range(turn(s), slice, slice + FINE);
		fair_scene_end(s);
	}
}

static void idle_entities_get_shorter_turns_from_v5_16(void **state)
{
	struct fair_scene *s = &scene;
	struct sched_group *small;

	(void)state;
	for (int late = 0; late < 2; late++) {
		uint64_t slice = late ? 750000 : 3 * MS;

		fair_scene_start(s, late ? "5.17" : "5.15", 1);
		fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		go_back(s, fair_scene_task(s, 0, 0, FAIR_IDLE, NULL), 1000 * MS);
		assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[1]);
		assert_in_range(turn(s), slice, slice + FINE);
		fair_scene_end(s);
	}
	/* but not where there are none but idle ones on their queue */
	fair_scene_start(s, "5.17", 1);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	small = fair_scene_group(s, 2);
	for (int i = 0; i < 2; i++)
		fair_scene_task(s, 0, 0, FAIR_IDLE, small);
	go_back(s, &s->tasks[0], -1000 * MS);
	fair_scene_schedule(s, 0);
	assert_ptr_equal(s->rqs[0].curr->group, small);
	assert_in_range(turn(s), 3 * MS, 3 * MS + FINE);
	fair_scene_end(s);
}

/* Half of a latency as the kernel's division by weights rounds it. */
#define HALF	(24 * MS * 1024 * (UINT32_MAX / 2048) >> 32)

/* One of two equal tasks begins so far ahead of the other and runs so long. */
static uint32_t tick_after(struct fair_scene *s, uint64_t ahead, uint64_t runs)
{
	struct fair_task *curr;
	uint32_t resched;

	fair_scene_start(s, "6.1", 1);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	curr = fair_scene_schedule(s, 0);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	curr->se.vruntime = s->rqs[0].root->leftmost->vruntime + ahead;
	if (!ahead)		/* so that only the length of the turn counts */
		curr->se.vruntime -= 1000 * MS;
	s->now += runs;
	fair_scene_clock(s, 0);
	fair_cfs.tick(&s->rqs[0]);
	resched = s->rqs[0].resched;
	fair_scene_end(s);
	return resched;
}

/* Not before a granularity, and only if it is ahead of the leftmost by a slice. */
static void a_tick_ends_a_turn_that_is_a_slice_ahead(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	assert_int_equal(tick_after(s, 0, HALF), 0);
	assert_int_equal(tick_after(s, 0, HALF + 1), 1);
	assert_int_equal(tick_after(s, HALF - 3 * MS + 1, 3 * MS - 1), 0); /* too short a run */
	assert_int_equal(tick_after(s, HALF - 3 * MS, 3 * MS), 0);
	assert_int_equal(tick_after(s, HALF - 3 * MS + 1, 3 * MS), 1);
}

static void a_sleeper_gets_half_a_latency_of_credit(void **state)
{
	struct fair_scene *s = &scene;
	struct fair_task *sleeper;
	uint64_t min, mine;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	sleeper = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	assert_non_null(fair_scene_sleep(s, 0));
	mine = sleeper->se.vruntime;
	fair_scene_run(s, 100 * MS, TICK);
	min = s->rqs[0].root->min_vruntime;
	assert_in_range(min - mine, 50 * MS, 100 * MS);
	fair_scene_wake(s, sleeper, 0);
	assert_int_equal(sleeper->se.vruntime, min - 12 * MS);
	assert_int_equal(s->rqs[0].resched, 1);
	assert_ptr_equal(fair_scene_schedule(s, 0), sleeper);
	/* a short sleep gains nothing: it keeps its own time */
	s->now += MS;
	fair_scene_sleep(s, 0);
	mine = sleeper->se.vruntime;
	s->now += 1000;
	fair_scene_wake(s, sleeper, 0);
	assert_int_equal(sleeper->se.vruntime, mine);
	fair_scene_end(s);
}

static void idle_entities_get_less_credit_from_v5_16(void **state)
{
	static const struct { const char *version; uint64_t credit; } rows[] = {
		{ "5.15", 12 * MS }, { "5.17", 1500000 },
	};
	struct fair_scene *s = &scene;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fair_task *sleeper;

		fair_scene_start(s, rows[i].version, 1);
		sleeper = fair_scene_task(s, 0, 0, FAIR_IDLE, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		fair_scene_sleep(s, 0);
		fair_scene_run(s, 1000 * MS, TICK);
		fair_scene_wake(s, sleeper, 0);
		assert_int_equal(sleeper->se.vruntime,
				 s->rqs[0].root->min_vruntime - rows[i].credit);
		fair_scene_end(s);
	}
}

/* After 104 days two vruntimes may be too far apart to be compared. */
static void a_very_long_sleep_forgets_the_own_time(void **state)
{
	struct fair_scene *s = &scene;
	struct fair_task *sleeper;

	(void)state;
	fair_scene_start(s, "6.5", 1);
	sleeper = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	s->now += MS;
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_sleep(s, 0);
	s->now += (1ull << 63) / 1024 + MS;
	sleeper->se.vruntime += (1ull << 63) / 1024 + 1000 * MS;
	fair_scene_wake(s, sleeper, 0);
	assert_int_equal(sleeper->se.vruntime, s->rqs[0].root->min_vruntime - 12 * MS);
	fair_scene_end(s);
}

static void a_new_task_waits_for_a_slice(void **state)
{
	struct fair_scene *s = &scene;
	struct fair_task *child;

	(void)state;
	fair_scene_start(s, "6.1", 2);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	s->now += 2 * MS;
	child = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	assert_in_range(child->se.vruntime - s->rqs[0].root->min_vruntime, 12 * MS - 10, 12 * MS);
	/* the debit goes along to another CPU, and is in its own weight */
	fair_task_init(&s->tasks[10], 5, FAIR_NORMAL, NULL);
	fair_cfs.fork(&s->rqs[0], &s->tasks[10], s->rqs[0].curr);
	assert_in_range(s->tasks[10].se.vruntime, 24 * MS * 1024 / (2 * 1024 + 335) - 5,
			24 * MS * 1024 / (2 * 1024 + 335));
	fair_scene_clock(s, 1);
	fair_cfs.enqueue(&s->rqs[1], &s->tasks[10], FAIR_NEW);
	assert_int_equal(s->tasks[10].cpu, 1);
	assert_in_range(s->tasks[10].se.vruntime - s->rqs[1].root->min_vruntime,
			10 * MS, 10500000);
	fair_scene_end(s);
}

static void time_moves_with_a_task_relative_to_its_queue(void **state)
{
	struct fair_scene *s = &scene;
	struct fair_task *task;
	uint64_t lag;

	(void)state;
	fair_scene_start(s, "6.1", 2);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		fair_scene_task(s, cpu, 0, FAIR_NORMAL, NULL);
		fair_scene_schedule(s, cpu);
	}
	fair_scene_run(s, 40 * MS, TICK);
	task = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	s->rqs[1].root->min_vruntime += 777 * MS;
	s->rqs[1].curr->se.vruntime += 777 * MS;
	lag = task->se.vruntime - s->rqs[0].root->min_vruntime;
	fair_scene_move(s, task, 1);
	assert_int_equal(task->se.vruntime - s->rqs[1].root->min_vruntime, lag);
	assert_int_equal(task->se.exec_start, 0);	/* not cache hot */
	assert_ptr_equal(task->se.cfs_rq, s->rqs[1].root);
	fair_scene_end(s);
}

static void groups_are_refused_that_no_kernel_has(void **state)
{
	struct sched_group *group = NULL, *deep = NULL;
	struct fair_scene *s = &scene;
	int err = 0;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	assert_int_equal(fair_group_create(s->system, NULL, 1, 0, &group), -EINVAL);
	assert_int_equal(fair_group_create(s->system, NULL, (1 << 18) + 1, 0, &group), -EINVAL);
	assert_null(group);
	assert_int_equal(fair_group_create(s->system, NULL, 1 << 18, 0, &group), 0);
	for (int depth = 0; depth < 100 && !err; depth++)
		err = fair_group_create(s->system, deep, 1024, 0, &deep);
	assert_int_equal(err, -EINVAL);
	assert_true(fair_system_bytes(s->system) > 17 * sizeof(struct sched_cfs_rq));
	fair_scene_end(s);
	fair_system_free(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(tunables_scale_with_the_logarithm_of_cpus),
	cmocka_unit_test(tasks_share_a_cpu_by_nice),
	cmocka_unit_test(groups_share_a_cpu_by_shares_however_many_tasks),
	cmocka_unit_test(a_period_is_divided_among_tasks),
	cmocka_unit_test(a_period_counts_tasks_of_groups_from_v5_13),
	cmocka_unit_test(a_slice_is_at_least_a_granularity_from_v5_13),
	cmocka_unit_test(a_turn_is_at_most_a_latency_from_v6_3),
	cmocka_unit_test(idle_entities_get_shorter_turns_from_v5_16),
	cmocka_unit_test(a_tick_ends_a_turn_that_is_a_slice_ahead),
	cmocka_unit_test(a_sleeper_gets_half_a_latency_of_credit),
	cmocka_unit_test(idle_entities_get_less_credit_from_v5_16),
	cmocka_unit_test(a_very_long_sleep_forgets_the_own_time),
	cmocka_unit_test(a_new_task_waits_for_a_slice),
	cmocka_unit_test(time_moves_with_a_task_relative_to_its_queue),
	cmocka_unit_test(groups_are_refused_that_no_kernel_has),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
