// SPDX-License-Identifier: GPL-2.0-only
/*
 * The native format's reader. A block of lanes is in memory; a record is made from
 * row i of every lane, whatever doesn't change in the block is stored once.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "trace/format.h"

#define GROUPS	16	/* width 1..8, number of 4 or 8 bytes */
#define SLACK	8	/* loads of 8 bytes may go beyond the last lane */

/* A lane that changes in the block. */
struct active {
	const uint8_t *rows;
	uint64_t base;
	uint32_t at;
};

/* A number that could leave its limit in some row of the block. */
struct check {
	uint32_t at, size;
	uint64_t limit;
};

struct trace_native {
	ZSTD_DCtx *zstd;
	struct trace_lanes lanes;
	uint8_t *head;			/* of the block: widths, bases */
	uint8_t *body;
	size_t room;			/* of body */
	struct active *active;		/* by group */
	unsigned int group_end[GROUPS];
	uint32_t row, rows;		/* of the block */
	struct check *checks;
	unsigned int nr_checks;
	bool frame_ended;
};

static int fail_byte(struct trace_reader *r, int code, struct trace_error *err, const char *what)
{
	const struct trace_place at = { r->path, TRACE_AT_BYTE, trace_source_offset(&r->src) };

	return trace_fail(err, &at, code, "%s", what);
}

static int fail_record(struct trace_reader *r, struct trace_error *err, const char *what)
{
	const struct trace_place at = { r->path, TRACE_AT_RECORD, r->count };

	return trace_fail(err, &at, -EBADMSG, "%s", what);
}

/* As many bytes as the frame has, up to len; fewer only where the frame ends. */
static int unpack(struct trace_reader *r, void *to, size_t len, size_t *got,
		  struct trace_error *err)
{
	struct trace_native *native = r->native;
	struct trace_source *src = &r->src;
	ZSTD_outBuffer out = { to, len, 0 };

	while (out.pos < len && !native->frame_ended) {
		ZSTD_inBuffer in;
		size_t before = out.pos, ret;

		if (src->pos == src->len) {
			int failed = trace_source_more(src, r->path, err);

			if (failed)
				return failed;
		}
		in = (ZSTD_inBuffer){ src->data, src->len, src->pos };
		ret = ZSTD_decompressStream(native->zstd, &out, &in);
		if (ZSTD_isError(ret))
			return fail_byte(r, -EBADMSG, err, ZSTD_getErrorName(ret));
		native->frame_ended = !ret;
		if (ret && in.pos == src->pos && out.pos == before && !src->len)
			return fail_byte(r, -EBADMSG, err, "the file ends too early");
		src->pos = in.pos;
	}
	*got = out.pos;
	return 0;
}

static int unpack_all(struct trace_reader *r, void *to, size_t len, struct trace_error *err)
{
	size_t got;
	int ret = unpack(r, to, len, &got, err);

	if (!ret && got < len)
		ret = fail_byte(r, -EBADMSG, err, "the recording has no end mark: it is cut off");
	return ret;
}

static int unpack_u32(struct trace_reader *r, uint32_t *value, struct trace_error *err)
{
	int ret = unpack_all(r, value, sizeof(*value), err);

	*value = le32toh(*value);
	return ret;
}

/* Nothing may follow the end mark, neither in the frame nor behind it. */
static int check_end(struct trace_reader *r, struct trace_error *err)
{
	uint64_t records;
	uint8_t more;
	size_t got;
	int ret = unpack_all(r, &records, sizeof(records), err);

	if (!ret && le64toh(records) != r->count)
		ret = fail_record(r, err, "the recording ends here, its end mark counts otherwise");
	if (!ret)
		ret = unpack(r, &more, 1, &got, err);
	if (!ret && got)
		ret = fail_byte(r, -EBADMSG, err, "data behind the end mark");
	if (!ret && r->src.pos == r->src.len)
		ret = trace_source_more(&r->src, r->path, err);
	if (!ret && r->src.pos < r->src.len)
		ret = fail_byte(r, -EBADMSG, err, "data behind the recording");
	return ret;
}

static uint64_t load(const uint8_t *p, unsigned int width)
{
	uint64_t value;

	if (width == 1)
		return *p;
	memcpy(&value, p, sizeof(value));
	value = le64toh(value);
	return width == 8 ? value : value & ((1ull << 8 * width) - 1);
}

#define DECODE(width, bits) \
static void decode_##width##_##bits(const struct active *a, const struct active *end, \
				    size_t row, char *object) \
{ \
	_Pragma("GCC unroll 4") \
	for (; a < end; a++) { \
		uint##bits##_t value = a->base + load(a->rows + row * (width), width); \
		memcpy(object + a->at, &value, sizeof(value)); \
	} \
}
#define DECODE_BOTH(width)	DECODE(width, 32) DECODE(width, 64)
#define NAME_BOTH(width)	decode_##width##_32, decode_##width##_64

