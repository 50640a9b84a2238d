// SPDX-License-Identifier: GPL-2.0-only
/* The five proposals, and the keepers of the hints. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/scene.h"
#include "wake/hints_math.h"

static void expect(struct scene *s, const char *variant, wake_u32 cpu, enum wake_reason reason)
{
	struct wake_rules rules = scene_rules(variant);

	scene_decide(s, &rules);
	if (s->d.cpu != cpu || s->d.reason != reason)
		fail_msg("%s: CPU %u for reason %u, expected %u for %u", variant, s->d.cpu,
			 s->d.reason, cpu, reason);
}

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
	expect(&s, "v5.17+cluster-scan=v2", 2, WAKE_REASON_CLUSTER_BUSY);
	expect(&s, "v5.17+cluster-scan=v7", 4, WAKE_REASON_CPU);
	expect(&s, "v5.17+cluster-scan=v11", 4, WAKE_REASON_CPU);
	scene_end(&s);
}

static void cluster_v2_scans_in_number_order_and_free_of_budget(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_clusters, 2, 2);
	scene_busy(&s, 3, 1, 0);
	expect(&s, "v5.17+cluster-scan=v2", 0, WAKE_REASON_CLUSTER_CPU);
	assert_int_equal(s.d.spent, 0);
	assert_int_equal(s.d.charged, 0);
	/* v7 wraps from target + 1 and counts. */
	expect(&s, "v5.17+cluster-scan=v7", 0, WAKE_REASON_CLUSTER_CPU);
	assert_int_equal(s.d.spent, 2);
	assert_int_equal(s.d.charged, 0);
	scene_idle(&s, 3);
	expect(&s, "v5.17+cluster-scan=v7", 3, WAKE_REASON_CLUSTER_CPU);
	scene_end(&s);
}

static void cluster_v2_and_v7_refuse_a_prev_of_another_cluster(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_clusters, 0, 9);
	s.wake.flags |= WAKE_WF_SYNC;
	scene_all_busy(&s, 0, 15, 9);
	expect(&s, "v5.17", 9, WAKE_REASON_PREV);
	/* The least budget, 3 CPUs, doesn't reach it. */
	expect(&s, "v5.17+cluster-scan=v2", 0, WAKE_REASON_NOT_FOUND);
	expect(&s, "v5.17+cluster-scan=v7", 0, WAKE_REASON_NOT_FOUND);
	expect(&s, "v5.17+cluster-scan=v11", 9, WAKE_REASON_PREV_FAR);
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
	expect(&s, "v6.12", 4, WAKE_REASON_CPU);
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
		expect(&s, variants[i], 5, WAKE_REASON_CPU);
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
	expect(&s, "v6.0", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 1);
	expect(&s, "v6.0+sis-core=p12", 5, WAKE_REASON_CORE);
	scene_end(&s);
}

