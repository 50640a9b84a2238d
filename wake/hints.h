/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hints that an LLC's CPUs share: has_idle_cores and nr_idle_scan. A host
 * without a shared object for a domain has neither, as in the kernel.
 */
#ifndef WAKE_HINTS_H
#define WAKE_HINTS_H

#include "wake/hints_math.h"
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

WAKE_FN void wake_llc_balance(const struct wake_rules *rules, struct wake_llc *llc,
			      wake_u64 sum_util, wake_u32 weight, wake_u32 pct)
{
	if (rules->sis_util)
		llc->nr_idle_scan = wake_nr_idle_scan(sum_util, weight, pct);
}

#endif
