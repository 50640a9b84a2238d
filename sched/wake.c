// SPDX-License-Identifier: GPL-2.0-only
/* The wake path over the user-space state, without a log. */
#include "sched/host.h"

void sched_wake(struct sched_state *state, const struct wake_rules *rules,
		const struct sched_wake *wake, struct wake_decision *out)
{
	sched_decide(state, rules, wake, out);
}

void sched_domains_built(struct sched_state *state)
{
	const struct sched_topology *topo = state->topo;

	for (wake_u32 cpu = 0; cpu < topo->nr_cpus; cpu++) {
		struct wake_llc *llc = sched_llc(state, cpu);

		if (llc)
			wake_ops_domains_built(llc, &topo->spans[topo->cpus[cpu].llc]);
	}
}

void sched_switch(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		  const struct sched_task *next)
{
	if (!next)
		wake_ops_pick_idle(rules, state, cpu);
	state->rq[cpu].curr_idle = !next;
	sched_pending(state, cpu, state->rq[cpu].ttwu_pending);
}

void sched_idle_enter(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		      wake_u32 tick_stopping)
{
	wake_ops_idle_enter(rules, state, cpu, tick_stopping);
}

void sched_tick(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu)
{
	wake_ops_tick(rules, state, cpu);
}

void sched_idle_exit(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		     wake_u64 avg_idle)
{
	state->rq[cpu].avg_idle = avg_idle;
	wake_ops_idle_exit(rules, state, cpu, avg_idle);
}

void sched_llc_balance(struct sched_state *state, const struct wake_rules *rules, wake_u32 cpu,
		       wake_u64 sum_util)
{
	const struct sched_topology_cpu *topo = &state->topo->cpus[cpu];
	struct wake_llc *llc = sched_llc(state, cpu);

	if (llc)
		wake_llc_balance(rules, llc, sum_util, topo->llc_size, topo->llc_pct);
}

void sched_fork(struct sched_task *child, const struct sched_task *parent, wake_u64 id,
		wake_u32 cpu)
{
	*child = *parent;
	wake_ops_fork(&child->wake, &parent->wake, id, cpu);
}
