// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes over domains: newidle_balance() and rebalance_domains() of kernel/sched/fair.c,
 * v5.5 to v6.5. When to look at which domain; what a look leads to is balance_domain.c's.
 */
#include "sim/balance_private.h"
#include "sim/load.h"

#include <errno.h>
#include <stdlib.h>

static void set_rules(struct sim_balance_rules *r, uint32_t v)
{
	r->numa = v >= 6000 ? SIM_NUMA_WHOLE : v >= 5018 ? SIM_NUMA_HALVED :
		  v >= 5011 ? SIM_NUMA_QUARTER : v >= 5006 ? SIM_NUMA_SOURCE_2 : SIM_NUMA_NEVER;
	r->fork = v >= 6000 ? SIM_FORK_ADJUST : v >= 5018 ? SIM_FORK_NR :
		  v >= 5011 ? SIM_FORK_QUARTER : v >= 5005 ? SIM_FORK_TYPES : SIM_FORK_LOAD;
	r->sched_idle_first = v >= 5006;
	r->runnable = v >= 5007;
	r->busy_off_beat = r->relaxes_load = r->llc_by_tasks = v >= 5010;
	r->stats_at_idle = r->active_by_task = v >= 5012;
	r->skips_kthreads = v >= 5013;
	r->capacity_margin = r->newidle_pending = v >= 5014;
	r->nohz_next = v >= 5015;
	r->newidle_costs = v >= 5016;
	r->newidle_bails = v >= 6000;
	r->seeks_movable = v >= 6002;
	r->no_overflow = v >= 6003;
}

/*
 * Domains as if they had been there for long: each CPU's and each domain's interval began
 * some time ago. max_newidle_lb_cost starts at 0, as after a build.
 */
static void start_domains(struct sim *s, uint32_t cpu)
{
	struct sim_groups *g = s->balance->groups;
	uint64_t now = sim_jiffies(s);

	s->cpus[cpu].next_balance = now;
	s->cpus[cpu].last_blocked = now;
	for (uint32_t i = 0; i < sim_nr_domains(g, cpu); i++) {
		struct sim_domain *sd = sim_domain(g, cpu, i);
		uint64_t interval;

		sd->balance_interval = sd->min_interval;
		interval = sim_balance_interval(s, sd, 0);
		sd->last_balance = now - sim_below(sim_random(s->key, cpu, SIM_RANDOM_BALANCE, i),
						   interval);
		sd->decay_newidle = now + s->config.kernel.hz;
	}
}

static void find_llcs(struct sim_balance_system *b, const struct machine_domains *domains)
{
	for (uint32_t cpu = 0; cpu < b->groups->nr_cpus; cpu++) {
		int llc = domains->cpus[cpu].sd_llc;

		b->cpus[cpu].llc = SIM_NO_GROUP;
		if (llc < 0)
			continue;
		b->cpus[cpu].llc = sim_set_first(&sim_domain(b->groups, cpu, (uint32_t)llc)->span);
		b->nr_busy[b->cpus[cpu].llc]++;
	}
}

int sim_balance_create(struct sim *s, const struct machine_domains *domains,
		       struct sim_error *err)
{
	const struct wake_version *version = s->config.variant->version;
	uint32_t v = version->major * 1000u + version->minor, online = 0;
	struct sim_balance_system *b = sim_alloc(s, 1, sizeof(*b));

	s->balance = b;
	if (!b)
		return sim_fail(err, -ENOMEM, "not enough memory");
	b->cpus = sim_alloc(s, s->nr_cpus, sizeof(*b->cpus));
	b->nr_busy = sim_alloc(s, s->nr_cpus, sizeof(*b->nr_busy));
	s->seen = sim_alloc(s, s->nr_cpus, sizeof(*s->seen));
	if (!b->cpus || !b->nr_busy || !s->seen ||
	    sim_groups_create(s->config.machine, domains, v, &b->groups))
		return sim_fail(err, -ENOMEM, "not enough memory");
	s->bytes += b->groups->bytes;
	set_rules(&b->rules, v);
	find_llcs(b, domains);
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (!s->topo->cpus[cpu].active)
			continue;
		wake_mask_set(b->active, cpu);
		online++;
	}
	b->serializer = SIM_NO_GROUP;
	b->max_interval = (uint64_t)s->config.kernel.hz * online / 10;
	b->max_interval = b->max_interval ? b->max_interval : 1;
	b->nohz.next_balance = b->nohz.next_blocked = sim_jiffies(s);
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++)
		start_domains(s, cpu);
	return 0;
}

