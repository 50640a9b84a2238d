// SPDX-License-Identifier: GPL-2.0-only
/* The packets of a Perfetto trace. */
#include "report/perfetto_private.h"

#include <stdio.h>
#include <string.h>

#define SEQUENCE 1u

#define NAMES(N) \
	N(reason) N(affine) N(distance) N(waker) N(waker_cpu) N(prev) N(target) N(cpu) \
	N(probes) N(sync) N(selection_ns) N(why) N(from) N(to)
#define NUMBER(name) NAME_##name,
#define TEXT(name) #name,

enum name { NAMES(NUMBER) NR_NAMES };
static const char *const names[NR_NAMES] = { NAMES(TEXT) };

enum category { CATEGORY_WAKE, CATEGORY_MIGRATE, NR_CATEGORIES };
static const char *const categories[NR_CATEGORIES] = { "wake", "migrate" };

/* A Trace of one packet: concatenated they are one Trace. */
static int put(struct report_perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;
	uint8_t *to;
	int ret;

	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = SEQUENCE;
	trace.n_packet = 1;
	trace.packet = &packet;
	ret = report_file_reserve(&p->file, perfetto__trace__get_packed_size(&trace), &to);
	if (!ret)
		p->file.len += perfetto__trace__pack(&trace, to);
	return perfetto_keep(p, ret);
}

/* Names' numbers are their places from 1; 0 is invalid. */
int perfetto_put_names(struct report_perfetto *p)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__DebugAnnotationName name[NR_NAMES], *name_list[NR_NAMES];
	Perfetto__EventCategory category[NR_CATEGORIES], *category_list[NR_CATEGORIES];

	for (unsigned i = 0; i < NR_NAMES; i++) {
		perfetto__debug_annotation_name__init(&name[i]);
		name[i].has_iid = 1;
		name[i].iid = i + 1;
		name[i].name = (char *)names[i];
		name_list[i] = &name[i];
	}
	for (unsigned i = 0; i < NR_CATEGORIES; i++) {
		perfetto__event_category__init(&category[i]);
		category[i].has_iid = 1;
		category[i].iid = i + 1;
		category[i].name = (char *)categories[i];
		category_list[i] = &category[i];
	}
	data.n_debug_annotation_names = NR_NAMES;
	data.debug_annotation_names = name_list;
	data.n_event_categories = NR_CATEGORIES;
	data.event_categories = category_list;
	packet.interned_data = &data;
	packet.has_sequence_flags = 1;
	packet.sequence_flags =
		PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	return put(p, &packet);
}

/* Both begin with the simulation, so no time is ever shifted. */
int perfetto_put_clocks(struct report_perfetto *p)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock boot = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT, mono = boot;
	Perfetto__ClockSnapshot__Clock *clocks[] = { &boot, &mono };

	boot.has_clock_id = boot.has_timestamp = 1;
	boot.clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	mono.has_clock_id = mono.has_timestamp = 1;
	mono.clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC;
	snapshot.n_clocks = 2;
	snapshot.clocks = clocks;
	snapshot.has_primary_trace_clock = 1;
	snapshot.primary_trace_clock = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	packet.data_case = PERFETTO__TRACE_PACKET__DATA_CLOCK_SNAPSHOT;
	packet.clock_snapshot = &snapshot;
	return put(p, &packet);
}

static int put_process_tree(struct report_perfetto *p, const struct report_task *task,
			    int new_process)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__ProcessTree tree = PERFETTO__PROCESS_TREE__INIT;
	Perfetto__ProcessTree__Process process = PERFETTO__PROCESS_TREE__PROCESS__INIT;
	Perfetto__ProcessTree__Process *processes = &process;
	Perfetto__ProcessTree__Thread thread = PERFETTO__PROCESS_TREE__THREAD__INIT;
	Perfetto__ProcessTree__Thread *threads = &thread;
	char *cmdline = (char *)task->process;

	process.has_pid = thread.has_tid = thread.has_tgid = 1;
	process.pid = thread.tgid = task->pid;
	process.n_cmdline = !!cmdline;
	process.cmdline = &cmdline;
	thread.tid = task->tid;
	thread.name = (char *)task->name;
	tree.n_processes = !!new_process;
	tree.processes = &processes;
	tree.n_threads = 1;
	tree.threads = &threads;
	packet.data_case = PERFETTO__TRACE_PACKET__DATA_PROCESS_TREE;
	packet.process_tree = &tree;
	return put(p, &packet);
}

