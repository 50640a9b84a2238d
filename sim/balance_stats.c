// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is busiest in a domain, and by how much: update_sd_lb_stats(), find_busiest_group(),
 * calculate_imbalance() and find_busiest_queue() of kernel/sched/fair.c, v5.5 to v6.5.
 */
#include "sim/balance_private.h"

/* struct sd_lb_stats */
struct domain_stats {
	struct sim_group *busiest, *local;
	struct sim_group_stats busiest_stats, local_stats;
	uint64_t load, capacity, avg_load, util;
	uint32_t overload;
};

static int is_overloaded(const struct sim_balance_rules *rules, uint64_t pct,
			 const struct sim_group_stats *st)
{
	if (st->nr_running <= st->weight)
		return 0;
	if (st->capacity * 100 < st->util * pct)
		return 1;
	return rules->runnable && st->capacity * pct < st->runnable * 100;
}

static int has_capacity(const struct sim_balance_rules *rules, uint64_t pct,
			const struct sim_group_stats *st)
{
	if (st->nr_running < st->weight)
		return 1;
	if (rules->runnable && st->capacity * pct < st->runnable * 100)
		return 0;
	return st->capacity * 100 > st->util * pct;
}

void sim_group_classify(const struct sim_balance_rules *rules, const struct sim_domain *sd,
			const struct sim_group *group, struct sim_group_stats *st)
{
	st->capacity = group->capacity;
	st->weight = group->span.weight;
	if (is_overloaded(rules, sd->imbalance_pct, st))
		st->type = SIM_GROUP_OVERLOADED;
	else if (group->imbalance)
		st->type = SIM_GROUP_IMBALANCED;
	else if (st->asym)
		st->type = SIM_GROUP_ASYM_PACKING;
	else if (st->misfit)
		st->type = SIM_GROUP_MISFIT;
	else if (!has_capacity(rules, sd->imbalance_pct, st))
		st->type = SIM_GROUP_FULLY_BUSY;
	else
		st->type = SIM_GROUP_HAS_SPARE;
}

uint64_t sim_misfit(const struct sim *s, uint32_t cpu)
{
	struct fair_task *curr = s->rqs[cpu].curr;
	uint64_t load;

	if (!curr || !curr->on_rq || sim_task_of(curr)->pub.nr_allowed == 1 ||
	    sim_fits(sched_est_util(s->rqs[cpu].load.rules, &curr->se), sim_capacity(s, cpu)))
		return 0;
	load = fair_h_load(curr, sim_jiffies(s));
	return load ? load : 1;
}

/* The sums over a group's CPUs, in one go through words and run queues. */
static void sum_up(const struct sim_lb *lb, struct domain_stats *ds, const struct sim_set *span,
		   struct sim_group_stats *st)
{
	const struct sim *s = lb->s;
	uint64_t load = 0, util = 0, runnable = 0;
	uint32_t nr = 0, overload = 0;

	for (uint32_t w = span->first; w <= span->last; w++) {
		wake_u64 bits = span->words[w - span->first] & lb->cpus[w];

		/* idle_cpu(), which implies that nothing is queued */
		st->idle_cpus += (uint32_t)__builtin_popcountll(bits & s->state->idle[w]);
		for (; bits; bits &= bits - 1) {
			const struct sim_seen *seen;

			seen = &s->seen[w * 64 + (uint32_t)__builtin_ctzll(bits)];
			load += seen->load;
			util += seen->util;
			runnable += seen->runnable;
			nr += seen->nr_running;
			overload |= seen->nr_running > 1;
		}
	}
	st->load = load;
	st->util = util;
	st->runnable = runnable;
	st->nr_running = nr;
	ds->overload |= overload;
}

static void seek_misfit(const struct sim_lb *lb, struct domain_stats *ds,
			const struct sim_set *span, struct sim_group_stats *st)
{
	sim_set_for_each(cpu, span, lb->cpus) {
		uint64_t misfit = sim_misfit(lb->s, cpu);

		if (st->misfit >= misfit)
			continue;
		st->misfit = misfit;
		ds->overload = 1;
	}
}

