// SPDX-License-Identifier: GPL-2.0-only
/* vCPUs that a hypervisor takes away (the proposal dedicated-vcpu), and unequal CPUs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/scene.h"

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
	scene_expect(&s, "v5.4", 2, WAKE_REASON_NOT_FOUND);
	scene_expect(&s, "v5.4+dedicated-vcpu", 3, WAKE_REASON_CPU);
	scene_expect(&s, "v5.4+dedicated-vcpu=v3", 3, WAKE_REASON_CPU);
	scene_expect(&s, "v5.10", 3, WAKE_REASON_CPU);
	/* A snoozing one stays dispatched and was always found. */
	s.state->rq[5].yield_count = 6;
	scene_expect(&s, "v5.4", 5, WAKE_REASON_CPU);
	scene_end(&s);
}

static void a_ceded_vcpu_of_a_shared_partition_stays_preempted(void **state)
{
	struct scene s;

	(void)state;
	lpar_scene(&s, WAKE_LPAR_SHARED);
	scene_expect(&s, "v5.4", 2, WAKE_REASON_NOT_FOUND);
	scene_expect(&s, "v5.4+dedicated-vcpu", 2, WAKE_REASON_NOT_FOUND);
	scene_expect(&s, "v5.10", 2, WAKE_REASON_NOT_FOUND);
	/* v5.11: not in the caller's core */
	scene_expect(&s, "v5.11", 6, WAKE_REASON_CPU);
	/* ... unless it is a KVM guest */
	s.state->lpar |= WAKE_LPAR_KVM;
	scene_expect(&s, "v5.11", 2, WAKE_REASON_NOT_FOUND);
	scene_end(&s);
}

static void a_core_that_idles_as_a_whole_is_free_from_v6_7(void **state)
{
	struct scene s;

	(void)state;
	lpar_scene(&s, WAKE_LPAR_SHARED);
	scene_busy(&s, 6, 1, 0);
	scene_expect(&s, "v6.6", 2, WAKE_REASON_NOT_FOUND);
	scene_expect(&s, "v6.7", 3, WAKE_REASON_CPU);
	/* Its other thread (7) was preempted: then so was the core. */
	s.state->rq[7].lppaca_idle = 0;
	scene_expect(&s, "v6.7", 4, WAKE_REASON_CPU);
	/* It runs: then the core does. */
	s.state->rq[7].yield_count = 6;
	scene_expect(&s, "v6.7", 3, WAKE_REASON_CPU);
	/* 3 itself did not ask for idle. */
	s.state->rq[3].lppaca_idle = 0;
	scene_expect(&s, "v6.7", 4, WAKE_REASON_CPU);
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
	scene_expect(&s, "v6.12", 4, WAKE_REASON_CPU);
	scene_end(&s);
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
		scene_expect(&s, variants[i], 4, WAKE_REASON_CAPACITY);
		scene_end(&s);
		asym_scene(&s, 100);
		scene_expect(&s, variants[i], 1, WAKE_REASON_CAPACITY);
		/* nothing fits: the largest */
		s.wakee.util = 1000;
		s.state->rq[6].capacity = 900;
		scene_all_busy(&s, 4, 5, WAKE_NONE);
		scene_busy(&s, 7, 1, 0);
		scene_expect(&s, variants[i], 6, WAKE_REASON_CAPACITY);
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
	scene_expect(&s, "v5.4", 0, WAKE_REASON_TARGET);
	scene_expect(&s, "v5.9", 5, WAKE_REASON_CAPACITY);
	scene_expect(&s, "v5.10", 5, WAKE_REASON_CAPACITY);
	scene_expect(&s, "v7.3", 5, WAKE_REASON_CAPACITY);
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
	scene_expect(&s, "v5.4", 6, WAKE_REASON_CPU);
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
	scene_expect(&s, "v6.12", 4, WAKE_REASON_CAPACITY);
	scene_all_busy(&s, 4, 7, WAKE_NONE);
	scene_expect(&s, "v6.12", 1, WAKE_REASON_CAPACITY);
	scene_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ceded_vcpu_of_a_dedicated_partition_is_free_with_the_patch),
		cmocka_unit_test(a_ceded_vcpu_of_a_shared_partition_stays_preempted),
		cmocka_unit_test(a_core_that_idles_as_a_whole_is_free_from_v6_7),
		cmocka_unit_test(a_preempted_sibling_keeps_the_core_hint_away),
		cmocka_unit_test(a_kvm_guest_skips_preempted_vcpus),
		cmocka_unit_test(a_big_task_goes_to_a_cpu_that_fits),
		cmocka_unit_test(an_idle_target_that_does_not_fit_is_refused_from_v5_7),
		cmocka_unit_test(wake_cap_vetoes_a_pull_in_v5_4_only),
		cmocka_unit_test(uclamp_min_ranks_between_fit_and_no_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