/* The track's number is the tid, its events are the reasons. */
static int put_track(struct report_perfetto *p, const struct report_task *task)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;

	thread.has_pid = thread.has_tid = 1;
	thread.pid = task->pid;
	thread.tid = task->tid;
	thread.thread_name = (char *)task->name;
	track.has_uuid = 1;
	track.uuid = (uint64_t)task->tid;
	track.thread = &thread;
	packet.data_case = PERFETTO__TRACE_PACKET__DATA_TRACK_DESCRIPTOR;
	packet.track_descriptor = &track;
	return put(p, &packet);
}

int perfetto_put_task(struct report_perfetto *p, const struct report_task *task, int new_process)
{
	int ret = put_process_tree(p, task, new_process);

	return ret ? ret : put_track(p, task);
}

/* In sched_switch the idle task of each CPU has its own name. */
static char *comm_of(struct report_perfetto *p, uint32_t task)
{
	return task == IDLE ? p->idle_comm : p->ids[task].comm;
}

/* The same in every kernel's TASK_REPORT. */
static int64_t prev_state_of(uint32_t letter)
{
	switch (letter) {
	case 'S':
		return 1;
	case 'D':
		return 2;
	case 'X':
		return 0x10;
	default:
		return 0;
	}
}

static void fill_switch(struct report_perfetto *p, const struct event *e,
			Perfetto__FtraceEvent *out, Perfetto__SchedSwitch *s)
{
	const struct id *prev = &p->ids[e->a], *next = &p->ids[e->task];

	perfetto__sched_switch__init(s);
	s->has_prev_pid = s->has_prev_prio = s->has_prev_state = 1;
	s->prev_comm = comm_of(p, e->a);
	s->prev_pid = prev->id;
	s->prev_prio = prev->prio;
	s->prev_state = prev_state_of(e->b);
	s->has_next_pid = s->has_next_prio = 1;
	s->next_comm = comm_of(p, e->task);
	s->next_pid = next->id;
	s->next_prio = next->prio;
	out->event_case = PERFETTO__FTRACE_EVENT__EVENT_SCHED_SWITCH;
	out->sched_switch = s;
}

static void fill_wake(struct report_perfetto *p, const struct event *e,
		      Perfetto__FtraceEvent *out, Perfetto__SchedWakeup *w)
{
	perfetto__sched_wakeup__init(w);
	w->has_pid = w->has_prio = w->has_success = w->has_target_cpu = 1;
	w->comm = comm_of(p, e->task);
	w->pid = p->ids[e->task].id;
	w->prio = p->ids[e->task].prio;
	w->success = 1;
	w->target_cpu = (int32_t)e->a;
	if (e->kind == WAKING) {
		out->event_case = PERFETTO__FTRACE_EVENT__EVENT_SCHED_WAKING;
		out->sched_waking = w;
	} else {
		out->event_case = PERFETTO__FTRACE_EVENT__EVENT_SCHED_WAKEUP;
		out->sched_wakeup = w;
	}
}

static void fill_migrate(struct report_perfetto *p, const struct event *e,
			 Perfetto__FtraceEvent *out, Perfetto__SchedMigrateTask *m)
{
	perfetto__sched_migrate_task__init(m);
	m->has_pid = m->has_prio = m->has_orig_cpu = m->has_dest_cpu = 1;
	m->comm = comm_of(p, e->task);
	m->pid = p->ids[e->task].id;
	m->prio = p->ids[e->task].prio;
	m->orig_cpu = (int32_t)e->a;
	m->dest_cpu = (int32_t)e->b;
	out->event_case = PERFETTO__FTRACE_EVENT__EVENT_SCHED_MIGRATE_TASK;
	out->sched_migrate_task = m;
}

static void fill_idle(uint32_t cpu, const struct event *e, Perfetto__FtraceEvent *out,
		      Perfetto__CpuIdle *idle)
{
	perfetto__cpu_idle__init(idle);
	idle->has_state = idle->has_cpu_id = 1;
	idle->state = e->a;
	idle->cpu_id = cpu;
	out->event_case = PERFETTO__FTRACE_EVENT__EVENT_CPU_IDLE;
	out->cpu_idle = idle;
}

static void fill(struct report_perfetto *p, uint32_t cpu, uint32_t i)
{
	const struct event *e = &p->cpus[cpu].events[i];
	Perfetto__FtraceEvent *out = &p->events[i];
	union payload *payload = &p->payloads[i];

	perfetto__ftrace_event__init(out);
	out->has_timestamp = out->has_pid = 1;
	out->timestamp = e->time;
	out->pid = (uint32_t)e->pid;
	switch (e->kind) {
	case SWITCH:
		fill_switch(p, e, out, &payload->task_switch);
		break;
	case WAKING:
	case WAKEUP:
		fill_wake(p, e, out, &payload->wake);
		break;
	case MIGRATE:
		fill_migrate(p, e, out, &payload->migrate);
		break;
	default:
		fill_idle(cpu, e, out, &payload->idle);
	}
}

