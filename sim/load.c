// SPDX-License-Identifier: GPL-2.0-only
/* Loads become tasks and the objects that they share. */
#include "sim/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_channels(struct sim *s, struct sim_load *load)
{
	load->channels = sim_alloc(s, load->work->nr_channels, sizeof(*load->channels));
	if (!load->channels)
		return -ENOMEM;
	for (uint32_t i = 0; i < load->work->nr_channels; i++) {
		struct sim_channel *ch = &load->channels[i];

		ch->def = &load->work->channels[i];
		sim_line_init(&ch->line);
		ch->readers.first = ch->writers.first = SIM_NO_TASK;
		ch->size = ch->def->messages;
		ch->ring = sim_alloc(s, ch->size, sizeof(*ch->ring));
		if (!ch->ring)
			return -ENOMEM;
	}
	return 0;
}

static int make_locks(struct sim *s, struct sim_load *load)
{
	const struct workload *w = load->work;

	load->locks = sim_alloc(s, w->nr_locks, sizeof(*load->locks));
	load->semaphores = sim_alloc(s, w->nr_semaphores, sizeof(*load->semaphores));
	load->lists = sim_alloc(s, w->nr_lists, sizeof(*load->lists));
	load->barriers = sim_alloc(s, w->nr_barriers, sizeof(*load->barriers));
	load->flags = sim_alloc(s, w->nr_flags, sizeof(*load->flags));
	if (!load->locks || !load->semaphores || !load->lists || !load->barriers || !load->flags)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->nr_locks; i++) {
		load->locks[i].owner = SIM_NO_TASK;
		load->locks[i].spin = w->locks[i].spin;
		load->locks[i].spinners.first = load->locks[i].sleepers.first = SIM_NO_TASK;
		sim_line_init(&load->locks[i].line);
	}
	for (uint32_t i = 0; i < w->nr_semaphores; i++) {
		load->semaphores[i].count = w->semaphores[i].count;
		load->semaphores[i].max = w->semaphores[i].max;
		load->semaphores[i].waiters.first = SIM_NO_TASK;
		sim_line_init(&load->semaphores[i].line);
	}
	for (uint32_t i = 0; i < w->nr_lists; i++) {
		load->lists[i].parked.first = SIM_NO_TASK;
		sim_line_init(&load->lists[i].line);
	}
	for (uint32_t i = 0; i < w->nr_barriers; i++) {
		load->barriers[i].nr = w->barriers[i].nr;
		load->barriers[i].spin = w->barriers[i].spin;
		load->barriers[i].spinners.first = load->barriers[i].sleepers.first = SIM_NO_TASK;
		sim_line_init(&load->barriers[i].line);
	}
	for (uint32_t i = 0; i < w->nr_flags; i++) {
		load->flags[i].spinners.first = SIM_NO_TASK;
		sim_line_init(&load->flags[i].line);
	}
	return 0;
}

static int make_metrics(struct sim *s, struct sim_load *load)
{
	load->metrics = sim_alloc(s, load->work->nr_metrics, sizeof(*load->metrics));
	if (!load->metrics)
		return -ENOMEM;
	for (uint32_t i = 0; i < load->work->nr_metrics; i++) {
		const struct work_metric *m = &load->work->metrics[i];

		load->ends |= m->kind == WORK_MAKESPAN;
		if (m->kind != WORK_LATENCY)
			continue;
		load->metrics[i].hist = stats_hist_new(m->bucket, m->bits);
		if (!load->metrics[i].hist)
			return -ENOMEM;
	}
	s->unfinished += load->ends;
	return 0;
}

/* The load's own group is the autogroup, or the root; the others hang below it. */
static int make_groups(struct sim *s, struct sim_load *load)
{
	const struct workload *w = load->work;
	int ret = 0;

	load->groups = sim_alloc(s, w->nr_groups, sizeof(*load->groups));
	if (!load->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->nr_groups && !ret; i++) {
		const struct work_group *g = &w->groups[i];
		struct sched_group *parent = i ? load->groups[g->parent] : NULL;

		if (i || s->config.kernel.autogroup)
			ret = fair_group_create(s->fair, parent, g->shares, g->idle,
						&load->groups[i]);
	}
	return ret;
}

/* taskset's CPUs bind user tasks only. */
static void allow(struct sim *s, struct sim_task *task, uint32_t cpu)
{
	if (!task->pub.kthread && s->config.cpus && !hwloc_bitmap_isset(s->config.cpus, cpu))
		return;
	if (!s->topo->cpus[cpu].active)
		return;
	wake_mask_set(task->pub.allowed, cpu);
	task->pub.nr_allowed++;
}

