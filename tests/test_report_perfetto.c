// SPDX-License-Identifier: GPL-2.0-only
/* Perfetto traces, read back by the library and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "report/perfetto.h"
#include "tests/perfetto_dump.h"

static char folder[] = "/tmp/perfetto.XXXXXX";
static char path[64], part[64];

static unsigned long allocations;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t nr, size_t size);
void *__wrap_reallocarray(void *old, size_t nr, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	allocations++;
	return __real_calloc(nr, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations++;
	return __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t nr, size_t size)
{
	allocations++;
	return __real_reallocarray(old, nr, size);
}

static uint8_t *slurp(const char *name, size_t *len)
{
	FILE *file = fopen(name, "r");
	uint8_t *data;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*len = (size_t)ftell(file);
	rewind(file);
	data = malloc(*len + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *len, file), *len);
	fclose(file);
	return data;
}

static struct report_perfetto *create(uint32_t nr_cpus)
{
	struct report_perfetto *p;

	assert_int_equal(report_perfetto_create(path, nr_cpus, &p), 0);
	return p;
}

static void add_task(struct report_perfetto *p, int32_t tid, int32_t pid, const char *name,
		     const char *process)
{
	const struct report_task task = { .tid = tid, .pid = pid, .name = name,
					  .process = process, .nice = tid % 3 };

	assert_int_equal(report_perfetto_task(p, &task), 0);
}

static const struct report_wake sample_wake = {
	.time = 200, .queued = 350, .waker_cpu = 0, .cpu = 2, .prev = 1, .target = 0,
	.waker = 10, .wakee = 12, .reason = "idle core", .affine = "wake_affine: idle",
	.distance = "LLC", .probes = 5, .sync = 1,
};

/* A trace with every kind of event; 12's name would be cut amid its 15th byte's letter. */
static void write_sample(void)
{
	struct report_wake nothing = { .time = 500, .queued = 500, .waker_cpu = 2, .cpu = 2,
				       .prev = 2, .target = UINT32_MAX, .wakee = 11 };
	struct report_perfetto *p;

	unlink(path);
	p = create(3);
	add_task(p, 11, 10, "worker", "server");
	add_task(p, 10, 10, "server", "server");
	add_task(p, 12, 12, "a-long-task-nn\xc3\xa9\xc3\xa9!", NULL);
	assert_int_equal(report_perfetto_idle(p, 1, 0, 2), 0);
	assert_int_equal(report_perfetto_switch(p, 0, 100, 0, 'R', 10), 0);
	assert_int_equal(report_perfetto_switch(p, 2, 110, 0, 'R', 12), 0);
	assert_int_equal(report_perfetto_switch(p, 2, 120, 12, 'D', 0), 0);
	/* Told after it began, as a wake-up is. */
	assert_int_equal(report_perfetto_switch(p, 0, 300, 10, 'S', 11), 0);
	assert_int_equal(report_perfetto_wake(p, &sample_wake), 0);
	assert_int_equal(report_perfetto_idle(p, 2, 340, UINT32_MAX), 0);
	assert_int_equal(report_perfetto_switch(p, 2, 360, 0, 'R', 12), 0);
	assert_int_equal(report_perfetto_migrate(p, 400, 11, 0, 1, "newidle"), 0);
	assert_int_equal(report_perfetto_wake(p, &nothing), 0);
	assert_int_equal(report_perfetto_switch(p, 2, INT64_MAX, 12, 'X', 0), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(part, F_OK), 0);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_int_equal(access(part, F_OK), -1);
}

static const char *const sample_cpu[] = {
	"100 0 switch swapper/0/0/120 0 -> server/10/121\n"
	"200 10 waking a-long-task-nn/12/120 1 1\n"
	"200 10 migrate a-long-task-nn/12/120 1 2\n"
	"300 10 switch server/10/121 1 -> worker/11/122\n",
	"0 0 idle 2 of 1\n"
	"400 0 migrate worker/11/122 0 1\n",
	"110 0 switch swapper/2/0/120 0 -> a-long-task-nn/12/120\n"
	"120 12 switch a-long-task-nn/12/120 2 -> swapper/2/0/120\n"
	"340 0 idle 4294967295 of 2\n"
	"350 0 wakeup a-long-task-nn/12/120 1 2\n"
	"360 0 switch swapper/2/0/120 0 -> a-long-task-nn/12/120\n"
	"500 0 waking worker/11/122 1 2\n"
	"500 12 wakeup worker/11/122 1 2\n"
	"9223372036854775807 12 switch a-long-task-nn/12/120 16 -> swapper/2/0/120\n",
};

