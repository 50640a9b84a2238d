/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host of wake/ as a BPF program: all state in global arrays of the object,
 * sized by WAKE_NR_CPUS. Every index is masked, since the verifier trusts no
 * claim that a CPU is below WAKE_NR_CPUS.
 *
 * With HOST_ANY_MACHINE all facts of the machine are data. Without, there is no
 * powerpc partition and no CPU of another capacity: what the loader of a
 * scheduler knows before it loads need not be walked, half of the instructions.
 */
#ifndef TESTS_BPF_HOST_BPF_H
#define TESTS_BPF_HOST_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;

/* clang-format off */
/*
 * bpf_for(), declaring its own variable. Walked instructions of select, 256 CPUs, for
 * v5.4, v6.12 and v7.3 on kernel 7.3.4: this 13.8 k, 21.0 k and 21.7 k; a counter with
 * may_goto 16.0 k, 25.7 k and 26.9 k; a plain for is refused, since each turn is a new
 * state. WAKE_FN stays always_inline: static functions are walked again at each call,
 * so wake_pass() and two others out of line cost 60 to 90 % more.
 */
#define wake_for(i, from, to)                                                                      \
	for (wake_u32 i __attribute__((unused)) = 0, once_##i = 1; once_##i; once_##i = 0)         \
		for (struct bpf_iter_num it_##i __attribute__((cleanup(bpf_iter_num_destroy))),    \
		     *new_##i __attribute__((unused)) =                                            \
			     (bpf_iter_num_new(&it_##i, (from), (to)), (void *)0);                 \
		     ({                                                                            \
			     int *next_##i = bpf_iter_num_next(&it_##i);                           \
			     if (next_##i)                                                         \
				     i = *next_##i;                                                \
			     next_##i && i < (to);                                                 \
		     });)
/* clang-format on */

#include "tests/bpf/facts.h"
#include "wake/context.h"

/* Different domains: fewer than CPUs. */
#define HOST_SPANS WAKE_NR_CPUS

struct wake_host {
	int unused;
};

struct facts_cpu state_facts[WAKE_NR_CPUS] SEC(".data.facts");
struct facts_rest state_rest SEC(".data.rest");
struct wake_span state_spans[HOST_SPANS] SEC(".data.spans");
struct wake_cpu state_cpus[WAKE_NR_CPUS] SEC(".data.cpus");
struct wake_llc state_llcs[WAKE_NR_CPUS] SEC(".data.llcs");
struct wake_task state_waker SEC(".data.waker");
struct wake_task state_wakee SEC(".data.wakee");
wake_u64 state_allowed[WAKE_WORDS] SEC(".data.allowed");
struct wake_scan state_scans[WAKE_NR_CPUS] SEC(".data.scans");
struct wake_decision state_out[WAKE_NR_CPUS] SEC(".data.out");

#define host_hide(value) asm volatile("" : "+r"(value))

/*
 * The compiler must not know that the mask changes nothing, or it drops it; nor
 * that an index follows a loop, or it moves a pointer along instead.
 */
static __always_inline wake_u32 host_index(wake_u32 index)
{
	host_hide(index);
	return index & (WAKE_NR_CPUS - 1);
}

#define host_facts(cpu) (&state_facts[host_index(cpu)])

static __always_inline const struct wake_span *host_span(wake_u32 index)
{
	return index == FACTS_NO_SPAN ? NULL : &state_spans[host_index(index)];
}

/* clang-format off */
#ifdef HOST_ANY_MACHINE
#define host_lpar(h)			(state_rest.lpar)
#define host_asym_span(h, cpu)		host_span(host_facts(cpu)->asym_span)
#else
#define host_lpar(h)			0u
#define host_asym_span(h, cpu)		((const struct wake_span *)NULL)
#endif

#define host_idle_cpu(h, cpu)		((wake_u32)host_facts(cpu)->idle)
#define host_sched_idle_cpu(h, cpu)	((wake_u32)host_facts(cpu)->sched_idle)
#define host_nr_running(h, cpu)		(host_facts(cpu)->nr_running)
#define host_nr_delayed(h, cpu)		(host_facts(cpu)->nr_delayed)
#define host_ttwu_pending(h, cpu)	((wake_u32)host_facts(cpu)->ttwu_pending)
#define host_load(h, cpu, kind)		(host_facts(cpu)->load[(kind) & 1])
#define host_capacity(h, cpu)		(host_facts(cpu)->capacity)
#define host_capacity_orig(h, cpu)	(host_facts(cpu)->capacity_orig)
#define host_avg_idle(h, cpu)		(host_facts(cpu)->avg_idle)

#define host_vcpu_preempted(h, cpu)	((wake_u32)host_facts(cpu)->preempted)
#define host_yield_count(h, cpu)	(host_facts(cpu)->yield_count)
#define host_lppaca_idle(h, cpu)	((wake_u32)host_facts(cpu)->lppaca_idle)

#define host_smt_active(h)		(state_rest.smt_active)
#define host_nr_smt(h, cpu)		((wake_u32)host_facts(cpu)->nr_smt)
#define host_smt(h, cpu, i)		((wake_u32)host_facts(cpu)->smt[host_index(i) & (WAKE_SMT_MAX - 1)])
#define host_nr_domains(h, cpu)		((wake_u32)host_facts(cpu)->nr_domains)
#define host_domain_span(h, cpu, i) \
	(&state_spans[host_index(host_facts(cpu)->domain_span[host_index(i) & (FACTS_DOMAINS - 1)])])
#define host_domain_affine(h, cpu, i) \
	((wake_u32)host_facts(cpu)->domain_affine[host_index(i) & (FACTS_DOMAINS - 1)])
#define host_domain_pct(h, cpu, i) \
	((wake_u32)host_facts(cpu)->domain_pct[host_index(i) & (FACTS_DOMAINS - 1)])
#define host_llc_span(h, cpu)		host_span(host_facts(cpu)->llc_span)
#define host_llc_size(h, cpu)		(host_facts(cpu)->llc_size)
#define host_cluster_span(h, cpu)	host_span(host_facts(cpu)->cluster_span)
#define host_llc_group(h, cpu)		host_span(host_facts(cpu)->llc_group)
#define host_node_span(h, cpu)		host_span(host_facts(cpu)->node_span)
#define host_max_capacity(h)		(state_rest.max_capacity)
#define host_active(h, cpu)		((wake_u32)host_facts(cpu)->active)

/* clang-format on */

static __always_inline wake_u32 host_share_cache(struct wake_host *h, wake_u32 a, wake_u32 b)
{
	return a == b || host_facts(a)->llc_span == host_facts(b)->llc_span;
}

static __always_inline wake_u32 host_share_cluster(struct wake_host *h, wake_u32 a, wake_u32 b)
{
	wake_u16 cluster = host_facts(a)->cluster_span;

	if (cluster == FACTS_NO_SPAN)
		return host_share_cache(h, a, b);
	return a == b || cluster == host_facts(b)->cluster_span;
}

static __always_inline struct wake_llc *host_llc(struct wake_host *h, wake_u32 cpu)
{
	wake_u32 llc = host_facts(cpu)->llc;

	return llc == FACTS_NO_SPAN ? NULL : &state_llcs[host_index(llc)];
}

/* clang-format off */
#define host_cpu(h, cpu)		(&state_cpus[host_index(cpu)])
#define host_waker(h)			(&state_waker)
#define host_wakee(h)			(&state_wakee)
#define host_scan(h, cpu)		(&state_scans[host_index(cpu)])

#define host_waker_exiting(h)		(state_rest.waker_exiting)
#define host_waker_kthread(h)		(state_rest.waker_kthread)
#define host_waker_nr_allowed(h)	(state_rest.waker_nr_allowed)
#define host_waker_in_task(h)		(state_rest.waker_in_task)
#define host_waker_load(h)		(state_rest.waker_load)
#define host_wakee_load(h)		(state_rest.wakee_load)
#define host_allowed(h)			((const wake_u64 *)state_allowed)
#define host_nr_allowed(h)		(state_rest.nr_allowed)
#define host_wakee_idle_policy(h)	(state_rest.idle_policy)
#define host_on_cpu(h)			(state_rest.on_cpu)
#define host_delayed(h)			(state_rest.delayed)
#define host_migration_disabled(h)	(state_rest.migration_disabled)
#define host_wakee_util(h)		(state_rest.wakee_util)
#define host_uclamp_min(h)		(state_rest.uclamp_min)
#define host_uclamp_max(h)		(state_rest.uclamp_max)
#define host_jiffies(h)			(state_rest.jiffies)
#define host_hz(h)			(state_rest.hz)
#define w_clock(h, cpu)			(state_rest.clock)
/* clang-format on */

#endif
