// SPDX-License-Identifier: GPL-2.0-only
/* Where forked tasks start. */
#include "balance_scene.h"

#define TWO_LLC	"synthetic:package:1 [numa] l3:2 core:4 pu:1"
#define NODES	"synthetic:package:2 [numa] l3:1 core:16 pu:1"

/* CPUs of which a node's children have made one busy each, in the order of forks. */
static uint32_t forks_until_shared(const char *machine, const char *version, uint32_t level)
{
	struct balance_scene sc;
	uint32_t forks = 0, most = 0;

	balance_scene_start(&sc, machine, version);
	balance_scene_run(&sc, 0);
	while (most < 2 && forks < sc.s->nr_cpus) {
		struct sim_task *child = &sc.s->tasks[sc.nr];
		uint32_t cpu = balance_scene_fork(&sc, child, 0);
		const struct sim_groups *g = sc.s->balance->groups;
		const struct sim_set *span;

		balance_scene_wait(&sc, cpu);
		balance_scene_choose(&sc, cpu);
		balance_scene_ms(&sc, 1);
		span = &sim_domain_group(g, sim_domain(g, cpu, level), 0)->span;
		most = 0;
		sim_set_for_each(id, span, sc.s->balance->active)
			most += sc.s->rqs[id].nr_running;
		forks++;
	}
	balance_scene_end(&sc);
	return forks;
}

/* The 4 cores of 2 LLCs get a task each before a core gets two, LLCs in turn. */
static void forks_spread_over_cores_and_llcs(void **state)
{
	static const char *const versions[] = { "v5.4", "v5.9", "v5.11", "v5.17", "v6.0", "v6.1" };
	const char *machine = "synthetic:package:1 [numa] l3:2 core:2 pu:2";

	(void)state;
	for (size_t v = 0; v < 6; v++) {
		/* Four tasks, the parent among them, before the fifth shares a core, ... */
		assert_int_equal(forks_until_shared(machine, versions[v], 1), 4);
		/* ... and eight before the ninth shares a CPU. */
		assert_int_equal(forks_until_shared(machine, versions[v], 0), 8);
	}
}

static void the_first_fork_goes_to_the_other_llc(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_run(&sc, 0);
	assert_in_range(balance_scene_fork(&sc, &sc.s->tasks[5], 0), 4, 7);
	balance_scene_pin(&sc.s->tasks[5], 1, 3);
	assert_in_range(balance_scene_fork(&sc, &sc.s->tasks[5], 0), 1, 3);
	/* Where the child may not be on its parent's CPUs at all. */
	balance_scene_pin(&sc.s->tasks[5], 6, 6);
	assert_int_equal(balance_scene_fork(&sc, &sc.s->tasks[5], 0), 6);
	balance_scene_run(&sc, 6);
	balance_scene_pin(&sc.s->tasks[5], 6, 7);
	assert_int_equal(balance_scene_fork(&sc, &sc.s->tasks[5], 0), 7);
	balance_scene_end(&sc);
}

/* The idle CPU in the shallowest state, then the one that fell idle last. */
static void forks_wake_the_shallowest_cpu(void **state)
{
	struct balance_scene sc;

	(void)state;
	balance_scene_start(&sc, TWO_LLC, "v5.17");
	balance_scene_run(&sc, 0);
	for (uint32_t cpu = 4; cpu < 8; cpu++) {
		sc.s->cpus[cpu].idle_state = 1;
		sc.s->cpus[cpu].idle_stamp = cpu == 6 ? 2000 : 1000;
	}
	/* Among the idle LLC's single CPUs the last step falls by the idle stamp. */
	assert_int_equal(balance_scene_fork(&sc, &sc.s->tasks[5], 0), 6);
	sc.s->cpus[5].idle_state = 0;
	assert_int_equal(balance_scene_fork(&sc, &sc.s->tasks[5], 0), 5);
	balance_scene_end(&sc);
}

/* Forks that stay on their parent's node although the other one is idle. */
static uint32_t forks_on_node(const char *version, int rule, uint32_t imb_numa_nr)
{
	struct balance_scene sc;
	uint32_t nr = 0;

	balance_scene_start(&sc, NODES, version);
	if (rule >= 0)
		sc.s->balance->rules.fork = (uint8_t)rule;
	if (imb_numa_nr) {
		for (uint32_t cpu = 0; cpu < 32; cpu++)
			balance_scene_domain(&sc, cpu, 1)->imb_numa_nr = imb_numa_nr;
	}
	balance_scene_run(&sc, 0);
	for (; nr < 40; nr++) {
		uint32_t cpu = balance_scene_fork(&sc, &sc.s->tasks[sc.nr], 0);

		if (cpu >= 16)
			break;
		balance_scene_wait(&sc, cpu);
		balance_scene_choose(&sc, cpu);
	}
	balance_scene_end(&sc);
	return nr;
}

static void forks_stay_on_their_node_by_version(void **state)
{
	(void)state;
	/* v5.4: until the load here is more than 256 above the other's, each task adds 64. */
	assert_int_equal(forks_on_node("v5.4", -1, 0), 4);
	/* v5.5: as long as a CPU idles here, 15 of 16. */
	assert_int_equal(forks_on_node("v5.9", -1, 0), 15);
	/* v5.11: while less than a quarter of the domain's 32 CPUs run tasks here: 7 more. */
	assert_int_equal(forks_on_node("v5.17", -1, 0), 7);
	/* v5.18: up to imb_numa_nr, 2, with the child. */
	assert_int_equal(forks_on_node("v5.17", SIM_FORK_NR, 2), 1);
	/* v6.0: besides, the difference of idle CPUs is up to two. imb_numa_nr is 16 / 8. */
	assert_int_equal(forks_on_node("v6.0", -1, 0), 1);
	assert_int_equal(forks_on_node("v6.0", -1, 16), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forks_spread_over_cores_and_llcs),
		cmocka_unit_test(the_first_fork_goes_to_the_other_llc),
		cmocka_unit_test(forks_wake_the_shallowest_cpu),
		cmocka_unit_test(forks_stay_on_their_node_by_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
