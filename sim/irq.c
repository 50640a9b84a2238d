// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and softirqs, one source after the other, each for its time, on top of
 * what the CPU did below.
 */
#include "sim/irq.h"

#include "sim/balance.h"

enum irq_step {
	STEP_RESCHED,
	STEP_WAKELIST,
	STEP_TICK,
	STEP_TIMER,
	STEP_TIMER_WAKE,
	STEP_BALANCE,
	STEP_BALANCE_LOOK,
};

static void begin_step(struct sim *s, struct sim_cpu *cpu, enum irq_step step, uint64_t work)
{
	cpu->irq_step = step;
	sim_cpu_begin(s, cpu, SIM_ACT_IRQ, work);
}

static void leave(struct sim *s, struct sim_cpu *cpu)
{
	uint64_t spent = s->now - cpu->irq_since;

	cpu->irq_busy = 0;
	cpu->irq_time += spent;
	s->counts.irq_ns += spent;
	sim_cpu_next(s, cpu);
}

/* The most urgent source that waits; entering costs, except where the flag was polled. */
static void next_source(struct sim *s, struct sim_cpu *cpu)
{
	uint64_t entry = cpu->polled ? 0 : s->cost.irq;

	cpu->polled = 0;
	if (cpu->pending & SIM_PEND_STOP) {
		cpu->pending &= (uint8_t)~SIM_PEND_STOP;
		cpu->need_resched = 1;
		begin_step(s, cpu, STEP_RESCHED, entry);
	} else if (cpu->pending & SIM_PEND_RESCHED) {
		cpu->pending &= (uint8_t)~SIM_PEND_RESCHED;
		begin_step(s, cpu, STEP_RESCHED, cpu->pending ? 0 : entry);
	} else if (cpu->pending & SIM_PEND_WAKELIST) {
		cpu->pending &= (uint8_t)~SIM_PEND_WAKELIST;
		begin_step(s, cpu, STEP_WAKELIST, entry + s->cost.enqueue);
	} else if (cpu->pending & SIM_PEND_TICK) {
		cpu->pending &= (uint8_t)~SIM_PEND_TICK;
		begin_step(s, cpu, STEP_TICK, s->cost.tick);
	} else if (cpu->pending & SIM_PEND_TIMER) {
		cpu->pending &= (uint8_t)~SIM_PEND_TIMER;
		begin_step(s, cpu, STEP_TIMER, entry + s->cost.timer);
	} else if (cpu->pending & SIM_PEND_BALANCE) {
		cpu->pending &= (uint8_t)~SIM_PEND_BALANCE;
		begin_step(s, cpu, STEP_BALANCE, s->cost.softirq);
	} else {
		leave(s, cpu);
	}
}

void sim_irq_begin(struct sim *s, struct sim_cpu *cpu)
{
	cpu->irq_busy = 1;
	cpu->irq_since = s->now;
	next_source(s, cpu);
}

/* Continues a wake-up from a timer, and with the next expired one after it. */
static void timer_wake(struct sim *s, struct sim_cpu *cpu, uint64_t ns)
{
	if (ns == SIM_WAKE_WAITS)
		cpu->irq_step = STEP_TIMER_WAKE;
	else if (ns != SIM_WAKE_DONE)
		begin_step(s, cpu, STEP_TIMER_WAKE, ns);
	else if (cpu->expired != SIM_NO_TASK)
		begin_step(s, cpu, STEP_TIMER, s->cost.timer);
	else {
		cpu->pending &= (uint8_t)~SIM_PEND_TIMER;	/* those that came meanwhile */
		next_source(s, cpu);
	}
}

static void timer_expired(struct sim *s, struct sim_cpu *cpu)
{
	uint32_t task = cpu->expired;

	cpu->expired = s->tasks[task].wake_next;
	s->counts.timers++;
	timer_wake(s, cpu, sim_wake_begin(s, cpu, task, 0, 0));
}

static void balance_look(struct sim *s, struct sim_cpu *cpu, uint64_t ns)
{
	if (ns)
		begin_step(s, cpu, STEP_BALANCE_LOOK, ns);
	else
		next_source(s, cpu);
}

void sim_irq_step(struct sim *s, struct sim_cpu *cpu)
{
	switch (cpu->irq_step) {
	case STEP_RESCHED:
		next_source(s, cpu);
		break;
	case STEP_WAKELIST:
		if (sim_wake_list(s, cpu))
			begin_step(s, cpu, STEP_WAKELIST, s->cost.enqueue);
		else
			next_source(s, cpu);
		break;
	case STEP_TICK:
		sim_tick(s, cpu);
		next_source(s, cpu);
		break;
	case STEP_TIMER:
		timer_expired(s, cpu);
		break;
	case STEP_TIMER_WAKE:
		timer_wake(s, cpu, sim_wake_step(s, cpu));
		break;
	case STEP_BALANCE:
		s->counts.softirqs++;
		balance_look(s, cpu, sim_rebalance_begin(s, cpu));
		break;
	case STEP_BALANCE_LOOK:
		balance_look(s, cpu, sim_rebalance_step(s, cpu));
		break;
	}
}

static inline int timer_order(const struct sim_task *a, const struct sim_task *b)
{
	if (a->expires != b->expires)
		return a->expires < b->expires ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

RB_GENERATE_INTERNAL(sim_timers, sim_task, timer, timer_order, __attribute__((unused)) static)

void sim_timer_arm(struct sim *s, struct sim_cpu *cpu, struct sim_task *task, uint64_t expires)
{
	task->expires = expires;
	task->timer_cpu = cpu->id;
	RB_INSERT(sim_timers, &cpu->timers, task);
	sim_events_set(&s->events, sim_timer_slot(s, task->id), expires);
}

void sim_timer_expire(struct sim *s, struct sim_task *task)
{
	struct sim_cpu *cpu = &s->cpus[task->timer_cpu];
	uint32_t *last = &cpu->expired;

	RB_REMOVE(sim_timers, &cpu->timers, task);
	while (*last != SIM_NO_TASK)
		last = &s->tasks[*last].wake_next;
	*last = task->id;
	task->wake_next = SIM_NO_TASK;
	sim_cpu_interrupt(s, cpu, SIM_PEND_TIMER);
}

uint64_t sim_timer_next(struct sim_cpu *cpu)
{
	const struct sim_task *first = RB_MIN(sim_timers, &cpu->timers);

	return first ? first->expires : SIM_NEVER;
}
