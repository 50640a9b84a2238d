// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving tasks between run queues: can_migrate_task(), detach_tasks(), attach_tasks(),
 * active_load_balance_cpu_stop() of kernel/sched/fair.c, v5.5 to v6.5.
 */
#include "sim/balance_private.h"
#include "sim/irq.h"

/* Tasks that detach_tasks() holds before they are attached. */
struct detached {
	uint32_t nr;
	uint32_t tasks[SIM_NR_MIGRATE + 1];
};

static int is_running(const struct sim_lb *lb, const struct sim_task *task)
{
	if (lb->flags & SIM_LB_ACTIVE)	/* the stopper runs instead of it */
		return task->on_cpu && lb->cpu->curr != task->id;
	return task->on_cpu || lb->s->cpus[lb->src].curr == task->id ||
	       task->pin_to != SIM_NO_CPU;
}

/* task_hot() */
static int is_hot(const struct sim_lb *lb, const struct sim_task *task)
{
	const struct sched_entity *se = &task->fair.se;
	const struct fair_rq *rq = &lb->s->rqs[lb->src];

	if (task->pub.idle_policy || (lb->sd->flags & MACHINE_SD_SHARE_CPUCAPACITY))
		return 0;
	if (lb->s->rqs[lb->dst].nr_running && (se == se->cfs_rq->next || se == se->cfs_rq->last))
		return 1;
	return (int64_t)(rq->load.clock_task - se->exec_start) < (int64_t)SIM_MIGRATION_COST;
}

/* Another CPU of dst's group that could take a task which dst may not. */
static void seek_other_dst(struct sim_lb *lb, const struct sim_task *task)
{
	const struct sim_group *own = sim_domain_group(lb->s->balance->groups, lb->sd, 0);

	lb->flags |= SIM_LB_SOME_PINNED;
	if (lb->idle == SIM_CPU_NEWLY_IDLE || (lb->flags & (SIM_LB_DST_PINNED | SIM_LB_ACTIVE)))
		return;
	sim_set_for_each(cpu, &own->balance, lb->cpus) {
		if (!wake_mask_has(task->pub.allowed, cpu))
			continue;
		lb->flags |= SIM_LB_DST_PINNED;
		lb->new_dst = cpu;
		return;
	}
}

static int can_migrate(struct sim_lb *lb, const struct sim_task *task)
{
	if (lb->s->balance->rules.skips_kthreads && task->pub.kthread && task->pub.nr_allowed == 1)
		return 0;	/* kthread_is_per_cpu() */
	if (!wake_mask_has(task->pub.allowed, lb->dst)) {
		seek_other_dst(lb, task);
		return 0;
	}
	lb->flags &= ~(uint32_t)SIM_LB_ALL_PINNED;
	if (is_running(lb, task))
		return 0;
	return (lb->flags & SIM_LB_ACTIVE) || !is_hot(lb, task) ||
	       lb->sd->nr_balance_failed > lb->sd->cache_nice_tries;
}

/* shr_bound(): each failure counts for half, as far as a word goes. */
static uint64_t relaxed(uint64_t value, uint32_t failures)
{
	return value >> (failures < 63 ? failures : 63);
}

static int is_too_much(const struct sim_lb *lb, uint64_t load)
{
	if (lb->s->balance->rules.relaxes_load)
		return relaxed(load, lb->sd->nr_balance_failed) > (uint64_t)lb->imbalance;
	return load / 2 > (uint64_t)lb->imbalance &&
	       lb->sd->nr_balance_failed <= lb->sd->cache_nice_tries;
}

/* Takes a task's share off the imbalance; 0: it is more than that. */
static int fits_imbalance(struct sim_lb *lb, struct sim_task *task)
{
	struct sim *s = lb->s;
	uint64_t amount;

	switch (lb->type) {
	case SIM_MOVE_LOAD:
		amount = fair_h_load(&task->fair, sim_jiffies(s));
		amount = amount ? amount : 1;
		if (is_too_much(lb, amount))
			return 0;
		lb->imbalance -= (int64_t)amount;
		return 1;
	case SIM_MOVE_UTIL:
		amount = sched_est_util(s->rqs[lb->src].load.rules, &task->fair.se);
		if (amount > (uint64_t)lb->imbalance)
			return 0;
		lb->imbalance -= (int64_t)amount;
		return 1;
	case SIM_MOVE_TASK:
		lb->imbalance--;
		return 1;
	default:
		amount = sched_est_util(s->rqs[lb->src].load.rules, &task->fair.se);
		if (sim_fits(amount, sim_capacity(s, lb->src)))
			return 0;
		lb->imbalance = 0;
		return 1;
	}
}

/* list_move(): the next candidate from the tail will be another one. */
static void move_to_front(struct fair_rq *rq, struct fair_task *task)
{
	if (rq->lru_first == task)
		return;
	task->lru_prev->lru_next = task->lru_next;
	if (task->lru_next)
		task->lru_next->lru_prev = task->lru_prev;
	else
		rq->lru_last = task->lru_prev;
	task->lru_prev = NULL;
	task->lru_next = rq->lru_first;
	rq->lru_first->lru_prev = task;
	rq->lru_first = task;
}

