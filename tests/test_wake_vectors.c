// SPDX-License-Identifier: GPL-2.0-only
/*
 * Derived by hand: the test vectors of the specification (I.3), and every row of
 * "Check order at a glance" (G), each in every version.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/scene.h"

static void hint_cores(struct scene *s, wake_u32 cpu, wake_u32 value)
{
	sched_llc(s->state, cpu)->has_idle_cores = value;
}

/* I.3, 1 */
static void an_idle_prev_of_the_llc_is_taken_in_every_version(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 2);
		/* It is the target: by rule from v5.11, before because it is less loaded. */
		scene_expect_version(&s, v, 2, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine,
				 scene_since(v, 5, 11) ? WAKE_AFFINE_PREV : WAKE_AFFINE_NONE);
		scene_end(&s);
	}
}

/* I.3, 3; G, "recent" */
static void recent_used_cpu_is_taken_and_updated(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 3);
		s.wake.flags |= WAKE_WF_SYNC;
		scene_busy(&s, 3, 1, 0);
		s.wakee.wake.recent_used_cpu = 5;
		scene_expect_version(&s, v, 5, WAKE_REASON_RECENT);
		assert_int_equal(s.d.target, 0);
		assert_int_equal(s.wakee.wake.recent_used_cpu, 3);
		scene_end(&s);
	}
}

static void recent_used_cpu_follows_prev_without_a_hit_from_v5_15(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 3);
		s.wake.flags |= WAKE_WF_SYNC;
		scene_plenty(&s);
		scene_busy(&s, 3, 1, 0);
		scene_busy(&s, 5, 1, 0);
		s.wakee.wake.recent_used_cpu = 5;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.wakee.wake.recent_used_cpu, scene_since(v, 5, 15) ? 3 : 5);
		scene_end(&s);
	}
}

/* 89aafd67f28c set the field before its mask was asked: v5.15 to v6.4 ask prev. */
static void recent_used_cpu_s_mask_test_asks_prev_by_mistake(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		int mistaken = scene_since(v, 5, 15) && !scene_since(v, 6, 5) &&
			       !sched_versions[v].stable;

		for (int forbidden = 3; forbidden <= 5; forbidden += 2) {
			struct scene s;

			scene_start(&s, &scene_two_llcs, 0, 3);
			s.wake.flags |= WAKE_WF_SYNC;
			scene_all_busy(&s, 0, 7, 5);
			s.wakee.wake.recent_used_cpu = 5;
			scene_allow(&s, 0xff & ~(1u << forbidden));
			s.wake.fair_only = 1;
			scene_decide(&s, &sched_versions[v].rules);
			assert_int_equal(s.d.reason == WAKE_REASON_RECENT,
					 mistaken ? forbidden == 5 : forbidden == 3);
			scene_end(&s);
		}
	}
}

/* v5.12 cleared it where the waker is; 02dbb7246c5b mended that for v5.13. */
static void a_failed_core_scan_clears_the_hint_of_target_s_llc(void **state)
{
	static const struct scene_machine machine = { .nr_cpus = 16, .threads = 2, .llc = 8 };

	(void)state;
	FOR_EVERY_VERSION(v) {
		int mistaken = scene_since(v, 5, 12) && !scene_since(v, 5, 13);
		struct scene s;

		scene_start(&s, &machine, 0, 9);
		scene_plenty(&s);
		scene_all_busy(&s, 8, 15, WAKE_NONE);
		hint_cores(&s, 0, 1);
		hint_cores(&s, 9, 1);
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 0;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.target, 9);
		assert_int_equal(sched_llc(s.state, 9)->has_idle_cores, mistaken);
		assert_int_equal(sched_llc(s.state, 0)->has_idle_cores, !mistaken);
		scene_end(&s);
	}
}

static void the_waker_s_own_recent_used_cpu_is_written_before_v5_15(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 3);
		s.waker.wake.recent_used_cpu = 7;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.waker.wake.recent_used_cpu, scene_since(v, 5, 15) ? 7 : 0);
		scene_end(&s);
	}
}

/* I.3, 4; G, "siblings of prev", "siblings of target" */
static void only_the_sibling_is_idle(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_plenty(&s);
		scene_all_busy(&s, 0, 7, 6);
		scene_expect_version(&s, v, 6, scene_since(v, 5, 13) ? WAKE_REASON_SMT_PREV : WAKE_REASON_CPU);
		scene_end(&s);
	}
}

