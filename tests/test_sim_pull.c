// SPDX-License-Identifier: GPL-2.0-only
/* One balance of one domain: which tasks move, and which don't. */
#include "balance_scene.h"

#define FOUR	"synthetic:package:1 [numa] l3:1 core:4 pu:1"
#define SMT	"synthetic:package:1 [numa] l3:1 core:2 pu:2"
#define TWO_LLC	"synthetic:package:1 [numa] l3:2 core:4 pu:1"
#define NODES	"synthetic:package:2 [numa] l3:1 core:16 pu:1"

/* The pulled one is what ran longest ago. */
static void tasks_are_pulled_from_the_tail(void **state)
{
	struct balance_scene sc;
	struct sim_task *old, *young;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_run(&sc, 0);
	old = balance_scene_wait(&sc, 0);
	young = balance_scene_wait(&sc, 0);
	balance_scene_about_to_idle(&sc, 1, 1000000);
	balance_scene_newidle(&sc, 1);
	assert_int_equal(old->fair.cpu, 1);
	assert_int_equal(young->fair.cpu, 0);
	balance_scene_end(&sc);
}

/* What ran within half a ms stays, but among threads of a core, or after failures. */
static void hot_tasks_stay(void **state)
{
	struct balance_scene sc;
	struct sim_task *task;
	struct sim_domain *sd;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	sd = balance_scene_domain(&sc, 1, 0);
	sd->balance_interval = 8;
	balance_scene_run(&sc, 0);
	task = balance_scene_wait(&sc, 0);
	balance_scene_ms(&sc, 2);
	task->fair.se.exec_start = sc.s->rqs[0].load.clock_task - 499999;
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	assert_int_equal(sd->nr_balance_failed, 1);
	assert_int_equal(sd->balance_interval, 4);	/* there is an imbalance */
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	assert_int_equal(sd->nr_balance_failed, 2);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 1);
	assert_int_equal(sd->nr_balance_failed, 0);
	balance_scene_end(&sc);

	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_run(&sc, 0);
	task = balance_scene_wait(&sc, 0);
	balance_scene_ms(&sc, 2);
	task->fair.se.exec_start = sc.s->rqs[0].load.clock_task - 500000;
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 1);
	balance_scene_end(&sc);

	balance_scene_start(&sc, SMT, "v5.17");
	balance_scene_run(&sc, 0);
	task = balance_scene_wait(&sc, 0);
	balance_scene_ms(&sc, 2);
	task->fair.se.exec_start = sc.s->rqs[0].load.clock_task;
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 1);
	balance_scene_end(&sc);
}

/* Newidle balance comes so often: its failures would make every task cold. */
static void newidle_failures_dont_count(void **state)
{
	struct balance_scene sc;
	struct sim_domain *sd;
	struct sim_task *task;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	sd = balance_scene_domain(&sc, 1, 0);
	balance_scene_run(&sc, 0);
	task = balance_scene_wait(&sc, 0);
	balance_scene_ms(&sc, 2);
	task->fair.se.exec_start = sc.s->rqs[0].load.clock_task;
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_NEWLY_IDLE), 0);
	assert_int_equal(sd->nr_balance_failed, 0);
	balance_scene_end(&sc);
	/* Nor does it make periodic balance come later. */
	balance_scene_start(&sc, FOUR, "v5.17");
	sd = balance_scene_domain(&sc, 1, 0);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_NEWLY_IDLE), 0);
	assert_int_equal(sd->balance_interval, 4);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	assert_int_equal(sd->balance_interval, 8);
	balance_scene_end(&sc);
}

/* A run queue of pinned tasks makes way for the next busiest. */
static void pinned_tasks_stay(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 3);
	for (uint32_t i = 0; i < 4; i++)
		balance_scene_pin(&sc.s->tasks[i], 0, 0);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	assert_int_equal(balance_scene_domain(&sc, 1, 0)->nr_balance_failed, 0);
	/* The interval grows past its maximum then. */
	for (uint32_t i = 0; i < 8; i++)
		balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE);
	assert_int_equal(balance_scene_domain(&sc, 1, 0)->balance_interval, 512);
	balance_scene_crowd(&sc, 2, 1);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 1);
	assert_int_equal(sc.s->rqs[2].nr_running, 1);
	assert_int_equal(sc.s->rqs[0].nr_running, 4);
	balance_scene_end(&sc);
}

