// SPDX-License-Identifier: GPL-2.0-only
/* Perfetto traces: wrong calls, full disks, and what stands under the file's name when. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "report/perfetto.h"

#define CPUS 3u
#define NONE UINT32_MAX
#define LATE (1ull << 63)

static char folder[] = "/tmp/perfetto.XXXXXX";
static char path[64], part[64];

static const struct report_wake good_wake = {
	.time = 5, .queued = 6, .waker_cpu = 0, .cpu = 2, .prev = 1, .target = NONE,
	.waker = 10, .wakee = 12,
};

static const struct {
	struct report_task task;
	int ret;
} bad_tasks[] = {
	{ { 12, 50, 0, "x", "x" }, -EEXIST },
	{ { 0, 50, 0, "x", "x" }, -EINVAL },
	{ { -1, 50, 0, "x", "x" }, -EINVAL },
	{ { 50, 0, 0, "x", "x" }, -EINVAL },
	{ { 50, 50, 20, "x", "x" }, -EINVAL },
	{ { 50, 50, -21, "x", "x" }, -EINVAL },
	{ { 50, 50, 0, NULL, "x" }, -EINVAL },
};

static const struct {
	uint32_t cpu;
	uint64_t time;
	int32_t prev;
	char state;
	int32_t next;
	int ret;
} bad_switches[] = {
	{ 0, 1, 0, 'Q', 10, -EINVAL },
	{ 0, 1, 0, 0, 10, -EINVAL },
	{ CPUS, 1, 0, 'R', 10, -EINVAL },
	{ NONE, 1, 0, 'R', 10, -EINVAL },
	{ 0, LATE, 0, 'R', 10, -ERANGE },
	{ 0, 1, 13, 'R', 10, -ENOENT },
	{ 0, 1, 0, 'R', -10, -ENOENT },
	{ 0, 1, 0, 'R', 20, -ENOENT },	/* a process, but its leader was never announced */
};

static const struct {
	struct report_wake wake;
	int ret;
} bad_wakes[] = {
	{ { 5, 4, 0, 2, 1, 0, 10, 12, "", "", "", 0, 0 }, -EINVAL },
	{ { 5, LATE, 0, 2, 1, 0, 10, 12, "", "", "", 0, 0 }, -ERANGE },
	{ { 5, 6, CPUS, 2, 1, 0, 10, 12, "", "", "", 0, 0 }, -EINVAL },
	{ { 5, 6, 0, CPUS, 1, 0, 10, 12, "", "", "", 0, 0 }, -EINVAL },
	{ { 5, 6, 0, 2, CPUS, 0, 10, 12, "", "", "", 0, 0 }, -EINVAL },
	{ { 5, 6, 0, 2, 1, CPUS, 10, 12, "", "", "", 0, 0 }, -EINVAL },
	{ { 5, 6, 0, 2, 1, 0, 13, 12, "", "", "", 0, 0 }, -ENOENT },
	{ { 5, 6, 0, 2, 1, 0, 10, 13, "", "", "", 0, 0 }, -ENOENT },
	{ { 5, 6, 0, 2, 1, 0, 10, 0, "", "", "", 0, 0 }, -EINVAL },
};

static const struct {
	uint64_t time;
	int32_t tid;
	uint32_t from, to;
	int ret;
} bad_migrations[] = {
	{ 1, 13, 0, 1, -ENOENT },    { 1, 0, 0, 1, -EINVAL },	 { 1, -12, 0, 1, -EINVAL },
	{ 1, 12, CPUS, 1, -EINVAL }, { 1, 12, 0, CPUS, -EINVAL }, { LATE, 12, 0, 1, -ERANGE },
};

static const struct {
	uint32_t cpu;
	uint64_t time;
	int ret;
} bad_idles[] = { { CPUS, 1, -EINVAL }, { 0, LATE, -ERANGE } };

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static struct report_perfetto *create(void)
{
	static const struct report_task tasks[] = {
		{ .tid = 10, .pid = 10, .name = "waker", .process = "one" },
		{ .tid = 12, .pid = 10, .name = "wakee", .process = "one" },
		{ .tid = 21, .pid = 20, .name = "thread", .process = "two" },
	};
	struct report_perfetto *p;

	assert_int_equal(report_perfetto_create(path, CPUS, &p), 0);
	for (size_t i = 0; i < ROWS(tasks); i++)
		assert_int_equal(report_perfetto_task(p, &tasks[i]), 0);
	return p;
}

