// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "tests/trace_sample.h"

/* Reads n samples out of a text whose columns may be fewer, others are then 0. */
static void assert_samples(struct bytes text, enum trace_kind kind, unsigned int nr_cpus,
			   unsigned int n)
{
	const struct trace_table *table = trace_table(kind);
	char *machine = sample_machine(nr_cpus), *expected = malloc(table->object_size);
	const void *object = NULL;
	struct trace_reader *r;

	assert_int_equal(trace_open_memory("d/s.csv.gz", text.data, text.len, machine, &r, NULL), 0);
	assert_int_equal(trace_head(r)->kind, kind);
	assert_int_equal(trace_head(r)->nr_cpus, nr_cpus);
	assert_int_equal(trace_head(r)->format, TRACE_CSV);
	assert_string_equal(trace_head(r)->load, "s");
	for (unsigned int i = 0; i < n; i++) {
		sample_object(table, nr_cpus, i, expected);
		if (!trace_has(trace_head(r), TRACE_COL_X_NSW) && kind == TRACE_WAKEUPS)
			((struct trace_record *)(void *)expected)->nr_switches = 0;
		assert_int_equal(kind == TRACE_WAKEUPS ?
			trace_next(r, (const struct trace_record **)&object, NULL) :
			trace_next_event(r, (const struct trace_event **)&object, NULL), 1);
		assert_int_equal(trace_position(r), i);
		assert_same_object(table, trace_head(r), expected, object);
	}
	assert_int_equal(kind == TRACE_WAKEUPS ?
		trace_next(r, (const struct trace_record **)&object, NULL) :
		trace_next_event(r, (const struct trace_event **)&object, NULL), 0);
	trace_close(r);
	free(expected);
	free(machine);
}

static void keeps_every_field(void **state)
{
	static const unsigned int sizes[] = { 1, 4, 64, 65, 1024 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (int kind = TRACE_WAKEUPS; kind <= TRACE_WRITERS; kind++) {
			struct bytes text = sample_recording(TRACE_CSV, kind, sizes[i], 20);

			assert_samples(text, kind, sizes[i], 20);
			free(text.data);
		}
	}
}

static void takes_columns_by_their_names(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 1);

	(void)state;
	/* two exchanged: the values go with the names */
	text = replaced(text, "seq,t_in,", "t_in,seq,");
	assert_int_equal(text.data[0], 't');
	text = replaced(text, "x.nsw,", "later,");
	{
		char *machine = sample_machine(4);
		const struct trace_record *rec;
		struct trace_record expected;
		struct trace_reader *r;

		sample_object(trace_table(TRACE_WAKEUPS), 4, 0, &expected);
		assert_int_equal(trace_open_memory("x", text.data, text.len, machine, &r, NULL), 0);
		assert_int_equal(trace_head(r)->skipped_columns, 1);
		assert_int_equal(trace_next(r, &rec, NULL), 1);
		assert_true(rec->seq == expected.t_in && rec->t_in == expected.seq);
		assert_int_equal(rec->nr_switches, 0);
		assert_true(rec->nr_switches_out == expected.nr_switches_out);
		trace_close(r);
		free(machine);
	}
	free(text.data);
}

/* In a text of one record of 4 CPUs, the value of a column replaced. */
static struct bytes with_value(const char *column, const char *value)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 1), result;
	const char *name = (char *)text.data, *field = strchr(name, '\n') + 1, *rest;
	size_t len;

	while (len = strcspn(name, ",\n"), strncmp(name, column, len) || column[len]) {
		name += len + 1;
		field = strchr(field, ',') + 1;
	}
	rest = field + strcspn(field, ",\n");
	result.data = malloc(text.len + strlen(value) + 1);
	result.len = sprintf((char *)result.data, "%.*s%s%s", (int)(field - (char *)text.data),
			     (char *)text.data, value, rest);
	free(text.data);
	return result;
}

