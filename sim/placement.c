// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a forked task starts: find_idlest_cpu() and find_idlest_group() of
 * kernel/sched/fair.c, the form of v5.4 and those of v5.5 to v6.5. The child has no load
 * and no utilisation yet, so nothing is taken off its parent's CPU.
 */
#include "sim/balance_private.h"

#define NICE_0	1024u	/* scale_load_down(NICE_0_LOAD) */

struct search {
	struct sim *s;
	const struct sim_task *task;
	uint32_t from;		/* the CPU that forks */
	uint32_t cpu;		/* as far as the search has got */
	uint64_t ns;
};

struct candidates {
	const struct sim_group *idlest, *local;
	struct sim_group_stats idlest_stats, local_stats;
};

static void read_load(struct search *f, uint32_t cpu)
{
	struct sim *s = f->s;

	f->ns += s->cost.balance;
	f->ns += sim_line_read(&s->fabric, &s->lines[cpu].load, f->from, s->now + f->ns);
}

static int is_allowed(const struct search *f, const struct sim_set *set)
{
	return sim_set_next(set, f->task->pub.allowed, 0) != SIM_NO_GROUP;
}

/* update_sg_wakeup_stats() */
static void group_stats(struct search *f, const struct sim_domain *sd,
			const struct sim_group *group, struct sim_group_stats *st)
{
	struct sim *s = f->s;

	*st = (struct sim_group_stats){ 0 };
	st->misfit = !!(sd->flags & MACHINE_SD_ASYM_CPUCAPACITY);
	sim_set_for_each(cpu, &group->span, s->balance->active) {
		read_load(f, cpu);
		st->load += s->seen[cpu].load;
		st->util += s->seen[cpu].util;
		st->runnable += s->seen[cpu].runnable;
		st->nr_running += s->seen[cpu].nr_running;
		st->idle_cpus += sim_idle_cpu(s, cpu);
		if (sim_fits(f->task->fair.se.avg.util_avg, sim_capacity(s, cpu)))
			st->misfit = 0;
	}
	sim_group_classify(&s->balance->rules, sd, group, st);
	if (st->type == SIM_GROUP_FULLY_BUSY || st->type == SIM_GROUP_OVERLOADED)
		st->avg_load = st->load * SIM_CAPACITY_SCALE / st->capacity;
}

/* update_pick_idlest() */
static int is_idler(const struct candidates *c, const struct sim_group *group,
		    const struct sim_group_stats *st)
{
	const struct sim_group_stats *idlest = &c->idlest_stats;

	if (st->type != idlest->type)
		return st->type < idlest->type;
	switch (st->type) {
	case SIM_GROUP_OVERLOADED:
	case SIM_GROUP_FULLY_BUSY:
		return st->avg_load < idlest->avg_load;
	case SIM_GROUP_MISFIT:
		return group->max_capacity > c->idlest->max_capacity;
	case SIM_GROUP_HAS_SPARE:
		return st->idle_cpus > idlest->idle_cpus ||
		       (st->idle_cpus == idlest->idle_cpus && st->util < idlest->util);
	default:
		return 0;
	}
}

static uint32_t allowed_weight(const struct search *f, const struct sim_group *group)
{
	const struct sim_set *span = &group->span;
	uint32_t nr = 0;

	for (uint32_t w = span->first; w <= span->last; w++)
		nr += (uint32_t)__builtin_popcountll(span->words[w - span->first] &
						     f->task->pub.allowed[w]);
	return nr;
}

/* Another node has room, too: does the child stay all the same? */
static int stays_on_node(const struct search *f, const struct sim_domain *sd,
			 const struct candidates *c)
{
	const struct sim_group_stats *local = &c->local_stats, *idlest = &c->idlest_stats;
	uint32_t few = sd->imb_numa_nr, allowed, difference;

	switch (f->s->balance->rules.fork) {
	case SIM_FORK_QUARTER:
		return local->nr_running < sd->span.weight >> 2;
	case SIM_FORK_NR:
		return local->nr_running + 1 <= few;
	case SIM_FORK_ADJUST:
		allowed = allowed_weight(f, c->local);
		few = allowed < few ? allowed : few;
		difference = local->idle_cpus > idlest->idle_cpus ?
			local->idle_cpus - idlest->idle_cpus :
			idlest->idle_cpus - local->idle_cpus;
		return !difference || (local->nr_running + 1 <= few && difference <= 2);
	default:
		return local->idle_cpus != 0;
	}
}

/* Of two groups of loaded CPUs, is the other one's load low enough to move? */
static int is_lighter(const struct sim_domain *sd, const struct candidates *c)
{
	uint64_t local = c->local_stats.avg_load, idlest = c->idlest_stats.avg_load;
	uint64_t imbalance = NICE_0 * (sd->imbalance_pct - 100) / 100;

	if ((sd->flags & MACHINE_SD_NUMA) && idlest + imbalance >= local)
		return 0;
	return idlest < local + imbalance && 100 * local > sd->imbalance_pct * idlest;
}

