// SPDX-License-Identifier: GPL-2.0-only
#include "trace/whatif.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_busy_text[TRACE_NR_BUSY] = { "idle", "sched-idle", "busy" };

_Static_assert(sizeof(struct wake_rules) <= TRACE_RULES_MAX, "each cause has a bit");

const char *trace_cause_text(size_t cause)
{
	if (cause == TRACE_CAUSE_DOMAINS)
		return "domains";
	if (cause == TRACE_CAUSE_SEVERAL)
		return "several together";
	return sched_rules[cause - TRACE_CAUSE_RULES].name;
}

static wake_u8 *rule(struct wake_rules *rules, size_t i)
{
	return (wake_u8 *)rules + sched_rules[i].field;
}

static void find_differences(struct trace_replay *base, struct trace_replay *variant,
			     struct trace_changes *changes)
{
	const struct sched_topology *a = base->topo, *b = variant->topo;

	for (size_t i = 0; i < sched_nr_rules; i++) {
		if (*rule(&base->variant.rules, i) != *rule(&variant->variant.rules, i))
			changes->differ[TRACE_CAUSE_RULES + i] = 1;
	}
	if (memcmp(a->cpus, b->cpus, a->nr_cpus * sizeof(*a->cpus)) ||
	    a->nr_spans != b->nr_spans)
		changes->differ[TRACE_CAUSE_DOMAINS] = 1;
}

static enum trace_busy busy(const struct trace_record *rec, wake_u32 cpu)
{
	const struct trace_cpu *rq = &rec->cpu[cpu];

	if (trace_mask_has(rec->idle, cpu))
		return TRACE_IDLE;
	return rq->nr_running && rq->nr_running == rq->h_nr_idle ? TRACE_SCHED_IDLE : TRACE_BUSY;
}

static wake_u32 decide(struct trace_replay *replay, const struct trace_record *rec)
{
	trace_replay_load(replay, rec);
	trace_replay_decide(replay);
	return replay->decision.cpu;
}

/* Which single difference, put into the base, gives the variant's CPU? As bits. */
static uint64_t find_causes(struct trace_replay *base, struct trace_replay *variant,
			    const struct trace_record *rec, wake_u32 cpu,
			    const struct trace_changes *changes)
{
	const struct wake_rules base_rules = base->variant.rules;
	const struct wake_rules variant_rules = variant->variant.rules;
	const uint32_t base_substitutes = base->substitutes;
	uint64_t causes = 0;

	/* The rule may read what only the variant's side had to make up. */
	base->substitutes = variant->substitutes;
	for (size_t i = 0; i < sched_nr_rules; i++) {
		if (!changes->differ[TRACE_CAUSE_RULES + i])
			continue;
		*rule(&base->variant.rules, i) = *rule(&variant->variant.rules, i);
		if (decide(base, rec) == cpu)
			causes |= 1ULL << (TRACE_CAUSE_RULES + i);
		base->variant.rules = base_rules;
	}
	base->substitutes = base_substitutes;
	if (changes->differ[TRACE_CAUSE_DOMAINS]) {
		variant->variant.rules = base_rules;
		if (decide(variant, rec) == cpu)
			causes |= 1ULL << TRACE_CAUSE_DOMAINS;
		variant->variant.rules = variant_rules;
	}
	return causes ? causes : 1ULL << TRACE_CAUSE_SEVERAL;
}

static struct trace_task_changes *find_task(struct trace_changes *changes, int32_t pid)
{
	size_t low = 0, high = changes->nr_tasks;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (changes->tasks[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < changes->nr_tasks && changes->tasks[low].pid == pid)
		return &changes->tasks[low];
	if (changes->nr_tasks == changes->max_tasks) {
		size_t max = changes->max_tasks ? 2 * changes->max_tasks : 64;
		struct trace_task_changes *tasks =
			reallocarray(changes->tasks, max, sizeof(*tasks));

		if (!tasks)
			return NULL;
		changes->tasks = tasks;
		changes->max_tasks = max;
	}
	memmove(&changes->tasks[low + 1], &changes->tasks[low],
		(changes->nr_tasks - low) * sizeof(*changes->tasks));
	changes->tasks[low] = (struct trace_task_changes){ .pid = pid };
	changes->nr_tasks++;
	return &changes->tasks[low];
}

static void add_change(struct trace_changes *changes, const struct trace_replay *base,
		       const struct trace_record *rec, const struct trace_change *change)
{
	wake_u32 from = change->base.cpu, to = change->variant.cpu;

	if (!changes->changed++)
		snprintf(changes->example, sizeof(changes->example), "%.270s#%llu", change->path,
			 (unsigned long long)change->position);
	changes->by_reason[change->base.reason][change->variant.reason]++;
	changes->by_busy[busy(rec, from)][busy(rec, to)]++;
	changes->by_distance[sched_distance(base->topo, rec->prev_cpu, from)]
			    [sched_distance(base->topo, rec->prev_cpu, to)]++;
	for (size_t i = 0; i < TRACE_CAUSE_RULES + sched_nr_rules; i++)
		changes->by_cause[i] += change->causes >> i & 1;
	if (changes->each)
		changes->each(changes, change);
}

static int add(struct trace_changes *changes, struct trace_replay *base,
	       struct trace_replay *variant, const struct trace_record *rec,
	       struct trace_change *change)
{
	struct trace_task_changes *task = find_task(changes, rec->wakee.pid);
	wake_u32 from = decide(base, rec), to = decide(variant, rec);

	if (!task)
		return -ENOMEM;
	change->base = base->decision;
	change->variant = variant->decision;
	changes->wakeups++;
	task->wakeups++;
	changes->base_probes += change->base.probes;
	changes->variant_probes += change->variant.probes;
	changes->base_busy[busy(rec, from)]++;
	changes->variant_busy[busy(rec, to)]++;
	if (from == to)
		return 0;
	task->changed++;
	change->causes = find_causes(base, variant, rec, to, changes);
	add_change(changes, base, rec, change);
	return 0;
}

static int add_all(struct trace_reader *reader, struct trace_replay *base,
		   struct trace_replay *variant, struct trace_changes *changes,
		   struct trace_error *err)
{
	struct trace_change change = { .path = trace_head(reader)->path };
	const struct trace_record *rec;
	int ret;

	while ((ret = trace_next(reader, &rec, err)) > 0) {
		if (!trace_is_wakeup(rec))
			continue;
		change.position = trace_position(reader);
		ret = add(changes, base, variant, rec, &change);
		if (ret)
			return ret;
	}
	return ret;
}

int trace_whatif(const char *path, const struct sched_variant *variant,
		 struct trace_changes *changes, struct trace_error *err)
{
	struct trace_replay *base = NULL, *other = NULL;
	struct trace_reader *reader;
	int ret = trace_open(path, &reader, err);

	if (ret)
		return ret;
	/* What the writers of hints did is no decision. */
	if (trace_head(reader)->kind == TRACE_WAKEUPS) {
		ret = trace_replay_create(trace_head(reader), NULL, &base, err);
		if (!ret)
			ret = trace_replay_create(trace_head(reader), variant, &other, err);
		if (!ret) {
			changes->base = base->variant;
			changes->variant = *variant;
			changes->substitutes |= other->substitutes;
			find_differences(base, other, changes);
			ret = add_all(reader, base, other, changes, err);
		}
	}
	trace_replay_free(base);
	trace_replay_free(other);
	trace_close(reader);
	return ret;
}

void trace_changes_free(struct trace_changes *changes)
{
	free(changes->tasks);
	changes->tasks = NULL;
}
