// SPDX-License-Identifier: GPL-2.0-only
/* Passes: when which CPU looks at which domain. */
#include "balance_scene.h"

#define FOUR	"synthetic:package:1 [numa] l3:1 core:4 pu:1"
#define TWO_LLC	"synthetic:package:1 [numa] l3:2 core:4 pu:1"
#define SIXTEEN	"synthetic:package:1 [numa] l3:1 core:16 pu:1"
#define NODES	"synthetic:package:2 [numa] l3:1 core:16 pu:1"

static void newidle_needs_half_a_ms_of_idleness_up_to_v5_15(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.15");
	balance_scene_crowd(&sc, 0, 2);
	balance_scene_about_to_idle(&sc, 1, 499999);
	assert_int_equal(balance_scene_newidle(&sc, 1), 0);
	assert_int_equal(sc.s->counts.newidle_skipped, 1);
	assert_true(sc.s->cpus[1].idle_stamp);
	sc.s->state->rq[1].avg_idle = 500000;
	assert_int_equal(balance_scene_newidle(&sc, 1), 1);
	assert_int_equal(sc.s->rqs[1].nr_running, 1);
	assert_int_equal(sc.s->counts.newidle_calls, 2);
	assert_int_equal(sc.s->counts.newidle_skipped, 1);
	balance_scene_end(&sc);
}

static void newidle_is_gated_by_what_it_took_from_v5_16_on(void **state)
{
	struct balance_scene sc;
	struct sim_domain *sd;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	sd = balance_scene_domain(&sc, 1, 0);
	balance_scene_crowd(&sc, 0, 3);
	balance_scene_about_to_idle(&sc, 1, 100);
	assert_int_equal(balance_scene_newidle(&sc, 1), 1);
	assert_true(sd->max_newidle_lb_cost > 100);
	balance_scene_choose(&sc, 1);
	balance_scene_block(&sc, 1);
	sc.s->state->rq[1].avg_idle = sd->max_newidle_lb_cost - 1;
	assert_int_equal(balance_scene_newidle(&sc, 1), 0);
	assert_int_equal(sc.s->counts.newidle_skipped, 1);
	sc.s->state->rq[1].avg_idle = sd->max_newidle_lb_cost;
	assert_int_equal(balance_scene_newidle(&sc, 1), 1);
	balance_scene_end(&sc);
}

static void newidle_is_not_for_a_system_without_waiting_tasks(void **state)
{
	static const char *const versions[] = { "v5.15", "v5.17" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;

		balance_scene_start(&sc, FOUR, versions[v]);
		balance_scene_crowd(&sc, 0, 0);
		balance_scene_about_to_idle(&sc, 1, 1000000);
		assert_int_equal(sc.s->overload, 0);
		assert_int_equal(balance_scene_newidle(&sc, 1), 0);
		balance_scene_wait(&sc, 0);
		assert_int_equal(sc.s->overload, 1);
		assert_int_equal(balance_scene_newidle(&sc, 1), 1);
		balance_scene_end(&sc);
	}
}

/* The topmost domain's statistics see no run queue with two tasks any more. */
static void overload_ends_with_a_look_at_the_top(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	sc.s->overload = 1;
	balance_scene_balance(&sc, 4, 0, SIM_CPU_IDLE);
	assert_int_equal(sc.s->overload, 1);
	balance_scene_balance(&sc, 4, 1, SIM_CPU_IDLE);
	assert_int_equal(sc.s->overload, 0);
	balance_scene_end(&sc);
}

static void newidle_pulls_one_task_if_the_kernel_is_preemptible(void **state)
{
	(void)state;
	for (uint8_t preempt = 0; preempt < 2; preempt++) {
		struct balance_scene sc;

		balance_scene_start(&sc, FOUR, "v5.17");
		sc.s->config.kernel.preempt = preempt;
		balance_scene_crowd(&sc, 0, 7);
		balance_scene_about_to_idle(&sc, 1, 1000000);
		balance_scene_newidle(&sc, 1);
		assert_int_equal(sc.s->counts.newidle_pulls, preempt ? 1 : 4);
		assert_int_equal(sc.s->counts.migrations[SIM_MIGRATE_NEWIDLE], preempt ? 1 : 4);
		assert_int_equal(sc.s->rqs[1].nr_running, preempt ? 1 : 4);
		assert_int_equal(sc.s->cpus[1].idle_stamp, 0);
		assert_null(sim_check(sc.s));
		balance_scene_end(&sc);
	}
}

