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

/* Time and slot are one number, so that comparing is one instruction. */
#define SIM_SLOT_BITS	20
#define SIM_TIME_MAX	((1ull << (64 - SIM_SLOT_BITS)) - 1)	/* ns: 4.8 hours */
#define SIM_NO_SLOT	UINT32_MAX

/* A heap of 8 children a node, a cache line, with the place of each slot in it. */
struct sim_events {
	uint32_t nr, nr_slots;
	uint32_t firing;		/* slot whose event is handled now, or SIM_NO_SLOT */
	uint64_t *heap;			/* time << SIM_SLOT_BITS | slot; heap[0] is the next */
	uint32_t *place;		/* by slot: index in heap, or UINT32_MAX */
	void *memory;
};

/* 0, -E2BIG: more slots than fit in a key, or -ENOMEM. */
int sim_events_create(struct sim_events *e, uint32_t nr_slots);
void sim_events_free(struct sim_events *e);

/* (Re)schedules the slot's event; beyond SIM_TIME_MAX it never comes. */
void sim_events_set(struct sim_events *e, uint32_t slot, uint64_t time);
void sim_events_cancel(struct sim_events *e, uint32_t slot);

static inline uint64_t sim_event_time(uint64_t key)
{
	return key >> SIM_SLOT_BITS;
}

static inline uint32_t sim_event_slot(uint64_t key)
{
	return (uint32_t)(key & ((1u << SIM_SLOT_BITS) - 1));
}

/*
 * The handling of the next event. It stays in the heap until its slot gets a new one or
 * sim_events_end(): most handlers set their slot's next event, which then is one move.
 */
static inline uint32_t sim_events_begin(struct sim_events *e)
{
	e->firing = sim_event_slot(e->heap[0]);
	return e->firing;
}

static inline void sim_events_end(struct sim_events *e)
{
	if (e->firing != SIM_NO_SLOT)
		sim_events_cancel(e, e->firing);
}

/* When the next event is, or the slot's; SIM_NEVER where there is none. */
static inline uint64_t sim_events_next(const struct sim_events *e)
{
	return e->nr ? sim_event_time(e->heap[0]) : SIM_NEVER;
}

static inline uint64_t sim_events_time(const struct sim_events *e, uint32_t slot)
{
	return e->place[slot] == UINT32_MAX || slot == e->firing ?
		SIM_NEVER : sim_event_time(e->heap[e->place[slot]]);
}

#endif
