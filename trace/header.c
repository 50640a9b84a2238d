// SPDX-License-Identifier: GPL-2.0-only
/* The native format's header, in both directions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "trace/format.h"

static const char *const kind_names[] = {
	[TRACE_WAKEUPS] = "wakeups",
	[TRACE_WRITERS] = "writers",
};

static int make_room(struct trace_lanes *lanes, unsigned int count)
{
	struct trace_lane *more;
	unsigned int room = lanes->room ? lanes->room : 256;

	if (lanes->n + count > TRACE_LANES_MAX)
		return -EFBIG;
	while (room < lanes->n + count)
		room *= 2;
	if (room == lanes->room)
		return 0;
	more = realloc(lanes->lanes, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	lanes->lanes = more;
	lanes->room = room;
	return 0;
}

int trace_lanes_skip(struct trace_lanes *lanes, unsigned int count)
{
	int ret = make_room(lanes, count);

	if (ret)
		return ret;
	memset(lanes->lanes + lanes->n, 0, count * sizeof(*lanes->lanes));
	lanes->n += count;
	return 0;
}

int trace_lanes_add(struct trace_lanes *lanes, const struct trace_field *field,
		    unsigned int nr_cpus)
{
	unsigned int count = trace_field_count(field, nr_cpus);
	int ret = make_room(lanes, count);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < count; i++)
		lanes->lanes[lanes->n++] = (struct trace_lane){
			.at = field->offset + i * trace_field_step(field),
			.size = field->size,
			.type = field->type,
			.limit = UINT64_MAX,
		};
	if (field->type == TRACE_CPU)
		lanes->lanes[lanes->n - 1].limit = nr_cpus - 1;
	if (field->type == TRACE_MASK)	/* greater numbers are those with a bit above */
		lanes->lanes[lanes->n - 1].limit = trace_last_word(nr_cpus);
	return 0;
}

/* "cpu.flags uint32 16": one string, since opening a file costs mostly JSON. */
static json_t *columns_to_json(const struct trace_writer *w)
{
	json_t *columns = json_array();

	for (unsigned int i = 0; i < w->table->n; i++) {
		const struct trace_field *field = &w->table->fields[i];

		if (!trace_has(&w->head, i))
			continue;
		json_array_append_new(columns, json_sprintf(
			"%s %s%d %u", field->name, trace_type_name(field->type),
			8 * field->size, trace_field_count(field, w->head.nr_cpus)));
	}
	return columns;
}

int trace_header_write(const struct trace_writer *w, char **text, size_t *len,
		       struct trace_error *err)
{
	const struct trace_head *head = &w->head;
	json_t *machine = json_stringn(head->machine, head->machine_len);
	json_t *load = json_string(head->load);
	json_t *json;

	*text = NULL;
	if (!machine || !load) {
		json_decref(machine);
		json_decref(load);
		return trace_fail_file(err, w->path, -EINVAL, "the %s isn't UTF-8",
				       machine ? "load's name" : "machine's text");
	}
	json = json_pack("{s:s, s:o, s:i, s:o, s:o}", "kind", kind_names[head->kind],
			 "load", load, "cpus", (int)head->nr_cpus,
			 "columns", columns_to_json(w), "machine", machine);
	if (json)
		*text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	if (!*text)
		return trace_fail_file(err, w->path, -ENOMEM, "%s", strerror(ENOMEM));
	*len = strlen(*text);
	if (*len <= TRACE_HEADER_MAX)
		return 0;
	free(*text);
	return trace_fail_file(err, w->path, -EFBIG, "the machine's text is too long");
}

static int fail_header(const struct trace_reader *r, struct trace_error *err, const char *expected)
{
	return trace_fail_file(err, r->path, -EBADMSG, "header: %s", expected);
}

/* A string without a zero byte inside; NULL if it isn't one. */
static const char *text_of(const json_t *text)
{
	if (!json_is_string(text) || strlen(json_string_value(text)) != json_string_length(text))
		return NULL;
	return json_string_value(text);
}

/* 1..max, 0 if it is something else. */
static unsigned int number_of(const json_t *number, unsigned int max)
{
	json_int_t value = json_integer_value(number);	/* 0 of what isn't an integer */

	return value < 1 || value > max ? 0 : value;
}

/* As columns_to_json() writes it; name ends at name_len. */
static int parse_column(const char *text, size_t *name_len, unsigned int *type, bool *wide,
			unsigned int *count)
{
	const char *p = text + strcspn(text, " ");
	size_t len;

	*name_len = p - text;
	if (!*p++ || !*name_len)
		return -EBADMSG;
	len = strcspn(p, "0123456789");
	*type = trace_type_find(p, len);
	p += len;
	*wide = *p == '6';
	if (strncmp(p, *wide ? "64 " : "32 ", 3))
		return -EBADMSG;
	for (p += 3, *count = 0; *p >= '0' && *p <= '9' && *count <= TRACE_NR_CPUS; p++)
		*count = 10 * *count + *p - '0';
	return *p || !*count || *count > TRACE_NR_CPUS ? -EBADMSG : 0;
}

