// SPDX-License-Identifier: GPL-2.0-only
/* The language of loads: what its statements become. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "workload/channel.h"
#include "workload_test.h"

static struct workload *current;

static struct workload *load_with(const char *text, const char *parameters)
{
	struct work_error err;
	const char *wrong;

	workload_free(current);
	current = NULL;
	if (compile_with(text, parameters, &current, &err))
		fail_msg("%s: %s", err.place, err.text);
	wrong = check_workload(current);
	if (wrong)
		fail_msg("%s", wrong);
	return current;
}

static struct workload *load(const char *text)
{
	return load_with(text, NULL);
}

static const struct work_task *task(const char *name)
{
	for (uint32_t i = 0; i < current->nr_tasks; i++)
		if (!strcmp(current->tasks[i].name, name))
			return &current->tasks[i];
	fail_msg("no task %s", name);
	return NULL;
}

/* A task's program as text: "send 1 =100, recv 0": a, b if it means something, value. */
static const char *ops(const char *name)
{
	static const char *const kinds[WORK_NR_OPS] = {
		"exit", "run", "spin", "sleep", "every", "send", "recv", "lock", "unlock", "post",
		"wait", "clear", "park", "release", "barrier", "raise", "await", "yield", "loop",
		"next", "count", "start", "mark", "sample", "sample_wake", "fork", "pin" };
	static char text[4096];
	const struct work_program *p = &current->programs[task(name)->program];
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = p->first; i < p->first + p->nr; i++) {
		const struct work_op *op = &current->ops[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %d",
					i > p->first ? ", " : "", kinds[op->kind], (int)op->a);
		if (op->b || op->kind == WORK_SAMPLE)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %d", (int)op->b);
		if (op->dist != WORK_NONE)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " ~%u", op->dist);
		else if (op->value)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " =%llu",
						(unsigned long long)op->value);
	}
	return text;
}

/* A load of one task with that body. */
static void body(const char *text, const char *expected)
{
	char all[2048];

	snprintf(all, sizeof(all), "load x\n"
		 "channel c pipe\nchannel d[3] unix\nlock l\nlock p percpu\nlock a[2]\n"
		 "semaphore s\nlist w\nbarrier b of 1\nflag f\n"
		 "task t {\n%s\n}\n"
		 "task other {\nrecv c; send c 1; send d[0] 1; send d[1] 1; send d[2] 1\n"
		 "recv d[0]; recv d[1]; recv d[2]; post s; release w; raise f\n}\n", text);
	load(all);
	assert_string_equal(ops("t"), expected);
}

static void operations(void **state)
{
	(void)state;
	body("", "exit 0");
	body("run 10us", "run 0 =10000, exit 0");
	body("run 1.5ms memory 30", "run 30 =1500000, exit 0");
	body("run exp 10us memory 30", "run 30 ~0, exit 0");
	body("spin 30ms; sleep 1s; every 4ms", "spin 0 =30000000, sleep 0 =1000000000, "
	     "every 0 =4000000, exit 0");
	body("send c 100; recv c", "send 0 =100, recv 0, exit 0");
	body("send d[2] 4Ki; recv d[3 - 2]", "send 3 =4096, recv 2, exit 0");
	body("send c uniform 1 9; sleep exp 1us; sleep exp 1us",
	     "send 0 ~0, sleep 0 ~1, sleep 0 ~1, exit 0");
	body("lock l; unlock l", "lock 0, unlock 0, exit 0");
	body("lock p; lock a[1]; unlock p; unlock a[1]",
	     "lock 1 1, lock 14, unlock 1 1, unlock 14, exit 0");
	body("post s; wait s; clear s", "post 0, wait 0, clear 0, exit 0");
	body("park w post s; park w; release w", "park 0, park 0 -1, release 0, exit 0");
	body("barrier b; raise f; await f; yield", "barrier 0, raise 0, await 0, yield 0, exit 0");
	body("pin \"0-1,8\"; pin cpu 5; pin node 1; pin node 0; pin all; pin \"1,0,8,0\"",
	     "pin 0, pin 1, pin 2, pin 3, pin -1, pin 0, exit 0");
	assert_int_equal(current->nr_masks, 4);
	assert_int_equal(current->masks[0].nr, 3);
	assert_int_equal(current->masks[0].cpus[2], 8);
	assert_int_equal(current->masks[1].cpus[0], 9);
	assert_int_equal(current->masks[2].cpus[3], 11);
	assert_int_equal(current->masks[3].cpus[3], 3);
}

