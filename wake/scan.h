/* SPDX-License-Identifier: GPL-2.0-only */
/* What both skeletons scan with: one CPU, one core, one pass over a mask. */
#ifndef WAKE_SCAN_H
#define WAKE_SCAN_H

#include "wake/budget.h"

/* ctx->scan->mask := the LLC domain of target, as far as the wakee may run there. */
WAKE_FN void wake_mask_llc(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_mask_and(ctx->scan->mask, llc, host_allowed(ctx->host));
}

WAKE_FN void wake_drop_core(struct wake_ctx *ctx, wake_u32 core)
{
	wake_u32 nr = host_nr_smt(ctx->host, core);

	wake_for(i, 0, WAKE_SMT_MAX) {
		if (i >= nr)
			break;
		wake_mask_clear(ctx->scan->mask, host_smt(ctx->host, core, i));
	}
}

/*
 * __select_idle_cpu() and friends: the thread as a candidate of a partly idle
 * core. core_threads tells whether the wakee's mask or the scan's decides.
 */
WAKE_FN wake_u32 wake_core_accepts(const struct wake_ctx *ctx, wake_u32 thread)
{
	if (ctx->rules->core_threads == WAKE_CORE_MASK)
		return wake_mask_has(ctx->scan->mask, thread);
	return wake_allowed(ctx, thread);
}

/*
 * select_idle_core() of v5.12 on: is the core of this CPU wholly idle? The first
 * thread that would do is remembered in ctx->scan->seen, once a scan. All threads
 * count, allowed or not.
 */
WAKE_FN wake_u32 wake_core_is_idle(struct wake_ctx *ctx, wake_u32 core)
{
	wake_u32 nr = host_nr_smt(ctx->host, core);
	wake_u32 seen = ctx->scan->seen;
	wake_u32 idle = 1;

	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 thread;

		if (i >= nr)
			break;
		thread = host_smt(ctx->host, core, i);
		if (wake_idle(ctx, thread)) {
			if (ctx->scan->seen == WAKE_NONE && wake_core_accepts(ctx, thread))
				ctx->scan->seen = thread;
			continue;
		}
		idle = 0;
		if (ctx->scan->seen != WAKE_NONE)
			break;
		if (wake_sched_idle(ctx, thread) && wake_core_accepts(ctx, thread)) {
			ctx->scan->seen = thread;
			break;
		}
	}
	if (!idle && ctx->scan->seen != seen)
		wake_note(ctx, WAKE_STEP_CORE, ctx->scan->seen, WAKE_VERDICT_SEEN);
	wake_note(ctx, WAKE_STEP_CORE, core, idle ? WAKE_VERDICT_TAKEN : WAKE_VERDICT_CORE_BUSY);
	return idle;
}

/*
 * One pass over ctx->scan->mask within a span, in wrap order from start: for a wholly
 * idle core (has_core, unbounded) or for a free CPU, as long as the budget lasts.
 * WAKE_NONE with ctx->scan->nr 0: the budget is used up.
 */
WAKE_FN wake_u32 wake_pass(struct wake_ctx *ctx, const struct wake_span *span, wake_u32 start,
			   wake_u32 has_core, wake_u32 step)
{
	struct wake_walk *walk = &ctx->scan->walk;

	wake_walk_start(walk, span, start);
	wake_for(i, 0, WAKE_NR_CPUS) {
		wake_u32 cpu = wake_walk_next(walk, ctx->scan->mask, span);

		if (cpu == WAKE_NONE)
			break;
		if (has_core) {
			if (wake_core_is_idle(ctx, cpu))
				return cpu;
			/* sis-core records one CPU a core, and keeps the others. */
			if (ctx->rules->sis_core < WAKE_SIS_CORE_P123)
				wake_drop_core(ctx, cpu);
			continue;
		}
		if (!wake_spend(ctx)) {
			wake_note(ctx, step, cpu, WAKE_VERDICT_STOP);
			break;
		}
		if (wake_free(ctx, cpu)) {
			wake_note(ctx, step, cpu, WAKE_VERDICT_TAKEN);
			return cpu;
		}
		wake_note(ctx, step, cpu, WAKE_VERDICT_BUSY);
	}
	return WAKE_NONE;
}

#endif
