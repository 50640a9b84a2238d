// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be computed by hand: the simulator has to give it, to the precision stated.
 * Machines, cards and loads here are round numbers, no machine that exists.
 */
#include "tests/sim_scene.h"

#include <stdlib.h>

#define US	1000ull
#define MS	1000000ull
#define S	1000000000ull

static void assert_near(uint64_t value, double expected, double relative)
{
	double away = (double)value / expected - 1;

	if (away > relative || away < -relative)
		fail_msg("%llu, expected %.1f within %g", (unsigned long long)value, expected,
			 relative);
}

/*
 * Two tasks on two idle CPUs of an LLC hand a byte back and forth. A hop, from the write
 * to the end of the peer's read, is the sum of the card's costs:
 * write: syscall / 2 + pipe_send + a byte's copy + the pipe's lines; the wake-up with the
 * wakee's lines; the IPI; the peer's idle exit, interrupt, schedule and switch, with its
 * own run queue's line back; its task's lines; read: pipe_recv + copy + the pipe's lines,
 * syscall / 2. The waker's enqueue and way to sleep overlap with that.
 */
static void test_round_trip(void **state)
{
	const uint64_t write = 100 + 530 + 1 + 9 * 5, wake = 430 + 8 * 5, ipi = 700;
	const uint64_t exit = 500 + 190 + 310 + 1100 + 7, read = 6 * 5 + 590 + 1 + 9 * 5 + 100;
	const uint64_t trip = 2 * (write + wake + ipi + exit + read);
	struct scene sc;

	(void)state;
	scene_begin(&sc, SCENE_4CPUS, "v5.17");
	scene_card(&sc);
	sc.config.kernel.no_balance = 1;
	scene_load(&sc, "load t \"two pinned tasks\"\n"
			"metric trip latency ns 50 bucket 1ns bits 12\n"
			"channel ping pipe\nchannel pong pipe\n"
			"task left pin cpu 0 { forever { mark a; send ping 1; recv pong; "
			"sample trip since a } }\n"
			"task right pin cpu 1 { forever { recv ping; send pong 1 } }\n");
	scene_run(&sc, 10 * MS, 10 * MS);
	assert_int_equal(trip, 9438);
	/* A tick that wakes the peer's CPU just before may spare a trip the idle exit. */
	assert_int_equal(stats_hist_max(scene_hist(&sc, "trip")), trip);
	assert_in_range(stats_hist_quantile(scene_hist(&sc, "trip"), 10000), trip, trip + 1);
	assert_in_range(stats_hist_count(scene_hist(&sc, "trip")), 10 * MS / trip - 1,
			10 * MS / trip + 1);
	scene_end(&sc);
}

/* Nice levels whose weights are nearly 1:2:3 share a CPU as their weights do. */
static void test_shares(void **state)
{
	const double weight[] = { 1024, 1991, 3121 };	/* nice 0, -3, -5 */
	struct scene sc;

	(void)state;
	scene_begin(&sc, SCENE_4CPUS, "v5.17");
	scene_load(&sc, "load t \"three hogs on a CPU\"\nmetric n rate \"x\"\n"
			"task a pin cpu 0 { forever { run 1ms; count n } }\n"
			"task b pin cpu 0 nice -3 { forever { run 1ms } }\n"
			"task c pin cpu 0 nice -5 { forever { run 1ms } }\n");
	scene_run(&sc, 0, 60 * S);
	for (uint32_t i = 0; i < 3; i++) {
		const char *name[] = { "a", "b", "c" };
		double share = weight[i] / (weight[0] + weight[1] + weight[2]);

		assert_near(scene_task(&sc, name[i])->run, 60e9 * share, 0.005);
	}
	scene_end(&sc);
}

/*
 * A task that sleeps long and a hog of the same weight, wakeup_granularity 4 ms at 4
 * CPUs' scaling (3 ms): the sleeper is placed half of sched_latency (9 ms) behind, more
 * than the granularity, and preempts at once.
 */
static void test_sleeper_preempts(void **state)
{
	struct scene sc;

	(void)state;
	scene_begin(&sc, SCENE_4CPUS, "v5.17");
	scene_load(&sc, "load t \"hog and sleeper\"\n"
			"metric wait latency ns 50 bucket 1ns bits 12\n"
			"task hog pin cpu 0 { forever { run 10s } }\n"
			"task waker pin cpu 0 { forever { mark a; sleep 50ms; sample wait since a; "
			"run 10us } }\n");
	scene_run(&sc, 100 * MS, 5 * S);
	assert_int_equal(stats_hist_max(scene_hist(&sc, "wait")), 50 * MS);
	scene_end(&sc);
}

