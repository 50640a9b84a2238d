// SPDX-License-Identifier: GPL-2.0-only
/* Load on queues and in groups: blocked, moved, shared out; estimates of utilisation. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fair_scene.h"

#define PERIOD	(1024 * 1024ull)	/* ns */

/* One of each way that sums follow averages. */
static const char *const versions[] = { "5.4", "5.10", "5.13", "5.15", "5.17", "6.1", "6.5" };
#define NR_VERSIONS (sizeof(versions) / sizeof(versions[0]))
#define FOR_VERSIONS(v) for (size_t v = 0; v < NR_VERSIONS; v++)

static struct fair_scene scene;

static void a_new_task_is_heavy_and_takes_half_of_the_capacity_left(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct fair_task *first, *second;

		fair_scene_start(s, versions[v], 1);
		first = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		assert_int_equal(first->se.avg.load_avg, 1024);
		assert_int_equal(first->se.avg.util_avg, 512);
		assert_int_equal(s->rqs[0].root->avg.load_avg, 1024);
		second = fair_scene_task(s, 0, 19, FAIR_NORMAL, NULL);
		assert_int_equal(second->se.avg.load_avg, 15);
		assert_int_equal(second->se.avg.util_avg, 256);
		assert_int_equal(s->rqs[0].root->avg.load_avg, 1039);
		assert_int_equal(sched_cpu_util(&s->rqs[0].load), 768);
		fair_scene_end(s);
	}
}

/* A sleeper's load stays with its queue and halves every 32 periods. */
static void blocked_load_decays_until_the_queue_is_no_leaf(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		const struct sched_avg *avg;
		struct fair_task *task;
		uint64_t busy;

		fair_scene_start(s, versions[v], 1);
		avg = &s->rqs[0].root->avg;
		task = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, 1000 * MS, 4 * MS);
		busy = avg->load_avg;
		assert_in_range(busy, 1022, 1024);
		assert_null(fair_scene_sleep(s, 0));
		assert_int_equal(avg->load_avg, busy);
		for (int halves = 1; halves <= 4; halves++) {
			s->now += 32 * PERIOD;
			fair_scene_clock(s, 0);
			assert_int_equal(fair_update_blocked(&s->rqs[0]), 1);
			assert_in_range(avg->load_avg, (1024 >> halves) - 2, 1024 >> halves);
		}
		/* the sleeper itself is as it was until it is asked */
		assert_in_range(task->se.avg.load_avg, busy - 1, busy);
		fair_sync(task);
		assert_in_range(task->se.avg.load_avg, 62, 64);
		s->now += 4000 * PERIOD;
		fair_scene_clock(s, 0);
		assert_int_equal(fair_update_blocked(&s->rqs[0]), 0);
		assert_null(s->rqs[0].load.first_leaf);
		assert_int_equal(avg->load_avg, 0);
		fair_scene_end(s);
	}
}

static uint64_t all_load(struct fair_scene *s)
{
	uint64_t sum = 0;

	fair_scene_update(s);
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++)
		sum += s->rqs[cpu].root->avg.load_avg;
	return sum;
}

/* A few tasks of odd weights that have run for odd times on CPU 0. */
static struct fair_task *three_tasks(struct fair_scene *s, const char *version,
				     struct sched_group *(*group)(struct fair_scene *s))
{
	static const int nice[] = { 0, 5, -7 };
	struct fair_task *task = NULL;
	struct sched_group *in;

	fair_scene_start(s, version, 2);
	in = group ? group(s) : NULL;
	for (int i = 0; i < 3; i++)
		task = fair_scene_task(s, 0, nice[i], FAIR_NORMAL, in);
	fair_scene_schedule(s, 0);
	fair_scene_run(s, 77 * MS + 13001, 1 * MS);
	return task;
}

