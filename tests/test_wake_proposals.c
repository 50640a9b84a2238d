// SPDX-License-Identifier: GPL-2.0-only
/* The five proposals, and the keepers of the hints. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/scene.h"
#include "wake/hints_math.h"

/* prev idle, in the waker's LLC or another; blocked load there makes weight pull. */
static void prev_idle_scene(struct scene *s, wake_u32 prev)
{
	scene_start(s, &scene_two_llcs, 0, prev);
	s->state->rq[prev].load_avg = 4000;
	s->state->rq[0].avg_idle = 1000000;
}

static void prev_idle_forms_differ_by_distance(void **state)
{
	static const struct {
		const char *variant;
		wake_u8 near, far;	/* enum wake_affine_result */
	} forms[] = {
		{ "v5.10", WAKE_AFFINE_THIS, WAKE_AFFINE_THIS },
		{ "v5.10+prev-idle=gated", WAKE_AFFINE_PREV, WAKE_AFFINE_THIS },
		{ "v5.10+prev-idle=first", WAKE_AFFINE_PREV, WAKE_AFFINE_THIS },
		{ "v5.10+prev-idle=merged", WAKE_AFFINE_PREV, WAKE_AFFINE_PREV },
		{ "v5.10+prev-idle=v1", WAKE_AFFINE_PREV, WAKE_AFFINE_PREV },
		{ "v6.1+prev-idle=none", WAKE_AFFINE_THIS, WAKE_AFFINE_THIS },
		{ "v6.1", WAKE_AFFINE_PREV, WAKE_AFFINE_PREV },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct wake_rules rules = scene_rules(forms[i].variant);
		struct scene s;

		prev_idle_scene(&s, 4);
		scene_decide(&s, &rules);
		assert_int_equal(s.d.affine, forms[i].near);
		scene_end(&s);
		prev_idle_scene(&s, 9);
		scene_decide(&s, &rules);
		assert_int_equal(s.d.affine, forms[i].far);
		scene_end(&s);
	}
}

/* The sync rule comes before the third test, but after Gorman's first. */
static void sync_wins_over_all_forms_but_first(void **state)
{
	static const struct {
		const char *variant;
		wake_u8 affine;
	} forms[] = {
		{ "v5.10+prev-idle=gated", WAKE_AFFINE_THIS },
		{ "v5.10+prev-idle=merged", WAKE_AFFINE_THIS },
		{ "v5.10+prev-idle=first", WAKE_AFFINE_PREV },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct wake_rules rules = scene_rules(forms[i].variant);
		struct scene s;

		prev_idle_scene(&s, 4);
		s.wake.flags |= WAKE_WF_SYNC;
		scene_decide(&s, &rules);
		assert_int_equal(s.d.affine, forms[i].affine);
		scene_end(&s);
	}
}

static void cluster_v2_stops_at_a_busy_cluster_that_holds_prev(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_clusters, 2, 2);
	scene_all_busy(&s, 0, 3, WAKE_NONE);
	s.state->cpu[2].wake_avg_idle = 500000;
	s.state->cpu[2].wake_stamp = s.state->jiffies;
	scene_expect(&s, "v5.17+cluster-scan=v2", 2, WAKE_REASON_CLUSTER_BUSY);
	scene_expect(&s, "v5.17+cluster-scan=v7", 4, WAKE_REASON_CPU);
	scene_expect(&s, "v5.17+cluster-scan=v11", 4, WAKE_REASON_CPU);
	scene_end(&s);
}

static void cluster_v2_scans_in_number_order_and_free_of_budget(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_clusters, 2, 2);
	scene_busy(&s, 3, 1, 0);
	scene_expect(&s, "v5.17+cluster-scan=v2", 0, WAKE_REASON_CLUSTER_CPU);
	assert_int_equal(s.d.spent, 0);
	assert_int_equal(s.d.charged, 0);
	/* v7 wraps from target + 1 and counts. */
	scene_expect(&s, "v5.17+cluster-scan=v7", 0, WAKE_REASON_CLUSTER_CPU);
	assert_int_equal(s.d.spent, 2);
	assert_int_equal(s.d.charged, 0);
	scene_idle(&s, 3);
	scene_expect(&s, "v5.17+cluster-scan=v7", 3, WAKE_REASON_CLUSTER_CPU);
	scene_end(&s);
}

