/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many CPUs a scan may look at: SIS_AVG_CPU, SIS_PROP (weighs the waker's
 * average idle time against its average scan time), SIS_UTIL (nr_idle_scan).
 * ctx->scan->nr is that number plus one, counted down before each look; none: ~0.
 */
#ifndef WAKE_BUDGET_H
#define WAKE_BUDGET_H

#include "wake/hints.h"

#define WAKE_NO_BUDGET	0x7fffffffu	/* the kernel's INT_MAX */

/* wake_avg_idle (v5.14 to v6.6) is halved for each jiffy since it was last used. */
WAKE_FN void wake_age_idle(struct wake_cpu *cpu, wake_u64 jiffies)
{
	wake_u64 age = jiffies - cpu->wake_stamp;

	if ((wake_s64)age <= 0)
		return;
	/* The kernel counts the stamp up only while there is something to halve. */
	wake_for(i, 0, 64) {
		if (i >= age || !cpu->wake_avg_idle)
			break;
		cpu->wake_stamp++;
		cpu->wake_avg_idle >>= 1;
	}
}

WAKE_FN wake_u64 wake_avg_idle(struct wake_ctx *ctx)
{
	struct wake_cpu *cpu = host_cpu(ctx->host, ctx->cpu);

	if (ctx->rules->avg_idle == WAKE_AVG_IDLE_512TH)
		return host_avg_idle(ctx->host, ctx->cpu) / 512;
	wake_age_idle(cpu, host_jiffies(ctx->host));
	return cpu->wake_avg_idle;
}

/* SIS_AVG_CPU and SIS_PROP. 0: do not scan. */
WAKE_FN wake_u32 wake_budget_prop(struct wake_ctx *ctx, wake_u32 span_weight)
{
	wake_u64 idle = wake_avg_idle(ctx);
	wake_u64 cost = host_cpu(ctx->host, ctx->cpu)->avg_scan_cost + 1;
	wake_u64 span_avg = span_weight * idle;

	if (ctx->rules->sis_avg_cpu && idle < cost)
		return 0;
	if (ctx->rules->sis_prop)
		ctx->scan->nr = span_avg > 4 * cost ? (wake_u32)(span_avg / cost) : 4;
	return 1;
}

/* SIS_UTIL. 0: do not scan. */
WAKE_FN wake_u32 wake_budget_util(struct wake_ctx *ctx)
{
	struct wake_llc *llc = host_llc(ctx->host, ctx->target);

	if (!llc)
		return 1;
	ctx->scan->nr = llc->nr_idle_scan + 1;
	return ctx->scan->nr != 1;
}

/* Notes the bound that a scan starts with. */
WAKE_FN void wake_bound(struct wake_ctx *ctx)
{
	if (ctx->scan->nr != WAKE_NO_BUDGET)
		ctx->d->budget = ctx->scan->nr;
}

/* Counts one look. 0: the budget is used up. */
WAKE_FN wake_u32 wake_spend(struct wake_ctx *ctx)
{
	ctx->d->spent++;
	return --ctx->scan->nr != 0;
}

/* SIS_PROP's account of a scan that took ns; kernel: update_avg(). */
WAKE_FN void wake_charge(struct wake_ctx *ctx, wake_u64 ns)
{
	struct wake_cpu *cpu = host_cpu(ctx->host, ctx->cpu);
	wake_s64 diff = (wake_s64)(ns - cpu->avg_scan_cost);

	if (ctx->rules->avg_idle == WAKE_AVG_IDLE_AGED)
		cpu->wake_avg_idle -= cpu->wake_avg_idle < ns ? cpu->wake_avg_idle : ns;
	/* C's division, towards zero, without a signed one. */
	cpu->avg_scan_cost += diff < 0 ? -(wake_u64)((wake_u64)-diff / 8) : (wake_u64)diff / 8;
	ctx->d->charged = 1;
}

#endif
