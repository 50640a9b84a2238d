// SPDX-License-Identifier: GPL-2.0-only
/* load_balance() of kernel/sched/fair.c, v5.5 to v6.5: one domain, for one CPU. */
#include "sim/balance_private.h"
#include "sim/irq.h"

#define PINNED_INTERVAL_MAX	512	/* MAX_PINNED_INTERVAL, ms */

int sim_should_balance(const struct sim *s, uint32_t dst, const struct sim_domain *sd,
		       enum sim_idle_type idle)
{
	const struct sim_balance_system *b = s->balance;
	const struct sim_group *own = sim_domain_group(b->groups, sd, 0);

	if (idle == SIM_CPU_NEWLY_IDLE)
		return !b->rules.newidle_bails ||
		       (!s->rqs[dst].nr_running && !s->state->rq[dst].ttwu_pending);
	sim_set_for_each(cpu, &own->balance, b->active) {
		if (sim_idle_cpu(s, cpu))
			return cpu == dst;
	}
	return sim_set_first(&own->balance) == dst;
}

/* The imbalance flag of the group that this domain is for the one above. */
static struct sim_group *group_above(const struct sim_lb *lb)
{
	return lb->parent ? sim_domain_group(lb->s->balance->groups, lb->parent, 0) : NULL;
}

/* out_one_pinned: a longer interval, for newidle balance comes unasked. */
static void back_off(struct sim_lb *lb)
{
	struct sim_domain *sd = lb->sd;

	if (lb->idle == SIM_CPU_NEWLY_IDLE)
		return;
	if (sd->balance_interval < sd->max_interval ||
	    ((lb->flags & SIM_LB_ALL_PINNED) && sd->balance_interval < PINNED_INTERVAL_MAX))
		sd->balance_interval *= 2;
}

/* out_balanced */
static void balanced(struct sim_lb *lb)
{
	struct sim_group *above = group_above(lb);

	if (above && !(lb->flags & SIM_LB_ALL_PINNED))
		above->imbalance = 0;
	lb->sd->nr_balance_failed = 0;
	back_off(lb);
}

static int prefers_asym(const struct sim_lb *lb)
{
	return lb->idle != SIM_CPU_NOT_IDLE && (lb->sd->flags & MACHINE_SD_ASYM_PACKING) &&
	       sim_asym_prefer(lb->s->config.machine, lb->dst, lb->src);
}

/* Reasons for active balance that are no failure to move (voluntary_active_balance()). */
static int is_voluntary(const struct sim_lb *lb)
{
	return prefers_asym(lb) || lb->type == SIM_MOVE_MISFIT;
}

static int needs_active_balance(const struct sim_lb *lb)
{
	if (is_voluntary(lb))
		return 1;
	if (lb->s->balance->rules.active_by_task && lb->type != SIM_MOVE_TASK)
		return 0;
	return lb->sd->nr_balance_failed > lb->sd->cache_nice_tries + 2;
}

/* The stopper of src shall push its running task to the CPU that was balanced for. */
static void kick_stopper(struct sim_lb *lb)
{
	struct sim_cpu *src = &lb->s->cpus[lb->src];

	src->active_balance = 1;
	src->push_cpu = lb->this_cpu;
	if (src == lb->cpu) {
		sim_cpu_interrupt(lb->s, src, SIM_PEND_STOP);
		return;
	}
	lb->ns += src->polling ? 0 : lb->s->cost.ipi_send;
	sim_send_ipi(lb->s, lb->cpu->id, src, lb->ns);
}

/* Returns 1 if the task that runs on src may not go there; *active: its stopper moves it. */
static int active_balance(struct sim_lb *lb, int *active)
{
	struct sim *s = lb->s;
	struct sim_cpu *src = &s->cpus[lb->src];

	if (src->curr == SIM_NO_TASK ||
	    !wake_mask_has(s->tasks[src->curr].pub.allowed, lb->this_cpu)) {
		if (!s->balance->rules.active_by_task)
			lb->flags |= SIM_LB_ALL_PINNED;
		return 1;
	}
	lb->flags &= ~(uint32_t)SIM_LB_ALL_PINNED;
	if (!src->active_balance) {
		kick_stopper(lb);
		*active = 1;
	}
	/* Up to v5.11 that counted as a new beginning, one failure short of the next kick. */
	if (!s->balance->rules.active_by_task)
		lb->sd->nr_balance_failed = lb->sd->cache_nice_tries + 1;
	return 0;
}

/* Nothing moved: a failure, or the time of the stopper. */
static uint32_t failed(struct sim_lb *lb)
{
	const struct sim_balance_rules *rules = &lb->s->balance->rules;
	struct sim_domain *sd = lb->sd;
	int active = 0;

	if (lb->idle != SIM_CPU_NEWLY_IDLE)
		sd->nr_balance_failed++;
	if (needs_active_balance(lb) && active_balance(lb, &active)) {
		back_off(lb);
		return 0;
	}
	if (!active || (rules->active_by_task ? needs_active_balance(lb) : is_voluntary(lb)))
		sd->balance_interval = sd->min_interval;
	else if (!rules->active_by_task && sd->balance_interval < sd->max_interval)
		sd->balance_interval *= 2;
	return 0;
}