static void age_idle(struct sim_lb *lb, const struct sim_set *span)
{
	sim_set_for_each(cpu, span, lb->cpus) {
		if (sim_nohz_stats(lb->s, lb->cpu->id, cpu, 0, &lb->ns))
			lb->flags |= SIM_LB_NOHZ_AGAIN;
	}
}

/* update_sg_lb_stats() */
static void group_stats(struct sim_lb *lb, struct domain_stats *ds, const struct sim_group *group,
			struct sim_group_stats *st)
{
	int local = sim_set_has(&group->span, lb->dst);

	*st = (struct sim_group_stats){ 0 };
	if (lb->flags & SIM_LB_NOHZ_STATS)
		age_idle(lb, &group->span);
	sum_up(lb, ds, &group->span, st);
	if ((lb->sd->flags & MACHINE_SD_ASYM_CPUCAPACITY) && !local)
		seek_misfit(lb, ds, &group->span, st);
	st->asym = (lb->sd->flags & MACHINE_SD_ASYM_PACKING) && lb->idle != SIM_CPU_NOT_IDLE &&
		   st->nr_running && !local &&
		   sim_asym_prefer(lb->s->config.machine, lb->dst, group->prefer_cpu);
	sim_group_classify(&lb->s->balance->rules, lb->sd, group, st);
	if (st->type == SIM_GROUP_OVERLOADED)
		st->avg_load = st->load * SIM_CAPACITY_SCALE / st->capacity;
}

/* Has a distinctly more capacity than b? */
static int capacity_greater(const struct sim_balance_rules *rules, uint64_t a, uint64_t b)
{
	return rules->capacity_margin ? a * 1024 > b * 1078 : sim_fits(b, a);
}

/* Can dst do more for a misfit task of the group than the group itself? */
static int helps_misfit(const struct sim_lb *lb, const struct domain_stats *ds,
			const struct sim_group *group)
{
	const struct sim_balance_rules *rules = &lb->s->balance->rules;
	uint64_t own = rules->capacity_margin ? sim_capacity(lb->s, lb->dst) :
						ds->local->max_capacity;

	return ds->local_stats.type == SIM_GROUP_HAS_SPARE &&
	       capacity_greater(rules, own, group->max_capacity);
}

/* Of two groups of the same type, is this one busier than the busiest so far? */
static int busier(const struct sim_lb *lb, const struct domain_stats *ds,
		  const struct sim_group *group, const struct sim_group_stats *st)
{
	const struct sim_group_stats *busiest = &ds->busiest_stats;

	switch (st->type) {
	case SIM_GROUP_OVERLOADED:
	case SIM_GROUP_FULLY_BUSY:
		return st->avg_load > busiest->avg_load;
	case SIM_GROUP_IMBALANCED:
		return 0;
	case SIM_GROUP_ASYM_PACKING:
		return !sim_asym_prefer(lb->s->config.machine, group->prefer_cpu,
					ds->busiest->prefer_cpu);
	case SIM_GROUP_MISFIT:
		return st->misfit >= busiest->misfit;
	default:
		return st->idle_cpus < busiest->idle_cpus ||
		       (st->idle_cpus == busiest->idle_cpus &&
			st->nr_running > busiest->nr_running);
	}
}

