// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vectors for rules that the wrong variants of tests/mutants/list showed to be
 * untested: what a decision counts, odd domains, and choices that are repaired.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sched/host.h"
#include "tests/scene.h"

static void a_wake_up_leaves_the_partner_and_the_time_of_decay(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 0, 2);
		s.waker.wake.wakee_flips = 8;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.waker.wake.last_wakee, s.wakee.wake.id);
		assert_int_equal(s.waker.wake.wakee_flips, 5);
		assert_int_equal(s.waker.wake.wakee_flip_decay_ts, s.state->jiffies);
		/* the same partner, within the second */
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.waker.wake.wakee_flips, 5);
		scene_end(&s);
	}
}

/* The waker's own load is all of its CPU's: that alone isn't "less than nothing". */
static void a_lone_sync_load_is_still_compared(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 0, 2, 0);
		scene_busy(&s, 9, 1, 0);
		s.wake.flags |= WAKE_WF_SYNC;
		s.waker.load = 1024;
		s.wakee.load = 500;
		s.state->rq[9].load_avg = s.state->rq[9].runnable_load = 10;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_NONE);
		s.waker.load = 1025;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.affine, WAKE_AFFINE_THIS);
		scene_end(&s);
	}
}

static void prev_idle_first_keeps_prev_though_the_waker_s_cpu_is_idle(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 0, 4);
	scene_idle(&s, 0);
	scene_expect(&s, "v5.10+prev-idle=first", 4, WAKE_REASON_TARGET);
	assert_int_equal(s.d.affine, WAKE_AFFINE_PREV);
	scene_end(&s);
}

/* All busy: 2 is the waker's, target, prev and recent; cores are (c, c + 4). */
static void probes_of(const char *variant, wake_u32 idle, wake_u32 probes)
{
	struct wake_rules rules = scene_rules(variant);
	struct scene s;

	scene_start(&s, &scene_smt8, 2, 2);
	scene_all_busy(&s, 0, 7, WAKE_NONE);
	if (idle != WAKE_NONE) {
		scene_idle(&s, idle);
		scene_idle(&s, idle + 4);
	}
	sched_llc(s.state, 2)->has_idle_cores = 1;
	sched_llc(s.state, 2)->nr_idle_scan = 8;
	scene_decide(&s, &rules);
	if (s.d.probes != probes)
		fail_msg("%s: %u probes, expected %u", variant, s.d.probes, probes);
	scene_end(&s);
}

static void a_core_scan_reads_each_run_queue_as_often_as_the_kernel(void **state)
{
	(void)state;
	/* Both threads of 3, 0, 1, and 6; the waker's own is no probe. */
	probes_of("v6.12", WAKE_NONE, 7);
	probes_of("v6.0", WAKE_NONE, 7);
	/* Each recorded CPU asks for its whole core again. */
	probes_of("v6.0+sis-core=p123", WAKE_NONE, 14);
	/* The core scan; then the least budget, 2, 3, 4; then the siblings 2 and 6. */
	probes_of("v5.4", WAKE_NONE, 7 + 2 + 1);
	/* One busy thread is enough: 2, 3, 4, 5. */
	probes_of("v5.9", WAKE_NONE, 3 + 2 + 1);
	probes_of("v5.10", WAKE_NONE, 3 + 2 + 1);
	/* Target's own core comes first up to v5.11, last later. */
	probes_of("v5.4", 3, 1 + 2);
	probes_of("v5.9", 3, 2);
	probes_of("v5.15", 3, 2);
}

static void recent_is_not_read_where_it_is_prev(void **state)
{
	struct wake_rules rules = scene_rules("v6.12");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 0, 3);
	scene_all_busy(&s, 0, 7, WAKE_NONE);
	scene_decide(&s, &rules);
	assert_int_equal(s.d.target, 0);
	/* prev: whether it stays, its load, and as a candidate */
	assert_int_equal(s.d.probes, 3);
	scene_end(&s);
}

static void a_core_scan_has_no_bound(void **state)
{
	struct wake_rules rules = scene_rules("v6.12");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 2, 2);
	scene_all_busy(&s, 0, 7, WAKE_NONE);
	sched_llc(s.state, 2)->nr_idle_scan = 5;
	scene_decide(&s, &rules);
	assert_int_equal(s.d.budget, 6);
	assert_int_equal(s.d.spent, 6);
	sched_llc(s.state, 2)->has_idle_cores = 1;
	scene_decide(&s, &rules);
	assert_int_equal(s.d.budget, 0);
	assert_int_equal(s.d.spent, 0);
	scene_end(&s);
}

