/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a channel holds, and when its writers are woken. Whoever executes WORK_SEND and
 * WORK_RECV keeps a work_room and a ring of entries beside each channel.
 *
 * Pipes (fs/pipe.c): a message joins the last page if all of what exceeds whole pages
 * fits in there, else it begins pages of its own; a page is free again when its last
 * message has been read. Writers sleep while all pages are in use, and only the read that
 * frees a page of a full pipe wakes one of them, who wakes the next if pages are left.
 * Sockets (net/unix/af_unix.c, net/core/sock.c, net/core/stream.c): messages are charged
 * with their sk_buffs; a sender goes on while what is charged is less than the capacity,
 * even if its message then exceeds it, and waits until much of it is free again.
 */
#ifndef WORKLOAD_CHANNEL_H
#define WORKLOAD_CHANNEL_H

#include "workload/workload.h"

struct work_room {
	uint32_t nr;		/* messages in the channel */
	uint32_t used;		/* pages in use, or bytes charged */
	uint32_t last;		/* bytes in the last page */
	uint32_t waits;		/* a writer found no room since a reader last freed some */
};

/* A ring's entry: the payload, and whether it shares the page of the one before it. */
#define WORK_JOINED	(1u << 31)

static inline uint32_t work_entry_bytes(uint32_t entry)
{
	return entry & ~WORK_JOINED;
}

/*
 * truesize of an sk_buff with a payload: 256 for itself, its linear part of at most
 * SKB_MAX_HEAD(0) = 3776 with skb_shared_info's 320 bytes from kmalloc()'s powers of two,
 * the rest in pages (unix_stream_sendmsg() and __alloc_skb(), v5.17).
 */
static inline uint32_t work_skb_size(uint32_t bytes)
{
	uint32_t head = bytes < 3776 ? bytes : 3776;
	uint32_t slab = (head + 63) / 64 * 64 + 320;

	slab = slab <= 512 ? 512 : 1u << (32 - __builtin_clz(slab - 1));
	return 256 + slab + (bytes - head + 4095) / 4096 * 4096;
}

static inline uint32_t work_charge(const struct work_channel *ch, uint32_t bytes)
{
	return ch->overhead == WORK_SKB ? work_skb_size(bytes) : bytes + ch->overhead;
}

static inline uint32_t work_joins(const struct work_channel *ch, const struct work_room *room,
				  uint32_t bytes)
{
	uint32_t rest = bytes % ch->page;

	return rest && room->nr && room->last + rest <= ch->page;
}

/* Pages that a message of these bytes begins. */
static inline uint32_t work_pages(const struct work_channel *ch, uint32_t bytes, uint32_t joined)
{
	return bytes / ch->page + (bytes % ch->page && !joined);
}

/* Does a message fit in? Any does where there is none. If not, its writer has to sleep. */
static inline uint32_t work_room_fits(const struct work_channel *ch, struct work_room *room,
				      uint32_t bytes)
{
	uint32_t pages;

	if (!room->nr)
		return 1;
	if (!ch->page)
		return room->used < ch->capacity;
	pages = work_pages(ch, bytes, work_joins(ch, room, bytes));
	if (room->used + pages <= ch->capacity / ch->page)
		return 1;
	room->waits = 1;
	return 0;
}

/* Puts in a message; returns its entry for the ring. */
static inline uint32_t work_room_put(const struct work_channel *ch, struct work_room *room,
				     uint32_t bytes)
{
	uint32_t joined, pages;

	if (!ch->page) {
		room->nr++;
		room->used += work_charge(ch, bytes);
		return bytes;
	}
	joined = work_joins(ch, room, bytes);
	pages = work_pages(ch, bytes, joined);
	if (pages)
		room->last = joined || !(bytes % ch->page) ? ch->page : bytes % ch->page;
	else
		room->last += bytes;
	room->nr++;
	room->used += pages;
	return joined ? bytes | WORK_JOINED : bytes;
}

/*
 * Takes out the oldest: its entry, and that of the one behind it (0 if there is none).
 * Returns 1 if writers are to be woken, should any sleep.
 */
static inline uint32_t work_room_take(const struct work_channel *ch, struct work_room *room,
				      uint32_t entry, uint32_t next)
{
	uint32_t bytes = work_entry_bytes(entry), joined = entry & WORK_JOINED;
	uint32_t freed, was_full;

	room->nr--;
	if (!ch->page) {
		room->used -= work_charge(ch, bytes);
		return !room->nr ||
		       (uint64_t)room->used + ch->wake_writers <= ch->capacity;
	}
	was_full = room->used >= ch->capacity / ch->page;
	freed = work_pages(ch, bytes, joined);
	if (joined)
		freed++;	/* the page that it shared was left to it */
	if (room->nr && next & WORK_JOINED)
		freed--;	/* and its last one is left to the next */
	room->used -= freed;
	if (!freed || !(was_full || room->waits))
		return 0;
	room->waits = 0;
	return 1;
}

/* Does a writer that had slept, its message put in, wake the next? */
static inline uint32_t work_room_left(const struct work_channel *ch, const struct work_room *room)
{
	return ch->page && room->used < ch->capacity / ch->page;
}

#endif
