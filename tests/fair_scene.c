// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fair_scene.h"

struct wake_version fair_scene_version(const char *version)
{
	struct wake_version out = { 0 };
	char *end;

	out.major = (wake_u16)strtoul(version, &end, 10);
	out.minor = (wake_u16)strtoul(end + 1, NULL, 10);
	return out;
}

void fair_scene_start(struct fair_scene *s, const char *version, uint32_t cpus)
{
	struct wake_version v = fair_scene_version(version);
	struct fair_params params;

	fair_params_of(&v, 8, &params);
	fair_scene_start_with(s, &params, cpus);
}

void fair_scene_start_with(struct fair_scene *s, const struct fair_params *params, uint32_t cpus)
{
	uint16_t capacity[1024];

	assert_true(cpus <= 1024);
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		capacity[cpu] = 1024;
	memset(s, 0, sizeof(*s));
	s->params = *params;
	s->nr_cpus = cpus;
	assert_int_equal(fair_system_create(cpus, capacity, params, &s->system, &s->rqs), 0);
}

void fair_scene_end(struct fair_scene *s)
{
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
		const char *wrong = fair_check(&s->rqs[cpu]);

		if (wrong)
			fail_msg("CPU %u: %s", cpu, wrong);
	}
	fair_system_free(s->system);
}

struct sched_group *fair_scene_group(struct fair_scene *s, uint32_t shares)
{
	struct sched_group *group;

	assert_int_equal(fair_group_create(s->system, NULL, shares, 0, &group), 0);
	return group;
}

void fair_scene_clock(struct fair_scene *s, uint32_t cpu)
{
	fair_clock(&s->rqs[cpu], s->now, !s->rqs[cpu].curr);
}

struct fair_task *fair_scene_task(struct fair_scene *s, uint32_t cpu, int nice,
				  enum fair_policy policy, struct sched_group *group)
{
	struct fair_task *task = &s->tasks[s->nr_tasks++];

	assert_true(s->nr_tasks <= FAIR_SCENE_TASKS);
	fair_task_init(task, nice, policy, group);
	fair_scene_clock(s, cpu);
	fair_cfs.fork(&s->rqs[cpu], task, s->rqs[cpu].curr);
	fair_cfs.enqueue(&s->rqs[cpu], task, FAIR_NEW);
	return task;
}

struct fair_task *fair_scene_schedule(struct fair_scene *s, uint32_t cpu)
{
	struct fair_task *next;

	fair_scene_clock(s, cpu);
	next = fair_cfs.pick(&s->rqs[cpu]);
	if (!next)
		fair_cfs.put(&s->rqs[cpu]);
	return next;
}

struct fair_task *fair_scene_sleep(struct fair_scene *s, uint32_t cpu)
{
	fair_scene_clock(s, cpu);
	fair_cfs.dequeue(&s->rqs[cpu], s->rqs[cpu].curr, FAIR_SLEEP);
	return fair_scene_schedule(s, cpu);
}

void fair_scene_wake(struct fair_scene *s, struct fair_task *task, uint32_t cpu)
{
	uint32_t from = task->cpu;

	fair_scene_clock(s, from);
	if (from != cpu)
		fair_cfs.leave(&s->rqs[from], task, 1);
	fair_scene_clock(s, cpu);
	fair_cfs.enqueue(&s->rqs[cpu], task, FAIR_WAKEUP | (from != cpu ? FAIR_MIGRATED : 0));
	fair_cfs.wakeup_preempt(&s->rqs[cpu], task);
}

void fair_scene_move(struct fair_scene *s, struct fair_task *task, uint32_t cpu)
{
	uint32_t from = task->cpu;

	fair_scene_clock(s, from);
	fair_cfs.dequeue(&s->rqs[from], task, 0);
	fair_cfs.leave(&s->rqs[from], task, 0);
	fair_scene_clock(s, cpu);
	fair_cfs.enqueue(&s->rqs[cpu], task, FAIR_MIGRATED);
	fair_cfs.wakeup_preempt(&s->rqs[cpu], task);
}

void fair_scene_run(struct fair_scene *s, uint64_t ns, uint64_t tick)
{
	for (uint64_t end = s->now + ns; s->now + tick <= end;) {
		s->now += tick;
		for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
			if (!s->rqs[cpu].nr_running)
				continue;
			fair_scene_clock(s, cpu);
			fair_cfs.tick(&s->rqs[cpu]);
			if (s->rqs[cpu].resched || !s->rqs[cpu].curr)
				fair_scene_schedule(s, cpu);
		}
	}
}

void fair_scene_update(struct fair_scene *s)
{
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
		fair_scene_clock(s, cpu);
		fair_update_blocked(&s->rqs[cpu]);
	}
}
