// SPDX-License-Identifier: GPL-2.0-only
/*
 * try_to_wake_up() in steps, each with its time on the waker's CPU: the state is tested,
 * a CPU is selected as things stand at the start of the selection, and only when that is
 * over the wakee is queued. What other CPUs do meanwhile is not seen.
 */
#include "sim/balance.h"
#include "sim/irq.h"

enum wake_step_of_sim {
	STEP_TEST,		/* its lines are here: does it sleep? */
	STEP_SELECT,		/* it sleeps, and has left its CPU */
	STEP_QUEUE,		/* the CPU is chosen */
	STEP_QUEUED,		/* done, and paid for */
};

static struct sched_task *waker_of(struct sim *s, const struct sim_cpu *cpu)
{
	return cpu->curr == SIM_NO_TASK ? &s->idle_tasks[cpu->id] : &s->tasks[cpu->curr].pub;
}

static struct sched_wake request_of(struct sim *s, const struct sim_cpu *cpu,
				    struct sim_task *wakee)
{
	return (struct sched_wake){
		.waker = waker_of(s, cpu),
		.wakee = &wakee->pub,
		.cpu = cpu->id,
		.prev = wakee->fair.cpu,
		.flags = wakee->event.flags,
		.in_task = wakee->event.in_task,
	};
}

uint64_t sim_wake_begin(struct sim *s, struct sim_cpu *cpu, uint32_t task, uint32_t flags,
			uint32_t in_task)
{
	struct sim_task *wakee = &s->tasks[task];
	uint64_t ns = s->cost.wake;

	cpu->waking = task;
	cpu->wake_step = STEP_TEST;
	cpu->wake_flags = flags | WAKE_WF_TTWU;
	cpu->wake_in_task = in_task;
	s->counts.wakes++;
	s->counts.sync_wakes += !!(flags & WAKE_WF_SYNC);
	ns += sim_fetch(&s->fabric, wakee->lines_cpu, cpu->id, s->cost.wake_lines);
	wakee->lines_cpu = cpu->id;
	return ns;
}

static uint64_t done(struct sim_cpu *cpu)
{
	cpu->waking = SIM_NO_TASK;
	return SIM_WAKE_DONE;
}

/* What it found there, as of the selection. */
static enum sim_landing landing_of(const struct sim *s, const struct sim_task *wakee,
				   const struct wake_decision *d)
{
	const struct wake_span *span;
	uint16_t llc = s->topo->cpus[d->target].llc;

	if (wake_mask_has(s->state->idle, d->cpu))
		return SIM_LANDED_IDLE;
	if (sched_only_idle_policy(&s->state->rq[d->cpu]))
		return SIM_LANDED_SCHED_IDLE;
	if (llc == SCHED_NO_SPAN)
		return SIM_LANDED_STACKED;
	span = &s->topo->spans[llc];
	for (uint32_t w = span->first; w <= span->last; w++) {
		if (span->bits[w] & s->state->idle[w] & wakee->pub.allowed[w])
			return SIM_LANDED_MISSED;
	}
	return SIM_LANDED_STACKED;
}

static void count(struct sim *s, const struct sim_cpu *cpu, struct sim_task *wakee)
{
	struct sim_wake_event *e = &wakee->event;
	const struct wake_decision *d = &e->decision;

	e->landing = e->selected ? landing_of(s, wakee, d) : SIM_LANDED_UNSELECTED;
	s->counts.landings[e->landing]++;
	s->counts.wakes_by_reason[d->reason]++;
	s->counts.wakes_by_affine[d->affine]++;
	s->counts.wakes_by_distance[sim_level(&s->fabric, e->prev, d->cpu)]++;
	s->counts.wakes_by_waker[sim_level(&s->fabric, cpu->id, d->cpu)]++;
	s->counts.probes += d->probes;
}

static int is_selection(const struct wake_decision *d)
{
	return d->reason != WAKE_REASON_ONE_ALLOWED && d->reason != WAKE_REASON_ON_CPU &&
	       d->reason != WAKE_REASON_DELAYED;
}

static uint32_t has_idle_cores(const struct sim *s, uint32_t cpu)
{
	const struct wake_llc *llc = sched_llc(s->state, cpu);

	return llc ? llc->has_idle_cores : 0;
}

/* The shared words that the selection may have written. */
static uint64_t hints_written(struct sim *s, uint32_t cpu, uint32_t target, uint32_t before)
{
	if (has_idle_cores(s, target) == before)
		return 0;
	return sim_line_write(&s->fabric, &s->llc_lines[s->topo->cpus[target].llc].hints, cpu,
			      s->now);
}

