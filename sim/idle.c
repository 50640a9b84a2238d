// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle loop: which state, with the tick or without, and the way out. The prediction
 * is the menu governor's (drivers/cpuidle/governors/menu.c, v5.4 to v6.5): the next
 * timer, or what the last eight idle periods look like, whichever is sooner. Its
 * correction factor for timers and its latency limits are left out.
 */
#include "sim/balance.h"
#include "sim/irq.h"

#define UNPREDICTABLE	UINT32_MAX
#define US		1000ULL

struct pattern {
	uint64_t average, variance;
	uint32_t largest, nr;
};

/* The remembered periods up to a limit, us. */
static struct pattern pattern_of(const uint32_t *periods, uint32_t limit)
{
	struct pattern p = { 0 };
	uint64_t sum = 0;

	for (uint32_t i = 0; i < SIM_INTERVALS; i++) {
		if (periods[i] > limit)
			continue;
		sum += periods[i];
		p.nr++;
		if (periods[i] > p.largest)
			p.largest = periods[i];
	}
	p.average = p.nr ? sum / p.nr : 0;
	for (uint32_t i = 0; i < SIM_INTERVALS; i++) {
		int64_t away = (int64_t)periods[i] - (int64_t)p.average;

		if (periods[i] <= limit)
			p.variance += (uint64_t)(away * away);
	}
	p.variance = p.nr ? p.variance / p.nr : 0;
	return p;
}

/* get_typical_interval(): us, or UNPREDICTABLE. Drops the largest while they scatter. */
static uint32_t typical_interval(const struct sim_cpu *cpu)
{
	uint32_t limit = INT32_MAX;

	for (;;) {
		struct pattern p = pattern_of(cpu->intervals, limit);

		if (p.nr && ((p.average * p.average > 36 * p.variance &&
			      p.nr * 4 >= SIM_INTERVALS * 3) || p.variance <= 400))
			return (uint32_t)p.average;
		if (p.nr * 4 <= SIM_INTERVALS * 3)
			return UNPREDICTABLE;
		limit = p.largest - 1;
	}
}

/* ns from now to the next timer of this CPU, the tick included where it runs. */
static uint64_t next_timer(const struct sim *s, struct sim_cpu *cpu, uint32_t with_tick)
{
	uint64_t next = sim_timer_next(cpu);
	uint64_t tick = sim_events_time(&s->events, sim_slot(s, SIM_SLOT_TICK, cpu->id));

	if (with_tick && tick < next)
		next = tick;
	return next > s->now ? next - s->now : 0;
}

/*
 * menu_select() without latency limits: the deepest state that the prediction pays for.
 * Where the tick is stopped already, a wrong guess would cost more: only timers count.
 */
static uint32_t choose(const struct sim *s, struct sim_cpu *cpu, uint64_t timer)
{
	uint32_t typical = typical_interval(cpu), best = 0;

	cpu->predicted = timer;
	if (typical != UNPREDICTABLE && typical * US < timer &&
	    !(cpu->tick_stopped && typical * US < s->tick_ns))
		cpu->predicted = typical * US;
	for (uint32_t i = 1; i < s->nr_idle_states; i++) {
		const struct sim_idle_state *state = &s->idle_states[i];

		if (state->residency <= cpu->predicted)
			best = i;
		else if (!best && s->idle_states[0].kind == MACHINE_IDLE_POLL &&
			 state->kind != MACHINE_IDLE_CEDE && state->residency <= timer)
			return i;	/* rather a physical state than polling */
		else
			break;
	}
	return best;
}

/* The tick goes on and would come before the state has paid off: a shallower one. */
static uint32_t before_tick(const struct sim *s, struct sim_cpu *cpu, uint32_t index)
{
	uint64_t tick = next_timer(s, cpu, 1);

	while (index && s->idle_states[index].residency > tick)
		index--;
	return index;
}

static void stop_tick(struct sim *s, struct sim_cpu *cpu)
{
	if (cpu->tick_stopped)
		return;
	sim_tick_stop(s, cpu);
	sim_nohz_enter(s, cpu);
}