static int fail_lanes(const struct trace_reader *r, int code, struct trace_error *err)
{
	if (code == -EFBIG)
		return fail_header(r, err, "too many columns");
	return code ? trace_fail_file(err, r->path, code, "%s", strerror(-code)) : 0;
}

/* *last: the column before, since they mostly keep the table's order. */
static int read_column(struct trace_reader *r, const char *text, int *last,
		       struct trace_lanes *lanes, struct trace_error *err)
{
	const struct trace_field *field;
	unsigned int type, count;
	char expected[160];
	size_t len;
	bool wide;
	int i;

	if (!text || parse_column(text, &len, &type, &wide, &count))
		return fail_header(r, err, "a column is expected to be like \"ret cpu32 1\"");
	i = trace_table_find(r->table, text, len, *last + 1);
	if (i < 0) {
		r->head.skipped_columns++;
		return fail_lanes(r, trace_lanes_skip(lanes, count), err);
	}
	*last = i;
	field = &r->table->fields[i];
	if (type != field->type || (wide && field->size < 8) || trace_has(&r->head, i) ||
	    count != trace_field_count(field, r->head.nr_cpus)) {
		snprintf(expected, sizeof(expected),
			 "column %s is expected once, as %u times %s of up to %d bits", field->name,
			 trace_field_count(field, r->head.nr_cpus), trace_type_name(field->type),
			 8 * field->size);
		return fail_header(r, err, expected);
	}
	r->head.columns[i / 64] |= 1ull << (i % 64);
	return fail_lanes(r, trace_lanes_add(lanes, field, r->head.nr_cpus), err);
}

static int read_columns(struct trace_reader *r, const json_t *columns, struct trace_lanes *lanes,
			struct trace_error *err)
{
	const char *missing;
	json_t *column;
	int last = -1;
	size_t i;

	if (!json_is_array(columns))
		return fail_header(r, err, "\"columns\" is expected to be a list");
	json_array_foreach(columns, i, column) {
		int ret = read_column(r, text_of(column), &last, lanes, err);

		if (ret)
			return ret;
	}
	missing = trace_table_missing(r->table, r->head.columns);
	if (missing)
		return trace_fail_file(err, r->path, -EBADMSG,
				       "no column %s, which every recording needs", missing);
	return 0;
}

static int read_strings(struct trace_reader *r, const json_t *json, struct trace_error *err)
{
	const char *kind = text_of(json_object_get(json, "kind"));
	const char *load = text_of(json_object_get(json, "load"));
	const char *machine = text_of(json_object_get(json, "machine"));

	if (!kind || (strcmp(kind, kind_names[TRACE_WAKEUPS]) &&
		      strcmp(kind, kind_names[TRACE_WRITERS])))
		return fail_header(r, err, "\"kind\" is expected to be wakeups or writers");
	if (!load || !machine)
		return fail_header(r, err, "\"load\" and \"machine\" are expected to be strings");
	if (!*load || !trace_is_printable(load))
		return fail_header(r, err, "\"load\" is expected to be a name");
	r->head.kind = strcmp(kind, kind_names[TRACE_WAKEUPS]) ? TRACE_WRITERS : TRACE_WAKEUPS;
	r->table = trace_table(r->head.kind);
	free(r->load);
	free(r->machine);
	r->load = strdup(load);
	r->machine = strdup(machine);
	if (!r->load || !r->machine)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	r->head.machine = r->machine;
	r->head.machine_len = strlen(machine);
	return 0;
}

/* The machine's text tells CPUs too: then both have to agree. */
static int read_machine(struct trace_reader *r, unsigned int nr_cpus, struct trace_error *err)
{
	char *place;
	int ret;

	if (asprintf(&place, "%s (machine text)", r->path) < 0)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	ret = trace_machine_parse(r, place, err);
	free(place);
	if (ret)
		return ret;
	if (r->head.nr_cpus && r->head.nr_cpus != nr_cpus)
		return trace_fail_file(err, r->path, -EBADMSG,
				       "header: %u CPUs, the machine's text has %u", nr_cpus,
				       r->head.nr_cpus);
	r->head.nr_cpus = nr_cpus;
	return 0;
}

int trace_header_read(struct trace_reader *r, const char *text, size_t len,
		      struct trace_lanes *lanes, struct trace_error *err)
{
	json_error_t where;
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
	unsigned int nr_cpus;
	int ret;

	if (!json)
		return trace_fail_file(err, r->path, -EBADMSG, "header: byte %d: %s",
				       where.position, where.text);
	nr_cpus = number_of(json_object_get(json, "cpus"), TRACE_NR_CPUS);
	ret = read_strings(r, json, err);
	if (!ret && !nr_cpus)
		ret = fail_header(r, err, "\"cpus\" is expected to be a number of 1 to 1024");
	if (!ret)
		ret = read_machine(r, nr_cpus, err);
	if (!ret)
		ret = read_columns(r, json_object_get(json, "columns"), lanes, err);
	json_decref(json);
	return ret;
}
