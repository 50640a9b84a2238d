// SPDX-License-Identifier: GPL-2.0-only
/* Idle CPUs without a tick: who is kicked, and what it does for the others. */
#include "balance_scene.h"

#define FOUR	"synthetic:package:1 [numa] l3:1 core:4 pu:1"
#define TWO_LLC	"synthetic:package:1 [numa] l3:2 core:4 pu:1"

/* A busy CPU's tick, and the flags of whom it kicked (0: nobody). */
static uint32_t kicked(struct balance_scene *sc, uint32_t cpu, uint32_t *who)
{
	sim_balance_tick(sc->s, &sc->s->cpus[cpu]);
	for (*who = 0; *who < sc->s->nr_cpus; (*who)++) {
		uint32_t flags = sc->s->balance->cpus[*who].flags;

		if (sc->s->cpus[*who].nohz_kicked)
			return flags;
	}
	return 0;
}

static void a_crowded_cpu_kicks_an_idle_one(void **state)
{
	struct balance_scene sc;
	uint32_t who;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_run(&sc, 0);
	sc.s->balance->nohz.has_blocked = sc.s->balance->nohz.needs_update = 0;
	sc.s->now += MS;
	/* One task here, nobody else: no reason. */
	assert_int_equal(sc.s->balance->nr_busy[0], 1);
	assert_int_equal(kicked(&sc, 0, &who), 0);
	balance_scene_wait(&sc, 0);
	assert_int_equal(kicked(&sc, 0, &who), SIM_NOHZ_BALANCE | SIM_NOHZ_STATS);
	assert_int_equal(who, 1);
	assert_int_equal(sc.s->counts.nohz_kicks, 1);
	assert_int_equal(sc.s->balance->nohz.next_balance, sim_jiffies(sc.s) + 1);
	assert_int_equal(sim_events_time(&sc.s->events, sim_slot(sc.s, SIM_SLOT_IPI, 1)),
			 sc.s->now + 500);
	/* One kick a jiffy, and one IPI until it has been served. */
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	sc.s->now += MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	assert_int_equal(sc.s->counts.nohz_kicks, 1);
	sc.s->now += 20 * MS;
	assert_true(balance_scene_softirq(&sc, 1) >= 1);
	assert_int_equal(sc.s->counts.migrations[SIM_MIGRATE_NOHZ], 1);
	assert_int_equal(sc.s->rqs[0].nr_running, 1);
	assert_int_equal(sc.s->cpus[1].nohz_kicked, 0);
	/* Not before an idle CPU's domains are due. */
	balance_scene_wait(&sc, 0);
	sc.s->balance->nohz.next_balance = sim_jiffies(sc.s) + 1;
	sc.s->balance->nohz.has_blocked = 0;
	assert_int_equal(kicked(&sc, 0, &who), 0);
	balance_scene_end(&sc);
}

static void two_busy_cpus_of_an_llc_kick_an_idle_one(void **state)
{
	struct balance_scene sc;
	uint32_t who;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_run(&sc, 0);
	balance_scene_run(&sc, 4);
	sc.s->balance->nohz.has_blocked = sc.s->balance->nohz.needs_update = 0;
	sc.s->now += MS;
	assert_int_equal(kicked(&sc, 0, &who), 0);
	balance_scene_run(&sc, 1);
	assert_int_equal(sc.s->balance->nr_busy[0], 2);
	assert_int_equal(kicked(&sc, 0, &who), SIM_NOHZ_BALANCE | SIM_NOHZ_STATS);
	assert_int_equal(who, 2);
	balance_scene_end(&sc);
}

/* Every 32 ms somebody has idle CPUs' load decayed, if there is some. */
static void blocked_load_is_decayed_for_idle_cpus(void **state)
{
	struct balance_scene sc;
	uint64_t before;
	uint32_t who;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_run(&sc, 2);
	balance_scene_ms(&sc, 50);
	balance_scene_block(&sc, 2);
	balance_scene_choose(&sc, 2);
	before = sc.s->rqs[2].root->avg.load_avg;
	assert_true(before > 500);
	balance_scene_run(&sc, 0);
	sc.s->balance->nohz.next_balance = UINT64_MAX;
	sc.s->balance->nohz.needs_update = 0;
	sc.s->now += 40 * MS;
	assert_int_equal(kicked(&sc, 0, &who), SIM_NOHZ_STATS);
	balance_scene_softirq(&sc, who);
	assert_true(sc.s->rqs[2].root->avg.load_avg < before / 2 + 10);
	assert_int_equal(sc.s->state->rq[2].load_avg, sc.s->rqs[2].root->avg.load_avg);
	assert_int_equal(sc.s->balance->nohz.has_blocked, 1);
	assert_int_equal(sc.s->balance->nohz.next_blocked, sim_jiffies(sc.s) + 32);
	/* Not again so soon; not at all in the same jiffy. */
	before = 0;
	assert_int_equal(sim_nohz_stats(sc.s, 1, 2, 0, &before), 1);
	assert_int_equal(before, 0);
	sc.s->now += 32 * MS;
	assert_int_equal(kicked(&sc, 0, &who), 0);
	/* Until it has decayed away. */
	for (uint32_t i = 0; i < 40 && sc.s->balance->nohz.has_blocked; i++) {
		sc.s->now += 40 * MS;
		if (kicked(&sc, 0, &who))
			balance_scene_softirq(&sc, who);
	}
	assert_int_equal(sc.s->balance->nohz.has_blocked, 0);
	assert_int_equal(sc.s->rqs[2].root->avg.load_avg, 0);
	balance_scene_end(&sc);
}

