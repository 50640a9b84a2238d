/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of text cells, as aligned text or as Markdown. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct report_table;

/* columns: names, comma-separated; one that begins with '<' is aligned left. NULL without memory. */
struct report_table *report_table_new(const char *columns);
void report_table_free(struct report_table *table);

/* Appends a cell; a row is as many cells as there are columns. */
void report_cell(struct report_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Nothing was lost for want of memory? Prints, and returns 0 or -ENOMEM. */
int report_table_print(const struct report_table *table, int markdown, FILE *to);

#endif
