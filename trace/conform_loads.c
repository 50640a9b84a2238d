// SPDX-License-Identifier: GPL-2.0-only
/*
 * load_avg of a task from one wake-up to the next. A record shows a wakee's average as
 * it was when it went to sleep. It then decayed until it was queued, and rose until it
 * slept again (update_load_avg() at both moments). When these moments were is bounded by
 * calls: a task that makes one runs, and its run queue's clock is read again before it
 * sleeps; it sleeps before a record shows its CPU idle, and before it is woken.
 *
 * That another record shows it as current says less: a virtual CPU that didn't run
 * for a while may have read the clock for its dequeue long ago. For the same reason no
 * call may have taken long meanwhile. A task that moves at its wake-up decays by its
 * old CPU's clock and isn't judged.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/pelt.h"
#include "trace/conform_private.h"

#define PERIOD	(1024ull * SCHED_PELT_PERIOD)	/* ns */

struct span {
	uint64_t from, to;
};

/* A task since it was woken last. */
struct phase {
	uint64_t key, run;
	uint64_t load, weight;
	uint32_t cpu;
	struct span queued;		/* when it was, ns; .to: UINT64_MAX, not seen yet */
	struct span slept;		/* when it did; .from: its last call, .to: as above */
	struct span slept_before;	/* .to: UINT64_MAX, unknown */
	bool moved, calm;
	bool unselected;		/* it was woken again, without a call */
	bool migrated;			/* by that wake-up */
	size_t next;			/* of its CPU's list, SIZE_MAX: the last */
};

struct phases {
	struct phase *all;
	size_t nr, max;
	size_t *slots;			/* by key, open addressing: index + 1 */
	size_t nr_slots;
	size_t *on_cpu;			/* first of those that ran there and may sleep */
	uint64_t long_call;		/* when the last one ended */
};

static size_t slot_of(const struct phases *p, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ull >> 32) & (p->nr_slots - 1);

	while (p->slots[i] && p->all[p->slots[i] - 1].key != key)
		i = (i + 1) & (p->nr_slots - 1);
	return i;
}

static struct phase *find(const struct phases *p, uint64_t key)
{
	size_t slot = p->slots[slot_of(p, key)];

	return slot ? &p->all[slot - 1] : NULL;
}

