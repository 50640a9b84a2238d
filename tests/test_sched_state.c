// SPDX-License-Identifier: GPL-2.0-only
/* The user-space state: events, snapshots, topology, the log's build. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "tests/scene.h"

static int idle(const struct scene *s, wake_u32 cpu)
{
	return wake_mask_has(s->state->idle, cpu);
}

static void a_cpu_is_idle_only_without_tasks_and_pending_wake_ups(void **state)
{
	struct wake_rules rules = scene_rules("v6.1");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 0, 2);
	assert_true(idle(&s, 3));
	sched_pending(s.state, 3, 1);
	assert_false(idle(&s, 3));
	sched_enqueue(s.state, 3, &s.wakee);
	sched_pending(s.state, 3, 0);
	assert_false(idle(&s, 3));
	sched_switch(s.state, &rules, 3, &s.wakee);
	sched_dequeue(s.state, 3, &s.wakee);
	/* the old task is current until the idle task is picked */
	assert_false(idle(&s, 3));
	sched_switch(s.state, &rules, 3, NULL);
	assert_true(idle(&s, 3));
	scene_end(&s);
}

static void queued_tasks_are_counted_by_policy_and_delay(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 0, 2);
	s.wakee.idle_policy = 1;
	s.wakee.delayed = 1;
	sched_enqueue(s.state, 3, &s.wakee);
	sched_enqueue(s.state, 3, &s.waker);
	assert_int_equal(s.state->rq[3].nr_running, 2);
	assert_int_equal(s.state->rq[3].nr_idle_policy, 1);
	assert_int_equal(s.state->rq[3].nr_delayed, 1);
	sched_dequeue(s.state, 3, &s.wakee);
	assert_int_equal(s.state->rq[3].nr_running, 1);
	assert_int_equal(s.state->rq[3].nr_idle_policy, 0);
	assert_int_equal(s.state->rq[3].nr_delayed, 0);
	scene_end(&s);
}

static void a_snapshot_replaces_run_queues_idle_map_and_time(void **state)
{
	struct sched_rq rq[8];
	wake_u64 map[WAKE_WORDS] = { 0x5a };
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 0, 2);
	memset(rq, 0, sizeof(rq));
	for (int cpu = 0; cpu < 8; cpu++) {
		rq[cpu].nr_running = !(map[0] >> cpu & 1);
		rq[cpu].curr_idle = (wake_u8)(map[0] >> cpu & 1);
	}
	sched_set_snapshot(s.state, rq, map, 77);
	assert_int_equal(s.state->idle[0], 0x5a);
	assert_int_equal(s.state->jiffies, 77);
	assert_int_equal(s.state->rq[0].nr_running, 1);
	scene_end(&s);
}

static void the_check_finds_a_mask_that_lies(void **state)
{
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 0, 2);
	assert_null(sched_check(s.state));
	wake_mask_clear(s.state->idle, 5);
	assert_non_null(sched_check(s.state));
	wake_mask_set(s.state->idle, 5);
	s.state->rq[0].nr_idle_policy = 2;
	assert_non_null(sched_check(s.state));
	s.state->rq[0].nr_idle_policy = 0;
	scene_end(&s);
}

static void an_idle_exit_restarts_the_aged_average(void **state)
{
	struct wake_rules aged = scene_rules("v5.17"), old = scene_rules("v5.10");
	struct scene s;

	(void)state;
	scene_start(&s, &scene_smt8, 0, 2);
	sched_idle_exit(s.state, &old, 3, 900);
	assert_int_equal(s.state->rq[3].avg_idle, 900);
	assert_int_equal(s.state->cpu[3].wake_avg_idle, 0);
	sched_idle_exit(s.state, &aged, 3, 800);
	assert_int_equal(s.state->cpu[3].wake_avg_idle, 400);
	assert_int_equal(s.state->cpu[3].wake_stamp, s.state->jiffies);
	scene_end(&s);
}

static struct sched_topology *topology(const char *machine, unsigned int major, unsigned int minor)
{
	struct machine_kernel kernel = { major, minor, true };
	struct sched_topology *topo = NULL;
	struct machine_error err;
	struct machine *m;

	if (machine_load(machine, &m, &err) || sched_topology_create(m, &kernel, &topo, &err))
		fail_msg("%s: %s", err.place, err.text);
	machine_free(m);
	return topo;
}

static void kunpeng_has_clusters_in_llcs_in_nodes(void **state)
{
	struct sched_topology *topo = topology("preset:kunpeng920", 6, 12);

	(void)state;
	assert_int_equal(topo->nr_cpus, 128);
	assert_int_equal(sched_distance(topo, 0, 0), SCHED_SAME_CPU);
	assert_int_equal(sched_distance(topo, 0, 3), SCHED_SAME_CLUSTER);
	assert_int_equal(sched_distance(topo, 0, 4), SCHED_SAME_LLC);
	assert_int_equal(sched_distance(topo, 0, 32), SCHED_REMOTE);
	assert_int_equal(topo->cpus[5].llc_size, 32);
	assert_int_equal(topo->spans[topo->cpus[5].cluster].bits[0], 0xf0);
	assert_int_equal(topo->cpus[5].cluster, topo->cpus[5].llc_group);
	sched_topology_free(topo);
}