static void without_budget_the_split_scan_still_tries_siblings_of_target(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 6);
		if (!scene_since(v, 5, 12))
			scene_expect_version(&s, v, 6, WAKE_REASON_SMT_TARGET);
		else if (scene_since(v, 5, 13))
			scene_expect_version(&s, v, 6, WAKE_REASON_SMT_PREV);
		else
			/* The least budget looks at 2, 3, 4. */
			scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

/* I.3, 5 */
static void a_spent_budget_stacks_on_target(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 7);
		scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

static void with_budget_the_scan_finds_the_last_cpu(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_plenty(&s);
		scene_all_busy(&s, 0, 7, 7);
		scene_expect_version(&s, v, 7, WAKE_REASON_CPU);
		scene_end(&s);
	}
}

static void nr_idle_scan_counts_from_target_plus_one(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		if (!sched_versions[v].rules.sis_util)
			continue;
		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 7);
		sched_llc(s.state, 2)->nr_idle_scan = 5;	/* 3, 4, 5, 6, 7 */
		scene_expect_version(&s, v, 7, WAKE_REASON_CPU);
		scene_end(&s);
		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 7);
		sched_llc(s.state, 2)->nr_idle_scan = 4;
		scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

/* G, "target" */
static void target_is_taken_whatever_the_mask_says(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 2);
		s.wake.fair_only = 1;
		scene_allow(&s, 0x0a);
		scene_expect_version(&s, v, 2, WAKE_REASON_TARGET);
		/* try_to_wake_up() repairs it. */
		s.wake.fair_only = 0;
		scene_expect_version(&s, v, 1, WAKE_REASON_FALLBACK);
		scene_end(&s);
	}
}

static void a_sched_idle_cpu_is_refused_to_sched_idle_wakees_from_v7_1(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_busy(&s, 2, 2, 2);
		s.wakee.idle_policy = 1;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_TARGET, !scene_since(v, 7, 1));
		s.wakee.idle_policy = 0;
		scene_expect_version(&s, v, 2, WAKE_REASON_TARGET);
		scene_end(&s);
	}
}

/* G, "prev (same LLC)": with clusters, remembered from v6.7 */
static void a_prev_of_another_cluster_waits_for_the_scan_from_v6_7(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_clusters, 0, 9);
		scene_plenty(&s);
		s.wake.flags |= WAKE_WF_SYNC;
		if (scene_since(v, 6, 7))
			scene_expect_version(&s, v, 1, WAKE_REASON_CLUSTER_CPU);
		else
			scene_expect_version(&s, v, 9, WAKE_REASON_PREV);
		scene_end(&s);
		/* No scan: what was remembered is taken, prev before recent. */
		scene_start(&s, &scene_clusters, 0, 9);
		s.wake.flags |= WAKE_WF_SYNC;
		s.wakee.wake.recent_used_cpu = 5;
		scene_expect_version(&s, v, 9, scene_since(v, 6, 7) ? WAKE_REASON_PREV_FAR : WAKE_REASON_PREV);
		scene_busy(&s, 9, 1, 0);
		s.wakee.wake.recent_used_cpu = 5;
		scene_expect_version(&s, v, 5, scene_since(v, 6, 7) ? WAKE_REASON_RECENT_FAR : WAKE_REASON_RECENT);
		scene_end(&s);
	}
}

/* G, "cluster of target, then rest of LLC": one budget, the cluster first */
static void cluster_and_llc_share_the_budget_from_v6_7(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		if (!scene_since(v, 6, 7))
			continue;
		for (wake_u32 nr = 6; nr <= 7; nr++) {
			scene_start(&s, &scene_clusters, 2, 2);
			scene_all_busy(&s, 0, 15, 6);
			/* 3, 0, 1, 2 of the cluster, then 4, 5, 6 */
			sched_llc(s.state, 2)->nr_idle_scan = nr;
			scene_expect_version(&s, v, nr == 7 ? 6 : 2,
			       nr == 7 ? WAKE_REASON_CPU : WAKE_REASON_NOT_FOUND);
			scene_end(&s);
		}
	}
}

