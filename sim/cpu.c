// SPDX-License-Identifier: GPL-2.0-only
/* What a CPU does: activities, the speed they go at, and what follows. */
#include "sim/balance.h"
#include "sim/irq.h"

static int is_scaled(uint32_t activity)
{
	return activity == SIM_ACT_TASK || activity == SIM_ACT_SCHEDULE ||
	       activity == SIM_ACT_NEWIDLE || activity == SIM_ACT_SWITCH ||
	       activity == SIM_ACT_IRQ;
}

/* What a CPU takes from the other threads of its core: spinning with pause is little. */
static enum sim_presence presence_of(const struct sim *s, const struct sim_cpu *cpu)
{
	switch (cpu->activity) {
	case SIM_ACT_IDLE:
		return s->idle_states[cpu->idle_state].kind == MACHINE_IDLE_POLL ?
			SIM_SPINS : SIM_ASLEEP;
	case SIM_ACT_IDLE_EXIT:
	case SIM_ACT_OFFLINE:
		return SIM_ASLEEP;
	case SIM_ACT_SPIN:
		return SIM_SPINS;
	default:
		return SIM_BUSY;
	}
}

static uint64_t duration(uint64_t work, uint32_t speed)
{
	return speed == SIM_FULL_SPEED ? work :
		(work * SIM_FULL_SPEED + speed - 1) / speed;
}

/* The speed of a busy thread: what its core's other threads leave it. */
static uint32_t core_speed(const struct sim *s, uint32_t cpu)
{
	const struct sched_topology_cpu *topo = &s->topo->cpus[cpu];
	uint32_t busy = 1, spins = 0, speed;

	for (uint32_t i = 0; i < topo->nr_smt; i++) {
		const struct sim_cpu *thread = &s->cpus[topo->smt[i]];

		if (thread->id == cpu)
			continue;
		busy += thread->presence == SIM_BUSY;
		spins |= thread->presence == SIM_SPINS;
	}
	speed = s->cost.speed[busy];
	return spins ? (uint32_t)((uint64_t)speed * s->cost.speed_spin / SIM_FULL_SPEED) : speed;
}

/* Memory accesses to another package's pages take longer. */
static uint32_t memory_speed(const struct sim *s, const struct sim_cpu *cpu, uint32_t speed)
{
	const struct sim_task *task = cpu->curr == SIM_NO_TASK ? NULL : &s->tasks[cpu->curr];
	uint32_t slow;

	if (!task || !task->memory || task->home == s->places[cpu->id].package)
		return speed;
	slow = 10000 + task->memory * (s->cost.memory_remote - 100);
	return (uint32_t)((uint64_t)speed * 10000 / slow);
}

static uint32_t speed_of(const struct sim *s, const struct sim_cpu *cpu)
{
	uint32_t speed = SIM_FULL_SPEED;

	if (!is_scaled(cpu->activity))
		return speed;
	if (s->topo->smt_active)
		speed = core_speed(s, cpu->id);
	return cpu->activity == SIM_ACT_TASK ? memory_speed(s, cpu, speed) : speed;
}

static void set_action(struct sim *s, struct sim_cpu *cpu)
{
	uint32_t slot = sim_slot(s, SIM_SLOT_ACTION, cpu->id);

	if (cpu->left == SIM_NEVER || cpu->stolen)
		sim_events_cancel(&s->events, slot);
	else
		sim_events_set(&s->events, slot, s->now + duration(cpu->left, cpu->speed));
}

/* Work left of the activity that goes on. */
static uint64_t remaining(const struct sim *s, const struct sim_cpu *cpu)
{
	uint64_t done = (s->now - cpu->since) * cpu->speed / SIM_FULL_SPEED;

	if (cpu->left == SIM_NEVER || cpu->stolen)
		return cpu->left;
	return done < cpu->left ? cpu->left - done : 0;
}

static void rerate(struct sim *s, struct sim_cpu *cpu)
{
	uint32_t speed = speed_of(s, cpu);

	if (speed == cpu->speed || !is_scaled(cpu->activity))
		return;
	cpu->left = remaining(s, cpu);
	cpu->since = s->now;
	cpu->speed = speed;
	set_action(s, cpu);
}

static void rerate_siblings(struct sim *s, const struct sim_cpu *cpu)
{
	const struct sched_topology_cpu *topo = &s->topo->cpus[cpu->id];

	for (uint32_t i = 0; i < topo->nr_smt; i++) {
		if (topo->smt[i] != cpu->id)
			rerate(s, &s->cpus[topo->smt[i]]);
	}
}

void sim_cpu_begin(struct sim *s, struct sim_cpu *cpu, enum sim_activity activity, uint64_t work)
{
	enum sim_presence before = cpu->presence;

	if ((before == SIM_BUSY) != (activity != SIM_ACT_IDLE && activity != SIM_ACT_IDLE_EXIT))
		sim_cpu_account(s, cpu);
	cpu->activity = (uint8_t)activity;
	cpu->presence = (uint8_t)presence_of(s, cpu);
	cpu->since = s->now;
	cpu->left = work;
	cpu->speed = speed_of(s, cpu);
	set_action(s, cpu);
	if (s->topo->smt_active && cpu->presence != before)
		rerate_siblings(s, cpu);
}

/* Starts what was prepared in below and below_left, unless something is more urgent. */
static void go_on(struct sim *s, struct sim_cpu *cpu)
{
	const struct sim_task *task = sim_curr(s, cpu);

	if (cpu->pending)
		sim_irq_begin(s, cpu);
	else if (task && cpu->need_resched && (!task->kernel || s->config.kernel.preempt))
		sim_cpu_schedule(s, cpu);
	else if (task && !cpu->below_left)
		sim_program_step(s, cpu);
	else
		sim_cpu_begin(s, cpu, cpu->below, cpu->below_left);
}