void sim_balance_free(struct sim *s)
{
	if (!s->balance)
		return;
	sim_groups_free(s->balance->groups);
	free(s->balance->cpus);
	free(s->balance->nr_busy);
	free(s->balance);
	free(s->seen);
	s->balance = NULL;
}

uint64_t sim_balance_interval(const struct sim *s, const struct sim_domain *sd, uint32_t busy)
{
	const struct sim_balance_system *b = s->balance;
	uint64_t interval = sim_to_jiffies(s, (uint64_t)sd->balance_interval *
					   (busy ? sd->busy_factor : 1));

	if (busy && b->rules.busy_off_beat)
		interval--;
	if (!interval || interval > b->max_interval)
		return interval ? b->max_interval : 1;
	return interval;
}

/* update_next_balance() */
static void sooner(const struct sim *s, const struct sim_domain *sd, uint64_t *next)
{
	uint64_t due = sd->last_balance + sim_balance_interval(s, sd, 0);

	if (due < *next)
		*next = due;
}

uint64_t sim_update_blocked(struct sim *s, uint32_t cpu, uint32_t of)
{
	struct sim_cpu *target = &s->cpus[of];
	uint64_t ns = s->cost.balance;

	sim_clock(s, of);
	target->last_blocked = sim_jiffies(s);
	if (!fair_update_blocked(&s->rqs[of]))
		target->has_blocked = 0;
	sim_publish(s, of);
	if (cpu != of)
		ns += sim_line_write(&s->fabric, &s->lines[of].load, cpu, s->now);
	return ns;
}

uint64_t sim_look(struct sim *s, struct sim_cpu *cpu, const struct sim_domain *sd)
{
	uint64_t ns = 0;

	sim_set_for_each(id, &sd->span, s->balance->active) {
		ns += s->cost.balance;
		ns += sim_line_read(&s->fabric, &s->lines[id].load, cpu->id, s->now + ns);
	}
	return ns ? ns : 1;
}

uint64_t sim_pass_end(struct sim_pass *pass)
{
	pass->kind = pass->debt ? SIM_PASS_TAIL : SIM_PASS_NONE;
	return pass->debt;
}

/* The decay of max_newidle_lb_cost, 1 % a second. */
static uint32_t decay_newidle(struct sim *s, struct sim_domain *sd)
{
	uint64_t now = sim_jiffies(s);

	if (now <= sd->decay_newidle)
		return 0;
	sd->max_newidle_lb_cost = sd->max_newidle_lb_cost * 253 / 256;
	sd->decay_newidle = now + s->config.kernel.hz;
	return 1;
}

/* What a newidle balance of the domain took; from v5.16 on a cheap one lets it decay. */
static void learn_newidle(struct sim *s, struct sim_domain *sd, uint64_t cost)
{
	if (cost <= sd->max_newidle_lb_cost) {
		if (s->balance->rules.newidle_costs)
			decay_newidle(s, sd);
		return;
	}
	sd->max_newidle_lb_cost = cost;
	if (s->balance->rules.newidle_costs)
		sd->decay_newidle = sim_jiffies(s) + s->config.kernel.hz;
}

static uint32_t has_work(const struct sim *s, const struct sim_cpu *cpu)
{
	return s->rqs[cpu->id].nr_running ||
	       (s->balance->rules.newidle_pending && s->state->rq[cpu->id].ttwu_pending);
}

/* newidle_balance() from out: on */
static uint64_t end_newidle(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	if (pass->cost > cpu->max_idle_balance_cost)
		cpu->max_idle_balance_cost = pass->cost;
	if (pass->next_balance < cpu->next_balance)
		cpu->next_balance = pass->next_balance;
	if (s->rqs[cpu->id].nr_running)
		cpu->idle_stamp = 0;
	else
		pass->debt += sim_nohz_newidle(s, cpu);
	return sim_pass_end(pass);
}

static uint64_t next_newidle(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	const struct sim_groups *g = s->balance->groups;
	uint64_t avg_idle = s->state->rq[cpu->id].avg_idle, ns;

	for (; pass->domain < sim_nr_domains(g, cpu->id); pass->domain++) {
		struct sim_domain *sd = sim_domain(g, cpu->id, pass->domain);

		sooner(s, sd, &pass->next_balance);
		if (avg_idle < pass->cost + sd->max_newidle_lb_cost)
			break;
		if ((sd->flags & MACHINE_SD_BALANCE_NEWIDLE) &&
		    sim_should_balance(s, cpu->id, sd, SIM_CPU_NEWLY_IDLE)) {
			pass->looking = 1;
			ns = pass->debt + sim_look(s, cpu, sd);
			pass->debt = 0;
			return ns;
		}
		if (has_work(s, cpu))
			break;
	}
	return end_newidle(s, cpu, pass);
}