static void newidle_costs_what_it_takes(void **state)
{
	static const char *const versions[] = { "v5.15", "v5.17" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;
		struct sim_domain *sd;
		uint64_t began;

		balance_scene_start(&sc, FOUR, versions[v]);
		sd = balance_scene_domain(&sc, 1, 0);
		balance_scene_crowd(&sc, 0, 2);
		balance_scene_about_to_idle(&sc, 1, 1000000);
		began = sc.s->now;
		balance_scene_newidle(&sc, 1);
		/* Four run queues and the own one's blocked load; two enqueues at least. */
		assert_true(sc.s->now - began >= 5 * 100 + 2 * 200);
		/* Blocked load has been part of it since v5.16. */
		assert_int_equal(sd->max_newidle_lb_cost, sc.s->now - began - (v ? 0 : 100));
		balance_scene_end(&sc);
	}
}

/* 1 % a second, in newidle balance itself (v5.16) or as periodic balance passes by. */
static void newidle_costs_are_forgotten(void **state)
{
	static const char *const versions[] = { "v5.15", "v5.17" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;
		struct sim_domain *sd;

		balance_scene_start(&sc, FOUR, versions[v]);
		sd = balance_scene_domain(&sc, 0, 0);
		sd->max_newidle_lb_cost = 2560000;
		sc.s->cpus[0].max_idle_balance_cost = 2560000;
		sc.s->now += 1000 * MS;
		sim_balance_tick(sc.s, &sc.s->cpus[0]);
		balance_scene_softirq(&sc, 0);
		assert_int_equal(sd->max_newidle_lb_cost, 2560000);
		sc.s->now += 10 * MS;
		sim_balance_tick(sc.s, &sc.s->cpus[0]);
		balance_scene_softirq(&sc, 0);
		assert_int_equal(sd->max_newidle_lb_cost, 2530000);
		assert_int_equal(sc.s->cpus[0].max_idle_balance_cost, 2530000);
		sc.s->now += 1001 * MS;
		balance_scene_crowd(&sc, 1, 2);
		balance_scene_about_to_idle(&sc, 0, 5000000);
		balance_scene_newidle(&sc, 0);
		assert_int_equal(sd->max_newidle_lb_cost,
				 v ? 2530000ull * 253 / 256 : 2530000);
		balance_scene_end(&sc);
	}
}

/* From v5.14 on, a wake-up on its way is waited for. */
static void newidle_gives_way_to_a_wake_up(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.13");
	balance_scene_crowd(&sc, 0, 2);
	balance_scene_about_to_idle(&sc, 1, 1000000);
	sched_pending(sc.s->state, 1, 1);
	assert_int_equal(balance_scene_newidle(&sc, 1), 1);
	balance_scene_end(&sc);
	balance_scene_start(&sc, FOUR, "v5.15");
	balance_scene_crowd(&sc, 0, 2);
	balance_scene_about_to_idle(&sc, 1, 1000000);
	sc.s->cpus[1].idle_stamp = 0;
	sched_pending(sc.s->state, 1, 1);
	assert_int_equal(balance_scene_newidle(&sc, 1), 0);
	assert_int_equal(sc.s->cpus[1].idle_stamp, 0);
	balance_scene_end(&sc);
}

/* A task that came meanwhile ends the pass at the next domain, and counts as pulled. */
static void newidle_ends_when_work_arrives(void **state)
{
	static const char *const versions[] = { "v5.17", "v6.0" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;
		uint64_t ns;

		balance_scene_start(&sc, TWO_LLC, versions[v]);
		balance_scene_crowd(&sc, 4, 3);
		balance_scene_about_to_idle(&sc, 0, 1000000);
		ns = sim_newidle_begin(sc.s, &sc.s->cpus[0]);
		assert_true(ns);
		sc.s->now += ns;
		balance_scene_wait(&sc, 0);
		assert_int_equal(sim_newidle_step(sc.s, &sc.s->cpus[0]), 0);
		assert_int_equal(sc.s->cpus[0].idle_stamp, 0);
		assert_int_equal(sc.s->counts.newidle_pulls, 0);
		/* From v6.0 on, it isn't even looked at another domain. */
		assert_int_equal(sim_should_balance(sc.s, 0, balance_scene_domain(&sc, 0, 1),
						    SIM_CPU_NEWLY_IDLE), !v);
		balance_scene_end(&sc);
	}
}