/* LBF_DST_PINNED: a task that may not come here may go to another CPU of the group. */
static void barred_tasks_go_next_door(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_crowd(&sc, 4, 3);
	for (uint32_t i = 1; i < 4; i++) {
		balance_scene_pin(&sc.s->tasks[i], 2, 2);
		wake_mask_set(sc.s->tasks[i].pub.allowed, 4);
	}
	assert_true(balance_scene_balance(&sc, 0, 1, SIM_CPU_IDLE) > 0);
	assert_int_equal(sc.s->rqs[0].nr_running, 0);
	assert_true(sc.s->rqs[2].nr_running > 0);
	assert_null(sim_check(sc.s));
	balance_scene_end(&sc);
}

/* sgc->imbalance: affinity kept a core from balancing, so the level above must help. */
static void affinity_is_told_the_level_above(void **state)
{
	struct balance_scene sc;
	struct sim_group *above;

	(void)state;
	balance_scene_start(&sc, SMT, "v5.17");
	above = sim_domain_group(sc.s->balance->groups, balance_scene_domain(&sc, 1, 1), 0);
	balance_scene_run(&sc, 2);
	balance_scene_run(&sc, 3);
	balance_scene_crowd(&sc, 0, 1);
	/* It may go to the busy core, but not to the idle thread of its own. */
	balance_scene_pin(&sc.s->tasks[3], 2, 3);
	wake_mask_set(sc.s->tasks[3].pub.allowed, 0);
	balance_scene_ms(&sc, 100);
	balance_scene_cool(&sc);
	assert_int_equal(balance_scene_balance(&sc, 2, 1, SIM_CPU_NOT_IDLE), 0);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	assert_int_equal(above->imbalance, 1);
	balance_scene_pin(&sc.s->tasks[2], 0, 3);
	assert_int_equal(balance_scene_balance(&sc, 2, 1, SIM_CPU_NOT_IDLE), 1);
	/* Once the core finds itself balanced, the mark goes. */
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	assert_int_equal(above->imbalance, 0);
	balance_scene_end(&sc);
}

/* Up to v5.12 a per-CPU kthread that waits looks like a user's pinned task. */
static void per_cpu_kthreads_are_where_they_belong(void **state)
{
	static const char *const versions[] = { "v5.12", "v5.13" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;
		struct sim_task *kthread;
		struct sim_group *above;

		balance_scene_start(&sc, SMT, versions[v]);
		above = sim_domain_group(sc.s->balance->groups, balance_scene_domain(&sc, 1, 1), 0);
		balance_scene_run(&sc, 0);
		kthread = balance_scene_wait(&sc, 0);
		kthread->pub.kthread = 1;
		balance_scene_pin(kthread, 0, 0);
		assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
		assert_int_equal(above->imbalance, !v);
		balance_scene_end(&sc);
	}
}

/* A task that is being switched away from isn't taken, nor is the one that runs. */
static void running_tasks_stay(void **state)
{
	struct balance_scene sc;
	struct sim_task *task;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_run(&sc, 0);
	task = balance_scene_wait(&sc, 0);
	task->on_cpu = 1;
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 0);
	task->on_cpu = 0;
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_IDLE), 1);
	assert_int_equal(task->fair.cpu, 1);
	balance_scene_end(&sc);
}

/* The stopper's turn, as schedule() gives it. */
static void stop(struct balance_scene *sc, uint32_t cpu)
{
	sc->s->ops->put(&sc->s->rqs[cpu]);
	sim_active_balance(sc->s, &sc->s->cpus[cpu]);
	balance_scene_choose(sc, cpu);
}

