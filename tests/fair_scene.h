/* SPDX-License-Identifier: GPL-2.0-only */
/* Run queues of a few CPUs, tasks on them, and a clock that the test moves. */
#ifndef TESTS_FAIR_SCENE_H
#define TESTS_FAIR_SCENE_H

#include "sim/fair.h"

#define MS	1000000ull	/* ns */
#define FAIR_SCENE_TASKS 512

struct fair_scene {
	struct fair_params params;
	struct fair_system *system;
	struct fair_rq *rqs;
	uint32_t nr_cpus, nr_tasks;
	uint64_t now;			/* ns, the same on all CPUs */
	struct fair_task tasks[FAIR_SCENE_TASKS];
};

/* version: "6.1". Everything idle at time 0; capacities 1024. */
void fair_scene_start(struct fair_scene *s, const char *version, uint32_t cpus);
/* With other parameters than the version's. */
void fair_scene_start_with(struct fair_scene *s, const struct fair_params *params, uint32_t cpus);
void fair_scene_end(struct fair_scene *s);
struct wake_version fair_scene_version(const char *version);

/* A group of the root; idle 0. */
struct sched_group *fair_scene_group(struct fair_scene *s, uint32_t shares);
/* A new task, queued on cpu, without preemption of who runs there. */
struct fair_task *fair_scene_task(struct fair_scene *s, uint32_t cpu, int nice,
				  enum fair_policy policy, struct sched_group *group);

void fair_scene_clock(struct fair_scene *s, uint32_t cpu);
/* schedule(): the next task, or NULL and the CPU idles. */
struct fair_task *fair_scene_schedule(struct fair_scene *s, uint32_t cpu);
/* The current task goes to sleep; who is next. */
struct fair_task *fair_scene_sleep(struct fair_scene *s, uint32_t cpu);
/* A sleeper wakes on cpu, and preempts or not (without scheduling). */
void fair_scene_wake(struct fair_scene *s, struct fair_task *task, uint32_t cpu);
/* A queued task that doesn't run is moved by a balancer. */
void fair_scene_move(struct fair_scene *s, struct fair_task *task, uint32_t cpu);
/* Time goes on with a tick on each busy CPU every tick ns; schedules where it is wanted. */
void fair_scene_run(struct fair_scene *s, uint64_t ns, uint64_t tick);
/* All queues' averages age to now. */
void fair_scene_update(struct fair_scene *s);

#endif
