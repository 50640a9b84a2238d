/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulation whose event loop doesn't run: the test puts tasks on CPUs, moves the
 * clock, and calls the balancer itself.
 */
#ifndef TESTS_BALANCE_SCENE_H
#define TESTS_BALANCE_SCENE_H

#include "machine_test.h"
#include "sim/balance_private.h"

#define MS	1000000ull	/* ns */
#define BALANCE_SCENE_TASKS 320

struct balance_scene {
	struct machine *m;
	struct machine_costs costs;
	struct sched_variant variant;
	struct workload work;
	struct work_task defs[BALANCE_SCENE_TASKS];
	struct work_op exit_op;
	struct work_program program;
	struct work_group group;
	const struct workload *loads[1];
	struct sim_config config;
	struct sim *s;
	uint32_t nr;		/* tasks used so far */
};

/* CPUs idle with their ticks stopped, HZ 1000, CONFIG_PREEMPT; costs in round numbers. */
void balance_scene_start(struct balance_scene *sc, const char *machine, const char *variant);
void balance_scene_end(struct balance_scene *sc);

/* A new task waits on a CPU; a further one runs there. Both return it. */
struct sim_task *balance_scene_wait(struct balance_scene *sc, uint32_t cpu);
struct sim_task *balance_scene_run(struct balance_scene *sc, uint32_t cpu);
/* A CPU with a running task and so many that wait, for long enough to count as full. */
void balance_scene_crowd(struct balance_scene *sc, uint32_t cpu, uint32_t waiting);
/* A CPU whose one task has blocked. */
void balance_scene_about_to_idle(struct balance_scene *sc, uint32_t cpu, uint64_t avg_idle);
/* CPUs first..last only. */
void balance_scene_pin(struct sim_task *task, uint32_t first, uint32_t last);
/* The current task sleeps; the CPU is about to choose. */
void balance_scene_block(struct balance_scene *sc, uint32_t cpu);
/* The CPU chooses: a task, or the idle task and its tick stops. */
void balance_scene_choose(struct balance_scene *sc, uint32_t cpu);
/* Time goes on; each ms, busy CPUs tick (the class's tick, no balancing). */
void balance_scene_ms(struct balance_scene *sc, uint32_t ms);
/* No task counts as cache-hot any more. */
void balance_scene_cool(struct balance_scene *sc);

/* A whole newidle pass; a whole softirq, as after a tick. Return how many looks. */
uint32_t balance_scene_newidle(struct balance_scene *sc, uint32_t cpu);
uint32_t balance_scene_softirq(struct balance_scene *sc, uint32_t cpu);
/* load_balance() of one domain, whoever is elected; tasks moved. */
uint32_t balance_scene_balance(struct balance_scene *sc, uint32_t cpu, uint32_t domain,
			       enum sim_idle_type idle);
/* Where the fork of a new task on a CPU goes. */
uint32_t balance_scene_fork(struct balance_scene *sc, struct sim_task *task, uint32_t cpu);

static inline struct sim_domain *balance_scene_domain(struct balance_scene *sc, uint32_t cpu,
						      uint32_t domain)
{
	return sim_domain(sc->s->balance->groups, cpu, domain);
}

#endif
