/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The candidate log of a build that explains: include this, then the host, in a file
 * that runs decisions with sched_current_log set.
 */
#ifndef SCHED_LOG_H
#define SCHED_LOG_H

#include "sched/state.h"

static _Thread_local struct sched_log *sched_current_log;

static void sched_note(const struct wake_ctx *ctx, wake_u32 step, wake_u32 cpu, wake_u32 verdict)
{
	struct sched_log *log = sched_current_log;

	if (log->nr < log->max)
		log->notes[log->nr] = (struct sched_note){
			cpu, (wake_u16)step, (wake_u16)verdict, ctx->scan->nr,
		};
	log->nr++;
}

#undef wake_note
#define wake_note(ctx, step, cpu, verdict) sched_note(ctx, step, cpu, verdict)

#endif