static void names_line_and_column_of_a_bad_value(void **state)
{
	static const char *const cases[][2] = {
		{ "seq", "" }, { "seq", "x" }, { "seq", "-1" }, { "seq", "1 " }, { "seq", " 1" },
		{ "seq", "18446744073709551616" }, { "seq", "20000000000000000000" }, { "seq", "0x" }, { "seq", "1;2" },
		{ "seq", "0x10000000000000000" }, { "wake_flags", "4294967296" },
		{ "wake_flags", "0x100000000" }, { "affine_this", "2147483648" },
		{ "affine_this", "-2147483649" }, { "affine_this", "--1" }, { "ret", "4" },
		{ "ret", "-1" }, { "waker.recent_used_cpu", "99" }, { "idle", "0x10" },
		{ "idle", "16" }, { "idle", "-1" }, { "idle", "0x" }, { "idle", "0xg" },
		{ "waker.allowed", "0xfffff" }, { "cpu.flags", "1;2;3" }, { "cpu.flags", "" },
		{ "cpu.flags", "1;2;3;4;5" }, { "cpu.flags", "1;2;3;" }, { "cpu.flags", "1;2;x;4" },
		{ "cpu.capacity", "1;2;3" }, { "cpu.capacity", "1;2;3;4;" },
		{ "cpu.capacity", "1;2;3;4294967296" }, { "cpu.capacity", "1;2;3;4\r" },
	};
	char *machine = sample_machine(4);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes text = with_value(cases[i][0], cases[i][1]);

		assert_bad(text, machine, "sample.csv:2", cases[i][0]);
		free(text.data);
	}
	free(machine);
}

static void takes_numbers_in_both_bases(void **state)
{
	static const struct {
		const char *column, *text;
		size_t offset;
		uint64_t value;
		int bytes;
	} cases[] = {
		{ "seq", "0xffffffffffffffff", offsetof(struct trace_record, seq), UINT64_MAX, 8 },
		{ "seq", "18446744073709551615", offsetof(struct trace_record, seq), UINT64_MAX, 8 },
		{ "affine_this", "-2147483648", offsetof(struct trace_record, affine_this),
		  1ull << 31, 4 },
		{ "wakee.util_est", "2147483648", offsetof(struct trace_record, wakee.util_est),
		  1ull << 31, 8 },
		{ "ret", "0X3", offsetof(struct trace_record, ret), 3, 4 },
		{ "idle", "15", offsetof(struct trace_record, idle), 15, 8 },
		{ "idle", "0x0000000000000000000000000000000B", offsetof(struct trace_record, idle),
		  11, 8 },
		{ "waker.allowed", "0xf", offsetof(struct trace_record, waker.allowed), 15, 8 },
	};
	char *machine = sample_machine(4);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes text = with_value(cases[i].column, cases[i].text);
		const struct trace_record *rec;
		struct trace_reader *r;

		assert_int_equal(trace_open_memory("x", text.data, text.len, machine, &r, NULL), 0);
		assert_int_equal(trace_next(r, &rec, NULL), 1);
		assert_memory_equal((char *)rec + cases[i].offset, &cases[i].value, cases[i].bytes);
		trace_close(r);
		free(text.data);
	}
	free(machine);
}

static void names_what_is_wrong_in_a_line(void **state)
{
	static const char *const cases[][4] = {
		{ "seq,", "sec,", ":1", "no column seq" },
		{ "x.nsw,", "seq,", ":1", "column seq twice" },
		{ "cpu.capacity\n", "cpu.capacity,more\n", ":2", "99 columns" },
		{ ",cpu.capacity\n", "\n", ":1", "no column cpu.capacity" },
		{ "cpu.capacity\n", "cpu.capacity\r\n", ":1", "byte 0x0d at column" },
		{ "seq,", "\xef\xbb\xbfseq,", ":1", "byte 0xef at column 1" },
		{ "cpu.capacity\n", "cpu.capacity\n\n", ":2", "seq" },
	};
	char *machine = sample_machine(4);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 2);

		text = replaced(text, cases[i][0], cases[i][1]);
		if (strstr(cases[i][3], "99")) {
			char expected[32];

			snprintf(expected, sizeof(expected), "%d columns", TRACE_COLS);
			assert_bad(text, machine, cases[i][2], expected);
		} else {
			assert_bad(text, machine, cases[i][2], cases[i][3]);
		}
		free(text.data);
	}
	free(machine);
}

static void refuses_more_fields_than_columns(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 1);
	char *machine = sample_machine(4);

	(void)state;
	memcpy(text.data + text.len - 1, ",", 1);	/* and a newline behind it */
	text.data[text.len++] = '\n';
	assert_bad(text, machine, ":2", "more columns");
	text.data[text.len - 2] = '\0';
	assert_bad(text, machine, ":2", "zero byte");
	free(text.data);
	free(machine);
}