static void a_waking_task_takes_its_load_along(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		const struct sched_cfs_rq *old, *new;
		struct fair_task *task;
		uint64_t before, left;

		three_tasks(s, versions[v], NULL);
		old = s->rqs[0].root;
		new = s->rqs[1].root;
		task = s->rqs[0].curr;
		assert_non_null(fair_scene_sleep(s, 0));
		s->now += 3 * MS + 17;
		before = all_load(s);
		left = old->avg.load_avg;
		fair_scene_wake(s, task, 1);
		/* queued over there, but the old queue learns it when it is updated */
		assert_int_equal(new->avg.load_avg, task->se.avg.load_avg);
		assert_int_equal(old->avg.load_avg, left);
		assert_int_equal(old->nr_removed, 1);
		assert_in_range(all_load(s) + 1 - before, 0, 2);
		assert_int_equal(old->nr_removed, 0);
		assert_int_equal(old->avg.load_avg, left - task->se.avg.load_avg);
		fair_scene_end(s);
	}
}

static void a_balanced_task_takes_its_load_along_at_once(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct fair_task *task;
		uint64_t before;

		three_tasks(s, versions[v], NULL);
		before = all_load(s);
		task = s->rqs[0].lru_last;	/* detach_tasks() begins there */
		assert_ptr_not_equal(task, s->rqs[0].curr);
		fair_scene_move(s, task, 1);
		assert_in_range(s->rqs[0].root->avg.load_avg + s->rqs[1].root->avg.load_avg + 1 -
				before, 0, 2);
		assert_int_equal(s->rqs[1].root->avg.load_avg, task->se.avg.load_avg);
		assert_int_equal(s->rqs[1].nr_running, 1);
		assert_int_equal(s->rqs[0].nr_running, 2);
		fair_scene_end(s);
	}
}

/* From v6.0 a task that leaves an idle CPU has slept as long as that CPU has not looked. */
static void a_task_that_leaves_an_idle_cpu_has_decayed(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct fair_task *task;

		fair_scene_start(s, versions[v], 2);
		task = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, 500 * MS, 1 * MS);
		fair_scene_sleep(s, 0);
		s->now += 32 * PERIOD;
		fair_scene_wake(s, task, 1);
		if (s->params.load.pelt_lag)
			assert_in_range(task->se.avg.load_avg, 509, 513);
		else
			assert_in_range(task->se.avg.load_avg, 1020, 1024);
		fair_scene_end(s);
	}
}

static void a_dead_task_leaves_nothing_behind(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct fair_task *task;

		fair_scene_start(s, versions[v], 1);
		task = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, 50 * MS, 1 * MS);
		fair_scene_sleep(s, 0);
		fair_cfs.leave(&s->rqs[0], task, 1);
		fair_scene_update(s);
		assert_int_equal(s->rqs[0].root->avg.load_avg, 0);
		assert_int_equal(s->rqs[0].root->avg.util_avg, 0);
		fair_scene_end(s);
	}
}

static struct sched_group *one_group(struct fair_scene *s)
{
	return fair_scene_group(s, 1024);
}

static void leaves_are_linked_children_first(void **state)
{
	struct fair_scene *s = &scene;
	const struct sched_load_rq *rq;
	struct sched_group *group;

	(void)state;
	/* v5.4: nothing is linked when a group is made; the branch grows from its task */
	fair_scene_start(s, "5.4", 1);
	rq = &s->rqs[0].load;
	group = fair_scene_group(s, 1024);
	assert_null(rq->first_leaf);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, group);
	assert_ptr_equal(rq->first_leaf, &group->cfs_rqs[0]);
	assert_ptr_equal(rq->last_leaf, rq->root);
	/* the next group stands between the first and their parent */
	group = fair_scene_group(s, 1024);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, group);
	assert_ptr_equal(rq->last_leaf->leaf_prev, &group->cfs_rqs[0]);
	assert_ptr_equal(rq->last_leaf, rq->root);
	fair_scene_end(s);
}

