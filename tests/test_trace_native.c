// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "tests/trace_sample.h"
#include "trace/format.h"

/* What is inside the frame: header length, header, blocks, end mark. */
static struct bytes unpacked(struct bytes file)
{
	struct bytes inside = { malloc(8u << 20), 0 };

	assert_non_null(inside.data);
	inside.len = ZSTD_decompress(inside.data, 8u << 20, file.data + TRACE_PREFIX_LEN,
				     file.len - TRACE_PREFIX_LEN);
	assert_false(ZSTD_isError(inside.len));
	free(file.data);
	return inside;
}

static struct bytes packed(struct bytes inside)
{
	size_t room = ZSTD_compressBound(inside.len);
	struct bytes file = { malloc(TRACE_PREFIX_LEN + room), 0 };

	assert_non_null(file.data);
	memcpy(file.data, TRACE_MAGIC "\1\0\0\0", TRACE_PREFIX_LEN);
	file.len = ZSTD_compress(file.data + TRACE_PREFIX_LEN, room, inside.data, inside.len, 1);
	assert_false(ZSTD_isError(file.len));
	file.len += TRACE_PREFIX_LEN;
	free(inside.data);
	return file;
}

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static void put_u32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

/* A small recording whose header has old replaced. */
static struct bytes with_header(const char *old, const char *new)
{
	struct bytes inside = unpacked(sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 3));
	size_t before = inside.len;

	inside = replaced(inside, old, new);
	put_u32(inside.data, get_u32(inside.data) + inside.len - before);
	return packed(inside);
}

static void assert_header_bad(const char *old, const char *new, const char *text)
{
	struct bytes file = with_header(old, new);

	assert_bad(file, NULL, "sample", text);
	free(file.data);
}

/* Offset of the first block and how many lanes it has (4 CPUs). */
static size_t block_of(struct bytes inside, size_t *lanes)
{
	const struct trace_table *table = trace_table(TRACE_WAKEUPS);

	*lanes = 0;
	for (unsigned int i = 0; i < table->n; i++)
		*lanes += trace_field_count(&table->fields[i], 4);
	return 4 + get_u32(inside.data);
}

/* Offset in the lane tables of a column, which has to be a single number. */
static size_t lane_of(const char *name)
{
	const struct trace_table *table = trace_table(TRACE_WAKEUPS);
	size_t lane = 0;

	for (unsigned int i = 0; strcmp(table->fields[i].name, name); i++)
		lane += trace_field_count(&table->fields[i], 4);
	return lane;
}

static void check_round_trip(enum trace_kind kind, unsigned int nr_cpus, unsigned int n)
{
	const struct trace_table *table = trace_table(kind);
	struct bytes file = sample_recording(TRACE_NATIVE, kind, nr_cpus, n);
	void *expected = malloc(table->object_size);
	const struct trace_head *head;
	const void *object = NULL;
	struct trace_reader *r;

	assert_int_equal(trace_open_memory("x/other.wlr", file.data, file.len, NULL, &r, NULL), 0);
	head = trace_head(r);
	assert_int_equal(head->nr_cpus, nr_cpus);
	assert_int_equal(head->kind, kind);
	assert_int_equal(head->hz, 250);
	assert_int_equal(head->format, TRACE_NATIVE);
	assert_string_equal(head->load, "sample");
	assert_string_equal(head->release, "6.1.0");
	assert_string_equal(head->variant, "test: \"quoted\" \xc3\xa9");
	assert_int_equal(head->machine_len, strlen(head->machine));
	for (unsigned int i = 0; i < n; i++) {
		sample_object(table, nr_cpus, i, expected);
		assert_int_equal(kind == TRACE_WAKEUPS ?
			trace_next(r, (const struct trace_record **)&object, NULL) :
			trace_next_event(r, (const struct trace_event **)&object, NULL), 1);
		assert_int_equal(trace_position(r), i);
		assert_same_object(table, head, expected, object);
	}
	for (int again = 0; again < 2; again++)
		assert_int_equal(kind == TRACE_WAKEUPS ?
			trace_next(r, (const struct trace_record **)&object, NULL) :
			trace_next_event(r, (const struct trace_event **)&object, NULL), 0);
	trace_close(r);
	free(expected);
	free(file.data);
}

