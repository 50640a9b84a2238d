// SPDX-License-Identifier: GPL-2.0-only
#include "sim/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ABSENT	UINT32_MAX

int sim_events_create(struct sim_events *e, uint32_t nr_slots)
{
	*e = (struct sim_events){ .nr_slots = nr_slots };
	e->heap = calloc(nr_slots, sizeof(*e->heap));
	e->place = malloc(nr_slots * sizeof(*e->place));
	if (!e->heap || !e->place) {
		sim_events_free(e);
		return -ENOMEM;
	}
	memset(e->place, 0xff, nr_slots * sizeof(*e->place));
	return 0;
}

void sim_events_free(struct sim_events *e)
{
	free(e->heap);
	free(e->place);
	*e = (struct sim_events){ 0 };
}

static inline int before(const struct sim_event *a, const struct sim_event *b)
{
	return a->time < b->time || (a->time == b->time && a->slot < b->slot);
}

static inline void put(struct sim_events *e, uint32_t i, struct sim_event event)
{
	e->heap[i] = event;
	e->place[event.slot] = i;
}

static void sift_up(struct sim_events *e, uint32_t i, struct sim_event event)
{
	while (i) {
		uint32_t parent = (i - 1) / 4;

		if (!before(&event, &e->heap[parent]))
			break;
		put(e, i, e->heap[parent]);
		i = parent;
	}
	put(e, i, event);
}

static uint32_t least_child(const struct sim_events *e, uint32_t first)
{
	uint32_t last = first + 4 < e->nr ? first + 4 : e->nr, least = first;

	for (uint32_t i = first + 1; i < last; i++) {
		if (before(&e->heap[i], &e->heap[least]))
			least = i;
	}
	return least;
}

static void sift_down(struct sim_events *e, uint32_t i, struct sim_event event)
{
	for (;;) {
		uint32_t child = 4 * i + 1;

		if (child >= e->nr)
			break;
		child = least_child(e, child);
		if (!before(&e->heap[child], &event))
			break;
		put(e, i, e->heap[child]);
		i = child;
	}
	put(e, i, event);
}

static void settle(struct sim_events *e, uint32_t i, struct sim_event event)
{
	if (i && before(&event, &e->heap[(i - 1) / 4]))
		sift_up(e, i, event);
	else
		sift_down(e, i, event);
}

void sim_events_set(struct sim_events *e, uint32_t slot, uint64_t time)
{
	struct sim_event event = { .time = time, .slot = slot };
	uint32_t i = e->place[slot];

	if (i == ABSENT)
		sift_up(e, e->nr++, event);
	else if (e->heap[i].time != time)
		settle(e, i, event);
}

void sim_events_cancel(struct sim_events *e, uint32_t slot)
{
	uint32_t i = e->place[slot];

	if (i == ABSENT)
		return;
	e->place[slot] = ABSENT;
	e->nr--;
	if (i < e->nr)
		settle(e, i, e->heap[e->nr]);
}