DECODE_BOTH(1)
DECODE_BOTH(2)
DECODE_BOTH(3)
DECODE_BOTH(4)
DECODE_BOTH(5)
DECODE_BOTH(6)
DECODE_BOTH(7)
DECODE_BOTH(8)

static void (*const decode[GROUPS])(const struct active *, const struct active *, size_t,
				    char *) = {
	NAME_BOTH(1), NAME_BOTH(2), NAME_BOTH(3), NAME_BOTH(4),
	NAME_BOTH(5), NAME_BOTH(6), NAME_BOTH(7), NAME_BOTH(8),
};

static unsigned int group_of(unsigned int width, unsigned int size)
{
	return (width - 1) * 2 + (size == 8);
}

/* No row of the lane may leave the number's range, whatever stands in the body. */
static bool base_fits(const struct trace_lane *lane, unsigned int width, uint64_t base)
{
	uint64_t max = trace_width_max(width);

	if (lane->size == 8)
		return base <= UINT64_MAX - max;
	if (lane->type == TRACE_INT)	/* moves the range to 0..2^32-1 */
		base += 1ull << 31;
	return base <= UINT32_MAX && max <= UINT32_MAX - base;
}

/* Rows have to be looked at where base + what width bytes can say leaves the limit. */
static void note_limit(struct trace_native *native, const struct trace_lane *lane,
		       unsigned int width, uint64_t base)
{
	if (base > lane->limit || trace_width_max(width) > lane->limit - base)
		native->checks[native->nr_checks++] =
			(struct check){ lane->at, lane->size, lane->limit };
}

/* Checks the block's head and counts the lanes of every group in group_end. */
static int measure_block(struct trace_reader *r, size_t *body, struct trace_error *err)
{
	struct trace_native *native = r->native;
	const uint8_t *widths = native->head, *bases = native->head + native->lanes.n;
	size_t width_sum = 0;

	memset(native->group_end, 0, sizeof(native->group_end));
	native->nr_checks = 0;
	for (unsigned int i = 0; i < native->lanes.n; i++) {
		const struct trace_lane *lane = &native->lanes.lanes[i];
		uint64_t base = load(bases + i * 8, 8);

		if (widths[i] > 8)
			return fail_record(r, err, "a number of more than 8 bytes");
		width_sum += widths[i];
		if (!lane->size)
			continue;
		if (!base_fits(lane, widths[i], base))
			return fail_record(r, err, "a number beyond its column's range");
		note_limit(native, lane, widths[i], base);
		if (widths[i])
			native->group_end[group_of(widths[i], lane->size)]++;
	}
	*body = width_sum * native->rows;
	return *body > TRACE_BODY_MAX ? fail_record(r, err, "a block that is too large") : 0;
}

static int make_room(struct trace_reader *r, size_t body, struct trace_error *err)
{
	struct trace_native *native = r->native;
	uint8_t *more;

	if (body + SLACK <= native->room)
		return 0;
	more = realloc(native->body, body + SLACK);
	if (!more)
		return fail_record(r, err, strerror(ENOMEM));
	memset(more + body, 0, SLACK);
	native->body = more;
	native->room = body + SLACK;
	return 0;
}

/* Stores what doesn't change and lists what does. group_end holds counts before. */
static void sort_lanes(struct trace_reader *r)
{
	struct trace_native *native = r->native;
	const uint8_t *widths = native->head, *bases = native->head + native->lanes.n;
	const uint8_t *rows = native->body;
	unsigned int sum = 0;

	for (int i = 0; i < GROUPS; i++) {
		unsigned int n = native->group_end[i];

		native->group_end[i] = sum;
		sum += n;
	}
	for (unsigned int i = 0; i < native->lanes.n; i++) {
		const struct trace_lane *lane = &native->lanes.lanes[i];
		uint64_t base = load(bases + i * 8, 8);
		uint32_t half = (uint32_t)base;
		char *to = (char *)&r->object + lane->at;

		if (lane->size && widths[i])
			native->active[native->group_end[group_of(widths[i], lane->size)]++] =
				(struct active){ rows, base, lane->at };
		else if (lane->size == 8)
			memcpy(to, &base, 8);
		else if (lane->size)
			memcpy(to, &half, 4);
		rows += (size_t)widths[i] * native->rows;
	}
}

