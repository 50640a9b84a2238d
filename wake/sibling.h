/* SPDX-License-Identifier: GPL-2.0-only */
/* select_idle_sibling(): which CPU near target, and target where none is free. */
#ifndef WAKE_SIBLING_H
#define WAKE_SIBLING_H

#include "wake/capacity.h"
#include "wake/sibling_split.h"
#include "wake/sibling_merged.h"

/* prev or recent_used_cpu as a candidate; sets ctx->..._far where it must wait. */
WAKE_FN wake_u32 wake_try_prev(struct wake_ctx *ctx)
{
	wake_u32 verdict = WAKE_VERDICT_TAKEN;

	if (ctx->prev == ctx->target)
		verdict = WAKE_VERDICT_SAME;
	else if (!wake_near(ctx, ctx->prev))
		verdict = WAKE_VERDICT_OTHER_LLC;
	else if (!wake_free(ctx, ctx->prev))
		verdict = WAKE_VERDICT_BUSY;
	else if (!wake_asym_fits(ctx, ctx->prev))
		verdict = WAKE_VERDICT_NOT_FIT;
	else if (wake_far(ctx, ctx->prev)) {
		verdict = WAKE_VERDICT_FAR;
		ctx->scan->prev_far = ctx->prev;
	}
	wake_note(ctx, WAKE_STEP_PREV, ctx->prev, verdict);
	return verdict == WAKE_VERDICT_TAKEN;
}

/* A per-CPU kthread that wakes on its CPU hands over what it finished: stack. */
WAKE_FN wake_u32 wake_kthread_stacks(struct wake_ctx *ctx)
{
	if (ctx->rules->kthread == WAKE_KTHREAD_NO || !host_waker_kthread(ctx->host) ||
	    host_waker_nr_allowed(ctx->host) != 1)
		return 0;
	if (ctx->rules->kthread == WAKE_KTHREAD_IN_TASK && !host_waker_in_task(ctx->host))
		return 0;
	if (ctx->prev != ctx->cpu || host_nr_running(ctx->host, ctx->cpu) > 1)
		return 0;
	if (ctx->rules->kthread == WAKE_KTHREAD_IN_TASK && !wake_asym_fits(ctx, ctx->prev))
		return 0;
	wake_note(ctx, WAKE_STEP_KTHREAD, ctx->prev, WAKE_VERDICT_TAKEN);
	return 1;
}

WAKE_FN wake_u32 wake_try_recent(struct wake_ctx *ctx, wake_u32 *recent_cpu)
{
	struct wake_task *wakee = host_wakee(ctx->host);
	wake_u32 recent = wakee->recent_used_cpu;
	wake_u32 verdict = WAKE_VERDICT_TAKEN;

	*recent_cpu = recent;
	if (ctx->rules->recent == WAKE_RECENT_ALWAYS)
		wakee->recent_used_cpu = ctx->prev;
	if (recent == ctx->prev || recent == ctx->target)
		verdict = WAKE_VERDICT_SAME;
	else if (!wake_near(ctx, recent))
		verdict = WAKE_VERDICT_OTHER_LLC;
	else if (!wake_free(ctx, recent))
		verdict = WAKE_VERDICT_BUSY;
	else if (!wake_allowed(ctx, ctx->rules->recent_asks_prev ? ctx->prev : recent))
		verdict = WAKE_VERDICT_NOT_ALLOWED;
	else if (!wake_asym_fits(ctx, recent))
		verdict = WAKE_VERDICT_NOT_FIT;
	else if (wake_far(ctx, recent)) {
		verdict = WAKE_VERDICT_FAR;
		ctx->scan->recent_far = recent;
	}
	wake_note(ctx, WAKE_STEP_RECENT, recent, verdict);
	if (verdict != WAKE_VERDICT_TAKEN)
		return 0;
	if (ctx->rules->recent == WAKE_RECENT_ON_HIT)
		wakee->recent_used_cpu = ctx->prev;
	return 1;
}

