// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wake path once more, with its candidate log: explain's build of the very
 * source that sched/wake.c builds.
 */
#include "sched/state.h"

static _Thread_local struct sched_log *current_log;

static void note(const struct wake_ctx *ctx, wake_u32 step, wake_u32 cpu, wake_u32 verdict)
{
	struct sched_log *log = current_log;

	if (log->nr < log->max)
		log->notes[log->nr] = (struct sched_note){
			cpu, (wake_u16)step, (wake_u16)verdict, ctx->scan->nr,
		};
	log->nr++;
}

#undef wake_note
#define wake_note(ctx, step, cpu, verdict) note(ctx, step, cpu, verdict)

#include "sched/host.h"

void sched_wake_log(struct sched_state *state, const struct wake_rules *rules,
		    const struct sched_wake *wake, struct wake_decision *out,
		    struct sched_log *log)
{
	current_log = log;
	log->nr = 0;
	sched_decide(state, rules, wake, out);
}