/*
 * Without wake-up preemption the sleeper waits for a tick that finds the hog's slice
 * used: at HZ=100 never longer than its slice and a tick.
 */
static void test_latency_bound(void **state)
{
	const uint64_t slice = 18 * MS / 2, tick = 10 * MS;
	struct scene sc;
	uint64_t most;

	(void)state;
	scene_begin(&sc, SCENE_4CPUS, "v5.17");
	sc.config.kernel.hz = 100;
	sc.config.kernel.wakeup_preemption = 0;
	scene_load(&sc, "load t \"hog and sleeper\"\n"
			"metric wait latency ns 50 bucket 1ns bits 12\n"
			"task hog pin cpu 0 { forever { run 10s } }\n"
			"task waker pin cpu 0 { forever { mark a; sleep exp 50ms; "
			"run 10us; sample wait since a } }\n");
	scene_run(&sc, 100 * MS, 20 * S);
	most = stats_hist_max(sim_wait_hist(sc.s));
	assert_in_range(most, tick / 2, slice + 2 * tick);
	scene_end(&sc);
}

/* n hogs of a CPU: nobody runs longer in a turn than its slice and one tick. */
static void test_slices(void **state)
{
	(void)state;
	for (uint64_t n = 2; n <= 16; n *= 2) {
		/* Four CPUs: latency 18 ms, min_granularity 2.25 ms, up to 8 share it. */
		const uint64_t slice = n <= 8 ? 18 * MS / n : 2250 * US, tick = 4 * MS;
		uint64_t turns;
		char load[256];
		struct scene sc;

		scene_begin(&sc, SCENE_4CPUS, "v5.17");
		snprintf(load, sizeof(load), "load t \"hogs\"\nmetric x rate \"x\"\n"
			 "task hog[%u] pin cpu 0 { forever { run 10s; count x } }\n", (unsigned)n);
		scene_load(&sc, load);
		scene_run(&sc, 100 * MS, 10 * S);
		turns = 10 * S / ((slice + tick - 1) / tick * tick);
		assert_near(sim_counts(sc.s)->switches, (double)turns, 0.05);
		assert_in_range(stats_hist_max(sim_wait_hist(sc.s)), 0,
				(n - 1) * (slice + 2 * tick));
		scene_end(&sc);
	}
}

/*
 * Poisson arrivals at one CPU from a large population. Nobody is preempted and nobody's
 * order depends on its own service, so the mean wait is Pollaczek and Khinchin's:
 * rho / (1 - rho) * S * (1 + cv^2) / 2. The population is finite, and with its size the
 * rate falls by the mean number of customers in the system; corrected for here.
 */
static void queue(const char *service, double cv2, double *expected, struct scene *sc)
{
	const double n = 2000, s = 20e3, think = 80e6;
	double rate = n / think, waiting = 0;
	char load[512];

	for (int i = 0; i < 50; i++) {
		double rho = rate * s, wait = rho / (1 - rho) * s * (1 + cv2) / 2;

		waiting = wait;
		rate = n / (think + s + wait);
	}
	*expected = waiting;
	scene_begin(sc, SCENE_4CPUS, "v5.17");
	sc->config.kernel.wakeup_preemption = 0;
	sc->config.kernel.no_balance = 1;
	snprintf(load, sizeof(load), "load t \"queue\"\nmetric done rate \"jobs\"\n"
		 "task customer[2000] pin cpu 0 { forever { sleep exp 80ms; run %s; count done } }\n",
		 service);
	scene_load(sc, load);
	scene_run(sc, 1 * S, 60 * S);
}

static void check_queue(const char *service, double cv2)
{
	double expected;
	struct scene sc;
	const struct stats_hist *wait;

	queue(service, cv2, &expected, &sc);
	wait = sim_wait_hist(sc.s);
	assert_near(stats_hist_sum(wait) / stats_hist_count(wait), expected, 0.02);
	/* Little: mean number waiting = arrival rate * mean wait. */
	assert_near(sim_counts(sc.s)->wait_ns, (double)stats_hist_sum(wait), 0.001);
	assert_near(scene_metric(&sc, "done"), (double)stats_hist_count(wait), 0.001);
	scene_end(&sc);
}

