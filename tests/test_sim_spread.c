// SPDX-License-Identifier: GPL-2.0-only
/* The balancer at work: loads that run by themselves, and where their tasks end up. */
#include "balance_scene.h"

#define LLCS	"synthetic:package:2 [numa] l3:2 core:4 pu:1"	/* 16 CPUs */
#define CORES	"synthetic:package:1 [numa] l3:2 core:4 pu:2"	/* 8 cores, 16 CPUs */
#define TASKS	64

/* Tasks that compute for run ns and sleep for sleep ns (0: never), for ever. */
struct spread {
	struct balance_scene scene;	/* the machine and its costs */
	struct work_op ops[6];
	struct work_program programs[2];
	struct work_task tasks[TASKS];
	uint16_t cpus[4];
	struct work_mask mask;
	struct workload work;
	const struct workload *loads[1];
	struct sim_config config;
	struct sim *s;
};

static void set_ops(struct spread *sp, uint32_t nr, uint64_t run, uint64_t sleep)
{
	const struct work_op ops[6] = {
		{ .kind = WORK_FORK, .a = 1, .b = nr - 1, .dist = WORK_NONE },
		{ .kind = WORK_LOOP, .dist = WORK_NONE },
		{ .kind = WORK_RUN, .value = run, .dist = WORK_NONE },
		{ .kind = sleep ? WORK_SLEEP : WORK_RUN, .value = sleep ? sleep : run,
		  .dist = WORK_NONE },
		{ .kind = WORK_NEXT, .b = 1, .dist = WORK_NONE },
		{ .kind = WORK_EXIT, .dist = WORK_NONE },
	};

	memcpy(sp->ops, ops, sizeof(ops));
	/* The second program forks first; its loop begins anew each time, for ever too. */
	sp->programs[0] = (struct work_program){ 1, 5 };
	sp->programs[1] = (struct work_program){ 0, 6 };
}

static void spread_start(struct spread *sp, const char *machine, const char *variant, uint32_t nr,
			 uint64_t run, uint64_t sleep)
{
	memset(sp, 0, sizeof(*sp));
	balance_scene_start(&sp->scene, machine, variant);
	set_ops(sp, nr, run, sleep);
	for (uint32_t i = 0; i < nr; i++)
		sp->tasks[i] = (struct work_task){ .name = "task", .mask = WORK_NONE, .starts = 1 };
	sp->work = sp->scene.work;
	sp->work.nr_ops = 6;
	sp->work.ops = sp->ops;
	sp->work.nr_programs = 2;
	sp->work.programs = sp->programs;
	sp->work.nr_tasks = nr;
	sp->work.tasks = sp->tasks;
	sp->work.masks = &sp->mask;
	sp->mask.cpus = sp->cpus;
	sp->loads[0] = &sp->work;
	sp->config = sp->scene.config;
	sp->config.loads = sp->loads;
	sp->config.warmup = 400 * MS;
	sp->config.time = 200 * MS;
}

static void spread_run(struct spread *sp)
{
	struct sim_error err = { "" };

	if (sim_create(&sp->config, &sp->s, &err) || sim_run(sp->s, &err))
		fail_msg("%s", err.text);
}

static void spread_end(struct spread *sp)
{
	sim_free(sp->s);
	balance_scene_end(&sp->scene);
}

static uint32_t most_on_a_cpu(const struct spread *sp)
{
	uint32_t most = 0;

	for (uint32_t cpu = 0; cpu < sp->s->nr_cpus; cpu++) {
		if (sp->s->rqs[cpu].nr_running > most)
			most = sp->s->rqs[cpu].nr_running;
	}
	return most;
}

static const char *const versions[] = { "v5.4", "v5.9", "v5.10", "v5.11", "v5.12", "v5.13",
					"v5.15", "v5.17", "v6.0", "v6.1" };

/* From wherever they start, as many hogs as CPUs get a CPU each, and stay there. */
static void hogs_get_a_cpu_each(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		struct spread sp;

		spread_start(&sp, LLCS, versions[v], 16, MS, 0);
		spread_run(&sp);
		assert_int_equal(most_on_a_cpu(&sp), 1);
		assert_int_equal(sim_counts(sp.s)->wait_ns, 0);
		assert_int_equal(sim_counts(sp.s)->busy_ns, sim_counts(sp.s)->cpu_ns);
		spread_end(&sp);
	}
}

