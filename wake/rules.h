/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernel versions, as small numbers. A variant is one
 * struct wake_rules: a row of wake/versions.h, changed by features and by the
 * kernel's own sched_feat() switches. Where it is constant (a BPF program's
 * .rodata, a static const) the branches of other versions fold away.
 */
#ifndef WAKE_RULES_H
#define WAKE_RULES_H

#include "wake/types.h"

enum wake_skeleton {
	WAKE_SPLIT,		/* up to v5.11: core scan, CPU scan, siblings of target */
	WAKE_MERGED,		/* from v5.12: one pass over cores or CPUs */
};

enum wake_load {
	WAKE_LOAD_RUNNABLE,	/* v5.4: runnable_load_avg, queued tasks only */
	WAKE_LOAD_AVG,		/* load_avg, blocked tasks too */
};

/* The proposal prev-idle, and what became of it: wake/prev_idle.h. */
enum wake_prev_idle {
	WAKE_PREV_IDLE_NONE,
	WAKE_PREV_IDLE_GATED,
	WAKE_PREV_IDLE_FIRST,
	WAKE_PREV_IDLE_MERGED,
};

/* Which tasks of the waker's CPU the sync test counts. */
enum wake_sync_nr {
	WAKE_SYNC_ALL,
	WAKE_SYNC_RUNNABLE,	/* without delayed dequeues */
};

/* When nr_wakeups_affine counts (wake_affine()); the CPU is the same. */
enum wake_affine_count {
	WAKE_COUNT_DECIDED,	/* WA_IDLE or WA_WEIGHT named a CPU */
	WAKE_COUNT_THIS,	/* they named the waker's */
};

/* A CPU that runs only SCHED_IDLE tasks. */
enum wake_sched_idle {
	WAKE_SCHED_IDLE_AFTER,	/* v5.4: in scans, only if no CPU is idle */
	WAKE_SCHED_IDLE_EQUAL,	/* as good as idle */
	WAKE_SCHED_IDLE_NOT_FOR_IDLE, /* the same, but not for a SCHED_IDLE wakee */
};

/* A per-CPU kthread may keep its wakee on its CPU. */
enum wake_kthread {
	WAKE_KTHREAD_NO,
	WAKE_KTHREAD_STACKS,
	WAKE_KTHREAD_IN_TASK,	/* but not an interrupt on top of it */
};

enum wake_recent {
	WAKE_RECENT_ON_HIT,	/* recent_used_cpu := prev when it was taken */
	WAKE_RECENT_ALWAYS,
};

enum wake_smt {
	WAKE_SMT_NONE,
	WAKE_SMT_TARGET,	/* siblings of target, last */
	WAKE_SMT_PREV,		/* siblings of prev, before the scan */
};

/* Which thread of a partly idle core the core scan may remember. */
enum wake_core_threads {
	WAKE_CORE_ALLOWED,	/* one of p->cpus_ptr */
	WAKE_CORE_MASK,		/* one of the mask that is scanned */
};

enum wake_scan_start {
	WAKE_START_TARGET,
	WAKE_START_NEXT,	/* target + 1 */
};

/* The average idle time that SIS_PROP and SIS_AVG_CPU reckon with. */
enum wake_avg_idle {
	WAKE_AVG_IDLE_512TH,	/* rq->avg_idle / 512 */
	WAKE_AVG_IDLE_AGED,	/* rq->wake_avg_idle, halved each jiffy */
};

/* The proposal cluster-scan: wake/cluster_scan.h. */
enum wake_cluster {
	WAKE_CLUSTER_NONE,
	WAKE_CLUSTER_V2,
	WAKE_CLUSTER_V7,
	WAKE_CLUSTER_MERGED,	/* v11, v6.7 */
};

/* The proposal idle-cpumask: wake/idle_cpumask.h. */
enum wake_idle_mask {
	WAKE_IDLE_MASK_NONE,
	WAKE_IDLE_MASK_V4,	/* set where the tick is stopped */
	WAKE_IDLE_MASK_V6,	/* set at every idle entry */
};

/* The proposal sis-core: wake/sis_core.h. Each includes the one before. */
enum wake_sis_core {
	WAKE_SIS_CORE_NONE,
	WAKE_SIS_CORE_P12,
	WAKE_SIS_CORE_P123,
	WAKE_SIS_CORE_V6,
};

/* vcpu_is_preempted() of powerpc: wake/dedicated_vcpu.h. */
enum wake_vcpu {
	WAKE_VCPU_YIELDED,	/* odd yield count, whatever the partition */
	WAKE_VCPU_SHARED,	/* the same, but never in a dedicated partition */
	WAKE_VCPU_CORE,		/* nor in the caller's core */
	WAKE_VCPU_HINT,		/* nor where the whole core idles of its own will */
};

/* Asymmetric CPU capacity: wake/capacity.h. */
enum wake_capacity {
	WAKE_CAPACITY_WAKE_CAP,	/* v5.4: only vetoes wake_affine() */
	WAKE_CAPACITY_FIRST,	/* instead of all other tests */
	WAKE_CAPACITY_FITS,	/* after target, prev, recent, which must fit */
	WAKE_CAPACITY_RANKED,	/* best rank of util_fits_cpu(), then capacity */
	WAKE_CAPACITY_CORES,	/* prefers idle cores, bounded by SIS_UTIL */
};

/* ttwu: a wakee that its old CPU still switches away from (wake/select.h). */
enum wake_on_cpu {
	WAKE_ON_CPU_WAIT,	/* v5.4: the waker spins, then selects */
	WAKE_ON_CPU_NR_1,	/* queued there if at most one task is */
	WAKE_ON_CPU_NR_0,
	WAKE_ON_CPU_IDLE,	/* the queueing rules of any idle CPU */
};

struct wake_rules {
	wake_u8 skeleton;
	wake_u8 load;
	wake_u8 prev_idle;
	wake_u8 sync_nr;
	wake_u8 affine_count;
	wake_u8 sched_idle;
	wake_u8 kthread;
	wake_u8 recent;
	wake_u8 recent_asks_prev; /* "is it allowed?" was asked of prev, by mistake */
	wake_u8 waker_recent;	/* the waker's recent_used_cpu := its CPU */
	wake_u8 smt;
	wake_u8 smt_in_span;	/* siblings must be in the LLC domain */
	wake_u8 smt_skips_prev;
	wake_u8 core_scans_on;	/* core scan reads a core's other threads after a busy one */
	wake_u8 core_threads;
	wake_u8 clears_waker_hint; /* a failed core scan cleared the hint of the waker's LLC */
	wake_u8 scan_start;
	wake_u8 affinity_late;	/* v5.4: disallowed CPUs use up the budget */
	wake_u8 avg_idle;
	wake_u8 this_sd_always;	/* no scan for a waker without an LLC domain */
	wake_u8 cluster;
	wake_u8 idle_mask;
	wake_u8 sis_core;
	wake_u8 vcpu;
	wake_u8 capacity;
	wake_u8 on_cpu;
	wake_u8 current_cpu;	/* WF_CURRENT_CPU is honoured */
	wake_u8 delay_dequeue;	/* a delayed task is woken where it is */
	wake_u8 migration_disable;
	/* sched_feat() switches */
	wake_u8 wa_idle, wa_weight, wa_bias;
	wake_u8 sis_avg_cpu, sis_prop, sis_util;
	wake_u8 ttwu_queue;
};

#endif