/* May newidle balance begin at all? */
static uint32_t is_gated(const struct sim *s, const struct sim_cpu *cpu)
{
	const struct sim_balance_system *b = s->balance;
	uint64_t avg_idle = s->state->rq[cpu->id].avg_idle;

	if (!s->overload)
		return 1;
	if (!b->rules.newidle_costs)
		return avg_idle < SIM_MIGRATION_COST;
	return sim_nr_domains(b->groups, cpu->id) &&
	       avg_idle < sim_domain(b->groups, cpu->id, 0)->max_newidle_lb_cost;
}

uint64_t sim_newidle_begin(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_system *b = s->balance;
	struct sim_pass *pass = &b->cpus[cpu->id].pass;

	if (b->rules.newidle_pending && s->state->rq[cpu->id].ttwu_pending)
		return 0;
	cpu->idle_stamp = s->now ? s->now : 1;
	if (s->config.kernel.no_balance)
		return 0;
	s->counts.newidle_calls++;
	*pass = (struct sim_pass){
		.kind = SIM_PASS_NEWIDLE, .idle = SIM_CPU_NEWLY_IDLE, .cpu = cpu->id,
		.next_balance = sim_jiffies(s) + s->config.kernel.hz,
		.started = s->now,
	};
	if (is_gated(s, cpu)) {
		s->counts.newidle_skipped++;
		if (sim_nr_domains(b->groups, cpu->id))
			sooner(s, sim_domain(b->groups, cpu->id, 0), &pass->next_balance);
		return end_newidle(s, cpu, pass);
	}
	pass->debt = sim_update_blocked(s, cpu->id, cpu->id);
	if (!b->rules.newidle_costs)	/* only from v5.16 on part of the first domain's cost */
		pass->started += pass->debt;
	return next_newidle(s, cpu, pass);
}

uint64_t sim_newidle_step(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_pass *pass = &s->balance->cpus[cpu->id].pass;
	struct sim_domain *sd = sim_domain(s->balance->groups, cpu->id, pass->domain);
	uint64_t cost;
	uint32_t moved;

	if (pass->kind == SIM_PASS_TAIL) {
		pass->kind = SIM_PASS_NONE;
		return 0;
	}
	pass->looking = 0;
	moved = sim_load_balance(s, cpu, cpu->id, pass->domain, SIM_CPU_NEWLY_IDLE, &pass->debt);
	cost = s->now - pass->started + pass->debt;
	learn_newidle(s, sd, cost);
	sooner(s, sd, &pass->next_balance);
	pass->cost += cost;
	pass->started = s->now + pass->debt;
	if (moved || has_work(s, cpu))
		return end_newidle(s, cpu, pass);
	pass->domain++;
	return next_newidle(s, cpu, pass);
}

/* rebalance_domains() has visited a domain. */
static void visited(const struct sim *s, struct sim_pass *pass, const struct sim_domain *sd,
		    uint32_t busy)
{
	uint64_t due = sd->last_balance + sim_balance_interval(s, sd, busy);

	if (due < pass->next_balance) {
		pass->next_balance = due;
		pass->tells_next = 1;
	}
}

static uint32_t is_busy(const struct sim *s, const struct sim_pass *pass)
{
	return pass->idle != SIM_CPU_IDLE && !sim_sched_idle_cpu(s, pass->cpu);
}

static void end_domains(struct sim *s, struct sim_pass *pass)
{
	struct sim_cpu *cpu = &s->cpus[pass->cpu];

	if (pass->need_decay)
		cpu->max_idle_balance_cost = pass->max_cost > SIM_MIGRATION_COST ?
			pass->max_cost : SIM_MIGRATION_COST;
	if (pass->tells_next)
		cpu->next_balance = pass->next_balance;
}

uint64_t sim_pass_domains(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	pass->domain = 0;
	pass->go_on = 1;
	pass->need_decay = pass->tells_next = 0;
	pass->max_cost = 0;
	pass->next_balance = sim_jiffies(s) + 60ull * s->config.kernel.hz;
	return sim_pass_next(s, cpu, pass);
}

/* The domain is due: look at it, unless another CPU of its group is meant to. */
static uint64_t begin_look(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass,
			   struct sim_domain *sd)
{
	struct sim_balance_system *b = s->balance;
	uint64_t ns;