static void cluster_v2_and_v7_refuse_a_prev_of_another_cluster(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_clusters, 0, 9);
	s.wake.flags |= WAKE_WF_SYNC;
	scene_all_busy(&s, 0, 15, 9);
	scene_expect(&s, "v5.17", 9, WAKE_REASON_PREV);
	/* The least budget, 3 CPUs, doesn't reach it. */
	scene_expect(&s, "v5.17+cluster-scan=v2", 0, WAKE_REASON_NOT_FOUND);
	scene_expect(&s, "v5.17+cluster-scan=v7", 0, WAKE_REASON_NOT_FOUND);
	scene_expect(&s, "v5.17+cluster-scan=v11", 9, WAKE_REASON_PREV_FAR);
	scene_end(&s);
}

static void a_cluster_that_is_the_llc_has_no_stage(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_clusters, 2, 2);
	for (wake_u32 cpu = 0; cpu < 16; cpu++)
		s.topo.cpus[cpu].llc_group = SCHED_NO_SPAN;
	scene_busy(&s, 3, 1, 0);
	sched_llc(s.state, 2)->nr_idle_scan = 16;
	scene_expect(&s, "v6.12", 4, WAKE_REASON_CPU);
	scene_end(&s);
}

static void without_clusters_cluster_scan_changes_nothing(void **state)
{
	static const char *const variants[] = { "v5.17", "v5.17+cluster-scan=v2",
						"v5.17+cluster-scan=v7", "v5.17+cluster-scan=v11" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 3, 4, WAKE_NONE);
		scene_busy(&s, 6, 1, 0);
		s.state->cpu[2].wake_avg_idle = 500000;
		scene_expect(&s, variants[i], 5, WAKE_REASON_CPU);
		scene_end(&s);
	}
}

/* sis-core: 8 CPUs, cores (c, c + 4) */
static void sis_core_scene(struct scene *s, wake_u64 icpus, wake_u32 has_core)
{
	scene_start(s, &scene_smt8, 2, 2);
	scene_all_busy(s, 0, 7, WAKE_NONE);
	sched_llc(s->state, 2)->icpus[0] = icpus;
	sched_llc(s->state, 2)->nr_idle_scan = 8;
	sched_llc(s->state, 2)->has_idle_cores = has_core;
}

static void p2_ignores_sis_util_where_a_core_is_hinted(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 0xff, 1);
	scene_idle(&s, 1);
	scene_idle(&s, 5);
	sched_llc(s.state, 2)->nr_idle_scan = 0;
	scene_expect(&s, "v6.0", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 1);
	scene_expect(&s, "v6.0+sis-core=p12", 5, WAKE_REASON_CORE);
	scene_end(&s);
}

static void p3_sees_only_recorded_cpus_and_empties_the_mask(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 1 << 3, 0);
	scene_idle(&s, 5);
	scene_expect(&s, "v6.0", 5, WAKE_REASON_CPU);
	scene_expect(&s, "v6.0+sis-core=p123", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 0);
	scene_end(&s);
	/* a budget stop leaves it */
	sis_core_scene(&s, 1 << 3 | 1 << 4, 0);
	sched_llc(s.state, 2)->nr_idle_scan = 1;
	scene_expect(&s, "v6.0+sis-core=p123", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 3 | 1 << 4);
	scene_end(&s);
}

static void p4_prunes_after_a_failed_scan_from_the_same_target(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 1 << 3 | 1 << 0, 0);
	scene_idle(&s, 4);
	/* 3 and 0 are busy: plain scan fails, and says so. */
	scene_expect(&s, "v6.0+sis-core=v6", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(s.state->cpu[2].scan_sibling, 1);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 3 | 1 << 0);
	/* Next time: core 3 (3, 7) is busy and pruned, core 0 has 4. */
	scene_expect(&s, "v6.0+sis-core=v6", 4, WAKE_REASON_SIBLING);
	assert_int_equal(s.state->cpu[2].scan_sibling, 0);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 0);
	scene_end(&s);
}

static void p4_alternates_on_an_empty_mask(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 0, 0);
	for (int i = 0; i < 4; i++) {
		scene_expect(&s, "v6.0+sis-core=v6", 2, WAKE_REASON_NOT_FOUND);
		assert_int_equal(s.state->cpu[2].scan_sibling, !(i & 1));
	}
	scene_end(&s);
}