void sim_cpu_run(struct sim *s, struct sim_cpu *cpu, enum sim_activity activity, uint64_t work)
{
	cpu->below = (uint8_t)activity;
	cpu->below_left = work;
	go_on(s, cpu);
}

void sim_cpu_cut(struct sim *s, struct sim_cpu *cpu, uint64_t work)
{
	if (cpu->activity == SIM_ACT_SPIN) {
		sim_cpu_begin(s, cpu, SIM_ACT_TASK, work);
		return;
	}
	cpu->below = SIM_ACT_TASK;
	cpu->below_left = work;
}

void sim_cpu_next(struct sim *s, struct sim_cpu *cpu)
{
	if (cpu->below == SIM_ACT_IDLE && !cpu->pending)
		sim_idle_again(s, cpu);
	else
		go_on(s, cpu);
}

void sim_cpu_interrupt(struct sim *s, struct sim_cpu *cpu, uint32_t pending)
{
	cpu->pending |= (uint8_t)pending;
	if (cpu->stolen || !cpu->pending)
		return;
	if (cpu->activity == SIM_ACT_IDLE) {
		sim_idle_leave(s, cpu);
	} else if ((cpu->activity == SIM_ACT_TASK && cpu->waking == SIM_NO_TASK) ||
		   cpu->activity == SIM_ACT_SPIN) {
		cpu->below = cpu->activity;
		cpu->below_left = remaining(s, cpu);
		sim_irq_begin(s, cpu);
	}
}

uint64_t sim_resched(struct sim *s, uint32_t from, struct sim_cpu *cpu)
{
	if (cpu->need_resched)
		return 0;
	cpu->need_resched = 1;
	/* Its own idle loop sees the flag: only an interrupt can have run there. */
	return from == cpu->id ? 0 : sim_send_ipi(s, from, cpu, 0);
}

/* A polling CPU sees its flag's line change; others need an interrupt. */
static uint64_t ipi_latency(struct sim *s, uint32_t from, const struct sim_cpu *cpu)
{
	if (cpu->polling) {
		s->counts.no_ipis++;
		return s->fabric.hot[sim_level(&s->fabric, from, cpu->id)];
	}
	s->counts.ipis++;
	return s->places[from].package == s->places[cpu->id].package ?
		s->cost.ipi : s->cost.ipi_remote;
}

uint64_t sim_send_ipi(struct sim *s, uint32_t from, const struct sim_cpu *cpu, uint64_t after)
{
	uint32_t slot = sim_slot(s, SIM_SLOT_IPI, cpu->id);
	uint64_t time = s->now + after + ipi_latency(s, from, cpu);

	if (sim_events_time(&s->events, slot) > time)
		sim_events_set(&s->events, slot, time);
	return cpu->polling ? 0 : s->cost.ipi_send;
}

/* An IPI arrives: what was it for? */
void sim_cpu_ipi(struct sim *s, struct sim_cpu *cpu)
{
	uint32_t pending = 0;

	if (cpu->wake_list != SIM_NO_TASK)
		pending |= SIM_PEND_WAKELIST;
	if (cpu->need_resched)
		pending |= SIM_PEND_RESCHED;
	if (cpu->nohz_kicked)
		pending |= SIM_PEND_BALANCE;
	if (cpu->push_cpu != SIM_NO_CPU)
		pending |= SIM_PEND_STOP;
	sim_cpu_interrupt(s, cpu, pending);
}

/* The hypervisor takes the physical CPU away, or gives it back. */
void sim_cpu_steal(struct sim *s, struct sim_cpu *cpu)
{
	uint64_t window = s->config.vcpu.window, share = s->config.vcpu.share;
	struct sched_rq *rq = &s->state->rq[cpu->id];

	if (!cpu->stolen) {
		cpu->left = remaining(s, cpu);
		cpu->stolen = 1;
		if (cpu->activity != SIM_ACT_IDLE) {
			rq->yield_count++;
			rq->preempted = 1;
		}
		set_action(s, cpu);
		cpu->since = s->now;
		sim_events_set(&s->events, sim_slot(s, SIM_SLOT_STEAL, cpu->id),
			       s->now + window - share);
		return;
	}
	cpu->stolen = 0;
	if (cpu->activity != SIM_ACT_IDLE) {
		rq->yield_count++;
		rq->preempted = 0;
		cpu->irq_time += s->now - cpu->since;
	}
	cpu->since = s->now;
	set_action(s, cpu);
	sim_events_set(&s->events, sim_slot(s, SIM_SLOT_STEAL, cpu->id), s->now + share);
	sim_cpu_interrupt(s, cpu, 0);
}

void sim_cpu_action(struct sim *s, struct sim_cpu *cpu)
{
	switch (cpu->activity) {
	case SIM_ACT_IDLE:
		sim_idle_poll_ended(s, cpu);
		break;
	case SIM_ACT_IDLE_EXIT:
		sim_idle_awake(s, cpu);
		break;
	case SIM_ACT_TASK:
	case SIM_ACT_SPIN:
		sim_program_step(s, cpu);
		break;
	case SIM_ACT_WAIT_ON_CPU:
		if (cpu->irq_busy)
			sim_irq_step(s, cpu);
		else
			sim_program_step(s, cpu);
		break;
	case SIM_ACT_IRQ:
		sim_irq_step(s, cpu);
		break;
	case SIM_ACT_SCHEDULE:
		sim_schedule_pick(s, cpu);
		break;
	case SIM_ACT_NEWIDLE:
		sim_schedule_newidle(s, cpu);
		break;
	case SIM_ACT_SWITCH:
		sim_schedule_finish(s, cpu);
		break;
	}
}
