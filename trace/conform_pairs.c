// SPDX-License-Identifier: GPL-2.0-only
/* What a wake-up left on the run queues, and has_idle_cores. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/conform_private.h"

/*
 * b is the next call after a, by the same task on the same CPU, which therefore
 * enqueued the wakee of a between them; no CPU switched. Else why not.
 */
static bool is_next(const struct conform *c, const struct conform_note *a,
		    const struct conform_note *b, enum trace_unjudged *why)
{
	if (!c->has_x)
		*why = TRACE_UNJUDGED_NOT_RECORDED;
	else if (a->run != b->run)
		*why = TRACE_UNJUDGED_GAP;
	else if (!a->wakeup)
		*why = TRACE_UNJUDGED_SLOW_PATH;
	else if (!a->allowed)
		*why = TRACE_UNJUDGED_FALLBACK;
	else if (!a->calm || !b->calm)
		*why = TRACE_UNJUDGED_DISTURBED;
	else if (b->t_in < a->t_out)
		*why = TRACE_UNJUDGED_OVERLAP;
	else if (a->waker.key != b->waker.key || a->waker_cpu != b->waker_cpu)
		*why = TRACE_UNJUDGED_OTHER_CALLER;
	else if (a->nsw_out != b->nsw)
		*why = TRACE_UNJUDGED_SWITCHED;
	else
		return true;
	return false;
}

enum queued { SAME, MORE, OTHER };

/*
 * Tasks join a queue without a switch, by wake-ups that skip selection; a CPU that
 * takes over what is pending for it enqueues one at least. None leaves.
 */
static enum queued compare_queue(const struct conform_queue *expected,
				 const struct conform_queue *found)
{
	uint32_t taken = expected->pending && !found->pending;

	if (expected->nr == found->nr && expected->pending == found->pending)
		return expected->nr_idle == found->nr_idle ? SAME : OTHER;
	return found->nr >= expected->nr + taken ? MORE : OTHER;
}

static void judge_queues(struct conform *c, const struct conform_note *a,
			 const struct conform_note *b)
{
	const struct conform_cpu *before = conform_cpus(c, a), *found = conform_cpus(c, b);
	const uint64_t *map = &c->idle_after[a->row * c->words];
	const uint64_t *idle = &c->idle[b->row * c->words];
	bool more = false;

	for (uint32_t cpu = 0; cpu < c->nr_cpus; cpu++) {
		const struct conform_queue *expected =
			cpu == a->ret ? &a->queued : &before[cpu].queue;
		enum queued queued = compare_queue(expected, &found[cpu].queue);

		if (queued == OTHER) {
			conform_differs(c, TRACE_IMPLIES_QUEUE, b, expected->nr,
					found[cpu].queue.nr);
			return;
		}
		more |= queued == MORE;
	}
	if (more) {
		conform_unjudged(c, TRACE_IMPLIES_QUEUE, TRACE_UNJUDGED_UNSELECTED);
		return;
	}
	for (size_t w = 0; w < c->words; w++) {
		if (map[w] != idle[w]) {
			conform_differs(c, TRACE_IMPLIES_QUEUE, b, map[w], idle[w]);
			return;
		}
	}
	conform_agrees(c, TRACE_IMPLIES_QUEUE, true);
}

/* The side of a that is the LLC, or TRACE_SIDES. */
static int side_of(const struct conform_note *a, uint16_t llc)
{
	if (a->llc[TRACE_W] == llc)
		return TRACE_W;
	return a->llc[TRACE_P] == llc ? TRACE_P : TRACE_SIDES;
}

/* Sides of a call, each LLC once, without those that have no hints. */
static bool is_side(const struct conform_note *note, int side)
{
	return note->llc[side] != SCHED_NO_SPAN &&
	       (side == TRACE_W || note->llc[TRACE_P] != note->llc[TRACE_W]);
}

/*
 * A CPU that picks its idle task sets the hint, and then counts the switch before it
 * changes its current task: between the two nothing is queued and a task is current.
 */
static bool is_switching(const struct conform *c, const struct conform_note *note, uint16_t llc)
{
	const struct conform_cpu *cpus = conform_cpus(c, note);

	for (uint32_t cpu = 0; cpu < c->nr_cpus; cpu++) {
		if (c->topo->cpus[cpu].llc == llc && !cpus[cpu].queue.nr &&
		    !cpus[cpu].curr_idle)
			return true;
	}
	return false;
}

