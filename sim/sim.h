/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator: a machine with its costs, a kernel variant, loads; deterministic in
 * integers of nanoseconds. What it models and what not is in docs/model.md.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdio.h>

#include "machine/costs.h"
#include "sched/topology.h"
#include "sched/variant.h"
#include "stats/hist.h"
#include "wake/note.h"
#include "workload/workload.h"

struct sim;
struct sched_log;

/* What a kernel's configuration and its command line decide. */
struct sim_kernel {
	uint32_t hz;			/* 100 to 1000 */
	uint8_t preempt;		/* CONFIG_PREEMPT: tasks in the kernel are preempted too */
	uint8_t autogroup;		/* each load is a task group of its own */
	uint8_t wakeup_preemption;	/* sched_feat(WAKEUP_PREEMPTION) */
	uint8_t no_balance;		/* no load balancing of any kind, for tests and ablations */
	uint8_t pad[4];
};

/* powerpc: what kind of partition, and how the hypervisor dispatches its vCPUs. */
struct sim_vcpu {
	uint32_t lpar;			/* WAKE_LPAR* */
	uint64_t window, share;		/* ns: of each window, a vCPU may run this long; 0: always */
};

struct sim_config {
	const struct machine *machine;
	const struct machine_costs *costs;
	const struct sched_variant *variant;
	const struct workload *const *loads;
	uint32_t nr_loads;
	struct sim_kernel kernel;
	struct sim_vcpu vcpu;
	hwloc_const_bitmap_t cpus;	/* that the loads may use (taskset), NULL: all */
	uint64_t seed;
	uint32_t run;			/* 0, 1, ...: number of this run of the same experiment */
	uint64_t warmup, time;		/* ns: not counted, counted */
};

struct sim_error {
	char text[256];
};

/*
 * 0; -EOPNOTSUPP: the variant needs what isn't modelled yet; -EINVAL: the machine is
 * too large or the loads don't fit it; -ENOMEM. Everything in config but kernel, vcpu
 * and numbers has to outlive the simulation.
 */
int sim_create(const struct sim_config *config, struct sim **out, struct sim_error *err);
void sim_free(struct sim *s);		/* accepts NULL */

enum sim_migration {
	SIM_MIGRATE_WAKE,
	SIM_MIGRATE_FORK,
	SIM_MIGRATE_NEWIDLE,
	SIM_MIGRATE_PERIODIC,
	SIM_MIGRATE_NOHZ,
	SIM_MIGRATE_ACTIVE,
	SIM_MIGRATE_AFFINITY,
	SIM_NR_MIGRATIONS
};

extern const char *const sim_migration_text[SIM_NR_MIGRATIONS];

/* What the wakee found on the CPU that it was sent to. */
enum sim_landing {
	SIM_LANDED_IDLE,
	SIM_LANDED_SCHED_IDLE,
	SIM_LANDED_STACKED,	/* busy, and no allowed CPU of the LLC was idle */
	SIM_LANDED_MISSED,	/* busy, though an allowed CPU of the LLC was idle */
	SIM_LANDED_UNSELECTED,	/* no selection took place */
	SIM_NR_LANDINGS
};

extern const char *const sim_landing_text[SIM_NR_LANDINGS];

/* Counts of the measured window. */
struct sim_counts {
	uint64_t wakes, sync_wakes;
	uint64_t unneeded;			/* of wakes: the wakee had not slept yet */
	uint64_t wakes_by_reason[WAKE_NR_REASONS];
	uint64_t wakes_by_affine[WAKE_NR_AFFINES];
	uint64_t wakes_by_distance[MACHINE_NR_LEVELS];	/* from prev */
	uint64_t wakes_by_waker[MACHINE_NR_LEVELS];	/* from the waker's CPU */
	uint64_t landings[SIM_NR_LANDINGS];
	uint64_t probes, select_ns;
	uint64_t migrations[SIM_NR_MIGRATIONS];
	uint64_t migrations_by_distance[MACHINE_NR_LEVELS];
	uint64_t switches, preemptions;		/* preemptions: of a task that could go on */
	uint64_t ipis, no_ipis;			/* remote wake-ups of CPUs that slept, that polled */
	uint64_t ticks, timers, softirqs;
	uint64_t balance_calls, balance_pulls, active_balances, nohz_kicks;
	uint64_t newidle_calls, newidle_skipped, newidle_pulls;
	uint64_t idle_entries[MACHINE_IDLE_MAX], idle_ns[MACHINE_IDLE_MAX];
	uint64_t idle_early[MACHINE_IDLE_MAX];	/* left before the target residency */
	uint64_t lines[MACHINE_NR_LEVELS], memory_lines;
	uint64_t run_ns, wait_ns, sleep_ns;	/* of all tasks */
	uint64_t busy_ns, cpu_ns;		/* of all CPUs; cpu_ns: CPUs x time */
	uint64_t irq_ns;
	uint64_t handlers, records;		/* events handled; those perf sched would record */
};

/* Runs the warm-up and the measured window; once. -EIO: an invariant broke (err). */
int sim_run(struct sim *s, struct sim_error *err);

const struct sim_counts *sim_counts(const struct sim *s);
/* Run-queue wait of all tasks, ns: from runnable to running, each time. */
const struct stats_hist *sim_wait_hist(const struct sim *s);
/* A metric's count (WORK_RATE), or ns (WORK_MAKESPAN; 0: not all have exited). */
uint64_t sim_metric(const struct sim *s, uint32_t load, uint32_t metric);
const struct stats_hist *sim_metric_hist(const struct sim *s, uint32_t load, uint32_t metric);
uint64_t sim_window(const struct sim *s);	/* ns that were measured */
const struct sched_topology *sim_topology(const struct sim *s);
size_t sim_bytes(const struct sim *s);		/* allocated for CPUs, tasks and loads */

/* A task as others may name it. */
struct sim_task_name {
	uint32_t id;		/* from 1 */
	uint32_t process;	/* id of its process, from 1 */
	uint32_t load;
	const char *name;
};

uint32_t sim_nr_tasks(const struct sim *s);
void sim_task_name(const struct sim *s, uint32_t task, struct sim_task_name *out);

/* A wake-up and what was decided; task numbers are from 0, ~0u is an idle task. */
struct sim_wake_event {
	uint64_t time, queued;
	uint32_t cpu, prev, waker, wakee;
	uint32_t flags, in_task;
	uint32_t selected;		/* 0: the wake-up skipped selection */
	uint32_t logged;
	struct wake_decision decision;
	enum sim_landing landing;
};

/*
 * Whoever watches. A member may be NULL. They are called in the order of time of each
 * CPU; the wake-up's when the wakee is queued. wants_log: asked before a selection that
 * has the candidates logged to log, which wake() gets then (else NULL).
 */
struct sim_watch {
	void *arg;
	void (*task_switch)(void *arg, uint64_t time, uint32_t cpu, uint32_t prev, char state,
			    uint32_t next);
	int (*wants_log)(void *arg, uint64_t time, uint32_t cpu, uint32_t wakee);
	void (*wake)(void *arg, const struct sim_wake_event *event, const struct sched_log *log);
	void (*migrate)(void *arg, uint64_t time, uint32_t task, uint32_t from, uint32_t to,
			enum sim_migration why);
	void (*idle)(void *arg, uint64_t time, uint32_t cpu, uint32_t state);
};

/* From the beginning of the measured window on. */
void sim_watch(struct sim *s, const struct sim_watch *watch);

#endif
