/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proposal cluster-scan (Barry Song, Yicong Yang, "sched/fair: Scan cluster
 * before scanning LLC in wake-up path"): an idle CPU of target's cluster first,
 * since a cluster hands cache lines over faster than the LLC does.
 *
 *   v2      prev and recent only within the cluster; cluster scanned in number
 *           order, free of any budget; cluster busy and prev in it: busy target
 *   v7      prev and recent only within the cluster; cluster scanned in wrap
 *           order, inside the budget; nothing remembered
 *   merged  (v11; v6.7, 8881e1639f1f, 22165f61d0c4) idle prev and recent of other
 *           clusters are remembered, and taken when the scan fails
 *
 * Where no level is a cluster, host_share_cluster() is host_share_cache().
 */
#ifndef WAKE_CLUSTER_SCAN_H
#define WAKE_CLUSTER_SCAN_H

#include "wake/scan.h"

/* May prev or recent_used_cpu be tried for this target at all? */
WAKE_FN wake_u32 wake_near(const struct wake_ctx *ctx, wake_u32 cpu)
{
	switch (ctx->rules->cluster) {
	case WAKE_CLUSTER_V2:
	case WAKE_CLUSTER_V7:
		return host_share_cluster(ctx->host, cpu, ctx->target);
	default:
		return host_share_cache(ctx->host, cpu, ctx->target);
	}
}

/* It may, and is free: must it still wait for what the scan finds? */
WAKE_FN wake_u32 wake_far(const struct wake_ctx *ctx, wake_u32 cpu)
{
	return ctx->rules->cluster == WAKE_CLUSTER_MERGED &&
	       !host_share_cluster(ctx->host, cpu, ctx->target);
}

/* v2's stage, before the budget is reckoned. May return a busy target. */
WAKE_FN wake_u32 wake_cluster_unbounded(struct wake_ctx *ctx)
{
	const struct wake_span *cluster = host_cluster_span(ctx->host, ctx->target);
	struct wake_walk *walk = &ctx->scan->walk;

	if (ctx->rules->cluster != WAKE_CLUSTER_V2 || !cluster || host_smt_active(ctx->host))
		return WAKE_NONE;
	wake_walk_start(walk, cluster, 0);
	wake_for(i, 0, WAKE_NR_CPUS) {
		wake_u32 cpu = wake_walk_next(walk, ctx->scan->mask, cluster);

		if (cpu == WAKE_NONE)
			break;
		if (wake_free(ctx, cpu)) {
			wake_note(ctx, WAKE_STEP_CLUSTER, cpu, WAKE_VERDICT_TAKEN);
			return wake_found(ctx, cpu, WAKE_REASON_CLUSTER_CPU);
		}
		wake_note(ctx, WAKE_STEP_CLUSTER, cpu, WAKE_VERDICT_BUSY);
	}
	if (host_share_cluster(ctx->host, ctx->prev, ctx->target))
		return wake_found(ctx, ctx->target, WAKE_REASON_CLUSTER_BUSY);
	wake_mask_andnot(ctx->scan->mask, cluster);
	return WAKE_NONE;
}

/* The stage of v7 and of the merged form. WAKE_NONE with ctx->scan->nr 0: no scan of the rest. */
WAKE_FN wake_u32 wake_cluster_bounded(struct wake_ctx *ctx, wake_u32 has_core)
{
	const struct wake_span *cluster;
	wake_u32 cpu;

	switch (ctx->rules->cluster) {
	case WAKE_CLUSTER_V7:
		cluster = host_cluster_span(ctx->host, ctx->target);
		break;
	case WAKE_CLUSTER_MERGED:
		cluster = host_llc_group(ctx->host, ctx->target);
		break;
	default:
		return WAKE_NONE;
	}
	if (!cluster)
		return WAKE_NONE;
	cpu = wake_pass(ctx, cluster, ctx->target + 1, has_core, WAKE_STEP_CLUSTER);
	if (cpu != WAKE_NONE)
		return wake_found(ctx, cpu, has_core ? WAKE_REASON_CLUSTER_CORE :
						       WAKE_REASON_CLUSTER_CPU);
	wake_mask_andnot(ctx->scan->mask, cluster);
	return WAKE_NONE;
}

#endif
