/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The native format, wakelab-record-format(5), as far as reader and writer share it:
 *
 *	magic[8], version u32
 *	one zstd frame with checksum:
 *		header length u32, header (JSON)
 *		blocks: rows u32 (not 0), width u8 of every lane, base u64 of every lane,
 *			then lane by lane its rows: width bytes, which base is added to
 *		0 u32, records u64
 *
 * all little-endian. A lane is one number of a record: a column has as many as it has
 * numbers. Lane by lane, because what a decision costs to read is neither copying nor
 * adding but the matches that zstd has to follow: rows one after another cost three
 * times as much. A lane that doesn't change in a block takes no bytes and no time.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include "trace/internal.h"

#define TRACE_MAGIC		"\x89WLR\r\n\x1a\n"
#define TRACE_MAGIC_LEN		8u
#define TRACE_VERSION		1u
#define TRACE_PREFIX_LEN	12u

/* Limits, so that a hostile file can't ask for more. */
#define TRACE_HEADER_MAX	(4u << 20)
#define TRACE_LANES_MAX		(1u << 16)
#define TRACE_ROWS_MAX		4096u
#define TRACE_BLOCK_ROWS	256u		/* what the writer takes, if they fit */
#define TRACE_BODY_MAX		(16u << 20)
#define TRACE_WINDOW_LOG_MAX	20

struct trace_lane {
	uint32_t at;		/* offset in the object */
	uint8_t size;		/* of the number there, 4 or 8; 0: a column that isn't known */
	uint8_t type;		/* enum trace_type */
	uint64_t limit;		/* of CPU and MASK, which the number's size alone doesn't keep */
};

struct trace_lanes {
	struct trace_lane *lanes;
	unsigned int n, room;
};

/* What width bytes can say. */
static inline uint64_t trace_width_max(unsigned int width)
{
	return width ? ~0ull >> (64 - 8 * width) : 0;
}

/* header.c: to and from JSON; *text is to be freed. */
int trace_header_write(const struct trace_writer *w, char **text, size_t *len,
		       struct trace_error *err);
int trace_header_read(struct trace_reader *r, const char *text, size_t len,
		      struct trace_lanes *lanes, struct trace_error *err);

/* Appends a field's lanes, or count lanes that nobody knows; 0, -ENOMEM, -EFBIG. */
int trace_lanes_add(struct trace_lanes *lanes, const struct trace_field *field,
		    unsigned int nr_cpus);
int trace_lanes_skip(struct trace_lanes *lanes, unsigned int count);

#endif