static void test_mm1(void **state)
{
	(void)state;
	check_queue("exp 20us", 1);
}

static void test_md1(void **state)
{
	(void)state;
	check_queue("20us", 0);
}

/* A barrier's spinner sleeps exactly when the other comes later than its budget. */
static void test_spin_then_sleep(void **state)
{
	static const struct {
		const char *late;
		uint32_t sleeps;
	} cases[] = { { "999us", 0 }, { "1001us", 1 } };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		char load[512];
		struct scene sc;

		scene_begin(&sc, SCENE_4CPUS, "v5.17");
		snprintf(load, sizeof(load), "load t \"barrier\"\nmetric n rate \"x\"\n"
			 "barrier meet of 2 spin 1ms\n"
			 "task early pin cpu 0 { forever { barrier meet; count n } }\n"
			 "task late pin cpu 1 { forever { run %s; barrier meet } }\n", cases[i].late);
		scene_load(&sc, load);
		scene_run(&sc, 10 * MS, 100 * MS);
		assert_int_equal(sim_counts(sc.s)->wakes > 0, cases[i].sleeps);
		assert_true(scene_metric(&sc, "n") > 90);
		if (!cases[i].sleeps)
			assert_int_equal(sim_counts(sc.s)->sleep_ns, 0);
		scene_end(&sc);
	}
}

/*
 * A task's pages are where it ran first. Half of its time waits for memory, which costs
 * 1.5 times from the other package: 1.25 of its time there.
 */
static void test_home_node(void **state)
{
	struct scene sc;

	(void)state;
	scene_begin(&sc, SCENE_2PACKAGES, "v5.17");
	sc.costs.memory_remote.value = 150;
	scene_load(&sc, "load t \"moves\"\n"
			"metric home latency ns 50 bucket 1ns bits 12\n"
			"metric away latency ns 50 bucket 1ns bits 12\n"
			"task m pin cpu 0 { mark a; run 8ms memory 50; sample home since a; pin cpu 2; "
			"mark a; run 8ms memory 50; sample away since a; pin cpu 1; mark a; "
			"run 8ms memory 50; sample home since a }\n");
	scene_run(&sc, 0, 100 * MS);
	assert_int_equal(stats_hist_count(scene_hist(&sc, "home")), 2);
	assert_int_equal(stats_hist_sum(scene_hist(&sc, "home")), 16 * MS);
	assert_near(stats_hist_sum(scene_hist(&sc, "away")), 10e6, 2e-5);
	scene_end(&sc);
}

/* Two busy threads of a core at 125 % of one's throughput: each at 62.5 % of its speed. */
static void test_smt(void **state)
{
	struct scene sc;

	(void)state;
	scene_begin(&sc, SCENE_SMT, "v5.17");
	sc.costs.smt_2.value = 125;
	scene_load(&sc, "load t \"siblings\"\n"
			"metric alone latency ns 50 bucket 1ns bits 12\n"
			"metric both latency ns 50 bucket 1ns bits 12\n"
			"task a pin cpu 0 { mark m; run 5ms; sample alone since m; sleep 1ms; "
			"mark m; run 5ms; sample both since m }\n"
			"task b pin cpu 4 { sleep 5500us; run 100ms }\n");
	scene_run(&sc, 0, 100 * MS);
	assert_int_equal(stats_hist_sum(scene_hist(&sc, "alone")), 5 * MS);
	assert_in_range(stats_hist_sum(scene_hist(&sc, "both")), 8 * MS, 8 * MS + 2);
	scene_end(&sc);
}

/*
 * Two wakers leave a barrier together and select, each for a wakee that may use CPUs 2
 * and 3; 3 is busy. Where looking at a CPU takes time, neither sees the other's choice,
 * and both take CPU 2 for idle. Returns how many do.
 */
