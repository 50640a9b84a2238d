// SPDX-License-Identifier: GPL-2.0-only
/* What channels hold and when their writers are woken, as the kernel does it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>
#include "workload/channel.h"

#define RING	65536

static uint32_t ring[RING], head, tail;

static const struct work_channel pipe_channel = { .kind = WORK_PIPE, .capacity = 65536,
						  .page = 4096 };
static const struct work_channel unix_channel = { .kind = WORK_UNIX, .wakes_all = 1,
						  .capacity = 212992, .overhead = WORK_SKB,
						  .wake_writers = 159744 };

/* 0: no room */
static uint32_t give(const struct work_channel *ch, struct work_room *room, uint32_t bytes)
{
	if (!work_room_fits(ch, room, bytes))
		return 0;
	ring[tail++ % RING] = work_room_put(ch, room, bytes);
	return 1;
}

static uint32_t get(const struct work_channel *ch, struct work_room *room)
{
	uint32_t entry = ring[head++ % RING];

	return work_room_take(ch, room, entry, room->nr > 1 ? ring[head % RING] : 0);
}

static uint32_t fill(const struct work_channel *ch, struct work_room *room, uint32_t bytes)
{
	uint32_t nr = 0;

	while (give(ch, room, bytes))
		nr++;
	return nr;
}

static void pages(void **state)
{
	struct work_room room = { 0 };

	(void)state;
	assert_int_equal(fill(&pipe_channel, &room, 100), 640);
	assert_int_equal(room.used, 16);
	/* no writer before a page's 40 messages are read */
	for (int i = 0; i < 39; i++)
		assert_false(get(&pipe_channel, &room));
	assert_false(work_room_left(&pipe_channel, &room));
	assert_true(get(&pipe_channel, &room));
	assert_true(work_room_left(&pipe_channel, &room));
	/* not full any more: the next page wakes nobody */
	for (int i = 0; i < 40; i++)
		assert_false(get(&pipe_channel, &room));
	assert_int_equal(room.used, 14);
	assert_int_equal(fill(&pipe_channel, &room, 100), 80);
	while (room.nr > 1)
		get(&pipe_channel, &room);
	assert_int_equal(room.used, 1);
	/* an empty pipe begins a new page */
	get(&pipe_channel, &room);
	assert_int_equal(room.used, 0);
	assert_int_equal(fill(&pipe_channel, &room, 1), 65536);
}

static void pages_of_large_messages(void **state)
{
	struct work_room room = { 0 };

	(void)state;
	head = tail = 0;
	assert_int_equal(fill(&pipe_channel, &room, 4096), 16);
	assert_true(get(&pipe_channel, &room));
	while (room.nr)
		get(&pipe_channel, &room);
	/* three pages each: a fourth writer waits though one page is free */
	assert_int_equal(fill(&pipe_channel, &room, 12288), 5);
	assert_int_equal(room.used, 15);
	assert_true(get(&pipe_channel, &room));
	assert_int_equal(room.used, 12);
	while (room.nr)
		get(&pipe_channel, &room);
	/* more than the pipe holds passes when it is alone */
	assert_true(give(&pipe_channel, &room, 100000));
	assert_false(give(&pipe_channel, &room, 1));
	assert_true(get(&pipe_channel, &room));
	assert_int_equal(room.used, 0);
	/* 4196 bytes: 100 join the first one's page, the rest begins one */
	assert_true(give(&pipe_channel, &room, 100));
	assert_true(give(&pipe_channel, &room, 4196));
	assert_int_equal(room.used, 2);
	get(&pipe_channel, &room);
	assert_int_equal(room.used, 2);
	get(&pipe_channel, &room);
	assert_int_equal(room.used, 0);
}

/* Each page counted by itself. */
struct naive {
	uint32_t users[64], fill[64], first, last, nr, messages;
	uint8_t pages[RING], joined[RING];
};