static void keeps_every_field(void **state)
{
	static const unsigned int sizes[] = { 1, 4, 16, 63, 64, 65, 1000, 1024 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check_round_trip(TRACE_WAKEUPS, sizes[i], sizes[i] < 64 ? 700 : 130);
		check_round_trip(TRACE_WRITERS, sizes[i], 300);
	}
	check_round_trip(TRACE_WAKEUPS, 16, 0);
	check_round_trip(TRACE_WAKEUPS, 16, 256);
}

static void writes_the_same_bytes_for_the_same_records(void **state)
{
	struct bytes a = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 16, 600);
	struct bytes b = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 16, 600);

	(void)state;
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	free(a.data);
	free(b.data);
}

static void refuses_a_file_cut_anywhere(void **state)
{
	struct bytes file = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 100);
	struct trace_error err;
	uint64_t n;

	(void)state;
	for (size_t len = 0; len < file.len; len++) {
		/* a copy of just this length, so that a read beyond it shows */
		uint8_t *copy = malloc(len + !len);

		memcpy(copy, file.data, len);
		err.place[0] = err.text[0] = '\0';
		if (read_all(copy, len, "", &n, &err) != -EBADMSG)
			fail_msg("%zu of %zu bytes were accepted", len, file.len);
		assert_true(err.place[0] && err.text[0]);
		free(copy);
	}
	free(file.data);
}

/* Reads n sample records and the end; every one has to be as it was written. */
static void assert_sample(struct bytes file, unsigned int n)
{
	const struct trace_record *rec;
	struct trace_record expected;
	struct trace_reader *r;

	assert_int_equal(trace_open_memory("x", file.data, file.len, NULL, &r, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		sample_object(trace_table(TRACE_WAKEUPS), 4, i, &expected);
		assert_int_equal(trace_next(r, &rec, NULL), 1);
		assert_same_object(trace_table(TRACE_WAKEUPS), trace_head(r), &expected, rec);
	}
	assert_int_equal(trace_next(r, &rec, NULL), 0);
	trace_close(r);
}

/* A changed byte is found, or changes nothing, like the size of zstd's window. */
static void finds_any_changed_byte(void **state)
{
	struct bytes file = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 40);
	unsigned int accepted = 0;
	uint64_t n;

	(void)state;
	for (size_t i = 0; i < file.len; i++) {
		file.data[i] ^= 1 << i % 8;
		if (!read_all(file.data, file.len, "", &n, NULL)) {
			assert_sample(file, 40);
			accepted++;
		}
		file.data[i] ^= 1 << i % 8;
	}
	assert_in_range(accepted, 0, file.len / 100);
	free(file.data);
}

static void refuses_what_follows_the_end(void **state)
{
	struct bytes file = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 3), inside;

	(void)state;
	file.data[file.len++] = 'x';	/* there is a NUL behind it */
	assert_bad(file, NULL, "byte", "data behind the recording");
	file.len--;
	inside = unpacked(file);
	inside.data[inside.len++] = 'x';
	file = packed(inside);
	assert_bad(file, NULL, "byte", "data behind the end mark");
	free(file.data);
}

static void refuses_empty_and_foreign_files(void **state)
{
	struct bytes file = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 3);
	struct trace_reader *r = (void *)1;

	(void)state;
	assert_bad((struct bytes){ NULL, 0 }, NULL, "sample", "empty");
	assert_bad((struct bytes){ (uint8_t *)"\x7f" "ELF\0\0\n", 7 }, NULL, "sample", "zero byte");
	assert_bad((struct bytes){ (uint8_t *)"hello\n", 6 }, NULL, "sample", "not a recording");
	file.data[TRACE_MAGIC_LEN] = 2;
	assert_bad(file, NULL, "sample", "version 2");
	free(file.data);
	assert_int_equal(trace_open("/nonexistent/x", &r, NULL), -ENOENT);
	assert_null(r);
	assert_int_equal(trace_open("/", &r, NULL), -EISDIR);
}

