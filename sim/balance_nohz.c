// SPDX-License-Identifier: GPL-2.0-only
/*
 * Balancing for CPUs whose tick is stopped: nohz_balancer_kick(), nohz_idle_balance(),
 * nohz_newidle_balance() of kernel/sched/fair.c, v5.5 to v6.5.
 */
#include "sim/balance_private.h"
#include "sim/irq.h"

#define BLOCKED_MS	32	/* LOAD_AVG_PERIOD: how long blocked load may be stale */

void sim_nohz_enter(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_system *b = s->balance;
	uint32_t llc = b->cpus[cpu->id].llc;

	if (s->config.kernel.no_balance || !wake_mask_has(b->active, cpu->id))
		return;
	cpu->has_blocked = 1;
	if (!cpu->nohz_idle) {
		if (!sim_nr_domains(b->groups, cpu->id))
			return;
		cpu->nohz_idle = 1;
		wake_mask_set(b->nohz.idle, cpu->id);
		b->nohz.nr++;
		if (llc != SIM_NO_GROUP)
			b->nr_busy[llc]--;
		b->nohz.needs_update = 1;
	}
	b->nohz.has_blocked = 1;
}

void sim_nohz_exit(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_system *b = s->balance;
	uint32_t llc = b->cpus[cpu->id].llc;

	if (!cpu->nohz_idle)
		return;
	cpu->nohz_idle = 0;
	wake_mask_clear(b->nohz.idle, cpu->id);
	b->nohz.nr--;
	if (llc != SIM_NO_GROUP)
		b->nr_busy[llc]++;
}

