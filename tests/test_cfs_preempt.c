// SPDX-License-Identifier: GPL-2.0-only
/* CFS: who may interrupt whom, and who is favoured then. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "tests/fair_scene.h"

#define GRAN	(4 * MS)	/* sched_wakeup_granularity at 8 CPUs */

static struct fair_scene scene;

/* The current task, and a wakee that is behind it by so much on their queue. */
static uint32_t preempts(int nice, enum fair_policy policy, uint64_t behind)
{
	struct fair_scene *s = &scene;
	struct fair_task *curr, *wakee;
	uint32_t resched;

	fair_scene_start(s, "6.1", 1);
	curr = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	wakee = fair_scene_task(s, 0, nice, policy, NULL);
	curr->se.vruntime = wakee->se.vruntime + behind;
	fair_cfs.wakeup_preempt(&s->rqs[0], wakee);
	resched = s->rqs[0].resched;
	if (resched && policy == FAIR_NORMAL)
		assert_ptr_equal(s->rqs[0].root->next, &wakee->se);
	curr->se.vruntime = wakee->se.vruntime;
	fair_scene_end(s);
	return resched;
}

static void a_wakee_preempts_from_its_granularity_on(void **state)
{
	uint64_t light = GRAN * 1024 / 335, heavy = GRAN * 1024 / 3121;

	(void)state;
	assert_int_equal(preempts(0, FAIR_NORMAL, 0), 0);
	assert_int_equal(preempts(0, FAIR_NORMAL, GRAN - 1), 0);
	assert_int_equal(preempts(0, FAIR_NORMAL, GRAN), 0);
	assert_int_equal(preempts(0, FAIR_NORMAL, GRAN + 1), 1);
	/* in the wakee's own virtual time, rounded by the inverse of its weight */
	assert_int_equal(preempts(5, FAIR_NORMAL, light - 2), 0);
	assert_int_equal(preempts(5, FAIR_NORMAL, light + 2), 1);
	assert_int_equal(preempts(-5, FAIR_NORMAL, heavy - 2), 0);
	assert_int_equal(preempts(-5, FAIR_NORMAL, heavy + 2), 1);
	/* ahead: never */
	assert_int_equal(preempts(0, FAIR_NORMAL, (uint64_t)-1), 0);
}

static void batch_and_idle_wakees_do_not_preempt(void **state)
{
	(void)state;
	assert_int_equal(preempts(0, FAIR_BATCH, 1000 * MS), 0);
	assert_int_equal(preempts(0, FAIR_IDLE, 1000 * MS), 0);
}

static void sched_idle_is_preempted_at_once(void **state)
{
	static const char *const versions[] = { "5.4", "5.15", "6.5" };
	struct fair_scene *s = &scene;

	(void)state;
	for (size_t v = 0; v < 3; v++) {
		struct fair_task *idle, *wakee;

		fair_scene_start(s, versions[v], 1);
		idle = fair_scene_task(s, 0, 0, FAIR_IDLE, NULL);
		fair_scene_schedule(s, 0);
		assert_int_equal(s->rqs[0].nr_idle, 1);
		assert_int_equal(idle->se.weight, 3 << SCHED_LOAD_SHIFT);
		wakee = fair_scene_task(s, 0, 19, FAIR_BATCH, NULL);
		assert_int_equal(s->rqs[0].resched, 0);
		idle->se.vruntime = wakee->se.vruntime - 1000 * MS;
		fair_cfs.wakeup_preempt(&s->rqs[0], wakee);
		assert_int_equal(s->rqs[0].resched, 1);
		assert_int_equal(s->rqs[0].nr_running, 2);
		assert_int_equal(s->rqs[0].nr_idle, 1);
		fair_scene_end(s);
	}
}

static void an_idle_cpu_wants_to_schedule_for_any_task(void **state)
{
	struct fair_scene *s = &scene;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	fair_cfs.wakeup_preempt(&s->rqs[0], fair_scene_task(s, 0, 0, FAIR_BATCH, NULL));
	assert_int_equal(s->rqs[0].resched, 1);
	fair_scene_schedule(s, 0);
	assert_int_equal(s->rqs[0].resched, 0);
	fair_scene_end(s);
}

