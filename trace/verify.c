// SPDX-License-Identifier: GPL-2.0-only
#include "trace/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verification {
	struct trace_verified *out;
	struct trace_outcome *outcomes;
	size_t nr, max;
	struct trace_mismatch *mismatches;	/* of outcomes with a diff, in order */
	size_t nr_mismatches, max_mismatches;
};

static int grow(void **array, size_t nr, size_t *max, size_t size)
{
	void *bigger;

	if (nr < *max)
		return 0;
	*max = *max ? 2 * *max : 1024;
	bigger = reallocarray(*array, *max, size);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	return 0;
}

static bool is_quiet(const struct trace_replay *replay, const struct trace_record *rec)
{
	size_t size = (replay->topo->nr_cpus + 63) / 64 * sizeof(rec->idle[0]);

	if (memcmp(rec->idle, rec->idle_out, size))
		return false;
	return !replay->has_x || (rec->nr_switches == rec->nr_switches_out &&
				  rec->jiffies == rec->jiffies_out);
}

static int add_outcome(struct verification *v, const struct trace_replay *replay,
		       const struct trace_record *rec, uint64_t position)
{
	uint32_t diff = trace_replay_compare(replay, rec);
	int ret = grow((void **)&v->outcomes, v->nr, &v->max, sizeof(*v->outcomes));

	if (ret)
		return ret;
	v->out->probes += replay->decision.probes;
	v->outcomes[v->nr++] = (struct trace_outcome){
		position, rec->t_out - rec->t_in, diff, replay->decision.reason,
		replay->decision.affine, is_quiet(replay, rec), false,
	};
	if (!diff)
		return 0;
	ret = grow((void **)&v->mismatches, v->nr_mismatches, &v->max_mismatches,
		   sizeof(*v->mismatches));
	if (ret)
		return ret;
	v->mismatches[v->nr_mismatches++] = (struct trace_mismatch){
		position, rec->waker_cpu, rec->prev_cpu, rec->ret, replay->decision.cpu,
		diff, replay->decision.reason,
	};
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int find_median(struct verification *v)
{
	uint64_t *durations = reallocarray(NULL, v->nr + 1, sizeof(*durations));

	if (!durations)
		return -ENOMEM;
	for (size_t i = 0; i < v->nr; i++)
		durations[i] = v->outcomes[i].duration;
	qsort(durations, v->nr, sizeof(*durations), by_value);
	v->out->median = v->nr ? durations[v->nr / 2] : 0;
	free(durations);
	return 0;
}

static void count(struct trace_tally *tally, int stable, int agree)
{
	if (stable) {
		tally->stable++;
		tally->stable_agree += agree;
	} else {
		tally->unstable++;
		tally->unstable_agree += agree;
	}
}

static void note_differences(struct trace_verified *out, const struct trace_mismatch *mismatch)
{
	for (int kind = 0; kind < TRACE_NR_DIFFERENCES; kind++) {
		if (!(mismatch->diff >> kind & 1))
			continue;
		if (!out->differences[kind]++)
			out->example[kind] = *mismatch;
	}
}

static int judge(struct verification *v, int has_x)
{
	struct trace_verified *out = v->out;
	const struct trace_mismatch *mismatch = v->mismatches;
	int ret = find_median(v);
	uint64_t limit = has_x ? 4 * out->median + 1 : 20 * out->median + 100000;

	for (size_t i = 0; i < v->nr && !ret; i++) {
		struct trace_outcome *o = &v->outcomes[i];

		o->stable = o->quiet && o->duration < limit;
		count(&out->total, o->stable, !o->diff);
		count(&out->by_reason[o->reason], o->stable, !o->diff);
		count(&out->by_affine[o->affine], o->stable, !o->diff);
		if (!o->diff)
			continue;
		if (o->stable)
			note_differences(out, mismatch);
		mismatch++;
	}
	return ret;
}

static int verify_wakeups(struct trace_reader *reader, struct trace_replay *replay,
			  struct trace_verified *out, struct trace_outcome **list,
			  size_t *nr_list, struct trace_error *err)
{
	struct verification v = { .out = out };
	const struct trace_record *rec;
	int ret;

	while ((ret = trace_next(reader, &rec, err)) > 0) {
		if (!trace_is_wakeup(rec)) {
			out->slow_path++;
			continue;
		}
		trace_replay_load(replay, rec);
		trace_replay_decide(replay);
		ret = add_outcome(&v, replay, rec, trace_position(reader));
		if (ret)
			break;
	}
	if (!ret)
		ret = judge(&v, replay->has_x);
	if (!ret && list) {
		*list = v.outcomes;
		*nr_list = v.nr;
		v.outcomes = NULL;
	}
	free(v.outcomes);
	free(v.mismatches);
	return ret;
}

static int verify_events(struct trace_reader *reader, struct trace_replay *replay,
			 struct trace_verified *out, struct trace_error *err)
{
	const struct trace_event *ev;
	int ret;

	while ((ret = trace_next_event(reader, &ev, err)) > 0) {
		int agree = trace_replay_event(replay, ev);

		if (!agree && out->events == out->events_agree)
			out->event_example = (struct trace_mismatch){
				.position = trace_position(reader), .waker_cpu = ev->cpu,
			};
		out->events++;
		out->events_agree += (uint64_t)agree;
	}
	return ret;
}

int trace_verify_reader(struct trace_reader *reader, const struct sched_variant *variant,
			struct trace_verified *out, struct trace_outcome **list, size_t *nr_list,
			struct trace_error *err)
{
	const struct trace_head *head = trace_head(reader);
	struct trace_replay *replay;
	int ret = trace_replay_create(head, variant, &replay, err);

	if (ret)
		return ret;
	memset(out, 0, sizeof(*out));
	if (list) {
		*list = NULL;
		*nr_list = 0;
	}
	out->kind = head->kind;
	out->variant = replay->variant;
	snprintf(out->load, sizeof(out->load), "%s", head->load);
	snprintf(out->release, sizeof(out->release), "%s", head->release);
	if (head->kind == TRACE_WAKEUPS)
		ret = verify_wakeups(reader, replay, out, list, nr_list, err);
	else
		ret = verify_events(reader, replay, out, err);
	trace_replay_free(replay);
	return ret;
}

int trace_verify(const char *path, const struct sched_variant *variant,
		 struct trace_verified *out, struct trace_outcome **list, size_t *nr_list,
		 struct trace_error *err)
{
	struct trace_reader *reader;
	int ret = trace_open(path, &reader, err);

	if (ret)
		return ret;
	ret = trace_verify_reader(reader, variant, out, list, nr_list, err);
	trace_close(reader);
	return ret;
}

void trace_tally_add(struct trace_tally *to, const struct trace_tally *from)
{
	to->stable += from->stable;
	to->stable_agree += from->stable_agree;
	to->unstable += from->unstable;
	to->unstable_agree += from->unstable_agree;
}

bool trace_reason_possible(const struct wake_rules *rules, enum wake_reason reason)
{
	switch (reason) {
	case WAKE_REASON_KTHREAD:
		return rules->kthread != WAKE_KTHREAD_NO;
	case WAKE_REASON_CORE_THREAD:
		return rules->skeleton == WAKE_MERGED;
	case WAKE_REASON_SMT_TARGET:
		return rules->smt == WAKE_SMT_TARGET;
	case WAKE_REASON_SMT_PREV:
		return rules->smt == WAKE_SMT_PREV;
	case WAKE_REASON_CLUSTER_CORE:
		return rules->cluster == WAKE_CLUSTER_V7 || rules->cluster == WAKE_CLUSTER_MERGED;
	case WAKE_REASON_CLUSTER_CPU:
		return rules->cluster != WAKE_CLUSTER_NONE;
	case WAKE_REASON_CLUSTER_BUSY:
		return rules->cluster == WAKE_CLUSTER_V2;
	case WAKE_REASON_PREV_FAR:
	case WAKE_REASON_RECENT_FAR:
		return rules->cluster == WAKE_CLUSTER_MERGED;
	case WAKE_REASON_SIBLING:
		return rules->sis_core == WAKE_SIS_CORE_V6;
	case WAKE_REASON_CAPACITY:
		return rules->capacity != WAKE_CAPACITY_WAKE_CAP;
	case WAKE_REASON_CURRENT_CPU:
		return rules->current_cpu;
	case WAKE_REASON_NONE:
	case WAKE_REASON_ONE_ALLOWED:
	case WAKE_REASON_ON_CPU:
	case WAKE_REASON_DELAYED:
	case WAKE_REASON_FALLBACK:
		/* Outside of select_task_rq_fair(). */
		return false;
	default:
		return true;
	}
}
