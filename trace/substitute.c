// SPDX-License-Identifier: GPL-2.0-only
/* Stand-ins for what a recording lacks and another variant reads. */
#include "trace/replay.h"

#include <string.h>

#include "wake/hints_math.h"

const char *const trace_substitute_text[TRACE_NR_SUBSTITUTES] = {
#define X(name, text) text,
	TRACE_SUBSTITUTES(X)
#undef X
};

#define NEED(name, condition) ((condition) ? 1u << TRACE_SUBSTITUTE_##name : 0u)

uint32_t trace_substitutes(const struct trace_replay *replay, const struct sched_variant *recorded)
{
	const struct wake_rules *asked = &replay->variant.rules;
	const struct wake_rules *had = recorded ? &recorded->rules : NULL;

	return NEED(RUNNABLE, asked->load == WAKE_LOAD_RUNNABLE) |
	       NEED(PROP, (asked->sis_prop || asked->sis_avg_cpu) && !replay->has_x) |
	       NEED(AGED, asked->sis_prop && replay->has_x &&
			  asked->avg_idle == WAKE_AVG_IDLE_AGED &&
			  !(had && had->avg_idle == WAKE_AVG_IDLE_AGED)) |
	       NEED(UTIL, asked->sis_util && !(had && had->sis_util)) |
	       NEED(ICPUS, asked->sis_core >= WAKE_SIS_CORE_P123 &&
			   !(had && had->sis_core >= WAKE_SIS_CORE_P123)) |
	       NEED(IDLE_MASK, asked->idle_mask && !(had && had->idle_mask));
}

static void substitute_loads(struct sched_state *state, const struct trace_record *rec)
{
	for (wake_u32 cpu = 0; cpu < state->topo->nr_cpus; cpu++)
		state->rq[cpu].runnable_load = trace_mask_has(rec->idle, cpu) ? 0 : rec->cpu[cpu].load_avg;
}

/* Of the LLC domain of this CPU, whose span it is. */
static void substitute_hints(const struct trace_replay *replay, const struct trace_record *rec,
			     wake_u32 of)
{
	const struct sched_topology *topo = replay->topo;
	const struct sched_topology_cpu *cpus = topo->cpus;
	struct wake_llc *llc = sched_llc(replay->state, of);
	const struct wake_span *span = &topo->spans[cpus[of].llc];
	uint32_t need = replay->substitutes;
	uint64_t sum_util = 0;

	for (wake_u32 cpu = 0; cpu < topo->nr_cpus; cpu++) {
		wake_u32 first = cpus[cpu].nr_smt ? cpus[cpu].smt[0] : cpu, thread = first;

		if (!wake_mask_has(span->bits, cpu))
			continue;
		sum_util += rec->cpu[cpu].util_avg < cpus[cpu].capacity ? rec->cpu[cpu].util_avg :
									  cpus[cpu].capacity;
		for (int i = 0; i < cpus[cpu].nr_smt && !trace_mask_has(rec->idle, thread); i++)
			thread = cpus[cpu].smt[i];
		if ((need & NEED(ICPUS, 1)) && thread == cpu && trace_mask_has(rec->idle, cpu))
			wake_mask_set(llc->icpus, cpu);
	}
	if (need & NEED(UTIL, 1))
		llc->nr_idle_scan = wake_nr_idle_scan(sum_util, cpus[of].llc_size, cpus[of].llc_pct);
}

void trace_substitute(struct trace_replay *replay, const struct trace_record *rec)
{
	const uint32_t cpus[TRACE_SIDES] = { rec->waker_cpu, rec->prev_cpu };
	size_t size = (replay->topo->nr_cpus + 63) / 64 * sizeof(rec->idle[0]);

	if (replay->substitutes & NEED(RUNNABLE, 1))
		substitute_loads(replay->state, rec);
	if (replay->substitutes & NEED(AGED, 1)) {
		replay->state->cpu[rec->waker_cpu].wake_avg_idle = rec->avg_idle / 2;
		replay->state->cpu[rec->waker_cpu].wake_stamp = rec->jiffies;
	}
	for (int side = 0; side < TRACE_SIDES; side++) {
		struct wake_llc *llc = sched_llc(replay->state, cpus[side]);

		if (!llc)
			continue;
		if (replay->substitutes & NEED(ICPUS, 1))
			memset(llc->icpus, 0, size);
		if (replay->substitutes & NEED(IDLE_MASK, 1))
			memcpy(llc->idle_cpus, rec->idle, size);
		if (replay->substitutes & (NEED(ICPUS, 1) | NEED(UTIL, 1)))
			substitute_hints(replay, rec, cpus[side]);
	}
}