static void names_what_is_wrong_in_the_header(void **state)
{
	static const char *const cases[][3] = {
		{ "{\"kind\"", "{'kind\"", "header: byte" },
		{ "\"wakeups\"", "\"walks\"", "kind" },
		{ "\"load\"", "\"loaf\"", "load" },
		{ "\"sample\"", "\"a\\u0000b\"", "load" },
		{ "\"sample\"", "\"\\u001b[2J\"", "load" },
		{ "\"sample\"", "\"\"", "load" },
		{ "kernel 6.1.0", "kernel 6\\u001b", "control character" },
		{ "\"cpus\":4", "\"cpus\":0", "1 to 1024" },
		{ "\"cpus\":4", "\"cpus\":1025", "1 to 1024" },
		{ "\"cpus\":4", "\"cpus\":4.5", "1 to 1024" },
		{ "\"cpus\":4", "\"cpus\":5", "5 CPUs" },
		{ "\"cpus\":4", "\"cpus\":4,\"cpus\":4", "duplicate" },
		{ "\"columns\":[", "\"columns\":[1,", "a column is expected" },
		{ "\"columns\":[", "\"columns\":[\"x\",", "a column is expected" },
		{ "\"columns\":[", "\"columns\":[\"x uint16 1\",", "a column is expected" },
		{ "\"columns\":[", "\"columns\":[\"x uint32 1025\",", "a column is expected" },
		{ "\"columns\":[", "\"columns\":[\"x uint32 0\",", "a column is expected" },
		{ "\"columns\":[", "\"columns\":{},\"old\":[", "a list" },
		{ "ret cpu32 1", "ret uint32 1", "column ret is expected once" },
		{ "ret cpu32 1", "ret cpu64 1", "column ret is expected once" },
		{ "ret cpu32 1", "ret cpu32 2", "column ret is expected once" },
		{ "ret cpu32 1", "prev_cpu cpu32 1", "column prev_cpu is expected once" },
		{ "ret cpu32 1", "rat cpu32 1", "no column ret" },
		{ "cpu.flags uint32 4", "cpu.flags uint32 5", "column cpu.flags is expected" },
		{ "hz 250", "hz 0", "hz" },
		{ "kernel 6.1.0", "colonel 6.1", "kernel" },
		{ "TOPO 3 ", "TOPO 1024 ", "TOPO" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_header_bad(cases[i][0], cases[i][1], cases[i][2]);
}

static void refuses_more_lanes_than_the_limit(void **state)
{
	struct bytes file;
	char *columns = NULL;
	size_t len;
	FILE *text = open_memstream(&columns, &len);

	(void)state;
	fputs("\"columns\":[", text);
	for (int i = 0; i < 70; i++)
		fprintf(text, "\"x%d uint64 1024\",", i);
	fclose(text);
	file = with_header("\"columns\":[", columns);
	assert_bad(file, NULL, "sample", "too many columns");
	free(file.data);
	free(columns);
}

static void refuses_a_header_of_claimed_length(void **state)
{
	static const uint32_t lengths[] = { TRACE_HEADER_MAX + 1, UINT32_MAX, TRACE_HEADER_MAX };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct bytes inside = unpacked(sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 3));
		struct bytes file;

		put_u32(inside.data, lengths[i]);
		file = packed(inside);
		assert_bad(file, NULL, "byte", i < 2 ? "too large" : "cut off");
		free(file.data);
	}
}

static void names_what_is_wrong_in_a_block(void **state)
{
	enum { ROWS, WIDTH, BASE, SIGNED_BASE, RET, IDLE, COUNT, CASES };
	static const char *const texts[CASES] = {
		[ROWS] = "too many records", [WIDTH] = "more than 8 bytes",
		[BASE] = "beyond its column", [RET] = "a CPU",
		[SIGNED_BASE] = "beyond its column", [IDLE] = "a CPU", [COUNT] = "counts otherwise",
	};

	(void)state;
	for (int what = 0; what < CASES; what++) {
		struct bytes inside = unpacked(sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 1));
		size_t lanes, at = block_of(inside, &lanes);
		uint8_t *widths = inside.data + at + 4, *bases = widths + lanes;
		struct bytes file;

		/* a block of one record: all widths are 0, everything is in the bases */
		if (what == ROWS)
			put_u32(inside.data + at, TRACE_ROWS_MAX + 1);
		else if (what == WIDTH)
			widths[0] = 9;
		else if (what == BASE)
			memset(bases + 8 * lane_of("wake_flags"), 0xff, 8);
		else if (what == SIGNED_BASE)	/* 2^31 is no int32 */
			memcpy(bases + 8 * lane_of("scan_w"), "\0\0\0\x80\0\0\0", 8);
		else if (what == RET)
			bases[8 * lane_of("ret")] = 4;
		else if (what == IDLE)
			bases[8 * lane_of("idle")] = 0x10;
		else
			put_u32(inside.data + inside.len - 8, 2);
		file = packed(inside);
		assert_bad(file, NULL, "record", texts[what]);
		free(file.data);
	}
}