/* update_sd_pick_busiest() */
static int picks(const struct sim_lb *lb, const struct domain_stats *ds,
		 const struct sim_group *group, const struct sim_group_stats *st)
{
	const struct sim_balance_rules *rules = &lb->s->balance->rules;
	uint64_t own = rules->capacity_margin ? sim_capacity(lb->s, lb->dst) :
						ds->local->min_capacity;

	if (!st->nr_running)
		return 0;
	if (st->type == SIM_GROUP_MISFIT && !helps_misfit(lb, ds, group))
		return 0;
	if (st->type != ds->busiest_stats.type)
		return st->type > ds->busiest_stats.type;
	if (!busier(lb, ds, group, st))
		return 0;
	/* Tasks that have a bigger CPU each are better off there. */
	return !(lb->sd->flags & MACHINE_SD_ASYM_CPUCAPACITY) || st->type > SIM_GROUP_FULLY_BUSY ||
	       !capacity_greater(rules, group->min_capacity, own);
}

/* update_idle_cpu_scan() (v6.0): only the LLC domain's periodic and nohz balance. */
static void publish_scan(struct sim_lb *lb, uint64_t util)
{
	struct sim *s = lb->s;
	const struct sched_topology_cpu *topo = &s->topo->cpus[lb->dst];
	uint32_t before;

	if (lb->idle == SIM_CPU_NEWLY_IDLE || topo->llc == SCHED_NO_SPAN ||
	    lb->sd->span.weight != topo->llc_size)
		return;
	before = s->state->llc[topo->llc].nr_idle_scan;
	sched_llc_balance(s->state, s->rules, lb->dst, util);
	if (s->state->llc[topo->llc].nr_idle_scan != before)
		lb->ns += sim_line_write(&s->fabric, &s->llc_lines[topo->llc].hints, lb->cpu->id,
					 s->now + lb->ns);
}

static int includes(const struct sim_set *set, const wake_u64 *mask)
{
	for (uint32_t w = 0; w < WAKE_WORDS; w++) {
		wake_u64 bits = w >= set->first && w <= set->last ? set->words[w - set->first] : 0;

		if (mask[w] & ~bits)
			return 0;
	}
	return 1;
}

/* Newidle balance aged idle CPUs' load, but there is more: not before next time. */
static void finish_nohz_stats(struct sim_lb *lb)
{
	struct sim_nohz *nohz = &lb->s->balance->nohz;

	if ((lb->flags & SIM_LB_NOHZ_AGAIN) && includes(&lb->sd->span, nohz->idle))
		nohz->next_blocked = sim_jiffies(lb->s) + sim_to_jiffies(lb->s, 32);
}

/* update_sd_lb_stats() */
static void domain_stats(struct sim_lb *lb, struct domain_stats *ds)
{
	struct sim_balance_system *b = lb->s->balance;
	struct sim_group_stats other;

	*ds = (struct domain_stats){
		.busiest_stats = { .idle_cpus = UINT32_MAX, .type = SIM_GROUP_HAS_SPARE },
	};
	if (!b->rules.stats_at_idle && lb->idle == SIM_CPU_NEWLY_IDLE && b->nohz.has_blocked)
		lb->flags |= SIM_LB_NOHZ_STATS;
	for (uint32_t i = 0; i < lb->sd->nr_groups; i++) {
		struct sim_group *group = sim_domain_group(b->groups, lb->sd, i);
		struct sim_group_stats *st = i ? &other : &ds->local_stats;

		group_stats(lb, ds, group, st);
		ds->load += st->load;
		ds->capacity += st->capacity;
		ds->util += st->util;
		if (!i) {
			ds->local = group;
		} else if (picks(lb, ds, group, st)) {
			ds->busiest = group;
			ds->busiest_stats = *st;
		}
	}
	finish_nohz_stats(lb);
	if (!lb->parent)
		lb->s->overload = ds->overload;
	publish_scan(lb, ds->util);
}

/* adjust_numa_imbalance() */
static void allow_numa(struct sim_lb *lb, const struct domain_stats *ds)
{
	const struct sim_group_stats *busiest = &ds->busiest_stats;
	uint32_t few = 0;

	switch (lb->s->balance->rules.numa) {
	case SIM_NUMA_NEVER:
		return;
	case SIM_NUMA_SOURCE_2:
		if (busiest->nr_running <= 2)
			lb->imbalance = 0;
		return;
	case SIM_NUMA_QUARTER:
		few = busiest->nr_running < busiest->weight >> 2;
		break;
	default:
		few = ds->local_stats.nr_running + 1 <= lb->sd->imb_numa_nr;
	}
	if (few && lb->imbalance <= 2)
		lb->imbalance = 0;
}

