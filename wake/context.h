/* SPDX-License-Identifier: GPL-2.0-only */
/* One decision in flight. */
#ifndef WAKE_CONTEXT_H
#define WAKE_CONTEXT_H

#include "wake/types.h"
#include "wake/mask.h"
#include "wake/rules.h"
#include "wake/state.h"
#include "wake/host.h"
#include "wake/note.h"

struct wake_ctx {
	const struct wake_rules *rules;
	struct wake_host *host;
	wake_u64 *mask;		/* CPUs to scan: scratch of the waker's CPU */
	wake_u32 cpu;		/* the waker's */
	wake_u32 prev;
	wake_u32 flags;		/* WAKE_WF_* */
	wake_u32 sync;
	wake_u32 target;	/* of select_idle_sibling() */
	wake_u32 prev_far;	/* idle but in another cluster, or WAKE_NONE */
	wake_u32 recent_far;
	wake_u32 nr;		/* scan budget left */
	wake_u32 seen;		/* idle thread of a partly idle core, or WAKE_NONE */
	struct wake_decision d;
};

WAKE_FN wake_u32 wake_found(struct wake_ctx *ctx, wake_u32 cpu, wake_u32 reason)
{
	ctx->d.reason = (wake_u8)reason;
	return cpu;
}

#endif