static void refuses_a_block_of_claimed_size(void **state)
{
	struct bytes file = with_header("\"columns\":[", "\"columns\":[\"x uint64 1024\",");
	struct bytes inside = unpacked(file), blown;
	size_t lanes, at = block_of(inside, &lanes) + 4;

	(void)state;
	/* as it was, but with 1024 lanes of 8 bytes before the known ones, in 4096 rows */
	blown.len = inside.len + 1024 * 9;
	blown.data = calloc(1, blown.len);
	memcpy(blown.data, inside.data, at);
	put_u32(blown.data + at - 4, TRACE_ROWS_MAX);
	memset(blown.data + at, 8, 1024);
	memcpy(blown.data + at + 1024, inside.data + at, lanes);
	memcpy(blown.data + at + lanes + 9 * 1024, inside.data + at + lanes, 8 * lanes);
	free(inside.data);
	file = packed(blown);
	assert_bad(file, NULL, "record 0", "too large");
	free(file.data);
}

/* Values behind the base can leave the limit of CPUs too. */
static void finds_a_cpu_beyond_in_any_row(void **state)
{
	struct bytes inside = unpacked(sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 50)), file;
	size_t lanes, at = block_of(inside, &lanes), lane = lane_of("ret");
	uint8_t *widths = inside.data + at + 4, *rows = widths + 9 * lanes;

	(void)state;
	for (size_t i = 0; i < lane; i++)
		rows += widths[i] * 50;
	assert_int_equal(widths[lane], 1);
	rows[17] = 4;
	file = packed(inside);
	assert_bad(file, NULL, "record 17", "a CPU");
	free(file.data);
}

static void skips_columns_it_does_not_know(void **state)
{
	struct bytes file = with_header("x.nsw uint64 1", "y.nsw uint64 1");
	const struct trace_record *rec;
	struct trace_reader *r;
	struct trace_record expected;

	(void)state;
	assert_int_equal(trace_open_memory("x", file.data, file.len, NULL, &r, NULL), 0);
	assert_int_equal(trace_head(r)->skipped_columns, 1);
	assert_false(trace_has(trace_head(r), TRACE_COL_X_NSW));
	assert_true(trace_has(trace_head(r), TRACE_COL_X_NSW_OUT));
	for (unsigned int i = 0; i < 3; i++) {
		sample_object(trace_table(TRACE_WAKEUPS), 4, i, &expected);
		expected.nr_switches = 0;
		assert_int_equal(trace_next(r, &rec, NULL), 1);
		assert_same_object(trace_table(TRACE_WAKEUPS), trace_head(r), &expected, rec);
	}
	assert_int_equal(trace_next(r, &rec, NULL), 0);
	trace_close(r);
	free(file.data);
}

/* A frame may ask for a window of gigabytes. */
static void refuses_a_frame_that_wants_much_memory(void **state)
{
	struct bytes inside = unpacked(sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 3));
	size_t room = ZSTD_compressBound(inside.len);
	struct bytes file = { malloc(TRACE_PREFIX_LEN + room), 0 };
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	ZSTD_inBuffer in = { inside.data, inside.len, 0 };
	ZSTD_outBuffer out = { file.data + TRACE_PREFIX_LEN, room, 0 };

	(void)state;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, TRACE_WINDOW_LOG_MAX + 1);
	/* in two steps, or zstd shrinks the window to what it sees */
	in.size /= 2;
	ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush);
	in.size = inside.len;
	assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
	memcpy(file.data, TRACE_MAGIC "\1\0\0\0", TRACE_PREFIX_LEN);
	file.len = TRACE_PREFIX_LEN + out.pos;
	assert_bad(file, NULL, "byte", "memory");
	ZSTD_freeCCtx(zstd);
	free(inside.data);
	free(file.data);
}

static void repeats_its_failure(void **state)
{
	struct bytes file = sample_recording(TRACE_NATIVE, TRACE_WAKEUPS, 4, 3);
	const struct trace_record *rec;
	const struct trace_event *ev;
	struct trace_error first = { "", "" }, second = { "", "" };
	struct trace_reader *r;
	int ret;

	(void)state;
	assert_int_equal(trace_open_memory("x", file.data, file.len - 2, NULL, &r, NULL), 0);
	assert_int_equal(trace_next_event(r, &ev, &first), -EINVAL);
	while ((ret = trace_next(r, &rec, &first)) > 0)
		;
	assert_int_equal(ret, -EBADMSG);
	assert_int_equal(trace_next(r, &rec, &second), -EBADMSG);
	assert_string_equal(first.place, second.place);
	assert_string_equal(first.text, second.text);
	trace_close(r);
	free(file.data);
}