static void a_kthread_that_may_run_elsewhere_does_not_stack(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		s.waker.kthread = 1;
		s.waker.nr_allowed = 2;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_not_equal(s.d.reason, WAKE_REASON_KTHREAD);
		scene_end(&s);
	}
}

/* SMT and clusters: cores (0, 1) ..., clusters 0 to 3 and 4 to 7, one LLC. */
static const struct scene_machine smt_clusters = {
	.nr_cpus = 8, .threads = 2, .llc = 8, .cluster = 4,
};

static void a_far_prev_is_no_sibling_of_itself(void **state)
{
	static const char *const variants[] = { "v6.7", "v6.12", "v7.3" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct scene s;

		scene_start(&s, &smt_clusters, 0, 5);
		scene_all_busy(&s, 0, 7, 5);
		s.wake.flags |= WAKE_WF_SYNC;
		scene_expect(&s, variants[i], 5, WAKE_REASON_PREV_FAR);
		/* its sibling is one */
		scene_idle(&s, 4);
		scene_expect(&s, variants[i], 4, WAKE_REASON_SMT_PREV);
		scene_end(&s);
	}
}

static void cluster_v2_is_off_with_smt(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &smt_clusters, 0, 0);
	scene_all_busy(&s, 0, 7, 3);
	s.state->cpu[0].wake_avg_idle = 500000;
	s.state->cpu[0].wake_stamp = s.state->jiffies;
	scene_expect(&s, "v5.17+cluster-scan=v2", 3, WAKE_REASON_CPU);
	scene_expect(&s, "v5.17+cluster-scan=v7", 3, WAKE_REASON_CLUSTER_CPU);
	scene_end(&s);
}

/* A partition cuts through a core: 6, target's sibling, is in no domain with it. */
static void a_sibling_outside_the_domain_is_taken_by_some_versions(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		int by_target = !scene_since(v, 5, 10);
		int by_prev = scene_since(v, 6, 1) && !scene_since(v, 6, 12) &&
			      !sched_versions[v].stable;
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 6);
		wake_mask_clear(s.topo.spans[s.topo.cpus[2].llc].bits, 6);
		if (by_target)
			scene_expect_version(&s, v, 6, WAKE_REASON_SMT_TARGET);
		else if (by_prev)
			scene_expect_version(&s, v, 6, WAKE_REASON_SMT_PREV);
		else
			scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

/* The same partition: may the core scan remember a thread that it doesn't scan? */
static void a_thread_outside_the_domain_is_remembered_by_some_versions(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		int within = scene_since(v, 6, 12) || (scene_since(v, 6, 1) &&
						       sched_versions[v].stable);
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, 6);
		wake_mask_clear(s.topo.spans[s.topo.cpus[2].llc].bits, 6);
		sched_llc(s.state, 2)->has_idle_cores = 1;
		sched_llc(s.state, 2)->nr_idle_scan = 8;
		if (within)
			scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		else if (scene_since(v, 5, 12))
			scene_expect_version(&s, v, 6, WAKE_REASON_CORE_THREAD);
		else if (!scene_since(v, 5, 10))
			scene_expect_version(&s, v, 6, WAKE_REASON_SMT_TARGET);
		else
			scene_expect_version(&s, v, 2, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

static void an_isolated_waker_starts_a_scan_only_from_v6_1(void **state)
{
	(void)state;
	for (size_t v = 0; v <= sched_nr_versions; v++) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.topo.cpus[0].llc = SCHED_NO_SPAN;
		s.topo.cpus[0].llc_id = 99;
		s.topo.cpus[0].nr_domains = 0;
		s.state->rq[0].avg_idle = 1000000;
		s.state->cpu[0].wake_avg_idle = 500000;
		sched_llc(s.state, 9)->nr_idle_scan = 8;
		if (v == sched_nr_versions)
			scene_expect(&s, "v6.1.192+SIS_PROP+NO_SIS_UTIL", 9, WAKE_REASON_NOT_FOUND);
		else if (scene_since(v, 6, 1))
			scene_expect_version(&s, v, 10, WAKE_REASON_CPU);
		else
			scene_expect_version(&s, v, 9, WAKE_REASON_NOT_FOUND);
		scene_end(&s);
	}
}

