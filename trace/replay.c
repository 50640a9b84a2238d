// SPDX-License-Identifier: GPL-2.0-only
#include "trace/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TRACE_WORDS <= WAKE_WORDS, "a recorded mask fits");

static int machine_failed(const struct machine_error *from, struct trace_error *err, int ret)
{
	if (err) {
		snprintf(err->place, sizeof(err->place), "%s", from->place);
		snprintf(err->text, sizeof(err->text), "%s", from->text);
	}
	return ret;
}

static int prepare(struct trace_replay *replay, const struct trace_head *head,
		   struct trace_error *err)
{
	const struct wake_version *version = replay->variant.version;
	struct machine_kernel kernel = { version->major, version->minor, true };
	struct machine_error merr;
	char name[320];
	int ret;

	snprintf(name, sizeof(name), "%.300s, machine text", head->path);
	ret = machine_load_text(name, head->machine, head->machine_len, &replay->machine,
				    &merr);

	if (!ret)
		ret = sched_topology_create(replay->machine, &kernel, &replay->topo, &merr);
	if (ret)
		return machine_failed(&merr, err, ret);
	if (replay->topo->nr_cpus != head->nr_cpus) {
		snprintf(merr.place, sizeof(merr.place), "%s", head->path);
		snprintf(merr.text, sizeof(merr.text), "the machine has %u CPU ids, the records %u",
			 replay->topo->nr_cpus, head->nr_cpus);
		return machine_failed(&merr, err, -EINVAL);
	}
	ret = sched_state_create(replay->topo, head->hz, &replay->state);
	if (ret)
		return ret;
	replay->rq = aligned_alloc(64, replay->topo->nr_cpus * sizeof(*replay->rq));
	if (!replay->rq)
		return -ENOMEM;
	memcpy(replay->rq, replay->state->rq, replay->topo->nr_cpus * sizeof(*replay->rq));
	return 0;
}

/* NMI, hard and soft interrupts in preempt_count; v7.3 moved the first two. */
static uint32_t not_task_bits(const struct trace_head *head)
{
	unsigned int major = 0, minor = 0;

	sscanf(head->release, "%u.%u", &major, &minor);
	return major > 7 || (major == 7 && minor >= 3) ? 0xff000100u : 0x00ff0100u;
}

int trace_replay_create(const struct trace_head *head, const struct sched_variant *variant,
			struct trace_replay **out, struct trace_error *err)
{
	struct trace_replay *replay = calloc(1, sizeof(*replay));
	struct sched_variant recorded = { 0 };
	bool known;
	int ret;

	if (!replay)
		return -ENOMEM;
	replay->has_x = trace_has(head, TRACE_COL_X_NSW);
	replay->not_task = not_task_bits(head);
	ret = trace_variant(head, &recorded, variant ? NULL : err);
	known = !ret;
	if (variant) {
		replay->variant = *variant;
		ret = 0;
	} else {
		replay->variant = recorded;
	}
	replay->substitutes = trace_substitutes(replay, known ? &recorded : NULL);
	if (!ret)
		ret = prepare(replay, head, err);
	if (ret) {
		trace_replay_free(replay);
		return ret;
	}
	replay->wake.waker = &replay->waker;
	replay->wake.wakee = &replay->wakee;
	replay->wake.fair_only = 1;
	*out = replay;
	return 0;
}

void trace_replay_free(struct trace_replay *replay)
{
	if (!replay)
		return;
	free(replay->rq);
	sched_state_free(replay->state);
	sched_topology_free(replay->topo);
	machine_free(replay->machine);
	free(replay);
}

/* task_h_load(): all recorded tasks are in the root group. */
static wake_u64 task_h_load(const struct trace_task *t, uint64_t jiffies)
{
	uint64_t h = t->cfs_h_load_ts == jiffies ? t->cfs_h_load : t->cfs_load_avg;

	return t->load_avg * h / (t->cfs_load_avg + 1);
}

