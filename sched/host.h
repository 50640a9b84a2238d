/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The accessors of wake/host.h over struct sched_state. Includes the wake path.
 *
 * A file that charges for what is read (sim/select.h) defines these first:
 *   SCHED_PROBE(h, cpu)  cpu's run queue is looked at: curr, nr_running, pending
 *   SCHED_LOAD(h, cpu)   its load or capacity is read
 *   SCHED_HINTS(h, cpu)  the shared words of its LLC domain are read
 *   SCHED_CLOCK(h)       ns, with what was charged so far
 */
#ifndef SCHED_HOST_H
#define SCHED_HOST_H

#include "sched/state.h"

#ifndef SCHED_PROBE
#define SCHED_PROBE(h, cpu) ((void)0)
#define SCHED_LOAD(h, cpu) ((void)0)
#define SCHED_HINTS(h, cpu) ((void)0)
#define SCHED_CLOCK(h) ((h)->clock)
#endif

#define HOST static inline __attribute__((always_inline, unused))

HOST wake_u32 host_idle_cpu(const struct wake_host *h, wake_u32 cpu)
{
	SCHED_PROBE(h, cpu);
	return !!(h->idle[wake_word(cpu)] & wake_bit(cpu));
}

HOST wake_u32 host_sched_idle_cpu(const struct wake_host *h, wake_u32 cpu)
{
	SCHED_PROBE(h, cpu);
	return sched_only_idle_policy(&h->rq[cpu]);
}

HOST wake_u32 host_nr_running(const struct wake_host *h, wake_u32 cpu)
{
	SCHED_PROBE(h, cpu);
	return h->rq[cpu].nr_running;
}

HOST wake_u32 host_nr_delayed(const struct wake_host *h, wake_u32 cpu)
{
	return h->rq[cpu].nr_delayed;
}

HOST wake_u32 host_ttwu_pending(const struct wake_host *h, wake_u32 cpu)
{
	return h->rq[cpu].ttwu_pending;
}

HOST wake_u64 host_load(const struct wake_host *h, wake_u32 cpu, wake_u32 kind)
{
	SCHED_LOAD(h, cpu);
	return kind == WAKE_LOAD_RUNNABLE ? h->rq[cpu].runnable_load : h->rq[cpu].load_avg;
}

HOST wake_u64 host_capacity(const struct wake_host *h, wake_u32 cpu)
{
	SCHED_LOAD(h, cpu);
	return h->rq[cpu].capacity;
}

HOST wake_u64 host_capacity_orig(const struct wake_host *h, wake_u32 cpu)
{
	return h->topo->cpus[cpu].capacity;
}

HOST wake_u64 host_max_capacity(const struct wake_host *h)
{
	return h->topo->max_capacity;
}

HOST wake_u64 host_avg_idle(const struct wake_host *h, wake_u32 cpu)
{
	return h->rq[cpu].avg_idle;
}

HOST wake_u32 host_vcpu_preempted(const struct wake_host *h, wake_u32 cpu)
{
	return h->rq[cpu].preempted;
}

HOST wake_u32 host_lpar(const struct wake_host *h)
{
	return h->lpar;
}

HOST wake_u32 host_yield_count(const struct wake_host *h, wake_u32 cpu)
{
	return h->rq[cpu].yield_count;
}

HOST wake_u32 host_lppaca_idle(const struct wake_host *h, wake_u32 cpu)
{
	return h->rq[cpu].lppaca_idle;
}

HOST wake_u32 host_smt_active(const struct wake_host *h)
{
	return h->topo->smt_active;
}

HOST wake_u32 host_nr_smt(const struct wake_host *h, wake_u32 cpu)
{
	return h->topo->cpus[cpu].nr_smt;
}

HOST wake_u32 host_smt(const struct wake_host *h, wake_u32 cpu, wake_u32 i)
{
	return h->topo->cpus[cpu].smt[i];
}

HOST wake_u32 host_nr_domains(const struct wake_host *h, wake_u32 cpu)
{
	return h->topo->cpus[cpu].nr_domains;
}

HOST const struct wake_span *host_span(const struct wake_host *h, wake_u32 index)
{
	return index == SCHED_NO_SPAN ? NULL : &h->topo->spans[index];
}

HOST const struct wake_span *host_domain_span(const struct wake_host *h, wake_u32 cpu, wake_u32 i)
{
	return &h->topo->spans[h->topo->cpus[cpu].domain[i].span];
}

HOST wake_u32 host_domain_affine(const struct wake_host *h, wake_u32 cpu, wake_u32 i)
{
	return h->topo->cpus[cpu].domain[i].wake_affine;
}

HOST wake_u32 host_domain_pct(const struct wake_host *h, wake_u32 cpu, wake_u32 i)
{
	return h->topo->cpus[cpu].domain[i].imbalance_pct;
}