static void p4_gives_the_mask_up_with_the_core_hint(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 1 << 3, 1);
	s.state->cpu[2].scan_sibling = 1;
	scene_expect(&s, "v6.0+sis-core=v6", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 0);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 0);
	assert_int_equal(s.state->cpu[2].scan_sibling, 0);
	/* a thread that was seen counts as found */
	scene_end(&s);
	sis_core_scene(&s, 1 << 3, 1);
	scene_idle(&s, 7);
	scene_expect(&s, "v6.0+sis-core=v6", 7, WAKE_REASON_CORE_THREAD);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 3);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 0);
	scene_end(&s);
}

static void core_threads_decide_about_an_unrecorded_thread(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 1 << 3, 1);
	scene_idle(&s, 7);
	scene_expect(&s, "v6.0+sis-core=p123+core-threads=mask", 2, WAKE_REASON_NOT_FOUND);
	scene_end(&s);
}

static void idle_entry_records_one_cpu_a_core(void **state)
{
	struct wake_rules rules = scene_rules("v6.0+sis-core=p123");
	struct scene s;

	(void)state;
	sis_core_scene(&s, 0, 0);
	scene_idle(&s, 6);
	scene_busy(&s, 6, 0, 0);
	sched_switch(s.state, &rules, 6, NULL);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 6);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 0);
	scene_busy(&s, 2, 0, 0);
	sched_switch(s.state, &rules, 2, NULL);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 6);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 1);
	scene_end(&s);
}

static void p1_leaves_the_hints_alone_while_a_wake_up_is_pending(void **state)
{
	struct wake_rules base = scene_rules("v6.0"), p1 = scene_rules("v6.0+sis-core=p12");
	struct scene s;

	(void)state;
	sis_core_scene(&s, 0, 0);
	scene_idle(&s, 6);
	scene_busy(&s, 2, 0, 0);
	sched_pending(s.state, 2, 1);
	sched_switch(s.state, &p1, 2, NULL);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 0);
	sched_switch(s.state, &base, 2, NULL);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 1);
	scene_end(&s);
}

static void idle_cpumask_hides_short_idlers_from_the_cpu_scan_only(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 2, 2);
	s.state->rq[2].avg_idle = 1000000;
	scene_all_busy(&s, 0, 7, 5);
	sched_llc(s.state, 2)->idle_cpus[0] = 0;
	scene_expect(&s, "v5.10", 5, WAKE_REASON_CPU);
	scene_expect(&s, "v5.10+idle-cpumask=v4", 2, WAKE_REASON_NOT_FOUND);
	/* siblings of target are still looked at */
	scene_idle(&s, 6);
	scene_expect(&s, "v5.10+idle-cpumask=v4", 6, WAKE_REASON_SMT_TARGET);
	/* and so is a whole core */
	scene_idle(&s, 1);
	sched_llc(s.state, 2)->has_idle_cores = 1;
	scene_expect(&s, "v5.10+idle-cpumask=v6", 5, WAKE_REASON_CORE);
	scene_end(&s);
}

static void idle_cpumask_v4_waits_for_the_tick_to_stop(void **state)
{
	static const char *const variants[] = { "v5.10", "v5.10+idle-cpumask=v4",
						"v5.10+idle-cpumask=v6" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		for (wake_u32 stopping = 0; stopping < 2; stopping++) {
			struct wake_rules rules = scene_rules(variants[i]);
			struct scene s;

			scene_start(&s, &scene_smt8, 2, 2);
			sched_llc(s.state, 3)->idle_cpus[0] = 0;
			s.state->cpu[3].last_idle_state = 0;
			sched_idle_enter(s.state, &rules, 3, stopping);
			assert_int_equal(sched_llc(s.state, 3)->idle_cpus[0],
					 i == 2 || (i == 1 && stopping) ? 1 << 3 : 0);
			scene_end(&s);
		}
	}
}

