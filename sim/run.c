// SPDX-License-Identifier: GPL-2.0-only
/* The event loop, the start, and what is read when it is over. */
#include "sim/irq.h"
#include "sim/load.h"

#include <errno.h>
#include <string.h>

/* A task that nobody forks: on a CPU that the seed draws. */
static void start_task(struct sim *s, struct sim_task *task)
{
	uint64_t nth = sim_below(sim_random(s->key, task->id, SIM_RANDOM_START, 0),
				 task->pub.nr_allowed);
	uint32_t cpu = 0;

	while (!wake_mask_has(task->pub.allowed, cpu) || nth--)
		cpu++;
	task->fair.cpu = cpu;
	task->pub.wake.recent_used_cpu = cpu;
	task->born = task->since = s->now;
	sim_clock(s, cpu);
	s->ops->fork(&s->rqs[cpu], &task->fair, NULL);
	sim_wake_activate(s, cpu, task, FAIR_NEW);
}

void sim_start(struct sim *s)
{
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		struct sim_cpu *cpu = &s->cpus[id];

		if (!s->topo->cpus[id].active)
			continue;
		for (uint32_t i = 0; i < SIM_INTERVALS; i++)
			cpu->intervals[i] = INT32_MAX;
		cpu->idle_stamp = 1;
		sim_tick_start(s, cpu);
		if (s->config.vcpu.window)
			sim_events_set(&s->events, sim_slot(s, SIM_SLOT_STEAL, id),
				       sim_below(sim_random(s->key, id, SIM_RANDOM_VCPU, 0),
						 s->config.vcpu.window));
		sim_idle_enter(s, cpu);
	}
	for (uint32_t i = 0; i < s->nr_tasks; i++) {
		struct sim_task *task = &s->tasks[i];

		if (task->load->work->tasks[i - task->load->first_task].starts)
			start_task(s, task);
	}
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		if (s->cpus[id].need_resched)
			sim_cpu_interrupt(s, &s->cpus[id], SIM_PEND_RESCHED);
	}
}

/* Slots are numbered kind by kind: see enum sim_slot. */
static void handle(struct sim *s, uint32_t slot)
{
	uint32_t n = s->nr_cpus;
	struct sim_cpu *cpu;

	if (slot >= SIM_SLOTS_PER_CPU * n) {
		sim_timer_expire(s, &s->tasks[slot - SIM_SLOTS_PER_CPU * n]);
	} else if (slot >= SIM_SLOT_STEAL * n) {
		sim_cpu_steal(s, &s->cpus[slot - SIM_SLOT_STEAL * n]);
	} else if (slot >= SIM_SLOT_ACTION * n) {
		sim_cpu_action(s, &s->cpus[slot - SIM_SLOT_ACTION * n]);
	} else if (slot >= SIM_SLOT_TICK * n) {
		cpu = &s->cpus[slot - SIM_SLOT_TICK * n];
		sim_events_set(&s->events, slot, s->now + s->tick_ns);
		sim_cpu_interrupt(s, cpu, SIM_PEND_TICK);
	} else {
		sim_cpu_ipi(s, &s->cpus[slot]);
	}
}

static void run_until(struct sim *s, uint64_t until)
{
	s->until = until;
	while (sim_events_next(&s->events) < s->until) {
		s->now = sim_events_next(&s->events);
		s->counts.handlers++;
		handle(s, sim_events_begin(&s->events));
		sim_events_end(&s->events);
	}
	if (!s->broken && s->now < s->until)
		s->now = s->until;
}