static const char names_text[] =
	"category 1 wake\ncategory 2 migrate\n"
	"argument 1 reason\nargument 2 affine\nargument 3 distance\nargument 4 waker\n"
	"argument 5 waker_cpu\nargument 6 prev\nargument 7 target\nargument 8 cpu\n"
	"argument 9 probes\nargument 10 sync\nargument 11 selection_ns\nargument 12 why\n"
	"argument 13 from\nargument 14 to\nclock 6 0 of 6\nclock 3 0 of 6\n";

static const char sample_other[] =
	"process 10 server\nthread 11 of 10 worker\ntrack 11: 11 of 10 worker\n"
	"thread 10 of 10 server\ntrack 10: 10 of 10 server\n"
	"process 12 -\nthread 12 of 12 a-long-task-nn\xc3\xa9\xc3\xa9!\n"
	"track 12: 12 of 12 a-long-task-nn\xc3\xa9\xc3\xa9!\n"
	"200 on 12 1 idle core: 1=idle core 2=wake_affine: idle 3=LLC 4=10 5=0 6=1 7=0 8=2 "
	"9=5 10=yes 11=150\n"
	"400 on 11 2 newidle: 12=newidle 13=0 14=1\n"
	"500 on 11 1 wake-up: 4=0 5=2 6=2 8=2 9=0 10=no 11=0\n";

static void check_sample(const struct dump *d)
{
	size_t len = strlen(names_text);

	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(d->cpu_text[i], sample_cpu[i]);
	assert_memory_equal(d->other_text, names_text, len);
	assert_string_equal(d->other_text + len, sample_other);
}

static void all_kinds(void **state)
{
	struct dump d;
	size_t len;
	uint8_t *data;

	(void)state;
	write_sample();
	data = slurp(path, &len);
	dump_by_library(&d, data, len);
	check_sample(&d);
	dump_free(&d);
	dump_by_hand(&d, data, len);
	check_sample(&d);
	dump_free(&d);
	free(data);
}

/* A bundle by hand: how the bytes lie, with the order that the importer is fastest with. */
static void bytes(void **state)
{
	static const char idle[] = "\x0a\x15\x0a\x11\x08\x01\x12\x0d\x08\x07\x10\x00\x6a\x07"
				   "\x08\xff\xff\xff\x7f\x10\x01\x50\x01";
	struct report_perfetto *p = create(2);
	uint8_t *data;
	size_t len;

	(void)state;
	assert_int_equal(report_perfetto_idle(p, 1, 7, 0x0fffffff), 0);
	assert_int_equal(report_perfetto_close(p), 0);
	data = slurp(path, &len);
	assert_true(len > sizeof(idle) - 1);
	assert_memory_equal(data + len - (sizeof(idle) - 1), idle, sizeof(idle) - 1);
	assert_int_equal(data[0], 0x0a);	/* what the importer knows the format by */
	free(data);
}

/* splitmix64 */
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % below;
}

#define TASKS 300u
#define EVENTS 30000u
#define LINE 200u

struct line {
	uint64_t time;
	char text[LINE];
};

/* What a trace of random events has to say: a CPU's lines by time, then as told. */
struct model {
	struct line *lines[DUMP_CPUS];
	size_t nr[DUMP_CPUS];
	struct dump d;
	char name[TASKS + 1][24], comm[TASKS + 1][16];
	int pid[TASKS + 1], prio[TASKS + 1];
	int running[DUMP_CPUS];
};

/* The line that print() wrote, into its place. */
#define ADD(m, cpu_, time_, print, ...) \
	do { \
		struct line *line_ = new_line(m, cpu_, time_); \
		FILE *to_ = fmemopen(line_->text, LINE, "w"); \
\
		print(to_, __VA_ARGS__); \
		fclose(to_); \
	} while (0)

static struct line *new_line(struct model *m, uint32_t cpu, uint64_t time)
{
	struct line *lines = m->lines[cpu];
	size_t at = m->nr[cpu]++;

	for (; at && lines[at - 1].time > time; at--)
		lines[at] = lines[at - 1];
	lines[at].time = time;
	return &lines[at];
}

static const char *comm(struct model *m, int tid, uint32_t cpu)
{
	if (!tid)
		snprintf(m->comm[0], sizeof(m->comm[0]), "swapper/%u", cpu % DUMP_CPUS);
	return m->comm[tid];
}

