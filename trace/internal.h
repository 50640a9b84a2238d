/* SPDX-License-Identifier: GPL-2.0-only */
/* What the readers and writers of recordings share; nobody else includes it. */
#ifndef TRACE_INTERNAL_H
#define TRACE_INTERNAL_H

#include <stdarg.h>

#include "trace/trace.h"

/* error.c: where a file went wrong, and the one way to say it. */

struct trace_place {
	const char *path;
	enum { TRACE_AT_FILE, TRACE_AT_LINE, TRACE_AT_BYTE, TRACE_AT_RECORD } unit;
	uint64_t n;
};

/* Fills *err (NULL is allowed) and returns code. Bytes that no terminal should see become '?'. */
int trace_fail(struct trace_error *err, const struct trace_place *at, int code, const char *fmt,
	       ...) __attribute__((format(printf, 4, 5)));
int trace_fail_file(struct trace_error *err, const char *path, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* table.c: the columns. */

enum trace_type { TRACE_UINT, TRACE_INT, TRACE_CPU, TRACE_MASK, TRACE_TEXT };

struct trace_field {
	const char *name;
	uint32_t offset;	/* in the object: struct trace_record or struct trace_event */
	uint8_t size;		/* of one number: 4 or 8; MASK and TEXT are made of 8s */
	uint8_t words;		/* TEXT: how many of them; else 0 */
	uint8_t type;		/* enum trace_type */
	uint8_t flags;		/* TRACE_NEEDED... */
};

struct trace_table {
	const struct trace_field *fields;
	unsigned int n;
	size_t object_size;
};

const struct trace_table *trace_table(enum trace_kind kind);
/* Its index or -1; the search begins at guess, any number. */
int trace_table_find(const struct trace_table *table, const char *name, size_t len,
		     unsigned int guess);
const char *trace_type_name(enum trace_type type);
int trace_type_find(const char *name, size_t len);	/* -1: none */

/* Numbers that the field is made of, and the distance between them in the object. */
unsigned int trace_field_count(const struct trace_field *field, unsigned int nr_cpus);
size_t trace_field_step(const struct trace_field *field);

/* A TEXT field: printable, no comma, no space, not empty, ends in NUL. */
bool trace_is_word(const char *text, size_t room);

/* No control character, which a terminal would obey when a report prints the text. */
bool trace_is_printable(const char *text);

/* The first column that is needed and not in columns, NULL if all are there. */
const char *trace_table_missing(const struct trace_table *table, const uint64_t *columns);

/* The bits that a mask may have in its last word. */
static inline uint64_t trace_last_word(unsigned int nr_cpus)
{
	return ~0ull >> (63 - (nr_cpus - 1) % 64);
}

/* The reader's and the writer's values of a field are 64 bits wide, INT in two's complement. */
static inline uint64_t trace_get(const void *at, const struct trace_field *field)
{
	if (field->size == 8)
		return *(const uint64_t *)at;
	if (field->type == TRACE_INT)
		return (uint64_t)(int64_t)*(const int32_t *)at;
	return *(const uint32_t *)at;
}

static inline void trace_set(void *at, const struct trace_field *field, uint64_t value)
{
	if (field->size == 8)
		*(uint64_t *)at = value;
	else
		*(uint32_t *)at = (uint32_t)value;
}

/* source.c: bytes of a file or of memory, piece by piece. */

struct trace_source {
	int fd;			/* -1: memory */
	const uint8_t *data;	/* the piece */
	size_t pos, len;	/* of the piece */
	uint64_t before;	/* bytes before the piece */
	uint8_t *buffer;
};

int trace_source_open(struct trace_source *src, const char *path, struct trace_error *err);
void trace_source_memory(struct trace_source *src, const void *data, size_t len);
int trace_source_more(struct trace_source *src, const char *path, struct trace_error *err);
void trace_source_close(struct trace_source *src);

static inline uint64_t trace_source_offset(const struct trace_source *src)
{
	return src->before + src->pos;
}

/* machine_text.c: what a head says about the machine. */

#define TRACE_MACHINE_MAX	(2u << 20)	/* 1024 CPUs with eight levels of domains */

/* Fills release, variant, hz and nr_cpus (0: no TOPO lines) from r->head.machine. */
int trace_machine_parse(struct trace_reader *r, const char *path, struct trace_error *err);
int trace_machine_read(const char *csv_path, char **text, size_t *len, struct trace_error *err);
char *trace_machine_path(const char *csv_path);

/* reader.c */

struct trace_csv;
struct trace_native;

struct trace_reader {
	struct trace_head head;
	char *path, *load, *machine, *release, *variant;
	const struct trace_table *table;
	struct trace_source src;
	struct trace_csv *csv;		/* one of the two */
	struct trace_native *native;
	uint64_t count;			/* records returned */
	int failed;			/* 1: the end was seen */
	struct trace_error failure;
	union {
		struct trace_record record;
		struct trace_event event;
	} object;
};

/* csv_read.c, native_read.c: next() fills r->object; 1, 0 at the end, or negative. */
int trace_csv_open(struct trace_reader *r, bool gzip, struct trace_error *err);
int trace_csv_next(struct trace_reader *r, struct trace_error *err);
void trace_csv_close(struct trace_reader *r);
int trace_native_open(struct trace_reader *r, struct trace_error *err);
int trace_native_next(struct trace_reader *r, struct trace_error *err);
void trace_native_close(struct trace_reader *r);

/* lines.c: a text, packed or not, line by line. */

#define TRACE_LINE_MAX	(1u << 20)	/* ten lists of 1024 numbers are a tenth of it */

struct trace_lines;

int trace_lines_open(struct trace_source *src, const char *path, bool gzip,
		     struct trace_lines **out, struct trace_error *err);
/* 1: *line up to *end, where a NUL stands instead of the newline; 0: end; negative. */
int trace_lines_next(struct trace_lines *lines, char **line, char **end, struct trace_error *err);
/* The next call returns the same line again; once. */
void trace_lines_unread(struct trace_lines *lines);
struct trace_place trace_lines_place(const struct trace_lines *lines);
void trace_lines_close(struct trace_lines *lines);

/* writer.c */

struct trace_pack;

struct trace_writer {
	struct trace_head head;		/* with strings of its own */
	char *path, *temporary, *load, *machine;
	FILE *file;
	const struct trace_table *table;
	struct trace_pack *pack;	/* native */
	char *line;			/* CSV */
	uint64_t count;
	int failed;
};

int trace_writer_put(struct trace_writer *w, const void *data, size_t len,
		     struct trace_error *err);

/* csv_write.c, native_write.c */
int trace_csv_begin(struct trace_writer *w, struct trace_error *err);
int trace_csv_put(struct trace_writer *w, const void *object, struct trace_error *err);
int trace_pack_begin(struct trace_writer *w, struct trace_error *err);
int trace_pack_put(struct trace_writer *w, const void *object, struct trace_error *err);
int trace_pack_end(struct trace_writer *w, struct trace_error *err);
void trace_pack_free(struct trace_writer *w);

#endif