static void blocks(void **state)
{
	(void)state;
	body("forever { run 1us }", "loop 0, run 0 =1000, next 0 1");
	body("repeat 3 { run 1us }", "loop 0 =3, run 0 =1000, next 0 1, exit 0");
	body("repeat 0 { run 1us }", "exit 0");
	body("run 1us\nrepeat exp 5 {\n\n run 1us; repeat 2 { yield } }\nrepeat 4 { yield }",
	     "run 0 =1000, loop 0 ~0, run 0 =1000, loop 1 =2, yield 0, next 1 4, next 0 2, "
	     "loop 0 =4, yield 0, next 0 8, exit 0");
	body("repeat 2 { repeat 2 { repeat 2 { repeat 2 { yield } } } }",
	     "loop 0 =2, loop 1 =2, loop 2 =2, loop 3 =2, yield 0, next 3 4, next 2 3, next 1 2, "
	     "next 0 1, exit 0");
	body("for i in 1..4 { run $i * 1us }", "run 0 =1000, run 0 =2000, run 0 =3000, exit 0");
	body("for i in 0..2 { for k in $i..2 { run 1us * (10 * $i + $k) } }; "
	     "for i in 2..2 { run 1s } ; for i in 7..8 { run $i * 1ns }",
	     "run 0, run 0 =1000, run 0 =11000, run 0 =7, exit 0");
}

static void branches(void **state)
{
	(void)state;
	body("if 1 { run 1ns }", "run 0 =1, exit 0");
	body("if 0 { run 1ns }", "exit 0");
	body("if 0 { run 1ns } else { run 2ns }", "run 0 =2, exit 0");
	body("if 1 { run 1ns }\nelse { run 2ns }\nrun 3ns", "run 0 =1, run 0 =3, exit 0");
	body("if 0 { run 1ns } else if 1 { run 2ns } else { run 3ns }; run 4ns",
	     "run 0 =2, run 0 =4, exit 0");
	body("if 0 { run 1ns } else if 0 { run 2ns } else { run 3ns }", "run 0 =3, exit 0");
	body("if 1 { run 1ns } else if 1 { run 2ns } else if 1 { run 3ns } else { run 4ns }",
	     "run 0 =1, exit 0");
	body("if 0 { run 1ns } else if 0 { run 2ns }", "exit 0");
	body("if 1 { if 0 { run 1ns } else { run 2ns } } else { run 3ns }", "run 0 =2, exit 0");
	body("for i in 0..4 { if $i % 2 == 1 { run $i * 1ns } else { repeat $i { yield } } }",
	     "run 0 =1, loop 0 =2, yield 0, next 0 2, run 0 =3, exit 0");
}

/* The expression as a number of rounds. */
static void number(const char *expression, long long expected)
{
	char text[512];

	snprintf(text, sizeof(text), "load x\nparam word one|two = one\nparam n = 12\n"
		 "param t = 30ms\ntask t { repeat 1000 + (%s) { yield } \n"
		 "if $n + ($t / 1ns) == 0 || $word == two { } }\n", expression);
	load(text);
	assert_int_equal(current->ops[0].value, 1000 + expected);
}

