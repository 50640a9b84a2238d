// SPDX-License-Identifier: GPL-2.0-only
/* CSV as every reader of it expects: columns in the table's order, nothing quoted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"

static char *put_decimal(char *p, uint64_t value)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = '0' + value % 10;
	while (value /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *put_hex(char *p, const uint64_t *words, unsigned int n)
{
	while (n > 1 && !words[n - 1])
		n--;
	p += sprintf(p, "0x%llx", (unsigned long long)words[n - 1]);
	while (n-- > 1)
		p += sprintf(p, "%016llx", (unsigned long long)words[n - 1]);
	return p;
}

static char *put_number(char *p, const void *from, const struct trace_field *field)
{
	uint64_t value = trace_get(from, field);

	if (field->type == TRACE_INT && (int64_t)value < 0) {
		*p++ = '-';
		value = -value;
	}
	return put_decimal(p, value);
}

static char *put_field(char *p, const char *from, const struct trace_field *field,
		       unsigned int nr_cpus)
{
	const uint64_t *words = (const uint64_t *)(const void *)from;
	unsigned int count = trace_field_count(field, nr_cpus), used = count;

	if (field->type == TRACE_TEXT)
		return stpcpy(p, from);
	if (field->type == TRACE_MASK) {
		while (used > 1 && !words[used - 1])
			used--;
		if (field->flags & TRACE_HEX || used > 1)
			return put_hex(p, words, used);
		return put_decimal(p, words[0]);
	}
	for (unsigned int i = 0; i < count; i++) {
		if (i)
			*p++ = ';';
		p = put_number(p, from + i * trace_field_step(field), field);
	}
	return p;
}

int trace_csv_put(struct trace_writer *w, const void *object, struct trace_error *err)
{
	char *p = w->line;

	for (unsigned int i = 0; i < w->table->n; i++) {
		const struct trace_field *field = &w->table->fields[i];

		if (!trace_has(&w->head, i))
			continue;
		if (p > w->line)
			*p++ = ',';
		p = put_field(p, (const char *)object + field->offset, field, w->head.nr_cpus);
	}
	*p++ = '\n';
	return trace_writer_put(w, w->line, p - w->line, err);
}

/* 21 characters take a number with its sign and a separator, and 16 digits of a mask. */
static size_t line_room(const struct trace_writer *w)
{
	size_t room = 2;

	for (unsigned int i = 0; i < w->table->n; i++)
		room += 21 * trace_field_count(&w->table->fields[i], w->head.nr_cpus) + 1;
	return room;
}

int trace_csv_begin(struct trace_writer *w, struct trace_error *err)
{
	char *p;

	w->line = malloc(line_room(w));
	if (!w->line)
		return trace_fail_file(err, w->path, -ENOMEM, "%s", strerror(ENOMEM));
	p = w->line;	/* names are shorter than numbers */
	for (unsigned int i = 0; i < w->table->n; i++) {
		if (!trace_has(&w->head, i))
			continue;
		if (p > w->line)
			*p++ = ',';
		p = stpcpy(p, w->table->fields[i].name);
	}
	*p++ = '\n';
	return trace_writer_put(w, w->line, p - w->line, err);
}