static void a_budget_stop_is_charged_by_sis_core_s_patch_4_only(void **state)
{
	static const char *const variants[] = { "v6.0+sis-core=p123+SIS_PROP+NO_SIS_UTIL",
						"v6.0+sis-core=v6+SIS_PROP+NO_SIS_UTIL" };

	(void)state;
	for (int patch_4 = 0; patch_4 < 2; patch_4++) {
		struct scene s;

		scene_start(&s, &scene_smt8, 2, 2);
		scene_all_busy(&s, 0, 7, WAKE_NONE);
		scene_expect(&s, variants[patch_4], 2, WAKE_REASON_NOT_FOUND);
		assert_int_equal(s.d.budget, 4);
		assert_int_equal(s.d.spent, 4);
		assert_int_equal(s.d.charged, patch_4);
		scene_end(&s);
	}
}

/* The user-space state's clock stands still in a decision: the account by itself. */
static void a_scan_s_time_is_an_eighth_of_the_account_and_all_of_the_idle_time(void **state)
{
	static const struct {
		const char *variant;
		wake_u64 ns, cost, idle;
	} rows[] = {
		{ "v5.10", 300, 738, 1000 }, { "v5.10", 1600, 900, 1000 },
		{ "v5.17", 300, 738, 700 }, { "v5.17", 1600, 900, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wake_rules rules = scene_rules(rows[i].variant);
		struct wake_decision d = { 0 };
		struct scene s;
		struct wake_ctx ctx = { .rules = &rules, .d = &d, .cpu = 2 };

		scene_start(&s, &scene_smt8, 2, 2);
		ctx.host = s.state;
		s.state->cpu[2].avg_scan_cost = 800;
		s.state->cpu[2].wake_avg_idle = 1000;
		wake_charge(&ctx, rows[i].ns);
		assert_int_equal(s.state->cpu[2].avg_scan_cost, rows[i].cost);
		assert_int_equal(s.state->cpu[2].wake_avg_idle, rows[i].idle);
		scene_end(&s);
	}
}

/* CPUs below 4 have half the capacity of the others; waker on 0, busy. */
static void asym_scene(struct scene *s, wake_u32 threads, wake_u32 prev, wake_u64 util)
{
	struct scene_machine machine = { .nr_cpus = 8, .threads = threads, .llc = 8 };

	scene_start(s, &machine, 0, prev);
	for (wake_u32 cpu = 0; cpu < 8; cpu++) {
		s->topo.cpus[cpu].asym = s->topo.cpus[cpu].llc;
		s->topo.cpus[cpu].capacity = cpu < 4 ? 512 : 1024;
		s->state->rq[cpu].capacity = s->topo.cpus[cpu].capacity;
	}
	s->wakee.util = util;
	s->wakee.uclamp_max = 1024;
	sched_llc(s->state, 0)->nr_idle_scan = 8;
}

static void a_task_fits_with_a_fifth_to_spare_and_within_its_clamps(void **state)
{
	static const char *const variants[] = { "v5.9", "v5.11", "v6.0", "v6.1.192", "v6.12",
						"v7.3" };
	static const struct {
		wake_u64 util, low, high;
		wake_u32 cpu;
	} rows[] = {
		{ 409, 0, 1024, 1 }, { 410, 0, 1024, 4 },	/* of 512 */
		{ 100, 600, 1024, 4 }, { 600, 0, 300, 1 },
	};

	(void)state;
	for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct scene s;

			asym_scene(&s, 1, 0, rows[i].util);
			s.wakee.uclamp_min = rows[i].low;
			s.wakee.uclamp_max = rows[i].high;
			scene_expect(&s, variants[v], rows[i].cpu, WAKE_REASON_CAPACITY);
			scene_end(&s);
		}
	}
}

static void wake_cap_takes_an_eighth_for_equal(void **state)
{
	struct wake_rules rules = scene_rules("v5.4");

	(void)state;
	for (wake_u64 capacity = 896; capacity <= 897; capacity++) {
		struct scene s;

		asym_scene(&s, 1, 5, 800);
		scene_busy(&s, 5, 1, 0);
		s.topo.cpus[0].capacity = (wake_u16)capacity;
		s.wake.flags |= WAKE_WF_SYNC;
		scene_decide(&s, &rules);
		assert_int_equal(s.d.affine,
				 capacity == 896 ? WAKE_AFFINE_NOT_RUN : WAKE_AFFINE_THIS);
		scene_end(&s);
	}
}

static void an_idle_target_must_satisfy_uclamp_min(void **state)
{
	struct scene s;

	(void)state;
	asym_scene(&s, 1, 1, 100);
	s.wakee.uclamp_min = 700;
	scene_expect(&s, "v6.12", 4, WAKE_REASON_CAPACITY);
	/* No CPU does: the first of equals, which the scan starts with, is target. */
	scene_all_busy(&s, 4, 7, WAKE_NONE);
	scene_expect(&s, "v6.12", 1, WAKE_REASON_CAPACITY);
	scene_end(&s);
}