static void expressions(void **state)
{
	(void)state;
	number("1 + 2 * 3", 7);
	number("(1 + 2) * 3", 9);
	number("20 - 5 - 3", 12);
	number("100 / 7 / 2", 7);
	number("100 % 7 * 2", 4);
	number("-3 + 5", 2);
	number("- -3", 3);
	number("2 - -3", 5);
	number("-2 * 3", -6);
	number("!0 + !5", 1);
	number("!0 * 5", 5);
	number("1 < 2", 1);
	number("(2 <= 2) + (2 >= 3) + (3 > 2) * 10 + (2 != 2) * 100", 11);
	number("1 + 1 == 2 && 3 < 2 || 1", 1);
	number("0 && 0 || 0", 0);
	number("1 || 1 && 0", 1);
	number("min(3, 5) + 10 * max(3, 5)", 53);
	number("min(max(1, 2 + 2), (7 - 2) * 3)", 4);
	number("$n * 2", 24);
	number("$n-1", 11);
	number("$t / 1ms", 30);
	number("$t / 4 / 1us", 7500);
	number("30ms % 7ms / 1ms", 2);
	number("(1.5us + 0.25us) / 1ns", 1750);
	number("$word == one", 1);
	number("$word != one", 0);
	number("two == $word", 0);
	number("$cpus * 100 + $nodes", 802);
	number("2k + 1M / 1Ki + 1Mi / 1M", 2000 + 976 + 1);
	number("1 +\n 2 * \\\n 3", 7);
	number("9223372036854775807 - 9223372036854775807", 0);
}

static void objects(void **state)
{
	(void)state;
	load("load x\n"
	     "channel a[2] pipe capacity 8Ki * ($self + 1) page 1Ki\nchannel b tcp\n"
	     "channel u unix capacity 4000 wake 1\nchannel v udp overhead 10\n"
	     "lock l[3] spin 5us * $self\nsemaphore s count 2 max 3\nsemaphore m[2]\n"
	     "barrier b4 of 2 spin 1.5ms\nbarrier bf of 2 spin forever\nbarrier b0 of 2\n"
	     "group g1\ngroup g2[2] in g1 shares 512 * ($self + 1)\ngroup g3 in g2[1] idle\n"
	     "task t[2] in group g2[$self] { barrier b4; barrier bf; barrier b0\n"
	     "send a[0] 100; send a[1] 100; recv a[0]; recv a[1]; send b 10; recv b\n"
	     "send u 1; recv u; send v 100; recv v }\n"
	     "task k in group g3 { }\n");
	assert_int_equal(current->channels[0].capacity, 8192);
	assert_int_equal(current->channels[1].capacity, 16384);
	assert_int_equal(current->channels[1].page, 1024);
	assert_int_equal(current->channels[0].messages, 8 * 10);
	assert_int_equal(current->channels[2].kind, WORK_TCP);
	assert_int_equal(current->channels[2].wake_writers * 3, current->channels[2].capacity);
	assert_int_equal(current->channels[3].wake_writers, 1);
	assert_int_equal(current->channels[4].overhead, 10);
	assert_int_equal(current->locks[2].spin, 10000);
	assert_int_equal(current->semaphores[0].count, 2);
	assert_int_equal(current->semaphores[0].max, 3);
	assert_int_equal(current->semaphores[2].max, INT32_MAX);
	assert_int_equal(current->barriers[0].spin, 1500000);
	assert_int_equal(current->barriers[1].spin, UINT64_MAX);
	assert_int_equal(current->barriers[2].spin, 0);
	assert_int_equal(current->nr_groups, 5);
	assert_string_equal(current->groups[4].name, "g3");
	assert_int_equal(current->groups[4].parent, 3);
	assert_int_equal(current->groups[3].shares, 1024);
	assert_int_equal(current->groups[2].shares, 512);
	assert_true(current->groups[4].idle && !current->groups[3].idle);
	assert_int_equal(task("t.1")->group, 3);
	assert_int_equal(task("k")->group, 4);
}