/* Two threads of a core run one task each, the other core idles: one is pushed there. */
static void a_running_task_is_pushed_to_an_idle_core(void **state)
{
	struct balance_scene sc;
	struct sim_task *task;
	uint32_t slot;

	(void)state;
	balance_scene_start(&sc, SMT, "v5.17");
	slot = sim_slot(sc.s, SIM_SLOT_IPI, 0);
	task = balance_scene_run(&sc, 0);
	balance_scene_run(&sc, 1);
	balance_scene_ms(&sc, 100);
	for (uint32_t i = 1; i < 4; i++) {
		assert_int_equal(balance_scene_balance(&sc, 2, 1, SIM_CPU_IDLE), 0);
		assert_int_equal(balance_scene_domain(&sc, 2, 1)->nr_balance_failed, i);
		assert_int_equal(sc.s->cpus[0].push_cpu, SIM_NO_CPU);
	}
	balance_scene_balance(&sc, 2, 1, SIM_CPU_IDLE);
	assert_int_equal(sc.s->cpus[0].push_cpu, 2);
	assert_true(sc.s->cpus[0].active_balance);
	assert_true(sim_events_time(&sc.s->events, slot) >= sc.s->now + 500);
	assert_true(sim_events_time(&sc.s->events, slot) < sc.s->now + 2000);
	stop(&sc, 0);
	assert_int_equal(task->fair.cpu, 2);
	assert_int_equal(sc.s->cpus[0].curr, SIM_NO_TASK);
	assert_int_equal(sc.s->cpus[0].push_cpu, SIM_NO_CPU);
	assert_int_equal(sc.s->cpus[0].active_balance, 0);
	assert_int_equal(sc.s->counts.active_balances, 1);
	assert_int_equal(sc.s->counts.migrations[SIM_MIGRATE_ACTIVE], 1);
	assert_int_equal(balance_scene_domain(&sc, 2, 1)->nr_balance_failed, 0);
	assert_true(sc.s->cpus[2].need_resched);
	balance_scene_end(&sc);
}

static void a_pinned_running_task_is_not_pushed(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, SMT, "v5.17");
	balance_scene_pin(balance_scene_run(&sc, 0), 0, 1);
	balance_scene_pin(balance_scene_run(&sc, 1), 0, 1);
	balance_scene_ms(&sc, 100);
	for (uint32_t i = 0; i < 6; i++)
		balance_scene_balance(&sc, 2, 1, SIM_CPU_IDLE);
	assert_int_equal(sc.s->cpus[0].push_cpu, SIM_NO_CPU);
	assert_int_equal(sc.s->cpus[1].push_cpu, SIM_NO_CPU);
	/* Three failures, then three doublings. */
	assert_int_equal(balance_scene_domain(&sc, 2, 1)->balance_interval, 32);
	balance_scene_end(&sc);
}

/* Nothing is left to push, or it may not go there any more: no harm. */
static void the_stopper_may_come_too_late(void **state)
{
	struct balance_scene sc;
	struct sim_task *task;

	(void)state;
	balance_scene_start(&sc, SMT, "v5.17");
	task = balance_scene_run(&sc, 0);
	sc.s->cpus[0].push_cpu = 2;
	sc.s->cpus[0].active_balance = 1;
	balance_scene_pin(task, 0, 0);
	stop(&sc, 0);
	assert_int_equal(task->fair.cpu, 0);
	assert_int_equal(sc.s->cpus[0].active_balance, 0);
	sc.s->cpus[1].push_cpu = 2;
	sim_active_balance(sc.s, &sc.s->cpus[1]);
	assert_int_equal(sc.s->cpus[1].push_cpu, SIM_NO_CPU);
	assert_int_equal(sc.s->counts.active_balances, 0);
	balance_scene_end(&sc);
}

/* prefer_sibling: tasks spread over LLCs though the one they are in has idle CPUs. */
static void two_tasks_of_an_llc_are_spread(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_crowd(&sc, 0, 1);
	assert_int_equal(balance_scene_balance(&sc, 4, 1, SIM_CPU_IDLE), 1);
	assert_int_equal(sc.s->rqs[0].nr_running, 1);
	assert_int_equal(sc.s->rqs[4].nr_running, 1);
	assert_int_equal(balance_scene_balance(&sc, 5, 1, SIM_CPU_IDLE), 0);
	balance_scene_end(&sc);
	/* Without the flag on the LLC's domain a difference of two is let be. */
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_domain(&sc, 4, 0)->flags &= ~(uint32_t)MACHINE_SD_PREFER_SIBLING;
	balance_scene_run(&sc, 0);
	balance_scene_wait(&sc, 1);
	balance_scene_choose(&sc, 1);
	assert_int_equal(balance_scene_balance(&sc, 4, 1, SIM_CPU_IDLE), 0);
	assert_int_equal(balance_scene_domain(&sc, 4, 1)->nr_balance_failed, 1);
	balance_scene_end(&sc);
}

/* Of an LLC with two crowded CPUs, the more crowded one gives. */
static void the_busiest_cpu_gives(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_crowd(&sc, 0, 1);
	balance_scene_crowd(&sc, 1, 2);
	balance_scene_crowd(&sc, 2, 1);
	assert_true(balance_scene_balance(&sc, 4, 1, SIM_CPU_IDLE) > 0);
	assert_int_equal(sc.s->rqs[0].nr_running, 2);
	assert_true(sc.s->rqs[1].nr_running < 3);
	assert_int_equal(sc.s->rqs[2].nr_running, 2);
	balance_scene_end(&sc);
}

