/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the Perfetto writer share: the state, and packets made from it. */
#ifndef REPORT_PERFETTO_PRIVATE_H
#define REPORT_PERFETTO_PRIVATE_H

#include "report/file.h"
#include "report/perfetto.h"
#include "report/perfetto.pb-c.h"

#define COMM_LEN 16u		/* TASK_COMM_LEN */
#define PRIO_NICE_0 120		/* DEFAULT_PRIO */
#define BATCH 64u		/* events of a CPU that wait for their bundle */
#define IDLE 0u			/* its place in ids */
#define NO_PLACE UINT32_MAX

enum kind { SWITCH, WAKING, WAKEUP, MIGRATE, CPU_IDLE };

/* A task, a process, or a task that leads its process. */
struct id {
	int32_t id, prio;
	uint8_t is_task, is_process;
	char comm[COMM_LEN];
};

struct event {
	uint64_t time;
	uint32_t kind;
	int32_t pid;		/* who ran on the CPU */
	uint32_t task;		/* in ids; of a switch, who comes */
	uint32_t a, b;		/* prev and state; CPU; from and to; index */
};

struct cpu {
	uint32_t nr;
	int32_t running;	/* tid */
	struct event events[BATCH];
};

union payload {
	Perfetto__SchedSwitch task_switch;
	Perfetto__SchedWakeup wake;
	Perfetto__SchedMigrateTask migrate;
	Perfetto__CpuIdle idle;
};

struct report_perfetto {
	struct report_file file;
	int failed;
	uint32_t nr_cpus;
	struct cpu *cpus;

	struct id *ids;
	uint32_t nr_ids, max_ids;
	uint32_t *slots;	/* by hashed id: place in ids + 1; twice max_ids of them */

	/* A bundle is packed from here. */
	Perfetto__FtraceEvent events[BATCH], *event_list[BATCH];
	union payload payloads[BATCH];
	char idle_comm[24];
};

/* The first error, which is ret if there was none; 0 is none. */
int perfetto_keep(struct report_perfetto *p, int ret);

/* Each writes packets and returns 0 or the first error. */
int perfetto_put_names(struct report_perfetto *p);
int perfetto_put_clocks(struct report_perfetto *p);
int perfetto_put_task(struct report_perfetto *p, const struct report_task *task, int new_process);
/* The first nr events of a CPU that wait become a bundle, and wait no more. */
int perfetto_put_bundle(struct report_perfetto *p, uint32_t cpu, uint32_t nr);
int perfetto_put_reason(struct report_perfetto *p, const struct report_wake *wake);
int perfetto_put_migration(struct report_perfetto *p, uint64_t time, int32_t tid, uint32_t from,
			   uint32_t to, const char *why);

#endif