static void kernel_sizes(void **state)
{
	(void)state;
	load("load x\nchannel p pipe\nchannel u unix\nchannel t tcp\nchannel d udp\n"
	     "channel s pipe capacity 100\nchannel v unix capacity 4000\nchannel w pipe\n"
	     "task a { send p 100; send u 100; send t 90; send d 90; send s 10; send v 1\n"
	     "send p 200; send w 5000 }\n"
	     "task b { recv p; recv u; recv t; recv d; recv s; recv v; recv w }\n");
	assert_int_equal(current->channels[0].messages, 640);	/* 16 pages of 40 */
	assert_int_equal(current->channels[0].wakes_all, 0);
	assert_int_equal(current->channels[1].messages, 278);	/* 212992 / 768 */
	assert_int_equal(current->channels[1].wake_writers, 159744);
	assert_int_equal(current->channels[1].wakes_all, 1);
	assert_int_equal(current->channels[4].page, 0);
	assert_int_equal(current->channels[4].messages, 10);
	assert_int_equal(current->channels[5].wake_writers, 3000);
	assert_int_equal(current->channels[6].messages, 16);
}

static void tasks(void **state)
{
	(void)state;
	load("load x\nparam where = \"8,2\"\nparam nowhere = -\ngroup g\n"
	     "task a nice -5 policy batch footprint 256Ki pin $where { }\n"
	     "task b[2] in process server pin $where[$self] { run $self * 1us }\n"
	     "task c[2] in process server[$self] policy idle { }\n"
	     "task d[12] kthread starts pin cpu $self % 8 { }\n"
	     "task e in group g pin $nowhere { }\ntask f pin $nowhere[1] { }\n"
	     "task alongname1234[12] { }\n");
	assert_int_equal(task("a")->nice, -5);
	assert_int_equal(task("a")->policy, WORK_BATCH);
	assert_int_equal(task("a")->footprint, 262144);
	assert_int_equal(current->masks[task("a")->mask].nr, 2);
	assert_int_equal(current->masks[task("a")->mask].cpus[0], 2);
	assert_int_equal(task("b.0")->process, task("b.1")->process);
	assert_int_equal(task("b.0")->process, task("c.0")->process);
	assert_int_not_equal(task("c.0")->process, task("c.1")->process);
	assert_int_equal(current->masks[task("b.0")->mask].cpus[0], 8);
	assert_int_equal(current->masks[task("b.1")->mask].cpus[0], 2);
	assert_int_equal(task("c.1")->policy, WORK_IDLE);
	assert_true(task("d.11")->kthread && task("d.11")->starts);
	assert_int_equal(current->masks[task("d.11")->mask].cpus[0], 3);
	assert_int_equal(task("d.0")->process, task("d.11")->process);
	assert_int_equal(task("e")->group, 1);
	assert_int_equal(task("e")->mask, WORK_NONE);
	assert_int_equal(task("f")->mask, WORK_NONE);
	assert_int_not_equal(task("e")->process, task("f")->process);
	assert_int_not_equal(task("alongname1234.0")->process,
			     task("alongname123.11")->process);
	assert_int_equal(task("b.0")->program == task("b.1")->program, 0);
	assert_int_equal(task("c.0")->program, task("a")->program);
	assert_string_equal(ops("main"), "fork 0 5, fork 17 14, exit 0");
}

static void starts(void **state)
{
	(void)state;
	load("load x\ntask main { fork a; fork b[1]; fork c[1..3]; fork c[0] }\n"
	     "task a { fork b[0] }\ntask b[2] { }\ntask c[3] { run 1us * $self }\n");
	assert_string_equal(ops("main"), "fork 1 1, fork 3 1, fork 5 2, fork 4 1, exit 0");
	assert_true(task("main")->starts);
	load("load x\ntask a { fork b }\ntask b { }\ntask c[2] { }\ntask d starts { }\n");
	assert_string_equal(ops("main"), "fork 0 1, fork 2 2, exit 0");
	assert_int_equal(current->nr_tasks, 6);
	load("load x\nsemaphore s count 1\nmetric m latency\n"	/* what is each task's own */
	     "task a { wait s; mark a; mark b; mark c; mark d; sample m since d }\n"
	     "task b[3] { mark e; mark f; mark g; mark h; sample m since e }\n");
	assert_int_equal(current->nr_programs, 3);
	assert_int_equal(current->nr_ops, 7 + 6 + 2);
	load("load x\ntask d starts { }\n");	/* nobody to fork: no main */
	assert_int_equal(current->nr_tasks, 1);
}