static uint64_t select_cpu(struct sim *s, struct sim_cpu *cpu, struct sim_task *wakee)
{
	struct sim_wake_event *e = &wakee->event;
	struct sched_wake wake = request_of(s, cpu, wakee);
	uint64_t jiffies = sim_jiffies(s), ns;
	uint32_t prev_hint = has_idle_cores(s, wake.prev), this_hint = has_idle_cores(s, cpu->id);
	struct sim_task *waker = sim_curr(s, cpu);

	e->time = s->now;
	wakee->pub.on_cpu = 0;
	wakee->pub.load = fair_h_load(&wakee->fair, jiffies);
	if (waker)
		waker->pub.load = fair_h_load(&waker->fair, jiffies);
	e->logged = s->watch.wants_log &&
		    s->watch.wants_log(s->watch.arg, s->now, cpu->id, wakee->id);
	ns = e->logged ? sim_select_log(s, cpu->id, &wake, &e->decision) :
			 sim_select(s, cpu->id, &wake, &e->decision);
	ns += hints_written(s, cpu->id, e->decision.target,
			    e->decision.target == cpu->id ? this_hint : prev_hint);
	e->selected = is_selection(&e->decision);
	s->counts.select_ns += ns;
	count(s, cpu, wakee);
	return ns;
}

static uint64_t queue(struct sim *s, struct sim_cpu *cpu, struct sim_task *wakee);

/* p->on_rq: it had not slept yet, and goes on where it is (ttwu_runnable()). */
static uint64_t wake_queued(struct sim *s, struct sim_cpu *cpu, struct sim_task *wakee)
{
	s->counts.unneeded++;
	if (wakee->state == SIM_TASK_SLEEPING)
		wakee->state = SIM_TASK_RUNNING;
	return done(cpu);
}

static uint64_t test(struct sim *s, struct sim_cpu *cpu, struct sim_task *wakee)
{
	struct sim_wake_event *e = &wakee->event;

	if (wakee->state != SIM_TASK_SLEEPING || wakee->fair.on_rq)
		return wake_queued(s, cpu, wakee);
	wakee->state = SIM_TASK_WAKING;
	e->cpu = cpu->id;
	e->prev = wakee->fair.cpu;
	e->waker = cpu->curr;
	e->wakee = wakee->id;
	e->flags = cpu->wake_flags;
	e->in_task = cpu->wake_in_task;
	cpu->wake_step = STEP_SELECT;
	if (!wakee->on_cpu)
		return sim_wake_step(s, cpu);
	wakee->pub.on_cpu = 1;
	if (sim_leaves_on_cpu(s, &(struct sched_wake){ .wakee = &wakee->pub, .cpu = cpu->id,
						       .prev = e->prev })) {
		e->time = s->now;
		e->selected = e->logged = 0;
		e->decision = (struct wake_decision){ .cpu = e->prev, .target = e->prev,
						      .reason = WAKE_REASON_ON_CPU };
		count(s, cpu, wakee);
		return queue(s, cpu, wakee);
	}
	wakee->spinner = cpu->id;
	sim_cpu_begin(s, cpu, SIM_ACT_WAIT_ON_CPU, SIM_NEVER);
	return SIM_WAKE_WAITS;
}

void sim_wake_release(struct sim *s, struct sim_task *task)
{
	struct sim_cpu *cpu = &s->cpus[task->spinner];

	task->spinner = SIM_NO_CPU;
	sim_events_set(&s->events, sim_slot(s, SIM_SLOT_ACTION, cpu->id), s->now);
}

/* rq->avg_idle follows the idle period that ends (ttwu_do_activate()). */
static void end_idle_period(struct sim *s, struct sim_cpu *cpu)
{
	struct sched_rq *rq = &s->state->rq[cpu->id];
	uint64_t most = 2 * cpu->max_idle_balance_cost, average;
	int64_t away;

	if (!cpu->idle_stamp)
		return;
	away = (int64_t)(s->now - cpu->idle_stamp) - (int64_t)rq->avg_idle;
	average = (uint64_t)((int64_t)rq->avg_idle + away / 8);
	s->state->jiffies = sim_jiffies(s);
	sched_idle_exit(s->state, s->rules, cpu->id, average < most ? average : most);
	cpu->idle_stamp = 0;
}

uint64_t sim_check_preempt(struct sim *s, uint32_t from, struct sim_task *task)
{
	struct sim_cpu *cpu = &s->cpus[task->fair.cpu];
	struct fair_rq *rq = &s->rqs[cpu->id];

	if (cpu->curr == SIM_NO_TASK)
		return sim_resched(s, from, cpu);
	if (!rq->curr)
		return 0;
	s->ops->wakeup_preempt(rq, &task->fair);
	return rq->resched ? sim_resched(s, from, cpu) : 0;
}

uint64_t sim_wake_activate(struct sim *s, uint32_t from, struct sim_task *task,
			   uint32_t fair_flags)
{
	struct sim_cpu *cpu = &s->cpus[task->fair.cpu];
	uint64_t ns = sim_line_write(&s->fabric, &s->lines[cpu->id].rq, from, s->now);

	ns += sim_line_write(&s->fabric, &s->lines[cpu->id].load, from, s->now + ns);
	sim_activate(s, task, cpu->id, fair_flags);
	task->state = SIM_TASK_RUNNING;
	ns += sim_check_preempt(s, from, task);
	if (fair_flags & FAIR_WAKEUP)
		end_idle_period(s, cpu);
	return ns;
}

