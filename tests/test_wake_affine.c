// SPDX-License-Identifier: GPL-2.0-only
/* Which LLC: record_wakee(), wake_wide(), wake_affine(), in every version. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/scene.h"

/* I.3, 1, where prev's blocked load exceeds the waker's */
static void blocked_load_pulls_before_v5_11_only(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;
		int pulls = !scene_since(v, 5, 11) &&
			    sched_versions[v].rules.load == WAKE_LOAD_AVG;

		scene_start(&s, &scene_smt8, 0, 2);
		s.state->rq[2].load_avg = 2000;
		scene_expect_version(&s, v, 2, pulls ? WAKE_REASON_PREV : WAKE_REASON_TARGET);
		assert_int_equal(s.d.target, pulls ? 0 : 2);
		assert_int_equal(s.d.affine, pulls ? WAKE_AFFINE_THIS :
				 scene_since(v, 5, 11) ? WAKE_AFFINE_PREV : WAKE_AFFINE_NONE);
		scene_end(&s);
	}
}

/* I.3, 2 */
static void an_interrupt_on_an_idle_cpu_pulls_to_it(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 1, 2);
		scene_idle(&s, 1);
		scene_busy(&s, 2, 1, 0);
		scene_expect_version(&s, v, 1, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
		scene_end(&s);
	}
}

/* I.3, 6; second table of G, "prev idle in another LLC stays" */
static void an_idle_prev_of_another_llc_stays_from_v5_11(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;
		int pulls = !scene_since(v, 5, 11) &&
			    sched_versions[v].rules.load == WAKE_LOAD_AVG;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_plenty(&s);
		s.state->rq[9].load_avg = 2000;
		if (pulls)
			scene_expect_version(&s, v, 1, WAKE_REASON_CPU);
		else
			scene_expect_version(&s, v, 9, WAKE_REASON_TARGET);
		scene_end(&s);
	}
}

/* I.3, 7 */
static void wake_wide_needs_both_to_have_many_partners(void **state)
{
	static const struct {
		wake_u32 waker, wakee, wide;
	} flips[] = { { 69, 8, 1 }, { 62, 8, 0 }, { 69, 7, 0 }, { 7, 64, 1 }, { 6, 64, 0 } };

	(void)state;
	FOR_EVERY_VERSION(v) {
		for (size_t i = 0; i < sizeof(flips) / sizeof(flips[0]); i++) {
			struct scene s;

			scene_start(&s, &scene_smt8, 0, 2);
			/* record_wakee() adds one before the test. */
			s.waker.wake.wakee_flips = flips[i].waker;
			s.waker.wake.wakee_flip_decay_ts = s.state->jiffies;
			s.wakee.wake.wakee_flips = flips[i].wakee;
			scene_decide(&s, &sched_versions[v].rules);
			assert_int_equal(s.d.wide, flips[i].wide);
			assert_int_equal(s.waker.wake.wakee_flips, flips[i].waker + 1);
			assert_int_equal(s.d.affine == WAKE_AFFINE_NOT_RUN, flips[i].wide);
			scene_end(&s);
		}
	}
}

static void flips_halve_once_after_more_than_a_second(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		for (wake_u64 age = 249; age <= 251; age++) {
			struct scene s;

			scene_start(&s, &scene_smt8, 0, 2);
			s.waker.wake.wakee_flips = 9;
			s.waker.wake.last_wakee = s.wakee.wake.id;
			s.waker.wake.wakee_flip_decay_ts = s.state->jiffies - age;
			scene_decide(&s, &sched_versions[v].rules);
			assert_int_equal(s.waker.wake.wakee_flips, age > 250 ? 4 : 9);
			scene_end(&s);
		}
	}
}

