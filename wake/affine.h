/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waker's CPU or prev: record_wakee(), wake_wide(), wake_affine() of
 * kernel/sched/fair.c. Which one is chosen says in which LLC the wakee is placed.
 */
#ifndef WAKE_AFFINE_H
#define WAKE_AFFINE_H

#include "wake/prev_idle.h"

/* record_wakee(): flips decay by half at most once, however long ago. */
WAKE_FN void wake_record_wakee(struct wake_ctx *ctx)
{
	struct wake_task *waker = host_waker(ctx->host);
	wake_u64 wakee = host_wakee(ctx->host)->id;
	wake_u64 now = host_jiffies(ctx->host);

	if ((wake_s64)(waker->wakee_flip_decay_ts + host_hz(ctx->host) - now) < 0) {
		waker->wakee_flips >>= 1;
		waker->wakee_flip_decay_ts = now;
	}
	if (waker->last_wakee != wakee) {
		waker->last_wakee = wakee;
		waker->wakee_flips++;
	}
}

/* wake_wide(): 1 where one of the two has too many partners for this LLC. */
WAKE_FN wake_u32 wake_wide(struct wake_ctx *ctx)
{
	wake_u32 master = host_waker(ctx->host)->wakee_flips;
	wake_u32 slave = host_wakee(ctx->host)->wakee_flips;
	wake_u32 factor = host_llc_size(ctx->host, ctx->cpu);

	if (master < slave) {
		wake_u32 swap = master;

		master = slave;
		slave = swap;
	}
	ctx->d->wide = !(slave < factor || master < slave * factor);
	wake_note(ctx, WAKE_STEP_WIDE, ctx->cpu,
		  ctx->d->wide ? WAKE_VERDICT_YES : WAKE_VERDICT_NO);
	return ctx->d->wide;
}

WAKE_FN wake_u32 wake_sync_alone(struct wake_ctx *ctx)
{
	wake_u32 nr;

	if (!ctx->sync)
		return 0;
	nr = host_nr_running(ctx->host, ctx->cpu);
	if (ctx->rules->sync_nr == WAKE_SYNC_RUNNABLE)
		nr -= host_nr_delayed(ctx->host, ctx->cpu);
	return nr == 1;
}

WAKE_FN wake_u32 wake_affine_idle(struct wake_ctx *ctx)
{
	wake_u32 cpu = wake_affine_idle_first(ctx);

	wake_note(ctx, WAKE_STEP_AFFINE_IDLE, cpu == WAKE_NONE ? ctx->cpu : cpu,
		  cpu == WAKE_NONE ? WAKE_VERDICT_NO : WAKE_VERDICT_TAKEN);
	if (cpu != WAKE_NONE)
		return cpu;
	if (wake_sync_alone(ctx)) {
		wake_note(ctx, WAKE_STEP_AFFINE_SYNC, ctx->cpu, WAKE_VERDICT_TAKEN);
		return ctx->cpu;
	}
	wake_note(ctx, WAKE_STEP_AFFINE_SYNC, ctx->cpu, WAKE_VERDICT_NO);
	if (wake_prev_stays(ctx)) {
		wake_note(ctx, WAKE_STEP_AFFINE_PREV, ctx->prev, WAKE_VERDICT_TAKEN);
		return ctx->prev;
	}
	return WAKE_NONE;
}

/*
 * wake_affine_weight(): the loads are those of the last PELT update of each CPU,
 * the wakee's own is as of its sleep, so prev's may come out negative.
 */
WAKE_FN wake_u32 wake_affine_weight(struct wake_ctx *ctx, wake_u32 pct)
{
	wake_s64 task = (wake_s64)host_wakee_load(ctx->host);
	wake_s64 this_eff = (wake_s64)host_load(ctx->host, ctx->cpu, ctx->rules->load);
	wake_s64 prev_eff;

	if (ctx->sync) {
		wake_s64 current_load = (wake_s64)host_waker_load(ctx->host);

		if (current_load > this_eff)
			return ctx->cpu;
		this_eff -= current_load;
	}
	this_eff += task;
	ctx->d->probes++;
	prev_eff = (wake_s64)host_load(ctx->host, ctx->prev, ctx->rules->load) - task;
	if (ctx->rules->wa_bias) {
		this_eff *= 100;
		prev_eff *= 100 + (pct - 100) / 2;
	}
	this_eff *= (wake_s64)host_capacity(ctx->host, ctx->prev);
	prev_eff *= (wake_s64)host_capacity(ctx->host, ctx->cpu);
	if (ctx->sync)
		prev_eff += 1;
	return this_eff < prev_eff ? ctx->cpu : WAKE_NONE;
}

/* wake_affine(): the waker's CPU or prev, which differ. */
WAKE_FN wake_u32 wake_affine(struct wake_ctx *ctx, wake_u32 pct)
{
	wake_u32 cpu = WAKE_NONE;

	if (ctx->rules->wa_idle)
		cpu = wake_affine_idle(ctx);
	if (ctx->rules->wa_weight && cpu == WAKE_NONE) {
		cpu = wake_affine_weight(ctx, pct);
		wake_note(ctx, WAKE_STEP_AFFINE_WEIGHT, ctx->cpu,
			  cpu == WAKE_NONE ? WAKE_VERDICT_NO : WAKE_VERDICT_TAKEN);
	}
	if (cpu == ctx->cpu)
		ctx->d->affine = WAKE_AFFINE_THIS;
	else
		ctx->d->affine = cpu == WAKE_NONE ? WAKE_AFFINE_NONE : WAKE_AFFINE_PREV;
	return cpu == ctx->cpu ? cpu : ctx->prev;
}

#endif
