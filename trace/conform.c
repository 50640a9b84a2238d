// SPDX-License-Identifier: GPL-2.0-only
/* Reads a recording, lets sched/ follow each call, and has the pairs judged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/conform_private.h"

const char *const trace_implication_text[TRACE_NR_IMPLICATIONS] = {
#define X(name, text) text,
	TRACE_IMPLICATIONS(X)
#undef X
};

const char *const trace_unjudged_text[TRACE_NR_UNJUDGED] = {
#define X(name, text) text,
	TRACE_UNJUDGED(X)
#undef X
};

void conform_agrees(struct conform *c, enum trace_implication what, bool changed)
{
	c->out->implied[what].agree++;
	c->out->implied[what].changed += changed;
}

void conform_differs(struct conform *c, enum trace_implication what,
		     const struct conform_note *note, uint64_t expected, uint64_t found)
{
	struct trace_implied *implied = &c->out->implied[what];

	if (implied->differ++)
		return;
	implied->position = note->position;
	implied->expected = expected;
	implied->found = found;
}

void conform_judge(struct conform *c, enum trace_implication what,
		   const struct conform_note *note, uint64_t expected, uint64_t found, bool changed)
{
	if (expected == found)
		conform_agrees(c, what, changed);
	else
		conform_differs(c, what, note, expected, found);
}

void conform_unjudged(struct conform *c, enum trace_implication what, enum trace_unjudged why)
{
	c->out->implied[what].unjudged[why]++;
}

static int grow(void **array, size_t need, size_t *max, size_t size)
{
	size_t bigger = *max ? *max : 4096;
	void *moved;

	if (need <= *max)
		return 0;
	while (bigger < need)
		bigger *= 2;
	moved = reallocarray(*array, bigger, size);
	if (!moved)
		return -ENOMEM;
	*array = moved;
	*max = bigger;
	return 0;
}

static int add_note(struct conform *c, struct conform_note **out)
{
	size_t rows = c->nr + 1;
	size_t row = sizeof(*c->notes) + c->nr_cpus * sizeof(*c->cpus) +
		     2 * c->words * sizeof(*c->idle);

	if (rows > CONFORM_KEEPS / row)
		return -EFBIG;
	if (grow((void **)&c->notes, rows, &c->max, sizeof(*c->notes)) ||
	    grow((void **)&c->cpus, rows * c->nr_cpus, &c->max_cpus, sizeof(*c->cpus)) ||
	    grow((void **)&c->idle, rows * c->words, &c->max_idle, sizeof(*c->idle)) ||
	    grow((void **)&c->idle_after, rows * c->words, &c->max_idle_after,
		 sizeof(*c->idle_after)))
		return -ENOMEM;
	*out = &c->notes[c->nr];
	memset(*out, 0, sizeof(**out));
	(*out)->row = c->nr++;
	return 0;
}

static void note_task(struct conform_task *to, const struct trace_task *from, uint32_t cpu,
		      const struct sched_task *replayed)
{
	to->key = conform_key(from->pid, cpu);
	to->before = to->after = replayed->wake;
	to->load_avg = from->load_avg;
	to->cpu = from->cpu;
	to->weight = from->weight;
	to->exiting = !!(from->flags & TRACE_PF_EXITING);
}

/*
 * The idle map once more, from the run queues alone. A vCPU that is idle but was
 * preempted isn't available, and the record knows (wake/host.h, host_idle_cpu()).
 */
static void judge_idle_map(struct conform *c, struct trace_replay *replay,
			   const struct conform_note *note)
{
	const uint64_t *recorded = &c->idle[note->row * c->words];
	struct sched_state *state = replay->state;
	bool fewer = false;

	if (!note->calm) {
		conform_unjudged(c, TRACE_IMPLIES_IDLE, TRACE_UNJUDGED_DISTURBED);
		return;
	}
	for (uint32_t cpu = 0; cpu < c->nr_cpus; cpu++) {
		const struct conform_cpu *from = &conform_cpus(c, note)[cpu];

		state->rq[cpu].nr_running = from->queue.nr;
		state->rq[cpu].curr_idle = from->curr_idle;
		sched_pending(state, cpu, from->queue.pending);
	}
	for (size_t w = 0; w < c->words; w++) {
		if (recorded[w] & ~state->idle[w]) {
			conform_differs(c, TRACE_IMPLIES_IDLE, note, state->idle[w], recorded[w]);
			return;
		}
		fewer |= recorded[w] != state->idle[w];
	}
	if (fewer)
		conform_unjudged(c, TRACE_IMPLIES_IDLE, TRACE_UNJUDGED_PREEMPTED);
	else
		conform_agrees(c, TRACE_IMPLIES_IDLE, false);
}

/*
 * ttwu_queue(): the waker enqueues the wakee itself, or leaves it to the CPU: one
 * outside its LLC and, from v6.0 on, an idle one within it (ttwu_queue_cond()).
 */