/* After the first error every right or wrong call and the last return it; no file. */
static void spoilt(struct report_perfetto *p, int ret)
{
	const struct report_task task = { .tid = 60, .pid = 60, .name = "y" };

	assert_int_equal(report_perfetto_task(p, &task), ret);
	assert_int_equal(report_perfetto_task(p, &bad_tasks[0].task), ret);
	assert_int_equal(report_perfetto_switch(p, 0, 1, 0, 'R', 10), ret);
	assert_int_equal(report_perfetto_switch(p, CPUS, LATE, 0, 'Q', 10), ret);
	assert_int_equal(report_perfetto_wake(p, &good_wake), ret);
	assert_int_equal(report_perfetto_migrate(p, 1, 12, 0, 1, NULL), ret);
	assert_int_equal(report_perfetto_migrate(p, 1, 0, 0, 1, NULL), ret);
	assert_int_equal(report_perfetto_idle(p, 0, 1, 1), ret);
	assert_int_equal(report_perfetto_close(p), ret);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(part, F_OK), -1);
}

static void wrong_tasks_and_wakes(void **state)
{
	struct report_perfetto *p;

	(void)state;
	for (size_t i = 0; i < ROWS(bad_tasks); i++) {
		p = create();
		assert_int_equal(report_perfetto_task(p, &bad_tasks[i].task), bad_tasks[i].ret);
		spoilt(p, bad_tasks[i].ret);
	}
	for (size_t i = 0; i < ROWS(bad_wakes); i++) {
		p = create();
		assert_int_equal(report_perfetto_wake(p, &bad_wakes[i].wake), bad_wakes[i].ret);
		spoilt(p, bad_wakes[i].ret);
	}
}

static void wrong_events(void **state)
{
	struct report_perfetto *p;

	(void)state;
	for (size_t i = 0; i < ROWS(bad_switches); i++) {
		p = create();
		assert_int_equal(report_perfetto_switch(p, bad_switches[i].cpu, bad_switches[i].time,
							bad_switches[i].prev, bad_switches[i].state,
							bad_switches[i].next),
				 bad_switches[i].ret);
		spoilt(p, bad_switches[i].ret);
	}
	for (size_t i = 0; i < ROWS(bad_migrations); i++) {
		p = create();
		assert_int_equal(report_perfetto_migrate(p, bad_migrations[i].time,
							 bad_migrations[i].tid,
							 bad_migrations[i].from,
							 bad_migrations[i].to, NULL),
				 bad_migrations[i].ret);
		spoilt(p, bad_migrations[i].ret);
	}
	for (size_t i = 0; i < ROWS(bad_idles); i++) {
		p = create();
		assert_int_equal(report_perfetto_idle(p, bad_idles[i].cpu, bad_idles[i].time, 0),
				 bad_idles[i].ret);
		spoilt(p, bad_idles[i].ret);
	}
}

