// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wake path once more, with its candidate log: explain's build of the very
 * source that sched/wake.c builds.
 */
#include "sched/log.h"
#include "sched/host.h"

void sched_wake_log(struct sched_state *state, const struct wake_rules *rules,
		    const struct sched_wake *wake, struct wake_decision *out,
		    struct sched_log *log)
{
	sched_current_log = log;
	log->nr = 0;
	sched_decide(state, rules, wake, out);
}