static void p3_sees_only_recorded_cpus_and_empties_the_mask(void **state)
{
	struct scene s;

	(void)state;
	sis_core_scene(&s, 1 << 3, 0);
	scene_idle(&s, 5);
	expect(&s, "v6.0", 5, WAKE_REASON_CPU);
	expect(&s, "v6.0+sis-core=p123", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 0);
	scene_end(&s);
	/* a budget stop leaves it */
	sis_core_scene(&s, 1 << 3 | 1 << 4, 0);
	sched_llc(s.state, 2)->nr_idle_scan = 1;
	expect(&s, "v6.0+sis-core=p123", 2, WAKE_REASON_NOT_FOUND);
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
	expect(&s, "v6.0+sis-core=v6", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(s.state->cpu[2].scan_sibling, 1);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 1 << 3 | 1 << 0);
	/* Next time: core 3 (3, 7) is busy and pruned, core 0 has 4. */
	expect(&s, "v6.0+sis-core=v6", 4, WAKE_REASON_SIBLING);
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
		expect(&s, "v6.0+sis-core=v6", 2, WAKE_REASON_NOT_FOUND);
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
	expect(&s, "v6.0+sis-core=v6", 2, WAKE_REASON_NOT_FOUND);
	assert_int_equal(sched_llc(s.state, 2)->icpus[0], 0);
	assert_int_equal(sched_llc(s.state, 2)->has_idle_cores, 0);
	assert_int_equal(s.state->cpu[2].scan_sibling, 0);
	/* a thread that was seen counts as found */
	scene_end(&s);
	sis_core_scene(&s, 1 << 3, 1);
	scene_idle(&s, 7);
	expect(&s, "v6.0+sis-core=v6", 7, WAKE_REASON_CORE_THREAD);
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
	expect(&s, "v6.0+sis-core=p123+core-threads=mask", 2, WAKE_REASON_NOT_FOUND);
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
	expect(&s, "v5.10", 5, WAKE_REASON_CPU);
	expect(&s, "v5.10+idle-cpumask=v4", 2, WAKE_REASON_NOT_FOUND);
	/* siblings of target are still looked at */
	scene_idle(&s, 6);
	expect(&s, "v5.10+idle-cpumask=v4", 6, WAKE_REASON_SMT_TARGET);
	/* and so is a whole core */
	scene_idle(&s, 1);
	sched_llc(s.state, 2)->has_idle_cores = 1;
	expect(&s, "v5.10+idle-cpumask=v6", 5, WAKE_REASON_CORE);
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

/* dedicated-vcpu: 8 CPUs in one LLC; all but 2 ceded, 2 is the waker's and prev. */
static void lpar_scene(struct scene *s, wake_u32 lpar)
{
	scene_start(s, &scene_smt8, 2, 2);
	s->state->lpar = WAKE_LPAR | lpar;
	for (wake_u32 cpu = 0; cpu < 8; cpu++) {
		s->state->rq[cpu].yield_count = cpu == 2 ? 4 : 5;
		s->state->rq[cpu].lppaca_idle = cpu != 2;
		s->state->rq[cpu].avg_idle = 1000000;
		s->state->cpu[cpu].wake_avg_idle = 500000;
	}
	sched_llc(s->state, 2)->nr_idle_scan = 8;
}

static void a_ceded_vcpu_of_a_dedicated_partition_is_free_with_the_patch(void **state)
{
	struct scene s;

	(void)state;
	lpar_scene(&s, 0);
	expect(&s, "v5.4", 2, WAKE_REASON_NOT_FOUND);
	expect(&s, "v5.4+dedicated-vcpu", 3, WAKE_REASON_CPU);
	expect(&s, "v5.4+dedicated-vcpu=v3", 3, WAKE_REASON_CPU);
	expect(&s, "v5.10", 3, WAKE_REASON_CPU);
	/* A snoozing one stays dispatched and was always found. */
	s.state->rq[5].yield_count = 6;
	expect(&s, "v5.4", 5, WAKE_REASON_CPU);
	scene_end(&s);
}

static void a_ceded_vcpu_of_a_shared_partition_stays_preempted(void **state)
{
	struct scene s;

	(void)state;
	lpar_scene(&s, WAKE_LPAR_SHARED);
	expect(&s, "v5.4", 2, WAKE_REASON_NOT_FOUND);
	expect(&s, "v5.4+dedicated-vcpu", 2, WAKE_REASON_NOT_FOUND);
	expect(&s, "v5.10", 2, WAKE_REASON_NOT_FOUND);
	/* v5.11: not in the caller's core */
	expect(&s, "v5.11", 6, WAKE_REASON_CPU);
	/* ... unless it is a KVM guest */
	s.state->lpar |= WAKE_LPAR_KVM;
	expect(&s, "v5.11", 2, WAKE_REASON_NOT_FOUND);
	scene_end(&s);
}

static void a_core_that_idles_as_a_whole_is_free_from_v6_7(void **state)
{
	struct scene s;

	(void)state;
	lpar_scene(&s, WAKE_LPAR_SHARED);
	scene_busy(&s, 6, 1, 0);
	expect(&s, "v6.6", 2, WAKE_REASON_NOT_FOUND);
	expect(&s, "v6.7", 3, WAKE_REASON_CPU);
	/* Its other thread (7) was preempted: then so was the core. */
	s.state->rq[7].lppaca_idle = 0;
	expect(&s, "v6.7", 4, WAKE_REASON_CPU);
	/* It runs: then the core does. */
	s.state->rq[7].yield_count = 6;
	expect(&s, "v6.7", 3, WAKE_REASON_CPU);
	/* 3 itself did not ask for idle. */
	s.state->rq[3].lppaca_idle = 0;
	expect(&s, "v6.7", 4, WAKE_REASON_CPU);
	scene_end(&s);
}

static void a_preempted_sibling_keeps_the_core_hint_away(void **state)
{
	struct wake_rules v5_4 = scene_rules("v5.4");
	struct wake_rules patched = scene_rules("v5.4+dedicated-vcpu");
	struct scene s;

	(void)state;
	lpar_scene(&s, 0);
	scene_busy(&s, 3, 0, 0);
	sched_switch(s.state, &v5_4, 3, NULL);
	assert_int_equal(sched_llc(s.state, 3)->has_idle_cores, 0);
	sched_switch(s.state, &patched, 3, NULL);
	assert_int_equal(sched_llc(s.state, 3)->has_idle_cores, 1);
	scene_end(&s);
}

static void a_kvm_guest_skips_preempted_vcpus(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 2, 2);
	s.state->rq[3].preempted = 1;
	sched_llc(s.state, 2)->nr_idle_scan = 8;
	expect(&s, "v6.12", 4, WAKE_REASON_CPU);
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
	expect(&s, "v5.10", 3, WAKE_REASON_CPU);
	s.state->cpu[2].avg_scan_cost = 50;
	expect(&s, "v5.10+SIS_AVG_CPU", 2, WAKE_REASON_NOT_FOUND);
	s.state->cpu[2].avg_scan_cost = 49;
	expect(&s, "v5.10+SIS_AVG_CPU", 3, WAKE_REASON_CPU);
	scene_end(&s);
}