static void refuses_a_text_cut_within_a_line(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 3);
	char *machine = sample_machine(4);
	uint64_t n;

	(void)state;
	for (size_t len = 0; len < text.len; len++) {
		uint8_t *copy = malloc(len + !len);
		int ret;

		memcpy(copy, text.data, len);
		ret = read_all(copy, len, machine, &n, NULL);
		/* a text that ends with a line may be all there is */
		assert_int_equal(ret, len && text.data[len - 1] == '\n' ? 0 : -EBADMSG);
		free(copy);
	}
	free(text.data);
	free(machine);
}

static void refuses_an_endless_line(void **state)
{
	size_t len = TRACE_LINE_MAX + 100;
	char *line = malloc(len);

	(void)state;
	memset(line, 'x', len);
	assert_bad((struct bytes){ (uint8_t *)line, len }, "", ":1", "a line of more than");
	free(line);
}

static struct bytes gzipped(struct bytes text)
{
	struct bytes gzip = { malloc(compressBound(text.len) + 64), 0 };
	z_stream z = { .next_in = text.data, .avail_in = text.len, .next_out = gzip.data,
		       .avail_out = compressBound(text.len) + 64 };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	gzip.len = z.total_out;
	deflateEnd(&z);
	free(text.data);
	return gzip;
}

static void unpacks_gzip_and_refuses_it_cut_anywhere(void **state)
{
	struct bytes file = gzipped(sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 30));
	char *machine = sample_machine(4);
	uint64_t n;

	(void)state;
	assert_samples(file, TRACE_WAKEUPS, 4, 30);
	for (size_t len = 0; len < file.len; len++) {
		uint8_t *copy = malloc(len + !len);

		memcpy(copy, file.data, len);
		if (read_all(copy, len, machine, &n, NULL) != -EBADMSG)
			fail_msg("%zu of %zu bytes were accepted", len, file.len);
		free(copy);
	}
	file.data[file.len - 6] ^= 1;
	assert_bad(file, machine, "byte", "gzip");
	file.data[file.len - 6] ^= 1;
	file.data[file.len] = 'x';
	file.len++;
	assert_bad(file, machine, "byte", "gzip");
	free(file.data);
	free(machine);
}

static void unpacks_members_one_after_another(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 30), a, b;

	(void)state;
	a.len = text.len / 2;
	b.len = text.len - a.len;
	a.data = malloc(a.len);
	b.data = malloc(b.len);
	memcpy(a.data, text.data, a.len);
	memcpy(b.data, text.data + a.len, b.len);
	free(text.data);
	a = gzipped(a);
	b = gzipped(b);
	a.data = realloc(a.data, a.len + b.len);
	memcpy(a.data + a.len, b.data, b.len);
	a.len += b.len;
	assert_samples(a, TRACE_WAKEUPS, 4, 30);
	free(a.data);
	free(b.data);
}

static void counts_the_cpus_without_topo_lines(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 3);
	struct bytes events = sample_recording(TRACE_CSV, TRACE_WRITERS, 4, 3);
	uint64_t n;

	(void)state;
	assert_int_equal(read_all(text.data, text.len, "kernel x\nhz 1\n", &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_bad(text, "kernel x\nhz 1\nTOPO 4 4\n", ":2", "4 numbers for 5 CPUs");
	assert_bad(text, "kernel x\nhz 1\nTOPO 2 2\n", ":2", "");
	assert_bad(events, "kernel x\nhz 1\n", "sample", "number of CPUs is unknown");
	free(text.data);
	free(events.data);
}

static void names_what_is_wrong_in_the_machine_text(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 3);

	(void)state;
	assert_bad(text, "", "folder/machine.txt", "kernel");
	assert_bad(text, "kernel x\n", "folder/machine.txt", "hz");
	assert_bad(text, "kernel \nhz 250\n", "folder/machine.txt", "kernel");
	assert_bad(text, "kernel x\nhz 0\n", "folder/machine.txt:2", "hz");
	assert_bad(text, "kernel x\nkernel y\n", "folder/machine.txt:2", "second");
	assert_bad(text, "kernel x\nhz 250\nTOPO 1024 0\n", "folder/machine.txt:3", "TOPO");
	assert_bad(text, "kernel x\nhz 250\nTOPO -1 0\n", "folder/machine.txt:3", "TOPO");
	free(text.data);
}