static void without_the_feature_nobody_preempts(void **state)
{
	struct wake_version v = fair_scene_version("6.1");
	struct fair_scene *s = &scene;
	struct fair_params params;
	struct fair_task *wakee;

	(void)state;
	fair_params_of(&v, 8, &params);
	params.wakeup_preemption = 0;
	fair_scene_start_with(s, &params, 1);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	wakee = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	s->tasks[0].se.vruntime = wakee->se.vruntime + 1000 * MS;
	fair_cfs.wakeup_preempt(&s->rqs[0], wakee);
	assert_int_equal(s->rqs[0].resched, 0);
	fair_scene_end(s);
}

/* Preemption is judged where the ways up meet: entities of groups, not tasks. */
static void groups_are_compared_on_their_common_queue(void **state)
{
	struct fair_scene *s = &scene;
	struct sched_group *a, *b;
	struct fair_task *wakee;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	a = fair_scene_group(s, 1024);
	b = fair_scene_group(s, 1024);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, a);
	fair_scene_schedule(s, 0);
	wakee = fair_scene_task(s, 0, 0, FAIR_NORMAL, b);
	s->tasks[0].se.vruntime = wakee->se.vruntime + 1000 * MS;	/* means nothing */
	a->entities[0].vruntime = b->entities[0].vruntime + GRAN;
	fair_cfs.wakeup_preempt(&s->rqs[0], wakee);
	assert_int_equal(s->rqs[0].resched, 0);
	a->entities[0].vruntime++;
	fair_cfs.wakeup_preempt(&s->rqs[0], wakee);
	assert_int_equal(s->rqs[0].resched, 1);
	assert_ptr_equal(s->rqs[0].root->next, &b->entities[0]);
	fair_scene_end(s);
}

static void an_idle_group_gives_way_to_others(void **state)
{
	struct fair_scene *s = &scene;
	struct sched_group *idle, *other;
	struct fair_task *low, *high;

	(void)state;
	fair_scene_start(s, "5.10", 1);
	assert_int_equal(fair_group_create(s->system, NULL, 1024, 1, &idle), -EINVAL);
	fair_scene_end(s);
	fair_scene_start(s, "5.15", 1);
	assert_int_equal(fair_group_create(s->system, NULL, 1024, 1, &idle), 0);
	other = fair_scene_group(s, 1024);
	low = fair_scene_task(s, 0, 0, FAIR_NORMAL, idle);
	fair_scene_schedule(s, 0);
	assert_int_equal(idle->entities[0].weight, 3 << SCHED_LOAD_SHIFT);
	assert_int_equal(s->rqs[0].nr_idle, 1);
	high = fair_scene_task(s, 0, 0, FAIR_NORMAL, other);
	fair_cfs.wakeup_preempt(&s->rqs[0], high);
	assert_int_equal(s->rqs[0].resched, 1);
	other->entities[0].vruntime = idle->entities[0].vruntime - 1000 * MS;
	assert_ptr_equal(fair_scene_schedule(s, 0), high);
	idle->entities[0].vruntime = other->entities[0].vruntime - 1000 * MS;
	fair_cfs.wakeup_preempt(&s->rqs[0], low);
	assert_int_equal(s->rqs[0].resched, 0);
	fair_scene_end(s);
}

/* Tasks in the tree at these places behind min_vruntime, the first is current. */
static void place(struct fair_scene *s, const char *version, uint32_t nr, const int64_t *at)
{
	fair_scene_start(s, version, 1);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	for (uint32_t i = 1; i < nr; i++) {
		struct fair_task *task = fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);

		fair_cfs.dequeue(&s->rqs[0], task, 0);
		fair_cfs.leave(&s->rqs[0], task, 0);
		task->se.vruntime = (uint64_t)at[i];
		fair_cfs.enqueue(&s->rqs[0], task, FAIR_MIGRATED);
	}
	s->tasks[0].se.vruntime = s->rqs[0].root->min_vruntime + (uint64_t)at[0];
}