/* The tests before any scan; no mask is asked for target and prev. */
WAKE_FN wake_u32 wake_before_scan(struct wake_ctx *ctx)
{
	wake_u32 recent;

	if (!wake_free(ctx, ctx->target)) {
		wake_note(ctx, WAKE_STEP_TARGET, ctx->target, WAKE_VERDICT_BUSY);
	} else if (!wake_asym_fits(ctx, ctx->target)) {
		wake_note(ctx, WAKE_STEP_TARGET, ctx->target, WAKE_VERDICT_NOT_FIT);
	} else {
		wake_note(ctx, WAKE_STEP_TARGET, ctx->target, WAKE_VERDICT_TAKEN);
		return wake_found(ctx, ctx->target, WAKE_REASON_TARGET);
	}
	if (wake_try_prev(ctx))
		return wake_found(ctx, ctx->prev, WAKE_REASON_PREV);
	if (wake_kthread_stacks(ctx))
		return wake_found(ctx, ctx->prev, WAKE_REASON_KTHREAD);
	if (wake_try_recent(ctx, &recent))
		return wake_found(ctx, recent, WAKE_REASON_RECENT);
	return WAKE_NONE;
}

/* The remembered CPUs of other clusters; nobody asks again whether they are idle. */
WAKE_FN wake_u32 wake_after_scan(struct wake_ctx *ctx)
{
	if (ctx->scan->prev_far != WAKE_NONE) {
		wake_note(ctx, WAKE_STEP_FAR, ctx->scan->prev_far, WAKE_VERDICT_TAKEN);
		return wake_found(ctx, ctx->scan->prev_far, WAKE_REASON_PREV_FAR);
	}
	if (ctx->scan->recent_far != WAKE_NONE) {
		wake_note(ctx, WAKE_STEP_FAR, ctx->scan->recent_far, WAKE_VERDICT_TAKEN);
		return wake_found(ctx, ctx->scan->recent_far, WAKE_REASON_RECENT_FAR);
	}
	return wake_found(ctx, ctx->target, WAKE_REASON_NOT_FOUND);
}

/* v5.7 on: a domain of unequal capacities is scanned by capacity, and by nothing else. */
WAKE_FN wake_u32 wake_by_capacity(struct wake_ctx *ctx, const struct wake_span *asym)
{
	wake_u32 cpu = wake_select_capacity(ctx, asym);

	wake_note(ctx, WAKE_STEP_CAPACITY, cpu == WAKE_NONE ? ctx->target : cpu,
		  WAKE_VERDICT_TAKEN);
	if (cpu != WAKE_NONE)
		return wake_found(ctx, cpu, WAKE_REASON_CAPACITY);
	return wake_found(ctx, ctx->target, WAKE_REASON_NOT_FOUND);
}

WAKE_FN wake_u32 wake_select_idle_sibling(struct wake_ctx *ctx)
{
	const struct wake_span *asym = host_asym_span(ctx->host, ctx->target);
	const struct wake_span *llc;
	wake_u32 cpu;

	if (asym && ctx->rules->capacity == WAKE_CAPACITY_FIRST)
		return wake_by_capacity(ctx, asym);
	cpu = wake_before_scan(ctx);
	if (cpu != WAKE_NONE)
		return cpu;
	if (asym && ctx->rules->capacity >= WAKE_CAPACITY_FITS)
		return wake_by_capacity(ctx, asym);
	llc = host_llc_span(ctx->host, ctx->target);
	if (!llc)
		return wake_found(ctx, ctx->target, WAKE_REASON_NO_DOMAIN);
	if (ctx->rules->skeleton == WAKE_SPLIT)
		cpu = wake_scan_split(ctx, llc);
	else
		cpu = wake_scan_merged(ctx, llc);
	return cpu != WAKE_NONE ? cpu : wake_after_scan(ctx);
}

#endif