/* The group's entity carries what moves in its queue up to the root. */
static void load_moves_through_groups(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct sched_group *group;
		struct fair_task *task;
		uint64_t util;

		three_tasks(s, versions[v], one_group);
		task = s->rqs[0].lru_last;
		group = task->group;
		util = group->cfs_rqs[0].avg.util_avg;
		assert_true(util > 50);
		assert_in_range(s->rqs[0].root->avg.util_avg, util - 20, util + 20);
		fair_scene_move(s, task, 1);
		fair_scene_update(s);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			const struct sched_avg *queue = &group->cfs_rqs[cpu].avg;
			const struct sched_avg *se = &group->entities[cpu].avg;

			assert_int_equal(se->util_avg, queue->util_avg);
			assert_int_equal(s->rqs[cpu].root->avg.util_avg, queue->util_avg);
			assert_in_range(s->rqs[cpu].root->avg.load_avg + 1 - se->load_avg, 0, 2);
			assert_int_equal(group->cfs_rqs[cpu].tg_load_avg_contrib, queue->load_avg);
		}
		assert_int_equal(group->load_avg, group->cfs_rqs[0].avg.load_avg +
						  group->cfs_rqs[1].avg.load_avg);
		fair_scene_end(s);
	}
}

/* calc_group_shares(): alone all of the shares, on two CPUs by load. */
static void a_group_is_shared_out_by_load(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct sched_group *group;

		fair_scene_start(s, versions[v], 2);
		group = fair_scene_group(s, 2048);
		fair_scene_task(s, 0, 0, FAIR_NORMAL, group);
		assert_int_equal(group->entities[0].weight, 2048 << SCHED_LOAD_SHIFT);
		for (int i = 0; i < 3; i++)
			fair_scene_task(s, 1, 0, FAIR_NORMAL, group);
		fair_scene_run(s, 1000 * MS, 4 * MS);
		assert_in_range(group->entities[0].weight >> SCHED_LOAD_SHIFT, 510, 514);
		assert_in_range(group->entities[1].weight >> SCHED_LOAD_SHIFT, 1534, 1538);
		fair_scene_end(s);
	}
}

/*
 * 160 threads of one group, one a CPU. Each of its entities weighs 1024 / 160 = 6.4
 * (6553 scaled), and load tracking takes 6 of that. The entity's load, a bit below 6
 * times 0.9999, is 5; the root's is 5 or 6, as it came about. The queue's part of it is
 * 6 * 5 / (6 + 1) = 4 (or 5 * 5 / (5 + 1)), and the task's 1024 * 4 / (1024 + 1) = 3:
 * half of what it would be without rounding.
 */
static void a_task_of_160_weighs_half_of_a_160th_of_its_group(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct sched_group *group;
		struct fair_task *alone;

		fair_scene_start(s, versions[v], 160);
		group = fair_scene_group(s, 1024);
		for (uint32_t cpu = 0; cpu < 160; cpu++)
			fair_scene_task(s, cpu, 0, FAIR_NORMAL, group);
		fair_scene_run(s, 2000 * MS, 4 * MS);
		assert_in_range(group->load_avg, 160 * 1023, 160 * 1024);
		for (uint32_t cpu = 0; cpu < 160; cpu++) {
			assert_in_range(group->entities[cpu].weight, 6553, 6560);
			assert_int_equal(group->entities[cpu].avg.load_avg, 5);
			assert_in_range(s->rqs[cpu].root->avg.load_avg, 5, 6);
			assert_int_equal(fair_h_load(&s->tasks[cpu], 1), 3);
		}
		alone = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		assert_in_range(fair_h_load(alone, 2), 1020, 1024);
		fair_scene_end(s);
	}
}