static void queue_wakee(struct trace_replay *replay, const struct trace_record *rec)
{
	const struct wake_rules *rules = &replay->variant.rules;
	struct sched_state *state = replay->state;
	const struct sched_topology_cpu *from = &replay->topo->cpus[rec->waker_cpu];
	wake_u32 cpu = (wake_u32)rec->ret;
	bool far = from->llc_id != replay->topo->cpus[cpu].llc_id;
	bool idle = rules->on_cpu == WAKE_ON_CPU_IDLE && cpu != rec->waker_cpu &&
		    !state->rq[cpu].nr_running;

	if (rules->ttwu_queue && (far || idle))
		sched_pending(state, cpu, 1);
	else
		sched_enqueue(state, cpu, &replay->wakee);
}

static void note_cpus(struct conform *c, struct conform_note *note,
		      const struct trace_record *rec, const struct sched_state *state)
{
	struct conform_cpu *to = &c->cpus[note->row * c->nr_cpus];
	const struct sched_rq *queued = &state->rq[note->ret];

	for (uint32_t cpu = 0; cpu < c->nr_cpus; cpu++) {
		const struct trace_cpu *from = &rec->cpu[cpu];

		to[cpu] = (struct conform_cpu){
			.queue = {
				.nr = from->nr_running,
				.nr_idle = from->h_nr_idle,
				.pending = !!(from->flags & TRACE_CPU_TTWU_PENDING),
			},
			.curr = from->curr_pid,
			.curr_idle = !!(from->flags & TRACE_CPU_CURR_IDLE),
		};
	}
	note->queued = (struct conform_queue){ queued->nr_running, queued->nr_idle_policy,
					       queued->ttwu_pending };
	memcpy(&c->idle[note->row * c->words], rec->idle, c->words * sizeof(*c->idle));
	memcpy(&c->idle_after[note->row * c->words], state->idle, c->words * sizeof(*c->idle));
}

static void note_call(struct conform *c, const struct trace_replay *replay,
		      const struct trace_record *rec, struct conform_note *note)
{
	const uint32_t cpus[TRACE_SIDES] = { rec->waker_cpu, rec->prev_cpu };
	size_t size = c->words * sizeof(rec->idle[0]);

	note->seq = rec->seq;
	note->t_in = rec->t_in;
	note->t_out = rec->t_out;
	note->nsw = rec->nr_switches;
	note->nsw_out = rec->nr_switches_out;
	note->scan_cost = rec->scan_cost;
	note->scan_cost_out = rec->scan_cost_out;
	note->waker_cpu = rec->waker_cpu;
	note->prev_cpu = rec->prev_cpu;
	note->ret = (uint32_t)rec->ret;
	note->wakeup = trace_is_wakeup(rec);
	note->fork = !!(rec->wake_flags & WAKE_WF_FORK);
	note->allowed = trace_mask_has(rec->wakee.allowed, note->ret);
	note->quiet = !memcmp(rec->idle, rec->idle_out, size) &&
		      (!c->has_x || (rec->nr_switches == rec->nr_switches_out &&
				     rec->jiffies == rec->jiffies_out));
	for (int side = 0; side < TRACE_SIDES; side++) {
		const struct wake_llc *llc = sched_llc(replay->state, cpus[side]);

		note->llc[side] = replay->topo->cpus[cpus[side]].llc;
		note->has_idle[side] = !!rec->has_idle[side];
		note->has_idle_after[side] = llc ? !!llc->has_idle_cores : 0;
	}
	note_task(&note->waker, &rec->waker, rec->waker_cpu, &replay->waker);
	note_task(&note->wakee, &rec->wakee, rec->prev_cpu, &replay->wakee);
}

