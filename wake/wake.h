/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fair class's wake-up placement as one source: include a host header, then
 * this. wake_ops_*() are what a host calls; everything below them inlines.
 *
 * Reading order, beside kernel/sched/fair.c: select.h, affine.h, sibling.h,
 * sibling_merged.h (or _split.h), scan.h, budget.h. The proposals: prev_idle.h,
 * cluster_scan.h, sis_core.h, idle_cpumask.h, dedicated_vcpu.h.
 */
#ifndef WAKE_WAKE_H
#define WAKE_WAKE_H

#include "wake/select.h"

struct wake_request {
	wake_u32 cpu;		/* that runs the wake-up */
	wake_u32 prev;		/* p->wake_cpu */
	wake_u32 flags;		/* WAKE_WF_* */
	wake_u32 fair_only;	/* select_task_rq_fair() alone, as recorders see it */
};

/* Chooses a CPU for host_wakee(); out is filled whatever happens. */
WAKE_FN void wake_ops_select(const struct wake_rules *rules, struct wake_host *host,
			     const struct wake_request *request, struct wake_decision *out)
{
	struct wake_ctx ctx = {
		.rules = rules,
		.host = host,
		.scan = host_scan(host, request->cpu),
		.d = out,
		.cpu = request->cpu,
		.prev = request->prev,
		.flags = request->flags,
		.target = request->prev,
	};

	ctx.scan->prev_far = WAKE_NONE;
	ctx.scan->recent_far = WAKE_NONE;
	ctx.scan->nr = WAKE_NO_BUDGET;
	ctx.scan->seen = WAKE_NONE;
	*out = (struct wake_decision){ .target = request->prev };
	out->cpu = request->fair_only ? wake_select_fair(&ctx) : wake_select(&ctx);
	wake_note(&ctx, WAKE_STEP_END, out->cpu, WAKE_VERDICT_TAKEN);
}

/*
 * A CPU picks its idle task: __update_idle_core(), from set_next_task_idle().
 * nr_running is 0 and newidle balance has run; current is not yet the idle task,
 * so host_idle_cpu(cpu) is still false, and is not asked.
 */
WAKE_FN void wake_ops_pick_idle(const struct wake_rules *rules, struct wake_host *host,
				wake_u32 cpu)
{
	struct wake_ctx ctx = { .rules = rules, .host = host, .cpu = cpu };
	wake_u32 nr = host_nr_smt(host, cpu);

	if (!host_smt_active(host))
		return;
	if (rules->sis_core >= WAKE_SIS_CORE_P12 && host_ttwu_pending(host, cpu))
		return;
	wake_icpus_enter(rules, host, cpu);
	if (wake_test_idle_cores(&ctx, cpu))
		return;
	wake_for(i, 0, WAKE_SMT_MAX) {
		wake_u32 thread;

		if (i >= nr)
			break;
		thread = host_smt(host, cpu, i);
		if (thread != cpu && !wake_available_idle(&ctx, thread))
			return;
	}
	wake_set_idle_cores(&ctx, cpu, 1);
}

/*
 * The idle loop, later: current is the idle task. tick_stopping: the governor
 * says so, or the tick is stopped already.
 */
WAKE_FN void wake_ops_idle_enter(const struct wake_rules *rules, struct wake_host *host,
				 wake_u32 cpu, wake_u32 tick_stopping)
{
	wake_idle_mask_enter(rules, host, cpu, tick_stopping);
}

/* scheduler_tick() of a CPU, after its run queue's own updates. */
WAKE_FN void wake_ops_tick(const struct wake_rules *rules, struct wake_host *host, wake_u32 cpu)
{
	wake_idle_mask_tick(rules, host, cpu);
}

/*
 * A wake-up enqueued a task on a CPU that had idled (<= v6.6): the new avg_idle,
 * ns, restarts the aged average of v5.14 on.
 */
WAKE_FN void wake_ops_idle_exit(const struct wake_rules *rules, struct wake_host *host,
				wake_u32 cpu, wake_u64 avg_idle)
{
	struct wake_cpu *state = host_cpu(host, cpu);

	if (rules->avg_idle != WAKE_AVG_IDLE_AGED)
		return;
	state->wake_stamp = host_jiffies(host);
	state->wake_avg_idle = avg_idle / 2;
}

/* copy_process(), wake_up_new_task(): the child has its parent's history. */
WAKE_FN void wake_ops_fork(struct wake_task *child, const struct wake_task *parent, wake_u64 id,
			   wake_u32 cpu)
{
	*child = *parent;
	child->id = id;
	child->recent_used_cpu = cpu;
}

/* Scheduling domains were (re)built; span: the LLC domain of these hints. */
WAKE_FN void wake_ops_domains_built(struct wake_llc *llc, const struct wake_span *span)
{
	llc->has_idle_cores = 0;
	llc->nr_idle_scan = 0;
	wake_for(w, 0, WAKE_WORDS) {
		llc->icpus[w] = span->bits[w];
		llc->idle_cpus[w] = span->bits[w];
	}
}

#endif
