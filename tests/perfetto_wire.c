// SPDX-License-Identifier: GPL-2.0-only
/*
 * A Perfetto trace read by hand: protobuf's wire format, and the numbers of Perfetto's
 * own .proto files. Shares nothing with the writer.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/perfetto_dump.h"

/* What is left of a message; a field that was taken from it. */
struct wire {
	const uint8_t *at, *end;
};

struct field {
	uint32_t number, type;
	uint64_t value;		/* type 0 */
	struct wire bytes;	/* type 2 */
};

static uint64_t varint(struct wire *w)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		assert_true(w->at < w->end);
		value |= (uint64_t)(*w->at & 0x7f) << shift;
		if (!(*w->at++ & 0x80))
			return value;
	}
	fail();
	return 0;
}

static bool next(struct wire *w, struct field *f)
{
	uint64_t tag;

	if (w->at == w->end)
		return false;
	tag = varint(w);
	*f = (struct field){ .number = (uint32_t)(tag >> 3), .type = tag & 7 };
	f->value = varint(w);
	if (f->type) {
		assert_int_equal(f->type, 2);
		assert_true(f->value <= (size_t)(w->end - w->at));
		f->bytes = (struct wire){ w->at, w->at + f->value };
		w->at += f->value;
	}
	return true;
}

/* The nth field of that number, which has to be of that type. */
static bool find(struct wire w, uint32_t number, unsigned nth, uint32_t type, struct field *f)
{
	while (next(&w, f)) {
		if (f->number != number || nth--)
			continue;
		assert_int_equal(f->type, type);
		return true;
	}
	return false;
}

static bool has_message(struct wire w, uint32_t number, unsigned nth, struct wire *out)
{
	struct field f;
	bool found = find(w, number, nth, 2, &f);

	if (found)
		*out = f.bytes;
	return found;
}

static struct wire message(struct wire w, uint32_t number)
{
	struct wire out;

	assert_true(has_message(w, number, 0, &out));
	return out;
}

static uint64_t number(struct wire w, uint32_t n)
{
	struct field f;

	assert_true(find(w, n, 0, 0, &f));
	return f.value;
}

/* One of eight that stay until the ninth. */
static const char *text(struct wire w, uint32_t n)
{
	static char texts[8][256];
	static unsigned turn;
	struct field f;
	char *out = texts[turn++ % 8];

	if (!find(w, n, 0, 2, &f))
		return "-";
	assert_true(f.value < sizeof(texts[0]));
	memcpy(out, f.bytes.at, f.value);
	out[f.value] = 0;
	return out;
}

static void event(FILE *to, struct wire w)
{
	uint64_t time = number(w, 1);
	uint32_t pid = (uint32_t)number(w, 2);
	struct wire e;

	if (has_message(w, 4, 0, &e))
		dump_task_switch(to, time, pid, &(struct dump_switch){
			.prev = text(e, 1), .prev_pid = (int)number(e, 2),
			.prev_prio = (int)number(e, 3), .state = (int64_t)number(e, 4),
			.next = text(e, 5), .next_pid = (int)number(e, 6),
			.next_prio = (int)number(e, 7) });
	else if (has_message(w, 20, 0, &e))
		dump_task(to, "waking", time, pid, text(e, 1), (int)number(e, 2),
			  (int)number(e, 3), (int)number(e, 4), (int)number(e, 5));
	else if (has_message(w, 17, 0, &e))
		dump_task(to, "wakeup", time, pid, text(e, 1), (int)number(e, 2),
			  (int)number(e, 3), (int)number(e, 4), (int)number(e, 5));
	else if (has_message(w, 491, 0, &e))
		dump_task(to, "migrate", time, pid, text(e, 1), (int)number(e, 2),
			  (int)number(e, 3), (int)number(e, 4), (int)number(e, 5));
	else if (has_message(w, 13, 0, &e))
		dump_idle(to, time, pid, (uint32_t)number(e, 1), (uint32_t)number(e, 2));
	else
		fail();
}

static void arguments(FILE *to, struct wire w)
{
	struct wire a;

	for (unsigned i = 0; has_message(w, 4, i, &a); i++) {
		struct field f;

		fprintf(to, " %lu=", number(a, 1));
		if (find(a, 6, 0, 2, &f))
			fprintf(to, "%s", text(a, 6));
		else if (find(a, 2, 0, 0, &f))
			fprintf(to, "%s", f.value ? "yes" : "no");
		else
			fprintf(to, "%lu", number(a, 3));
	}
	fputc('\n', to);
}

static void bundle(struct dump *d, struct wire w)
{
	uint64_t cpu = number(w, 1);
	struct wire e;

	assert_true(cpu < DUMP_CPUS);
	for (unsigned i = 0; has_message(w, 2, i, &e); i++)
		event(d->cpu[cpu], e);
}

static void tree(struct dump *d, struct wire w)
{
	struct wire of;

	for (unsigned i = 0; has_message(w, 1, i, &of); i++)
		dump_process(d, (int)number(of, 1), text(of, 3));
	for (unsigned i = 0; has_message(w, 2, i, &of); i++)
		dump_thread(d, (int)number(of, 1), (int)number(of, 3), text(of, 2));
}

static void track(struct dump *d, struct wire w)
{
	struct wire thread = message(w, 4);

	dump_track(d, number(w, 1), (int)number(thread, 1), (int)number(thread, 2),
		   text(thread, 5));
}

static void instant(struct dump *d, struct wire packet, struct wire w)
{
	assert_int_equal(number(packet, 13), 2);	/* needs incremental state */
	assert_int_equal(number(w, 9), 3);		/* an instant */
	dump_instant(d, number(packet, 8), number(w, 11), number(w, 3), text(w, 23));
	arguments(d->other, w);
}

static void names(struct dump *d, struct wire packet)
{
	struct wire data = message(packet, 12), of;

	assert_int_equal(number(packet, 13), 1);	/* clears incremental state */
	for (unsigned i = 0; has_message(data, 1, i, &of); i++)
		dump_names(d, "category", number(of, 1), text(of, 2));
	for (unsigned i = 0; has_message(data, 3, i, &of); i++)
		dump_names(d, "argument", number(of, 1), text(of, 2));
}

static void packet(struct dump *d, struct wire w)
{
	struct wire data, clock;

	assert_int_equal(number(w, 10), 1);
	if (has_message(w, 1, 0, &data))
		bundle(d, data);
	else if (has_message(w, 2, 0, &data))
		tree(d, data);
	else if (has_message(w, 60, 0, &data))
		track(d, data);
	else if (has_message(w, 11, 0, &data))
		instant(d, w, data);
	else if (has_message(w, 6, 0, &data))
		for (unsigned i = 0; has_message(data, 1, i, &clock); i++)
			dump_clock(d, number(clock, 1), number(clock, 2), number(data, 2));
	else
		names(d, w);
}

void dump_by_hand(struct dump *d, const uint8_t *data, size_t len)
{
	struct wire w = { data, data + len };
	struct field f;

	dump_open(d);
	while (next(&w, &f)) {
		assert_int_equal(f.number, 1);
		assert_int_equal(f.type, 2);
		packet(d, f.bytes);
	}
	dump_close(d);
}
