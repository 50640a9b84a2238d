/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The versions, each as its difference from the one before it. A change stands in
 * the row of the first release that has it; commits are those of mainline.
 *
 * Read in the trees: 5.4 (stable), 5.10.262, 5.11.4, 6.1.176 and .192, 6.12.117,
 * 7.3.4. The rows between are bracketed by them: wake_version.source says which.
 */
#ifndef WAKE_VERSIONS_H
#define WAKE_VERSIONS_H

#include "wake/rules.h"

#define WAKE_V5_4 \
	.skeleton = WAKE_SPLIT, \
	.load = WAKE_LOAD_RUNNABLE, \
	.sched_idle = WAKE_SCHED_IDLE_AFTER, \
	.recent = WAKE_RECENT_ON_HIT, \
	.waker_recent = 1, \
	.smt = WAKE_SMT_TARGET, \
	.core_scans_on = 1, \
	.affinity_late = 1, \
	.avg_idle = WAKE_AVG_IDLE_512TH, \
	.this_sd_always = 1, \
	.vcpu = WAKE_VCPU_YIELDED, \
	.capacity = WAKE_CAPACITY_WAKE_CAP, \
	.on_cpu = WAKE_ON_CPU_WAIT, \
	.wa_idle = 1, .wa_weight = 1, .wa_bias = 1, \
	.sis_prop = 1, \
	.ttwu_queue = 1

#define WAKE_V5_9 \
	WAKE_V5_4, \
	.load = WAKE_LOAD_AVG, \
	.sched_idle = WAKE_SCHED_IDLE_EQUAL, \
	.kthread = WAKE_KTHREAD_STACKS, \
	.core_scans_on = 0, \
	.affinity_late = 0, \
	.vcpu = WAKE_VCPU_SHARED, \
	.capacity = WAKE_CAPACITY_FIRST, \
	.on_cpu = WAKE_ON_CPU_NR_1

#define WAKE_V5_10 \
	WAKE_V5_9, \
	.smt_in_span = 1, \
	.capacity = WAKE_CAPACITY_FITS

#define WAKE_V5_10_262 \
	WAKE_V5_10, \
	.kthread = WAKE_KTHREAD_IN_TASK, \
	.on_cpu = WAKE_ON_CPU_NR_0

#define WAKE_V5_11 \
	WAKE_V5_10, \
	.prev_idle = WAKE_PREV_IDLE_MERGED, \
	.vcpu = WAKE_VCPU_CORE, \
	.migration_disable = 1

#define WAKE_V5_12 \
	WAKE_V5_11, \
	.skeleton = WAKE_MERGED, \
	.smt = WAKE_SMT_NONE, \
	.clears_waker_hint = 1

#define WAKE_V5_13 \
	WAKE_V5_12, \
	.smt = WAKE_SMT_PREV, \
	.clears_waker_hint = 0

#define WAKE_V5_15 \
	WAKE_V5_13, \
	.recent = WAKE_RECENT_ALWAYS, \
	.recent_asks_prev = 1, \
	.waker_recent = 0, \
	.scan_start = WAKE_START_NEXT, \
	.avg_idle = WAKE_AVG_IDLE_AGED

#define WAKE_V5_17 \
	WAKE_V5_15, \
	.kthread = WAKE_KTHREAD_IN_TASK

#define WAKE_V6_0 \
	WAKE_V5_17, \
	.on_cpu = WAKE_ON_CPU_IDLE, \
	.sis_prop = 0, .sis_util = 1

#define WAKE_V6_1 \
	WAKE_V6_0, \
	.smt_in_span = 0, \
	.smt_skips_prev = 1, \
	.this_sd_always = 0

/* 6.1.176 and 6.1.192 */
#define WAKE_V6_1_STABLE \
	WAKE_V6_1, \
	.affine_count = WAKE_COUNT_THIS, \
	.recent_asks_prev = 0, \
	.smt_in_span = 1, \
	.core_threads = WAKE_CORE_MASK, \
	.capacity = WAKE_CAPACITY_RANKED

#define WAKE_V6_6 \
	WAKE_V6_1, \
	.affine_count = WAKE_COUNT_THIS, \
	.recent_asks_prev = 0, \
	.capacity = WAKE_CAPACITY_RANKED, \
	.current_cpu = 1

#define WAKE_V6_7 \
	WAKE_V6_6, \
	.vcpu = WAKE_VCPU_HINT, \
	.cluster = WAKE_CLUSTER_MERGED

#define WAKE_V6_12 \
	WAKE_V6_7, \
	.smt_in_span = 1, \
	.core_threads = WAKE_CORE_MASK, \
	.delay_dequeue = 1

#define WAKE_V6_12_117 \
	WAKE_V6_12, \
	.sync_nr = WAKE_SYNC_RUNNABLE

#define WAKE_V7_0	WAKE_V6_12_117

#define WAKE_V7_1 \
	WAKE_V7_0, \
	.sched_idle = WAKE_SCHED_IDLE_NOT_FOR_IDLE

#define WAKE_V7_3 \
	WAKE_V7_1, \
	.capacity = WAKE_CAPACITY_CORES

/*
 * X(name, major, minor, stable, rules macro, source, what came with it).
 * stable 0 is the mainline release.
 */