static int goes(const struct search *f, const struct sim_domain *sd, const struct candidates *c)
{
	const struct sim_group_stats *local = &c->local_stats, *idlest = &c->idlest_stats;

	if (!c->idlest)
		return 0;
	if (!c->local)			/* the child may not run there */
		return 1;
	if (local->type != idlest->type)
		return local->type > idlest->type;
	switch (local->type) {
	case SIM_GROUP_OVERLOADED:
	case SIM_GROUP_FULLY_BUSY:
		return is_lighter(sd, c);
	case SIM_GROUP_MISFIT:
		return c->idlest->max_capacity > c->local->max_capacity;
	case SIM_GROUP_HAS_SPARE:
		if ((sd->flags & MACHINE_SD_NUMA) && stays_on_node(f, sd, c))
			return 0;
		return idlest->idle_cpus > local->idle_cpus;
	default:
		return 0;
	}
}

/* find_idlest_group(); NULL: stay in the own one. */
static const struct sim_group *idlest_group(struct search *f, const struct sim_domain *sd)
{
	struct candidates c = {
		.idlest_stats = { .avg_load = UINT32_MAX, .type = SIM_GROUP_OVERLOADED },
	};

	for (uint32_t i = 0; i < sd->nr_groups; i++) {
		const struct sim_group *group = sim_domain_group(f->s->balance->groups, sd, i);
		struct sim_group_stats st;

		if (!is_allowed(f, &group->span))
			continue;
		group_stats(f, sd, group, &st);
		if (sim_set_has(&group->span, f->cpu)) {
			c.local = group;
			c.local_stats = st;
		} else if (is_idler(&c, group, &st)) {
			c.idlest = group;
			c.idlest_stats = st;
		}
	}
	return goes(f, sd, &c) ? c.idlest : NULL;
}

/* Loads of a group's CPUs, each 1024 of capacity for its share (v5.4). */
static void group_loads(struct search *f, const struct sim_group *group, uint64_t *runnable,
			uint64_t *load)
{
	*runnable = *load = 0;
	sim_set_for_each(cpu, &group->span, f->s->balance->active) {
		read_load(f, cpu);
		*runnable += f->s->seen[cpu].runnable;
		*load += f->s->seen[cpu].load;
	}
	*runnable = *runnable * SIM_CAPACITY_SCALE / group->capacity;
	*load = *load * SIM_CAPACITY_SCALE / group->capacity;
}

/*
 * find_idlest_group() of v5.4. Spare capacity doesn't count for forks there; runnable_avg
 * is runnable_load_avg in that version.
 */
static const struct sim_group *idlest_group_by_load(struct search *f, const struct sim_domain *sd)
{
	uint64_t scale = 100 + (sd->imbalance_pct - 100) / 2;
	uint64_t imbalance = NICE_0 * (sd->imbalance_pct - 100) / 100;
	uint64_t own_runnable = UINT64_MAX, own_load = UINT64_MAX;
	uint64_t least_runnable = UINT64_MAX, least_load = UINT64_MAX, runnable, load;
	const struct sim_group *idlest = NULL;

	for (uint32_t i = 0; i < sd->nr_groups; i++) {
		const struct sim_group *group = sim_domain_group(f->s->balance->groups, sd, i);

		if (!is_allowed(f, &group->span))
			continue;
		group_loads(f, group, &runnable, &load);
		if (sim_set_has(&group->span, f->cpu)) {
			own_runnable = runnable;
			own_load = load;
		} else if (least_runnable > runnable + imbalance) {
			least_runnable = runnable;
			least_load = load;
			idlest = group;
		} else if (runnable < least_runnable + imbalance &&
			   100 * least_load > scale * load) {
			least_load = load;
			idlest = group;
		}
	}
	if (!idlest || own_runnable == UINT64_MAX)
		return idlest;
	if ((sd->flags & MACHINE_SD_NUMA) && least_runnable + imbalance >= own_runnable)
		return NULL;
	if (least_runnable > own_runnable + imbalance ||
	    (own_runnable < least_runnable + imbalance && 100 * own_load < scale * least_load))
		return NULL;
	return idlest;
}

/* The exit latency of the state that a CPU sleeps in, ns; 0: it is on its way out or in. */
static uint64_t exit_latency(const struct sim *s, uint32_t id, uint32_t *known)
{
	const struct sim_cpu *cpu = &s->cpus[id];

	*known = cpu->activity == SIM_ACT_IDLE;
	return *known ? s->idle_states[cpu->idle_state].exit : 0;
}

/* Shallowest state, then the one that fell idle last. */
struct shallowest {
	uint64_t exit, stamp;
	uint32_t cpu;
};

static void consider_idle(const struct sim *s, uint32_t cpu, struct shallowest *best)
{
	uint64_t stamp = s->cpus[cpu].idle_stamp, exit;
	uint32_t known;

	exit = exit_latency(s, cpu, &known);
	if (known && exit < best->exit)
		*best = (struct shallowest){ exit, stamp, cpu };
	else if ((!known || exit == best->exit) && stamp > best->stamp) {
		best->stamp = stamp;
		best->cpu = cpu;
	}
}

