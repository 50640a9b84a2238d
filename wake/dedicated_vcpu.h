/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpu_is_preempted(), and the proposal dedicated-vcpu (Srikar Dronamraju,
 * "powerpc/vcpu: Assume dedicated processors as non-preempt", v3, 2019-12).
 *
 * PowerVM makes a vCPU's yield count odd whenever it isn't dispatched, and CEDE,
 * the ordinary deep idle, is such a time. v5.4 therefore takes the idlest CPUs of
 * any partition for preempted ones. The proposal believes the count only where
 * processors are shared; it was merged for v5.5.
 */
#ifndef WAKE_DEDICATED_VCPU_H
#define WAKE_DEDICATED_VCPU_H

#include "wake/context.h"

WAKE_FN wake_u32 wake_same_core(const struct wake_ctx *ctx, wake_u32 a, wake_u32 b)
{
	return host_nr_smt(ctx->host, a) && host_smt(ctx->host, a, 0) == host_smt(ctx->host, b, 0);
}

/* v6.7, efce8422dd53: a core that idles as a whole was not preempted. */
WAKE_FN wake_u32 wake_core_preempted(const struct wake_ctx *ctx, wake_u32 cpu)
{
	wake_u32 nr = host_nr_smt(ctx->host, cpu);

	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 thread;

		if (i >= nr)
			break;
		thread = host_smt(ctx->host, cpu, i);
		if (thread == cpu)
			continue;
		if (!(host_yield_count(ctx->host, thread) & 1))
			return 0;
		if (!host_lppaca_idle(ctx->host, thread))
			return 1;
	}
	return 0;
}

WAKE_FN wake_u32 wake_lpar_preempted(const struct wake_ctx *ctx, wake_u32 lpar, wake_u32 cpu)
{
	wake_u8 form = ctx->rules->vcpu;

	if (form != WAKE_VCPU_YIELDED && !(lpar & WAKE_LPAR_SHARED))
		return 0;
	if (!(host_yield_count(ctx->host, cpu) & 1))
		return 0;
	if (form == WAKE_VCPU_HINT && !host_lppaca_idle(ctx->host, cpu))
		return 1;
	if (form < WAKE_VCPU_CORE || (lpar & WAKE_LPAR_KVM))
		return 1;
	/* PowerVM dispatches whole cores, and the caller's runs. */
	if (wake_same_core(ctx, ctx->cpu, cpu))
		return 0;
	return form == WAKE_VCPU_HINT ? wake_core_preempted(ctx, cpu) : 1;
}

WAKE_FN wake_u32 wake_vcpu_preempted(const struct wake_ctx *ctx, wake_u32 cpu)
{
	wake_u32 lpar = host_lpar(ctx->host);

	return lpar ? wake_lpar_preempted(ctx, lpar, cpu) : host_vcpu_preempted(ctx->host, cpu);
}

#endif