/* find_new_ilb() */
static uint32_t find_balancer(const struct sim *s, uint32_t not)
{
	for (uint32_t w = 0; w <= (s->nr_cpus - 1) / 64; w++) {
		wake_u64 bits = s->balance->nohz.idle[w] & s->state->idle[w];

		if (not / 64 == w)
			bits &= ~(1ull << (not & 63));
		if (bits)
			return w * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return SIM_NO_GROUP;
}

/* kick_ilb(): an IPI, unless one is on its way. */
static void kick(struct sim *s, struct sim_cpu *from, uint32_t flags)
{
	struct sim_balance_system *b = s->balance;
	struct sim_cpu *to;
	uint32_t id, before;

	if (flags & SIM_NOHZ_BALANCE)
		b->nohz.next_balance = sim_jiffies(s) + 1;
	id = find_balancer(s, from->id);
	if (id == SIM_NO_GROUP)
		return;
	before = b->cpus[id].flags;
	b->cpus[id].flags |= (uint8_t)flags;
	if (before & SIM_NOHZ_KICK)
		return;
	to = &s->cpus[id];
	to->nohz_kicked = 1;
	s->counts.nohz_kicks++;
	sim_send_ipi(s, from->id, to, 0);
}

/* Is an idle CPU preferred to this one, in the domains of SD_ASYM_PACKING? */
static int has_better_idle(const struct sim *s, uint32_t id)
{
	const struct sim_groups *g = s->balance->groups;
	const struct sim_domain *sd = NULL;

	for (uint32_t i = 0; i < sim_nr_domains(g, id); i++) {
		if (!(sim_domain(g, id, i)->flags & MACHINE_SD_ASYM_PACKING))
			break;
		sd = sim_domain(g, id, i);
	}
	if (!sd)
		return 0;
	sim_set_for_each(cpu, &sd->span, s->balance->nohz.idle) {
		if (sim_asym_prefer(s->config.machine, cpu, id))
			return 1;
	}
	return 0;
}

static int is_asym(const struct sim *s, uint32_t id)
{
	const struct sim_groups *g = s->balance->groups;

	for (uint32_t i = 0; i < sim_nr_domains(g, id); i++) {
		if (sim_domain(g, id, i)->flags & MACHINE_SD_ASYM_CPUCAPACITY)
			return 1;
	}
	return 0;
}

/* Has this busy CPU, or its LLC, tasks that an idle CPU could take? */
static int wants_balance(const struct sim *s, const struct sim_cpu *cpu)
{
	const struct sim_balance_system *b = s->balance;
	uint32_t llc = b->cpus[cpu->id].llc;

	if (s->rqs[cpu->id].nr_running >= 2 || has_better_idle(s, cpu->id))
		return 1;
	if (is_asym(s, cpu->id))
		return sim_misfit(s, cpu->id) &&
		       s->topo->cpus[cpu->id].capacity < s->topo->max_capacity;
	return llc != SIM_NO_GROUP && b->nr_busy[llc] > 1;
}

void sim_nohz_tick(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_system *b = s->balance;
	uint64_t now = sim_jiffies(s);
	uint32_t flags = 0;

	sim_nohz_exit(s, cpu);
	if (!b->nohz.nr)
		return;
	if (b->nohz.has_blocked && now > b->nohz.next_blocked)
		flags = SIM_NOHZ_STATS;
	if (now >= b->nohz.next_balance && wants_balance(s, cpu))
		flags = SIM_NOHZ_STATS | SIM_NOHZ_BALANCE;
	if (b->rules.nohz_next && b->nohz.needs_update)
		flags |= SIM_NOHZ_NEXT;
	if (flags)
		kick(s, cpu, flags);
}

uint32_t sim_nohz_stats(struct sim *s, uint32_t cpu, uint32_t of, uint32_t force, uint64_t *ns)
{
	struct sim_cpu *target = &s->cpus[of];

	if (!target->has_blocked || !wake_mask_has(s->balance->nohz.idle, of))
		return 0;
	if (!force && sim_jiffies(s) <= target->last_blocked)
		return 1;
	*ns += sim_update_blocked(s, cpu, of);
	return target->has_blocked;
}

/* What the walk leaves behind. */
static void end_walk(struct sim *s, struct sim_pass *pass, uint32_t aborted)
{
	struct sim_nohz *nohz = &s->balance->nohz;

	if (!aborted) {
		if (pass->nohz_next < pass->begun + 60ull * s->config.kernel.hz)
			nohz->next_balance = pass->nohz_next;
		if (pass->flags & SIM_NOHZ_STATS)
			nohz->next_blocked = pass->begun + sim_to_jiffies(s, BLOCKED_MS);
	}
	if (pass->has_blocked || (aborted && (pass->flags & SIM_NOHZ_STATS)))
		nohz->has_blocked = 1;
}

/* A CPU's domains are done with. */
static void leave_cpu(struct sim *s, struct sim_pass *pass)
{
	uint64_t next = s->cpus[pass->cpu].next_balance;

	pass->inside = 0;
	pass->visited++;
	if (next < pass->nohz_next)
		pass->nohz_next = next;
}

/*
 * The n-th CPU of the walk, SIM_NO_GROUP after the last: from the next one on, or up to
 * v5.11 from the first one on; this one comes last.
 */
static uint32_t place(const struct sim *s, const struct sim_cpu *cpu, uint32_t n)
{
	if (n >= s->nr_cpus)
		return SIM_NO_GROUP;
	if (s->balance->rules.stats_at_idle)
		return (cpu->id + 1 + n) % s->nr_cpus;
	if (n == s->nr_cpus - 1)
		return cpu->id;
	return n < cpu->id ? n : n + 1;
}

/* Blocked load, and the CPU's domains if they are due: ns of a look, or 0. */
static uint64_t visit(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	const struct sim_balance_rules *rules = &s->balance->rules;
	/* Up to v5.11 this CPU's own domains are walked even if it is too early. */
	uint32_t always = !rules->stats_at_idle && pass->cpu == cpu->id;

	if (pass->flags & SIM_NOHZ_STATS)
		pass->has_blocked |= sim_nohz_stats(s, cpu->id, pass->cpu, !rules->stats_at_idle,
						    &pass->debt);
	if (!(pass->flags & SIM_NOHZ_BALANCE) ||
	    (!always && sim_jiffies(s) < s->cpus[pass->cpu].next_balance))
		return 0;
	sim_clock(s, pass->cpu);
	pass->inside = 1;
	pass->idle = SIM_CPU_IDLE;
	return sim_pass_domains(s, cpu, pass);
}

uint64_t sim_nohz_next(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass)
{
	struct sim_nohz *nohz = &s->balance->nohz;
	uint64_t ns;

	if (pass->inside) {
		ns = sim_pass_next(s, cpu, pass);
		if (ns)
			return ns;
		leave_cpu(s, pass);
	}
	while ((pass->cpu = place(s, cpu, pass->visited)) != SIM_NO_GROUP) {
		if (!wake_mask_has(nohz->idle, pass->cpu) || !sim_idle_cpu(s, pass->cpu)) {
			pass->visited++;
			continue;
		}
		if (cpu->need_resched || s->rqs[cpu->id].nr_running) {
			end_walk(s, pass, 1);
			return sim_pass_end(pass);
		}
		ns = visit(s, cpu, pass);
		if (ns)
			return ns;
		leave_cpu(s, pass);
	}
	end_walk(s, pass, 0);
	return sim_pass_end(pass);
}

uint64_t sim_nohz_begin(struct sim *s, struct sim_cpu *cpu, uint32_t flags)
{
	struct sim_balance_system *b = s->balance;
	struct sim_pass *pass = &b->cpus[cpu->id].pass;

	if (flags & SIM_NOHZ_NEWILB)
		flags |= SIM_NOHZ_STATS;
	*pass = (struct sim_pass){
		.kind = SIM_PASS_NOHZ, .flags = (uint8_t)flags, .begun = sim_jiffies(s),
		.nohz_next = sim_jiffies(s) + 60ull * s->config.kernel.hz,
	};
	if (flags & SIM_NOHZ_STATS)
		b->nohz.has_blocked = 0;
	if (flags & SIM_NOHZ_NEXT)
		b->nohz.needs_update = 0;
	return sim_nohz_next(s, cpu, pass);
}

uint64_t sim_nohz_newidle(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_balance_system *b = s->balance;
	uint32_t blocked = 0;
	uint64_t ns = 0;

	if (s->state->rq[cpu->id].avg_idle < SIM_MIGRATION_COST || !b->nohz.has_blocked ||
	    sim_jiffies(s) < b->nohz.next_blocked)
		return 0;
	if (b->rules.stats_at_idle) {
		/* nohz_run_idle_balance(): once it idles, which it does visibly. */
		b->cpus[cpu->id].flags |= SIM_NOHZ_NEWILB;
		cpu->pending |= SIM_PEND_BALANCE;
		return 0;
	}
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		if (id != cpu->id && sim_idle_cpu(s, id))
			blocked |= sim_nohz_stats(s, cpu->id, id, 1, &ns);
	}
	b->nohz.has_blocked = (uint8_t)blocked;
	b->nohz.next_blocked = sim_jiffies(s) + sim_to_jiffies(s, BLOCKED_MS);
	return ns;
}
