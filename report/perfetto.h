/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scheduling trace for ui.perfetto.dev: what the kernel's sched events would have
 * shown, and why each wakee went where it went.
 *
 * Times are ns of simulated time. On a CPU they may go back a little, as a wake-up is told
 * when the wakee is queued: what was told since is sorted, up to 32 events.
 * A tid is a positive number unique in the trace; 0 is the idle task.
 *
 * Functions return 0 or a negative errno: -EINVAL for a CPU outside the machine or a value
 * that makes no sense, -ENOENT for a task not announced, -ERANGE for a time from 2^63, or
 * what writing gave. The first error is kept: all that follows returns it and does nothing.
 */
#ifndef REPORT_PERFETTO_H
#define REPORT_PERFETTO_H

#include <stdint.h>

/* The UI's importer refuses a trace with a CPU from here (kMaxCpuCount there). */
#define REPORT_PERFETTO_CPUS 1024u

struct report_perfetto;

struct report_task {
	int32_t tid;
	int32_t pid;		/* of its process; a thread group leader's is its tid */
	int32_t nice;
	const char *name;	/* the sched events show 15 bytes of it, as the kernel does */
	const char *process;
};

/*
 * A wake-up and what decided it. Words are those of `wakelab explain`; NULL leaves one
 * out, as UINT32_MAX does a target.
 */
struct report_wake {
	uint64_t time;		/* selection began */
	uint64_t queued;	/* the wakee was on its run queue */
	uint32_t waker_cpu, cpu, prev, target;
	int32_t waker, wakee;	/* tids */
	const char *reason, *affine, *distance;	/* distance from prev to cpu */
	uint32_t probes;
	uint32_t sync;
};

/*
 * The file appears under path when it is closed and complete; until then it grows beside
 * it. What is not a regular file (a pipe, a device) is written directly, whole packets.
 * -ERANGE: more than REPORT_PERFETTO_CPUS.
 */
int report_perfetto_create(const char *path, uint32_t nr_cpus, struct report_perfetto **out);

/* Before the task's first event; -EEXIST if the tid is another task's. */
int report_perfetto_task(struct report_perfetto *p, const struct report_task *task);

/* prev_state: 'R' runnable, 'S' sleeping, 'D' uninterruptible, 'X' dead. */
int report_perfetto_switch(struct report_perfetto *p, uint32_t cpu, uint64_t time, int32_t prev,
			   char prev_state, int32_t next);
/* If cpu isn't prev, the migration is shown too. */
int report_perfetto_wake(struct report_perfetto *p, const struct report_wake *wake);
/* Without a wake-up: balancing, affinity, fork. why is shown as an argument. */
int report_perfetto_migrate(struct report_perfetto *p, uint64_t time, int32_t tid, uint32_t from,
			    uint32_t to, const char *why);
/* The idle state a CPU entered; index UINT32_MAX: it left. */
int report_perfetto_idle(struct report_perfetto *p, uint32_t cpu, uint64_t time, uint32_t index);

/*
 * Flushes, closes and frees. The first error of any call is returned here again; then
 * nothing stands under the path that wasn't there before. NULL is fine.
 */
int report_perfetto_close(struct report_perfetto *p);

#endif
