// SPDX-License-Identifier: GPL-2.0-only
/*
 * What only calls of select_task_rq_fair() write: of a task, and of a CPU.
 *
 * These pairs need no clock. A task makes its calls one after the other and can't be
 * woken before the call that woke it last is over, recorder and all, and a CPU makes
 * its calls with interrupts off. So between two numbers of calls that show a task there
 * is every call that wrote it, whatever other CPUs did, if no number is missing.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/conform_private.h"

#define NR_STATES	8	/* of a parent since its last fork */

struct chain {
	uint64_t key, run;
	struct wake_task state;		/* after the last record that showed it */
	struct wake_task seen;		/* in that record */
	bool known;			/* state is the kernel's */
	bool exiting;
	bool forked;			/* was[] goes back to its last fork */
	uint32_t nr_was;
	struct wake_task was[NR_STATES];
	uint64_t forks;			/* in the recording, when it was seen last */
};

struct chains {
	struct chain *slots;		/* open addressing; key 0 is free */
	size_t nr, max;			/* max: a power of 2 */
	uint64_t forks;
};

static size_t slot_of(const struct chains *chains, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ull >> 32) & (chains->max - 1);

	while (chains->slots[i].key && chains->slots[i].key != key)
		i = (i + 1) & (chains->max - 1);
	return i;
}

static int make_room(struct chains *chains)
{
	struct chains bigger = { .max = chains->max ? 2 * chains->max : 256 };

	if (2 * chains->nr < chains->max)
		return 0;
	bigger.slots = calloc(bigger.max, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < chains->max; i++) {
		if (chains->slots[i].key)
			bigger.slots[slot_of(&bigger, chains->slots[i].key)] = chains->slots[i];
	}
	free(chains->slots);
	chains->slots = bigger.slots;
	chains->max = bigger.max;
	return 0;
}

/* A recorded call in which sched_wake() may have gone another way than the kernel. */
static bool is_followed(const struct conform_note *note)
{
	return note->calm || !note->wakeup;
}

static bool same_flips(const struct wake_task *a, const struct wake_task *b)
{
	return a->wakee_flips == b->wakee_flips && a->wakee_flip_decay_ts == b->wakee_flip_decay_ts;
}

static bool same_history(const struct wake_task *a, const struct wake_task *b)
{
	return same_flips(a, b) && a->last_wakee == b->last_wakee;
}

/*
 * The recorder reads last_wakee's pid through the pointer that the kernel keeps. That
 * task may be gone, and its task_struct a new task's: then the pid changes by itself.
 */
static bool is_reused(const struct chains *chains, const struct chain *chain)
{
	const struct chain *last;

	if (!chain->state.last_wakee || chain->forks == chains->forks)
		return false;
	last = &chains->slots[slot_of(chains, chain->state.last_wakee)];
	return !last->key || last->exiting;
}

static void judge_task(struct conform *c, const struct chains *chains, const struct chain *chain,
		       const struct conform_note *note, const struct wake_task *found)
{
	const struct wake_task *state = &chain->state, *seen = &chain->seen;

	if (same_flips(state, found))
		conform_agrees(c, TRACE_IMPLIES_FLIPS, !same_flips(state, seen));
	else
		conform_differs(c, TRACE_IMPLIES_FLIPS, note, state->wakee_flips,
				found->wakee_flips);
	if (is_reused(chains, chain))
		conform_unjudged(c, TRACE_IMPLIES_LAST_WAKEE, TRACE_UNJUDGED_REUSED);
	else
		conform_judge(c, TRACE_IMPLIES_LAST_WAKEE, note, state->last_wakee,
			      found->last_wakee, state->last_wakee != seen->last_wakee);
	conform_judge(c, TRACE_IMPLIES_RECENT, note, state->recent_used_cpu,
		      found->recent_used_cpu, state->recent_used_cpu != seen->recent_used_cpu);
}

static void judge_or_not(struct conform *c, const struct chains *chains, const struct chain *chain,
			 const struct conform_note *note, const struct wake_task *found)
{
	enum trace_unjudged why = TRACE_UNJUDGED_DISTURBED;

	if (chain->key && chain->run == note->run && chain->known) {
		judge_task(c, chains, chain, note, found);
		return;
	}
	if (!chain->key)
		why = TRACE_UNJUDGED_FIRST;
	else if (chain->run != note->run)
		why = TRACE_UNJUDGED_GAP;
	conform_unjudged(c, TRACE_IMPLIES_FLIPS, why);
	conform_unjudged(c, TRACE_IMPLIES_LAST_WAKEE, why);
	conform_unjudged(c, TRACE_IMPLIES_RECENT, why);
}