/* local has spare capacity: as much as evens out tasks, or idle CPUs. */
static void even_out(struct sim_lb *lb, const struct domain_stats *ds)
{
	const struct sim_balance_rules *rules = &lb->s->balance->rules;
	const struct sim_group_stats *local = &ds->local_stats, *busiest = &ds->busiest_stats;
	int64_t more;

	lb->type = SIM_MOVE_TASK;
	if (busiest->weight == 1 || lb->prefer_sibling)
		more = (int64_t)busiest->nr_running - local->nr_running;
	else
		more = (int64_t)local->idle_cpus - busiest->idle_cpus;
	lb->imbalance = more > 0 ? more : 0;
	if (rules->numa < SIM_NUMA_WHOLE)
		lb->imbalance >>= 1;
	if (lb->sd->flags & MACHINE_SD_NUMA)
		allow_numa(lb, ds);
	if (rules->numa == SIM_NUMA_WHOLE)
		lb->imbalance >>= 1;
}

/* Fills the spare capacity of local from an overloaded group. */
static void fill_up(struct sim_lb *lb, const struct sim_group_stats *local)
{
	lb->type = SIM_MOVE_UTIL;
	lb->imbalance = local->capacity > local->util ?
		(int64_t)(local->capacity - local->util) : 0;
	if (lb->idle != SIM_CPU_NOT_IDLE && !lb->imbalance) {
		lb->type = SIM_MOVE_TASK;
		lb->imbalance = 1;
	}
}

/* Both groups are overloaded, or will be: towards the average load. */
static void average_load(struct sim_lb *lb, struct domain_stats *ds)
{
	struct sim_group_stats *local = &ds->local_stats, *busiest = &ds->busiest_stats;
	uint64_t out, in;

	lb->imbalance = 0;
	if (local->type < SIM_GROUP_OVERLOADED) {
		local->avg_load = local->load * SIM_CAPACITY_SCALE / local->capacity;
		ds->avg_load = ds->load * SIM_CAPACITY_SCALE / ds->capacity;
		if (local->avg_load >= busiest->avg_load)
			return;
		if (lb->s->balance->rules.no_overflow && local->avg_load >= ds->avg_load)
			return;
	}
	lb->type = SIM_MOVE_LOAD;
	/* Unsigned as there: a local group above the average wraps, and out is the lesser one. */
	out = (busiest->avg_load - ds->avg_load) * busiest->capacity;
	in = (ds->avg_load - local->avg_load) * local->capacity;
	lb->imbalance = (int64_t)((out < in ? out : in) / SIM_CAPACITY_SCALE);
}

/* calculate_imbalance() */
static void calculate(struct sim_lb *lb, struct domain_stats *ds)
{
	const struct sim_group_stats *local = &ds->local_stats, *busiest = &ds->busiest_stats;

	lb->type = busiest->type == SIM_GROUP_MISFIT ? SIM_MOVE_MISFIT : SIM_MOVE_TASK;
	lb->imbalance = 1;
	if (busiest->type == SIM_GROUP_MISFIT || busiest->type == SIM_GROUP_IMBALANCED)
		return;
	if (busiest->type == SIM_GROUP_ASYM_PACKING)
		lb->imbalance = busiest->nr_running;
	else if (local->type != SIM_GROUP_HAS_SPARE)
		average_load(lb, ds);
	else if (busiest->type > SIM_GROUP_FULLY_BUSY &&
		 !(lb->s->balance->rules.llc_by_tasks && (lb->sd->flags & MACHINE_SD_SHARE_LLC)))
		fill_up(lb, local);
	else
		even_out(lb, ds);
}

