/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scans of select_idle_sibling() from v5.12: siblings of prev (v5.13), then
 * one pass over the LLC, for a core where one is hinted, else for a CPU.
 */
#ifndef WAKE_SIBLING_MERGED_H
#define WAKE_SIBLING_MERGED_H

#include "wake/cluster_scan.h"
#include "wake/sis_core.h"

/* select_idle_smt(): the siblings of prev. */
WAKE_FN wake_u32 wake_merged_smt(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_u32 nr = host_nr_smt(ctx->host, ctx->prev);

	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 cpu;

		if (i >= nr)
			break;
		cpu = host_smt(ctx->host, ctx->prev, i);
		if (ctx->rules->smt_skips_prev && cpu == ctx->prev)
			continue;
		if (!wake_allowed(ctx, cpu) ||
		    (ctx->rules->smt_in_span && !wake_mask_has(llc->bits, cpu)))
			continue;
		if (wake_free(ctx, cpu)) {
			wake_note(ctx, WAKE_STEP_SMT, cpu, WAKE_VERDICT_TAKEN);
			return wake_found(ctx, cpu, WAKE_REASON_SMT_PREV);
		}
		wake_note(ctx, WAKE_STEP_SMT, cpu, WAKE_VERDICT_BUSY);
	}
	return WAKE_NONE;
}

/* The budgets. 0: no scan. */
WAKE_FN wake_u32 wake_merged_budget(struct wake_ctx *ctx, const struct wake_span *llc,
				    wake_u32 has_core)
{
	wake_u32 scan = 1;

	if (ctx->rules->sis_prop && !has_core) {
		if (!host_llc_span(ctx->host, ctx->cpu))
			return 0;
		wake_budget_prop(ctx, llc->weight);
	}
	if (ctx->rules->sis_util && !wake_ignores_util(ctx, has_core))
		scan = wake_budget_util(ctx);
	if (!scan)
		wake_note(ctx, WAKE_STEP_BUDGET, ctx->target, WAKE_VERDICT_NO_SCAN);
	/* With a core hinted only its "no scan" counts. */
	if (has_core)
		ctx->scan->nr = WAKE_NO_BUDGET;
	wake_bound(ctx);
	return scan;
}

/* The pass over the LLC. */
WAKE_FN wake_u32 wake_merged_pass(struct wake_ctx *ctx, const struct wake_span *llc,
				  wake_u32 has_core)
{
	wake_u32 start = ctx->target + (ctx->rules->scan_start == WAKE_START_NEXT);
	wake_u32 cpu = wake_pass(ctx, llc, start, has_core, WAKE_STEP_CPU);

	if (cpu == WAKE_NONE)
		return cpu;
	return wake_found(ctx, cpu, has_core ? WAKE_REASON_CORE : WAKE_REASON_CPU);
}

/* The end of a pass that found no wholly idle core, or no free CPU. */
WAKE_FN wake_u32 wake_merged_missed(struct wake_ctx *ctx, wake_u32 has_core)
{
	if (!has_core)
		return WAKE_NONE;
	wake_set_idle_cores(ctx, ctx->rules->clears_waker_hint ? ctx->cpu : ctx->target, 0);
	wake_note(ctx, WAKE_STEP_CORE, ctx->target, WAKE_VERDICT_CLEARED);
	if (ctx->scan->seen == WAKE_NONE)
		return WAKE_NONE;
	return wake_found(ctx, ctx->scan->seen, WAKE_REASON_CORE_THREAD);
}

/* select_idle_cpu() of sis-core's patches 3 and 4. */
WAKE_FN wake_u32 wake_merged_icpus(struct wake_ctx *ctx, struct wake_llc *shared,
				   const struct wake_span *llc, wake_u32 has_core)
{
	wake_u32 p4 = ctx->rules->sis_core == WAKE_SIS_CORE_V6;
	struct wake_cpu *target = host_cpu(ctx->host, ctx->target);
	wake_u32 siblings = p4 && target->scan_sibling;
	wake_u32 cpu;

	if (p4) {
		target->scan_sibling = 0;
		cpu = wake_icpus_pass(ctx, shared, llc, has_core, siblings);
	} else {
		cpu = wake_merged_pass(ctx, llc, has_core);
		if (!ctx->scan->nr)
			return WAKE_NONE;
	}
	if (cpu == WAKE_NONE) {
		cpu = wake_merged_missed(ctx, has_core);
		if (cpu == WAKE_NONE)
			wake_icpus_failed(ctx, shared, llc, has_core, siblings);
	}
	return cpu;
}

/* select_idle_cpu() */
WAKE_FN wake_u32 wake_merged_cpu(struct wake_ctx *ctx, const struct wake_span *llc,
				 wake_u32 has_core)
{
	struct wake_llc *shared;
	wake_u64 start;
	wake_u32 cpu;

	if (ctx->rules->this_sd_always && !host_llc_span(ctx->host, ctx->cpu))
		return WAKE_NONE;
	wake_mask_llc(ctx, llc);
	cpu = wake_cluster_unbounded(ctx);
	if (cpu != WAKE_NONE || !wake_merged_budget(ctx, llc, has_core))
		return cpu;
	start = w_clock(ctx->host, ctx->cpu);
	/* What it finds is not charged: v7 returns from the middle. */
	cpu = wake_cluster_bounded(ctx, has_core);
	if (cpu != WAKE_NONE || !ctx->scan->nr)
		return cpu;
	shared = wake_mask_icpus(ctx, llc);
	if (shared) {
		cpu = wake_merged_icpus(ctx, shared, llc, has_core);
	} else {
		cpu = wake_merged_pass(ctx, llc, has_core);
		if (!ctx->scan->nr)
			return WAKE_NONE;
		if (cpu == WAKE_NONE)
			cpu = wake_merged_missed(ctx, has_core);
	}
	/* A budget stop returns before the account; sis-core's patch 4 only breaks. */
	if (ctx->rules->sis_prop && !has_core &&
	    (ctx->scan->nr || ctx->rules->sis_core == WAKE_SIS_CORE_V6))
		wake_charge(ctx, w_clock(ctx->host, ctx->cpu) - start);
	return cpu;
}

WAKE_FN wake_u32 wake_scan_merged(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_u32 has_core = 0, cpu;

	if (host_smt_active(ctx->host)) {
		has_core = wake_test_idle_cores(ctx, ctx->target);
		if (ctx->rules->smt == WAKE_SMT_PREV && !has_core &&
		    host_share_cache(ctx->host, ctx->prev, ctx->target)) {
			cpu = wake_merged_smt(ctx, llc);
			if (cpu != WAKE_NONE)
				return cpu;
		}
	}
	return wake_merged_cpu(ctx, llc, has_core);
}

#endif
