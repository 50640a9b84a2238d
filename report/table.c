// SPDX-License-Identifier: GPL-2.0-only
#include "report/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct report_table {
	size_t columns, nr, max;	/* nr: cells, the names included */
	char **cells;
	int failed;
};

static void add(struct report_table *table, char *cell)
{
	if (table->nr == table->max) {
		size_t max = table->max ? 2 * table->max : 64;
		char **cells = reallocarray(table->cells, max, sizeof(*cells));

		if (!cells) {
			table->failed = 1;
			free(cell);
			return;
		}
		table->cells = cells;
		table->max = max;
	}
	table->failed |= !cell;
	table->cells[table->nr++] = cell;
}

struct report_table *report_table_new(const char *columns)
{
	struct report_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	while (columns) {
		const char *end = strchrnul(columns, ',');

		add(table, strndup(columns, (size_t)(end - columns)));
		table->columns++;
		columns = *end ? end + 1 : NULL;
	}
	return table;
}

void report_table_free(struct report_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table);
}

void report_cell(struct report_table *table, const char *format, ...)
{
	char *cell = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&cell, format, args) < 0)
		cell = NULL;
	va_end(args);
	add(table, cell);
}

static int is_left(const struct report_table *table, size_t column)
{
	return table->cells[column][0] == '<';
}

static const char *cell_text(const struct report_table *table, size_t i)
{
	return table->cells[i] + (i < table->columns && table->cells[i][0] == '<');
}

static size_t width(const struct report_table *table, size_t column)
{
	size_t widest = 0;

	for (size_t i = column; i < table->nr; i += table->columns) {
		size_t len = strlen(cell_text(table, i));

		widest = len > widest ? len : widest;
	}
	return widest;
}

static void print_rule(const struct report_table *table, FILE *to)
{
	fputc('|', to);
	for (size_t column = 0; column < table->columns; column++)
		fputs(is_left(table, column) ? "---|" : "---:|", to);
	fputc('\n', to);
}

int report_table_print(const struct report_table *table, int markdown, FILE *to)
{
	if (table->failed)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr; i++) {
		size_t column = i % table->columns;
		int last = column == table->columns - 1;
		int pad = (int)width(table, column);

		if (markdown)
			fprintf(to, "%s %s |%s", column ? "" : "|", cell_text(table, i),
				last ? "\n" : "");
		else if (is_left(table, column))
			fprintf(to, "%-*s%s", last ? 0 : pad, cell_text(table, i), last ? "\n" : "  ");
		else
			fprintf(to, "%*s%s", pad, cell_text(table, i), last ? "\n" : "  ");
		if (markdown && i == table->columns - 1)
			print_rule(table, to);
	}
	return 0;
}