/* Types of a group of 4 CPUs in a domain of 117 percent. */
static void groups_have_types(void **state)
{
	static const struct {
		uint32_t nr;
		uint64_t util, runnable;
		uint32_t imbalance, asym, misfit, type, old;
	} cases[] = {
		{ 3, 4096, 9999, 0, 0, 0, SIM_GROUP_HAS_SPARE, SIM_GROUP_HAS_SPARE },
		{ 4, 3500, 4000, 0, 0, 0, SIM_GROUP_HAS_SPARE, SIM_GROUP_HAS_SPARE },
		{ 4, 3501, 4000, 0, 0, 0, SIM_GROUP_FULLY_BUSY, SIM_GROUP_FULLY_BUSY },
		{ 4, 3000, 4793, 0, 0, 0, SIM_GROUP_FULLY_BUSY, SIM_GROUP_HAS_SPARE },
		{ 5, 3000, 4792, 0, 0, 0, SIM_GROUP_HAS_SPARE, SIM_GROUP_HAS_SPARE },
		{ 5, 3000, 4793, 0, 0, 0, SIM_GROUP_OVERLOADED, SIM_GROUP_HAS_SPARE },
		{ 5, 3501, 0, 0, 0, 0, SIM_GROUP_OVERLOADED, SIM_GROUP_OVERLOADED },
		{ 4, 4096, 0, 0, 0, 1, SIM_GROUP_MISFIT, SIM_GROUP_MISFIT },
		{ 4, 4096, 0, 0, 1, 1, SIM_GROUP_ASYM_PACKING, SIM_GROUP_ASYM_PACKING },
		{ 4, 4096, 0, 1, 1, 1, SIM_GROUP_IMBALANCED, SIM_GROUP_IMBALANCED },
		{ 5, 4096, 0, 1, 1, 1, SIM_GROUP_OVERLOADED, SIM_GROUP_OVERLOADED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim_domain sd = { .imbalance_pct = 117 };
		struct sim_group group = {
			.span = { .weight = 4 }, .capacity = 4096, .imbalance = cases[i].imbalance,
		};
		struct sim_group_stats st = {
			.nr_running = cases[i].nr, .util = cases[i].util,
			.runnable = cases[i].runnable, .asym = (uint8_t)cases[i].asym,
			.misfit = cases[i].misfit,
		};
		struct sim_balance_rules rules = { .runnable = 1 };

		sim_group_classify(&rules, &sd, &group, &st);
		assert_int_equal(st.type, cases[i].type);
		rules.runnable = 0;	/* up to v5.6 */
		sim_group_classify(&rules, &sd, &group, &st);
		assert_int_equal(st.type, cases[i].old);
	}
}

/* An idle CPU leaves one task to a CPU that hasn't started on its queue yet. */
static void one_task_is_left(void **state)
{
	struct balance_scene sc;
	struct sim_lb lb = { 0 };

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	for (uint32_t i = 0; i < 3; i++)
		balance_scene_wait(&sc, 0);
	lb = (struct sim_lb){
		.s = sc.s, .cpu = &sc.s->cpus[1], .sd = balance_scene_domain(&sc, 1, 0),
		.dst = 1, .src = 0, .idle = SIM_CPU_IDLE, .type = SIM_MOVE_TASK,
		.why = SIM_MIGRATE_PERIODIC, .imbalance = 9, .loop_max = 9,
	};
	memcpy(lb.cpus, sc.s->balance->active, sizeof(lb.cpus));
	assert_int_equal(sim_move_tasks(&lb), 2);
	balance_scene_end(&sc);
}

/* A busy CPU leaves groups alone that aren't overloaded. */
static void busy_cpus_help_only_overloaded_groups(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_run(&sc, 1);
	balance_scene_crowd(&sc, 0, 2);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		sc.s->rqs[cpu].root->avg.util_avg = sc.s->rqs[cpu].root->avg.runnable_avg = 0;
		sc.s->rqs[cpu].root->avg.est_enqueued = 0;
		sim_publish(sc.s, cpu);
	}
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_NOT_IDLE), 0);
	assert_int_equal(balance_scene_balance(&sc, 2, 0, SIM_CPU_IDLE), 1);
	balance_scene_end(&sc);
}