int perfetto_put_bundle(struct report_perfetto *p, uint32_t id, uint32_t nr)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	struct cpu *cpu = &p->cpus[id];

	snprintf(p->idle_comm, sizeof(p->idle_comm), "swapper/%u", id);
	for (uint32_t i = 0; i < nr; i++)
		fill(p, id, i);
	bundle.has_cpu = 1;
	bundle.cpu = id;
	bundle.n_event = nr;
	bundle.event = p->event_list;
	packet.data_case = PERFETTO__TRACE_PACKET__DATA_FTRACE_EVENTS;
	packet.ftrace_events = &bundle;
	cpu->nr -= nr;
	if (put(p, &packet))
		return p->failed;
	memmove(cpu->events, cpu->events + nr, cpu->nr * sizeof(cpu->events[0]));
	return 0;
}

static Perfetto__DebugAnnotation *add_name(Perfetto__TrackEvent *event, enum name name)
{
	Perfetto__DebugAnnotation *a = event->debug_annotations[event->n_debug_annotations++];

	perfetto__debug_annotation__init(a);
	a->has_name_iid = 1;
	a->name_iid = (uint64_t)name + 1;
	return a;
}

static void add_text(Perfetto__TrackEvent *event, enum name name, const char *text)
{
	Perfetto__DebugAnnotation *a;

	if (!text)
		return;
	a = add_name(event, name);
	a->value_case = PERFETTO__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
	a->string_value = (char *)text;
}

static void add_uint(Perfetto__TrackEvent *event, enum name name, uint64_t value)
{
	Perfetto__DebugAnnotation *a = add_name(event, name);

	a->value_case = PERFETTO__DEBUG_ANNOTATION__VALUE_UINT_VALUE;
	a->uint_value = value;
}

static void add_bool(Perfetto__TrackEvent *event, enum name name, uint32_t value)
{
	Perfetto__DebugAnnotation *a = add_name(event, name);

	a->value_case = PERFETTO__DEBUG_ANNOTATION__VALUE_BOOL_VALUE;
	a->bool_value = !!value;
}

/* Room for all arguments of an event. */
struct arguments {
	Perfetto__DebugAnnotation value[NR_NAMES], *list[NR_NAMES];
};

static void init_instant(Perfetto__TrackEvent *event, struct arguments *args)
{
	perfetto__track_event__init(event);
	for (unsigned i = 0; i < NR_NAMES; i++)
		args->list[i] = &args->value[i];
	event->debug_annotations = args->list;
}

static int put_instant(struct report_perfetto *p, uint64_t time, int32_t tid,
		       enum category category, const char *name, Perfetto__TrackEvent *event)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint64_t category_iid = (uint64_t)category + 1;

	event->n_category_iids = 1;
	event->category_iids = &category_iid;
	event->has_type = event->has_track_uuid = 1;
	event->type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event->track_uuid = (uint64_t)tid;
	event->name = (char *)name;
	packet.has_timestamp = packet.has_sequence_flags = 1;
	packet.timestamp = time;
	packet.sequence_flags =
		PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	packet.data_case = PERFETTO__TRACE_PACKET__DATA_TRACK_EVENT;
	packet.track_event = event;
	return put(p, &packet);
}

int perfetto_put_reason(struct report_perfetto *p, const struct report_wake *wake)
{
	Perfetto__TrackEvent event;
	struct arguments args;

	init_instant(&event, &args);
	add_text(&event, NAME_reason, wake->reason);
	add_text(&event, NAME_affine, wake->affine);
	add_text(&event, NAME_distance, wake->distance);
	add_uint(&event, NAME_waker, (uint64_t)wake->waker);
	add_uint(&event, NAME_waker_cpu, wake->waker_cpu);
	add_uint(&event, NAME_prev, wake->prev);
	if (wake->target != UINT32_MAX)
		add_uint(&event, NAME_target, wake->target);
	add_uint(&event, NAME_cpu, wake->cpu);
	add_uint(&event, NAME_probes, wake->probes);
	add_bool(&event, NAME_sync, wake->sync);
	add_uint(&event, NAME_selection_ns, wake->queued - wake->time);
	return put_instant(p, wake->time, wake->wakee, CATEGORY_WAKE,
			   wake->reason ? wake->reason : "wake-up", &event);
}

int perfetto_put_migration(struct report_perfetto *p, uint64_t time, int32_t tid, uint32_t from,
			   uint32_t to, const char *why)
{
	Perfetto__TrackEvent event;
	struct arguments args;

	init_instant(&event, &args);
	add_text(&event, NAME_why, why);
	add_uint(&event, NAME_from, from);
	add_uint(&event, NAME_to, to);
	return put_instant(p, time, tid, CATEGORY_MIGRATE, why ? why : "migration", &event);
}