static void random_task(struct model *m, struct report_perfetto *p, int tid)
{
	/* The first process' leader comes late, others lead and have a few threads. */
	int pid = tid % 4 ? tid - tid % 4 + 1 : tid;
	int first = 1;
	struct report_task task = { .tid = tid, .pid = pid, .name = m->name[tid],
				    .process = m->name[tid], .nice = (int32_t)draw(40) - 20 };

	snprintf(m->name[tid], sizeof(m->name[0]), "task-%.*s-%d", (int)draw(8), "abcdefgh", tid);
	snprintf(m->comm[tid], sizeof(m->comm[0]), "%.15s", m->name[tid]);
	for (int i = 1; i < tid; i++)
		first &= m->pid[i] != pid;
	m->pid[tid] = pid;
	m->prio[tid] = 120 + task.nice;
	assert_int_equal(report_perfetto_task(p, &task), 0);
	if (first)
		dump_process(&m->d, pid, m->name[tid]);
	dump_thread(&m->d, tid, pid, m->name[tid]);
	dump_track(&m->d, (uint64_t)tid, pid, tid, m->name[tid]);
}

static void random_switch(struct model *m, struct report_perfetto *p, uint64_t time, uint32_t cpu)
{
	static const int64_t value[] = { 0, 1, 2, 16 };
	unsigned which = (unsigned)draw(4);
	int prev = m->running[cpu], next = (int)draw(TASKS + 1);
	char prev_comm[16];

	strcpy(prev_comm, comm(m, prev, cpu));
	assert_int_equal(report_perfetto_switch(p, cpu, time, prev, "RSDX"[which], next), 0);
	ADD(m, cpu, time, dump_task_switch, time, (uint32_t)prev, &(struct dump_switch){
		.prev = prev_comm, .prev_pid = prev, .prev_prio = m->prio[prev],
		.next = comm(m, next, cpu), .next_pid = next, .next_prio = m->prio[next],
		.state = value[which] });
	m->running[cpu] = next;
}

static void random_wake(struct model *m, struct report_perfetto *p, uint64_t time, uint32_t from)
{
	static const char *const words[] = { "prev idle", "target idle", "no idle CPU", "" };
	uint64_t ns = draw(200);
	struct report_wake w = {
		.time = time, .queued = time + ns, .waker_cpu = from, .cpu = (uint32_t)draw(7),
		.prev = (uint32_t)draw(7), .target = (uint32_t)draw(7), .waker = m->running[from],
		.wakee = 1 + (int32_t)draw(TASKS), .reason = words[draw(4)],
		.affine = words[draw(4)], .distance = words[draw(4)],
		.probes = (uint32_t)draw(UINT32_MAX), .sync = (uint32_t)draw(2),
	};
	int tid = w.wakee;

	assert_int_equal(report_perfetto_wake(p, &w), 0);
	ADD(m, from, time, dump_task, "waking", time, (uint32_t)w.waker, comm(m, tid, 0), tid,
	    m->prio[tid], 1, (int)w.prev);
	if (w.prev != w.cpu)
		ADD(m, from, time, dump_task, "migrate", time, (uint32_t)w.waker, comm(m, tid, 0),
		    tid, m->prio[tid], (int)w.prev, (int)w.cpu);
	ADD(m, w.cpu, w.queued, dump_task, "wakeup", w.queued, (uint32_t)m->running[w.cpu],
	    comm(m, tid, 0), tid, m->prio[tid], 1, (int)w.cpu);
	dump_instant(&m->d, time, (uint64_t)tid, 1, w.reason);
	fprintf(m->d.other, " 1=%s 2=%s 3=%s 4=%d 5=%u 6=%u 7=%u 8=%u 9=%u 10=%s 11=%lu\n",
		w.reason, w.affine, w.distance, w.waker, from, w.prev, w.target, w.cpu, w.probes,
		w.sync ? "yes" : "no", ns);
}

static void random_event(struct model *m, struct report_perfetto *p, uint64_t time)
{
	uint32_t cpu = (uint32_t)draw(7), to = (uint32_t)draw(7), index;
	int tid = 1 + (int)draw(TASKS);

	switch (draw(4)) {
	case 0:
		random_switch(m, p, time, cpu);
		break;
	case 1:
		random_wake(m, p, time, cpu);
		break;
	case 2:
		assert_int_equal(report_perfetto_migrate(p, time, tid, cpu, to, "nohz"), 0);
		ADD(m, to, time, dump_task, "migrate", time, (uint32_t)m->running[to],
		    comm(m, tid, 0), tid, m->prio[tid], (int)cpu, (int)to);
		dump_instant(&m->d, time, (uint64_t)tid, 2, "nohz");
		fprintf(m->d.other, " 12=nohz 13=%u 14=%u\n", cpu, to);
		break;
	default:
		index = draw(2) ? UINT32_MAX : (uint32_t)draw(9);
		assert_int_equal(report_perfetto_idle(p, cpu, time, index), 0);
		ADD(m, cpu, time, dump_idle, time, 0, index, cpu);
	}
}