static void enter_state(struct sim *s, struct sim_cpu *cpu, uint32_t index, uint64_t timer)
{
	const struct sim_idle_state *state = &s->idle_states[index];
	struct sched_rq *rq = &s->state->rq[cpu->id];
	uint64_t again = SIM_NEVER;

	sim_cpu_account(s, cpu);
	cpu->idle_state = index;
	cpu->idle_since = s->now;
	cpu->polling = state->kind == MACHINE_IDLE_POLL || state->kind == MACHINE_IDLE_MWAIT;
	s->counts.idle_entries[index]++;
	if (state->kind == MACHINE_IDLE_CEDE)
		rq->yield_count++;
	rq->lppaca_idle = s->state->lpar != 0;
	if (state->kind == MACHINE_IDLE_POLL && index + 1 < s->nr_idle_states &&
	    s->idle_states[index + 1].residency < timer)
		again = s->idle_states[index + 1].residency;
	if (s->watch.idle)
		s->watch.idle(s->watch.arg, s->now, cpu->id, index);
	sim_cpu_begin(s, cpu, SIM_ACT_IDLE, again);
}

/* One turn of do_idle(); at_least: the state that a poll's time limit leads to. */
static void idle_turn(struct sim *s, struct sim_cpu *cpu, uint32_t at_least)
{
	uint64_t timer = next_timer(s, cpu, 0);
	uint32_t index = choose(s, cpu, timer), stops;

	if (index < at_least) {
		index = at_least;
		cpu->predicted = s->idle_states[index].residency;
	}
	stops = cpu->tick_stopped || (cpu->predicted >= s->tick_ns &&
				      s->idle_states[index].kind != MACHINE_IDLE_POLL);
	sched_idle_enter(s->state, s->rules, cpu->id, stops);
	if (stops)
		stop_tick(s, cpu);
	else
		index = before_tick(s, cpu, index);
	enter_state(s, cpu, index, timer);
}

void sim_idle_enter(struct sim *s, struct sim_cpu *cpu)
{
	cpu->below = SIM_ACT_IDLE;
	cpu->below_left = SIM_NEVER;
	sim_cpu_next(s, cpu);
}

static void remember(struct sim_cpu *cpu, uint64_t ns)
{
	uint64_t us = ns / US;

	cpu->intervals[cpu->interval_next] = us < INT32_MAX ? (uint32_t)us : INT32_MAX;
	cpu->interval_next = (cpu->interval_next + 1) % SIM_INTERVALS;
}

/* Something came: what the governor learns of the state, and what the LPAR's words say. */
static void leave_state(struct sim *s, struct sim_cpu *cpu)
{
	const struct sim_idle_state *state = &s->idle_states[cpu->idle_state];
	uint64_t spent = s->now - cpu->idle_since;

	s->counts.idle_early[cpu->idle_state] += spent < state->residency;
	if (state->kind == MACHINE_IDLE_CEDE)
		s->state->rq[cpu->id].yield_count++;
	s->state->rq[cpu->id].lppaca_idle = 0;
	remember(cpu, spent);
}

void sim_idle_again(struct sim *s, struct sim_cpu *cpu)
{
	if (cpu->need_resched || s->rqs[cpu->id].nr_running || cpu->push_cpu != SIM_NO_CPU) {
		if (cpu->tick_stopped)
			sim_tick_start(s, cpu);
		sim_cpu_schedule(s, cpu);
		return;
	}
	idle_turn(s, cpu, 0);
}

void sim_idle_poll_ended(struct sim *s, struct sim_cpu *cpu)
{
	leave_state(s, cpu);
	idle_turn(s, cpu, cpu->idle_state + 1);
}

void sim_idle_leave(struct sim *s, struct sim_cpu *cpu)
{
	const struct sim_idle_state *state = &s->idle_states[cpu->idle_state];

	leave_state(s, cpu);
	cpu->polled = cpu->polling && !(cpu->pending & (SIM_PEND_TICK | SIM_PEND_TIMER));
	cpu->polling = 0;
	if (s->watch.idle)
		s->watch.idle(s->watch.arg, s->now, cpu->id, UINT32_MAX);
	sim_cpu_begin(s, cpu, SIM_ACT_IDLE_EXIT, state->exit);
}

void sim_idle_awake(struct sim *s, struct sim_cpu *cpu)
{
	cpu->below = SIM_ACT_IDLE;
	cpu->below_left = SIM_NEVER;
	sim_cpu_next(s, cpu);
}