static int note_record(struct conform *c, struct trace_replay *replay,
		       const struct trace_record *rec, uint64_t position)
{
	struct conform_note *note;
	int ret = add_note(c, &note);

	if (ret)
		return ret;
	note->position = position;
	trace_replay_load(replay, rec);
	note_call(c, replay, rec, note);
	if (note->wakeup) {
		trace_replay_decide(replay);
		note->waker.after = replay->waker.wake;
		note->wakee.after = replay->wakee.wake;
		for (int side = 0; side < TRACE_SIDES; side++) {
			const uint32_t cpu = side == TRACE_W ? rec->waker_cpu : rec->prev_cpu;
			const struct wake_llc *llc = sched_llc(replay->state, cpu);

			note->has_idle_after[side] = llc ? !!llc->has_idle_cores : 0;
		}
		queue_wakee(replay, rec);
	}
	note_cpus(c, note, rec, replay->state);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_seq(const void *a, const void *b)
{
	const struct conform_note *x = a, *y = b;

	return x->seq != y->seq ? (x->seq > y->seq) - (x->seq < y->seq) :
				  (x->position > y->position) - (x->position < y->position);
}

static int by_t_in(const void *a, const void *b)
{
	const struct conform_note *x = *(const struct conform_note *const *)a;
	const struct conform_note *y = *(const struct conform_note *const *)b;

	return x->t_in != y->t_in ? (x->t_in > y->t_in) - (x->t_in < y->t_in) : by_seq(x, y);
}

/* Calm: quiet (trace/verify.h), and at most four times the median of all calls. */
static int find_calm(struct conform *c)
{
	uint64_t *durations = reallocarray(NULL, c->nr + 1, sizeof(*durations));
	uint64_t median;

	if (!durations)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++)
		durations[i] = c->notes[i].t_out - c->notes[i].t_in;
	qsort(durations, c->nr, sizeof(*durations), by_number);
	median = c->nr ? durations[c->nr / 2] : 0;
	free(durations);
	for (size_t i = 0; i < c->nr; i++) {
		struct conform_note *note = &c->notes[i];

		note->calm = note->quiet && note->t_out >= note->t_in &&
			     note->t_out - note->t_in <= 4 * median;
	}
	return 0;
}

static int sort(struct conform *c)
{
	uint64_t run = 0;

	qsort(c->notes, c->nr, sizeof(*c->notes), by_seq);
	for (size_t i = 0; i < c->nr; i++) {
		if (i && c->notes[i].seq != c->notes[i - 1].seq + 1)
			run++;
		c->notes[i].run = run;
	}
	c->out->complete = !run;
	c->by_time = reallocarray(NULL, c->nr + 1, sizeof(*c->by_time));
	if (!c->by_time)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++)
		c->by_time[i] = &c->notes[i];
	qsort(c->by_time, c->nr, sizeof(*c->by_time), by_t_in);
	return find_calm(c);
}

static int judge(struct conform *c, struct trace_replay *replay)
{
	int ret;

	c->out->complete = true;
	if (!c->nr)
		return 0;
	ret = sort(c);
	if (ret)
		return ret;
	for (size_t i = 0; i < c->nr; i++)
		judge_idle_map(c, replay, &c->notes[i]);
	conform_pairs(c);
	ret = conform_tasks(c);
	if (!ret)
		ret = conform_hints(c);
	return ret ? ret : conform_loads(c);
}

static int read_all(struct conform *c, struct trace_reader *reader, struct trace_replay *replay,
		    struct trace_error *err)
{
	const struct trace_record *rec;
	int ret;

	while ((ret = trace_next(reader, &rec, err)) > 0) {
		ret = note_record(c, replay, rec, trace_position(reader));
		if (ret)
			break;
		c->out->records++;
	}
	return ret;
}

static void free_notes(struct conform *c)
{
	free(c->notes);
	free(c->by_time);
	free(c->cpus);
	free(c->idle);
	free(c->idle_after);
}

static int too_much(const char *path, int ret, struct trace_error *err)
{
	if (err) {
		snprintf(err->place, sizeof(err->place), "%s", path);
		snprintf(err->text, sizeof(err->text), "%s", ret == -EFBIG ?
			 "too many records to keep, 1 GiB of them is the most" : "out of memory");
	}
	return ret;
}

int trace_conform_reader(struct trace_reader *reader, const struct sched_variant *variant,
			 struct trace_conformed *out, struct trace_error *err)
{
	const struct trace_head *head = trace_head(reader);
	struct conform c = { .out = out, .nr_cpus = head->nr_cpus,
			     .words = (head->nr_cpus + 63) / 64,
			     .has_x = trace_has(head, TRACE_COL_X_NSW),
			     .has_scan_cost = trace_has(head, TRACE_COL_X_SCAN_COST) };
	struct trace_replay *replay;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = trace_replay_create(head, variant, &replay, err);
	if (ret)
		return ret;
	out->variant = replay->variant;
	snprintf(out->load, sizeof(out->load), "%s", head->load);
	snprintf(out->release, sizeof(out->release), "%s", head->release);
	c.topo = replay->topo;
	c.has_scan_cost &= replay->variant.rules.sis_prop || replay->variant.rules.sis_avg_cpu;
	ret = read_all(&c, reader, replay, err);
	if (!ret)
		ret = judge(&c, replay);
	free_notes(&c);
	trace_replay_free(replay);
	return ret == -ENOMEM || ret == -EFBIG ? too_much(head->path, ret, err) : ret;
}

int trace_conform(const char *path, const struct sched_variant *variant,
		  struct trace_conformed *out, struct trace_error *err)
{
	struct trace_reader *reader;
	int ret = trace_open(path, &reader, err);

	if (ret)
		return ret;
	ret = trace_conform_reader(reader, variant, out, err);
	trace_close(reader);
	return ret;
}
