/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs are asked and what their host reads: one text for the BPF
 * side and for the loader that fills it in. Nothing here depends on
 * WAKE_NR_CPUS, so that one loader serves objects of every size.
 */
#ifndef TESTS_BPF_FACTS_H
#define TESTS_BPF_FACTS_H

#include "wake/note.h"
#include "wake/types.h"

#define FACTS_DOMAINS 16	/* WAKE_DOMAINS_MAX, as a power of two */
#define FACTS_NO_SPAN 0xffff

/* A CPU and its run queue. Spans and LLCs are indices, FACTS_NO_SPAN: there is none. */
struct facts_cpu {
	wake_u32 nr_running;
	wake_u32 nr_delayed;
	wake_u32 yield_count;
	wake_u8 idle;
	wake_u8 sched_idle;
	wake_u8 ttwu_pending;
	wake_u8 preempted;
	wake_u8 lppaca_idle;
	wake_u8 active;
	wake_u8 nr_smt;
	wake_u8 nr_domains;
	wake_u64 load[2];	/* by enum wake_load */
	wake_u64 capacity;
	wake_u64 capacity_orig;
	wake_u64 avg_idle;
	wake_u16 smt[WAKE_SMT_MAX];
	wake_u16 domain_span[FACTS_DOMAINS];
	wake_u8 domain_affine[FACTS_DOMAINS];
	wake_u8 domain_pct[FACTS_DOMAINS];
	wake_u32 llc_size;
	wake_u16 llc;		/* of the LLC objects */
	wake_u16 llc_span;
	wake_u16 cluster_span;
	wake_u16 llc_group;
	wake_u16 asym_span;
	wake_u16 node_span;
};

/* The rest: the machine's, the waker's and the wakee's. */
struct facts_rest {
	wake_u64 max_capacity;
	wake_u64 waker_load, wakee_load;
	wake_u64 wakee_util, uclamp_min, uclamp_max;
	wake_u64 jiffies, clock;
	wake_u32 hz;
	wake_u32 lpar;
	wake_u32 smt_active;
	wake_u32 waker_in_task;
	wake_u32 waker_exiting, waker_kthread, waker_nr_allowed;
	wake_u32 nr_allowed, idle_policy, on_cpu, delayed, migration_disabled;
};

/* One call, the context of every program. select fills in out. */
struct call {
	wake_u32 cpu;
	wake_u32 prev;
	wake_u32 flags;
	wake_u32 fair_only;
	wake_u32 weight, pct;	/* llc_balance */
	wake_u64 value;		/* idle_exit: avg_idle; llc_balance: sum_util; fork: id */
	struct wake_decision out;
};

#endif
