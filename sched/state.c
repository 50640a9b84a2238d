// SPDX-License-Identifier: GPL-2.0-only
#include "sched/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *lines(size_t nr, size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, nr * size))
		return NULL;
	return memset(p, 0, nr * size);
}

int sched_state_create(const struct sched_topology *topo, wake_u32 hz, struct sched_state **out)
{
	struct sched_state *state = calloc(1, sizeof(*state));

	if (!state)
		return -ENOMEM;
	state->topo = topo;
	state->hz = hz;
	state->rq = lines(topo->nr_cpus, sizeof(*state->rq));
	state->cpu = lines(topo->nr_cpus, sizeof(*state->cpu));
	state->llc = lines(topo->nr_spans, sizeof(*state->llc));
	state->scan = lines(topo->nr_cpus, sizeof(*state->scan));
	if (!state->rq || !state->cpu || !state->llc || !state->scan) {
		sched_state_free(state);
		return -ENOMEM;
	}
	for (wake_u32 cpu = 0; cpu < topo->nr_cpus; cpu++) {
		state->rq[cpu].capacity = topo->cpus[cpu].capacity;
		state->rq[cpu].curr_idle = 1;
		state->cpu[cpu].last_idle_state = 1;
		if (topo->cpus[cpu].active)
			wake_mask_set(state->idle, cpu);
	}
	sched_domains_built(state);
	*out = state;
	return 0;
}

void sched_state_free(struct sched_state *state)
{
	if (!state)
		return;
	free(state->rq);
	free(state->cpu);
	free(state->llc);
	free(state->scan);
	free(state);
}

void sched_set_snapshot(struct sched_state *state, const struct sched_rq *rq, const wake_u64 *idle,
			wake_u64 jiffies)
{
	memcpy(state->rq, rq, state->topo->nr_cpus * sizeof(*rq));
	memcpy(state->idle, idle, (state->topo->nr_cpus + 63) / 64 * sizeof(*idle));
	state->jiffies = jiffies;
}

/* idle_cpu(): the idle task is current, nothing is queued, nothing on its way. */
static void update_idle(struct sched_state *state, wake_u32 cpu)
{
	const struct sched_rq *rq = &state->rq[cpu];

	if (rq->curr_idle && !rq->nr_running && !rq->ttwu_pending && state->topo->cpus[cpu].active)
		wake_mask_set(state->idle, cpu);
	else
		wake_mask_clear(state->idle, cpu);
}

void sched_enqueue(struct sched_state *state, wake_u32 cpu, const struct sched_task *task)
{
	struct sched_rq *rq = &state->rq[cpu];

	rq->nr_running++;
	rq->nr_idle_policy += task->idle_policy;
	rq->nr_delayed += task->delayed;
	update_idle(state, cpu);
}

void sched_dequeue(struct sched_state *state, wake_u32 cpu, const struct sched_task *task)
{
	struct sched_rq *rq = &state->rq[cpu];

	rq->nr_running--;
	rq->nr_idle_policy -= task->idle_policy;
	rq->nr_delayed -= task->delayed;
	update_idle(state, cpu);
}

void sched_pending(struct sched_state *state, wake_u32 cpu, wake_u32 pending)
{
	state->rq[cpu].ttwu_pending = (wake_u8)pending;
	update_idle(state, cpu);
}

const char *sched_check(const struct sched_state *state)
{
	for (wake_u32 cpu = 0; cpu < state->topo->nr_cpus; cpu++) {
		const struct sched_rq *rq = &state->rq[cpu];
		wake_u32 idle = rq->curr_idle && !rq->nr_running && !rq->ttwu_pending &&
				state->topo->cpus[cpu].active;

		if (rq->nr_idle_policy > rq->nr_running || rq->nr_delayed > rq->nr_running)
			return "more SCHED_IDLE or delayed tasks than tasks";
		if (idle != !!wake_mask_has(state->idle, cpu))
			return "the idle mask disagrees with a run queue";
	}
	return NULL;
}
