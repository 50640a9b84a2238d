/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proposal idle-cpumask (Aubrey Li, "select idle cpu from idle cpumask for
 * task wakeup", 2020-11): the CPU scan looks only at a mask of CPUs that entered
 * idle. Bits are set at idle entry and cleared at a busy CPU's tick, never when
 * a task is enqueued; a CPU that runs only SCHED_IDLE tasks counts as idle.
 *
 *   v4  the bit is set only where the idle loop stops the tick, or it is stopped
 *   v6  at every idle entry
 *
 * Core scan and sibling scan still use the domain's span.
 */
#ifndef WAKE_IDLE_CPUMASK_H
#define WAKE_IDLE_CPUMASK_H

#include "wake/scan.h"

/* ctx->scan->mask := what select_idle_cpu() scans of target's LLC domain. */
WAKE_FN void wake_mask_idle_llc(struct wake_ctx *ctx, const struct wake_span *span)
{
	struct wake_llc *llc = host_llc(ctx->host, ctx->target);

	wake_mask_llc(ctx, span);
	if (ctx->rules->idle_mask == WAKE_IDLE_MASK_NONE || !llc)
		return;
	wake_for(w, span->first, span->last + 1u) {
		if (w >= WAKE_WORDS)
			break;
		ctx->scan->mask[w] &= llc->idle_cpus[w];
	}
}

/* update_idle_cpumask(): own bit := idle, if that is news to this CPU. */
WAKE_FN void wake_idle_mask_update(struct wake_host *host, wake_u32 cpu, wake_u32 idle)
{
	struct wake_cpu *state = host_cpu(host, cpu);
	struct wake_llc *llc = host_llc(host, cpu);

	idle = idle || host_sched_idle_cpu(host, cpu);
	if (idle == state->last_idle_state || !llc)
		return;
	if (idle)
		wake_mask_set(llc->idle_cpus, cpu);
	else
		wake_mask_clear(llc->idle_cpus, cpu);
	state->last_idle_state = (wake_u8)idle;
}

WAKE_FN void wake_idle_mask_enter(const struct wake_rules *rules, struct wake_host *host,
				  wake_u32 cpu, wake_u32 tick_stopping)
{
	if (rules->idle_mask == WAKE_IDLE_MASK_V6 ||
	    (rules->idle_mask == WAKE_IDLE_MASK_V4 && tick_stopping))
		wake_idle_mask_update(host, cpu, 1);
}

WAKE_FN void wake_idle_mask_tick(const struct wake_rules *rules, struct wake_host *host,
				 wake_u32 cpu)
{
	if (rules->idle_mask != WAKE_IDLE_MASK_NONE && !host_idle_cpu(host, cpu))
		wake_idle_mask_update(host, cpu, 0);
}

#endif
