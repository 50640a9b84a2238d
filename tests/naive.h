/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scan orders a second time, as slowly and plainly as they can be written:
 * lists of CPUs, one flag a CPU, nothing shared with wake/ but the types.
 */
#ifndef TESTS_NAIVE_H
#define TESTS_NAIVE_H

#include "sched/state.h"

struct naive_result {
	wake_u32 cpu;
	wake_u32 has_idle_cores;	/* of target's LLC, afterwards */
	wake_u32 recent;		/* wakee's recent_used_cpu, afterwards */
	wake_u64 icpus[WAKE_WORDS];	/* of target's LLC */
	wake_u32 scan_sibling;		/* of target */
};

/* select_idle_sibling() for a target, from a state that it leaves alone. */
void naive_select_idle_sibling(const struct sched_state *state, const struct wake_rules *rules,
			       const struct sched_wake *wake, wake_u32 target,
			       struct naive_result *out);

#endif