static void h_load_is_refreshed_once_a_jiffy(void **state)
{
	struct fair_scene *s = &scene;
	struct fair_task *task, *other;

	(void)state;
	fair_scene_start(s, "5.10", 1);
	task = fair_scene_task(s, 0, 0, FAIR_NORMAL, one_group(s));
	assert_int_equal(fair_h_load(task, 7), 1024ull * (1024 * 1024 / 1025) / 1025);
	/* twice the load in the group's queue now, but not yet what it was worth */
	other = fair_scene_task(s, 0, 0, FAIR_NORMAL, task->group);
	assert_int_equal(task->se.cfs_rq->avg.load_avg, 2048);
	assert_int_equal(task->se.cfs_rq->h_load, 1023);
	assert_int_equal(fair_h_load(task, 7), 1024ull * 1023 / 2049);
	assert_int_equal(fair_h_load(other, 7), 1024ull * 1023 / 2049);
	/* a task beside the group doesn't change its part before the jiffy ends, nor after */
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	assert_int_equal(s->rqs[0].root->h_load, 1024);
	assert_int_equal(fair_h_load(task, 7), 1024ull * 1023 / 2049);
	assert_int_equal(s->rqs[0].root->h_load, 1024);
	fair_h_load(task, 8);
	assert_int_equal(s->rqs[0].root->h_load, s->rqs[0].root->avg.load_avg);
	assert_int_equal(s->rqs[0].root->avg.load_avg, 2048);
	fair_scene_end(s);
}

/* What runnable_avg means: weights of queued tasks, or how many there are. */
static void runnable_is_load_up_to_v5_6_and_a_count_after(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		const struct sched_avg *avg;

		fair_scene_start(s, versions[v], 1);
		avg = &s->rqs[0].root->avg;
		for (int i = 0; i < 3; i++)
			fair_scene_task(s, 0, 5, FAIR_NORMAL, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, 1000 * MS, 1 * MS);
		if (!s->params.load.runnable_load) {
			assert_in_range(avg->runnable_avg, 3 * 1020, 3 * 1024 + 2);
			fair_scene_end(s);
			continue;
		}
		assert_in_range(avg->runnable_avg, 3 * 334, 3 * 335);
		for (int i = 0; i < 3; i++)
			fair_scene_sleep(s, 0);
		assert_in_range(avg->runnable_avg, 0, 3);	/* each was rounded by itself */
		assert_in_range(avg->load_avg, 3 * 334, 3 * 335);
		fair_scene_end(s);
	}
}

/* A CPU of half the capacity needs twice the time for a period of work. */
static void a_slow_cpu_s_time_goes_slower(void **state)
{
	static const struct sched_load_rules rules = { .sums = SCHED_SUMS_FLOORED };
	struct sched_group *root;
	struct sched_load_rq rq;

	(void)state;
	sched_load_rq_init(&rq, 0, 512, &rules);
	assert_int_equal(sched_group_create(NULL, 1, SCHED_NICE_0_LOAD, 0, &rq, sizeof(rq), &root),
			 0);
	sched_load_clock(&rq, SCHED_CLOCK_START + 1000, 0);
	assert_int_equal(rq.clock_task, SCHED_CLOCK_START + 1000);
	assert_int_equal(rq.clock_pelt, SCHED_CLOCK_START + 500);
	sched_load_clock(&rq, SCHED_CLOCK_START + 1600, 1);
	assert_int_equal(rq.clock_pelt, SCHED_CLOCK_START + 1600);
	assert_int_equal(sched_clock_pelt(&rq), SCHED_CLOCK_START + 1600);
	/* time never goes back */
	sched_load_clock(&rq, SCHED_CLOCK_START, 0);
	assert_int_equal(rq.clock_task, SCHED_CLOCK_START + 1600);
	/* always busy: there was no idle time to make it up */
	root->cfs_rqs[0].avg.util_sum = (SCHED_LOAD_AVG_MAX - 1024) << 10;
	sched_load_clock(&rq, SCHED_CLOCK_START + 3600, 0);
	sched_load_clock(&rq, SCHED_CLOCK_START + 4600, 1);
	assert_int_equal(rq.lost_idle_time, 1000);
	assert_int_equal(rq.clock_pelt, SCHED_CLOCK_START + 4600);
	assert_int_equal(sched_clock_pelt(&rq), SCHED_CLOCK_START + 3600);
	sched_group_free(root);
}

/* Runs for run ns at once, then sleeps. */
static void activation(struct fair_scene *s, struct fair_task *task, uint64_t run, uint64_t sleep)
{
	s->now += sleep;
	fair_scene_wake(s, task, 0);
	fair_scene_schedule(s, 0);
	fair_scene_run(s, run, MS);
	fair_scene_sleep(s, 0);
}