/* G, "per-cpu kthread" */
static void a_per_cpu_kthread_stacks_its_wakee(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		wake_u8 rule = sched_versions[v].rules.kthread;
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_plenty(&s);
		s.waker.kthread = 1;
		s.waker.nr_allowed = 1;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_KTHREAD, scene_since(v, 5, 9));
		s.wake.in_task = 0;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_KTHREAD, rule == WAKE_KTHREAD_STACKS);
		s.wake.in_task = 1;
		scene_busy(&s, 2, 2, 0);
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_not_equal(s.d.reason, WAKE_REASON_KTHREAD);
		scene_end(&s);
	}
}

/* G, "idle core scan", "core-or-cpu scan" */
static void a_hinted_core_is_found_from_target_in_wrap_order(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_plenty(&s);
		hint_cores(&s, 2, 1);
		scene_all_busy(&s, 2, 4, WAKE_NONE);	/* cores 0 (4), 2, 3 are half busy */
		scene_expect_version(&s, v, 5, WAKE_REASON_CORE);
		scene_end(&s);
	}
}

/* G, "any idle thread seen" */
static void without_a_whole_core_the_hint_is_cleared(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_plenty(&s);
		hint_cores(&s, 2, 1);
		scene_all_busy(&s, 0, 3, WAKE_NONE);
		/* 2's siblings are 2 and 6; from target + 1 it is core 3: 7. */
		if (scene_since(v, 5, 15))
			scene_expect_version(&s, v, 7, WAKE_REASON_CORE_THREAD);
		else if (scene_since(v, 5, 12))
			scene_expect_version(&s, v, 6, WAKE_REASON_CORE_THREAD);
		else
			scene_expect_version(&s, v, 4, WAKE_REASON_CPU);
		assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 0);
		scene_end(&s);
	}
}

static void a_thread_that_is_not_allowed_still_makes_its_core_idle(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_plenty(&s);
		hint_cores(&s, 2, 1);
		scene_all_busy(&s, 2, 2, WAKE_NONE);
		scene_allow(&s, 0x0c);		/* 2 and 3; 7 is idle but not allowed */
		scene_expect_version(&s, v, 3, WAKE_REASON_CORE);
		scene_end(&s);
	}
}

/* G, "target" at the end */
static void a_full_llc_stacks_on_target_though_another_is_idle(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 2, 2);
		scene_plenty(&s);
		scene_all_busy(&s, 0, 7, WAKE_NONE);
		scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

/* second table of G, "wake without selection" */
static void a_wakee_still_on_its_cpu_is_queued_there(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;
		int skips = scene_since(v, 5, 8);

		/* another LLC */
		scene_start(&s, &scene_two_llcs, 0, 9);
		s.wakee.on_cpu = 1;
		scene_busy(&s, 9, 3, 0);
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_ON_CPU, skips);
		scene_end(&s);
		/* the same LLC: only a CPU with nothing, or (up to v5.19) little, to run */
		for (wake_u32 nr = 0; nr <= 2; nr++) {
			wake_u8 rule = sched_versions[v].rules.on_cpu;

			scene_start(&s, &scene_two_llcs, 0, 5);
			s.wakee.on_cpu = 1;
			if (nr)
				scene_busy(&s, 5, nr, 0);
			scene_decide(&s, &sched_versions[v].rules);
			assert_int_equal(s.d.reason == WAKE_REASON_ON_CPU,
					 skips && nr <= (rule == WAKE_ON_CPU_NR_1));
			scene_end(&s);
		}
	}
}

static void a_delayed_dequeue_is_woken_where_it_is_from_v6_12(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		s.wakee.delayed = 1;
		scene_busy(&s, 9, 2, 0);
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_DELAYED, scene_since(v, 6, 12));
		if (scene_since(v, 6, 12))
			assert_int_equal(s.waker.wake.wakee_flips, 0);
		scene_end(&s);
	}
}

static void one_allowed_cpu_is_not_selected(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_allow(&s, 1 << 4);
		scene_expect_version(&s, v, 4, WAKE_REASON_ONE_ALLOWED);
		assert_int_equal(s.waker.wake.wakee_flips, 0);
		scene_end(&s);
	}
}

static void wf_current_cpu_is_honoured_from_v6_6(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		s.wake.flags |= WAKE_WF_CURRENT_CPU;
		if (scene_since(v, 6, 6))
			scene_expect_version(&s, v, 0, WAKE_REASON_CURRENT_CPU);
		else
			scene_expect_version(&s, v, 9, WAKE_REASON_TARGET);
		scene_end(&s);
	}
}