static int make_room(struct phases *p)
{
	size_t nr_slots = p->nr_slots ? 2 * p->nr_slots : 256;
	struct phase *all;
	size_t *slots;

	if (p->nr_slots && 2 * p->nr < p->nr_slots)
		return 0;
	all = reallocarray(p->all, nr_slots, sizeof(*all));
	if (!all)
		return -ENOMEM;
	p->all = all;
	slots = calloc(nr_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(p->slots);
	p->slots = slots;
	p->nr_slots = nr_slots;
	for (size_t i = 0; i < p->nr; i++)
		p->slots[slot_of(p, p->all[i].key)] = i + 1;
	return 0;
}

static void leave_cpu(struct phases *p, struct phase *phase)
{
	size_t i = (size_t)(phase - p->all), *link = &p->on_cpu[phase->cpu];

	while (*link != SIZE_MAX && *link != i)
		link = &p->all[*link].next;
	if (*link == i)
		*link = phase->next;
}

/* The task makes a call. */
static void see_running(struct phases *p, struct phase *phase, const struct conform_note *note)
{
	if (note->waker_cpu != phase->cpu)
		phase->moved = true;
	if (phase->slept.to != UINT64_MAX || !note->calm)
		phase->unselected = true;
	if (phase->queued.to == UINT64_MAX) {
		phase->queued.to = note->t_out;
		phase->next = p->on_cpu[phase->cpu];
		p->on_cpu[phase->cpu] = (size_t)(phase - p->all);
	}
	phase->slept.from = note->t_in;
}

/* Nothing is queued on a CPU: those that ran there sleep. */
static void see_idle(struct phases *p, uint32_t cpu, const struct conform_note *note)
{
	size_t i = p->on_cpu[cpu];

	p->on_cpu[cpu] = SIZE_MAX;
	for (; i != SIZE_MAX; i = p->all[i].next)
		p->all[i].slept.to = note->t_out;
}

static void see_cpus(const struct conform *c, struct phases *p, const struct conform_note *note)
{
	const struct conform_cpu *cpus = conform_cpus(c, note);

	for (uint32_t cpu = 0; cpu < c->nr_cpus; cpu++) {
		struct phase *phase;

		if (cpus[cpu].queue.nr)
			continue;
		if (cpus[cpu].curr_idle) {
			see_idle(p, cpu, note);
			continue;
		}
		/* It is being switched away from: who wakes it now doesn't select. */
		phase = find(p, conform_key(cpus[cpu].curr, cpu));
		if (phase && phase->cpu == cpu)
			phase->unselected = true;
	}
}

/* load_avg of a task that had load, then slept and then was queued, ns each. */
static uint64_t predict(uint64_t load_sum, uint64_t weight, uint64_t asleep, uint64_t queued)
{
	struct sched_avg avg = { .load_sum = load_sum };

	sched_pelt_sum(&avg, asleep, 0, 0, 0);
	sched_pelt_sum(&avg, asleep + queued, 1, SCHED_PELT_PERIOD, 0);
	sched_pelt_avg(&avg, weight, 1);
	return avg.load_avg;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* load = weight * load_sum / divider, rounded down: the least such sum. */
static uint64_t sum_of(uint64_t load, uint64_t weight)
{
	return (load * SCHED_PELT_MIN_DIVIDER + weight - 1) / weight;
}

static void judge_load(struct conform *c, const struct phase *phase,
		       const struct conform_note *note)
{
	struct span asleep = {
		less(phase->queued.from, phase->slept_before.to),
		less(phase->queued.to, phase->slept_before.from),
	};
	uint64_t last = phase->slept.to != UINT64_MAX ? phase->slept.to : note->t_in;
	struct span queued = {
		less(phase->slept.from, phase->queued.to),
		less(last, phase->queued.from),
	};
	uint64_t weight = phase->weight, found = note->wakee.load_avg, least, most;

	if (asleep.to - asleep.from > PERIOD || queued.to - queued.from > PERIOD) {
		conform_unjudged(c, TRACE_IMPLIES_LOAD, TRACE_UNJUDGED_WIDE);
		return;
	}
	least = predict(sum_of(phase->load, weight), weight, asleep.to + PERIOD,
			less(queued.from, PERIOD));
	most = predict(sum_of(phase->load + 1, weight), weight, less(asleep.from, PERIOD),
		       queued.to + PERIOD);
	conform_judge(c, TRACE_IMPLIES_LOAD, note,
		      found < least ? least : found > most ? most : found, found,
		      phase->load < least || phase->load > most);
}

/* Is it known when the task slept at the end of this phase? */
static bool is_whole(const struct phase *phase, const struct conform_note *note)
{
	return phase->queued.to != UINT64_MAX && !phase->moved && !phase->unselected &&
	       note->wakee.cpu == phase->cpu && note->prev_cpu == phase->cpu;
}

static void judge_phase(struct conform *c, const struct phases *p, const struct phase *phase,
			const struct conform_note *note)
{
	enum trace_unjudged why = TRACE_UNJUDGED_FIRST;

	if (phase->run != note->run)
		why = TRACE_UNJUDGED_GAP;
	else if (phase->queued.to == UINT64_MAX)
		why = TRACE_UNJUDGED_UNSEEN;
	else if (phase->unselected)
		why = TRACE_UNJUDGED_UNSELECTED;
	else if (!is_whole(phase, note) || phase->migrated || !note->wakee.weight ||
		 note->wakee.weight != phase->weight)
		why = TRACE_UNJUDGED_MOVED;
	else if (phase->slept_before.to == UINT64_MAX)
		why = TRACE_UNJUDGED_FIRST;
	else if (!phase->calm || !note->calm || p->long_call >= phase->slept_before.from)
		why = TRACE_UNJUDGED_DISTURBED;
	else {
		judge_load(c, phase, note);
		return;
	}
	conform_unjudged(c, TRACE_IMPLIES_LOAD, why);
}

/* The task is woken: a phase ends, another begins. */
static int wake(struct conform *c, struct phases *p, const struct conform_note *note)
{
	struct phase *phase = find(p, note->wakee.key);
	struct span slept = { 0, UINT64_MAX };

	if (phase) {
		judge_phase(c, p, phase, note);
		leave_cpu(p, phase);
		if (phase->run == note->run && is_whole(phase, note)) {
			slept.from = phase->slept.from;
			slept.to = phase->slept.to != UINT64_MAX ? phase->slept.to : note->t_in;
		}
	} else {
		conform_unjudged(c, TRACE_IMPLIES_LOAD, TRACE_UNJUDGED_FIRST);
		if (make_room(p))
			return -ENOMEM;
		phase = &p->all[p->nr];
		phase->key = note->wakee.key;
		p->slots[slot_of(p, note->wakee.key)] = ++p->nr;
	}
	*phase = (struct phase){
		.key = note->wakee.key, .run = note->run, .load = note->wakee.load_avg,
		.weight = note->wakee.weight, .cpu = note->ret,
		.queued = { note->t_out, UINT64_MAX }, .slept = { 0, UINT64_MAX },
		.slept_before = slept, .calm = note->calm,
		.migrated = note->ret != note->wakee.cpu, .next = SIZE_MAX,
	};
	return 0;
}

static int follow(struct conform *c, struct phases *p)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct conform_note *note = c->by_time[i];
		struct phase *waker = find(p, note->waker.key);

		if (!note->calm && note->t_out > p->long_call)
			p->long_call = note->t_out;
		if (waker)
			see_running(p, waker, note);
		if (note->calm)
			see_cpus(c, p, note);
		if (note->wakeup && wake(c, p, note))
			return -ENOMEM;
	}
	return 0;
}

int conform_loads(struct conform *c)
{
	struct phases p = { 0 };
	int ret = make_room(&p);

	p.on_cpu = calloc(c->nr_cpus, sizeof(*p.on_cpu));
	if (!p.on_cpu)
		ret = -ENOMEM;
	for (uint32_t cpu = 0; cpu < c->nr_cpus && !ret; cpu++)
		p.on_cpu[cpu] = SIZE_MAX;
	if (!ret)
		ret = follow(c, &p);
	free(p.all);
	free(p.slots);
	free(p.on_cpu);
	return ret;
}
