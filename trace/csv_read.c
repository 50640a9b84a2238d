// SPDX-License-Identifier: GPL-2.0-only
/* CSV: the first line names the columns, in any order; every other line is a record. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"

#define SHOWN	24	/* characters of a bad value in a message */
#define SKIPPED	-1

struct trace_csv {
	struct trace_lines *lines;
	int *fields;		/* of the table, by place in the line; or SKIPPED */
	unsigned int n;
};

static int fail_value(const struct trace_reader *r, const struct trace_field *field,
		      const char *expected, const char *value, struct trace_error *err)
{
	const struct trace_place at = trace_lines_place(r->csv->lines);
	int len = strcspn(value, ",;");

	return trace_fail(err, &at, -EBADMSG, "column %s expects %s, not \"%.*s\"%s", field->name,
			  expected, len < SHOWN ? len : SHOWN, value, len > SHOWN ? "..." : "");
}

/* Behind the number; NULL if there is none or it needs more than 64 bits. */
static const char *read_decimal(const char *p, uint64_t *value)
{
	const char *begin = p;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return NULL;
	*value = v;
	return p == begin ? NULL : p;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hex digits into words, the least significant first; NULL: none, or a bit above the words. */
static const char *read_hex(const char *p, uint64_t *words, unsigned int nr_words)
{
	const char *end = p, *digit;
	unsigned int shift = 0;

	while (hex_digit(*end) >= 0)
		end++;
	memset(words, 0, nr_words * sizeof(*words));
	for (digit = end; digit > p; shift += 4) {
		uint64_t value = hex_digit(*--digit);

		if (!value)
			continue;
		if (shift / 64 >= nr_words)
			return NULL;
		words[shift / 64] |= value << shift % 64;
	}
	return end == p ? NULL : end;
}

static bool is_hex(const char *p)
{
	return p[0] == '0' && (p[1] | 0x20) == 'x';
}

static int parse_number(struct trace_reader *r, const struct trace_field *field, const char **text,
			void *to, struct trace_error *err)
{
	bool negative = field->type == TRACE_INT && **text == '-';
	const char *p = *text + negative;
	uint64_t value, max = field->size == 8 ? UINT64_MAX : UINT32_MAX;

	p = is_hex(p) ? read_hex(p + 2, &value, 1) : read_decimal(p, &value);
	if (field->type == TRACE_INT)
		max = max / 2 + negative;
	if (field->type == TRACE_CPU)
		max = r->head.nr_cpus - 1;
	if (!p || value > max) {
		char expected[64];

		snprintf(expected, sizeof(expected), "a number of %s to %llu",
			 field->type != TRACE_INT ? "0" : "-2^31", (unsigned long long)max);
		return fail_value(r, field, expected, *text, err);
	}
	trace_set(to, field, negative ? -value : value);
	*text = p;
	return 0;
}

static int parse_list(struct trace_reader *r, const struct trace_field *field, const char **text,
		      char *to, struct trace_error *err)
{
	const struct trace_place at = trace_lines_place(r->csv->lines);
	size_t step = trace_field_step(field);
	unsigned int n = 0;

	for (;; (*text)++) {
		int ret;

		if (n == r->head.nr_cpus)
			return trace_fail(err, &at, -EBADMSG,
					  "column %s has more than %u numbers, one for each CPU",
					  field->name, n);
		ret = parse_number(r, field, text, to + n++ * step, err);
		if (ret)
			return ret;
		if (**text != ';')
			break;
	}
	if (n < r->head.nr_cpus)
		return trace_fail(err, &at, -EBADMSG, "column %s has %u numbers for %u CPUs",
				  field->name, n, r->head.nr_cpus);
	return 0;
}

static int parse_mask(struct trace_reader *r, const struct trace_field *field, const char **text,
		      uint64_t *words, struct trace_error *err)
{
	unsigned int nr_cpus = r->head.nr_cpus, n = (nr_cpus + 63) / 64;
	const char *p = *text;
	char expected[64];

	if (is_hex(p)) {
		p = read_hex(p + 2, words, n);
	} else {
		memset(words, 0, n * sizeof(*words));
		p = read_decimal(p, &words[0]);
	}
	if (p && !(words[n - 1] & ~trace_last_word(nr_cpus))) {
		*text = p;
		return 0;
	}
	snprintf(expected, sizeof(expected), "a mask of %u CPUs", nr_cpus);
	return fail_value(r, field, expected, *text, err);
}

static int parse_text(struct trace_reader *r, const struct trace_field *field, const char **text,
		      char *to, struct trace_error *err)
{
	size_t room = field->words * 8u, len = strcspn(*text, ",");

	memset(to, 0, room);
	memcpy(to, *text, len < room ? len : room);
	if (!trace_is_word(to, room))
		return fail_value(r, field, "a word", *text, err);
	*text += len;
	return 0;
}

static int parse_field(struct trace_reader *r, const struct trace_field *field, const char **text,
		       struct trace_error *err)
{
	char *to = (char *)&r->object + field->offset;
	const char *begin = *text;
	int ret;

	if (field->type == TRACE_TEXT)
		ret = parse_text(r, field, text, to, err);
	else if (field->type == TRACE_MASK)
		ret = parse_mask(r, field, text, (uint64_t *)(void *)to, err);
	else if (field->flags & TRACE_LIST)
		ret = parse_list(r, field, text, to, err);
	else
		ret = parse_number(r, field, text, to, err);
	if (!ret && **text && **text != ',')
		ret = fail_value(r, field, "nothing but numbers", begin, err);
	return ret;
}

int trace_csv_next(struct trace_reader *r, struct trace_error *err)
{
	const struct trace_csv *csv = r->csv;
	struct trace_place at;
	const char *p;
	char *line, *end;
	int ret = trace_lines_next(csv->lines, &line, &end, err);

	if (ret <= 0)
		return ret;
	at = trace_lines_place(csv->lines);
	p = line;
	for (unsigned int i = 0; i < csv->n; i++) {
		if (i && *p++ != ',')
			return trace_fail(err, &at, -EBADMSG,
					  "%u columns, the first line has %u", i, csv->n);
		if (csv->fields[i] == SKIPPED) {
			p += strcspn(p, ",");
			continue;
		}
		ret = parse_field(r, &r->table->fields[csv->fields[i]], &p, err);
		if (ret)
			return ret;
	}
	if (p != end)
		return trace_fail(err, &at, -EBADMSG, *p ? "more columns than the first line has" :
							   "a zero byte");
	return 1;
}

/* Only events have a type. */
static enum trace_kind kind_of(const char *line)
{
	size_t len;

	for (;; line += len + 1) {
		len = strcspn(line, ",");
		if (len == 4 && !memcmp(line, "type", 4))
			return TRACE_WRITERS;
		if (!line[len])
			return TRACE_WAKEUPS;
	}
}

static int map_columns(struct trace_reader *r, const char *line, struct trace_error *err)
{
	const struct trace_place at = trace_lines_place(r->csv->lines);
	struct trace_csv *csv = r->csv;
	size_t len, n = 1;

	for (const char *p = line; *p; p++)
		n += *p == ',';
	csv->fields = malloc(n * sizeof(*csv->fields));
	if (!csv->fields)
		return trace_fail(err, &at, -ENOMEM, "%s", strerror(ENOMEM));
	for (const char *name = line; csv->n < n; name += len + 1) {
		uint64_t *columns = r->head.columns;
		int i;

		len = strcspn(name, ",");
		i = trace_table_find(r->table, name, len, csv->n);
		csv->fields[csv->n++] = i;
		if (i < 0) {
			r->head.skipped_columns++;
			continue;
		}
		if (trace_has(&r->head, i))
			return trace_fail(err, &at, -EBADMSG, "column %s twice",
					  r->table->fields[i].name);
		columns[i / 64] |= 1ull << (i % 64);
	}
	return 0;
}

/* The first byte of a line that is no plain text: a byte order mark, a carriage return. */
static const unsigned char *odd_byte(const char *line)
{
	const unsigned char *p = (const unsigned char *)line;

	while (*p >= ' ' && *p < 0x7f)
		p++;
	return *p ? p : NULL;
}

static int read_first_line(struct trace_reader *r, struct trace_error *err)
{
	const unsigned char *odd;
	const char *missing;
	struct trace_place at;
	char *line, *end;
	int ret = trace_lines_next(r->csv->lines, &line, &end, err);

	if (ret <= 0)
		return ret ? ret : trace_fail_file(err, r->path, -EBADMSG, "an empty file");
	at = trace_lines_place(r->csv->lines);
	if (strlen(line) != (size_t)(end - line))
		return trace_fail(err, &at, -EBADMSG, "a zero byte: not a recording");
	r->head.kind = kind_of(line);
	r->table = trace_table(r->head.kind);
	ret = map_columns(r, line, err);
	if (ret)
		return ret;
	if (r->head.skipped_columns == r->csv->n)
		return trace_fail(err, &at, -EBADMSG,
				  "not a recording: neither wakelab's own format nor known columns");
	odd = odd_byte(line);
	if (odd)
		return trace_fail(err, &at, -EBADMSG,
				  "byte 0x%02x at column %zu; lines are plain text and end in a newline",
				  *odd, (size_t)((const char *)odd - line) + 1);
	missing = trace_table_missing(r->table, r->head.columns);
	if (missing)
		return trace_fail(err, &at, -EBADMSG, "no column %s, which every recording needs",
				  missing);
	return 0;
}

/* Without TOPO lines the first list of the first record counts the CPUs. */
static int count_cpus(struct trace_reader *r, struct trace_error *err)
{
	struct trace_place at;
	const char *p;
	char *line, *end;
	int ret = trace_lines_next(r->csv->lines, &line, &end, err);
	unsigned int n = 0;

	if (ret < 0)
		return ret;
	p = ret ? strchr(line, ';') : NULL;
	if (!p)
		return trace_fail_file(err, r->path, -EBADMSG,
				       "the number of CPUs is unknown: machine.txt has no TOPO line");
	while (p > line && p[-1] != ',')
		p--;
	for (n = 1; *p && *p != ','; p++)
		n += *p == ';';
	at = trace_lines_place(r->csv->lines);
	if (n > TRACE_NR_CPUS)
		return trace_fail(err, &at, -EBADMSG, "a list of %u CPUs, %d are the limit", n,
				  TRACE_NR_CPUS);
	r->head.nr_cpus = n;
	trace_lines_unread(r->csv->lines);
	return 0;
}

int trace_csv_open(struct trace_reader *r, bool gzip, struct trace_error *err)
{
	struct trace_csv *csv = calloc(1, sizeof(*csv));
	char *machine_path;
	int ret;

	r->csv = csv;
	r->head.format = TRACE_CSV;
	if (!csv)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	ret = trace_lines_open(&r->src, r->path, gzip, &csv->lines, err);
	if (!ret)
		ret = read_first_line(r, err);
	if (!ret && !r->machine)
		ret = trace_machine_read(r->path, &r->machine, &r->head.machine_len, err);
	if (ret)
		return ret;
	r->head.machine = r->machine;
	machine_path = trace_machine_path(r->path);
	if (!machine_path)
		return trace_fail_file(err, r->path, -ENOMEM, "%s", strerror(ENOMEM));
	ret = trace_machine_parse(r, machine_path, err);
	free(machine_path);
	if (!ret && !r->head.nr_cpus)
		ret = count_cpus(r, err);
	return ret;
}

void trace_csv_close(struct trace_reader *r)
{
	if (!r->csv)
		return;
	trace_lines_close(r->csv->lines);
	free(r->csv->fields);
	free(r->csv);
}
