/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings out of nothing for the tests of trace/: every column has values of its own. */
#ifndef TESTS_TRACE_SAMPLE_H
#define TESTS_TRACE_SAMPLE_H

#include "trace/internal.h"

struct bytes {
	uint8_t *data;
	size_t len;
};

/* "kernel 6.1.0", "hz 250" and a TOPO line for each CPU; to be freed. */
char *sample_machine(unsigned int nr_cpus);

/* All columns; machine is the text of the head's life. */
struct trace_head sample_head(enum trace_kind kind, unsigned int nr_cpus, const char *machine);

/* Record or event i: small, large and extreme numbers, all within their limits. */
void sample_object(const struct trace_table *table, unsigned int nr_cpus, unsigned int i,
		   void *object);

/* A recording of n samples as a file has it. */
struct bytes sample_recording(enum trace_format format, enum trace_kind kind,
			      unsigned int nr_cpus, unsigned int n);

/* The same columns, and the same values in every one of them. */
void assert_same_object(const struct trace_table *table, const struct trace_head *head,
			const void *a, const void *b);

/* Reads to the end: number of records or the error. machine for CSV. */
int read_all(const void *data, size_t len, const char *machine, uint64_t *n,
	     struct trace_error *err);

/* It fails with -EBADMSG, and place and text hold these words. */
void assert_bad(struct bytes file, const char *machine, const char *place, const char *text);

/* A folder for this test's files, removed with them by remove_folder(). */
char *make_folder(void);
void remove_folder(char *folder);
char *path_in(const char *folder, const char *name);
struct bytes read_file(const char *path);
void write_file(const char *path, const void *data, size_t len);

/* text with the first old replaced; fails the test if there is none. Takes text. */
struct bytes replaced(struct bytes text, const char *old, const char *new);

#endif