static void the_tick_clears_busy_cpus_and_sets_sched_idle_ones(void **state)
{
	struct wake_rules rules = scene_rules("v5.10+idle-cpumask=v4");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 2, 2);
	sched_tick(s.state, &rules, 3);		/* idle: nothing */
	assert_int_equal(sched_llc(s.state, 3)->idle_cpus[0], 0xff);
	scene_busy(&s, 3, 1, 0);
	sched_tick(s.state, &rules, 3);
	assert_int_equal(sched_llc(s.state, 3)->idle_cpus[0], 0xf7);
	scene_busy(&s, 3, 2, 2);
	sched_tick(s.state, &rules, 3);
	assert_int_equal(sched_llc(s.state, 3)->idle_cpus[0], 0xff);
	/* last_idle_state says that it is set: a bit that others lost stays lost */
	sched_llc(s.state, 3)->idle_cpus[0] = 0;
	sched_idle_enter(s.state, &rules, 3, 1);
	assert_int_equal(sched_llc(s.state, 3)->idle_cpus[0], 0);
	scene_end(&s);
}

static void nr_idle_scan_follows_the_table(void **state)
{
	static const wake_u32 rows[][3] = {	/* mean utilisation, CPUs, nr_idle_scan */
		{ 0, 16, 16 }, { 256, 16, 14 }, { 512, 16, 10 }, { 700, 16, 5 },
		{ 800, 16, 2 }, { 850, 16, 0 }, { 1024, 16, 0 }, { 758, 4, 1 }, { 760, 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(wake_nr_idle_scan((wake_u64)rows[i][0] * rows[i][1], rows[i][1], 117),
				 rows[i][2]);
	assert_int_equal(wake_nr_idle_scan(1, 0, 117), 0);
}

static void only_sis_util_keeps_nr_idle_scan(void **state)
{
	struct wake_rules with = scene_rules("v6.1"), without = scene_rules("v5.17");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 2, 2);
	sched_llc_balance(s.state, &without, 2, 0);
	assert_int_equal(sched_llc(s.state, 2)->nr_idle_scan, 0);
	sched_llc_balance(s.state, &with, 2, 0);
	assert_int_equal(sched_llc(s.state, 2)->nr_idle_scan, 8);
	scene_end(&s);
}

/* SIS_PROP: a scan costs; the clock stands still here, so the account shrinks. */
static void hits_and_full_sweeps_are_charged_and_budget_stops_are_not(void **state)
{
	static const char *const variants[] = { "v5.10", "v5.17" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct wake_rules rules = scene_rules(variants[i]);
		struct scene s;

		scene_start(&s, &scene_two_llcs, 2, 2);
		s.state->cpu[2].avg_scan_cost = 800;
		s.state->rq[2].avg_idle = 100000000;
		s.state->cpu[2].wake_avg_idle = 1000000;
		s.state->cpu[2].wake_stamp = s.state->jiffies;
		scene_decide(&s, &rules);
		assert_int_equal(s.d.charged, 1);
		assert_int_equal(s.state->cpu[2].avg_scan_cost, 700);
		scene_all_busy(&s, 0, 7, WAKE_NONE);
		scene_decide(&s, &rules);
		assert_int_equal(s.d.charged, 1);
		assert_int_equal(s.state->cpu[2].avg_scan_cost, 613);
		s.state->rq[2].avg_idle = 0;
		s.state->cpu[2].wake_avg_idle = 0;
		scene_decide(&s, &rules);
		assert_int_equal(s.d.charged, 0);
		assert_int_equal(s.d.budget, 4);
		assert_int_equal(s.state->cpu[2].avg_scan_cost, 613);
		scene_end(&s);
	}
}

static void the_average_idle_time_halves_each_jiffy_from_v5_14(void **state)
{
	struct wake_rules rules = scene_rules("v5.15");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 2, 2);
	s.state->cpu[2].wake_avg_idle = 1000;
	s.state->cpu[2].wake_stamp = s.state->jiffies - 3;
	s.state->cpu[2].avg_scan_cost = 99;
	scene_decide(&s, &rules);
	assert_int_equal(s.state->cpu[2].wake_avg_idle, 125);
	assert_int_equal(s.state->cpu[2].wake_stamp, s.state->jiffies);
	assert_int_equal(s.d.budget, 8 * 125 / 100);
	/* nothing left to halve: the stamp stays behind */
	s.state->cpu[2].wake_avg_idle = 1;
	s.state->cpu[2].wake_stamp = s.state->jiffies - 9;
	scene_decide(&s, &rules);
	assert_int_equal(s.state->cpu[2].wake_stamp, s.state->jiffies - 8);
	scene_end(&s);
}