/* Overloaded groups even out their loads, if they differ by more than imbalance_pct. */
static void overloaded_groups_even_out_their_load(void **state)
{
	struct balance_scene sc;
	uint32_t moved;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 7);
	for (uint32_t cpu = 1; cpu < 4; cpu++)
		balance_scene_crowd(&sc, cpu, 1);
	balance_scene_ms(&sc, 300);
	balance_scene_cool(&sc);
	/* 8 tasks beside 2, 2, 2: 3.5 on average, so 1.5 tasks' load are missing here. */
	moved = balance_scene_balance(&sc, 1, 0, SIM_CPU_NOT_IDLE);
	assert_int_equal(moved, 1);
	balance_scene_end(&sc);

	balance_scene_start(&sc, FOUR, "v5.17");
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		balance_scene_crowd(&sc, cpu, cpu ? 7 : 8);
	balance_scene_ms(&sc, 300);
	balance_scene_cool(&sc);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_NOT_IDLE), 0);
	assert_int_equal(balance_scene_domain(&sc, 1, 0)->nr_balance_failed, 0);
	balance_scene_end(&sc);

	/* 5, 4, 4 and 1: the first one has 1.5 too many, the last one wants 2.5. */
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 4);
	balance_scene_crowd(&sc, 2, 3);
	balance_scene_crowd(&sc, 3, 3);
	balance_scene_crowd(&sc, 1, 0);
	balance_scene_ms(&sc, 300);
	balance_scene_cool(&sc);
	assert_int_equal(balance_scene_balance(&sc, 1, 0, SIM_CPU_NOT_IDLE), 1);
	balance_scene_end(&sc);
}

/* A task that weighs more than what is missing moves only after failures (v5.10). */
static void failures_make_heavy_tasks_movable(void **state)
{
	struct balance_scene sc;
	struct sim_lb lb = { 0 };

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	balance_scene_crowd(&sc, 0, 2);
	lb = (struct sim_lb){
		.s = sc.s, .cpu = &sc.s->cpus[1], .sd = balance_scene_domain(&sc, 1, 0),
		.dst = 1, .src = 0, .idle = SIM_CPU_IDLE, .type = SIM_MOVE_LOAD,
		.why = SIM_MIGRATE_PERIODIC, .imbalance = 300, .loop_max = 3,
	};
	memcpy(lb.cpus, sc.s->balance->active, sizeof(lb.cpus));
	assert_int_equal(sim_move_tasks(&lb), 0);
	lb.sd->nr_balance_failed = 1;
	lb.loop = 0;
	assert_int_equal(sim_move_tasks(&lb), 0);
	lb.sd->nr_balance_failed = 2;
	lb.loop = 0;
	assert_int_equal(sim_move_tasks(&lb), 1);
	balance_scene_end(&sc);
}

/* How many waiting tasks of one CPU of the first node another node's idle CPU takes. */
static uint32_t across_nodes(const char *version, int rule, uint32_t tasks)
{
	struct balance_scene sc;
	uint32_t moved;

	balance_scene_start(&sc, NODES, version);
	if (rule >= 0) {
		sc.s->balance->rules.numa = (uint8_t)rule;
		balance_scene_domain(&sc, 16, 1)->imb_numa_nr = 2;
	}
	balance_scene_crowd(&sc, 0, tasks - 1);
	moved = balance_scene_balance(&sc, 16, 1, SIM_CPU_IDLE);
	balance_scene_end(&sc);
	return moved;
}

static void small_imbalances_between_nodes_are_allowed(void **state)
{
	(void)state;
	/* v5.5 and before: none. */
	assert_int_equal(across_nodes("v5.4", -1, 2), 1);
	/* v5.6: up to two tasks on the busiest node. */
	assert_int_equal(across_nodes("v5.9", -1, 2), 0);
	assert_int_equal(across_nodes("v5.10", -1, 2), 0);
	assert_int_equal(across_nodes("v5.10", -1, 3), 1);
	/* v5.11: less than a quarter of its 16 CPUs, up to two to move. */
	assert_int_equal(across_nodes("v5.11", -1, 3), 0);
	assert_int_equal(across_nodes("v5.17", -1, 3), 0);
	assert_int_equal(across_nodes("v5.17", -1, 4), 2);
	/* v5.18: this node runs up to imb_numa_nr, half of the difference is up to two. */
	assert_int_equal(across_nodes("v5.17", SIM_NUMA_HALVED, 5), 0);
	assert_int_equal(across_nodes("v5.17", SIM_NUMA_HALVED, 6), 3);
	/* v6.0: the difference itself is up to two. */
	assert_int_equal(across_nodes("v6.0", -1, 2), 0);
	assert_int_equal(across_nodes("v6.0", -1, 3), 1);
}

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

