/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event queue: each entity that can have one pending event owns a slot, so nothing
 * is allocated, and moving an event is an update in place. Simultaneous events come in
 * the order of their slots; that order is part of the model (see enum sim_slot).
 */
#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include <stdint.h>

#define SIM_NEVER	UINT64_MAX

struct sim_event {
	uint64_t time;
	uint32_t slot;
	uint32_t pad;
};

/* A 4-ary heap with the place of each slot in it. */
struct sim_events {
	uint32_t nr, nr_slots;
	struct sim_event *heap;		/* heap[0] is the next */
	uint32_t *place;		/* by slot: index in heap, or UINT32_MAX */
};

int sim_events_create(struct sim_events *e, uint32_t nr_slots);
void sim_events_free(struct sim_events *e);

/* (Re)schedules the slot's event. */
void sim_events_set(struct sim_events *e, uint32_t slot, uint64_t time);
void sim_events_cancel(struct sim_events *e, uint32_t slot);

static inline uint64_t sim_events_time(const struct sim_events *e, uint32_t slot)
{
	return e->place[slot] == UINT32_MAX ? SIM_NEVER : e->heap[e->place[slot]].time;
}

#endif