/* Accounts up to now; what has been counted so far is subtracted or added. */
static void add_accounts(struct sim *s, int sign)
{
	struct sim_counts *c = &s->counts;
	uint64_t run = 0, wait = 0, sleep = 0, busy = 0;

	for (uint32_t i = 0; i < s->nr_tasks; i++) {
		struct sim_task *task = &s->tasks[i];
		enum sim_account now = task->account;

		sim_account(s, task, SIM_ACCOUNT_NONE);
		task->account = (uint8_t)now;
		run += task->run;
		wait += task->wait;
		sleep += task->sleep;
	}
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		struct sim_cpu *cpu = &s->cpus[id];

		if (!s->topo->cpus[id].active)
			continue;
		sim_cpu_account(s, cpu);
		busy += cpu->busy;
		c->cpu_ns += sign > 0 ? s->now - s->measured_from : 0;
	}
	c->run_ns += (uint64_t)sign * run;
	c->wait_ns += (uint64_t)sign * wait;
	c->sleep_ns += (uint64_t)sign * sleep;
	c->busy_ns += (uint64_t)sign * busy;
}

static void add_lines(struct sim *s)
{
	memcpy(s->counts.lines, s->fabric.transfers, sizeof(s->counts.lines));
	s->counts.memory_lines = s->fabric.memory_reads;
}

static void reset_metrics(struct sim *s)
{
	stats_hist_clear(s->wait_hist);
	memset(s->fabric.transfers, 0, sizeof(s->fabric.transfers));
	s->fabric.memory_reads = 0;
	for (uint32_t l = 0; l < s->nr_loads; l++) {
		for (uint32_t m = 0; m < s->loads[l].work->nr_metrics; m++) {
			s->loads[l].metrics[m].count = 0;
			if (s->loads[l].metrics[m].hist)
				stats_hist_clear(s->loads[l].metrics[m].hist);
		}
	}
}

static int verdict(struct sim *s, struct sim_error *err)
{
	const char *broken = s->broken ? s->broken : sim_check(s);

	if (!broken)
		return 0;
	return sim_fail(err, -EIO, "at %llu ns: %s", (unsigned long long)s->now, broken);
}

/* In pieces, with the invariants tested between them. */
static int run_checked(struct sim *s, uint64_t until, struct sim_error *err)
{
	int ret = 0;

	while (!ret && s->now < until && !s->finished) {
		uint64_t piece = s->now + 64 * s->tick_ns;

		run_until(s, piece < until ? piece : until);
		ret = verdict(s, err);
	}
	return ret;
}

int sim_run(struct sim *s, struct sim_error *err)
{
	int ret = run_checked(s, s->config.warmup, err);

	if (ret)
		return ret;
	memset(&s->counts, 0, sizeof(s->counts));
	reset_metrics(s);
	s->measured_from = s->now;
	s->watch = s->asked;
	add_accounts(s, -1);
	ret = run_checked(s, s->config.warmup + s->config.time, err);
	add_accounts(s, 1);
	add_lines(s);
	return ret;
}

const struct sim_counts *sim_counts(const struct sim *s)
{
	return &s->counts;
}

const struct stats_hist *sim_wait_hist(const struct sim *s)
{
	return s->wait_hist;
}

uint64_t sim_metric(const struct sim *s, uint32_t load, uint32_t metric)
{
	const struct sim_load *l = &s->loads[load];

	if (l->work->metrics[metric].kind == WORK_MAKESPAN)
		return l->alive ? 0 : l->last_exit - l->started;
	return l->metrics[metric].count;
}

const struct stats_hist *sim_metric_hist(const struct sim *s, uint32_t load, uint32_t metric)
{
	return s->loads[load].metrics[metric].hist;
}

uint64_t sim_window(const struct sim *s)
{
	return s->now - s->measured_from;
}

const struct sched_topology *sim_topology(const struct sim *s)
{
	return s->topo;
}

size_t sim_bytes(const struct sim *s)
{
	return s->bytes;
}

uint32_t sim_nr_tasks(const struct sim *s)
{
	return s->nr_tasks;
}

void sim_task_name(const struct sim *s, uint32_t task, struct sim_task_name *out)
{
	const struct sim_task *t = &s->tasks[task];

	*out = (struct sim_task_name){
		.id = task + 1,
		.process = t->process,
		.load = t->load->index,
		.name = t->load->work->tasks[task - t->load->first_task].name,
	};
}

void sim_watch(struct sim *s, const struct sim_watch *watch)
{
	s->asked = *watch;
}