HOST const struct wake_span *host_llc_span(const struct wake_host *h, wake_u32 cpu)
{
	return host_span(h, h->topo->cpus[cpu].llc);
}

HOST wake_u32 host_llc_size(const struct wake_host *h, wake_u32 cpu)
{
	return h->topo->cpus[cpu].llc_size;
}

HOST wake_u32 host_share_cache(const struct wake_host *h, wake_u32 a, wake_u32 b)
{
	return a == b || h->topo->cpus[a].llc_id == h->topo->cpus[b].llc_id;
}

HOST wake_u32 host_share_cluster(const struct wake_host *h, wake_u32 a, wake_u32 b)
{
	return a == b || h->topo->cpus[a].share_id == h->topo->cpus[b].share_id;
}

HOST const struct wake_span *host_cluster_span(const struct wake_host *h, wake_u32 cpu)
{
	return host_span(h, h->topo->cpus[cpu].cluster);
}

HOST const struct wake_span *host_llc_group(const struct wake_host *h, wake_u32 cpu)
{
	return host_span(h, h->topo->cpus[cpu].llc_group);
}

HOST const struct wake_span *host_asym_span(const struct wake_host *h, wake_u32 cpu)
{
	return host_span(h, h->topo->cpus[cpu].asym);
}

HOST const struct wake_span *host_node_span(const struct wake_host *h, wake_u32 cpu)
{
	return host_span(h, h->topo->cpus[cpu].node);
}

HOST wake_u32 host_active(const struct wake_host *h, wake_u32 cpu)
{
	return cpu < h->topo->nr_cpus && h->topo->cpus[cpu].active;
}

HOST struct wake_cpu *host_cpu(const struct wake_host *h, wake_u32 cpu)
{
	return &h->cpu[cpu];
}

HOST struct wake_llc *host_llc(const struct wake_host *h, wake_u32 cpu)
{
	SCHED_HINTS(h, cpu);
	return sched_llc(h, cpu);
}

HOST struct wake_task *host_waker(const struct wake_host *h)
{
	return &h->waker->wake;
}

HOST struct wake_task *host_wakee(const struct wake_host *h)
{
	return &h->wakee->wake;
}

HOST struct wake_scan *host_scan(const struct wake_host *h, wake_u32 cpu)
{
	return &h->scan[cpu];
}

HOST wake_u32 host_waker_exiting(const struct wake_host *h)
{
	return h->waker->exiting;
}

HOST wake_u32 host_waker_kthread(const struct wake_host *h)
{
	return h->waker->kthread;
}

HOST wake_u32 host_waker_nr_allowed(const struct wake_host *h)
{
	return h->waker->nr_allowed;
}

HOST wake_u32 host_waker_in_task(const struct wake_host *h)
{
	return h->in_task;
}

HOST wake_u64 host_waker_load(const struct wake_host *h)
{
	return h->waker->load;
}

HOST wake_u64 host_wakee_load(const struct wake_host *h)
{
	return h->wakee->load;
}

HOST const wake_u64 *host_allowed(const struct wake_host *h)
{
	return h->wakee->allowed;
}

HOST wake_u32 host_nr_allowed(const struct wake_host *h)
{
	return h->wakee->nr_allowed;
}

HOST wake_u32 host_wakee_idle_policy(const struct wake_host *h)
{
	return h->wakee->idle_policy;
}

HOST wake_u32 host_on_cpu(const struct wake_host *h)
{
	return h->wakee->on_cpu;
}

HOST wake_u32 host_delayed(const struct wake_host *h)
{
	return h->wakee->delayed;
}

HOST wake_u32 host_migration_disabled(const struct wake_host *h)
{
	return h->wakee->migration_disabled;
}

HOST wake_u64 host_wakee_util(const struct wake_host *h)
{
	return h->wakee->util;
}

HOST wake_u64 host_uclamp_min(const struct wake_host *h)
{
	return h->wakee->uclamp_min;
}

HOST wake_u64 host_uclamp_max(const struct wake_host *h)
{
	return h->wakee->uclamp_max;
}

HOST wake_u64 host_jiffies(const struct wake_host *h)
{
	return h->jiffies;
}

HOST wake_u32 host_hz(const struct wake_host *h)
{
	return h->hz;
}

HOST wake_u64 w_clock(const struct wake_host *h, wake_u32 cpu)
{
	(void)cpu;
	return SCHED_CLOCK(h);
}

#include "wake/wake.h"

/* What both builds of the path, with a log and without, do for one wake-up. */
HOST void sched_decide(struct sched_state *state, const struct wake_rules *rules,
		      const struct sched_wake *wake, struct wake_decision *out)
{
	struct wake_request request = { wake->cpu, wake->prev, wake->flags, wake->fair_only };

	state->waker = wake->waker;
	state->wakee = wake->wakee;
	state->in_task = wake->in_task;
	wake_ops_select(rules, state, &request, out);
}

#endif
