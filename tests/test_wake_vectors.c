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

#define FOR_EVERY_VERSION(v) for (size_t v = 0; v < sched_nr_versions; v++)

/* Runs the scene's wake-up under versions[v] and says which version failed. */
static void expect(struct scene *s, size_t v, wake_u32 cpu, enum wake_reason reason)
{
	scene_decide(s, &sched_versions[v].rules);
	if (s->d.cpu != cpu || s->d.reason != reason)
		fail_msg("%s: CPU %u for reason %u, expected %u for %u", sched_versions[v].name,
			 s->d.cpu, s->d.reason, cpu, reason);
}

/* Budgets that never end a scan of these machines. */
static void plenty(struct scene *s)
{
	for (wake_u32 cpu = 0; cpu < s->topo.nr_cpus; cpu++) {
		s->state->rq[cpu].avg_idle = 1000000;
		s->state->cpu[cpu].wake_avg_idle = 500000;
		s->state->cpu[cpu].wake_stamp = s->state->jiffies;
		sched_llc(s->state, cpu)->nr_idle_scan = 16;
	}
}

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
		expect(&s, v, 2, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine,
				 scene_since(v, 5, 11) ? WAKE_AFFINE_PREV : WAKE_AFFINE_NONE);
		scene_end(&s);
	}
}

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
		expect(&s, v, 2, pulls ? WAKE_REASON_PREV : WAKE_REASON_TARGET);
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
		expect(&s, v, 1, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
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
		expect(&s, v, 5, WAKE_REASON_RECENT);
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
		plenty(&s);
		scene_busy(&s, 3, 1, 0);
		scene_busy(&s, 5, 1, 0);
		s.wakee.wake.recent_used_cpu = 5;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.wakee.wake.recent_used_cpu, scene_since(v, 5, 15) ? 3 : 5);
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
		plenty(&s);
		scene_all_busy(&s, 0, 7, 6);
		expect(&s, v, 6, scene_since(v, 5, 13) ? WAKE_REASON_SMT_PREV : WAKE_REASON_CPU);
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
			expect(&s, v, 6, WAKE_REASON_SMT_TARGET);
		else if (scene_since(v, 5, 13))
			expect(&s, v, 6, WAKE_REASON_SMT_PREV);
		else
			/* The least budget looks at 2, 3, 4. */
			expect(&s, v, 2, WAKE_REASON_NOT_FOUND);
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
		expect(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

static void with_budget_the_scan_finds_the_last_cpu(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		plenty(&s);
		scene_all_busy(&s, 0, 7, 7);
		expect(&s, v, 7, WAKE_REASON_CPU);
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
		expect(&s, v, 7, WAKE_REASON_CPU);
		scene_end(&s);
		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 7);
		sched_llc(s.state, 2)->nr_idle_scan = 4;
		expect(&s, v, 2, WAKE_REASON_NOT_FOUND);
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
		plenty(&s);
		s.state->rq[9].load_avg = 2000;
		if (pulls)
			expect(&s, v, 1, WAKE_REASON_CPU);
		else
			expect(&s, v, 9, WAKE_REASON_TARGET);
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

/* G, "target" */
static void target_is_taken_whatever_the_mask_says(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 2);
		s.wake.fair_only = 1;
		scene_allow(&s, 0x0a);
		expect(&s, v, 2, WAKE_REASON_TARGET);
		/* try_to_wake_up() repairs it. */
		s.wake.fair_only = 0;
		expect(&s, v, 1, WAKE_REASON_FALLBACK);
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
		expect(&s, v, 2, WAKE_REASON_TARGET);
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
		plenty(&s);
		s.wake.flags |= WAKE_WF_SYNC;
		if (scene_since(v, 6, 7))
			expect(&s, v, 1, WAKE_REASON_CLUSTER_CPU);
		else
			expect(&s, v, 9, WAKE_REASON_PREV);
		scene_end(&s);
		/* No scan: what was remembered is taken, prev before recent. */
		scene_start(&s, &scene_clusters, 0, 9);
		s.wake.flags |= WAKE_WF_SYNC;
		s.wakee.wake.recent_used_cpu = 5;
		expect(&s, v, 9, scene_since(v, 6, 7) ? WAKE_REASON_PREV_FAR : WAKE_REASON_PREV);
		scene_busy(&s, 9, 1, 0);
		s.wakee.wake.recent_used_cpu = 5;
		expect(&s, v, 5, scene_since(v, 6, 7) ? WAKE_REASON_RECENT_FAR : WAKE_REASON_RECENT);
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
			expect(&s, v, nr == 7 ? 6 : 2,
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
		plenty(&s);
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
		plenty(&s);
		hint_cores(&s, 2, 1);
		scene_all_busy(&s, 2, 4, WAKE_NONE);	/* cores 0 (4), 2, 3 are half busy */
		expect(&s, v, 5, WAKE_REASON_CORE);
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
		plenty(&s);
		hint_cores(&s, 2, 1);
		scene_all_busy(&s, 0, 3, WAKE_NONE);
		/* 2's siblings are 2 and 6; from target + 1 it is core 3: 7. */
		if (scene_since(v, 5, 15))
			expect(&s, v, 7, WAKE_REASON_CORE_THREAD);
		else if (scene_since(v, 5, 12))
			expect(&s, v, 6, WAKE_REASON_CORE_THREAD);
		else
			expect(&s, v, 4, WAKE_REASON_CPU);
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
		plenty(&s);
		hint_cores(&s, 2, 1);
		scene_all_busy(&s, 2, 2, WAKE_NONE);
		scene_allow(&s, 0x0c);		/* 2 and 3; 7 is idle but not allowed */
		expect(&s, v, 3, WAKE_REASON_CORE);
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
		plenty(&s);
		scene_all_busy(&s, 0, 7, WAKE_NONE);
		expect(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
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
		expect(&s, v, 9, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NOT_RUN);
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
		expect(&s, v, 4, WAKE_REASON_ONE_ALLOWED);
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
			expect(&s, v, 0, WAKE_REASON_CURRENT_CPU);
		else
			expect(&s, v, 9, WAKE_REASON_TARGET);
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
		expect(&s, v, 9, WAKE_REASON_TARGET);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NOT_RUN);
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
		expect(&s, v, 9, WAKE_REASON_NO_DOMAIN);
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
	plenty(&s);
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
		cmocka_unit_test(blocked_load_pulls_before_v5_11_only),
		cmocka_unit_test(an_interrupt_on_an_idle_cpu_pulls_to_it),
		cmocka_unit_test(recent_used_cpu_is_taken_and_updated),
		cmocka_unit_test(recent_used_cpu_follows_prev_without_a_hit_from_v5_15),
		cmocka_unit_test(the_waker_s_own_recent_used_cpu_is_written_before_v5_15),
		cmocka_unit_test(only_the_sibling_is_idle),
		cmocka_unit_test(without_budget_the_split_scan_still_tries_siblings_of_target),
		cmocka_unit_test(a_spent_budget_stacks_on_target),
		cmocka_unit_test(with_budget_the_scan_finds_the_last_cpu),
		cmocka_unit_test(nr_idle_scan_counts_from_target_plus_one),
		cmocka_unit_test(an_idle_prev_of_another_llc_stays_from_v5_11),
		cmocka_unit_test(wake_wide_needs_both_to_have_many_partners),
		cmocka_unit_test(flips_halve_once_after_more_than_a_second),
		cmocka_unit_test(target_is_taken_whatever_the_mask_says),
		cmocka_unit_test(a_sched_idle_cpu_is_refused_to_sched_idle_wakees_from_v7_1),
		cmocka_unit_test(a_prev_of_another_cluster_waits_for_the_scan_from_v6_7),
		cmocka_unit_test(cluster_and_llc_share_the_budget_from_v6_7),
		cmocka_unit_test(a_per_cpu_kthread_stacks_its_wakee),
		cmocka_unit_test(a_hinted_core_is_found_from_target_in_wrap_order),
		cmocka_unit_test(without_a_whole_core_the_hint_is_cleared),
		cmocka_unit_test(a_thread_that_is_not_allowed_still_makes_its_core_idle),
		cmocka_unit_test(a_full_llc_stacks_on_target_though_another_is_idle),
		cmocka_unit_test(the_bias_is_half_of_imbalance_pct),
		cmocka_unit_test(prev_s_load_may_come_out_negative),
		cmocka_unit_test(a_sync_waker_s_own_load_is_left_out),
		cmocka_unit_test(capacities_are_cross_multiplied),
		cmocka_unit_test(the_sync_rule_leaves_delayed_tasks_out_later),
		cmocka_unit_test(an_exiting_waker_is_not_sync),
		cmocka_unit_test(a_far_node_keeps_the_wakee_at_prev),
		cmocka_unit_test(a_wakee_still_on_its_cpu_is_queued_there),
		cmocka_unit_test(a_delayed_dequeue_is_woken_where_it_is_from_v6_12),
		cmocka_unit_test(one_allowed_cpu_is_not_selected),
		cmocka_unit_test(wf_current_cpu_is_honoured_from_v6_6),
		cmocka_unit_test(a_waker_on_a_forbidden_cpu_pulls_nobody),
		cmocka_unit_test(an_isolated_target_is_returned_as_it_is),
		cmocka_unit_test(v5_4_forgets_a_sched_idle_cpu_when_the_scan_ends),
		cmocka_unit_test(disallowed_cpus_use_up_v5_4_s_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