void sim_task_allow(struct sim *s, struct sim_task *task, uint32_t mask)
{
	memset(task->pub.allowed, 0, sizeof(task->pub.allowed));
	task->pub.nr_allowed = 0;
	if (mask == WORK_NONE) {
		for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++)
			allow(s, task, cpu);
	} else {
		const struct work_mask *m = &task->load->work->masks[mask];

		for (uint32_t i = 0; i < m->nr; i++) {
			if (m->cpus[i] < s->nr_cpus)
				allow(s, task, m->cpus[i]);
		}
	}
}

static int check_masks(struct sim *s, struct sim_load *load, struct sim_error *err)
{
	const struct workload *w = load->work;
	struct sim_task probe = { .load = load };

	for (uint32_t i = 0; i < w->nr_masks; i++) {
		sim_task_allow(s, &probe, i);
		if (!probe.pub.nr_allowed)
			return sim_fail(err, -EINVAL,
					"%s: a task is pinned to CPUs that it may not use (mask %u)",
					w->name, i);
	}
	return 0;
}

static const enum fair_policy policies[] = {
	[WORK_NORMAL] = FAIR_NORMAL,
	[WORK_BATCH] = FAIR_BATCH,
	[WORK_IDLE] = FAIR_IDLE,
};

static void make_task(struct sim *s, struct sim_load *load, uint32_t i, uint32_t first_process)
{
	const struct work_task *def = &load->work->tasks[i];
	struct sim_task *task = &s->tasks[load->first_task + i];

	task->load = load;
	task->ops = &load->work->ops[load->work->programs[def->program].first];
	task->id = load->first_task + i;
	task->process = first_process + def->process;
	task->pub.kthread = def->kthread;
	task->pub.idle_policy = def->policy == WORK_IDLE;
	task->pub.wake.id = task->id + 1;
	task->pub.uclamp_max = 1024;
	task->footprint = (def->footprint + 63) / 64;
	task->next = task->wake_next = SIM_NO_TASK;
	task->spinner = task->pin_to = SIM_NO_CPU;
	task->cache_cpu = task->lines_cpu = SIM_NO_CPU;
	task->home = UINT32_MAX;
	task->phase = UINT64_MAX;
	fair_task_init(&task->fair, def->nice, policies[def->policy],
		       def->kthread ? NULL : load->groups[def->group]);
	sim_task_allow(s, task, def->mask);
}

static int make_load(struct sim *s, uint32_t index, struct sim_error *err)
{
	struct sim_load *load = &s->loads[index];
	int ret;

	load->work = s->config.loads[index];
	load->index = index;
	load->alive = load->work->nr_tasks;
	ret = make_channels(s, load);
	ret = ret ? ret : make_locks(s, load);
	ret = ret ? ret : make_metrics(s, load);
	ret = ret ? ret : make_groups(s, load);
	return ret ? ret : check_masks(s, load, err);
}

int sim_loads_create(struct sim *s, struct sim_error *err)
{
	uint32_t process = 1;
	int ret;

	s->nr_loads = s->config.nr_loads;
	s->loads = sim_alloc(s, s->nr_loads, sizeof(*s->loads));
	if (!s->loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr_loads; i++) {
		ret = make_load(s, i, err);
		if (ret)
			return ret;
		s->loads[i].first_task = s->nr_tasks;
		s->nr_tasks += s->loads[i].work->nr_tasks;
	}
	s->tasks = sim_alloc(s, s->nr_tasks, sizeof(*s->tasks));
	if (!s->tasks)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr_loads; i++) {
		for (uint32_t t = 0; t < s->loads[i].work->nr_tasks; t++)
			make_task(s, &s->loads[i], t, process);
		process += s->loads[i].work->nr_processes;
	}
	return 0;
}

void sim_loads_free(struct sim *s)
{
	for (uint32_t i = 0; i < s->nr_loads && s->loads; i++) {
		struct sim_load *load = &s->loads[i];

		for (uint32_t c = 0; load->channels && c < load->work->nr_channels; c++)
			free(load->channels[c].ring);
		for (uint32_t m = 0; load->metrics && m < load->work->nr_metrics; m++)
			stats_hist_free(load->metrics[m].hist);
		free(load->channels);
		free(load->locks);
		free(load->semaphores);
		free(load->lists);
		free(load->barriers);
		free(load->flags);
		free(load->metrics);
		free(load->groups);
	}
	free(s->loads);
	free(s->tasks);
}