static void write_random(struct model *m)
{
	struct report_perfetto *p = create(7);
	uint64_t time = 1000;

	dump_open(&m->d);
	fputs(names_text, m->d.other);
	for (uint32_t i = 0; i < DUMP_CPUS; i++)
		m->lines[i] = calloc(3 * EVENTS, sizeof(struct line));
	m->prio[0] = 120;
	for (int tid = 1; tid <= (int)TASKS; tid++)
		random_task(m, p, tid);
	for (unsigned i = 0; i < EVENTS; i++) {
		time += draw(60);
		random_event(m, p, time - draw(100));
	}
	assert_int_equal(report_perfetto_close(p), 0);
	for (uint32_t i = 0; i < DUMP_CPUS; i++)
		for (size_t at = 0; at < m->nr[i]; at++)
			fputs(m->lines[i][at].text, m->d.cpu[i]);
	dump_close(&m->d);
}

static void same(const struct dump *a, const struct dump *b)
{
	for (uint32_t i = 0; i < DUMP_CPUS; i++)
		assert_string_equal(a->cpu_text[i], b->cpu_text[i]);
	assert_string_equal(a->other_text, b->other_text);
}

static void free_model(struct model *m)
{
	for (uint32_t i = 0; i < DUMP_CPUS; i++)
		free(m->lines[i]);
	dump_free(&m->d);
	free(m);
}

static void random_survives(void **state)
{
	struct dump d;
	size_t len;
	uint8_t *data;

	(void)state;
	for (uint64_t run = 0; run < 3; run++) {
		struct model *m = calloc(1, sizeof(*m));

		assert_non_null(m);
		seed = run << 32;
		write_random(m);
		data = slurp(path, &len);
		dump_by_library(&d, data, len);
		same(&d, &m->d);
		dump_free(&d);
		dump_by_hand(&d, data, len);
		same(&d, &m->d);
		dump_free(&d);
		free(data);
		free_model(m);
	}
}

static void deterministic(void **state)
{
	uint8_t *data[2];
	size_t len[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct model *m = calloc(1, sizeof(*m));

		assert_non_null(m);
		seed = 99;
		write_random(m);
		data[i] = slurp(path, &len[i]);
		free_model(m);
	}
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(data[0], data[1], len[0]);
	free(data[0]);
	free(data[1]);
}

/* A long run: whatever its length, what it needs is there from the start. */
static void no_allocations(void **state)
{
	struct report_perfetto *p = create(3);
	struct report_wake wake = sample_wake;
	unsigned long before;

	(void)state;
	add_task(p, 10, 10, "waker", "process");
	add_task(p, 12, 10, "wakee", "process");
	before = allocations;
	for (unsigned i = 0; i < 20000; i++) {
		wake.time += 1000;
		wake.queued += 1000;
		assert_int_equal(report_perfetto_wake(p, &wake), 0);
		assert_int_equal(report_perfetto_switch(p, 2, wake.queued, 0, 'R', 12), 0);
		assert_int_equal(report_perfetto_migrate(p, wake.queued, 12, 2, 1, "active"), 0);
	}
	assert_int_equal(allocations, before);
	assert_int_equal(report_perfetto_close(p), 0);
	assert_true(before > 0);
}

static void protoc(void **state)
{
	char command[512];

	(void)state;
	if (system("command -v protoc >/dev/null")) {
		print_message("no protoc (package protobuf-compiler)\n");
		skip();
	}
	write_sample();
	snprintf(command, sizeof(command), "protoc --decode_raw <%s | grep -q 'server'", path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command),
		 "protoc --proto_path=%s/report --decode=perfetto.Trace perfetto.proto <%s >%s/text"
		 " && ! grep -q '^ *[0-9]*:' %s/text && grep -q 'string_value: \"idle core\"' %s/text",
		 getenv("WAKELAB_SOURCE"), path, folder, folder, folder);
	assert_int_equal(system(command), 0);
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
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "%s/text", folder);
	unlink(text);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds),
		cmocka_unit_test(bytes),
		cmocka_unit_test(random_survives),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(no_allocations),
		cmocka_unit_test(protoc),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