/* A task too big for its CPU moves to a bigger one, though nothing else is imbalanced. */
static void misfit_tasks_move_to_bigger_cpus(void **state)
{
	static const char *const versions[] = { "v5.9", "v5.17" };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		struct balance_scene sc;
		struct sim_task *task;
		uint32_t who, top, failures = 0;

		balance_scene_start(&sc, MACHINE_BIG_LITTLE, versions[v]);
		top = sim_nr_domains(sc.s->balance->groups, 2) - 1;
		task = balance_scene_run(&sc, 0);
		balance_scene_ms(&sc, 200);
		assert_true(sim_misfit(sc.s, 0) > 0);
		assert_int_equal(sim_misfit(sc.s, 1), 0);
		assert_true(kicked(&sc, 0, &who) & SIM_NOHZ_BALANCE);
		while (sc.s->cpus[0].push_cpu == SIM_NO_CPU && failures++ < 10)
			balance_scene_balance(&sc, 2, top, SIM_CPU_IDLE);
		assert_int_equal(failures, 1);
		stop(&sc, 0);
		assert_int_equal(task->fair.cpu, 2);
		balance_scene_choose(&sc, 2);
		/* And never back, though it would fill that one, too. */
		for (uint32_t i = 0; i < 10; i++)
			balance_scene_balance(&sc, 0, top, SIM_CPU_IDLE);
		assert_int_equal(sc.s->cpus[2].push_cpu, SIM_NO_CPU);
		/* Not even one that waits beside another. */
		balance_scene_wait(&sc, 2)->fair.se.avg.util_avg = 1000;
		assert_int_equal(balance_scene_balance(&sc, 0, top, SIM_CPU_IDLE), 0);
		balance_scene_end(&sc);
	}
}

/* SD_ASYM_PACKING: a better idle CPU takes a running task at once. */
static void preferred_cpus_take_tasks(void **state)
{
	struct balance_scene sc;
	uint32_t top, who;

	(void)state;
	balance_scene_start(&sc, FOUR, "v5.17");
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		sc.m->cpus[cpu].priority = cpu == 2 ? 20 : 10;
		balance_scene_domain(&sc, cpu, 0)->flags |= MACHINE_SD_ASYM_PACKING;
	}
	top = sim_nr_domains(sc.s->balance->groups, 2) - 1;
	balance_scene_run(&sc, 0);
	sc.s->now += MS;
	assert_true(kicked(&sc, 0, &who) & SIM_NOHZ_BALANCE);
	balance_scene_balance(&sc, 1, top, SIM_CPU_IDLE);
	assert_int_equal(sc.s->cpus[0].push_cpu, SIM_NO_CPU);
	balance_scene_balance(&sc, 2, top, SIM_CPU_IDLE);
	assert_int_equal(sc.s->cpus[0].push_cpu, 2);
	balance_scene_end(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_are_pulled_from_the_tail),
		cmocka_unit_test(hot_tasks_stay),
		cmocka_unit_test(newidle_failures_dont_count),
		cmocka_unit_test(pinned_tasks_stay),
		cmocka_unit_test(barred_tasks_go_next_door),
		cmocka_unit_test(affinity_is_told_the_level_above),
		cmocka_unit_test(per_cpu_kthreads_are_where_they_belong),
		cmocka_unit_test(running_tasks_stay),
		cmocka_unit_test(a_running_task_is_pushed_to_an_idle_core),
		cmocka_unit_test(a_pinned_running_task_is_not_pushed),
		cmocka_unit_test(the_stopper_may_come_too_late),
		cmocka_unit_test(two_tasks_of_an_llc_are_spread),
		cmocka_unit_test(the_busiest_cpu_gives),
		cmocka_unit_test(groups_have_types),
		cmocka_unit_test(one_task_is_left),
		cmocka_unit_test(busy_cpus_help_only_overloaded_groups),
		cmocka_unit_test(overloaded_groups_even_out_their_load),
		cmocka_unit_test(failures_make_heavy_tasks_movable),
		cmocka_unit_test(small_imbalances_between_nodes_are_allowed),
		cmocka_unit_test(misfit_tasks_move_to_bigger_cpus),
		cmocka_unit_test(preferred_cpus_take_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
