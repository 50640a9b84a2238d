// SPDX-License-Identifier: GPL-2.0-only
/* A simulated run as a Perfetto trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/simulate.h"
#include "cmd/words.h"
#include "report/perfetto.h"
#include "wake/host.h"

struct trace {
	const char *path;
	struct report_perfetto *to;
	const struct machine_place *places;
};

static int32_t tid_of(uint32_t task)
{
	return (int32_t)(task + 1);	/* ~0u, an idle task, is 0 */
}

static void task_switch(void *arg, uint64_t time, uint32_t cpu, uint32_t prev, char state,
			uint32_t next)
{
	struct trace *trace = arg;

	report_perfetto_switch(trace->to, cpu, time, tid_of(prev), state, tid_of(next));
}

static void wake(void *arg, const struct sim_wake_event *e, const struct sched_log *log)
{
	struct trace *trace = arg;
	const struct wake_decision *d = &e->decision;
	struct report_wake out = {
		.time = e->time,
		.queued = e->queued,
		.waker_cpu = e->cpu,
		.cpu = d->cpu,
		.prev = e->prev,
		.target = d->target,
		.waker = tid_of(e->waker),
		.wakee = tid_of(e->wakee),
		.reason = cmd_reason_text[d->reason],
		.affine = cmd_affine_text[d->affine],
		.distance = machine_level_name(machine_level_of(&trace->places[e->prev],
								&trace->places[d->cpu])),
		.probes = d->probes,
		.sync = !!(e->flags & WAKE_WF_SYNC),
	};

	(void)log;
	report_perfetto_wake(trace->to, &out);
}

static void migrate(void *arg, uint64_t time, uint32_t task, uint32_t from, uint32_t to,
		    enum sim_migration why)
{
	struct trace *trace = arg;

	if (why != SIM_MIGRATE_WAKE)
		report_perfetto_migrate(trace->to, time, tid_of(task), from, to,
					sim_migration_text[why]);
}

static void idle(void *arg, uint64_t time, uint32_t cpu, uint32_t state)
{
	struct trace *trace = arg;

	report_perfetto_idle(trace->to, cpu, time, state);
}

/* Each process is named by its first task, which leads it. */
static int name_tasks(struct trace *trace, const struct sim *s)
{
	uint32_t nr = sim_nr_tasks(s), *leader = calloc(nr + 1ul, sizeof(*leader));
	int ret = leader ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < nr && !ret; i++) {
		struct sim_task_name name, first;
		struct report_task task;

		sim_task_name(s, i, &name);
		if (!leader[name.process])
			leader[name.process] = name.id;
		sim_task_name(s, leader[name.process] - 1, &first);
		task = (struct report_task){
			.tid = (int32_t)name.id,
			.pid = (int32_t)first.id,
			.name = name.name,
			.process = first.name,
		};
		ret = report_perfetto_task(trace->to, &task);
	}
	free(leader);
	return ret;
}

static int begin(struct cmd_simulation *sim, struct sim *s)
{
	struct trace *trace = sim->begin_arg;
	struct sim_watch watch = {
		.arg = trace,
		.task_switch = task_switch,
		.wake = wake,
		.migrate = migrate,
		.idle = idle,
	};

	sim_watch(s, &watch);
	return name_tasks(trace, s);
}

int cmd_trace_begin(struct cmd_simulation *sim, const char *path)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	int ret = -ENOMEM;

	if (trace) {
		trace->path = path;
		trace->places = machine_places(sim->machine);
		if (trace->places)
			ret = report_perfetto_create(path, sim->machine->nr_cpu_ids, &trace->to);
	}
	if (ret) {
		cmd_error(sim->cmd, path, strerror(-ret));
		if (trace)
			free((void *)trace->places);
		free(trace);
		return CMD_FAILED;
	}
	sim->begin = begin;
	sim->begin_arg = trace;
	return 0;
}

int cmd_trace_end(struct cmd_simulation *sim, int status)
{
	struct trace *trace = sim->begin_arg;
	int ret;

	if (!trace)
		return status;
	ret = report_perfetto_close(trace->to);
	if (ret && !status) {
		cmd_error(sim->cmd, trace->path, strerror(-ret));
		status = CMD_FAILED;
	}
	free((void *)trace->places);
	free(trace);
	return status;
}
