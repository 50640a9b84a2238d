// SPDX-License-Identifier: GPL-2.0-only
/* scheduler_tick(), and the tick's coming and going on idle CPUs. */
#include "sim/balance.h"
#include "sim/irq.h"

/* The first tick of this CPU's phase after now. */
static uint64_t after_now(const struct sim *s, const struct sim_cpu *cpu)
{
	uint64_t into = (s->now + s->tick_ns - cpu->tick_phase) % s->tick_ns;

	return s->now + s->tick_ns - into;
}

void sim_tick_start(struct sim *s, struct sim_cpu *cpu)
{
	cpu->tick_stopped = 0;
	sim_events_set(&s->events, sim_slot(s, SIM_SLOT_TICK, cpu->id), after_now(s, cpu));
}

void sim_tick_stop(struct sim *s, struct sim_cpu *cpu)
{
	cpu->tick_stopped = 1;
	sim_events_cancel(&s->events, sim_slot(s, SIM_SLOT_TICK, cpu->id));
}

void sim_tick(struct sim *s, struct sim_cpu *cpu)
{
	struct fair_rq *rq = &s->rqs[cpu->id];

	s->counts.ticks++;
	sim_clock(s, cpu->id);
	if (rq->curr)
		s->ops->tick(rq);
	sim_publish(s, cpu->id);
	if (rq->resched)
		cpu->need_resched = 1;
	s->state->jiffies = sim_jiffies(s);
	sched_tick(s->state, s->rules, cpu->id);
	if (!s->config.kernel.no_balance)
		sim_balance_tick(s, cpu);
}