static void an_estimate_remembers_what_a_task_needed(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	FOR_VERSIONS(v) {
		struct fair_task *task;
		uint32_t needed, ewma;

		fair_scene_start(s, versions[v], 1);
		task = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, 60 * MS, MS);
		assert_int_equal(sched_est_util(&s->params.load, &task->se),
				 task->se.avg.util_avg);
		fair_scene_sleep(s, 0);
		needed = (uint32_t)task->se.avg.util_avg;
		assert_true(needed > 700);
		ewma = task->se.avg.est_ewma;
		if (s->params.load.fast_up)
			assert_in_range(ewma, needed, needed | 1);
		else
			assert_in_range(ewma, needed / 4 - 1, needed / 4 + 1);
		assert_int_equal(s->rqs[0].root->avg.est_enqueued, 0);
		s->now += 300 * MS;
		fair_scene_wake(s, task, 0);
		assert_true(task->se.avg.util_avg < 10);
		assert_in_range(sched_est_util(&s->params.load, &task->se), needed, needed | 1);
		assert_in_range(s->rqs[0].root->avg.est_enqueued, needed, needed | 1);
		assert_in_range(sched_cpu_util(&s->rqs[0].load), needed, needed | 1);
		fair_scene_schedule(s, 0);
		fair_scene_run(s, MS, MS);
		fair_scene_sleep(s, 0);
		/* less than before: a quarter of the way down */
		if (s->params.load.fast_up)
			assert_in_range(task->se.avg.est_ewma, needed * 3 / 4, needed * 3 / 4 + 10);
		ewma = task->se.avg.est_ewma;
		activation(s, task, 0, 10);	/* too short for an average to change */
		assert_int_equal(task->se.avg.est_ewma, ewma);
		fair_scene_end(s);
	}
}

static void delta_is_divided_by_weight_to_the_bit(void **state)
{
	static const struct sched_load_rules rules = { .weight_min = 2 };

	(void)state;
	for (int prio = 0; prio < SCHED_NR_NICE; prio++) {
		uint64_t weight = sched_prio_to_weight[prio];

		assert_in_range(sched_prio_to_wmult[prio],
				(1ull << 32) / weight - 1, (1ull << 32) / weight + 1);
		for (uint64_t delta = 1; delta < 1ull << 36; delta = delta * 7 + 3) {
			uint32_t inverse = sched_prio_to_wmult[prio];
			uint64_t got, exact = delta * 1024 / weight;

			got = sched_calc_delta(&rules, delta, SCHED_NICE_0_LOAD,
					       weight << SCHED_LOAD_SHIFT, &inverse);
			assert_in_range(got + 1 + exact / 30000 - exact, 0,
					2 + exact / 15000);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_task_is_heavy_and_takes_half_of_the_capacity_left),
		cmocka_unit_test(blocked_load_decays_until_the_queue_is_no_leaf),
		cmocka_unit_test(a_waking_task_takes_its_load_along),
		cmocka_unit_test(a_balanced_task_takes_its_load_along_at_once),
		cmocka_unit_test(a_task_that_leaves_an_idle_cpu_has_decayed),
		cmocka_unit_test(a_dead_task_leaves_nothing_behind),
		cmocka_unit_test(leaves_are_linked_children_first),
		cmocka_unit_test(load_moves_through_groups),
		cmocka_unit_test(a_group_is_shared_out_by_load),
		cmocka_unit_test(a_task_of_160_weighs_half_of_a_160th_of_its_group),
		cmocka_unit_test(h_load_is_refreshed_once_a_jiffy),
		cmocka_unit_test(runnable_is_load_up_to_v5_6_and_a_count_after),
		cmocka_unit_test(a_slow_cpu_s_time_goes_slower),
		cmocka_unit_test(an_estimate_remembers_what_a_task_needed),
		cmocka_unit_test(delta_is_divided_by_weight_to_the_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