static void hogs_stay_where_they_are_without_balancing(void **state)
{
	struct spread sp;

	(void)state;
	spread_start(&sp, LLCS, "v5.17", 16, MS, 0);
	sp.config.kernel.no_balance = 1;
	sp.config.warmup = 0;
	spread_run(&sp);
	assert_true(most_on_a_cpu(&sp) > 1);
	assert_true(sim_counts(sp.s)->wait_ns > 0);
	for (uint32_t why = SIM_MIGRATE_NEWIDLE; why <= SIM_MIGRATE_ACTIVE; why++)
		assert_int_equal(sim_counts(sp.s)->migrations[why], 0);
	spread_end(&sp);
}

/* Half as many as threads: one on each core. */
static void hogs_get_a_core_each(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		struct spread sp;

		spread_start(&sp, CORES, versions[v], 8, MS, 0);
		spread_run(&sp);
		for (uint32_t cpu = 0; cpu < 16; cpu += 2)
			assert_int_equal(sp.s->rqs[cpu].nr_running +
					 sp.s->rqs[cpu + 1].nr_running, 1);
		spread_end(&sp);
	}
}

/* Three hogs for two CPUs that they are pinned to: the rest of the machine idles. */
static void pinned_hogs_stay_in_their_mask(void **state)
{
	struct spread sp;

	(void)state;
	spread_start(&sp, LLCS, "v5.17", 3, MS, 0);
	sp.work.nr_masks = 1;
	sp.mask.nr = 2;
	sp.cpus[0] = 3;
	sp.cpus[1] = 4;
	for (uint32_t i = 0; i < 3; i++)
		sp.tasks[i].mask = 0;
	spread_run(&sp);
	assert_int_equal(sp.s->rqs[3].nr_running + sp.s->rqs[4].nr_running, 3);
	assert_in_range(sim_counts(sp.s)->wait_ns, 199 * MS, 201 * MS);
	spread_end(&sp);
}

/* A parent that forks fifteen hogs at once: the sixteen CPUs have one each at the end. */
static void forked_hogs_start_apart(void **state)
{
	struct spread sp;

	(void)state;
	spread_start(&sp, "synthetic:package:1 [numa] l3:4 core:4 pu:1", "v5.17", 16, MS, 0);
	sp.tasks[0].program = 1;
	for (uint32_t i = 1; i < 16; i++)
		sp.tasks[i].starts = 0;
	sp.config.warmup = 0;
	sp.config.kernel.no_balance = 1;
	spread_run(&sp);
	assert_int_equal(most_on_a_cpu(&sp), 1);
	assert_in_range(sim_counts(sp.s)->migrations[SIM_MIGRATE_FORK], 15, 15);
	spread_end(&sp);
}

/* Sleepers on crowded and on half-empty machines: every invariant holds, everywhere. */
static void invariants_hold_whatever_moves(void **state)
{
	static const char *const machines[] = { LLCS, CORES, "kunpeng920", "power9-lpar" };

	(void)state;
	for (size_t m = 0; m < 4; m++) {
		for (size_t v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
			for (uint32_t nr = 12; nr <= TASKS; nr += 26) {
				struct spread sp;

				spread_start(&sp, machines[m], versions[v], nr, 310000, 170000);
				sp.config.warmup = 20 * MS;
				sp.config.time = 100 * MS;
				sp.config.seed = nr + v;
				spread_run(&sp);
				/* 64 on 16 CPUs never idle, and busy CPUs balance seldom. */
				if (nr == 12)
					assert_true(sim_counts(sp.s)->newidle_calls > 1000);
				spread_end(&sp);
			}
		}
	}
}

static void runs_repeat_exactly(void **state)
{
	struct spread a, b;

	(void)state;
	spread_start(&a, CORES, "v6.1", 20, 310000, 170000);
	spread_start(&b, CORES, "v6.1", 20, 310000, 170000);
	spread_run(&a);
	spread_run(&b);
	assert_memory_equal(sim_counts(a.s), sim_counts(b.s), sizeof(struct sim_counts));
	assert_true(sim_counts(a.s)->newidle_pulls > 0);
	spread_end(&a);
	spread_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hogs_get_a_cpu_each),
		cmocka_unit_test(hogs_stay_where_they_are_without_balancing),
		cmocka_unit_test(hogs_get_a_core_each),
		cmocka_unit_test(pinned_hogs_stay_in_their_mask),
		cmocka_unit_test(forked_hogs_start_apart),
		cmocka_unit_test(invariants_hold_whatever_moves),
		cmocka_unit_test(runs_repeat_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