	if (!sim_should_balance(s, pass->cpu, sd, pass->idle)) {
		pass->go_on = 0;
		sim_load_balance_refused(s, pass->cpu, pass->domain, pass->idle);
		sd->last_balance = sim_jiffies(s);
		return 0;
	}
	if (sd->flags & MACHINE_SD_SERIALIZE)
		b->serializer = cpu->id;
	pass->looking = 1;
	ns = pass->debt + sim_look(s, cpu, sd);
	pass->debt = 0;
	return ns;
}

static int is_serialized(const struct sim_balance_system *b, const struct sim_domain *sd)
{
	return (sd->flags & MACHINE_SD_SERIALIZE) && b->serializer != SIM_NO_GROUP;
}

uint64_t sim_pass_next(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	struct sim_balance_system *b = s->balance;

	for (; pass->domain < sim_nr_domains(b->groups, pass->cpu); pass->domain++) {
		struct sim_domain *sd = sim_domain(b->groups, pass->cpu, pass->domain);
		uint32_t decayed = decay_newidle(s, sd), busy = is_busy(s, pass);
		uint64_t ns = 0;

		pass->need_decay = (uint8_t)(decayed |
					     (b->rules.newidle_costs ? 0 : pass->need_decay));
		pass->max_cost += sd->max_newidle_lb_cost;
		if (!pass->go_on && !pass->need_decay)
			break;
		if (!pass->go_on)
			continue;
		if (!is_serialized(b, sd) &&
		    sim_jiffies(s) >= sd->last_balance + sim_balance_interval(s, sd, busy))
			ns = begin_look(s, cpu, pass, sd);
		if (ns)
			return ns;
		visited(s, pass, sd, busy);
	}
	end_domains(s, pass);
	return 0;
}

void sim_pass_looked(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	struct sim_domain *sd = sim_domain(s->balance->groups, pass->cpu, pass->domain);

	pass->looking = 0;
	if (sim_load_balance(s, cpu, pass->cpu, pass->domain, pass->idle, &pass->debt))
		pass->idle = sim_idle_cpu(s, pass->cpu) ? SIM_CPU_IDLE : SIM_CPU_NOT_IDLE;
	if (s->balance->serializer == cpu->id)
		s->balance->serializer = SIM_NO_GROUP;
	sd->last_balance = sim_jiffies(s);
	visited(s, pass, sd, is_busy(s, pass));
	pass->domain++;
}

void sim_balance_tick(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_cpu *own = &s->balance->cpus[cpu->id];

	own->idle = (uint8_t)sim_idle_cpu(s, cpu->id);
	if (s->config.kernel.no_balance || !sim_nr_domains(s->balance->groups, cpu->id))
		return;
	if (sim_jiffies(s) >= cpu->next_balance) {
		own->raised = 1;
		cpu->pending |= SIM_PEND_BALANCE;
	}
	if (!own->idle)
		sim_nohz_tick(s, cpu);
}

uint64_t sim_rebalance_begin(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_cpu *own = &s->balance->cpus[cpu->id];
	uint32_t flags = own->flags, raised = own->raised;
	uint64_t ns;

	own->flags = own->raised = 0;
	/* nohz_csd_func(): the kick is in vain where there is something to do by now. */
	if (flags)
		own->idle = (uint8_t)sim_idle_cpu(s, cpu->id);
	cpu->nohz_kicked = 0;
	if (cpu->need_resched || !own->idle || (flags == SIM_NOHZ_NEWILB && raised))
		flags = 0;
	if (flags)
		return sim_nohz_begin(s, cpu, flags);
	if (!raised)
		return 0;
	own->pass = (struct sim_pass){
		.kind = SIM_PASS_OWN, .cpu = cpu->id,
		.idle = own->idle ? SIM_CPU_IDLE : SIM_CPU_NOT_IDLE,
	};
	own->pass.debt = sim_update_blocked(s, cpu->id, cpu->id);
	ns = sim_pass_domains(s, cpu, &own->pass);
	return ns ? ns : sim_pass_end(&own->pass);
}

uint64_t sim_rebalance_step(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_pass *pass = &s->balance->cpus[cpu->id].pass;
	uint64_t ns;

	if (pass->kind == SIM_PASS_TAIL) {
		pass->kind = SIM_PASS_NONE;
		return 0;
	}
	if (pass->looking)
		sim_pass_looked(s, cpu, pass);
	if (pass->kind == SIM_PASS_NOHZ)
		return sim_nohz_next(s, cpu, pass);
	ns = sim_pass_next(s, cpu, pass);
	return ns ? ns : sim_pass_end(pass);
}
