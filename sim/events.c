// SPDX-License-Identifier: GPL-2.0-only
#include "sim/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ABSENT		UINT32_MAX
#define CHILDREN	8

int sim_events_create(struct sim_events *e, uint32_t nr_slots)
{
	*e = (struct sim_events){ .nr_slots = nr_slots, .firing = SIM_NO_SLOT };
	if (nr_slots >> SIM_SLOT_BITS)
		return -E2BIG;
	e->place = malloc(nr_slots * sizeof(*e->place));
	if (!e->place ||
	    posix_memalign(&e->memory, 64, (nr_slots + 2ul * CHILDREN) * sizeof(*e->heap))) {
		sim_events_free(e);
		return -ENOMEM;
	}
	/* The children of i are 8 i + 1 ...: from here on a line each. */
	e->heap = (uint64_t *)e->memory + CHILDREN - 1;
	memset(e->place, 0xff, nr_slots * sizeof(*e->place));
	return 0;
}

void sim_events_free(struct sim_events *e)
{
	free(e->memory);
	free(e->place);
	*e = (struct sim_events){ 0 };
}

static inline void put(struct sim_events *e, uint32_t i, uint64_t key)
{
	e->heap[i] = key;
	e->place[sim_event_slot(key)] = i;
}

static void sift_up(struct sim_events *e, uint32_t i, uint64_t key)
{
	while (i) {
		uint32_t parent = (i - 1) / CHILDREN;

		if (key > e->heap[parent])
			break;
		put(e, i, e->heap[parent]);
		i = parent;
	}
	put(e, i, key);
}

static inline uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Without branches: which child is the least is anybody's guess. */
static inline uint64_t least_of_all(const uint64_t *k)
{
	return less(less(less(k[0], k[1]), less(k[2], k[3])),
		    less(less(k[4], k[5]), less(k[6], k[7])));
}

static inline uint64_t least_of(const uint64_t *keys, uint32_t nr)
{
	uint64_t least = keys[0];

	for (uint32_t i = 1; i < nr; i++)
		least = less(least, keys[i]);
	return least;
}

static void sift_down(struct sim_events *e, uint32_t i, uint64_t key)
{
	for (;;) {
		uint32_t first = CHILDREN * i + 1, child;
		uint64_t least;

		if (first >= e->nr)
			break;
		least = first + CHILDREN <= e->nr ? least_of_all(&e->heap[first]) :
						    least_of(&e->heap[first], e->nr - first);
		if (least > key)
			break;
		child = e->place[sim_event_slot(least)];
		put(e, i, least);
		i = child;
	}
	put(e, i, key);
}

static void settle(struct sim_events *e, uint32_t i, uint64_t key)
{
	if (i && key < e->heap[(i - 1) / CHILDREN])
		sift_up(e, i, key);
	else
		sift_down(e, i, key);
}

void sim_events_set(struct sim_events *e, uint32_t slot, uint64_t time)
{
	uint64_t key = time << SIM_SLOT_BITS | slot;
	uint32_t i = e->place[slot];

	if (time > SIM_TIME_MAX) {
		sim_events_cancel(e, slot);
		return;
	}
	if (slot == e->firing)
		e->firing = SIM_NO_SLOT;
	if (i == ABSENT)
		sift_up(e, e->nr++, key);
	else if (e->heap[i] != key)
		settle(e, i, key);
}

void sim_events_cancel(struct sim_events *e, uint32_t slot)
{
	uint32_t i = e->place[slot];

	if (slot == e->firing)
		e->firing = SIM_NO_SLOT;
	if (i == ABSENT)
		return;
	e->place[slot] = ABSENT;
	e->nr--;
	if (i < e->nr)
		settle(e, i, e->heap[e->nr]);
}
