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
	struct wake_scan *scan;	/* the waker's CPU's */
	struct wake_decision *d;
	wake_u32 cpu;		/* the waker's */
	wake_u32 prev;
	wake_u32 flags;		/* WAKE_WF_* */
	wake_u32 sync;
	wake_u32 target;	/* of select_idle_sibling() */
};

WAKE_FN wake_u32 wake_found(struct wake_ctx *ctx, wake_u32 cpu, wake_u32 reason)
{
	ctx->d->reason = (wake_u8)reason;
	return cpu;
}

#endif
