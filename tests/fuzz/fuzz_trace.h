/* SPDX-License-Identifier: GPL-2.0-only */
/* What both targets do with a recording: read it and see that the reader kept its word. */
#ifndef TESTS_FUZZ_FUZZ_TRACE_H
#define TESTS_FUZZ_FUZZ_TRACE_H

#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"

#define RECORDS_MAX	5000	/* small blocks can hold millions */

static void check_object(const struct trace_head *head, const void *object)
{
	const struct trace_table *table = trace_table(head->kind);

	for (unsigned int i = 0; i < table->n; i++) {
		const struct trace_field *field = &table->fields[i];
		const char *from = (const char *)object + field->offset;
		unsigned int last = trace_field_count(field, head->nr_cpus) - 1;

		if (field->type == TRACE_CPU && trace_get(from, field) >= head->nr_cpus)
			abort();
		if (field->type == TRACE_MASK &&
		    trace_get(from + 8 * last, field) & ~trace_last_word(head->nr_cpus))
			abort();
		if (field->type == TRACE_TEXT && !trace_is_word(from, 8 * field->words))
			abort();
		if (!trace_has(head, i) && trace_get(from, field))
			abort();
	}
}

static void read_recording(const void *data, size_t len, const char *machine)
{
	const struct trace_record *rec = NULL;
	const struct trace_event *ev = NULL;
	struct trace_error err = { "", "" };
	const struct trace_head *head;
	struct trace_reader *r;
	int ret = trace_open_memory("fuzz/x.csv", data, len, machine, &r, &err);

	for (int i = 0; !ret && i < RECORDS_MAX; i++) {
		head = trace_head(r);
		ret = head->kind == TRACE_WAKEUPS ? trace_next(r, &rec, &err) :
						    trace_next_event(r, &ev, &err);
		if (ret <= 0)
			break;
		if (trace_position(r) != (uint64_t)i)
			abort();
		check_object(head, rec ? (const void *)rec : ev);
		ret = 0;
	}
	if (ret < 0 && (!err.place[0] || !err.text[0]))
		abort();
	if (r)
		trace_close(r);
}

#endif
