/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hints that an LLC's CPUs share: has_idle_cores and nr_idle_scan. A host
 * without a shared object for a domain has neither, as in the kernel.
 */
#ifndef WAKE_HINTS_H
#define WAKE_HINTS_H

#include "wake/idle.h"

WAKE_FN wake_u32 wake_test_idle_cores(const struct wake_ctx *ctx, wake_u32 cpu)
{
	struct wake_llc *llc = host_llc(ctx->host, cpu);

	return llc && llc->has_idle_cores;
}

WAKE_FN void wake_set_idle_cores(const struct wake_ctx *ctx, wake_u32 cpu, wake_u32 value)
{
	struct wake_llc *llc = host_llc(ctx->host, cpu);

	if (llc)
		llc->has_idle_cores = value;
}

/*
 * update_idle_cpu_scan(), v6.0 on: from the statistics of a periodic or nohz
 * balance of an LLC domain. sum_util: sum over its CPUs of cpu_util_cfs(), each
 * at most its capacity; weight: its CPUs; pct: its imbalance_pct.
 */
WAKE_FN wake_u32 wake_nr_idle_scan(wake_u64 sum_util, wake_u32 weight, wake_u32 pct)
{
	wake_u64 x, t;

	if (!weight)
		return 0;
	x = sum_util / weight;
	t = x * x * pct * pct / (10000 * 1024ULL);
	if (t > 1024)
		t = 1024;
	return (wake_u32)((1024 - t) * weight / 1024);
}

WAKE_FN void wake_llc_balance(const struct wake_rules *rules, struct wake_llc *llc,
			      wake_u64 sum_util, wake_u32 weight, wake_u32 pct)
{
	if (rules->sis_util)
		llc->nr_idle_scan = wake_nr_idle_scan(sum_util, weight, pct);
}

#endif