static void an_isolated_target_is_returned_as_it_is(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.topo.cpus[9].llc = SCHED_NO_SPAN;
		s.topo.cpus[9].llc_id = 99;
		s.topo.cpus[0].nr_domains = 0;
		scene_expect_version(&s, v, 9, WAKE_REASON_NO_DOMAIN);
		scene_end(&s);
	}
}

/* v5.4: real idle first, and a remembered sched-idle CPU is lost at the domain's end. */
static void v5_4_forgets_a_sched_idle_cpu_when_the_scan_ends(void **state)
{
	struct wake_rules v5_4 = scene_rules("v5.4"), v5_9 = scene_rules("v5.9");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 2, 2);
	scene_plenty(&s);
	scene_all_busy(&s, 0, 7, WAKE_NONE);
	scene_busy(&s, 4, 1, 1);
	assert_int_equal(scene_decide(&s, &v5_4), 2);
	assert_int_equal(scene_decide(&s, &v5_9), 4);
	/* The budget's end does return it: it looks at 2, 3, 4. */
	s.state->rq[2].avg_idle = 0;
	assert_int_equal(scene_decide(&s, &v5_4), 4);
	/* An idle CPU behind it is preferred. */
	s.state->rq[2].avg_idle = 1000000;
	scene_idle(&s, 6);
	assert_int_equal(scene_decide(&s, &v5_4), 6);
	assert_int_equal(scene_decide(&s, &v5_9), 4);
	scene_end(&s);
}

static void disallowed_cpus_use_up_v5_4_s_budget(void **state)
{
	struct wake_rules v5_4 = scene_rules("v5.4"), v5_9 = scene_rules("v5.9");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 2, 2);
	scene_all_busy(&s, 0, 4, WAKE_NONE);
	scene_allow(&s, 1 << 2 | 1 << 6);
	assert_int_equal(scene_decide(&s, &v5_4), 2);
	assert_int_equal(scene_decide(&s, &v5_9), 6);
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_prev_of_the_llc_is_taken_in_every_version),
		cmocka_unit_test(recent_used_cpu_is_taken_and_updated),
		cmocka_unit_test(recent_used_cpu_follows_prev_without_a_hit_from_v5_15),
		cmocka_unit_test(recent_used_cpu_s_mask_test_asks_prev_by_mistake),
		cmocka_unit_test(a_failed_core_scan_clears_the_hint_of_target_s_llc),
		cmocka_unit_test(the_waker_s_own_recent_used_cpu_is_written_before_v5_15),
		cmocka_unit_test(only_the_sibling_is_idle),
		cmocka_unit_test(without_budget_the_split_scan_still_tries_siblings_of_target),
		cmocka_unit_test(a_spent_budget_stacks_on_target),
		cmocka_unit_test(with_budget_the_scan_finds_the_last_cpu),
		cmocka_unit_test(nr_idle_scan_counts_from_target_plus_one),
		cmocka_unit_test(target_is_taken_whatever_the_mask_says),
		cmocka_unit_test(a_sched_idle_cpu_is_refused_to_sched_idle_wakees_from_v7_1),
		cmocka_unit_test(a_prev_of_another_cluster_waits_for_the_scan_from_v6_7),
		cmocka_unit_test(cluster_and_llc_share_the_budget_from_v6_7),
		cmocka_unit_test(a_per_cpu_kthread_stacks_its_wakee),
		cmocka_unit_test(a_hinted_core_is_found_from_target_in_wrap_order),
		cmocka_unit_test(without_a_whole_core_the_hint_is_cleared),
		cmocka_unit_test(a_thread_that_is_not_allowed_still_makes_its_core_idle),
		cmocka_unit_test(a_full_llc_stacks_on_target_though_another_is_idle),
		cmocka_unit_test(a_wakee_still_on_its_cpu_is_queued_there),
		cmocka_unit_test(a_delayed_dequeue_is_woken_where_it_is_from_v6_12),
		cmocka_unit_test(one_allowed_cpu_is_not_selected),
		cmocka_unit_test(wf_current_cpu_is_honoured_from_v6_6),
		cmocka_unit_test(an_isolated_target_is_returned_as_it_is),
		cmocka_unit_test(v5_4_forgets_a_sched_idle_cpu_when_the_scan_ends),
		cmocka_unit_test(disallowed_cpus_use_up_v5_4_s_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