/* The one that preempts runs, though another is further behind, but not too far. */
static void the_wakee_that_preempts_is_next_unless_unfair(void **state)
{
	static const int64_t near[] = { 10 * MS, 0, 4 * MS }, far[] = { 10 * MS, 0, 4 * MS + 1 };
	struct fair_scene *s = &scene;

	(void)state;
	place(s, "6.1", 3, near);
	fair_cfs.wakeup_preempt(&s->rqs[0], &s->tasks[2]);
	assert_int_equal(s->rqs[0].resched, 1);
	assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[2]);
	assert_null(s->rqs[0].root->next);
	fair_scene_end(s);

	place(s, "6.1", 3, far);
	fair_cfs.wakeup_preempt(&s->rqs[0], &s->tasks[2]);
	assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[1]);
	assert_ptr_equal(s->rqs[0].root->next, &s->tasks[2].se);
	fair_scene_end(s);
}

/* With many tasks the preempted one goes on afterwards, for its cache is warm. */
static void the_preempted_task_is_last_buddy_among_many(void **state)
{
	static const int64_t at[] = { 5 * MS, 0, 3 * MS, 3 * MS, 3 * MS, 3 * MS, 3 * MS, 3 * MS };
	struct fair_scene *s = &scene;

	(void)state;
	for (uint32_t nr = 7; nr <= 8; nr++) {
		place(s, "6.1", nr, at);
		fair_cfs.wakeup_preempt(&s->rqs[0], &s->tasks[1]);
		assert_int_equal(s->rqs[0].resched, 1);
		assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[1]);
		assert_ptr_equal(fair_scene_sleep(s, 0), &s->tasks[nr == 8 ? 0 : 2]);
		fair_scene_end(s);
	}
}

static void a_long_turn_forgets_its_favours(void **state)
{
	static const int64_t at[] = { 0, 20 * MS };
	struct fair_scene *s = &scene;

	(void)state;
	place(s, "6.1", 2, at);
	s->rqs[0].root->last = &s->tasks[0].se;
	s->now += 12 * MS + 1;
	fair_scene_clock(s, 0);
	fair_cfs.tick(&s->rqs[0]);
	assert_int_equal(s->rqs[0].resched, 1);
	assert_null(s->rqs[0].root->last);
	fair_scene_end(s);
}

static void who_yields_is_skipped_unless_unfair(void **state)
{
	static const int64_t near[] = { 0, 4 * MS }, far[] = { 0, 4 * MS + 1 };
	struct fair_scene *s = &scene;

	(void)state;
	place(s, "6.1", 2, near);
	fair_cfs.yield(&s->rqs[0]);
	assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[1]);
	fair_scene_end(s);

	place(s, "6.1", 2, far);
	fair_cfs.yield(&s->rqs[0]);
	assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[0]);
	fair_scene_end(s);

	fair_scene_start(s, "6.1", 1);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	fair_scene_schedule(s, 0);
	fair_cfs.yield(&s->rqs[0]);
	assert_null(s->rqs[0].root->skip);	/* alone: for nobody */
	fair_scene_end(s);
}

/* dequeue_task_fair(): a sleeper's group is favoured for the rest of its slice. */
static void a_sleeper_leaves_its_turn_to_its_group(void **state)
{
	struct fair_scene *s = &scene;
	struct sched_group *group;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	group = fair_scene_group(s, 1024);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, group);
	fair_scene_schedule(s, 0);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, group);
	fair_scene_task(s, 0, 0, FAIR_NORMAL, NULL);
	group->entities[0].vruntime = s->tasks[2].se.vruntime + 3 * MS;
	assert_ptr_equal(fair_scene_sleep(s, 0), &s->tasks[1]);
	fair_scene_end(s);
}

/* Up to v5.13 the choice clears buddies; later only who becomes current does. */
static void who_is_chosen_again_keeps_its_buddies_from_v5_14(void **state)
{
	static const int64_t at[] = { 0, 20 * MS };
	struct fair_scene *s = &scene;

	(void)state;
	for (int late = 0; late < 2; late++) {
		place(s, late ? "5.15" : "5.13", 2, at);
		s->rqs[0].root->next = &s->tasks[0].se;
		assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[0]);
		assert_ptr_equal(s->rqs[0].root->next, late ? &s->tasks[0].se : NULL);
		fair_scene_end(s);
	}
}