/* 1, or 0 at the end of the recording. */
static int read_block(struct trace_reader *r, struct trace_error *err)
{
	struct trace_native *native = r->native;
	size_t body = 0;
	int ret;

	native->row = native->rows = 0;
	ret = unpack_u32(r, &native->rows, err);
	if (ret)
		return ret;
	if (!native->rows)
		return check_end(r, err);
	if (native->rows > TRACE_ROWS_MAX)
		return fail_record(r, err, "a block of too many records");
	ret = unpack_all(r, native->head, native->lanes.n * 9, err);
	if (!ret)
		ret = measure_block(r, &body, err);
	if (!ret)
		ret = make_room(r, body, err);
	if (!ret)
		ret = unpack_all(r, native->body, body, err);
	if (ret)
		return ret;
	sort_lanes(r);
	return 1;
}

/* Ids index arrays of whoever reads the record. */
static bool keeps_limits(const struct trace_reader *r)
{
	const struct trace_native *native = r->native;
	const char *object = (const char *)&r->object;
	bool keeps = true;

	for (unsigned int i = 0; i < native->nr_checks; i++) {
		const struct check *check = &native->checks[i];
		uint64_t value = 0;
		uint32_t half;

		if (check->size == 8) {
			memcpy(&value, object + check->at, 8);
		} else {
			memcpy(&half, object + check->at, 4);
			value = half;
		}
		keeps &= value <= check->limit;
	}
	return keeps;
}

static int check_event(struct trace_reader *r, struct trace_error *err)
{
	const char *load = r->object.event.load;

	return trace_is_word(load, sizeof(r->object.event.load)) ?
		1 : fail_record(r, err, "the load isn't a word");
}

int trace_native_next(struct trace_reader *r, struct trace_error *err)
{
	struct trace_native *native = r->native;
	const struct active *a = native->active;

	if (native->row == native->rows) {
		int ret = read_block(r, err);

		if (ret <= 0)
			return ret;
	}
	for (int i = 0; i < GROUPS; i++) {
		const struct active *end = native->active + native->group_end[i];

		if (a < end)
			decode[i](a, end, native->row, (char *)&r->object);
		a = end;
	}
	native->row++;
	if (__builtin_expect(!keeps_limits(r), 0))
		return fail_record(r, err, "a CPU that the machine doesn't have");
	return r->head.kind == TRACE_WRITERS ? check_event(r, err) : 1;
}

static int prepare(struct trace_reader *r, struct trace_error *err)
{
	struct trace_native *native = r->native;

	native->head = malloc(native->lanes.n * 9);
	native->active = malloc(native->lanes.n * sizeof(*native->active));
	native->checks = malloc(native->lanes.n * sizeof(*native->checks));
	if (!native->head || !native->active || !native->checks)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	return 0;
}

static int read_prefix(struct trace_reader *r, struct trace_error *err)
{
	const char *data = (const char *)r->src.data;
	uint32_t version;

	if (r->src.len < TRACE_PREFIX_LEN)
		return fail_byte(r, -EBADMSG, err, "the file ends too early");
	memcpy(&version, data + TRACE_MAGIC_LEN, sizeof(version));
	if (le32toh(version) != TRACE_VERSION)
		return trace_fail_file(err, r->path, -EBADMSG,
				       "format version %u, this wakelab reads version %u",
				       le32toh(version), TRACE_VERSION);
	r->src.pos = TRACE_PREFIX_LEN;
	return 0;
}

static int read_header(struct trace_reader *r, struct trace_error *err)
{
	uint32_t len;
	char *text;
	int ret = unpack_u32(r, &len, err);

	if (ret)
		return ret;
	if (len > TRACE_HEADER_MAX)
		return fail_byte(r, -EBADMSG, err, "a header that is too large");
	text = malloc(len + 1);
	if (!text)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	ret = unpack_all(r, text, len, err);
	if (!ret)
		ret = trace_header_read(r, text, len, &r->native->lanes, err);
	free(text);
	return ret;
}

int trace_native_open(struct trace_reader *r, struct trace_error *err)
{
	int ret;

	r->head.format = TRACE_NATIVE;
	r->native = calloc(1, sizeof(*r->native));
	if (r->native)
		r->native->zstd = ZSTD_createDCtx();
	if (!r->native || !r->native->zstd)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	ZSTD_DCtx_setParameter(r->native->zstd, ZSTD_d_windowLogMax, TRACE_WINDOW_LOG_MAX);
	ret = read_prefix(r, err);
	if (!ret)
		ret = read_header(r, err);
	return ret ? ret : prepare(r, err);
}

void trace_native_close(struct trace_reader *r)
{
	struct trace_native *native = r->native;

	if (!native)
		return;
	ZSTD_freeDCtx(native->zstd);
	free(native->lanes.lanes);
	free(native->head);
	free(native->body);
	free(native->active);
	free(native->checks);
	free(native);
}
