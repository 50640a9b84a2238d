// SPDX-License-Identifier: GPL-2.0-only
/* Tasks on run queues, and the accounts of where their time goes. */
#include "sim/irq.h"

const char *const sim_migration_text[SIM_NR_MIGRATIONS] = {
	[SIM_MIGRATE_WAKE] = "wake-up",
	[SIM_MIGRATE_FORK] = "fork",
	[SIM_MIGRATE_NEWIDLE] = "newidle balance",
	[SIM_MIGRATE_PERIODIC] = "periodic balance",
	[SIM_MIGRATE_NOHZ] = "nohz balance",
	[SIM_MIGRATE_ACTIVE] = "active balance",
	[SIM_MIGRATE_AFFINITY] = "affinity",
};

const char *const sim_landing_text[SIM_NR_LANDINGS] = {
	[SIM_LANDED_IDLE] = "on an idle CPU",
	[SIM_LANDED_SCHED_IDLE] = "on a CPU with SCHED_IDLE tasks",
	[SIM_LANDED_STACKED] = "stacked, no CPU of the LLC idle",
	[SIM_LANDED_MISSED] = "stacked, missed an idle CPU",
	[SIM_LANDED_UNSELECTED] = "without selection",
};

void sim_account(struct sim *s, struct sim_task *task, enum sim_account what)
{
	uint64_t spent = s->now - task->since;

	if (task->account == what)
		return;
	switch (task->account) {
	case SIM_ACCOUNT_RUN:
		task->run += spent;
		break;
	case SIM_ACCOUNT_WAIT:
		task->wait += spent;
		if (what == SIM_ACCOUNT_RUN)
			stats_hist_add(s->wait_hist, spent);
		break;
	case SIM_ACCOUNT_SLEEP:
		task->sleep += spent;
		break;
	}
	task->account = (uint8_t)what;
	task->since = s->now;
}

void sim_cpu_account(struct sim *s, struct sim_cpu *cpu)
{
	uint64_t spent = s->now - cpu->accounted;

	if (cpu->activity == SIM_ACT_IDLE || cpu->activity == SIM_ACT_IDLE_EXIT) {
		cpu->idle += spent;
		s->counts.idle_ns[cpu->idle_state] += spent;
	} else {
		cpu->busy += spent;
	}
	cpu->accounted = s->now;
}

void sim_activate(struct sim *s, struct sim_task *task, uint32_t cpu, uint32_t fair_flags)
{
	sim_clock(s, cpu);
	s->ops->enqueue(&s->rqs[cpu], &task->fair, fair_flags);
	sched_enqueue(s->state, cpu, &task->pub);
	sim_publish(s, cpu);
	sim_account(s, task, SIM_ACCOUNT_WAIT);
}

void sim_deactivate(struct sim *s, struct sim_task *task, uint32_t fair_flags)
{
	uint32_t cpu = task->fair.cpu;

	sim_clock(s, cpu);
	s->ops->dequeue(&s->rqs[cpu], &task->fair, fair_flags);
	sched_dequeue(s->state, cpu, &task->pub);
	sim_publish(s, cpu);
	if (fair_flags & FAIR_SLEEP)
		sim_account(s, task, task->state == SIM_TASK_DEAD ? SIM_ACCOUNT_NONE :
								    SIM_ACCOUNT_SLEEP);
}

void sim_set_cpu(struct sim *s, struct sim_task *task, uint32_t cpu, enum sim_migration why)
{
	uint32_t from = task->fair.cpu;

	if (from == cpu)
		return;
	sim_clock(s, from);
	s->ops->leave(&s->rqs[from], &task->fair, why == SIM_MIGRATE_WAKE);
	task->fair.cpu = cpu;
	s->counts.migrations[why]++;
	s->counts.migrations_by_distance[sim_level(&s->fabric, from, cpu)]++;
	s->counts.records++;
	if (s->watch.migrate)
		s->watch.migrate(s->watch.arg, s->now, task->id, from, cpu, why);
}