static void needs_its_machine_text_beside_it(void **state)
{
	struct bytes text = sample_recording(TRACE_CSV, TRACE_WAKEUPS, 4, 3);
	char *folder = make_folder(), *path = path_in(folder, "load-1.5.csv.gz");
	char *beside = path_in(folder, "machine.txt"), *machine = sample_machine(4);
	struct trace_error err;
	struct trace_reader *r;

	(void)state;
	text = gzipped(text);
	write_file(path, text.data, text.len);
	assert_int_equal(trace_open(path, &r, &err), -ENOENT);
	assert_non_null(strstr(err.place, "machine.txt"));
	write_file(beside, machine, strlen(machine) + 1);	/* with its NUL */
	assert_int_equal(trace_open(path, &r, &err), -EBADMSG);
	write_file(beside, machine, strlen(machine));
	assert_int_equal(trace_open(path, &r, &err), 0);
	assert_string_equal(trace_head(r)->load, "load-1.5");
	assert_string_equal(trace_head(r)->machine, machine);
	assert_int_equal(trace_write_machine(path, trace_head(r), &err), 0);
	write_file(beside, "other", 5);
	assert_int_equal(trace_write_machine(path, trace_head(r), &err), -EEXIST);
	unlink(beside);
	assert_int_equal(trace_write_machine(path, trace_head(r), &err), 0);
	assert_int_equal(access(beside, R_OK), 0);
	trace_close(r);
	free(text.data);
	free(machine);
	free(beside);
	free(path);
	remove_folder(folder);
}

static void lists_the_recordings_of_folders(void **state)
{
	static const char *const names[] = { "b/z.csv", "a/x.wlr", "a/y.csv.gz", "a/machine.txt",
					     "a/.hidden.csv", "README.csv.md", "a/csv", "a/.csv" };
	char *folder = make_folder(), *a = path_in(folder, "a"), *b = path_in(folder, "b");
	char *empty = path_in(folder, "c"), *other = path_in(folder, "README.csv.md");
	const char *arguments[] = { b, folder, other }, *nothing = empty;
	struct trace_error err;
	char **files;
	size_t n;

	(void)state;
	assert_true(!mkdir(a, 0777) && !mkdir(b, 0777) && !mkdir(empty, 0777));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = path_in(folder, names[i]);

		write_file(path, "", 0);
		free(path);
	}
	assert_int_equal(trace_files(arguments, 3, &files, &n, NULL), 0);
	assert_int_equal(n, 4);		/* b/z.csv is named twice */
	assert_string_equal(files[0] + strlen(folder), "/README.csv.md");
	assert_string_equal(files[1] + strlen(folder), "/a/x.wlr");
	assert_string_equal(files[2] + strlen(folder), "/a/y.csv.gz");
	assert_string_equal(files[3] + strlen(folder), "/b/z.csv");
	trace_files_free(files, n);
	assert_int_equal(trace_files(&nothing, 1, &files, &n, &err), -ENOENT);
	assert_string_equal(err.place, empty);
	assert_null(files);
	nothing = "/nonexistent/x.csv";
	assert_int_equal(trace_files(&nothing, 1, &files, &n, &err), -ENOENT);
	free(a);
	free(b);
	free(empty);
	free(other);
	remove_folder(folder);
}

static void messages_are_printable_and_bounded(void **state)
{
	struct bytes text = with_value("seq", "\033[2J\x9b");
	char *machine = sample_machine(4), path[5000];
	struct trace_error err = { "", "" };
	uint64_t n;

	(void)state;
	assert_int_equal(read_all(text.data, text.len, machine, &n, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "?[2J?"));
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	trace_fail_file(&err, path, -EBADMSG, "%s", path);
	assert_true(strlen(err.place) < sizeof(err.place) && strlen(err.text) < sizeof(err.text));
	free(machine);
	free(text.data);
}