static void v7_3_prefers_idle_cores_of_unequal_machines(void **state)
{
	struct scene s;

	(void)state;
	/* 6 is idle, its sibling isn't; 2 and 3 are an idle core. */
	asym_scene(&s, 2, 6, 100);
	scene_busy(&s, 7, 1, 0);
	scene_expect(&s, "v6.12", 6, WAKE_REASON_TARGET);
	scene_expect(&s, "v7.3", 6, WAKE_REASON_CAPACITY);
	sched_llc(s.state, 0)->has_idle_cores = 1;
	scene_expect(&s, "v7.3", 2, WAKE_REASON_CAPACITY);
	assert_int_equal(sched_llc(s.state, 0)->has_idle_cores, 1);
	/* There is none. */
	scene_busy(&s, 2, 1, 0);
	scene_busy(&s, 4, 1, 0);
	scene_expect(&s, "v7.3", 6, WAKE_REASON_CAPACITY);
	assert_int_equal(sched_llc(s.state, 0)->has_idle_cores, 0);
	scene_end(&s);
}

static void v7_3_scans_capacities_within_nr_idle_scan(void **state)
{
	struct scene s;

	(void)state;
	asym_scene(&s, 1, 0, 100);
	scene_busy(&s, 1, 1, 0);
	sched_llc(s.state, 0)->nr_idle_scan = 2;
	scene_expect(&s, "v6.12", 2, WAKE_REASON_CAPACITY);
	scene_expect(&s, "v7.3", 0, WAKE_REASON_NOT_FOUND);
	sched_llc(s.state, 0)->nr_idle_scan = 3;
	scene_expect(&s, "v7.3", 2, WAKE_REASON_CAPACITY);
	scene_end(&s);
}

static void wf_current_cpu_counts_a_partner_and_asks_the_mask(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		s.wake.flags |= WAKE_WF_CURRENT_CPU;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.waker.wake.wakee_flips, 1);
		scene_allow(&s, 0xff00);
		scene_expect_version(&s, v, 9, WAKE_REASON_TARGET);
		scene_end(&s);
	}
}

/* Where the wakee's old CPU is the waker's, inactive, or forbidden meanwhile. */
static void a_wakee_on_its_cpu_is_not_queued_on_every_cpu(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		int unasked = scene_since(v, 5, 8) && !scene_since(v, 6, 0);
		struct scene s;

		scene_start(&s, &scene_two_llcs, 5, 5);
		scene_idle(&s, 5);
		s.wakee.on_cpu = 1;
		scene_expect_version(&s, v, 5, WAKE_REASON_TARGET);
		scene_end(&s);

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.wakee.on_cpu = 1;
		s.topo.cpus[9].active = 0;
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_ON_CPU, unasked);
		s.topo.cpus[9].active = 1;
		scene_allow(&s, 0xff);
		scene_decide(&s, &sched_versions[v].rules);
		assert_int_equal(s.d.reason == WAKE_REASON_ON_CPU, unasked);
		scene_end(&s);
	}
}

static void a_forbidden_choice_goes_to_prev_s_node_first(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		for (wake_u32 cpu = 0; cpu < 16; cpu++)
			s.topo.cpus[cpu].node = s.topo.cpus[cpu].llc;
		scene_allow(&s, 1 << 3 | 1 << 12);
		scene_expect_version(&s, v, 12, WAKE_REASON_FALLBACK);
		/* nothing of that node */
		scene_allow(&s, 1 << 3 | 1 << 4);
		scene_expect_version(&s, v, 3, WAKE_REASON_FALLBACK);
		scene_end(&s);
	}
}

static void an_inactive_choice_is_replaced(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_busy(&s, 9, 1, 0);
		s.topo.cpus[9].active = 0;
		s.topo.cpus[9].llc = SCHED_NO_SPAN;
		s.topo.cpus[9].llc_id = 99;
		s.topo.cpus[0].nr_domains = 0;
		scene_expect_version(&s, v, 0, WAKE_REASON_FALLBACK);
		scene_end(&s);
	}
}

/* migrate_disable(): nr_cpus_allowed stays, cpus_ptr is one CPU. */
static void a_wakee_that_cannot_migrate_is_not_selected_from_v5_11(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 0, 9);
		scene_allow(&s, 1 << 4);
		s.wakee.nr_allowed = 16;
		s.wakee.migration_disabled = 1;
		scene_expect_version(&s, v, 4,
			       scene_since(v, 5, 11) ? WAKE_REASON_ONE_ALLOWED :
						       WAKE_REASON_FALLBACK);
		scene_end(&s);
	}
}

