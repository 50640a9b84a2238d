/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select_task_rq_fair() for a wake-up, and what try_to_wake_up() does around it:
 * wake-ups that skip selection, and choices that must be repaired.
 */
#ifndef WAKE_SELECT_H
#define WAKE_SELECT_H

#include "wake/affine.h"
#include "wake/sibling.h"

/* The domain walk: wake_affine() in the lowest domain that holds prev, or prev. */
WAKE_FN wake_u32 wake_target(struct wake_ctx *ctx)
{
	wake_u32 nr = host_nr_domains(ctx->host, ctx->cpu);

	wake_for(i, 0, WAKE_DOMAINS_MAX) {
		if (i >= nr)
			break;
		if (!host_domain_affine(ctx->host, ctx->cpu, i) ||
		    !wake_mask_has(host_domain_span(ctx->host, ctx->cpu, i)->bits, ctx->prev))
			continue;
		if (ctx->cpu == ctx->prev)
			break;
		return wake_affine(ctx, host_domain_pct(ctx->host, ctx->cpu, i));
	}
	return ctx->prev;
}

/*
 * select_task_rq_fair(), its wake branch without energy-aware placement: the CPU
 * that the wakee, last on ctx->prev, shall run on. Leaves the reason in ctx->d.
 */
WAKE_FN wake_u32 wake_select_fair(struct wake_ctx *ctx)
{
	struct wake_task *waker = host_waker(ctx->host);
	wake_u32 affine, cpu;

	ctx->sync = (ctx->flags & WAKE_WF_SYNC) && !host_waker_exiting(ctx->host);
	wake_record_wakee(ctx);
	if (ctx->rules->current_cpu && (ctx->flags & WAKE_WF_CURRENT_CPU) &&
	    wake_allowed(ctx, ctx->cpu))
		return wake_found(ctx, ctx->cpu, WAKE_REASON_CURRENT_CPU);
	affine = !wake_wide(ctx) && !wake_cap(ctx) && wake_allowed(ctx, ctx->cpu);
	ctx->target = affine ? wake_target(ctx) : ctx->prev;
	ctx->d->target = ctx->target;
	cpu = wake_select_idle_sibling(ctx);
	if (ctx->rules->waker_recent && affine)
		waker->recent_used_cpu = ctx->cpu;
	return cpu;
}

/* ttwu_queue_wakelist(): is a wakee that still is on its CPU left there, unselected? */
WAKE_FN wake_u32 wake_queued_on_cpu(struct wake_ctx *ctx)
{
	wake_u32 rule = ctx->rules->on_cpu;
	wake_u32 cpu = ctx->prev, nr;

	if (rule == WAKE_ON_CPU_WAIT || !ctx->rules->ttwu_queue || !host_on_cpu(ctx->host))
		return 0;
	if (rule == WAKE_ON_CPU_IDLE &&
	    (!host_active(ctx->host, cpu) || !wake_allowed(ctx, cpu)))
		return 0;
	if (!host_share_cache(ctx->host, ctx->cpu, cpu))
		return 1;
	if (cpu == ctx->cpu)
		return 0;
	nr = host_nr_running(ctx->host, cpu);
	return rule == WAKE_ON_CPU_NR_1 ? nr <= 1 : nr == 0;
}

/* The first CPU of mask & span that may run the wakee, or WAKE_NONE. */
WAKE_FN wake_u32 wake_first_active(struct wake_ctx *ctx, const wake_u64 *mask,
				   const struct wake_span *span)
{
	wake_for(cpu, 0, WAKE_NR_CPUS) {
		if (wake_mask_has(mask, cpu) && (!span || wake_mask_has(span->bits, cpu)) &&
		    host_active(ctx->host, cpu))
			return cpu;
	}
	return WAKE_NONE;
}

/*
 * select_fallback_rq(): an allowed CPU of prev's node, else any allowed one. The
 * kernel then widens the mask; here a wakee without an active CPU stays on prev.
 */
WAKE_FN wake_u32 wake_fallback(struct wake_ctx *ctx)
{
	const wake_u64 *allowed = host_allowed(ctx->host);
	wake_u32 cpu = wake_first_active(ctx, allowed, host_node_span(ctx->host, ctx->prev));

	if (cpu == WAKE_NONE)
		cpu = wake_first_active(ctx, allowed, 0);
	return wake_found(ctx, cpu == WAKE_NONE ? ctx->prev : cpu, WAKE_REASON_FALLBACK);
}

/* try_to_wake_up() from "is it still queued?" to the CPU that it is queued on. */
WAKE_FN wake_u32 wake_select(struct wake_ctx *ctx)
{
	wake_u32 cpu;

	if (ctx->rules->delay_dequeue && host_delayed(ctx->host))
		return wake_found(ctx, ctx->prev, WAKE_REASON_DELAYED);
	if (wake_queued_on_cpu(ctx))
		return wake_found(ctx, ctx->prev, WAKE_REASON_ON_CPU);
	if (host_nr_allowed(ctx->host) > 1 &&
	    !(ctx->rules->migration_disable && host_migration_disabled(ctx->host)))
		cpu = wake_select_fair(ctx);
	else
		cpu = wake_found(ctx, wake_first_active(ctx, host_allowed(ctx->host), 0),
				 WAKE_REASON_ONE_ALLOWED);
	if (cpu == WAKE_NONE || !wake_allowed(ctx, cpu) || !host_active(ctx->host, cpu))
		cpu = wake_fallback(ctx);
	return cpu;
}

#endif