/* Turns one recording into the other formats and back; every column, every byte. */
static void check_recording(const char *path, const char *folder)
{
	char *native = path_in(folder, "n.wlr"), *csv = path_in(folder, "c.csv");
	const char *from[] = { path, native };
	char *to[] = { native, csv };
	struct bytes text;
	gzFile gz;

	for (int i = 0; i < 2; i++) {
		const struct trace_record *rec;
		const struct trace_event *ev;
		struct trace_reader *r;
		struct trace_writer *w;
		int ret;

		assert_int_equal(trace_open(from[i], &r, NULL), 0);
		assert_int_equal(trace_create_as(i ? TRACE_CSV : TRACE_NATIVE, to[i], trace_head(r),
						 &w, NULL), 0);
		if (trace_head(r)->kind == TRACE_WAKEUPS)
			while ((ret = trace_next(r, &rec, NULL)) > 0)
				assert_int_equal(trace_write(w, rec, NULL), 0);
		else
			while ((ret = trace_next_event(r, &ev, NULL)) > 0)
				assert_int_equal(trace_write_event(w, ev, NULL), 0);
		assert_int_equal(ret, 0);
		assert_int_equal(trace_commit(w, NULL), 0);
		trace_close(r);
	}
	text = read_file(csv);
	gz = gzopen(path, "rb");	/* reads what isn't packed as well */
	for (size_t at = 0; at < text.len; ) {
		char piece[16384];
		int len = gzread(gz, piece, sizeof(piece));

		assert_in_range(len, 1, text.len - at);
		assert_memory_equal(piece, text.data + at, len);
		at += len;
	}
	assert_int_equal(gzgetc(gz), -1);
	gzclose(gz);
	free(text.data);
	free(native);
	free(csv);
}

static void real_recordings_come_back_byte_by_byte(void **state)
{
	const char *data = getenv("WAKELAB_DATA");
	char *folder, **files, *decisions;
	const char *argument;
	size_t n;

	(void)state;
	if (!data)
		skip();
	decisions = path_in(data, "decisions");
	argument = access(decisions, R_OK) ? data : decisions;
	assert_int_equal(trace_files(&argument, 1, &files, &n, NULL), 0);
	folder = make_folder();
	for (size_t i = 0; i < n; i++)
		check_recording(files[i], folder);
	trace_files_free(files, n);
	free(decisions);
	remove_folder(folder);
}

static void manual_lists_every_column(void **state)
{
	const char *source = getenv("WAKELAB_SOURCE");
	struct bytes page;
	char *path, item[64];

	(void)state;
	if (!source)
		skip();
	path = path_in(source, "docs/man/wakelab-record-format.5");
	page = read_file(path);
	for (int kind = TRACE_WAKEUPS; kind <= TRACE_WRITERS; kind++) {
		const struct trace_table *table = trace_table(kind);

		for (unsigned int i = 0; i < table->n; i++) {
			const char *name = table->fields[i].name;

			/* both tasks share one list */
			if (!strncmp(name, "waker.", 6) || !strncmp(name, "wakee.", 6))
				name += 6;
			snprintf(item, sizeof(item), "\n.It Va %s Pq ", name);
			if (!strstr((char *)page.data, item))
				fail_msg("%s has no %s", path, name);
		}
	}
	free(page.data);
	free(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_every_field),
		cmocka_unit_test(takes_columns_by_their_names),
		cmocka_unit_test(names_line_and_column_of_a_bad_value),
		cmocka_unit_test(takes_numbers_in_both_bases),
		cmocka_unit_test(names_what_is_wrong_in_a_line),
		cmocka_unit_test(refuses_more_fields_than_columns),
		cmocka_unit_test(refuses_a_text_cut_within_a_line),
		cmocka_unit_test(refuses_an_endless_line),
		cmocka_unit_test(unpacks_gzip_and_refuses_it_cut_anywhere),
		cmocka_unit_test(unpacks_members_one_after_another),
		cmocka_unit_test(counts_the_cpus_without_topo_lines),
		cmocka_unit_test(names_what_is_wrong_in_the_machine_text),
		cmocka_unit_test(needs_its_machine_text_beside_it),
		cmocka_unit_test(lists_the_recordings_of_folders),
		cmocka_unit_test(messages_are_printable_and_bounded),
		cmocka_unit_test(manual_lists_every_column),
		cmocka_unit_test(real_recordings_come_back_byte_by_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
