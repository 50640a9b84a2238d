// SPDX-License-Identifier: GPL-2.0-only
#include "trace/replay.h"

#include <string.h>

const char *const trace_difference_text[TRACE_NR_DIFFERENCES] = {
#define X(name, text) text,
	TRACE_DIFFERENCES(X)
#undef X
};

#define DIFF(name, condition) ((condition) ? 1u << TRACE_DIFF_##name : 0u)

static uint32_t compare_affine(const struct trace_replay *replay, const struct trace_record *rec)
{
	uint8_t affine = replay->decision.affine;
	int decided = affine == WAKE_AFFINE_THIS ||
		      (affine == WAKE_AFFINE_PREV &&
		       replay->variant.rules.affine_count == WAKE_COUNT_DECIDED);

	return DIFF(AFFINE_RUN, (affine != WAKE_AFFINE_NOT_RUN) != (rec->affine_attempt != 0)) |
	       DIFF(AFFINE_THIS, decided != (rec->affine_this != 0));
}

static int masks_differ(const wake_u64 *ours, const uint64_t *theirs, wake_u32 nr_cpus)
{
	return memcmp(ours, theirs, (nr_cpus + 63) / 64 * sizeof(*ours)) != 0;
}

static uint32_t compare_hints(const struct trace_replay *replay, const struct trace_record *rec)
{
	const uint32_t cpus[TRACE_SIDES] = { rec->waker_cpu, rec->prev_cpu };
	wake_u32 nr_cpus = replay->topo->nr_cpus;
	uint32_t diff = 0;

	for (int side = 0; side < TRACE_SIDES; side++) {
		const struct wake_llc *llc = sched_llc(replay->state, cpus[side]);

		if (!llc)
			continue;
		diff |= DIFF(HAS_IDLE, llc->has_idle_cores != (uint32_t)rec->has_idle_out[side]);
		if (!replay->has_x)
			continue;
		diff |= DIFF(ICPUS, masks_differ(llc->icpus, rec->icpus_out[side], nr_cpus));
		diff |= DIFF(IDLE_MASK, masks_differ(llc->idle_cpus, rec->imask_out[side], nr_cpus));
	}
	return diff;
}

static uint32_t compare_siblings(const struct trace_replay *replay, const struct trace_record *rec)
{
	if (replay->variant.rules.sis_core != WAKE_SIS_CORE_V6)
		return 0;
	for (wake_u32 cpu = 0; cpu < replay->topo->nr_cpus; cpu++) {
		if (replay->state->cpu[cpu].scan_sibling !=
		    trace_mask_has(rec->scan_sibling_out, cpu))
			return DIFF(SIBLING, 1);
	}
	return 0;
}

/* Is there a scan time of at most limit ns that turns cost into out? */
static int cost_is_possible(uint64_t cost, uint64_t out, uint64_t limit)
{
	int64_t step = (int64_t)(out - cost);
	int64_t least = (int64_t)cost + step * 8 - (step <= 0 ? 7 : 0);
	int64_t most = (int64_t)cost + step * 8 + (step >= 0 ? 7 : 0);

	return most >= 0 && least <= (int64_t)limit;
}

/*
 * The clock difference of a scan isn't recorded. Where wake_avg_idle is kept it
 * tells that difference, and avg_scan_cost must follow from it to the ns; else
 * some difference within the call's own time must explain the new cost. A call
 * that doesn't charge must leave both alone, but for the ageing.
 */
static uint32_t compare_charge(const struct trace_replay *replay, const struct trace_record *rec)
{
	const struct wake_cpu *state = &replay->state->cpu[rec->waker_cpu];
	int aged = replay->variant.rules.avg_idle == WAKE_AVG_IDLE_AGED;
	uint64_t time;

	if (!replay->decision.charged)
		return DIFF(CHARGE, rec->scan_cost_out != rec->scan_cost ||
				    (aged && (rec->wake_avg_idle_out != state->wake_avg_idle ||
					      rec->wake_stamp_out != state->wake_stamp)));
	if (!aged || !rec->wake_avg_idle_out)
		return DIFF(CHARGE, !cost_is_possible(rec->scan_cost, rec->scan_cost_out,
						      rec->t_out - rec->t_in));
	/* The host's clock stood still, so the state holds the aged value. */
	time = state->wake_avg_idle - rec->wake_avg_idle_out;
	return DIFF(CHARGE, rec->wake_stamp_out != state->wake_stamp ||
			    time > rec->t_out - rec->t_in ||
			    rec->scan_cost_out != rec->scan_cost +
				    (uint64_t)((int64_t)(time - rec->scan_cost) / 8));
}

uint32_t trace_replay_compare(const struct trace_replay *replay, const struct trace_record *rec)
{
	uint32_t diff = compare_affine(replay, rec) | compare_hints(replay, rec);

	diff |= DIFF(CPU, replay->decision.cpu != (uint32_t)rec->ret);
	diff |= DIFF(RECENT, replay->wakee.wake.recent_used_cpu != rec->recent_out);
	diff |= DIFF(FLIPS, replay->waker.wake.wakee_flips != rec->waker_flips_out);
	if (!replay->has_x)
		return diff;
	diff |= DIFF(WAKER_RECENT, replay->waker.wake.recent_used_cpu != rec->waker_recent_out);
	return diff | compare_siblings(replay, rec) | compare_charge(replay, rec);
}

int trace_replay_event(struct trace_replay *replay, const struct trace_event *ev)
{
	struct wake_llc *llc = sched_llc(replay->state, ev->cpu);
	struct wake_cpu *cpu = &replay->state->cpu[ev->cpu];
	struct sched_rq *rq = &replay->rq[ev->cpu];
	size_t words = (replay->topo->nr_cpus + 63) / 64;
	const struct wake_rules *rules = &replay->variant.rules;

	if (!llc)
		return ev->has_idle == ev->has_idle_out;
	rq->nr_running = ev->nr_running;
	rq->nr_idle_policy = ev->h_nr_idle;
	rq->curr_idle = !!(ev->flags & TRACE_CPU_CURR_IDLE);
	rq->ttwu_pending = !!(ev->flags & TRACE_CPU_TTWU_PENDING);
	sched_set_snapshot(replay->state, replay->rq, (const wake_u64 *)ev->idle, 0);
	llc->has_idle_cores = (wake_u32)ev->has_idle;
	memcpy(llc->icpus, ev->icpus, words * sizeof(llc->icpus[0]));
	memcpy(llc->idle_cpus, ev->imask, words * sizeof(llc->idle_cpus[0]));
	cpu->last_idle_state = (wake_u8)ev->last_idle;

	if (ev->type == TRACE_EVENT_IDLE_CORE)
		sched_switch(replay->state, rules, ev->cpu, NULL);
	else if (ev->set)
		/* Recorded in the update itself: its caller's test had passed. */
		sched_idle_enter(replay->state, rules, ev->cpu, 1);
	else
		sched_tick(replay->state, rules, ev->cpu);
	return llc->has_idle_cores == (uint32_t)ev->has_idle_out &&
	       !masks_differ(llc->icpus, ev->icpus_out, replay->topo->nr_cpus) &&
	       !masks_differ(llc->idle_cpus, ev->imask_out, replay->topo->nr_cpus) &&
	       cpu->last_idle_state == ev->last_idle_out;
}
