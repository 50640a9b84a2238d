/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording says: one struct trace_record for each wake-up (or fork or
 * exec) that a kernel's select_task_rq_fair() decided, one struct trace_event
 * for each time a kernel wrote one of the wake path's hints.
 *
 * CPU ids are the kernel's. Times are ns of the recorded kernel's clock, jiffies
 * its own. Everything is as at entry of the call unless the name says _out.
 * A column that a recording lacks is 0 here; trace_head.columns tells which it has.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_NR_CPUS	1024
#define TRACE_WORDS	(TRACE_NR_CPUS / 64)

typedef uint64_t trace_mask[TRACE_WORDS];

static inline bool trace_mask_has(const uint64_t *mask, uint32_t cpu)
{
	return mask[cpu / 64] >> (cpu % 64) & 1;
}

struct trace_task {
	int32_t pid, tgid;
	uint32_t cpu;
	uint32_t flags;			/* task_struct.flags: TRACE_PF_* */
	uint32_t wakee_flips;
	uint32_t policy;		/* SCHED_*, TRACE_POLICY_IDLE */
	uint32_t weight;		/* nice 0: 1024 */
	uint32_t on_rq_delayed;
	uint64_t decay_ts;		/* wakee_flip_decay_ts, jiffies */
	int32_t last_wakee_pid;
	uint32_t recent_used_cpu;
	uint32_t wake_cpu;
	uint32_t nr_allowed;
	uint64_t load_avg, runnable_avg, util_avg, util_est;
	uint64_t h_load;
	uint64_t cfs_h_load, cfs_h_load_ts, cfs_load_avg;
	trace_mask allowed;
};

#define TRACE_POLICY_IDLE	5u	/* SCHED_IDLE */
#define TRACE_PF_EXITING	0x00000004u
#define TRACE_PF_KTHREAD	0x00200000u

struct trace_cpu {
	uint32_t nr_running, h_nr_queued, h_nr_runnable, h_nr_idle;
	uint32_t flags;			/* TRACE_CPU_* */
	int32_t curr_pid;
	uint32_t load_avg, runnable_avg, util_avg;
	uint32_t capacity;		/* rq.cpu_capacity, 1024 scale */
};

#define TRACE_CPU_CURR_IDLE	0x01u
#define TRACE_CPU_TTWU_PENDING	0x02u
#define TRACE_CPU_CURR_KTHREAD	0x04u
#define TRACE_CPU_TICK_STOPPED	0x08u
#define TRACE_CPU_SCAN_SIBLING	0x10u
#define TRACE_CPU_LAST_IDLE	0x20u	/* idle-cpumask's last_idle_state */

/* Of two LLCs: the waker's CPU's and prev's. */
enum trace_side { TRACE_W, TRACE_P, TRACE_SIDES };

struct trace_record {
	uint64_t seq;
	uint64_t t_in, t_out;		/* ns */
	uint64_t jiffies, jiffies_out;
	uint32_t waker_cpu, prev_cpu;
	uint32_t wake_flags;		/* WF_* of v5.11 on, whatever the kernel */
	uint32_t raw_flags;
	int32_t ret;			/* the CPU that the kernel chose */
	int32_t affine_attempt, affine_this;
	int32_t has_idle[TRACE_SIDES], has_idle_out[TRACE_SIDES];
	int32_t scan[TRACE_SIDES];	/* nr_idle_scan; -1: the kernel has none */
	uint32_t recent_out;		/* wakee's */
	uint32_t waker_recent_out;
	uint32_t waker_flips_out;
	uint32_t preempt_count;
	uint64_t avg_idle;		/* of the waker's rq, ns */
	uint64_t wake_avg_idle, wake_avg_idle_out;	/* ns */
	uint64_t wake_stamp, wake_stamp_out;		/* jiffies */
	uint64_t scan_cost, scan_cost_out;		/* ns */
	uint32_t span_weight[TRACE_SIDES];
	uint64_t nr_switches, nr_switches_out;		/* sum over all CPUs */
	int32_t cluster[TRACE_SIDES];	/* sd_share_id */
	struct trace_task waker, wakee;
	trace_mask idle, idle_out;	/* available_idle_cpu() */
	trace_mask icpus[TRACE_SIDES], icpus_out[TRACE_SIDES];
	trace_mask imask[TRACE_SIDES], imask_out[TRACE_SIDES];
	trace_mask scan_sibling_out;
	struct trace_cpu cpu[TRACE_NR_CPUS];	/* trace_head.nr_cpus of them */
};

enum trace_event_type {
	TRACE_EVENT_IDLE_CORE = 1,	/* a CPU picks its idle task: __update_idle_core() */
	TRACE_EVENT_IDLE_MASK = 2,	/* idle-cpumask's update */
};

/* A line of writers.csv: what happened to the hints of the CPU's own LLC. */
struct trace_event {
	char load[64];
	uint32_t type;			/* enum trace_event_type */
	uint32_t set;			/* of type 2: 1 idle entry, 0 tick */
	uint64_t seq;			/* wake-ups before it */
	uint64_t t, t_out;		/* ns */
	uint32_t cpu;
	uint32_t nr_running, h_nr_idle;
	uint32_t flags;			/* TRACE_CPU_*, of this CPU */
	trace_mask idle;
	int32_t has_idle, has_idle_out;
	trace_mask icpus, icpus_out;
	trace_mask imask, imask_out;
	uint32_t last_idle, last_idle_out;
	uint64_t nr_switches, nr_switches_out;
};

#endif
