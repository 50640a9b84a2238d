// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "trace/internal.h"

#define SIZE_OF(object, field)	sizeof(((struct object *)0)->field)
#define IS_WORDS(type)		(TRACE_##type == TRACE_MASK || TRACE_##type == TRACE_TEXT)

#define FIELD(object, name, field, type, flags) { \
	name, offsetof(struct object, field), \
	IS_WORDS(type) ? 8 : SIZE_OF(object, field), \
	TRACE_##type == TRACE_TEXT ? SIZE_OF(object, field) / 8 : 0, \
	TRACE_##type, flags, \
},
#define RECORD_FIELD(id, name, field, type, flags) FIELD(trace_record, name, field, type, flags)
#define EVENT_FIELD(id, name, field, type, flags) FIELD(trace_event, name, field, type, flags)

static const struct trace_field record_fields[] = { TRACE_RECORD_COLUMNS(RECORD_FIELD) };
static const struct trace_field event_fields[] = { TRACE_EVENT_COLUMNS(EVENT_FIELD) };

_Static_assert(TRACE_ECOLS <= 64 * TRACE_COLUMN_WORDS, "head.columns holds both kinds");

const struct trace_table *trace_table(enum trace_kind kind)
{
	static const struct trace_table tables[] = {
		[TRACE_WAKEUPS] = { record_fields, TRACE_COLS, sizeof(struct trace_record) },
		[TRACE_WRITERS] = { event_fields, TRACE_ECOLS, sizeof(struct trace_event) },
	};

	return &tables[kind];
}

int trace_table_find(const struct trace_table *table, const char *name, size_t len,
		     unsigned int guess)
{
	for (unsigned int k = 0; k < table->n; k++) {
		unsigned int i = (guess + k) % table->n;
		const char *known = table->fields[i].name;

		if (!strncmp(known, name, len) && !known[len])
			return i;
	}
	return -1;
}

static const char *const type_names[] = {
	[TRACE_UINT] = "uint", [TRACE_INT] = "int", [TRACE_CPU] = "cpu",
	[TRACE_MASK] = "mask", [TRACE_TEXT] = "text",
};

const char *trace_type_name(enum trace_type type)
{
	return type_names[type];
}

int trace_type_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(*type_names); i++)
		if (!strncmp(type_names[i], name, len) && !type_names[i][len])
			return i;
	return -1;
}

unsigned int trace_field_count(const struct trace_field *field, unsigned int nr_cpus)
{
	if (field->flags & TRACE_LIST)
		return nr_cpus;
	if (field->type == TRACE_MASK)
		return (nr_cpus + 63) / 64;
	return field->words ? field->words : 1;
}

size_t trace_field_step(const struct trace_field *field)
{
	return field->flags & TRACE_LIST ? sizeof(struct trace_cpu) : field->size;
}

bool trace_is_word(const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == ',')
			return false;
	return len && len < room;
}

bool trace_is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

const char *trace_table_missing(const struct trace_table *table, const uint64_t *columns)
{
	for (unsigned int i = 0; i < table->n; i++)
		if (table->fields[i].flags & TRACE_NEEDED && !(columns[i / 64] >> (i % 64) & 1))
			return table->fields[i].name;
	return NULL;
}

static void print_table(FILE *out, const char *title, const struct trace_table *table)
{
	fprintf(out, "%-24s %-5s %4s  %-4s %s\n", title, "type", "bits", "per", "needed");
	for (unsigned int i = 0; i < table->n; i++) {
		const struct trace_field *f = &table->fields[i];

		fprintf(out, "%-24s %-5s ", f->name, trace_type_name(f->type));
		if (f->type == TRACE_MASK)
			fprintf(out, "%4s", "cpus");
		else
			fprintf(out, "%4u", f->words ? 64 * f->words : 8 * f->size);
		fprintf(out, "  %-4s %s\n", f->flags & TRACE_LIST ? "cpu" : "line",
			f->flags & TRACE_NEEDED ? "yes" : "no");
	}
}

void trace_print_columns(FILE *out)
{
	print_table(out, "wake-ups", trace_table(TRACE_WAKEUPS));
	fputc('\n', out);
	print_table(out, "writers", trace_table(TRACE_WRITERS));
}
