// SPDX-License-Identifier: GPL-2.0-only
/* __schedule(): who is next on a CPU, and the switch to it. */
#include "sim/balance.h"
#include "sim/irq.h"

void sim_cpu_schedule(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_task *prev = sim_curr(s, cpu);

	if (prev) {
		prev->left = cpu->below_left;
		prev->spinning = cpu->below == SIM_ACT_SPIN;
	}
	sim_cpu_begin(s, cpu, SIM_ACT_SCHEDULE, s->cost.schedule);
}

/* migration_cpu_stop() for a task whose new mask leaves this CPU out. */
static void stop_and_move(struct sim *s, struct sim_task *task)
{
	uint32_t to = task->pin_to, from = task->fair.cpu;

	task->pin_to = SIM_NO_CPU;
	if (!task->fair.on_rq)
		return;
	sim_deactivate(s, task, 0);
	sim_publish(s, task->fair.cpu);
	sim_set_cpu(s, task, to, SIM_MIGRATE_AFFINITY);
	sim_wake_activate(s, from, task, FAIR_MIGRATED);
}

/* The task is off this CPU for good: others may run it, or select a CPU for it. */
static void leave_cpu(struct sim *s, struct sim_cpu *cpu, struct sim_task *task)
{
	sim_residue_out(s, cpu, task);
	cpu->prev_gone = 1;
	task->on_cpu = 0;
	if (task->spinner != SIM_NO_CPU)
		sim_wake_release(s, task);
}

/*
 * The stopper class comes first: active balance takes the task that ran, and a task
 * leaves a CPU that its mask no longer has. The task must not be current then.
 */
static void run_stopper(struct sim *s, struct sim_cpu *cpu, struct sim_task *prev)
{
	if (cpu->push_cpu == SIM_NO_CPU && (!prev || prev->pin_to == SIM_NO_CPU))
		return;
	if (s->rqs[cpu->id].curr)
		s->ops->put(&s->rqs[cpu->id]);
	if (prev && prev->pin_to != SIM_NO_CPU)
		stop_and_move(s, prev);
	if (cpu->push_cpu != SIM_NO_CPU)
		sim_active_balance(s, cpu);
	sim_clock(s, cpu->id);
	if (prev && prev->fair.cpu != cpu->id)
		leave_cpu(s, cpu, prev);
}

/* What newidle balance pulled, or what was woken here meanwhile; NULL: the idle task. */
static struct fair_task *newidle_found(struct sim *s, struct sim_cpu *cpu)
{
	sim_clock(s, cpu->id);
	return s->ops->pick(&s->rqs[cpu->id]);
}

static void switch_to(struct sim *s, struct sim_cpu *cpu, struct fair_task *fair)
{
	struct sim_task *prev = sim_curr(s, cpu), *next = fair ? sim_task_of(fair) : NULL;
	uint64_t work = s->cost.context_switch;

	if (!next)
		s->ops->put(&s->rqs[cpu->id]);
	sim_publish(s, cpu->id);
	if (next == prev && next) {
		next->on_cpu = 1;	/* the stopper had moved it, newidle pulled it back */
		cpu->prev_gone = 0;
		sim_account(s, next, SIM_ACCOUNT_RUN);
		sim_cpu_run(s, cpu, next->spinning ? SIM_ACT_SPIN : SIM_ACT_TASK, next->left);
		return;
	}
	cpu->prev = cpu->curr;
	cpu->curr = next ? next->id : SIM_NO_TASK;
	s->counts.switches++;
	s->counts.records++;
	if (prev && prev->fair.on_rq)
		s->counts.preemptions++;
	sched_switch(s->state, s->rules, cpu->id, next ? &next->pub : NULL);
	work += sim_line_write(&s->fabric, &s->lines[cpu->id].rq, cpu->id, s->now);
	if (next) {
		next->on_cpu = 1;
		sim_account(s, next, SIM_ACCOUNT_RUN);
		if (prev && prev->process != next->process)
			work += s->cost.context_switch_mm;
	}
	sim_cpu_begin(s, cpu, SIM_ACT_SWITCH, work);
}

static char state_letter(const struct sim_task *task)
{
	if (task->state == SIM_TASK_DEAD)
		return 'X';
	return task->fair.on_rq ? 'R' : 'S';
}

void sim_schedule_pick(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_task *prev = sim_curr(s, cpu);
	struct fair_task *next;
	uint64_t look = 0;

	sim_clock(s, cpu->id);
	cpu->need_resched = 0;
	if (prev && (prev->state == SIM_TASK_SLEEPING || prev->state == SIM_TASK_DEAD))
		sim_deactivate(s, prev, FAIR_SLEEP);
	else if (prev)
		sim_account(s, prev, SIM_ACCOUNT_WAIT);
	run_stopper(s, cpu, prev);
	next = s->ops->pick(&s->rqs[cpu->id]);
	if (!next)
		look = sim_newidle_begin(s, cpu);
	if (look)
		sim_cpu_begin(s, cpu, SIM_ACT_NEWIDLE, look);
	else
		switch_to(s, cpu, next ? next : newidle_found(s, cpu));
}

void sim_schedule_newidle(struct sim *s, struct sim_cpu *cpu)
{
	uint64_t look = sim_newidle_step(s, cpu);

	if (look) {
		sim_cpu_begin(s, cpu, SIM_ACT_NEWIDLE, look);
		return;
	}
	switch_to(s, cpu, newidle_found(s, cpu));
}

/* task_dead_fair(): its load stays behind. */
static void bury(struct sim *s, struct sim_task *task)
{
	sim_clock(s, task->fair.cpu);
	s->ops->leave(&s->rqs[task->fair.cpu], &task->fair, 1);
}

void sim_schedule_finish(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_task *prev = cpu->prev == SIM_NO_TASK ? NULL : &s->tasks[cpu->prev];
	struct sim_task *next = sim_curr(s, cpu);

	if (s->watch.task_switch)
		s->watch.task_switch(s->watch.arg, s->now, cpu->id, cpu->prev,
				     prev ? state_letter(prev) : 'R', cpu->curr);
	cpu->prev = SIM_NO_TASK;
	if (prev && prev->state == SIM_TASK_DEAD)
		bury(s, prev);
	if (prev && !cpu->prev_gone)
		leave_cpu(s, cpu, prev);
	cpu->prev_gone = 0;
	if (!next) {
		sim_idle_enter(s, cpu);
		return;
	}
	next->left += sim_residue_in(s, cpu, next);
	sim_cpu_run(s, cpu, next->spinning ? SIM_ACT_SPIN : SIM_ACT_TASK, next->left);
}
