// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/trace_sample.h"

char *sample_machine(unsigned int nr_cpus)
{
	char *text;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	fputs("kernel 6.1.0\nvariant test: \"quoted\" \xc3\xa9\nhz 250\n", file);
	for (unsigned int i = 0; i < nr_cpus; i++)
		fprintf(file, "TOPO %u %u MC:ff:117:xL\n", i, i);
	fclose(file);
	return text;
}

struct trace_head sample_head(enum trace_kind kind, unsigned int nr_cpus, const char *machine)
{
	struct trace_head head = {
		.load = "sample", .kind = kind, .nr_cpus = nr_cpus,
		.machine = machine, .machine_len = strlen(machine),
	};

	for (unsigned int i = 0; i < trace_table(kind)->n; i++)
		head.columns[i / 64] |= 1ull << (i % 64);
	return head;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Every third object has extremes, some lanes never change. */
static uint64_t sample_value(const struct trace_field *field, unsigned int lane,
			     unsigned int nr_cpus, unsigned int i)
{
	uint64_t random = mix(field->offset * 7919ull + lane * 104729ull + i);
	uint64_t max = field->size == 8 ? UINT64_MAX : UINT32_MAX;

	if (field->type == TRACE_CPU)
		return random % nr_cpus;
	if (field->type == TRACE_MASK)
		return lane + 1 == (nr_cpus + 63) / 64 ? random & trace_last_word(nr_cpus) : random;
	if (random % 5 == 0 || field->offset % 3 == 0)
		return field->offset % 100;
	if (i % 3 == 0)
		return random % 2 ? max : field->type == TRACE_INT ? 1ull << 31 : 0;
	return random >> (random % 64) & max;
}

void sample_object(const struct trace_table *table, unsigned int nr_cpus, unsigned int i,
		   void *object)
{
	memset(object, 0, table->object_size);
	for (unsigned int f = 0; f < table->n; f++) {
		const struct trace_field *field = &table->fields[f];
		char *to = (char *)object + field->offset;

		if (field->type == TRACE_TEXT) {
			snprintf(to, 64, "load-%u", i % 3);
			continue;
		}
		for (unsigned int k = 0; k < trace_field_count(field, nr_cpus); k++)
			trace_set(to + k * trace_field_step(field), field,
				  sample_value(field, k, nr_cpus, i));
	}
}

char *make_folder(void)
{
	const char *base = getenv("TMPDIR");
	char *folder;

	assert_true(asprintf(&folder, "%s/wakelab-test-XXXXXX", base ? base : "/tmp") > 0);
	assert_non_null(mkdtemp(folder));
	return folder;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void remove_folder(char *folder)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(folder);
}

char *path_in(const char *folder, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

struct bytes read_file(const char *path)
{
	struct bytes bytes = { NULL, 0 };
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	bytes.len = ftell(file);
	rewind(file);
	bytes.data = malloc(bytes.len + 1);
	assert_non_null(bytes.data);
	assert_int_equal(fread(bytes.data, 1, bytes.len, file), bytes.len);
	bytes.data[bytes.len] = '\0';
	fclose(file);
	return bytes;
}

void write_file(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

struct bytes sample_recording(enum trace_format format, enum trace_kind kind,
			      unsigned int nr_cpus, unsigned int n)
{
	const struct trace_table *table = trace_table(kind);
	char *folder = make_folder(), *path = path_in(folder, "sample");
	char *machine = sample_machine(nr_cpus);
	struct trace_head head = sample_head(kind, nr_cpus, machine);
	void *object = malloc(table->object_size);
	struct trace_writer *w;
	struct bytes bytes;

	assert_int_equal(trace_create_as(format, path, &head, &w, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		sample_object(table, nr_cpus, i, object);
		assert_int_equal(kind == TRACE_WAKEUPS ? trace_write(w, object, NULL) :
							 trace_write_event(w, object, NULL), 0);
	}
	assert_int_equal(trace_commit(w, NULL), 0);
	bytes = read_file(path);
	free(object);
	free(machine);
	free(path);
	remove_folder(folder);
	return bytes;
}

void assert_same_object(const struct trace_table *table, const struct trace_head *head,
			const void *a, const void *b)
{
	for (unsigned int f = 0; f < table->n; f++) {
		const struct trace_field *field = &table->fields[f];
		const char *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;

		for (unsigned int k = 0; k < trace_field_count(field, head->nr_cpus); k++) {
			uint64_t value = trace_get(x, field), other = trace_get(y, field);

			if (value != other)
				fail_msg("%s[%u]: %" PRIu64 " and %" PRIu64, field->name, k, value,
					 other);
			x += trace_field_step(field);
			y += trace_field_step(field);
		}
	}
}

int read_all(const void *data, size_t len, const char *machine, uint64_t *n,
	     struct trace_error *err)
{
	const struct trace_record *rec;
	const struct trace_event *ev;
	struct trace_reader *r;
	int ret = trace_open_memory("folder/sample.csv", data, len, machine, &r, err);

	*n = 0;
	if (ret)
		return ret;
	do {
		ret = trace_head(r)->kind == TRACE_WAKEUPS ? trace_next(r, &rec, err) :
							     trace_next_event(r, &ev, err);
		*n += ret > 0;
	} while (ret > 0);
	trace_close(r);
	return ret;
}

void assert_bad(struct bytes file, const char *machine, const char *place, const char *text)
{
	struct trace_error err = { "", "" };
	uint64_t n;
	int ret = read_all(file.data, file.len, machine, &n, &err);

	if (ret != -EBADMSG)
		fail_msg("%d instead of an error about \"%s\"", ret, text);
	if (!strstr(err.place, place) || !strstr(err.text, text))
		fail_msg("\"%s: %s\" instead of \"%s: %s\"", err.place, err.text, place, text);
}

struct bytes replaced(struct bytes text, const char *old, const char *new)
{
	size_t old_len = strlen(old), new_len = strlen(new), before;
	char *at = memmem(text.data, text.len, old, old_len);
	struct bytes result;

	if (!at)
		fail_msg("no \"%s\" there", old);
	before = at - (char *)text.data;
	result.len = text.len - old_len + new_len;
	result.data = malloc(result.len + 1);
	assert_non_null(result.data);
	memcpy(result.data, text.data, before);
	memcpy(result.data + before, new, new_len);
	memcpy(result.data + before + new_len, at + old_len, text.len - before - old_len);
	result.data[result.len] = '\0';
	free(text.data);
	return result;
}
