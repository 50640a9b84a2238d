/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads: tasks and what they do, compiled from text into small operations that the
 * simulator executes. Nothing here knows of CPUs' speed, run queues or time.
 *
 * A load is a file (wakelab-load(5)) or a built-in one with parameters:
 * "schbench:messages=2,threads=16". Durations are ns, sizes bytes.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#define WORK_LOOPS_MAX		4	/* nesting of run-time loops; marks of a task */
#define WORK_TASKS_MAX		65536	/* of a load */
#define WORK_OPS_MAX		(4u << 20)
#define WORK_TIME_MAX		1000000000000000ULL /* of any duration: 11 days */
#define WORK_MESSAGE_MAX	(1u << 30)	/* bytes, drawn ones included */
#define WORK_NONE		UINT32_MAX

/*
 * One operation. a is an index into the table named; value is a constant, or where
 * dist isn't WORK_NONE a draw from that distribution.
 *
 * Blocking ones sleep in the kernel unless they say spin. A wake-up by WORK_SEND and
 * WORK_RECV is WF_SYNC, by all others it isn't; nor is that of a TCP channel's writer
 * (sk_stream_write_space()).
 */
enum work_op_kind {
	WORK_EXIT,	/* the task ends */
	WORK_RUN,	/* computes for value ns; a: percent of it that waits for memory */
	WORK_SPIN,	/* busy with pause for value ns of wall clock */
	WORK_SLEEP,	/* sleeps value ns: a timer interrupt wakes it */
	WORK_EVERY,	/* sleeps until the next multiple of value ns since its phase */
	WORK_SEND,	/* channel a, value bytes; blocks while it is full */
	WORK_RECV,	/* channel a, a message; blocks while it is empty */
	WORK_LOCK,	/* lock a; b 1: of the a + CPU it runs on */
	WORK_UNLOCK,	/* lock a; b 1: the one that its last WORK_LOCK with b 1 took */
	WORK_POST,	/* semaphore a: wakes one waiter, or counts up to its maximum */
	WORK_WAIT,	/* semaphore a: counts down, or sleeps */
	WORK_CLEAR,	/* semaphore a: its count becomes 0; a store */
	WORK_PARK,	/* list a: adds itself in front, posts semaphore b (or NONE), sleeps */
	WORK_RELEASE,	/* list a: takes all, stamps the time once, wakes them one by one */
	WORK_BARRIER,	/* barrier a: spins for its budget, then sleeps; the last wakes all */
	WORK_RAISE,	/* flag a, one up */
	WORK_AWAIT,	/* flag a: spins until it is up, takes one down; never sleeps */
	WORK_YIELD,	/* sched_yield() */
	WORK_LOOP,	/* loop counter a := value (0: for ever) */
	WORK_NEXT,	/* counter a: go to operation b of this program while loops are left */
	WORK_COUNT,	/* metric a += value */
	WORK_START,	/* metric a, a makespan, begins now */
	WORK_MARK,	/* remembers now, in mark a (WORK_LOOPS_MAX of them) */
	WORK_SAMPLE,	/* metric a: now - mark b */
	WORK_SAMPLE_WAKE, /* metric a: now - the stamp of the release or post that woke it */
	WORK_FORK,	/* starts tasks a .. a + b - 1, one after the other */
	WORK_PIN,	/* sched_setaffinity() to mask a, WORK_NONE: all */
	WORK_NR_OPS
};

struct work_op {
	uint16_t kind;		/* enum work_op_kind */
	uint16_t pad;
	uint32_t a, b;
	uint32_t dist;		/* of value, or WORK_NONE */
	uint64_t value;
};

enum work_policy { WORK_NORMAL, WORK_BATCH, WORK_IDLE };

/* A task; which ones run at the start and which are forked is in the programs. */
struct work_task {
	char name[16];
	uint32_t process;	/* tasks of one process share their memory */
	uint32_t program;
	uint32_t group;		/* of its load: 0 the load's own (autogroup), else groups[] */
	uint32_t mask;		/* of masks[], or WORK_NONE: all CPUs */
	uint32_t footprint;	/* bytes of its working set */
	int8_t nice;
	uint8_t policy;		/* enum work_policy */
	uint8_t kthread;	/* of the root group, whatever the load's */
	uint8_t starts;		/* runs at time 0 (else one WORK_FORK starts it) */
};

/*
 * The last operation is WORK_EXIT, or a WORK_NEXT of a loop for ever. A makespan ends
 * with the last exit of those that end; the others are not waited for.
 */
struct work_program {
	uint32_t first, nr;	/* of ops[] */
};

enum work_channel_kind { WORK_PIPE, WORK_UNIX, WORK_TCP, WORK_UDP, WORK_NR_CHANNELS };

#define WORK_SKB	UINT32_MAX	/* overhead: what a socket buffer takes */