static void load_task(struct sched_task *task, const struct trace_task *t, uint64_t jiffies,
		      size_t words)
{
	task->wake.id = (wake_u64)t->pid;
	task->wake.last_wakee = (wake_u64)t->last_wakee_pid;
	task->wake.wakee_flip_decay_ts = t->decay_ts;
	task->wake.wakee_flips = t->wakee_flips;
	task->wake.recent_used_cpu = t->recent_used_cpu;
	task->load = task_h_load(t, jiffies);
	task->nr_allowed = t->nr_allowed;
	task->exiting = !!(t->flags & TRACE_PF_EXITING);
	task->kthread = !!(t->flags & TRACE_PF_KTHREAD);
	task->idle_policy = t->policy == TRACE_POLICY_IDLE;
	memcpy(task->allowed, t->allowed, words * sizeof(t->allowed[0]));
}

static void load_cpus(struct trace_replay *replay, const struct trace_record *rec)
{
	for (wake_u32 cpu = 0; cpu < replay->topo->nr_cpus; cpu++) {
		const struct trace_cpu *from = &rec->cpu[cpu];
		struct sched_rq *rq = &replay->rq[cpu];
		struct wake_cpu *state = &replay->state->cpu[cpu];

		rq->load_avg = from->load_avg;
		rq->capacity = from->capacity;
		rq->nr_running = from->nr_running;
		rq->nr_delayed = from->h_nr_queued - from->h_nr_runnable;
		rq->nr_idle_policy = from->h_nr_idle;
		rq->curr_idle = !!(from->flags & TRACE_CPU_CURR_IDLE);
		rq->ttwu_pending = !!(from->flags & TRACE_CPU_TTWU_PENDING);
		state->scan_sibling = !!(from->flags & TRACE_CPU_SCAN_SIBLING);
		state->last_idle_state = !!(from->flags & TRACE_CPU_LAST_IDLE);
	}
}

static void load_hints(struct trace_replay *replay, const struct trace_record *rec, size_t words)
{
	const uint32_t cpus[TRACE_SIDES] = { rec->waker_cpu, rec->prev_cpu };

	for (int side = 0; side < TRACE_SIDES; side++) {
		struct wake_llc *llc = sched_llc(replay->state, cpus[side]);

		if (!llc)
			continue;
		llc->has_idle_cores = (wake_u32)rec->has_idle[side];
		llc->nr_idle_scan = rec->scan[side] < 0 ? 0 : (wake_u32)rec->scan[side];
		if (!replay->has_x)
			continue;
		memcpy(llc->icpus, rec->icpus[side], words * sizeof(llc->icpus[0]));
		memcpy(llc->idle_cpus, rec->imask[side], words * sizeof(llc->idle_cpus[0]));
	}
}

void trace_replay_load(struct trace_replay *replay, const struct trace_record *rec)
{
	struct wake_cpu *waker_cpu = &replay->state->cpu[rec->waker_cpu];
	size_t words = (replay->topo->nr_cpus + 63) / 64;

	load_cpus(replay, rec);
	replay->rq[rec->waker_cpu].avg_idle = rec->avg_idle;
	sched_set_snapshot(replay->state, replay->rq, (const wake_u64 *)rec->idle, rec->jiffies);
	load_hints(replay, rec, words);
	waker_cpu->avg_scan_cost = rec->scan_cost;
	waker_cpu->wake_avg_idle = rec->wake_avg_idle;
	waker_cpu->wake_stamp = rec->wake_stamp;
	load_task(&replay->waker, &rec->waker, rec->jiffies, words);
	load_task(&replay->wakee, &rec->wakee, rec->jiffies, words);
	replay->wake.cpu = rec->waker_cpu;
	replay->wake.prev = rec->prev_cpu;
	replay->wake.flags = rec->wake_flags;
	replay->wake.in_task = !(rec->preempt_count & replay->not_task);
	if (replay->substitutes)
		trace_substitute(replay, rec);
}

void trace_replay_decide(struct trace_replay *replay)
{
	sched_wake(replay->state, &replay->variant.rules, &replay->wake, &replay->decision);
}

void trace_replay_decide_log(struct trace_replay *replay, struct sched_log *log)
{
	sched_wake_log(replay->state, &replay->variant.rules, &replay->wake, &replay->decision,
		       log);
}
