/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proposal prev-idle (Julia Lawall, "sched/fair: check for idle core",
 * v1 2020-10; merged for v5.11 as d8fcb81f1acf): a wakee whose previous CPU is
 * idle stays there, before loads are compared.
 *
 *   none    before v5.11
 *   gated   the third test, only where waker and prev share an LLC
 *   first   Mel Gorman's order: within an LLC prev idle, then waker idle; no rule
 *           across LLCs
 *   merged  the third test, at any distance (v1 of the mail, and v5.11)
 */
#ifndef WAKE_PREV_IDLE_H
#define WAKE_PREV_IDLE_H

#include "wake/idle.h"

/* The tests before the sync rule: a CPU, or WAKE_NONE. */
WAKE_FN wake_u32 wake_affine_idle_first(struct wake_ctx *ctx)
{
	wake_u32 this_cpu = ctx->cpu, prev = ctx->prev;

	if (ctx->rules->prev_idle == WAKE_PREV_IDLE_FIRST) {
		if (!host_share_cache(ctx->host, this_cpu, prev))
			return WAKE_NONE;
		if (wake_idle(ctx, prev))
			return prev;
		return wake_idle(ctx, this_cpu) ? this_cpu : WAKE_NONE;
	}
	/* An idle CPU that wakes does so from an interrupt. */
	if (wake_idle(ctx, this_cpu) && host_share_cache(ctx->host, this_cpu, prev))
		return wake_idle(ctx, prev) ? prev : this_cpu;
	return WAKE_NONE;
}

/* The test after it. */
WAKE_FN wake_u32 wake_prev_stays(struct wake_ctx *ctx)
{
	switch (ctx->rules->prev_idle) {
	case WAKE_PREV_IDLE_MERGED:
		break;
	case WAKE_PREV_IDLE_GATED:
		if (host_share_cache(ctx->host, ctx->cpu, ctx->prev))
			break;
		return 0;
	default:
		return 0;
	}
	return wake_idle(ctx, ctx->prev);
}

#endif