static void epyc_s_siblings_are_128_apart_and_its_llcs_have_16_cpus(void **state)
{
	struct sched_topology *topo = topology("preset:epyc-7003-2s-nps1", 6, 0);
	const struct wake_span *llc = &topo->spans[topo->cpus[9].llc];

	(void)state;
	assert_int_equal(topo->nr_cpus, 256);
	assert_int_equal(sched_distance(topo, 9, 137), SCHED_SAME_CORE);
	assert_int_equal(sched_distance(topo, 9, 15), SCHED_SAME_LLC);
	assert_int_equal(sched_distance(topo, 9, 16), SCHED_SAME_NODE);
	assert_int_equal(llc->weight, 16);
	assert_int_equal(llc->first, 0);
	assert_int_equal(llc->last, 2);
	assert_int_equal(llc->bits[0], 0xff00);
	assert_int_equal(llc->bits[2], 0xff00);
	sched_topology_free(topo);
}

static void clusters_are_domains_from_v5_16_flag_or_not(void **state)
{
	struct sched_topology *with = topology("preset:kunpeng920", 5, 17);
	struct sched_topology *without = topology("preset:kunpeng920", 5, 15);

	(void)state;
	assert_int_equal(with->spans[with->cpus[5].cluster].bits[0], 0xf0);
	assert_int_equal(with->cpus[5].share_id, 4);
	assert_int_equal(without->cpus[5].cluster, SCHED_NO_SPAN);
	assert_int_equal(without->cpus[5].share_id, without->cpus[0].share_id);
	sched_topology_free(with);
	sched_topology_free(without);
}

static void a_machine_larger_than_the_masks_is_refused(void **state)
{
	struct machine_kernel kernel = { 6, 12, true };
	struct sched_topology *topo;
	struct machine_error err;
	struct machine *m;

	(void)state;
	assert_int_equal(machine_load("synthetic:pack:33 core:64 pu:1", &m, &err), 0);
	assert_int_not_equal(sched_topology_create(m, &kernel, &topo, &err), 0);
	assert_non_null(strstr(err.text, "WAKE_NR_CPUS"));
	machine_free(m);
}

static void a_variant_keeps_its_name_and_resolves_aliases(void **state)
{
	struct sched_variant v;
	struct sched_variant_error err;

	(void)state;
	assert_int_equal(sched_variant_parse("tip-5.19+sis-core=v6+NO_WA_BIAS", &v, &err), 0);
	assert_string_equal(v.name, "v6.0+sis-core=v6+NO_WA_BIAS");
	assert_int_equal(v.rules.wa_bias, 0);
	assert_int_equal(sched_variant_parse("v5.19", &v, &err), 0);
	assert_string_equal(v.version->name, "v5.17");
	/* A switch that is as it was adds nothing to the name. */
	assert_int_equal(sched_variant_switch(&v, "SIS_PROP"), 0);
	assert_string_equal(v.name, "v5.17");
	assert_int_not_equal(sched_variant_switch(&v, "NO_HRTICK"), 0);
}

static void the_log_s_build_decides_the_same(void **state)
{
	struct sched_note notes[64];

	(void)state;
	for (size_t i = 0; i < sched_nr_versions; i++) {
		for (wake_u32 busy = 0; busy < 256; busy++) {
			struct sched_log log = { .max = 64, .notes = notes };
			struct wake_decision plain;
			struct scene s;

			for (int logged = 0; logged < 2; logged++) {
				scene_start(&s, &scene_smt8, 0, 2);
				sched_llc(s.state, 0)->nr_idle_scan = 3;
				sched_llc(s.state, 0)->has_idle_cores = busy & 1;
				for (wake_u32 cpu = 1; cpu < 8; cpu++) {
					if (busy >> cpu & 1)
						scene_busy(&s, cpu, 1, 0);
				}
				if (!logged)
					sched_wake(s.state, &sched_versions[i].rules, &s.wake, &plain);
				else
					sched_wake_log(s.state, &sched_versions[i].rules, &s.wake,
						       &s.d, &log);
				scene_end(&s);
			}
			assert_memory_equal(&plain, &s.d, sizeof(plain));
			assert_true(log.nr > 0 && log.nr <= log.max);
			assert_int_equal(notes[log.nr - 1].step, WAKE_STEP_END);
			assert_int_equal(notes[log.nr - 1].cpu, plain.cpu);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_is_idle_only_without_tasks_and_pending_wake_ups),
		cmocka_unit_test(queued_tasks_are_counted_by_policy_and_delay),
		cmocka_unit_test(a_snapshot_replaces_run_queues_idle_map_and_time),
		cmocka_unit_test(the_check_finds_a_mask_that_lies),
		cmocka_unit_test(an_idle_exit_restarts_the_aged_average),
		cmocka_unit_test(kunpeng_has_clusters_in_llcs_in_nodes),
		cmocka_unit_test(epyc_s_siblings_are_128_apart_and_its_llcs_have_16_cpus),
		cmocka_unit_test(clusters_are_domains_from_v5_16_flag_or_not),
		cmocka_unit_test(a_machine_larger_than_the_masks_is_refused),
		cmocka_unit_test(a_variant_keeps_its_name_and_resolves_aliases),
		cmocka_unit_test(the_log_s_build_decides_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