static void judge_unset(struct conform *c, const struct conform_note *a,
			const struct conform_note *b)
{
	for (int side = 0; side < TRACE_SIDES; side++) {
		int from = side_of(a, b->llc[side]);

		if (!is_side(b, side) || from == TRACE_SIDES)
			continue;
		if (a->has_idle_after[from]) {
			/* A missing call may have cleared it; else judge_set() judges. */
			if (!c->out->complete)
				conform_unjudged(c, TRACE_IMPLIES_HAS_IDLE, TRACE_UNJUDGED_GAP);
			continue;
		}
		if (is_switching(c, b, b->llc[side]))
			conform_unjudged(c, TRACE_IMPLIES_HAS_IDLE, TRACE_UNJUDGED_SWITCHED);
		else
			conform_judge(c, TRACE_IMPLIES_HAS_IDLE, b, 0, b->has_idle[side],
				      a->has_idle[from]);
	}
}

void conform_pairs(struct conform *c)
{
	for (size_t i = 1; i < c->nr; i++) {
		const struct conform_note *a = &c->notes[i - 1], *b = &c->notes[i];
		enum trace_unjudged why;

		if (!is_next(c, a, b, &why)) {
			conform_unjudged(c, TRACE_IMPLIES_QUEUE, why);
			continue;
		}
		judge_queues(c, a, b);
		if (c->topo->smt_active)
			judge_unset(c, a, b);
	}
}

struct hint {
	const struct conform_note *note;	/* the last call that could write it, or NULL */
	enum trace_unjudged why;		/* NULL: why not */
	int side;
};

static void judge_set(struct conform *c, const struct hint *hint, const struct conform_note *b,
		      int side)
{
	const struct conform_note *a = hint->note;

	if (!a)
		conform_unjudged(c, TRACE_IMPLIES_HAS_IDLE, hint->why);
	else if (a->has_idle_after[hint->side])
		conform_judge(c, TRACE_IMPLIES_HAS_IDLE, b, 1, b->has_idle[side],
			      !a->has_idle[hint->side]);
	else if (!c->has_x)
		conform_unjudged(c, TRACE_IMPLIES_HAS_IDLE, TRACE_UNJUDGED_NOT_RECORDED);
}

/* One call, which no other overlaps; clears what is known if it may have been disturbed. */
static void judge_alone(struct conform *c, struct hint *hints, size_t nr,
			const struct conform_note *note)
{
	for (int side = 0; side < TRACE_SIDES; side++) {
		if (!is_side(note, side))
			continue;
		if (note->calm)
			judge_set(c, &hints[note->llc[side]], note, side);
		else
			conform_unjudged(c, TRACE_IMPLIES_HAS_IDLE, TRACE_UNJUDGED_DISTURBED);
	}
	for (size_t i = 0; i < nr && !note->calm; i++)
		hints[i] = (struct hint){ .why = TRACE_UNJUDGED_DISTURBED };
	for (int side = 0; side < TRACE_SIDES && note->calm; side++) {
		if (is_side(note, side))
			hints[note->llc[side]] = (struct hint){ .note = note, .side = side };
	}
}

/* Only calls clear the hint, and in a complete recording all of them are there. */
static void judge_complete(struct conform *c, struct hint *hints, size_t nr)
{
	uint64_t end = 0;

	for (size_t i = 0; i < nr; i++)
		hints[i].why = TRACE_UNJUDGED_FIRST;
	for (size_t i = 0; i < c->nr; i++) {
		const struct conform_note *note = c->by_time[i];
		bool alone = note->t_in >= end &&
			     (i + 1 == c->nr || c->by_time[i + 1]->t_in >= note->t_out);

		end = note->t_out > end ? note->t_out : end;
		if (alone) {
			judge_alone(c, hints, nr, note);
			continue;
		}
		for (size_t llc = 0; llc < nr; llc++)
			hints[llc] = (struct hint){ .why = TRACE_UNJUDGED_OVERLAP };
		for (int side = 0; side < TRACE_SIDES; side++) {
			if (is_side(note, side))
				conform_unjudged(c, TRACE_IMPLIES_HAS_IDLE, TRACE_UNJUDGED_OVERLAP);
		}
	}
}

int conform_hints(struct conform *c)
{
	size_t nr = 0;
	struct hint *hints;

	if (!c->topo->smt_active || !c->out->complete)
		return 0;
	for (size_t i = 0; i < c->nr; i++) {
		for (int side = 0; side < TRACE_SIDES; side++) {
			if (is_side(&c->notes[i], side) && c->notes[i].llc[side] >= nr)
				nr = c->notes[i].llc[side] + 1u;
		}
	}
	hints = calloc(nr + 1, sizeof(*hints));
	if (!hints)
		return -ENOMEM;
	judge_complete(c, hints, nr);
	free(hints);
	return 0;
}