static void naive_put(struct naive *n, uint32_t bytes)
{
	uint32_t rest = bytes % 4096, whole = bytes / 4096, slot = n->messages++ % RING;

	n->joined[slot] = rest && n->nr && n->fill[(n->last - 1) % 64] + rest <= 4096;
	n->pages[slot] = (uint8_t)(whole + (rest && !n->joined[slot]));
	if (n->joined[slot]) {
		n->users[(n->last - 1) % 64]++;
		n->fill[(n->last - 1) % 64] += rest;
	}
	for (uint32_t i = 0; i < n->pages[slot]; i++) {
		n->users[n->last % 64] = 1;
		n->fill[n->last % 64] = i + 1 == n->pages[slot] && rest && !n->joined[slot] ? rest :
											    4096;
		n->last++;
		n->nr++;
	}
}

static void naive_take(struct naive *n, uint32_t message)
{
	uint32_t left = n->pages[message % RING] + n->joined[message % RING];
	uint32_t page = n->first;

	for (; left; page++, left--)
		n->users[page % 64]--;
	while (n->nr && !n->users[n->first % 64]) {
		n->first++;
		n->nr--;
	}
}

static void pages_one_by_one(void **state)
{
	struct work_room room = { 0 };
	struct naive *n = calloc(1, sizeof(*n));
	uint64_t seed = 1;

	(void)state;
	head = tail = 0;
	for (uint32_t i = 0; i < 1000000; i++) {
		uint32_t bytes, kind;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		kind = (uint32_t)(seed >> 60);
		bytes = 1 + (uint32_t)(seed >> 33) % (kind < 8 ? 200 : kind < 12 ? 5000 : 20000);
		if ((seed >> 40) % 16 > 7 + (i / 1000) % 2 && give(&pipe_channel, &room, bytes))
			naive_put(n, bytes);
		else if (room.nr && (get(&pipe_channel, &room), 1))
			naive_take(n, head - 1);
		assert_int_equal(room.used, n->nr);
		assert_true(room.used <= 16 || room.nr == 1);
	}
	assert_true(head > 100000);
	free(n);
}

static void sockets(void **state)
{
	struct work_room room = { 0 };

	(void)state;
	head = tail = 0;
	assert_int_equal(work_skb_size(1), 768);
	assert_int_equal(work_skb_size(100), 768);
	assert_int_equal(work_skb_size(192), 768);
	assert_int_equal(work_skb_size(193), 1280);
	assert_int_equal(work_skb_size(3776), 256 + 4096);
	assert_int_equal(work_skb_size(3777), 256 + 4096 + 4096);
	assert_int_equal(work_skb_size(20000), 256 + 4096 + 4 * 4096);
	assert_int_equal(fill(&unix_channel, &room, 100), 278);
	/* down to a quarter: 69 messages are 52992 of 53248 bytes */
	while (room.nr > 70)
		assert_false(get(&unix_channel, &room));
	assert_true(get(&unix_channel, &room));
	assert_int_equal(room.nr, 69);
	assert_true(get(&unix_channel, &room));
	assert_false(work_room_left(&unix_channel, &room));
	while (room.nr)
		get(&unix_channel, &room);
	assert_int_equal(room.used, 0);
	assert_true(give(&unix_channel, &room, 1000000));
	assert_false(give(&unix_channel, &room, 1));
	assert_true(get(&unix_channel, &room));
}

static void overheads(void **state)
{
	struct work_channel ch = { .kind = WORK_TCP, .capacity = 1000, .overhead = 150,
				   .wake_writers = 500 };
	struct work_room room = { 0 };

	(void)state;
	head = tail = 0;
	assert_int_equal(fill(&ch, &room, 50), 5);
	assert_int_equal(room.used, 1000);
	assert_false(get(&ch, &room));
	assert_false(get(&ch, &room));
	assert_true(get(&ch, &room));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(pages_of_large_messages),
		cmocka_unit_test(pages_one_by_one),
		cmocka_unit_test(sockets),
		cmocka_unit_test(overheads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