static void a_balanced_domain_is_looked_at_less_often(void **state)
{
	struct balance_scene sc;
	struct sim_domain *sd;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	sd = balance_scene_domain(&sc, 0, 0);
	assert_int_equal(sd->balance_interval, 4);
	for (uint32_t i = 0; i < 3; i++) {
		sc.s->now += 10 * MS;
		sim_balance_tick(sc.s, &sc.s->cpus[0]);
		assert_true(sc.s->cpus[0].pending & SIM_PEND_BALANCE);
		assert_int_equal(balance_scene_softirq(&sc, 0), 1);
		assert_int_equal(sd->balance_interval, 8);
		assert_int_equal(sd->last_balance, sim_jiffies(sc.s));
		assert_int_equal(sc.s->cpus[0].next_balance, sd->last_balance + 8);
	}
	sc.s->cpus[0].pending = 0;
	sc.s->now += 7 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	assert_int_equal(sc.s->cpus[0].pending, 0);
	balance_scene_crowd(&sc, 1, 2);
	sc.s->now += MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	balance_scene_softirq(&sc, 0);
	assert_int_equal(sc.s->rqs[0].nr_running, 1);
	assert_int_equal(sc.s->counts.balance_pulls, 1);
	assert_int_equal(sc.s->counts.migrations[SIM_MIGRATE_PERIODIC], 1);
	assert_int_equal(sd->balance_interval, 4);
	balance_scene_end(&sc);
}

static void busy_cpus_balance_seldom(void **state)
{
	struct balance_scene sc;
	struct sim_domain *sd;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	sd = balance_scene_domain(&sc, 0, 0);
	assert_int_equal(sim_balance_interval(sc.s, sd, 0), 4);
	assert_int_equal(sim_balance_interval(sc.s, sd, 1), 4 * 16 - 1);
	sd->balance_interval = 64;
	assert_int_equal(sim_balance_interval(sc.s, sd, 1), 1000 * 4 / 10);
	balance_scene_end(&sc);
	balance_scene_start(&sc, FOUR, "v5.9");
	sd = balance_scene_domain(&sc, 0, 0);
	assert_int_equal(sim_balance_interval(sc.s, sd, 1), 4 * 32);
	balance_scene_end(&sc);
}

/* Only the first idle CPU of a group balances for it; the others count as balanced. */
static void one_cpu_of_a_group_balances(void **state)
{
	struct balance_scene sc;
	struct sim_domain *sd;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_crowd(&sc, 4, 3);
	sd = balance_scene_domain(&sc, 1, 1);
	assert_false(sim_should_balance(sc.s, 1, sd, SIM_CPU_IDLE));
	assert_true(sim_should_balance(sc.s, 0, balance_scene_domain(&sc, 0, 1), SIM_CPU_IDLE));
	sd->nr_balance_failed = 2;
	sc.s->now += 20 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[1]);
	/* Of its own LLC it is not the first idle CPU either: no look at all. */
	assert_int_equal(balance_scene_softirq(&sc, 1), 1);
	assert_int_equal(sd->nr_balance_failed, 0);
	assert_int_equal(sd->balance_interval, 16);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		balance_scene_run(&sc, cpu);
	assert_true(sim_should_balance(sc.s, 0, balance_scene_domain(&sc, 0, 1),
				       SIM_CPU_NOT_IDLE));
	assert_false(sim_should_balance(sc.s, 1, sd, SIM_CPU_NOT_IDLE));
	balance_scene_end(&sc);
}