static void switches_of_wake_affine_work(void **state)
{
	struct scene s;

	(void)state;
	prev_idle_scene(&s, 9);
	expect(&s, "v6.12+NO_WA_IDLE+NO_WA_WEIGHT", 9, WAKE_REASON_TARGET);
	assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
	sched_llc(s.state, 0)->nr_idle_scan = 8;
	expect(&s, "v6.12+NO_WA_IDLE", 1, WAKE_REASON_CPU);
	assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
	scene_end(&s);
	/* 1000 against 1000 with a bias, and without */
	scene_start(&s, &scene_two_llcs, 0, 9);
	scene_busy(&s, 9, 1, 0);
	expect(&s, "v6.12", 0, WAKE_REASON_NOT_FOUND);
	assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
	expect(&s, "v6.12+NO_WA_BIAS", 9, WAKE_REASON_NOT_FOUND);
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

/* Unequal capacities: CPUs 0 to 3 of 512, 4 to 7 of 1024, one LLC domain. */
static void asym_scene(struct scene *s, wake_u64 util)
{
	static const struct scene_machine machine = { .nr_cpus = 8, .threads = 1, .llc = 8 };

	scene_start(s, &machine, 0, 0);
	for (wake_u32 cpu = 0; cpu < 8; cpu++) {
		s->topo.cpus[cpu].asym = s->topo.cpus[cpu].llc;
		s->topo.cpus[cpu].capacity = cpu < 4 ? 512 : 1024;
		s->state->rq[cpu].capacity = s->topo.cpus[cpu].capacity;
	}
	s->wakee.util = util;
	s->wakee.uclamp_max = 1024;
	sched_llc(s->state, 0)->nr_idle_scan = 8;
	s->state->rq[0].avg_idle = 1000000;
	s->state->cpu[0].wake_avg_idle = 500000;
}

static void a_big_task_goes_to_a_cpu_that_fits(void **state)
{
	static const char *const variants[] = { "v5.9", "v5.11", "v6.0", "v6.1.192", "v6.12", "v7.3" };

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct scene s;

		asym_scene(&s, 600);
		expect(&s, variants[i], 4, WAKE_REASON_CAPACITY);
		scene_end(&s);
		asym_scene(&s, 100);
		expect(&s, variants[i], 1, WAKE_REASON_CAPACITY);
		/* nothing fits: the largest */
		s.wakee.util = 1000;
		s.state->rq[6].capacity = 900;
		scene_all_busy(&s, 4, 5, WAKE_NONE);
		scene_busy(&s, 7, 1, 0);
		expect(&s, variants[i], 6, WAKE_REASON_CAPACITY);
		scene_end(&s);
	}
}