/* NOHZ_NEWILB_KICK: a CPU about to idle does it once it idles (v5.12), else at once. */
static void a_new_idle_cpu_decays_blocked_load(void **state)
{
	static const char *const versions[] = { "v5.11", "v5.17" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;
		uint64_t before;

		balance_scene_start(&sc, FOUR, versions[v]);
		balance_scene_run(&sc, 2);
		balance_scene_ms(&sc, 50);
		balance_scene_block(&sc, 2);
		balance_scene_choose(&sc, 2);
		before = sc.s->rqs[2].root->avg.load_avg;
		balance_scene_about_to_idle(&sc, 1, 1000000);
		sc.s->now += 40 * MS;
		/* Not if it will wake up soon. */
		sc.s->state->rq[1].avg_idle = 499999;
		balance_scene_newidle(&sc, 1);
		assert_false(sc.s->cpus[1].pending & SIM_PEND_BALANCE);
		assert_int_equal(sc.s->rqs[2].root->avg.load_avg, before);
		sc.s->state->rq[1].avg_idle = 500000;
		balance_scene_newidle(&sc, 1);
		assert_int_equal(!!(sc.s->cpus[1].pending & SIM_PEND_BALANCE), v);
		assert_int_equal(sc.s->rqs[2].root->avg.load_avg < before, !v);
		balance_scene_choose(&sc, 1);
		balance_scene_softirq(&sc, 1);
		assert_true(sc.s->rqs[2].root->avg.load_avg < before);
		assert_int_equal(sc.s->counts.balance_calls, 0);
		balance_scene_end(&sc);
	}
}

/* The kicked CPU walks all idle ones, itself last, and stops when it gets work. */
static void the_kicked_cpu_balances_for_all_idle_ones(void **state)
{
	struct balance_scene sc;
	uint64_t ns;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 3);
	sc.s->now += 20 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	assert_true(sc.s->cpus[1].nohz_kicked);
	/* CPU 2 takes two, 3 the next one, and 1 the one too many of 2. */
	assert_int_equal(balance_scene_softirq(&sc, 1), 3);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		assert_int_equal(sc.s->rqs[cpu].nr_running, 1);
	assert_int_equal(sc.s->counts.nohz_kicks, 1);
	assert_int_equal(sc.s->counts.migrations[SIM_MIGRATE_NOHZ], 4);
	balance_scene_end(&sc);

	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 3);
	sc.s->now += 20 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	ns = sim_rebalance_begin(sc.s, &sc.s->cpus[1]);
	assert_true(ns);
	sc.s->cpus[1].need_resched = 1;
	assert_int_equal(balance_scene_softirq(&sc, 2), 0);
	sc.s->now += ns;
	ns = sim_rebalance_step(sc.s, &sc.s->cpus[1]);
	sc.s->now += ns;
	assert_int_equal(sim_rebalance_step(sc.s, &sc.s->cpus[1]), 0);
	assert_int_equal(sc.s->counts.migrations[SIM_MIGRATE_NOHZ], 2);
	assert_int_equal(sc.s->balance->nohz.has_blocked, 1);
	balance_scene_end(&sc);
}

/* Who got a task between the kick and its arrival has something better to do. */
static void a_kick_may_be_in_vain(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 3);
	sc.s->now += 20 * MS;
	sim_balance_tick(sc.s, &sc.s->cpus[0]);
	balance_scene_run(&sc, 1);
	assert_int_equal(balance_scene_softirq(&sc, 1), 0);
	assert_int_equal(sc.s->counts.balance_calls, 0);
	assert_int_equal(sc.s->balance->cpus[1].flags, 0);
	assert_int_equal(sc.s->balance->nohz.has_blocked, 1);
	/* Its own domains may be due all the same. */
	sim_balance_tick(sc.s, &sc.s->cpus[1]);
	sc.s->balance->cpus[1].flags = SIM_NOHZ_KICK;
	sc.s->balance->cpus[1].raised = 1;
	balance_scene_domain(&sc, 1, 0)->last_balance = 0;
	balance_scene_softirq(&sc, 1);
	assert_true(balance_scene_domain(&sc, 1, 0)->last_balance > 0);
	assert_int_equal(sc.s->balance->nohz.has_blocked, 1);
	balance_scene_end(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crowded_cpu_kicks_an_idle_one),
		cmocka_unit_test(two_busy_cpus_of_an_llc_kick_an_idle_one),
		cmocka_unit_test(blocked_load_is_decayed_for_idle_cpus),
		cmocka_unit_test(a_new_idle_cpu_decays_blocked_load),
		cmocka_unit_test(the_kicked_cpu_balances_for_all_idle_ones),
		cmocka_unit_test(a_kick_may_be_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