/* find_idlest_group_cpu() */
static uint32_t idlest_cpu(struct search *f, const struct sim_group *group)
{
	struct sim *s = f->s;
	struct shallowest best = { UINT64_MAX, 0, SIM_NO_GROUP };
	uint32_t least = f->cpu, sched_idle = SIM_NO_GROUP;
	uint64_t least_load = UINT64_MAX, load;

	if (group->span.weight == 1)
		return sim_set_first(&group->span);
	sim_set_for_each(cpu, &group->span, f->task->pub.allowed) {
		f->ns += s->cost.probe;
		f->ns += sim_line_read(&s->fabric, &s->lines[cpu].rq, f->from, s->now + f->ns);
		if (s->balance->rules.sched_idle_first && sim_sched_idle_cpu(s, cpu))
			return cpu;
		if (sim_idle_cpu(s, cpu)) {
			consider_idle(s, cpu, &best);
			continue;
		}
		if (best.cpu != SIM_NO_GROUP || sched_idle != SIM_NO_GROUP)
			continue;
		if (!s->balance->rules.sched_idle_first && sim_sched_idle_cpu(s, cpu)) {
			sched_idle = cpu;
			continue;
		}
		load = s->balance->rules.fork == SIM_FORK_LOAD ?
			s->seen[cpu].runnable : s->seen[cpu].load;
		if (load < least_load) {
			least_load = load;
			least = cpu;
		}
	}
	if (best.cpu != SIM_NO_GROUP)
		return best.cpu;
	return sched_idle != SIM_NO_GROUP ? sched_idle : least;
}

/* The highest of a CPU's domains below so many CPUs that balances forks, or NULL. */
static const struct sim_domain *fork_domain(const struct sim_groups *g, uint32_t cpu,
					    uint32_t weight)
{
	const struct sim_domain *found = NULL;

	for (uint32_t i = 0; i < sim_nr_domains(g, cpu); i++) {
		const struct sim_domain *sd = sim_domain(g, cpu, i);

		if (sd->span.weight >= weight)
			break;
		if (sd->flags & MACHINE_SD_BALANCE_FORK)
			found = sd;
	}
	return found;
}

/* select_task_rq_fair()'s walk: up as long as domains balance forks. */
static const struct sim_domain *first_domain(const struct sim_groups *g, uint32_t cpu)
{
	const struct sim_domain *found = NULL;

	for (uint32_t i = 0; i < sim_nr_domains(g, cpu); i++) {
		if (!(sim_domain(g, cpu, i)->flags & MACHINE_SD_BALANCE_FORK))
			break;
		found = sim_domain(g, cpu, i);
	}
	return found;
}

static const struct sim_domain *child_of(const struct sim_groups *g, uint32_t cpu,
					 const struct sim_domain *sd)
{
	return sd == sim_domain(g, cpu, 0) ? NULL : sd - 1;
}

/* find_idlest_cpu() */
static uint32_t search(struct search *f)
{
	const struct sim_balance_system *b = f->s->balance;
	const struct sim_domain *sd = first_domain(b->groups, f->cpu);
	uint32_t new_cpu = f->cpu;

	if (!sd || !is_allowed(f, &sd->span))
		return f->cpu;
	while (sd) {
		const struct sim_group *group = NULL;

		if (sd->flags & MACHINE_SD_BALANCE_FORK)
			group = b->rules.fork == SIM_FORK_LOAD ? idlest_group_by_load(f, sd) :
								 idlest_group(f, sd);
		if (group)
			new_cpu = idlest_cpu(f, group);
		if (!group || new_cpu == f->cpu) {
			sd = child_of(b->groups, f->cpu, sd);
			continue;
		}
		f->cpu = new_cpu;
		sd = fork_domain(b->groups, new_cpu, sd->span.weight);
	}
	return new_cpu;
}

/* select_fallback_rq(): a CPU of the node, else any that is allowed. */
static uint32_t fallback(const struct sim *s, const struct sim_task *task, uint32_t cpu)
{
	uint16_t node = s->topo->cpus[cpu].node;
	uint32_t any = SIM_NO_GROUP;

	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		if (!wake_mask_has(task->pub.allowed, id) || !s->topo->cpus[id].active)
			continue;
		if (node != SCHED_NO_SPAN && wake_mask_has(s->topo->spans[node].bits, id))
			return id;
		if (any == SIM_NO_GROUP)
			any = id;
	}
	return any == SIM_NO_GROUP ? cpu : any;
}

uint32_t sim_find_idlest_cpu(struct sim *s, struct sim_task *task, uint32_t cpu, uint64_t *ns)
{
	struct search f = { .s = s, .task = task, .from = cpu, .cpu = cpu };
	uint32_t to = cpu;

	if (task->pub.nr_allowed > 1)
		to = search(&f);
	if (!wake_mask_has(task->pub.allowed, to))
		to = fallback(s, task, cpu);
	*ns += f.ns;
	return to;
}