/* SD_SERIALIZE: one balancer at a time across nodes. */
static void nodes_are_balanced_by_one_at_a_time(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, NODES, "v5.17");
	balance_scene_crowd(&sc, 16, 7);
	sc.s->balance->serializer = 5;
	sc.s->now += 100 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	assert_int_equal(balance_scene_softirq(&sc, 0), 1);
	sc.s->balance->serializer = SIM_NO_GROUP;
	sc.s->now += 100 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	assert_int_equal(balance_scene_softirq(&sc, 0), 2);
	assert_int_equal(sc.s->balance->serializer, SIM_NO_GROUP);
	balance_scene_end(&sc);
}

static uint32_t idle_scan_at(const char *version, uint64_t util, enum sim_idle_type idle)
{
	struct balance_scene sc;
	uint32_t scan;

	balance_scene_start(&sc, SIXTEEN, version);
	for (uint32_t cpu = 0; cpu < 16; cpu++) {
		sc.s->rqs[cpu].root->avg.util_avg = util;
		sim_publish(sc.s, cpu);
	}
	balance_scene_balance(&sc, 0, 0, idle);
	scan = sc.s->state->llc[sc.s->topo->cpus[0].llc].nr_idle_scan;
	balance_scene_end(&sc);
	return scan;
}

/* 16 * (1 - (x * 1.17 / 1024)^2), in the kernel's integers, if SIS_UTIL is there. */
static void balancing_an_llc_limits_its_scans(void **state)
{
	(void)state;
	assert_int_equal(idle_scan_at("v6.1", 0, SIM_CPU_IDLE), 16);
	assert_int_equal(idle_scan_at("v6.1", 256, SIM_CPU_IDLE), 14);
	assert_int_equal(idle_scan_at("v6.1", 512, SIM_CPU_IDLE), 10);
	assert_int_equal(idle_scan_at("v6.1", 700, SIM_CPU_NOT_IDLE), 5);
	assert_int_equal(idle_scan_at("v6.1", 900, SIM_CPU_NOT_IDLE), 0);
	/* Not in newidle balance, and not before v6.0. */
	assert_int_equal(idle_scan_at("v6.1", 256, SIM_CPU_NEWLY_IDLE), 0);
	assert_int_equal(idle_scan_at("v5.17", 256, SIM_CPU_IDLE), 0);
}

static void nothing_balances_where_it_is_switched_off(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	sc.s->config.kernel.no_balance = 1;
	balance_scene_crowd(&sc, 0, 3);
	balance_scene_about_to_idle(&sc, 1, 1000000);
	assert_int_equal(balance_scene_newidle(&sc, 1), 0);
	assert_true(sc.s->cpus[1].idle_stamp);
	sc.s->now += 100 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	sim_balance_tick(sc.s, &sc.s->cpus[2]);
	assert_int_equal(sc.s->cpus[2].pending, 0);
	assert_int_equal(sc.s->counts.nohz_kicks, 0);
	/* Forks are placed all the same. */
	assert_in_range(balance_scene_fork(&sc, &sc.s->tasks[9], 0), 1, 3);
	balance_scene_end(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newidle_needs_half_a_ms_of_idleness_up_to_v5_15),
		cmocka_unit_test(newidle_is_gated_by_what_it_took_from_v5_16_on),
		cmocka_unit_test(newidle_is_not_for_a_system_without_waiting_tasks),
		cmocka_unit_test(overload_ends_with_a_look_at_the_top),
		cmocka_unit_test(newidle_pulls_one_task_if_the_kernel_is_preemptible),
		cmocka_unit_test(newidle_costs_what_it_takes),
		cmocka_unit_test(newidle_costs_are_forgotten),
		cmocka_unit_test(newidle_gives_way_to_a_wake_up),
		cmocka_unit_test(newidle_ends_when_work_arrives),
		cmocka_unit_test(a_balanced_domain_is_looked_at_less_often),
		cmocka_unit_test(busy_cpus_balance_seldom),
		cmocka_unit_test(one_cpu_of_a_group_balances),
		cmocka_unit_test(nodes_are_balanced_by_one_at_a_time),
		cmocka_unit_test(balancing_an_llc_limits_its_scans),
		cmocka_unit_test(nothing_balances_where_it_is_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
