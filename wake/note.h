/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of a decision: why this CPU (reason), and, where the host keeps a
 * log, each CPU that was considered, in which step, and what became of it.
 */
#ifndef WAKE_NOTE_H
#define WAKE_NOTE_H

#include "wake/types.h"

/* X(name, text, kernel function); the texts go into CSV: no commas */
#define WAKE_REASONS(X) \
	X(NONE, "no decision", "") \
	X(TARGET, "target is free", "select_idle_sibling") \
	X(PREV, "prev is free", "select_idle_sibling") \
	X(KTHREAD, "per-CPU kthread stacks", "select_idle_sibling") \
	X(RECENT, "recent_used_cpu is free", "select_idle_sibling") \
	X(CORE, "idle core", "select_idle_core") \
	X(CORE_THREAD, "idle thread seen in the core scan", "select_idle_core") \
	X(CPU, "idle CPU of the LLC", "select_idle_cpu") \
	X(SMT_TARGET, "idle sibling of target", "select_idle_smt") \
	X(SMT_PREV, "idle sibling of prev", "select_idle_smt") \
	X(CLUSTER_CORE, "idle core of the cluster", "select_idle_cpu") \
	X(CLUSTER_CPU, "idle CPU of the cluster", "select_idle_cpu") \
	X(CLUSTER_BUSY, "busy cluster with prev in it: target", "select_idle_cpu") \
	X(SIBLING, "idle thread of a recorded core", "select_idle_cpu") \
	X(PREV_FAR, "idle prev of another cluster", "select_idle_sibling") \
	X(RECENT_FAR, "idle recent_used_cpu of another cluster", "select_idle_sibling") \
	X(CAPACITY, "idle CPU by capacity", "select_idle_capacity") \
	X(NOT_FOUND, "nothing idle found: target", "select_idle_sibling") \
	X(NO_DOMAIN, "target has no LLC domain", "select_idle_sibling") \
	X(CURRENT_CPU, "WF_CURRENT_CPU", "select_task_rq_fair") \
	X(ONE_ALLOWED, "only one CPU allowed: not selected", "select_task_rq") \
	X(ON_CPU, "wakee still on its CPU: not selected", "try_to_wake_up") \
	X(DELAYED, "delayed dequeue: not selected", "ttwu_runnable") \
	X(FALLBACK, "choice not allowed", "select_fallback_rq")

enum wake_reason {
#define X(name, text, function) WAKE_REASON_##name,
	WAKE_REASONS(X)
#undef X
	WAKE_NR_REASONS
};

/* What wake_affine() said. */
#define WAKE_AFFINES(X) \
	X(NOT_RUN, "not run") \
	X(NONE, "undecided: prev") \
	X(PREV, "prev") \
	X(THIS, "waker's CPU")

enum wake_affine_result {
#define X(name, text) WAKE_AFFINE_##name,
	WAKE_AFFINES(X)
#undef X
	WAKE_NR_AFFINES
};

/* X(name, text, kernel function) */
#define WAKE_STEPS(X) \
	X(WIDE, "too many partners?", "wake_wide") \
	X(AFFINE_IDLE, "waker's CPU idle, LLC shared?", "wake_affine_idle") \
	X(AFFINE_SYNC, "sync, waker alone on its CPU?", "wake_affine_idle") \
	X(AFFINE_PREV, "prev idle?", "wake_affine_idle") \
	X(AFFINE_WEIGHT, "waker's CPU less loaded?", "wake_affine_weight") \
	X(TARGET, "target", "select_idle_sibling") \
	X(PREV, "prev", "select_idle_sibling") \
	X(KTHREAD, "per-CPU kthread", "select_idle_sibling") \
	X(RECENT, "recent_used_cpu", "select_idle_sibling") \
	X(CAPACITY, "scan by capacity", "select_idle_capacity") \
	X(SMT, "siblings", "select_idle_smt") \
	X(BUDGET, "scan budget", "select_idle_cpu") \
	X(CLUSTER, "scan the cluster", "select_idle_cpu") \
	X(CORE, "scan for a core", "select_idle_core") \
	X(CPU, "scan the LLC", "select_idle_cpu") \
	X(SIBLING, "threads of recorded cores", "select_idle_cpu") \
	X(FAR, "remembered for later", "select_idle_sibling") \
	X(END, "choice", "select_task_rq_fair")

enum wake_step {
#define X(name, text, function) WAKE_STEP_##name,
	WAKE_STEPS(X)
#undef X
	WAKE_NR_STEPS
};

/* X(name, text) */
#define WAKE_VERDICTS(X) \
	X(TAKEN, "taken") \
	X(YES, "yes") \
	X(NO, "no") \
	X(BUSY, "busy") \
	X(CORE_BUSY, "core not wholly idle") \
	X(OTHER_LLC, "in another LLC") \
	X(OTHER_CLUSTER, "in another cluster") \
	X(FAR, "idle, in another cluster: remembered") \
	X(SAME, "prev or target, tested already") \
	X(NOT_ALLOWED, "not allowed") \
	X(NOT_IN_DOMAIN, "outside the LLC domain") \
	X(NOT_FIT, "too small for the task") \
	X(SEEN, "free thread, remembered") \
	X(STOP, "budget used up") \
	X(NO_SCAN, "budget says: no scan") \
	X(PRUNED, "whole core busy: bit cleared") \
	X(CLEARED, "hint cleared")

enum wake_verdict {
#define X(name, text) WAKE_VERDICT_##name,
	WAKE_VERDICTS(X)
#undef X
	WAKE_NR_VERDICTS
};

#ifndef wake_note
#define wake_note(ctx, step, cpu, verdict) \
	((void)(ctx), (void)(step), (void)(cpu), (void)(verdict))
#endif

struct wake_decision {
	wake_u32 cpu;
	wake_u32 target;	/* handed to select_idle_sibling() */
	wake_u32 probes;	/* reads of a run queue other than the waker's */
	wake_u32 budget;	/* CPUs that a bounded scan may still look at, plus 1;
				 * 0: no bound, or no scan */
	wake_u32 spent;		/* of it */
	wake_u8 reason;		/* enum wake_reason */
	wake_u8 affine;		/* enum wake_affine_result */
	wake_u8 charged;	/* SIS_PROP: the scan's time went into avg_scan_cost */
	wake_u8 wide;		/* wake_wide() */
};

#endif