/* detach_task(), and what it takes to have the task's lines here. */
static void detach(struct sim_lb *lb, struct sim_task *task)
{
	struct sim *s = lb->s;

	lb->ns += s->cost.enqueue;
	lb->ns += sim_fetch(&s->fabric, task->lines_cpu, lb->cpu->id, s->cost.wake_lines);
	task->lines_cpu = lb->cpu->id;
	sim_deactivate(s, task, 0);
	sim_set_cpu(s, task, lb->dst, lb->why);
	sim_publish(s, lb->src);	/* its load has left, too */
}

/* Up to loop_max tasks have been seen. Past it only while none could move at all (v6.2). */
static int seen_enough(struct sim_lb *lb)
{
	if (++lb->loop <= lb->loop_max)
		return 0;
	return !lb->s->balance->rules.seeks_movable || !(lb->flags & SIM_LB_ALL_PINNED) ||
	       lb->loop > lb->s->rqs[lb->src].nr_running;
}

/* detach_tasks(), from the tail of the list: what ran longest ago. */
static void detach_tasks(struct sim_lb *lb, struct detached *out)
{
	struct fair_rq *rq = &lb->s->rqs[lb->src];

	out->nr = 0;
	if (rq->nr_running <= 1) {
		lb->flags &= ~(uint32_t)SIM_LB_ALL_PINNED;
		return;
	}
	while (lb->imbalance > 0 && rq->lru_last && out->nr <= SIM_NR_MIGRATE) {
		struct sim_task *task = sim_task_of(rq->lru_last);

		if (lb->idle != SIM_CPU_NOT_IDLE && rq->nr_running <= 1)
			return;
		if (seen_enough(lb))
			return;
		if (!can_migrate(lb, task) || !fits_imbalance(lb, task)) {
			move_to_front(rq, &task->fair);
			continue;
		}
		detach(lb, task);
		out->tasks[out->nr++] = task->id;
		if (lb->idle == SIM_CPU_NEWLY_IDLE && lb->s->config.kernel.preempt)
			return;		/* others wait for the lock */
	}
}

/* attach_task(): queued, and perhaps preempting who runs there. */
static void attach(struct sim_lb *lb, struct sim_task *task)
{
	struct sim *s = lb->s;

	lb->ns += s->cost.enqueue;
	sim_activate(s, task, lb->dst, FAIR_MIGRATED);
	if (lb->idle == SIM_CPU_NEWLY_IDLE && lb->dst == lb->cpu->id)
		return;			/* it chooses its next task right afterwards */
	lb->ns += sim_check_preempt(s, lb->cpu->id, task);
}

/* Locks a run queue: its line comes here. */
static void lock(struct sim_lb *lb, uint32_t cpu)
{
	struct sim *s = lb->s;

	lb->ns += sim_line_write(&s->fabric, &s->lines[cpu].rq, lb->cpu->id, s->now + lb->ns);
}

static void write_load(struct sim_lb *lb, uint32_t cpu)
{
	struct sim *s = lb->s;

	lb->ns += sim_line_write(&s->fabric, &s->lines[cpu].load, lb->cpu->id, s->now + lb->ns);
}

uint32_t sim_move_tasks(struct sim_lb *lb)
{
	struct detached tasks;

	lock(lb, lb->src);
	sim_clock(lb->s, lb->src);
	detach_tasks(lb, &tasks);
	if (!tasks.nr)
		return 0;
	write_load(lb, lb->src);
	lock(lb, lb->dst);
	write_load(lb, lb->dst);
	/* The last one that was detached is attached first: env->tasks is a stack. */
	for (uint32_t i = tasks.nr; i-- > 0;)
		attach(lb, &lb->s->tasks[tasks.tasks[i]]);
	return tasks.nr;
}

/* detach_one_task() */
static struct sim_task *detach_one(struct sim_lb *lb)
{
	for (struct fair_task *fair = lb->s->rqs[lb->src].lru_last; fair; fair = fair->lru_prev) {
		struct sim_task *task = sim_task_of(fair);

		if (!can_migrate(lb, task))
			continue;
		task->on_cpu = 0;	/* the stopper has switched it away */
		detach(lb, task);
		return task;
	}
	return NULL;
}

uint64_t sim_active_balance(struct sim *s, struct sim_cpu *cpu)
{
	const struct sim_groups *g = s->balance->groups;
	struct sim_lb lb = {
		.s = s, .cpu = cpu, .src = cpu->id, .dst = cpu->push_cpu,
		.idle = SIM_CPU_IDLE, .why = SIM_MIGRATE_ACTIVE, .flags = SIM_LB_ACTIVE,
	};
	struct sim_task *task = NULL;

	cpu->push_cpu = SIM_NO_CPU;
	cpu->active_balance = 0;
	for (uint32_t i = 0; i < sim_nr_domains(g, lb.dst) && !lb.sd; i++) {
		if (sim_set_has(&sim_domain(g, lb.dst, i)->span, cpu->id))
			lb.sd = sim_domain(g, lb.dst, i);
	}
	if (lb.sd && s->rqs[cpu->id].nr_running) {
		sim_clock(s, cpu->id);
		task = detach_one(&lb);
	}
	if (!task)
		return lb.ns;
	lb.sd->nr_balance_failed = 0;
	s->counts.active_balances++;
	write_load(&lb, cpu->id);
	lock(&lb, lb.dst);
	write_load(&lb, lb.dst);
	attach(&lb, task);
	return lb.ns;
}