/* The record shows the task: judges, and goes on from what it shows. */
static struct chain *see(struct conform *c, struct chains *chains, const struct conform_note *note,
			 const struct conform_task *task)
{
	struct chain *chain = &chains->slots[slot_of(chains, task->key)];

	judge_or_not(c, chains, chain, note, &task->before);
	if (!chain->key) {
		chain->key = task->key;
		chains->nr++;
	}
	if (chain->run != note->run)
		chain->forked = false;
	chain->run = note->run;
	chain->state = chain->seen = task->before;
	chain->known = true;
	chain->exiting |= task->exiting;
	chain->forks = chains->forks;
	return chain;
}

static void remember(struct chain *chain)
{
	if (chain->nr_was < NR_STATES)
		chain->was[chain->nr_was++] = chain->state;
	else
		chain->forked = false;
}

/* The call left the task as sched_wake() says. */
static void follow(struct chain *chain, const struct conform_note *note,
		   const struct conform_task *task)
{
	if (!note->wakeup)
		return;
	if (!same_history(&task->before, &task->after))
		remember(chain);
	chain->state = task->after;
	chain->known = is_followed(note);
}

/*
 * copy_process() copied the parent some time before this call, and after the parent's
 * last fork; it may have woken others between.
 */
static void judge_fork(struct conform *c, struct chain *parent, const struct conform_note *note)
{
	const struct wake_task *child = &note->wakee.before;
	struct sched_task from = { .wake = note->waker.before }, expected;
	bool found = false;

	sched_fork(&expected, &from, child->id, note->wakee.cpu);
	for (uint32_t i = 0; i < parent->nr_was && !found && parent->forked; i++)
		found = same_history(&parent->was[i], child);
	if (!found && !same_history(&expected.wake, child) && !parent->forked)
		conform_unjudged(c, TRACE_IMPLIES_FORK, TRACE_UNJUDGED_FIRST);
	else if (!found && !same_history(&expected.wake, child))
		conform_differs(c, TRACE_IMPLIES_FORK, note, expected.wake.wakee_flips,
				child->wakee_flips);
	else
		conform_judge(c, TRACE_IMPLIES_FORK, note, expected.wake.recent_used_cpu,
			      child->recent_used_cpu, found);
	parent->forked = true;
	parent->nr_was = 0;
}

static int judge_call(struct conform *c, struct chains *chains, const struct conform_note *note)
{
	struct chain *waker, *wakee;
	int ret = make_room(chains);

	if (ret)
		return ret;
	if (note->fork) {
		/* A pid that was another task's; it starts anew. */
		wakee = &chains->slots[slot_of(chains, note->wakee.key)];
		if (wakee->key)
			wakee->run = UINT64_MAX;
	}
	waker = see(c, chains, note, &note->waker);
	if (note->wakee.key == note->waker.key)
		return 0;	/* exec: nothing is written */
	wakee = see(c, chains, note, &note->wakee);
	if (note->fork) {
		judge_fork(c, waker, note);
		wakee->exiting = wakee->forked = false;
		wakee->nr_was = 0;
		chains->forks++;
	}
	follow(waker, note, &note->waker);
	follow(wakee, note, &note->wakee);
	return 0;
}

/* avg_scan_cost lies in the CPU's own object of its LLC domain. */
static int judge_scan_costs(struct conform *c)
{
	const struct conform_note **last = calloc(c->nr_cpus, sizeof(*last));

	if (!last)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++) {
		const struct conform_note *note = &c->notes[i], *before = last[note->waker_cpu];

		if (!before)
			conform_unjudged(c, TRACE_IMPLIES_SCAN_COST, TRACE_UNJUDGED_FIRST);
		else if (before->run != note->run)
			conform_unjudged(c, TRACE_IMPLIES_SCAN_COST, TRACE_UNJUDGED_GAP);
		else
			conform_judge(c, TRACE_IMPLIES_SCAN_COST, note, before->scan_cost_out,
				      note->scan_cost,
				      before->scan_cost_out != before->scan_cost);
		last[note->waker_cpu] = note;
	}
	free(last);
	return 0;
}

int conform_tasks(struct conform *c)
{
	struct chains chains = { 0 };
	int ret = 0;

	for (size_t i = 0; i < c->nr && !ret; i++)
		ret = judge_call(c, &chains, &c->notes[i]);
	free(chains.slots);
	if (!ret && c->has_scan_cost)
		ret = judge_scan_costs(c);
	return ret;
}
