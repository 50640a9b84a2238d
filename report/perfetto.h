/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scheduling trace for ui.perfetto.dev: what the kernel's sched events would have
 * shown, and why each wakee went where it went.
 *
 * Times are ns of simulated time and don't go backwards on a CPU. A tid is a positive
 * number unique in the trace; 0 is the idle task.
 */
#ifndef REPORT_PERFETTO_H
#define REPORT_PERFETTO_H

#include <stdint.h>

struct report_perfetto;

struct report_task {
	int32_t tid;
	int32_t pid;		/* of its process; a thread group leader's is its tid */
	const char *name;
	const char *process;
};

/* A wake-up and what decided it. Words are those of `wakelab explain`. */
struct report_wake {
	uint64_t time;		/* selection began */
	uint64_t queued;	/* the wakee was on its run queue */
	uint32_t waker_cpu, cpu, prev, target;
	int32_t waker, wakee;	/* tids */
	const char *reason, *affine, *distance;	/* distance from prev to cpu */
	uint32_t probes;
	uint32_t sync;
};

/* Creates path; nothing but whole packets is ever written. */
int report_perfetto_create(const char *path, uint32_t nr_cpus, struct report_perfetto **out);

/* Before the task's first event. */
int report_perfetto_task(struct report_perfetto *p, const struct report_task *task);

/* prev_state: 'R' runnable, 'S' sleeping, 'D' uninterruptible, 'X' dead. */
int report_perfetto_switch(struct report_perfetto *p, uint32_t cpu, uint64_t time, int32_t prev,
			   char prev_state, int32_t next);
int report_perfetto_wake(struct report_perfetto *p, const struct report_wake *wake);
/* Without a wake-up: balancing, affinity, fork. why is shown as an argument. */
int report_perfetto_migrate(struct report_perfetto *p, uint64_t time, int32_t tid, uint32_t from,
			    uint32_t to, const char *why);
/* The idle state a CPU entered; index UINT32_MAX: it left. */
int report_perfetto_idle(struct report_perfetto *p, uint32_t cpu, uint64_t time, uint32_t index);

/* Flushes and closes. The first error of any call is kept and returned here again. */
int report_perfetto_close(struct report_perfetto *p);

#endif