/* Are only CPUs of dst's own group left? */
static int none_left(const struct sim_lb *lb)
{
	const struct sim_set *own = &sim_domain_group(lb->s->balance->groups, lb->sd, 0)->balance;

	sim_set_for_each(cpu, &lb->sd->span, lb->cpus) {
		if (!sim_set_has(own, cpu))
			return 0;
	}
	return 1;
}

/* From one run queue, to other CPUs of the group too where dst is barred. */
static uint32_t pull(struct sim_lb *lb)
{
	struct sim_group *above = group_above(lb);
	uint32_t nr = lb->s->rqs[lb->src].nr_running, moved;

	lb->flags |= SIM_LB_ALL_PINNED;
	lb->loop_max = nr < SIM_NR_MIGRATE ? nr : SIM_NR_MIGRATE;
	moved = sim_move_tasks(lb);
	while ((lb->flags & SIM_LB_DST_PINNED) && lb->imbalance > 0) {
		wake_mask_clear(lb->cpus, lb->dst);
		lb->dst = lb->new_dst;
		lb->flags &= ~(uint32_t)SIM_LB_DST_PINNED;
		lb->loop = 0;
		moved += sim_move_tasks(lb);
	}
	if (above && (lb->flags & SIM_LB_SOME_PINNED) && lb->imbalance > 0)
		above->imbalance = 1;
	return moved;
}

/* One domain after another CPU as the busiest, as long as all of its tasks are pinned. */
static uint32_t balance(struct sim_lb *lb)
{
	for (;;) {
		struct sim_group *group = sim_busiest_group(lb);
		uint32_t moved = 0;

		lb->src = group ? sim_busiest_cpu(lb, group) : SIM_NO_GROUP;
		if (lb->src == SIM_NO_GROUP) {
			balanced(lb);
			return 0;
		}
		if (lb->s->balance->rules.active_by_task)
			lb->flags |= SIM_LB_ALL_PINNED;
		if (lb->s->rqs[lb->src].nr_running > 1)
			moved = pull(lb);
		if (moved) {
			lb->sd->nr_balance_failed = 0;
			lb->sd->balance_interval = lb->sd->min_interval;
			return moved;
		}
		if (lb->s->rqs[lb->src].nr_running <= 1 || !(lb->flags & SIM_LB_ALL_PINNED))
			return failed(lb);
		wake_mask_clear(lb->cpus, lb->src);
		if (none_left(lb)) {
			lb->sd->nr_balance_failed = 0;
			back_off(lb);
			return 0;
		}
		lb->loop = 0;
	}
}

static enum sim_migration reason(const struct sim *s, const struct sim_cpu *cpu,
				 enum sim_idle_type idle)
{
	if (idle == SIM_CPU_NEWLY_IDLE)
		return SIM_MIGRATE_NEWIDLE;
	return s->balance->cpus[cpu->id].pass.kind == SIM_PASS_NOHZ ? SIM_MIGRATE_NOHZ :
								     SIM_MIGRATE_PERIODIC;
}

static void begin(struct sim_lb *lb, struct sim *s, uint32_t dst, uint32_t i,
		  enum sim_idle_type idle)
{
	const struct sim_balance_system *b = s->balance;

	lb->s = s;
	lb->dst = lb->this_cpu = dst;
	lb->idle = idle;
	lb->sd = sim_domain(b->groups, dst, i);
	lb->parent = i + 1 < sim_nr_domains(b->groups, dst) ? lb->sd + 1 : NULL;
	lb->prefer_sibling = i && (lb->sd[-1].flags & MACHINE_SD_PREFER_SIBLING);
	for (uint32_t w = lb->sd->span.first; w <= lb->sd->span.last; w++)
		lb->cpus[w] = lb->sd->span.words[w - lb->sd->span.first] & b->active[w];
}

void sim_load_balance_refused(struct sim *s, uint32_t dst, uint32_t i, enum sim_idle_type idle)
{
	struct sim_lb lb = { 0 };

	begin(&lb, s, dst, i, idle);
	balanced(&lb);
}

uint32_t sim_load_balance(struct sim *s, struct sim_cpu *cpu, uint32_t dst, uint32_t i,
			  enum sim_idle_type idle, uint64_t *ns)
{
	struct sim_lb lb = { .cpu = cpu };
	uint32_t moved;

	begin(&lb, s, dst, i, idle);
	lb.why = reason(s, cpu, idle);
	moved = balance(&lb);
	if (idle == SIM_CPU_NEWLY_IDLE) {
		s->counts.newidle_pulls += moved;
	} else {
		s->counts.balance_calls++;
		s->counts.balance_pulls += moved;
	}
	*ns += lb.ns;
	return moved;
}
