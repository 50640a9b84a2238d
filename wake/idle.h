/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this CPU idle? Kernel: idle_cpu(), available_idle_cpu(), choose_idle_cpu(). */
#ifndef WAKE_IDLE_H
#define WAKE_IDLE_H

#include "wake/context.h"
#include "wake/dedicated_vcpu.h"

/* available_idle_cpu() */
WAKE_FN wake_u32 wake_available_idle(const struct wake_ctx *ctx, wake_u32 cpu)
{
	return host_idle_cpu(ctx->host, cpu) && !wake_vcpu_preempted(ctx, cpu);
}

/* The same as a step of a decision: one probe, unless it is the waker's own CPU. */
WAKE_FN wake_u32 wake_idle(struct wake_ctx *ctx, wake_u32 cpu)
{
	ctx->d->probes += cpu != ctx->cpu;
	return wake_available_idle(ctx, cpu);
}

/* sched_idle_cpu(), as far as this wakee may use it. Follows a wake_idle(). */
WAKE_FN wake_u32 wake_sched_idle(const struct wake_ctx *ctx, wake_u32 cpu)
{
	if (ctx->rules->sched_idle == WAKE_SCHED_IDLE_NOT_FOR_IDLE &&
	    host_wakee_idle_policy(ctx->host))
		return 0;
	return host_sched_idle_cpu(ctx->host, cpu);
}

WAKE_FN wake_u32 wake_free(struct wake_ctx *ctx, wake_u32 cpu)
{
	return wake_idle(ctx, cpu) || wake_sched_idle(ctx, cpu);
}

WAKE_FN wake_u32 wake_allowed(const struct wake_ctx *ctx, wake_u32 cpu)
{
	return wake_mask_has(host_allowed(ctx->host), cpu);
}

#endif