static void writer_leaves_out_what_no_reader_takes(void **state)
{
	char *folder = make_folder(), *path = path_in(folder, "x.wlr"), *machine = sample_machine(4);
	struct trace_head head = sample_head(TRACE_WAKEUPS, 4, machine);
	struct trace_record rec;
	struct trace_error err;
	struct trace_writer *w;
	struct bytes file;
	uint64_t n;

	(void)state;
	sample_object(trace_table(TRACE_WAKEUPS), 4, 0, &rec);
	assert_int_equal(trace_create(path, &head, &w, NULL), 0);
	rec.ret = 4;
	assert_int_equal(trace_write(w, &rec, &err), -ERANGE);
	assert_non_null(strstr(err.text, "ret"));
	rec.ret = -1;
	assert_int_equal(trace_write(w, &rec, &err), -ERANGE);
	rec.ret = 3;
	rec.idle[0] = 0x1f;
	assert_int_equal(trace_write(w, &rec, &err), -ERANGE);
	assert_non_null(strstr(err.text, "idle"));
	rec.idle[0] = 0xf;
	assert_int_equal(trace_write(w, &rec, NULL), 0);
	assert_int_equal(trace_commit(w, NULL), 0);
	file = read_file(path);
	assert_int_equal(read_all(file.data, file.len, NULL, &n, NULL), 0);
	assert_int_equal(n, 1);
	free(file.data);
	free(machine);
	free(path);
	remove_folder(folder);
}

static void nothing_shows_before_commit(void **state)
{
	char *folder = make_folder(), *path = path_in(folder, "x.wlr"), *machine = sample_machine(4);
	struct trace_head head = sample_head(TRACE_WAKEUPS, 4, machine);
	struct trace_writer *w;
	struct bytes file;

	(void)state;
	write_file(path, "old", 3);
	assert_int_equal(trace_create(path, &head, &w, NULL), 0);
	trace_abort(w);
	file = read_file(path);
	assert_string_equal((char *)file.data, "old");
	free(file.data);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);	/* no temporary file is left */
	assert_int_equal(trace_create(path, &head, &w, NULL), -ENOENT);
	assert_null(w);
	assert_int_equal(trace_create("/dev/null", &head, &w, NULL), -EINVAL);
	head.columns[0] &= ~1ull;
	assert_int_equal(trace_create(path, &head, &w, NULL), -EINVAL);
	free(machine);
	free(path);
	free(folder);
}

static void full_disk_is_an_error(void **state)
{
	char *folder = make_folder(), *path = path_in(folder, "x.wlr"), *machine = sample_machine(4);
	struct trace_head head = sample_head(TRACE_WAKEUPS, 4, machine);
	struct trace_writer *w;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	assert_int_equal(trace_create(path, &head, &w, NULL), 0);
	fclose(w->file);
	w->file = fopen("/dev/full", "w");
	assert_int_equal(trace_commit(w, NULL), -ENOSPC);
	assert_int_equal(rmdir(folder), 0);
	free(machine);
	free(path);
	free(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_every_field),
		cmocka_unit_test(writes_the_same_bytes_for_the_same_records),
		cmocka_unit_test(refuses_a_file_cut_anywhere),
		cmocka_unit_test(finds_any_changed_byte),
		cmocka_unit_test(refuses_what_follows_the_end),
		cmocka_unit_test(refuses_empty_and_foreign_files),
		cmocka_unit_test(names_what_is_wrong_in_the_header),
		cmocka_unit_test(refuses_more_lanes_than_the_limit),
		cmocka_unit_test(refuses_a_header_of_claimed_length),
		cmocka_unit_test(names_what_is_wrong_in_a_block),
		cmocka_unit_test(refuses_a_block_of_claimed_size),
		cmocka_unit_test(finds_a_cpu_beyond_in_any_row),
		cmocka_unit_test(skips_columns_it_does_not_know),
		cmocka_unit_test(refuses_a_frame_that_wants_much_memory),
		cmocka_unit_test(repeats_its_failure),
		cmocka_unit_test(writer_leaves_out_what_no_reader_takes),
		cmocka_unit_test(nothing_shows_before_commit),
		cmocka_unit_test(full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