static void without_smt_no_core_is_ever_hinted(void **state)
{
	(void)state;
	FOR_EVERY_VERSION(v) {
		struct scene s;

		scene_start(&s, &scene_two_llcs, 2, 2);
		sched_switch(s.state, &sched_versions[v].rules, 3, NULL);
		assert_int_equal(sched_llc(s.state, 3)->has_idle_cores, 0);
		scene_end(&s);
	}
}

static void the_end_of_an_idle_period_restarts_the_aged_average(void **state)
{
	static const char *const variants[] = { "v5.10", "v5.15" };

	(void)state;
	for (int aged = 0; aged < 2; aged++) {
		struct wake_rules rules = scene_rules(variants[aged]);
		struct scene s;

		scene_start(&s, &scene_two_llcs, 2, 2);
		s.state->cpu[3].wake_avg_idle = 77;
		s.state->cpu[3].wake_stamp = 5;
		sched_idle_exit(s.state, &rules, 3, 1000);
		assert_int_equal(s.state->rq[3].avg_idle, 1000);
		assert_int_equal(s.state->cpu[3].wake_avg_idle, aged ? 500 : 77);
		assert_int_equal(s.state->cpu[3].wake_stamp, aged ? s.state->jiffies : 5);
		scene_end(&s);
	}
}

static void rebuilt_domains_start_over(void **state)
{
	const struct wake_span *span;
	struct wake_llc *llc;
	struct scene s;

	(void)state;
	scene_start(&s, &scene_two_llcs, 2, 2);
	span = &s.topo.spans[s.topo.cpus[9].llc];
	llc = sched_llc(s.state, 9);
	*llc = (struct wake_llc){ .has_idle_cores = 1, .nr_idle_scan = 5, .icpus = { 1 } };
	wake_ops_domains_built(llc, span);
	assert_int_equal(llc->has_idle_cores, 0);
	assert_int_equal(llc->nr_idle_scan, 0);
	assert_int_equal(llc->icpus[0], 0xff00);
	assert_int_equal(llc->idle_cpus[0], 0xff00);
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wake_up_leaves_the_partner_and_the_time_of_decay),
		cmocka_unit_test(a_lone_sync_load_is_still_compared),
		cmocka_unit_test(prev_idle_first_keeps_prev_though_the_waker_s_cpu_is_idle),
		cmocka_unit_test(a_core_scan_reads_each_run_queue_as_often_as_the_kernel),
		cmocka_unit_test(recent_is_not_read_where_it_is_prev),
		cmocka_unit_test(a_core_scan_has_no_bound),
		cmocka_unit_test(a_kthread_that_may_run_elsewhere_does_not_stack),
		cmocka_unit_test(a_far_prev_is_no_sibling_of_itself),
		cmocka_unit_test(cluster_v2_is_off_with_smt),
		cmocka_unit_test(a_sibling_outside_the_domain_is_taken_by_some_versions),
		cmocka_unit_test(a_thread_outside_the_domain_is_remembered_by_some_versions),
		cmocka_unit_test(an_isolated_waker_starts_a_scan_only_from_v6_1),
		cmocka_unit_test(a_budget_stop_is_charged_by_sis_core_s_patch_4_only),
		cmocka_unit_test(a_scan_s_time_is_an_eighth_of_the_account_and_all_of_the_idle_time),
		cmocka_unit_test(a_task_fits_with_a_fifth_to_spare_and_within_its_clamps),
		cmocka_unit_test(wake_cap_takes_an_eighth_for_equal),
		cmocka_unit_test(an_idle_target_must_satisfy_uclamp_min),
		cmocka_unit_test(v7_3_prefers_idle_cores_of_unequal_machines),
		cmocka_unit_test(v7_3_scans_capacities_within_nr_idle_scan),
		cmocka_unit_test(wf_current_cpu_counts_a_partner_and_asks_the_mask),
		cmocka_unit_test(a_wakee_on_its_cpu_is_not_queued_on_every_cpu),
		cmocka_unit_test(a_forbidden_choice_goes_to_prev_s_node_first),
		cmocka_unit_test(an_inactive_choice_is_replaced),
		cmocka_unit_test(a_wakee_that_cannot_migrate_is_not_selected_from_v5_11),
		cmocka_unit_test(without_smt_no_core_is_ever_hinted),
		cmocka_unit_test(the_end_of_an_idle_period_restarts_the_aged_average),
		cmocka_unit_test(rebuilt_domains_start_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