/* What a wrong call is compared with. */
static void right_calls(void **state)
{
	struct report_perfetto *p = create();

	(void)state;
	assert_int_equal(report_perfetto_switch(p, 0, LATE - 1, 0, 'R', 10), 0);
	assert_int_equal(report_perfetto_wake(p, &good_wake), 0);
	assert_int_equal(report_perfetto_migrate(p, 1, 12, 0, 0, NULL), 0);
	assert_int_equal(report_perfetto_idle(p, CPUS - 1, 1, 1), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_int_equal(unlink(path), 0);
}

static void create_fails(void **state)
{
	struct report_perfetto *p = (void *)1;

	(void)state;
	assert_int_equal(report_perfetto_create(path, 0, &p), -EINVAL);
	assert_null(p);
	assert_int_equal(report_perfetto_create(path, REPORT_PERFETTO_CPUS + 1, &p), -ERANGE);
	assert_int_equal(report_perfetto_create("/nonexistent/trace", 1, &p), -ENOENT);
	assert_int_equal(report_perfetto_create(folder, 1, &p), -EISDIR);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(report_perfetto_create(path, REPORT_PERFETTO_CPUS, &p), 0);
	assert_int_equal(report_perfetto_idle(p, REPORT_PERFETTO_CPUS - 1, 0, 0), 0);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(report_perfetto_close(NULL), 0);
}

static void full_disk(void **state)
{
	struct report_perfetto *p;
	int ret = 0;

	(void)state;
	assert_int_equal(report_perfetto_create("/dev/full", 1, &p), 0);
	assert_int_equal(report_perfetto_idle(p, 0, 0, 0), 0);
	assert_int_equal(report_perfetto_close(p), -ENOSPC);

	assert_int_equal(report_perfetto_create("/dev/full", 1, &p), 0);
	for (unsigned i = 0; i < 100000 && !ret; i++)
		ret = report_perfetto_idle(p, 0, i, 0);
	assert_int_equal(ret, -ENOSPC);
	spoilt(p, -ENOSPC);
	assert_int_equal(access("/dev/full.0.part", F_OK), -1);
}

/* A disk that takes the first bytes only: a short write, then an error. */
static void short_write(void **state)
{
	struct report_perfetto *p = create();
	struct rlimit old, limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(report_perfetto_close(p), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(part, F_OK), -1);
}

/* What stood there stays until the trace is complete, and for good if it never is. */
static void old_file(void **state)
{
	struct report_perfetto *p;
	FILE *file = fopen(path, "w");
	struct stat st;

	(void)state;
	assert_non_null(file);
	fputs("old", file);
	fclose(file);
	p = create();
	assert_int_equal(report_perfetto_idle(p, CPUS, 0, 0), -EINVAL);
	assert_int_equal(report_perfetto_close(p), -EINVAL);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
	p = create();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 3);
	assert_int_equal(access(part, F_OK), -1);
}

/* Two writers of one file, one through a link: neither tears the other's, the link stays. */
static void link_and_two_writers(void **state)
{
	char link[64], target[64];
	struct report_perfetto *p, *q;
	mode_t mask = umask(027);
	struct stat st;

	(void)state;
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink("trace", link), 0);
	unlink(path);
	p = create();
	assert_int_equal(report_perfetto_close(p), 0);
	p = create();
	assert_int_equal(report_perfetto_create(link, 1, &q), 0);
	assert_int_equal(report_perfetto_close(q), 0);
	assert_int_equal(access(part, F_OK), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0640);
	assert_int_equal(readlink(link, target, sizeof(target)), 5);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_int_equal(access(part, F_OK), -1);
	umask(mask);
	assert_int_equal(unlink(link), 0);
}

/* A name longer than the buffer, into a pipe that takes it in pieces. */
static void pipe_and_long_name(void **state)
{
	const size_t len = 300000;
	char fd_path[32], *name = malloc(len + 1), command[128];
	const struct report_task task = { .tid = 1, .pid = 1, .name = name, .process = "p" };
	struct report_perfetto *p;
	struct stat st;
	FILE *to;

	(void)state;
	assert_non_null(name);
	memset(name, 'n', len);
	name[len] = 0;
	snprintf(command, sizeof(command), "cat >%s", path);
	to = popen(command, "w");
	assert_non_null(to);
	snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", fileno(to));
	assert_int_equal(report_perfetto_create(fd_path, 1, &p), 0);
	assert_int_equal(report_perfetto_task(p, &task), 0);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_int_equal(pclose(to), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_size, 2 * len, 2 * len + 1000);
	free(name);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/trace", folder);
	snprintf(part, sizeof(part), "%s/trace.0.part", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_calls),
		cmocka_unit_test(wrong_tasks_and_wakes),
		cmocka_unit_test(wrong_events),
		cmocka_unit_test(create_fails),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(short_write),
		cmocka_unit_test(old_file),
		cmocka_unit_test(link_and_two_writers),
		cmocka_unit_test(pipe_and_long_name),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
