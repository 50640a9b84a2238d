// SPDX-License-Identifier: GPL-2.0-only
/* What has to hold at any moment, whatever is simulated. */
#include "sim/irq.h"

#define WAIT_BESIDE_IDLE_MAX	1000000000ull	/* ns */

static const char *check_task(struct sim *s, const struct sim_task *task)
{
	uint64_t spent = task->run + task->wait + task->sleep;

	if (task->account != SIM_ACCOUNT_NONE)
		spent += s->now - task->since;
	if (task->state != SIM_TASK_NEW && task->state != SIM_TASK_DEAD &&
	    spent != s->now - task->born)
		return "a task's run, wait and sleep don't add up to its life";
	if (task->fair.on_rq && task->pin_to == SIM_NO_CPU &&
	    !wake_mask_has(task->pub.allowed, task->fair.cpu))
		return "a task is queued on a CPU that it may not use";
	if (task->state == SIM_TASK_SLEEPING && task->fair.on_rq && !task->on_cpu)
		return "a task sleeps on a run queue";
	return NULL;
}

/* A task that waits while a CPU of its LLC idles all the time: balancing is late. */
static const char *check_wait(struct sim *s, const struct sim_task *task)
{
	uint16_t llc = s->topo->cpus[task->fair.cpu].llc;

	if (s->config.kernel.no_balance || task->account != SIM_ACCOUNT_WAIT ||
	    llc == SCHED_NO_SPAN || s->now - task->since < WAIT_BESIDE_IDLE_MAX)
		return NULL;
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		const struct sim_cpu *cpu = &s->cpus[id];

		if (wake_mask_has(s->topo->spans[llc].bits, id) &&
		    wake_mask_has(task->pub.allowed, id) && cpu->activity == SIM_ACT_IDLE &&
		    s->now - cpu->idle_since > WAIT_BESIDE_IDLE_MAX)
			return "a task waits beside an idle CPU longer than balancing allows";
	}
	return NULL;
}

static const char *check_cpu(struct sim *s, struct sim_cpu *cpu)
{
	if (!s->topo->cpus[cpu->id].active)
		return NULL;
	sim_cpu_account(s, cpu);
	if (cpu->busy + cpu->idle != s->now)
		return "a CPU's busy and idle time don't add up";
	if (cpu->activity == SIM_ACT_IDLE && s->rqs[cpu->id].nr_running && !cpu->need_resched)
		return "a CPU idles with tasks queued, and nobody told it";
	if (s->rqs[cpu->id].nr_running != s->state->rq[cpu->id].nr_running)
		return "nr_running differs from what others see";
	return NULL;
}

static const char *check_objects(const struct sim_load *load)
{
	const struct workload *w = load->work;

	for (uint32_t i = 0; i < w->nr_channels; i++) {
		const struct sim_channel *ch = &load->channels[i];

		if (ch->room.nr && ch->readers.first != SIM_NO_TASK)
			return "a wake-up was lost: a reader sleeps beside a message";
		if (!ch->room.nr && ch->writers.first != SIM_NO_TASK)
			return "a wake-up was lost: a writer sleeps at an empty channel";
	}
	for (uint32_t i = 0; i < w->nr_semaphores; i++) {
		if (load->semaphores[i].count && load->semaphores[i].waiters.first != SIM_NO_TASK)
			return "a wake-up was lost: a waiter sleeps at a posted semaphore";
	}
	return NULL;
}

const char *sim_check(struct sim *s)
{
	const char *broken = sched_check(s->state);

	for (uint32_t i = 0; i < s->nr_tasks && !broken; i++) {
		broken = check_task(s, &s->tasks[i]);
		if (!broken)
			broken = check_wait(s, &s->tasks[i]);
	}
	for (uint32_t id = 0; id < s->nr_cpus && !broken; id++)
		broken = check_cpu(s, &s->cpus[id]);
	for (uint32_t i = 0; i < s->nr_loads && !broken; i++)
		broken = check_objects(&s->loads[i]);
	return broken;
}
