/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs of different capacity: wake_cap() of v5.4, select_idle_capacity() from
 * v5.7. On symmetric machines host_asym_span() is NULL and all of it folds away.
 */
#ifndef WAKE_CAPACITY_H
#define WAKE_CAPACITY_H

#include "wake/scan.h"

/* fits_capacity(): 20 % to spare. */
WAKE_FN wake_u32 wake_fits_capacity(wake_u64 util, wake_u64 capacity)
{
	return util * 1280 < capacity * 1024;
}

/* wake_cap(), v5.4: is a pull to the waker's CPU out of the question? */
WAKE_FN wake_u32 wake_cap(const struct wake_ctx *ctx)
{
	wake_u64 this_cap = host_capacity_orig(ctx->host, ctx->cpu);
	wake_u64 prev_cap = host_capacity_orig(ctx->host, ctx->prev);
	wake_u64 min_cap = this_cap < prev_cap ? this_cap : prev_cap;
	wake_u64 max_cap = host_max_capacity(ctx->host);

	if (ctx->rules->capacity != WAKE_CAPACITY_WAKE_CAP || !host_asym_span(ctx->host, ctx->cpu))
		return 0;
	if (max_cap - min_cap < max_cap / 8)
		return 0;
	return !wake_fits_capacity(host_wakee_util(ctx->host), min_cap);
}

/* uclamp_task_util(): before v6.1.y the only thing that is compared. */
WAKE_FN wake_u64 wake_clamped_util(const struct wake_ctx *ctx)
{
	wake_u64 util = host_wakee_util(ctx->host);
	wake_u64 low = host_uclamp_min(ctx->host), high = host_uclamp_max(ctx->host);

	if (util < low)
		util = low;
	return util > high ? high : util;
}

enum wake_fit {
	WAKE_FIT_NO = 1,
	WAKE_FIT_BUT_UCLAMP_MIN = 2,	/* the kernel's -1 */
	WAKE_FIT_YES = 3,
};

/* util_fits_cpu() of v6.2 and of late 6.1 stable trees. */
WAKE_FN wake_u32 wake_util_fits_cpu(const struct wake_ctx *ctx, wake_u32 cpu)
{
	wake_u64 util = host_wakee_util(ctx->host);
	wake_u64 low = host_uclamp_min(ctx->host), high = host_uclamp_max(ctx->host);
	wake_u64 orig = host_capacity_orig(ctx->host, cpu);
	wake_u32 fits = wake_fits_capacity(util, host_capacity(ctx->host, cpu));

	if (!(orig == 1024 && high == 1024) && high <= orig)
		fits = 1;
	if (low > high)
		low = high;
	if (fits && util < low && low > orig)
		return WAKE_FIT_BUT_UCLAMP_MIN;
	return fits ? WAKE_FIT_YES : WAKE_FIT_NO;
}

WAKE_FN wake_u32 wake_fit(const struct wake_ctx *ctx, wake_u32 cpu)
{
	if (ctx->rules->capacity >= WAKE_CAPACITY_RANKED)
		return wake_util_fits_cpu(ctx, cpu);
	return wake_fits_capacity(wake_clamped_util(ctx), host_capacity(ctx->host, cpu)) ?
		       WAKE_FIT_YES : WAKE_FIT_NO;
}

/* is_core_idle(): has this CPU no busy sibling? */
WAKE_FN wake_u32 wake_siblings_idle(struct wake_ctx *ctx, wake_u32 cpu)
{
	wake_u32 nr = host_nr_smt(ctx->host, cpu);

	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 thread;

		if (i >= nr)
			break;
		thread = host_smt(ctx->host, cpu, i);
		if (thread != cpu && !host_idle_cpu(ctx->host, thread))
			return 0;
	}
	return 1;
}

/* asym_fits_cpu(): the extra condition on target, prev and recent_used_cpu. */
WAKE_FN wake_u32 wake_asym_fits(struct wake_ctx *ctx, wake_u32 cpu)
{
	if (ctx->rules->capacity < WAKE_CAPACITY_FITS || !host_asym_span(ctx->host, cpu))
		return 1;
	if (ctx->rules->capacity == WAKE_CAPACITY_CORES && host_smt_active(ctx->host) &&
	    !wake_siblings_idle(ctx, cpu))
		return 0;
	return wake_fit(ctx, cpu) == WAKE_FIT_YES;
}

/* The rank of a free CPU; more is better. v7.3 puts idle cores above all others. */
WAKE_FN wake_u32 wake_capacity_rank(struct wake_ctx *ctx, wake_u32 cpu, wake_u32 has_core)
{
	wake_u32 rank = wake_fit(ctx, cpu);

	return has_core && wake_siblings_idle(ctx, cpu) ? rank + WAKE_FIT_YES : rank;
}

/* select_idle_capacity(): a free CPU that fits, else the one that fits best. */
WAKE_FN wake_u32 wake_select_capacity(struct wake_ctx *ctx, const struct wake_span *span)
{
	wake_u32 cores = ctx->rules->capacity == WAKE_CAPACITY_CORES;
	wake_u32 has_core = cores && wake_test_idle_cores(ctx, ctx->target);
	wake_u32 best = WAKE_NONE, best_rank = 0;
	wake_u64 best_capacity = 0;
	struct wake_walk *walk = &ctx->scan->walk;

	if (cores && ctx->rules->sis_util && !has_core && !wake_budget_util(ctx))
		return WAKE_NONE;
	wake_mask_llc(ctx, span);
	wake_walk_start(walk, span, ctx->target);
	wake_for(i, 0, WAKE_NR_CPUS) {
		wake_u32 cpu = wake_walk_next(walk, ctx->scan->mask, span), rank;
		wake_u64 capacity;

		if (cpu == WAKE_NONE || (cores && !has_core && !wake_spend(ctx)))
			break;
		if (!wake_free(ctx, cpu))
			continue;
		rank = wake_capacity_rank(ctx, cpu, has_core);
		if (rank == 2 * WAKE_FIT_YES || (rank == WAKE_FIT_YES && !has_core))
			return cpu;
		/* Only uclamp_min doesn't fit: pressure by interrupts isn't asked then. */
		capacity = wake_fit(ctx, cpu) == WAKE_FIT_BUT_UCLAMP_MIN ?
				   host_capacity_orig(ctx->host, cpu) :
				   host_capacity(ctx->host, cpu);
		if (rank > best_rank || (rank == best_rank && capacity > best_capacity)) {
			best = cpu;
			best_rank = rank;
			best_capacity = capacity;
		}
	}
	if (has_core && best_rank <= WAKE_FIT_YES)
		wake_set_idle_cores(ctx, ctx->target, 0);
	return best;
}

#endif
