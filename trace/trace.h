/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings on disk: CSV, CSV under gzip, and the native format (.wlr,
 * wakelab-record-format(5)).
 *
 * Functions return 0 (trace_next() also 1) or a negative errno: -EBADMSG for
 * what is in a file, -ERANGE for a value that a writer's column can't hold, else
 * the system's. All of them fill *err then; err may be NULL.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/columns.h"
#include "trace/record.h"

/* What went wrong where. Both are one line of printable characters. */
struct trace_error {
	char place[256];	/* "FILE", "FILE:LINE", "FILE: byte N" or "FILE: record N" */
	char text[256];		/* what was expected and what stood there */
};

enum trace_kind {
	TRACE_WAKEUPS,		/* trace_next() */
	TRACE_WRITERS,		/* trace_next_event() */
};

enum trace_format { TRACE_NATIVE, TRACE_CSV };

#define TRACE_COLUMN_WORDS	((TRACE_COLS + 63) / 64)

/*
 * What holds for a whole recording. Strings live as long as its reader; load, release
 * and variant have no control characters.
 */
struct trace_head {
	const char *path;		/* as given to trace_open() */
	const char *load;		/* "hackbench-pipes": file name less suffixes, or as recorded */
	enum trace_kind kind;
	enum trace_format format;	/* TRACE_CSV with or without gzip */
	const char *machine;		/* the text of machine.txt, ends in NUL, which it never holds */
	size_t machine_len;		/* bytes, without the NUL */
	unsigned int nr_cpus;		/* 1..TRACE_NR_CPUS: highest possible CPU id + 1 */
	uint64_t columns[TRACE_COLUMN_WORDS];	/* trace_has() */
	unsigned int skipped_columns;	/* that the file has and this version doesn't know */
	unsigned int hz;		/* from machine.txt, like the two below */
	const char *release;		/* "6.1.192" */
	const char *variant;		/* the text after "variant ", NULL in a stock kernel's */
};

/* column: enum trace_column for TRACE_WAKEUPS, enum trace_ecolumn for TRACE_WRITERS. */
static inline bool trace_has(const struct trace_head *head, unsigned int column)
{
	return head->columns[column / 64] >> (column % 64) & 1;
}

struct trace_reader;
struct trace_writer;

/*
 * Opens a recording; its content, not its name, says which format it is. A CSV
 * file's machine.txt has to lie in the same folder. On failure *out is NULL.
 */
int trace_open(const char *path, struct trace_reader **out, struct trace_error *err);

/*
 * The same from memory, which has to outlive the reader. path is for messages
 * and the load's name; machine (ends in NUL) is the machine's text for CSV, NULL: the
 * file beside path.
 */
int trace_open_memory(const char *path, const void *data, size_t len, const char *machine,
		      struct trace_reader **out, struct trace_error *err);

const struct trace_head *trace_head(const struct trace_reader *r);

/*
 * 1 and the next record, 0 at the end of the file, which was complete then, or
 * negative; a reader that failed once repeats that failure. *rec belongs to the
 * reader and lasts until the next call; CPU ids in it are below head.nr_cpus, bits
 * of masks too. -EINVAL if the recording is of the other kind.
 */
int trace_next(struct trace_reader *r, const struct trace_record **rec, struct trace_error *err);
int trace_next_event(struct trace_reader *r, const struct trace_event **ev,
		     struct trace_error *err);

/*
 * The number of the record (or event) last returned: its place in the file, from 0.
 * This, not seq, is what `wakelab explain RECORD#N` means: seq has gaps and isn't
 * ordered. 0 before the first record.
 */
uint64_t trace_position(const struct trace_reader *r);

void trace_close(struct trace_reader *r); /* NULL is allowed */

/*
 * Files as they are, folders searched (recursively, hidden files and links to
 * folders left out) for files named *.wlr, *.csv and *.csv.gz; what else lies there is
 * ignored. The list is sorted by strcmp() and has no path twice; free with
 * trace_files_free(). A folder without any recording is an error, -ENOENT.
 */
int trace_files(const char *const *paths, size_t n, char ***out, size_t *n_out,
		struct trace_error *err);
void trace_files_free(char **files, size_t n);

/*
 * Starts a recording: head's kind, load, machine, machine_len, nr_cpus and columns
 * are used, and copied. Nothing shows at path before trace_commit(), which renames
 * a temporary file of the same folder; path "-" is standard output instead, written
 * as it comes. TRACE_CSV writes no machine.txt: trace_write_machine().
 */
int trace_create(const char *path, const struct trace_head *head, struct trace_writer **out,
		 struct trace_error *err);
int trace_create_as(enum trace_format format, const char *path, const struct trace_head *head,
		    struct trace_writer **out, struct trace_error *err);

/*
 * Appends. -ERANGE: a value doesn't fit its column, err names both; the record is
 * left out as a whole and the writer can go on. After any other failure only
 * trace_abort() is left.
 */
int trace_write(struct trace_writer *w, const struct trace_record *rec, struct trace_error *err);
int trace_write_event(struct trace_writer *w, const struct trace_event *ev,
		      struct trace_error *err);

/* Both free the writer, whatever they return; a failed commit leaves nothing behind. */
int trace_commit(struct trace_writer *w, struct trace_error *err);
void trace_abort(struct trace_writer *w);	/* NULL is allowed */

/*
 * Puts head's machine text where a CSV file at path needs it; one that is there
 * already must be the same (-EEXIST).
 */
int trace_write_machine(const char *path, const struct trace_head *head,
			struct trace_error *err);

/* The table of columns, one a line, for a person to read. */
void trace_print_columns(FILE *out);

#endif