static void resched_is_cleared_by_the_choice_alone(void **state)
{
	static const int64_t at[] = { 0, 20 * MS, 30 * MS };
	struct fair_scene *s = &scene;
	struct fair_rq *rq;

	(void)state;
	place(s, "6.1", 3, at);
	rq = &s->rqs[0];
	rq->resched = 1;
	fair_cfs.tick(rq);
	fair_cfs.update(rq);
	fair_cfs.yield(rq);
	fair_scene_sleep(s, 0);
	assert_int_equal(rq->resched, 0);
	rq->resched = 1;
	fair_scene_wake(s, &s->tasks[0], 0);
	assert_int_equal(rq->resched, 1);
	fair_cfs.dequeue(rq, &s->tasks[2], FAIR_SLEEP);
	fair_cfs.enqueue(rq, &s->tasks[2], FAIR_WAKEUP);
	assert_int_equal(rq->resched, 1);
	fair_scene_schedule(s, 0);
	assert_int_equal(rq->resched, 0);
	fair_scene_end(s);
}

/* A remote wake-up may reach a task before its CPU has left it: newidle balance. */
static void a_task_may_wake_before_it_has_left_its_cpu(void **state)
{
	struct fair_scene *s = &scene;
	struct fair_task *task;

	(void)state;
	fair_scene_start(s, "6.1", 1);
	task = fair_scene_task(s, 0, 0, FAIR_NORMAL, fair_scene_group(s, 1024));
	fair_scene_schedule(s, 0);
	s->now += MS;
	fair_scene_clock(s, 0);
	fair_cfs.dequeue(&s->rqs[0], task, FAIR_SLEEP);
	assert_null(fair_cfs.pick(&s->rqs[0]));
	assert_ptr_equal(s->rqs[0].curr, task);
	s->now += 5000;
	fair_scene_wake(s, task, 0);
	assert_null(fair_check(&s->rqs[0]));
	assert_ptr_equal(fair_scene_schedule(s, 0), task);
	assert_int_equal(task->se.sum_exec_runtime, MS + 5000);
	fair_scene_end(s);
}

/* cfs_tasks: new ones and those that run come first, a balancer takes the last. */
static void the_list_of_tasks_is_in_the_order_of_use(void **state)
{
	static const int64_t at[] = { 9 * MS, 0, MS };
	struct fair_scene *s = &scene;
	struct fair_rq *rq;

	(void)state;
	place(s, "6.1", 3, at);
	rq = &s->rqs[0];
	assert_ptr_equal(rq->lru_first, &s->tasks[2]);
	assert_ptr_equal(rq->lru_last, &s->tasks[0]);
	assert_ptr_equal(fair_scene_schedule(s, 0), &s->tasks[1]);
	assert_ptr_equal(rq->lru_first, &s->tasks[1]);
	assert_ptr_equal(rq->lru_first->lru_next, &s->tasks[2]);
	assert_ptr_equal(rq->lru_last, &s->tasks[0]);
	fair_scene_end(s);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wakee_preempts_from_its_granularity_on),
	cmocka_unit_test(batch_and_idle_wakees_do_not_preempt),
	cmocka_unit_test(sched_idle_is_preempted_at_once),
	cmocka_unit_test(an_idle_cpu_wants_to_schedule_for_any_task),
	cmocka_unit_test(without_the_feature_nobody_preempts),
	cmocka_unit_test(groups_are_compared_on_their_common_queue),
	cmocka_unit_test(an_idle_group_gives_way_to_others),
	cmocka_unit_test(the_wakee_that_preempts_is_next_unless_unfair),
	cmocka_unit_test(the_preempted_task_is_last_buddy_among_many),
	cmocka_unit_test(a_long_turn_forgets_its_favours),
	cmocka_unit_test(who_yields_is_skipped_unless_unfair),
	cmocka_unit_test(a_sleeper_leaves_its_turn_to_its_group),
	cmocka_unit_test(who_is_chosen_again_keeps_its_buddies_from_v5_14),
	cmocka_unit_test(resched_is_cleared_by_the_choice_alone),
	cmocka_unit_test(a_task_may_wake_before_it_has_left_its_cpu),
	cmocka_unit_test(the_list_of_tasks_is_in_the_order_of_use),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