static void metrics(void **state)
{
	const struct work_metric *m;

	(void)state;
	load("load x \"about\"\ntime 2s warmup 1.5ms\nparam k = 5351\n"
	     "metric mb rate \"MB/s\" * $k / (1000 * 1000)\nmetric plain rate lower\n"
	     "metric l latency us 50 *99.99 100 mean bucket 1us bits 6 drop zero\n"
	     "metric avg latency ms 50 mean\nmetric d latency\nmetric all makespan ms\n"
	     "task t { start all; mark a; count mb; count plain 3; count plain exp 100\n"
	     "mark b; sample l since a; sample avg since b; mark a; sample d since a\n"
	     "wait s; sample d since wake }\ntask o { post s }\nsemaphore s\n");
	assert_string_equal(current->about, "about");
	assert_int_equal(current->time, 2000000000);
	assert_int_equal(current->warmup, 1500000);
	assert_string_equal(ops("t"), "start 5, mark 0, count 0 =1, count 1 =3, count 1 ~0, "
			    "mark 1, sample 2 0, sample 3 1, mark 0, sample 4 0, wait 0, "
			    "sample_wake 4, exit 0");
	m = current->metrics;
	assert_string_equal(m[0].unit, "MB/s");
	assert_int_equal(m[0].numerator, 5351);
	assert_int_equal(m[0].denominator, 1000000);
	assert_true(!m[0].lower_is_better && m[1].lower_is_better && m[2].lower_is_better);
	assert_int_equal(m[2].nr_percentiles, 3);
	assert_int_equal(m[2].percentile[1], 999900);
	assert_int_equal(m[2].percentile[2], 1000000);
	assert_int_equal(m[2].star, 1);
	assert_int_equal(m[2].denominator, 1000);
	assert_true(m[2].mean && m[2].drops_zero && m[2].bucket == 1000 && m[2].bits == 6);
	assert_true(m[3].mean && m[3].nr_percentiles == 1 && m[3].star == 1);
	assert_int_equal(m[3].denominator, 1000000);
	assert_int_equal(m[4].nr_percentiles, 4);
	assert_int_equal(m[4].percentile[m[4].star], 990000);
	assert_string_equal(m[4].unit, "ns");
	assert_int_equal(m[5].kind, WORK_MAKESPAN);
	assert_string_equal(m[5].unit, "ms");
}

static void parameters(void **state)
{
	static const char text[] =
		"load x\nparam kind pipe|unix = pipe\nparam n min 1 max 2 * $cpus = $cpus / 2\n"
		"param t min 1us = 30ms\nparam pin = -\nparam where = \"1-3\"\nparam z = 0ns\n"
		"let twice = $n * 2\nchannel c $kind\n"
		"if $kind == unix { let more = 1 } else { let more = 2 }\n"
		"task a pin $pin { repeat $twice { run $t + $z / 1ns * 1ns }; send c $more }\n"
		"task b pin $where[0] { recv c }\n";

	(void)state;
	load_with(text, "");
	assert_string_equal(ops("a"), "loop 0 =8, run 0 =30000000, next 0 1, send 0 =2, exit 0");
	load_with(text, "t=1us,n=3,kind=unix");
	assert_string_equal(ops("a"), "loop 0 =6, run 0 =1000, next 0 1, send 0 =1, exit 0");
	assert_int_equal(current->channels[0].kind, WORK_UNIX);
	load_with(text, "pin=0,8-9,11,z=5ns,n=$cpus + 8");
	assert_int_equal(current->masks[task("a")->mask].nr, 4);
	assert_int_equal(current->masks[task("a")->mask].cpus[3], 11);
	assert_string_equal(ops("a"), "loop 0 =32, run 0 =30000005, next 0 1, send 0 =2, exit 0");
	load_with(text, "where=-,z=0");
	assert_int_equal(task("b")->mask, WORK_NONE);
}