/* Two overloaded groups: is the other one enough above the average, and this one below? */
static int load_differs(const struct sim_lb *lb, struct domain_stats *ds)
{
	const struct sim_group_stats *local = &ds->local_stats, *busiest = &ds->busiest_stats;

	if (local->avg_load >= busiest->avg_load)
		return 0;
	ds->avg_load = ds->load * SIM_CAPACITY_SCALE / ds->capacity;
	return local->avg_load < ds->avg_load &&
	       100 * busiest->avg_load > lb->sd->imbalance_pct * local->avg_load;
}

/* The decision matrix of find_busiest_group(). */
static int is_imbalanced(const struct sim_lb *lb, struct domain_stats *ds)
{
	const struct sim_group_stats *local = &ds->local_stats, *busiest = &ds->busiest_stats;

	if (busiest->type == SIM_GROUP_MISFIT || busiest->type == SIM_GROUP_ASYM_PACKING ||
	    busiest->type == SIM_GROUP_IMBALANCED)
		return 1;
	if (local->type > busiest->type)
		return 0;
	if (local->type == SIM_GROUP_OVERLOADED && !load_differs(lb, ds))
		return 0;
	if (lb->prefer_sibling && local->type == SIM_GROUP_HAS_SPARE &&
	    busiest->nr_running > local->nr_running + 1)
		return 1;
	if (busiest->type == SIM_GROUP_OVERLOADED)
		return 1;
	if (lb->idle == SIM_CPU_NOT_IDLE)
		return 0;
	if (busiest->weight > 1 && local->idle_cpus <= busiest->idle_cpus + 1)
		return 0;
	return busiest->nr_running != 1;	/* somebody has to wait there */
}

struct sim_group *sim_busiest_group(struct sim_lb *lb)
{
	struct domain_stats ds;

	domain_stats(lb, &ds);
	lb->imbalance = 0;
	if (!ds.busiest || !is_imbalanced(lb, &ds))
		return NULL;
	calculate(lb, &ds);
	return lb->imbalance ? ds.busiest : NULL;
}

/* The measure by which the busiest run queue is chosen; 0: not this one. */
static uint64_t weigh(const struct sim_lb *lb, uint32_t cpu)
{
	const struct sim *s = lb->s;
	uint32_t nr = s->seen[cpu].nr_running;
	uint64_t load;

	if (!nr)
		return 0;
	/* Not one that active balance would move to a smaller CPU. */
	if ((lb->sd->flags & MACHINE_SD_ASYM_CPUCAPACITY) && nr == 1) {
		uint64_t own = sim_capacity(s, lb->dst), its = sim_capacity(s, cpu);

		if (s->balance->rules.capacity_margin ? own * 1024 <= its * 1078 : own < its)
			return 0;
	}
	switch (lb->type) {
	case SIM_MOVE_LOAD:
		load = s->seen[cpu].load;
		return nr == 1 && load > (uint64_t)lb->imbalance ? 0 : load;
	case SIM_MOVE_UTIL:
		return nr == 1 ? 0 : s->seen[cpu].util;
	case SIM_MOVE_TASK:
		return nr;
	default:
		return sim_misfit(s, cpu);
	}
}

uint32_t sim_busiest_cpu(const struct sim_lb *lb, const struct sim_group *group)
{
	uint64_t most = 0, capacity = 1;
	uint32_t busiest = SIM_NO_GROUP;

	sim_set_for_each(cpu, &group->span, lb->cpus) {
		uint64_t weight = weigh(lb, cpu);
		/* Load counts by the CPU's capacity, the rest as it is. */
		uint64_t own = lb->type == SIM_MOVE_LOAD ? sim_capacity(lb->s, cpu) : 1;

		if (weight * capacity <= most * own)
			continue;
		most = weight;
		capacity = own;
		busiest = cpu;
	}
	return busiest;
}