static uint32_t found_idle(uint64_t probe_ps)
{
	uint32_t nr;
	struct scene sc;

	scene_begin(&sc, SCENE_LLC4, "v5.17");
	sc.config.kernel.no_balance = 1;
	sc.costs.probe.value = probe_ps;
	scene_load(&sc, "load t \"two wakers, one idle CPU\"\nmetric n rate \"x\"\n"
			"semaphore go[2]\nbarrier meet of 2 spin forever\n"
			"task hog pin cpu 3 { forever { run 10s } }\n"
			"task waker[2] pin cpu $self { sleep 10ms; barrier meet; post go[$self]; "
			"sleep 1s }\n"
			"task wakee[2] pin \"2-3\" { wait go[$self]; count n; run 100ms }\n");
	scene_run(&sc, 0, 50 * MS);
	nr = (scene_task(&sc, "wakee.0")->event.landing == SIM_LANDED_IDLE) +
	     (scene_task(&sc, "wakee.1")->event.landing == SIM_LANDED_IDLE);
	if (nr == 2)
		assert_int_equal(scene_task(&sc, "wakee.0")->event.decision.cpu,
				 scene_task(&sc, "wakee.1")->event.decision.cpu);
	scene_end(&sc);
	return nr;
}

static void test_race(void **state)
{
	(void)state;
	assert_int_equal(found_idle(1000000), 2);
	assert_int_equal(found_idle(0), 1);
}

/* avg_idle after idle periods of 200 us each, from its start at 1 ms; v5.17 halves it. */
static void test_avg_idle(void **state)
{
	struct scene sc;
	const struct sched_rq *rq;
	int64_t expected = 1000000;

	(void)state;
	scene_begin(&sc, SCENE_4CPUS, "v5.17");
	sc.config.kernel.no_balance = 1;
	scene_load(&sc, "load t \"periodic\"\nmetric n rate \"x\"\n"
			"task p pin cpu 3 kthread starts { repeat 20 { sleep 200us; run 50us; "
			"count n } sleep 10s }\n");
	scene_run(&sc, 0, 100 * MS);
	for (int i = 0; i < 20; i++)
		expected += (200000 - expected) / 8;
	rq = &sc.s->state->rq[3];
	assert_int_equal(scene_metric(&sc, "n"), 20);
	assert_int_equal(rq->avg_idle, expected);
	assert_int_equal(sc.s->state->cpu[3].wake_avg_idle, expected / 2);
	scene_end(&sc);
}

/* A message that moves 9 lines costs a pair what its level says, to the ns. */
static void test_distance(void **state)
{
	static const struct {
		const char *machine;
		uint32_t left, right;
		uint64_t fetch, hot, ipi, remote; /* remote: the wake-up is queued */
	} cases[] = {
		{ SCENE_4CPUS, 0, 1, 5, 7, 700, 0 },
		{ SCENE_4CPUS, 0, 2, 17, 31, 700, 1 },
		{ SCENE_2PACKAGES, 0, 2, 41, 61, 900, 1 },
	};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		/* Queued, the wakee's CPU enqueues, and its rq line comes then, not later. */
		const uint64_t line = cases[i].hot, lines = cases[i].fetch;
		const uint64_t queue = cases[i].remote ? 290 + line : 0;
		const uint64_t hop = 100 + 530 + 1 + 9 * lines + 430 + 8 * lines + queue +
			cases[i].ipi + 500 + 190 + 310 + 1100 + (cases[i].remote ? 0 : line) +
			6 * lines + 590 + 1 + 9 * lines + 100;
		char load[512];
		struct scene sc;

		scene_begin(&sc, cases[i].machine, "v5.17");
		scene_card(&sc);
		sc.config.kernel.no_balance = 1;
		snprintf(load, sizeof(load), "load t \"pair\"\n"
			 "metric trip latency ns 50 bucket 1ns bits 12\n"
			 "channel ping pipe\nchannel pong pipe\n"
			 "task left pin cpu %u { forever { mark a; send ping 1; recv pong; "
			 "sample trip since a } }\n"
			 "task right pin cpu %u { forever { recv ping; send pong 1 } }\n",
			 cases[i].left, cases[i].right);
		scene_load(&sc, load);
		scene_run(&sc, 10 * MS, 10 * MS);
		assert_int_equal(stats_hist_max(scene_hist(&sc, "trip")), 2 * hop);
		scene_end(&sc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_sleeper_preempts),
		cmocka_unit_test(test_latency_bound),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_mm1),
		cmocka_unit_test(test_md1),
		cmocka_unit_test(test_spin_then_sleep),
		cmocka_unit_test(test_home_node),
		cmocka_unit_test(test_smt),
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_avg_idle),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