/* Whatever follows a task that isn't needed: text, comments, ends of lines. */
static void layout(void **state)
{
	(void)state;
	load("\n  # first\r\nload x \"a # b\"\r\n\r\n;;channel c pipe;# c\n"
	     "task t {send c 1;recv c}");
	assert_string_equal(current->about, "a # b");
	assert_string_equal(ops("t"), "send 0 =1, recv 0, exit 0");
	load("load x\nchannel schbench-1 pipe\ntask a-b nice \\\n 3 {\n\n\tsend schbench-1 1;\n\n"
	     "recv schbench-1\n;}\n");
	assert_int_equal(task("a-b")->nice, 3);
}

static void builtin_loads(void **state)
{
	struct work_error err;
	struct workload *w;
	const char *name, *wrong;
	unsigned nr = 0;
	size_t len;

	(void)state;
	for (; (name = workload_builtin_name(nr)); nr++) {
		if (workload_load(name, &test_machine, &w, &err))
			fail_msg("%s: %s", err.place, err.text);
		wrong = check_workload(w);
		if (wrong)
			fail_msg("%s: %s", name, wrong);
		assert_string_equal(w->name, name);
		assert_true(*w->about && w->nr_metrics);
		assert_non_null(workload_builtin_text(nr, &len));
		assert_int_equal(strlen(workload_builtin_text(nr, &len)), len);
		workload_free(w);
	}
	assert_int_equal(nr, 6);
	assert_null(workload_builtin_text(nr, &len));
}

static void builtin_parameters(void **state)
{
	static const char *const specs[] = {
		"pipe:kind=unix,bytes=100,pin=0,8", "pipe:kind=tcp,mode=thread",
		"pipe:kind=udp,pin=3,3", "hog:n=3,nice=19,policy=idle,memory=50,footprint=1Mi",
		"hog:duty=25,period=4ms,pin=0-3", "noise:rate=1k,burst=1ms,kworker=4ms",
		"noise:kworker=10ms,kworker_burst=50us", "schbench:messages=1,threads=1",
		"schbench:threads=128,cputime=1ms,sleeptime=3ms", "schbench-request:threads=3",
		"schbench-request:messages=2,operations=1,think=0,footprint=64Ki",
		"messaging:groups=16,kind=pipe,mode=thread,loops=1000", "messaging:fds=1,loops=1",
		"messaging:groups=2,stagger=yes,bytes=1000",
	};
	struct work_error err;
	struct workload *w;
	const char *wrong;

	(void)state;
	for (unsigned i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (workload_load(specs[i], &test_machine, &w, &err))
			fail_msg("%s: %s: %s", specs[i], err.place, err.text);
		wrong = check_workload(w);
		if (wrong)
			fail_msg("%s: %s", specs[i], wrong);
		assert_string_equal(w->name, specs[i]);
		workload_free(w);
	}
}

/* The benchmarks that are still to come can be said. */
static void later_loads(void **state)
{
	static const char *const specs[] = {
		SEEDS "everything.load", SEEDS "everything.load:kind=tcp,n=64",
		SEEDS "tbench.load:clients=512", SEEDS "netperf.load:pairs=240,mode=process",
		SEEDS "netperf.load:test=stream,kind=udp", SEEDS "nas.load:threads=160",
		SEEDS "nas.load:planes=0,spin=0", SEEDS "mysql.load:server=0-3,client=8-11",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct work_error err;
		struct workload *w;

		if (workload_load(specs[i], &test_machine, &w, &err))
			fail_msg("%s: %s", err.place, err.text);
		assert_null(check_workload(w));
		workload_free(w);
	}
}