static void sis_avg_cpu_gives_up_where_idle_times_are_short(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 2, 2);
	s.state->rq[2].avg_idle = 512 * 50;
	s.state->cpu[2].avg_scan_cost = 50;
	scene_expect(&s, "v5.10", 3, WAKE_REASON_CPU);
	s.state->cpu[2].avg_scan_cost = 50;
	scene_expect(&s, "v5.10+SIS_AVG_CPU", 2, WAKE_REASON_NOT_FOUND);
	s.state->cpu[2].avg_scan_cost = 49;
	scene_expect(&s, "v5.10+SIS_AVG_CPU", 3, WAKE_REASON_CPU);
	scene_end(&s);
}

static void switches_of_wake_affine_work(void **state)
{
	struct scene s;

	(void)state;
	prev_idle_scene(&s, 9);
	scene_expect(&s, "v6.12+NO_WA_IDLE+NO_WA_WEIGHT", 9, WAKE_REASON_TARGET);
	assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
	sched_llc(s.state, 0)->nr_idle_scan = 8;
	scene_expect(&s, "v6.12+NO_WA_IDLE", 1, WAKE_REASON_CPU);
	assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
	scene_end(&s);
	/* 1000 against 1000 with a bias, and without */
	scene_start(&s, &scene_two_llcs, 0, 9);
	scene_busy(&s, 9, 1, 0);
	scene_expect(&s, "v6.12", 0, WAKE_REASON_NOT_FOUND);
	assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
	scene_expect(&s, "v6.12+NO_WA_BIAS", 9, WAKE_REASON_NOT_FOUND);
	assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
	scene_end(&s);
}

static void a_child_inherits_its_parent_s_partners(void **state)
{
	struct sched_task parent = { .wake = { .id = 1, .last_wakee = 7, .wakee_flips = 9,
					       .wakee_flip_decay_ts = 5, .recent_used_cpu = 3 } };
	struct sched_task child;

	(void)state;
	sched_fork(&child, &parent, 2, 6);
	assert_int_equal(child.wake.id, 2);
	assert_int_equal(child.wake.last_wakee, 7);
	assert_int_equal(child.wake.wakee_flips, 9);
	assert_int_equal(child.wake.wakee_flip_decay_ts, 5);
	assert_int_equal(child.wake.recent_used_cpu, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prev_idle_forms_differ_by_distance),
		cmocka_unit_test(sync_wins_over_all_forms_but_first),
		cmocka_unit_test(cluster_v2_stops_at_a_busy_cluster_that_holds_prev),
		cmocka_unit_test(cluster_v2_scans_in_number_order_and_free_of_budget),
		cmocka_unit_test(cluster_v2_and_v7_refuse_a_prev_of_another_cluster),
		cmocka_unit_test(a_cluster_that_is_the_llc_has_no_stage),
		cmocka_unit_test(without_clusters_cluster_scan_changes_nothing),
		cmocka_unit_test(p2_ignores_sis_util_where_a_core_is_hinted),
		cmocka_unit_test(p3_sees_only_recorded_cpus_and_empties_the_mask),
		cmocka_unit_test(p4_prunes_after_a_failed_scan_from_the_same_target),
		cmocka_unit_test(p4_alternates_on_an_empty_mask),
		cmocka_unit_test(p4_gives_the_mask_up_with_the_core_hint),
		cmocka_unit_test(core_threads_decide_about_an_unrecorded_thread),
		cmocka_unit_test(idle_entry_records_one_cpu_a_core),
		cmocka_unit_test(p1_leaves_the_hints_alone_while_a_wake_up_is_pending),
		cmocka_unit_test(idle_cpumask_hides_short_idlers_from_the_cpu_scan_only),
		cmocka_unit_test(idle_cpumask_v4_waits_for_the_tick_to_stop),
		cmocka_unit_test(the_tick_clears_busy_cpus_and_sets_sched_idle_ones),
		cmocka_unit_test(nr_idle_scan_follows_the_table),
		cmocka_unit_test(only_sis_util_keeps_nr_idle_scan),
		cmocka_unit_test(hits_and_full_sweeps_are_charged_and_budget_stops_are_not),
		cmocka_unit_test(the_average_idle_time_halves_each_jiffy_from_v5_14),
		cmocka_unit_test(sis_avg_cpu_gives_up_where_idle_times_are_short),
		cmocka_unit_test(switches_of_wake_affine_work),
		cmocka_unit_test(a_child_inherits_its_parent_s_partners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
