/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proposal sis-core (Abel Wu, "sched/fair: Improve scan efficiency of SIS",
 * v6, 2022-10): an LLC records which cores have an idle CPU, one bit a core, and
 * the scan looks only there. Needs SMT.
 *
 *   p12   idle entry leaves the hints alone while a wake-up is on its way to the
 *         CPU; SIS_UTIL is ignored where an idle core is hinted
 *   p123  the mask icpus, set at idle entry, emptied by a full failed scan
 *   v6    patch 4: a failed plain scan makes the next one from the same target
 *         look at whole cores and prune the busy ones
 */
#ifndef WAKE_SIS_CORE_H
#define WAKE_SIS_CORE_H

#include "wake/scan.h"

WAKE_FN wake_u32 wake_ignores_util(const struct wake_ctx *ctx, wake_u32 has_core)
{
	return ctx->rules->sis_core >= WAKE_SIS_CORE_P12 && has_core;
}

/* P3: the scan's mask, computed after SIS_UTIL had its chance to give up. */
WAKE_FN struct wake_llc *wake_mask_icpus(struct wake_ctx *ctx, const struct wake_span *span)
{
	struct wake_llc *llc = host_llc(ctx->host, ctx->target);

	if (ctx->rules->sis_core < WAKE_SIS_CORE_P123 || !llc)
		return 0;
	wake_for(w, span->first, span->last + 1u) {
		if (w >= WAKE_WORDS)
			break;
		ctx->scan->mask[w] &= llc->icpus[w];
	}
	return llc;
}

/* P4: the first free allowed thread of this core; none: its bit is stale. */
WAKE_FN wake_u32 wake_core_thread(struct wake_ctx *ctx, struct wake_llc *llc, wake_u32 core)
{
	wake_u32 nr = host_nr_smt(ctx->host, core);

	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 thread;

		if (i >= nr)
			break;
		thread = host_smt(ctx->host, core, i);
		if (wake_allowed(ctx, thread) && wake_free(ctx, thread)) {
			wake_note(ctx, WAKE_STEP_SIBLING, thread, WAKE_VERDICT_TAKEN);
			return thread;
		}
	}
	wake_note(ctx, WAKE_STEP_SIBLING, core, WAKE_VERDICT_PRUNED);
	wake_mask_clear(llc->icpus, core);
	return WAKE_NONE;
}

WAKE_FN wake_u32 wake_icpus_pass(struct wake_ctx *ctx, struct wake_llc *llc,
				 const struct wake_span *span, wake_u32 has_core, wake_u32 siblings)
{
	struct wake_walk *walk = &ctx->scan->walk;

	wake_walk_start(walk, span, ctx->target + 1);
	wake_for(i, 0, WAKE_NR_CPUS) {
		wake_u32 cpu = wake_walk_next(walk, ctx->scan->mask, span);

		if (cpu == WAKE_NONE)
			break;
		/* Before the core test too: patch 4 moved it. */
		if (!wake_spend(ctx)) {
			wake_note(ctx, WAKE_STEP_CPU, cpu, WAKE_VERDICT_STOP);
			break;
		}
		if (has_core) {
			if (wake_core_is_idle(ctx, cpu))
				return wake_found(ctx, cpu, WAKE_REASON_CORE);
		} else if (siblings) {
			cpu = wake_core_thread(ctx, llc, cpu);
			if (cpu != WAKE_NONE)
				return wake_found(ctx, cpu, WAKE_REASON_SIBLING);
		} else if (wake_free(ctx, cpu)) {
			wake_note(ctx, WAKE_STEP_CPU, cpu, WAKE_VERDICT_TAKEN);
			return wake_found(ctx, cpu, WAKE_REASON_CPU);
		} else {
			wake_note(ctx, WAKE_STEP_CPU, cpu, WAKE_VERDICT_BUSY);
		}
	}
	return WAKE_NONE;
}

/* What a scan without success leaves behind. */
WAKE_FN void wake_icpus_failed(struct wake_ctx *ctx, struct wake_llc *llc,
			       const struct wake_span *span, wake_u32 has_core, wake_u32 siblings)
{
	if (ctx->rules->sis_core == WAKE_SIS_CORE_P123 || (ctx->scan->nr && has_core)) {
		wake_mask_zero(llc->icpus, span);
		wake_note(ctx, WAKE_STEP_CPU, ctx->target, WAKE_VERDICT_CLEARED);
	} else if (!ctx->scan->nr || !siblings) {
		host_cpu(ctx->host, ctx->target)->scan_sibling = 1;
	}
}

/* __update_idle_core() with P3: this core is recorded unless it is already. */
WAKE_FN void wake_icpus_enter(const struct wake_rules *rules, struct wake_host *host, wake_u32 cpu)
{
	struct wake_llc *llc = host_llc(host, cpu);
	wake_u32 nr = host_nr_smt(host, cpu);

	if (rules->sis_core < WAKE_SIS_CORE_P123 || !llc)
		return;
	wake_for(i, 0, WAKE_SMT_MAX) {
		if (i >= nr)
			break;
		if (wake_mask_has(llc->icpus, host_smt(host, cpu, i)))
			return;
	}
	wake_mask_set(llc->icpus, cpu);
}

#endif