static struct workload *builtin(const char *spec)
{
	struct work_error err;

	workload_free(current);
	if (workload_load(spec, &test_machine, &current, &err))
		fail_msg("%s: %s", err.place, err.text);
	return current;
}

static void builtin_programs(void **state)
{
	(void)state;
	builtin("pipe:bytes=4,pin=1,9");
	assert_string_equal(ops("left"), "loop 0, send 0 =4, recv 1, count 0 =1, next 0 1");
	assert_string_equal(ops("right"), "loop 0, recv 0, send 1 =4, next 0 1");
	assert_int_equal(current->masks[task("left")->mask].cpus[0], 1);
	assert_int_equal(current->masks[task("right")->mask].cpus[0], 9);
	assert_int_not_equal(task("left")->process, task("right")->process);
	builtin("schbench");
	assert_int_equal(current->nr_tasks, 1 + 2 + 32);
	assert_string_equal(ops("message.1"),
			    "fork 19 16, loop 0, clear 1, release 1, wait 1, sleep 0 ~0, next 0 2");
	assert_string_equal(ops("worker.31"),
			    "loop 0, spin 0 =30000000, park 1 1, sample_wake 0, next 0 1");
	assert_int_equal(current->dists[0].quantile[0] >> WORK_DIST_SHIFT, 30000000);
	assert_int_equal(current->dists[0].quantile[1024] >> WORK_DIST_SHIFT, 37500000);
	assert_int_equal(current->semaphores[1].max, 1);
	builtin("schbench-request:threads=2");
	assert_string_equal(ops("worker.1"),
			    "loop 0, park 0, sample_wake 2, mark 0, sleep 0 =100000, lock 0 1, "
			    "loop 1 =5, run 0 =950000, next 1 7, unlock 0 1, sample 1 0, "
			    "count 0 =1, next 0 1");
	assert_int_equal(current->nr_locks, 12);
	builtin("messaging:groups=2,fds=2,loops=3,kind=pipe,mode=thread");
	assert_string_equal(ops("main"), "fork 1 2, fork 5 2, fork 3 2, fork 7 2, loop 0 =8, "
			    "wait 0, next 0 5, start 0, release 0, exit 0");
	assert_string_equal(ops("sender.3"), "park 0, loop 0 =3, send 2 =100, send 3 =100, "
			    "next 0 2, exit 0");
	assert_string_equal(ops("receiver.1"), "park 0, loop 0 =6, recv 1, next 0 2, exit 0");
	assert_int_equal(current->nr_processes, 1);
	builtin("noise:kworker=4ms");
	assert_string_equal(ops("kworker.7"), "loop 0, every 0 =4000000, run 0 =10000, next 0 1");
	assert_int_equal(current->masks[task("daemon.7")->mask].cpus[0], 11);
	/* 8 CPUs, 200 a second: 40 ms on each */
	assert_int_equal((current->dists[0].tail + 128) >> WORK_DIST_SHIFT, 27725887);
	builtin("hog:duty=25");
	assert_string_equal(ops("hog.7"),
			    "loop 0, run 0 =2500000, count 0 =2500, every 0 =10000000, next 0 1");
}

static int drop(void **state)
{
	(void)state;
	workload_free(current);
	workload_free(NULL);
	current = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations),
		cmocka_unit_test(blocks),
		cmocka_unit_test(branches),
		cmocka_unit_test(expressions),
		cmocka_unit_test(objects),
		cmocka_unit_test(kernel_sizes),
		cmocka_unit_test(tasks),
		cmocka_unit_test(starts),
		cmocka_unit_test(metrics),
		cmocka_unit_test(parameters),
		cmocka_unit_test(layout),
		cmocka_unit_test(builtin_loads),
		cmocka_unit_test(later_loads),
		cmocka_unit_test(builtin_parameters),
		cmocka_unit_test(builtin_programs),
	};

	return cmocka_run_group_tests(tests, NULL, drop);
}
