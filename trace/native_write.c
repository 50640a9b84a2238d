// SPDX-License-Identifier: GPL-2.0-only
/* The native format's writer: rows are gathered, turned into lanes, packed. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "trace/format.h"

#define OUT_SIZE	(128u << 10)
#define VALUES_MAX	(1u << 20)	/* of a block: 8 MiB, at least one row */

struct trace_pack {
	ZSTD_CCtx *zstd;
	struct trace_lanes lanes;
	uint64_t *values;	/* lane by lane, rows_max each */
	uint32_t rows, rows_max;
	uint8_t *block;		/* as it goes to zstd */
	uint8_t out[OUT_SIZE];
};

static int no_memory(const struct trace_writer *w, struct trace_error *err)
{
	return trace_fail_file(err, w->path, -ENOMEM, "%s", strerror(ENOMEM));
}

static int compress(struct trace_writer *w, const void *data, size_t len, ZSTD_EndDirective end,
		    struct trace_error *err)
{
	struct trace_pack *pack = w->pack;
	ZSTD_inBuffer in = { data, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { pack->out, OUT_SIZE, 0 };
		int ret;

		left = ZSTD_compressStream2(pack->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return trace_fail_file(err, w->path, -EIO, "zstd: %s",
					       ZSTD_getErrorName(left));
		ret = trace_writer_put(w, pack->out, out.pos, err);
		if (ret)
			return ret;
	} while (end == ZSTD_e_end ? left : in.pos < in.size);
	return 0;
}

static bool is_signed(const struct trace_lane *lane)
{
	return lane->type == TRACE_INT;
}

static bool below(const struct trace_lane *lane, uint64_t a, uint64_t b)
{
	return is_signed(lane) ? (int64_t)a < (int64_t)b : a < b;
}

/*
 * Bytes that the lane's values need, and what to take from each of them. base + all
 * that fits into the bytes stays in the number's range, so that readers need not look
 * at every value.
 */
static unsigned int choose_width(const struct trace_lane *lane, const uint64_t *values,
				 uint32_t n, uint64_t *base)
{
	uint64_t min = values[0], max = values[0], top;
	unsigned int width = 0;

	for (uint32_t i = 1; i < n; i++) {
		if (below(lane, values[i], min))
			min = values[i];
		if (below(lane, max, values[i]))
			max = values[i];
	}
	while (max - min > trace_width_max(width))
		width++;
	top = is_signed(lane) ? INT32_MAX : lane->size == 4 ? UINT32_MAX : UINT64_MAX;
	top -= trace_width_max(width);
	*base = below(lane, top, min) ? top : min;
	return width;
}

static void put_le(uint8_t *to, uint64_t value, unsigned int width)
{
	value = htole64(value);
	memcpy(to, &value, width);
}

static int write_block(struct trace_writer *w, struct trace_error *err)
{
	struct trace_pack *pack = w->pack;
	unsigned int n = pack->lanes.n;
	uint8_t *widths = pack->block + 4, *bases = widths + n, *rows = bases + 8ul * n;

	put_le(pack->block, pack->rows, 4);
	for (unsigned int i = 0; i < n; i++) {
		const uint64_t *values = pack->values + (size_t)i * pack->rows_max;
		uint64_t base;

		widths[i] = choose_width(&pack->lanes.lanes[i], values, pack->rows, &base);
		put_le(bases + 8ul * i, base, 8);
		for (uint32_t row = 0; row < pack->rows; row++, rows += widths[i])
			put_le(rows, values[row] - base, widths[i]);
	}
	pack->rows = 0;
	return compress(w, pack->block, rows - pack->block, ZSTD_e_continue, err);
}

int trace_pack_put(struct trace_writer *w, const void *object, struct trace_error *err)
{
	struct trace_pack *pack = w->pack;

	for (unsigned int i = 0; i < pack->lanes.n; i++) {
		const struct trace_lane *lane = &pack->lanes.lanes[i];
		const char *from = (const char *)object + lane->at;
		const struct trace_field as = { .size = lane->size, .type = lane->type };
		uint64_t value = trace_get(from, &as);

		if (lane->type == TRACE_TEXT)
			value = le64toh(value);
		pack->values[(size_t)i * pack->rows_max + pack->rows] = value;
	}
	if (++pack->rows < pack->rows_max)
		return 0;
	return write_block(w, err);
}

int trace_pack_end(struct trace_writer *w, struct trace_error *err)
{
	uint8_t end[12];
	int ret = w->pack->rows ? write_block(w, err) : 0;

	put_le(end, 0, 4);
	put_le(end + 4, w->count, 8);
	return ret ? ret : compress(w, end, sizeof(end), ZSTD_e_end, err);
}

static int write_header(struct trace_writer *w, struct trace_error *err)
{
	uint8_t prefix[TRACE_PREFIX_LEN] = TRACE_MAGIC, length[4];
	size_t len;
	char *text;
	int ret = trace_header_write(w, &text, &len, err);

	if (ret)
		return ret;
	put_le(prefix + TRACE_MAGIC_LEN, TRACE_VERSION, 4);
	put_le(length, len, 4);
	ret = trace_writer_put(w, prefix, sizeof(prefix), err);
	if (!ret)
		ret = compress(w, length, sizeof(length), ZSTD_e_continue, err);
	if (!ret)
		ret = compress(w, text, len, ZSTD_e_continue, err);
	free(text);
	return ret;
}

/* One thread and fixed parameters: the same records give the same bytes. */
static void set_parameters(ZSTD_CCtx *zstd)
{
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 9);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 18);
	/* Short matches save little and cost a reader more than the bytes themselves. */
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, 6);
}

int trace_pack_begin(struct trace_writer *w, struct trace_error *err)
{
	struct trace_pack *pack = calloc(1, sizeof(*pack));
	size_t lanes;

	w->pack = pack;
	if (!pack)
		return no_memory(w, err);
	for (unsigned int i = 0; i < w->table->n; i++)
		if (trace_has(&w->head, i) &&
		    trace_lanes_add(&pack->lanes, &w->table->fields[i], w->head.nr_cpus))
			return no_memory(w, err);
	lanes = pack->lanes.n;
	pack->rows_max = VALUES_MAX / lanes;
	if (pack->rows_max > TRACE_BLOCK_ROWS)
		pack->rows_max = TRACE_BLOCK_ROWS;
	pack->zstd = ZSTD_createCCtx();
	pack->values = malloc(lanes * pack->rows_max * sizeof(*pack->values));
	pack->block = malloc(4 + 9 * lanes + 8 * lanes * pack->rows_max);
	if (!pack->zstd || !pack->values || !pack->block)
		return no_memory(w, err);
	set_parameters(pack->zstd);
	return write_header(w, err);
}

void trace_pack_free(struct trace_writer *w)
{
	if (!w->pack)
		return;
	ZSTD_freeCCtx(w->pack->zstd);
	free(w->pack->lanes.lanes);
	free(w->pack->values);
	free(w->pack->block);
	free(w->pack);
}
