/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scans of select_idle_sibling() up to v5.11: a wholly idle core, then a CPU
 * within SIS_PROP's budget, then a sibling of target.
 */
#ifndef WAKE_SIBLING_SPLIT_H
#define WAKE_SIBLING_SPLIT_H

#include "wake/idle_cpumask.h"

/* Is this core wholly idle? v5.4 looks at all threads, later versions stop at a busy one. */
WAKE_FN wake_u32 wake_split_core_is_idle(struct wake_ctx *ctx, wake_u32 core)
{
	wake_u32 nr = host_nr_smt(ctx->host, core);
	wake_u32 idle = 1;

	wake_for(i, 0, WAKE_SMT_MAX) {
		if (i >= nr || (!idle && !ctx->rules->core_scans_on))
			break;
		if (!wake_idle(ctx, host_smt(ctx->host, core, i)))
			idle = 0;
	}
	wake_note(ctx, WAKE_STEP_CORE, core, idle ? WAKE_VERDICT_TAKEN : WAKE_VERDICT_CORE_BUSY);
	return idle;
}

/* select_idle_core() */
WAKE_FN wake_u32 wake_split_core(struct wake_ctx *ctx, const struct wake_span *llc)
{
	struct wake_walk *walk = &ctx->scan->walk;

	if (!host_smt_active(ctx->host) || !wake_test_idle_cores(ctx, ctx->target))
		return WAKE_NONE;
	wake_mask_llc(ctx, llc);
	wake_walk_start(walk, llc, ctx->target);
	wake_for(i, 0, WAKE_NR_CPUS) {
		wake_u32 core = wake_walk_next(walk, ctx->scan->mask, llc);

		if (core == WAKE_NONE)
			break;
		if (wake_split_core_is_idle(ctx, core))
			return wake_found(ctx, core, WAKE_REASON_CORE);
		wake_drop_core(ctx, core);
	}
	wake_set_idle_cores(ctx, ctx->target, 0);
	wake_note(ctx, WAKE_STEP_CORE, ctx->target, WAKE_VERDICT_CLEARED);
	return WAKE_NONE;
}

/*
 * The loop of v5.4's select_idle_cpu(): the wakee's mask is tested after the
 * budget; a CPU with SCHED_IDLE tasks is taken only when the budget ends the scan,
 * and forgotten when the domain does.
 */
WAKE_FN wake_u32 wake_split_pass_v5_4(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_u32 sched_idle = WAKE_NONE;
	struct wake_walk *walk = &ctx->scan->walk;

	wake_walk_start(walk, llc, ctx->target);
	wake_for(i, 0, WAKE_NR_CPUS) {
		wake_u32 cpu = wake_walk_next(walk, llc->bits, llc);

		if (cpu == WAKE_NONE)
			return WAKE_NONE;
		if (!wake_spend(ctx)) {
			wake_note(ctx, WAKE_STEP_CPU, cpu, WAKE_VERDICT_STOP);
			return sched_idle;
		}
		if (!wake_allowed(ctx, cpu)) {
			wake_note(ctx, WAKE_STEP_CPU, cpu, WAKE_VERDICT_NOT_ALLOWED);
			continue;
		}
		if (wake_idle(ctx, cpu)) {
			wake_note(ctx, WAKE_STEP_CPU, cpu, WAKE_VERDICT_TAKEN);
			return cpu;
		}
		if (sched_idle == WAKE_NONE && wake_sched_idle(ctx, cpu))
			sched_idle = cpu;
		wake_note(ctx, WAKE_STEP_CPU, cpu,
			  sched_idle == cpu ? WAKE_VERDICT_SEEN : WAKE_VERDICT_BUSY);
	}
	return WAKE_NONE;
}

/* select_idle_cpu() */
WAKE_FN wake_u32 wake_split_cpu(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_u64 start;
	wake_u32 cpu;

	if (!host_llc_span(ctx->host, ctx->cpu))
		return WAKE_NONE;
	if (!wake_budget_prop(ctx, llc->weight)) {
		wake_note(ctx, WAKE_STEP_BUDGET, ctx->target, WAKE_VERDICT_NO_SCAN);
		return WAKE_NONE;
	}
	wake_bound(ctx);
	start = w_clock(ctx->host, ctx->cpu);
	if (ctx->rules->affinity_late) {
		cpu = wake_split_pass_v5_4(ctx, llc);
	} else {
		wake_mask_idle_llc(ctx, llc);
		cpu = wake_pass(ctx, llc, ctx->target, 0, WAKE_STEP_CPU);
	}
	if (ctx->scan->nr)
		wake_charge(ctx, w_clock(ctx->host, ctx->cpu) - start);
	return cpu == WAKE_NONE ? cpu : wake_found(ctx, cpu, WAKE_REASON_CPU);
}

/* select_idle_smt(): siblings of target, target included. */
WAKE_FN wake_u32 wake_split_smt(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_u32 nr = host_nr_smt(ctx->host, ctx->target);
	wake_u32 sched_idle = WAKE_NONE;

	if (!host_smt_active(ctx->host))
		return WAKE_NONE;
	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 cpu;

		if (i >= nr)
			break;
		cpu = host_smt(ctx->host, ctx->target, i);
		if (!wake_allowed(ctx, cpu) ||
		    (ctx->rules->smt_in_span && !wake_mask_has(llc->bits, cpu)))
			continue;
		if (wake_idle(ctx, cpu)) {
			wake_note(ctx, WAKE_STEP_SMT, cpu, WAKE_VERDICT_TAKEN);
			return wake_found(ctx, cpu, WAKE_REASON_SMT_TARGET);
		}
		wake_note(ctx, WAKE_STEP_SMT, cpu, WAKE_VERDICT_BUSY);
		if (sched_idle != WAKE_NONE || !wake_sched_idle(ctx, cpu))
			continue;
		sched_idle = cpu;
		if (ctx->rules->sched_idle != WAKE_SCHED_IDLE_AFTER)
			break;
	}
	return sched_idle == WAKE_NONE ? WAKE_NONE :
					 wake_found(ctx, sched_idle, WAKE_REASON_SMT_TARGET);
}

WAKE_FN wake_u32 wake_scan_split(struct wake_ctx *ctx, const struct wake_span *llc)
{
	wake_u32 cpu = wake_split_core(ctx, llc);

	if (cpu == WAKE_NONE)
		cpu = wake_split_cpu(ctx, llc);
	if (cpu == WAKE_NONE)
		cpu = wake_split_smt(ctx, llc);
	return cpu;
}

#endif