#define WAKE_VERSIONS(X) \
	X("v5.4", 5, 4, 0, WAKE_V5_4, "read (5.4 stable)", \
	  "3c29e651e16d: a CPU with only SCHED_IDLE tasks counts as idle") \
	X("v5.9", 5, 9, 0, WAKE_V5_9, "between 5.4 and 5.10", \
	  "v5.5 11f10e5420f6: load_avg, blocked load too; v5.6 17346452b25b: sched-idle CPUs " \
	  "equal, 52262ee567ad: per-CPU kthreads stack; v5.7 b7a331615d25: capacity scan; v5.8 " \
	  "c6e7bd7afaeb, 2ebb17717550: wakees still on their CPU are queued there") \
	X("v5.10", 5, 10, 0, WAKE_V5_10, "between 5.4 and 5.10.262", \
	  "df3cb4ea1fb6: siblings only within the domain; 2208cdaa56c9: imbalance_pct 117; " \
	  "b4c9c9f15649: capacity tests after prev and recent") \
	X("v5.10.262", 5, 10, 262, WAKE_V5_10_262, "read", \
	  "backports: 8b4e74ccb582 (in_task), 28156108fecb (a wakee still on its CPU is queued " \
	  "there only if nothing else is)") \
	X("v5.11", 5, 11, 0, WAKE_V5_11, "read (5.11.4)", \
	  "d8fcb81f1acf: an idle prev stays; migrate_disable()") \
	X("v5.12", 5, 12, 0, WAKE_V5_12, "between 5.11 and 6.1", \
	  "e6e0dc2d5497: SIS_AVG_CPU gone; 6cd56ef1df39: sibling scan gone; 9fe1f127b913: core " \
	  "and CPU scan merged") \
	X("v5.13", 5, 13, 0, WAKE_V5_13, "between 5.11 and 6.1", \
	  "c722f35b513f: siblings of prev before the scan; 02dbb7246c5b: a failed core scan " \
	  "clears the hint of target's LLC, no longer of the waker's") \
	X("v5.15", 5, 15, 0, WAKE_V5_15, "between 5.11 and 6.1", \
	  "v5.14 94aafc3ee31d: the average idle time ages; 56498cfb045d: scan from target + 1; " \
	  "89aafd67f28c: recent_used_cpu is always prev, and its mask test asks prev") \
	X("v5.17", 5, 17, 0, WAKE_V5_17, "between 5.11 and 6.1", \
	  "8b4e74ccb582: per-CPU kthreads stack only in_task()") \
	X("v6.0", 6, 0, 0, WAKE_V6_0, "between 5.11 and 6.1", \
	  "70fb5ccf2ebb: SIS_UTIL, SIS_PROP off; f3dd3f674555: wakees still on an idle CPU are " \
	  "queued there within the LLC too") \
	X("v6.1", 6, 1, 0, WAKE_V6_1, "between 5.11 and 6.1.176", \
	  "b9bae70440d2: prev is not a sibling; 3e6efe87cd5c, 96c1c0cfe493: fewer tests of domains") \
	X("v6.1.176", 6, 1, 176, WAKE_V6_1_STABLE, "read", \
	  "backports: 8aeaffef8c6e, 23d04d8c6b8e (siblings and core threads within the domain), " \
	  "39afe5d6fc59 (affine counters count pulls only), ae2ad293d6be (recent_used_cpu's " \
	  "mask test), util_fits_cpu()") \
	X("v6.1.192", 6, 1, 192, WAKE_V6_1_STABLE, "read", "as v6.1.176") \
	X("v6.6", 6, 6, 0, WAKE_V6_6, "between 6.1 and 6.12", \
	  "v6.2, v6.3: util_fits_cpu() and its ranks; v6.5 ae2ad293d6be: recent_used_cpu's mask " \
	  "test asks recent_used_cpu again; v6.4 39afe5d6fc59: affine counters count pulls only; " \
	  "ab83f455f04d: WF_CURRENT_CPU") \
	X("v6.7", 6, 7, 0, WAKE_V6_7, "between 6.1 and 6.12", \
	  "b95303e0aeaf, 8881e1639f1f, 22165f61d0c4: cluster scan; 984ffb6a4366: SIS_PROP gone; " \
	  "efce8422dd53: idle vCPUs of shared partitions") \
	X("v6.12", 6, 12, 0, WAKE_V6_12, "between 6.1 and 6.12.117", \
	  "v6.9 8aeaffef8c6e, 23d04d8c6b8e: siblings and core threads within the domain; " \
	  "152e11f6df29: delayed dequeue") \
	X("v6.12.117", 6, 12, 117, WAKE_V6_12_117, "read", \
	  "backport: aa3ee4f0b754 (the sync test leaves delayed tasks out)") \
	X("v7.0", 7, 0, 0, WAKE_V7_0, "between 6.12 and 7.3", \
	  "v6.16 aa3ee4f0b754: the sync test leaves delayed tasks out") \
	X("v7.1", 7, 1, 0, WAKE_V7_1, "between 6.12 and 7.3; decisions of ten kernels", \
	  "fd54d81c2c0e: a SCHED_IDLE wakee takes no CPU that runs only SCHED_IDLE tasks") \
	X("v7.3", 7, 3, 0, WAKE_V7_3, "between 6.12 and 7.3.4", \
	  "v7.2 25a32e400a14, 61ea17a63719: the capacity scan prefers idle cores, within " \
	  "nr_idle_scan") \
	X("v7.3.4", 7, 3, 4, WAKE_V7_3, "read", "as v7.3")

struct wake_version {
	const char *name;
	wake_u16 major, minor, stable;
	const char *source;
	const char *changes;
	struct wake_rules rules;
};

#endif