static void an_idle_target_that_does_not_fit_is_refused_from_v5_7(void **state)
{
	struct scene s;

	(void)state;
	asym_scene(&s, 600);
	scene_idle(&s, 0);
	s.wake.cpu = 4;
	scene_busy(&s, 4, 1, 0);
	expect(&s, "v5.4", 0, WAKE_REASON_TARGET);
	expect(&s, "v5.9", 5, WAKE_REASON_CAPACITY);
	expect(&s, "v5.10", 5, WAKE_REASON_CAPACITY);
	expect(&s, "v7.3", 5, WAKE_REASON_CAPACITY);
	scene_end(&s);
}

static void wake_cap_vetoes_a_pull_in_v5_4_only(void **state)
{
	struct scene s;

	(void)state;
	asym_scene(&s, 600);
	s.wake.prev = 5;
	scene_busy(&s, 5, 1, 0);
	s.wake.flags |= WAKE_WF_SYNC;
	expect(&s, "v5.4", 6, WAKE_REASON_CPU);
	assert_int_equal(s.d.affine, WAKE_AFFINE_NOT_RUN);
	scene_end(&s);
	asym_scene(&s, 600);
	s.wake.prev = 5;
	scene_busy(&s, 5, 1, 0);
	s.wake.flags |= WAKE_WF_SYNC;
	scene_decide(&s, &(struct wake_rules){ .capacity = WAKE_CAPACITY_FIRST, .wa_idle = 1 });
	assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
	scene_end(&s);
}

static void uclamp_min_ranks_between_fit_and_no_fit(void **state)
{
	struct scene s;

	(void)state;
	asym_scene(&s, 100);
	s.wakee.uclamp_min = 700;
	/* CPU 1 fits by utilisation, but is below the hint; 4 satisfies it. */
	expect(&s, "v6.12", 4, WAKE_REASON_CAPACITY);
	scene_all_busy(&s, 4, 7, WAKE_NONE);
	expect(&s, "v6.12", 1, WAKE_REASON_CAPACITY);
	scene_end(&s);
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
		cmocka_unit_test(a_ceded_vcpu_of_a_dedicated_partition_is_free_with_the_patch),
		cmocka_unit_test(a_ceded_vcpu_of_a_shared_partition_stays_preempted),
		cmocka_unit_test(a_core_that_idles_as_a_whole_is_free_from_v6_7),
		cmocka_unit_test(a_preempted_sibling_keeps_the_core_hint_away),
		cmocka_unit_test(a_kvm_guest_skips_preempted_vcpus),
		cmocka_unit_test(nr_idle_scan_follows_the_table),
		cmocka_unit_test(only_sis_util_keeps_nr_idle_scan),
		cmocka_unit_test(hits_and_full_sweeps_are_charged_and_budget_stops_are_not),
		cmocka_unit_test(the_average_idle_time_halves_each_jiffy_from_v5_14),
		cmocka_unit_test(sis_avg_cpu_gives_up_where_idle_times_are_short),
		cmocka_unit_test(switches_of_wake_affine_work),
		cmocka_unit_test(a_child_inherits_its_parent_s_partners),
		cmocka_unit_test(a_big_task_goes_to_a_cpu_that_fits),
		cmocka_unit_test(an_idle_target_that_does_not_fit_is_refused_from_v5_7),
		cmocka_unit_test(wake_cap_vetoes_a_pull_in_v5_4_only),
		cmocka_unit_test(uclamp_min_ranks_between_fit_and_no_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