/* workload/channel.h computes what fits in and who is woken. */
struct work_channel {
	uint8_t kind;
	uint8_t wakes_all;	/* writers: all are woken; else one, which wakes the next */
	uint32_t capacity;	/* bytes of payload and overhead that it holds */
	uint32_t page;		/* pipe: bytes of a page, of which messages share; 0: no pages */
	uint32_t overhead;	/* bytes a message takes besides its payload, or WORK_SKB */
	uint32_t wake_writers;	/* bytes that must be free before writers are woken */
	uint32_t messages;	/* it never holds more, with the smallest that are sent */
};

struct work_lock {
	uint64_t spin;		/* ns of spinning before sleep */
};

struct work_semaphore {
	uint32_t count, max;
};

struct work_barrier {
	uint32_t nr;		/* tasks that meet */
	uint64_t spin;		/* ns of wall clock before sleep; UINT64_MAX: for ever */
};

struct work_group {
	char name[16];
	uint32_t parent;	/* 0: the load's own */
	uint32_t shares;	/* 1024: as a task of nice 0 */
	uint8_t idle;		/* cpu.idle */
};

/*
 * A distribution as its quantiles, in 1/256 ns or bytes: draws between neighbours are
 * linear. With a tail, half of the draws lie beyond the last one, where the distribution
 * begins anew (the exponential's is its median: it forgets). A mix has parts: that many
 * of the table's next entries, each drawn from for random bits below its own limit.
 */
#define WORK_QUANTILES	1025
#define WORK_DIST_SHIFT	8

struct work_dist {
	uint32_t parts;		/* 0: this is it */
	uint32_t pad;
	uint64_t below;		/* of a part */
	uint64_t tail;		/* 1/256 ns; 0: none */
	uint64_t quantile[WORK_QUANTILES];
};

/* One draw from 64 random bits; integer, the same everywhere. */
uint64_t work_draw(const struct work_dist *dist, uint64_t random);
/* No draw is less. */
uint64_t work_dist_least(const struct work_dist *dist);

enum work_metric_kind {
	WORK_RATE,		/* count a second of the measured window */
	WORK_LATENCY,		/* a histogram of samples, ns */
	WORK_MAKESPAN,		/* from WORK_START, or the first fork, to the last exit, ns */
};

struct work_metric {
	char name[24];
	char unit[24];
	uint8_t kind;
	uint8_t lower_is_better;
	uint16_t nr_percentiles;
	uint32_t percentile[8];	/* in 1/10000 % : 500000 is the median */
	uint8_t star;		/* which of them stands for the metric; nr_percentiles: the mean */
	uint8_t mean;		/* the mean is shown too */
	uint64_t numerator, denominator; /* value shown = count (or ns) * numerator / denominator */
	uint64_t bucket;	/* histogram: ns of its unit, and */
	uint32_t bits;		/* bits of precision (schbench: 1000 ns, 8 bits) */
	uint8_t drops_zero;	/* samples of 0 units are dropped (schbench) */
};

struct work_mask {
	uint32_t nr;
	uint16_t *cpus;		/* ascending */
};

/* The first metric is the load's own: what comparisons compare. */
struct workload {
	char *name;		/* as asked for */
	char *about;
	uint64_t warmup, time;	/* ns, defaults of the load */
	uint32_t nr_ops, nr_programs, nr_tasks, nr_channels, nr_locks, nr_semaphores, nr_lists,
		nr_barriers, nr_flags, nr_groups, nr_dists, nr_metrics, nr_masks, nr_processes;
	struct work_op *ops;
	struct work_program *programs;
	struct work_task *tasks;
	struct work_channel *channels;
	struct work_lock *locks;
	struct work_semaphore *semaphores;
	struct work_barrier *barriers;
	struct work_group *groups;	/* groups[0] is the load's own */
	struct work_dist *dists;
	struct work_metric *metrics;
	struct work_mask *masks;
};

struct work_error {
	char place[256];	/* file:line, or the parameter */
	char text[256];
};

/* What a load may ask of the machine: how many CPUs, and which. */
struct work_machine {
	uint32_t nr;		/* CPUs that tasks may use */
	const uint16_t *cpus;	/* ascending */
	const uint16_t *node;	/* of each of them */
};

/*
 * workload_load - a built-in load or a file, with parameters
 * @spec: "NAME[:PARAMETER=VALUE,...]" or "PATH[:...]"; a path has a / or ends in .load.
 *        A piece without = belongs to the value before it: "pipe:pin=0,4,bytes=100".
 * 0, -ENOENT, -EINVAL (err says where and what), -E2BIG, -ENOMEM, or what open() and
 * read() say.
 */
int workload_load(const char *spec, const struct work_machine *machine, struct workload **out,
		  struct work_error *err);
/* name: for messages; parameters: "PARAMETER=VALUE,...", "" or NULL. */
int workload_load_text(const char *name, const char *text, size_t len, const char *parameters,
		       const struct work_machine *machine, struct workload **out,
		       struct work_error *err);
void workload_free(struct workload *w);	/* accepts NULL */

/* The i-th built-in load's name and text; NULL past the last. */
const char *workload_builtin_name(unsigned i);
const char *workload_builtin_text(unsigned i, size_t *len);

#endif