/* second table of G, "bias pct used": 125 gives 112, 117 gives 108, 110 gives 105 */
static void the_bias_is_half_of_imbalance_pct(void **state)
{
	static const wake_u32 pcts[][2] = { { 125, 112 }, { 117, 108 } };

	(void)state;
	FOR_EVERY_VERSION(v) {
		for (size_t i = 0; i < 2; i++) {
			for (int more = 0; more < 2; more++) {
				struct scene_machine machine = scene_two_llcs;
				struct scene s;

				machine.pct = pcts[i][0];
				scene_start(&s, &machine, 0, 9);
				scene_busy(&s, 9, 1, 0);
				/* this 100 * bias < prev 100 * 100 * bias / 100 is the edge */
				s.state->rq[0].load_avg = pcts[i][1] * 10;
				s.state->rq[9].load_avg = 1000 + (wake_u64)more;
				s.state->rq[0].runnable_load = s.state->rq[0].load_avg;
				s.state->rq[9].runnable_load = s.state->rq[9].load_avg;
				scene_decide(&s, &sched_versions[v].rules);
				assert_int_equal(s.d.affine,
						 more ? WAKE_AFFINE_THIS : WAKE_AFFINE_NONE);
				scene_end(&s);
			}
		}
	}
}

static void prev_s_load_may_come_out_negative(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.state->rq[0].load_avg = s.state->rq[0].runnable_load = 0;
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 10;
		s.wakee.load = 500;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
		scene_end(&s);
	}
}

static void a_sync_waker_s_own_load_is_left_out(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 0, 2, 0);
		scene_busy(&s, 9, 1, 0);
		s.wake.flags |= WAKE_WF_SYNC;
		s.waker.load = 1024;
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 0;
		/* 0 against 0, and the 1 that sync adds to prev */
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
		s.waker.load = 0;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
		scene_end(&s);
	}
}

static void capacities_are_cross_multiplied(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.state->rq[0].load_avg = s.state->rq[0].runnable_load = 500;
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 600;
		s.state->rq[0].capacity = 512;	/* half as fast: its load counts twice */
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
		s.state->rq[0].capacity = 1024;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
		scene_end(&s);
	}
}

/* A delayed dequeue counts for the sync rule up to v6.12. */
static void the_sync_rule_leaves_delayed_tasks_out_later(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;
		int later = sched_versions[v].rules.sync_nr == WAKE_SYNC_RUNNABLE;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 0, 2, 0);
		scene_busy(&s, 9, 1, 0);
		s.state->rq[0].nr_delayed = 1;
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 0;
		s.wake.flags |= WAKE_WF_SYNC;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, later ? WAKE_AFFINE_THIS : WAKE_AFFINE_NONE);
		assert_int_equal(later, scene_since(v, 7, 0) || sched_versions[v].stable == 117);
		scene_end(&s);
	}
}

static void an_exiting_waker_is_not_sync(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.wake.flags |= WAKE_WF_SYNC;
		s.waker.exiting = 1;
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 0;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
		scene_end(&s);
	}
}

static void a_far_node_keeps_the_wakee_at_prev(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene_machine machine = scene_two_llcs;
		struct scene s;

		machine.far_llc = 1;
		scene_start(&s, &machine, 0, 9);
		s.wake.flags |= WAKE_WF_SYNC;
		scene_expect_version(&s, v, 9, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NOT_RUN);
		scene_end(&s);
	}
}

static void a_waker_on_a_forbidden_cpu_pulls_nobody(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_allow(&s, 0xff00);
		s.wake.flags |= WAKE_WF_SYNC;
		scene_expect_version(&s, v, 9, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NOT_RUN);
		scene_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocked_load_pulls_before_v5_11_only),
		cmocka_unit_test(an_interrupt_on_an_idle_cpu_pulls_to_it),
		cmocka_unit_test(an_idle_prev_of_another_llc_stays_from_v5_11),
		cmocka_unit_test(wake_wide_needs_both_to_have_many_partners),
		cmocka_unit_test(flips_halve_once_after_more_than_a_second),
		cmocka_unit_test(the_bias_is_half_of_imbalance_pct),
		cmocka_unit_test(prev_s_load_may_come_out_negative),
		cmocka_unit_test(a_sync_waker_s_own_load_is_left_out),
		cmocka_unit_test(capacities_are_cross_multiplied),
		cmocka_unit_test(the_sync_rule_leaves_delayed_tasks_out_later),
		cmocka_unit_test(an_exiting_waker_is_not_sync),
		cmocka_unit_test(a_far_node_keeps_the_wakee_at_prev),
		cmocka_unit_test(a_waker_on_a_forbidden_cpu_pulls_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