/* ttwu_queue_wakelist(): leave the enqueue to the wakee's CPU? */
static int queues_remotely(const struct sim *s, uint32_t from, const struct sim_task *wakee,
			   uint32_t cpu)
{
	if (!s->rules->ttwu_queue)
		return 0;
	if (wakee->event.decision.reason == WAKE_REASON_ON_CPU)
		return 1;
	if (s->topo->cpus[from].llc_id != s->topo->cpus[cpu].llc_id)
		return from != cpu;
	return s->rules->on_cpu == WAKE_ON_CPU_IDLE && from != cpu &&
	       !s->state->rq[cpu].nr_running;
}

static uint64_t queue_remotely(struct sim *s, struct sim_cpu *from, struct sim_task *wakee,
			       struct sim_cpu *cpu)
{
	uint32_t was_empty = cpu->wake_list == SIM_NO_TASK;
	uint64_t ns = sim_line_write(&s->fabric, &s->lines[cpu->id].rq, from->id, s->now);

	sched_pending(s->state, cpu->id, 1);
	wakee->wake_next = SIM_NO_TASK;
	if (was_empty)
		cpu->wake_list = wakee->id;
	else
		s->tasks[cpu->wake_tail].wake_next = wakee->id;
	cpu->wake_tail = wakee->id;
	return was_empty ? ns + sim_send_ipi(s, from->id, cpu, ns) : ns;
}

static void tell(struct sim *s, struct sim_task *wakee)
{
	s->counts.records += 2;	/* sched_waking, sched_wakeup */
	wakee->event.queued = s->now;
	if (s->watch.wake)
		s->watch.wake(s->watch.arg, &wakee->event, wakee->event.logged ? s->log : NULL);
}

static uint64_t queue(struct sim *s, struct sim_cpu *cpu, struct sim_task *wakee)
{
	struct sim_cpu *to = &s->cpus[wakee->event.decision.cpu];
	uint32_t moves = to->id != wakee->fair.cpu;

	cpu->wake_step = STEP_QUEUED;
	wakee->migrated = (uint8_t)moves;
	if (moves)
		sim_set_cpu(s, wakee, to->id, SIM_MIGRATE_WAKE);
	if (queues_remotely(s, cpu->id, wakee, to->id))
		return queue_remotely(s, cpu, wakee, to);
	tell(s, wakee);
	return s->cost.enqueue +
	       sim_wake_activate(s, cpu->id, wakee,
				 FAIR_WAKEUP | (moves ? FAIR_MIGRATED : 0));
}

uint64_t sim_wake_step(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_task *wakee = &s->tasks[cpu->waking];
	uint64_t ns;

	switch (cpu->wake_step) {
	case STEP_TEST:
		return test(s, cpu, wakee);
	case STEP_SELECT:
		cpu->wake_step = STEP_QUEUE;
		ns = select_cpu(s, cpu, wakee);
		return ns ? ns : queue(s, cpu, wakee);
	case STEP_QUEUE:
		return queue(s, cpu, wakee);
	default:
		return done(cpu);
	}
}

uint32_t sim_wake_list(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_task *wakee;
	uint32_t more;

	if (cpu->wake_list == SIM_NO_TASK)
		return 0;
	if (!s->pending_late)
		sched_pending(s->state, cpu->id, 0);
	wakee = &s->tasks[cpu->wake_list];
	cpu->wake_list = wakee->wake_next;
	more = cpu->wake_list != SIM_NO_TASK;
	tell(s, wakee);
	sim_wake_activate(s, cpu->id, wakee,
			  FAIR_WAKEUP | (wakee->migrated ? FAIR_MIGRATED : 0));
	if (!more)
		sched_pending(s->state, cpu->id, 0);
	return more;
}

uint64_t sim_wake_new(struct sim *s, struct sim_cpu *cpu, struct sim_task *task,
		      struct sim_task *parent)
{
	struct sched_task own = task->pub;
	uint64_t ns = 0;
	uint32_t to;

	sched_fork(&task->pub, &parent->pub, task->id + 1, cpu->id);
	own.wake = task->pub.wake;
	task->pub = own;
	task->fair.cpu = cpu->id;
	sim_clock(s, cpu->id);
	s->ops->fork(&s->rqs[cpu->id], &task->fair, &parent->fair);
	to = sim_find_idlest_cpu(s, task, cpu->id, &ns);
	task->fair.cpu = to;
	s->counts.migrations[SIM_MIGRATE_FORK] += to != cpu->id;
	return ns;
}

uint64_t sim_wake_new_queue(struct sim *s, struct sim_cpu *cpu, struct sim_task *task)
{
	task->born = task->since = s->now;
	s->counts.records++;	/* sched_wakeup_new */
	return s->cost.enqueue + sim_wake_activate(s, cpu->id, task, FAIR_NEW);
}
