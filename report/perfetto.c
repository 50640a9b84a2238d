// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sched events go out as a bundle of ftrace events a CPU, as Perfetto records them
 * itself: its importer draws CPU tracks, thread states and wake-up arrows from them. The
 * reasons are instants on the wakee's track with arguments.
 *
 * All packets are of one sequence, whose first packet holds the names that the others
 * refer to by number. No clock is given: then times are CLOCK_BOOTTIME's, for all alike.
 */
#include "report/perfetto.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/file.h"
#include "report/perfetto.pb-c.h"

#define SEQUENCE 1u
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

#define NAMES(N) \
	N(reason) N(affine) N(distance) N(waker) N(waker_cpu) N(prev) N(target) N(cpu) \
	N(probes) N(sync) N(selection_ns) N(why) N(from) N(to)
#define NUMBER(name) NAME_##name,
#define TEXT(name) #name,

enum name { NAMES(NUMBER) NR_NAMES };
static const char *const names[NR_NAMES] = { NAMES(TEXT) };

enum category { CATEGORY_WAKE, CATEGORY_MIGRATE, NR_CATEGORIES };
static const char *const categories[NR_CATEGORIES] = { "wake", "migrate" };

static int keep(struct report_perfetto *p, int ret)
{
	if (!p->failed)
		p->failed = ret;
	return p->failed;
}

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
	return keep(p, ret);
}

/* Names' numbers are their places from 1; 0 is invalid. */
static int put_names(struct report_perfetto *p)
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

/* Fibonacci hashing; size is a power of two. */
static uint32_t *slot_of(const struct report_perfetto *p, int32_t id)
{
	uint32_t mask = 2 * p->max_ids - 1, at = (uint32_t)id * 2654435769u >> 7 & mask;

	while (p->slots[at] && p->ids[p->slots[at] - 1].id != id)
		at = (at + 1) & mask;
	return &p->slots[at];
}

static int grow(struct report_perfetto *p)
{
	uint32_t max = p->max_ids ? 2 * p->max_ids : 64;
	struct id *ids = reallocarray(p->ids, max, sizeof(*ids));
	uint32_t *slots;

	if (!ids)
		return -ENOMEM;
	p->ids = ids;
	slots = calloc(2ul * max, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(p->slots);
	p->slots = slots;
	p->max_ids = max;
	for (uint32_t i = 0; i < p->nr_ids; i++)
		*slot_of(p, p->ids[i].id) = i + 1;
	return 0;
}

/* Finds or adds. */
static int get_id(struct report_perfetto *p, int32_t id, struct id **out)
{
	uint32_t *slot;
	int ret = p->nr_ids == p->max_ids ? grow(p) : 0;

	if (ret)
		return ret;
	slot = slot_of(p, id);
	if (!*slot) {
		p->ids[p->nr_ids++] = (struct id){ .id = id };
		*slot = p->nr_ids;
	}
	*out = &p->ids[*slot - 1];
	return 0;
}

static uint32_t task_place(const struct report_perfetto *p, int32_t tid)
{
	uint32_t slot = *slot_of(p, tid);

	return slot && p->ids[slot - 1].is_task ? slot - 1 : NO_PLACE;
}

/* The kernel cuts bytes; cut characters would be no text, so they go as a whole. */
static void set_comm(struct id *id, const char *name)
{
	size_t len = strnlen(name, COMM_LEN);

	if (len == COMM_LEN) {
		len--;
		while (len && ((unsigned char)name[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(id->comm, name, len);
	id->comm[len] = 0;
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

int report_perfetto_task(struct report_perfetto *p, const struct report_task *task)
{
	struct id *id;
	int ret, new_process;

	if (p->failed)
		return p->failed;
	if (task->tid <= 0 || task->pid <= 0 || !task->name || task->nice < -20 || task->nice > 19)
		return keep(p, -EINVAL);
	ret = get_id(p, task->pid, &id);
	if (ret)
		return keep(p, ret);
	new_process = !id->is_process;
	id->is_process = 1;
	ret = get_id(p, task->tid, &id);
	if (!ret && id->is_task)
		ret = -EEXIST;
	if (ret)
		return keep(p, ret);
	id->is_task = 1;
	id->prio = PRIO_NICE_0 + task->nice;
	set_comm(id, task->name);
	if (!put_process_tree(p, task, new_process))
		put_track(p, task);
	return p->failed;
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

/* The first nr events that wait become a bundle. */
static int put_bundle(struct report_perfetto *p, uint32_t id, uint32_t nr)
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

/* Half of the events stay, so that one told late still finds its place among them. */
static int add(struct report_perfetto *p, uint32_t id, const struct event *event)
{
	struct cpu *cpu = &p->cpus[id];
	uint32_t at;

	if (cpu->nr == BATCH && put_bundle(p, id, BATCH / 2))
		return p->failed;
	for (at = cpu->nr; at && cpu->events[at - 1].time > event->time; at--)
		cpu->events[at] = cpu->events[at - 1];
	cpu->events[at] = *event;
	cpu->nr++;
	return 0;
}

static int check(const struct report_perfetto *p, uint32_t cpu, uint64_t time)
{
	if (p->failed)
		return p->failed;
	if (cpu >= p->nr_cpus)
		return -EINVAL;
	return time > INT64_MAX ? -ERANGE : 0;	/* the importer's are signed */
}

int report_perfetto_switch(struct report_perfetto *p, uint32_t cpu, uint64_t time, int32_t prev,
			   char prev_state, int32_t next)
{
	struct event e = { .time = time, .kind = SWITCH, .pid = prev, .b = (uint8_t)prev_state };
	int ret = check(p, cpu, time);

	if (ret)
		return keep(p, ret);
	if (!prev_state || !strchr("RSDX", prev_state))
		return keep(p, -EINVAL);
	e.a = task_place(p, prev);
	e.task = task_place(p, next);
	if (e.a == NO_PLACE || e.task == NO_PLACE)
		return keep(p, -ENOENT);
	p->cpus[cpu].running = next;
	return add(p, cpu, &e);
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

static int put_reason(struct report_perfetto *p, const struct report_wake *wake)
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

static int check_wake(const struct report_perfetto *p, const struct report_wake *wake)
{
	int ret = check(p, wake->waker_cpu, wake->queued);

	if (!ret)
		ret = check(p, wake->cpu, wake->time);
	if (!ret && (wake->prev >= p->nr_cpus || wake->queued < wake->time || wake->wakee <= 0 ||
		     (wake->target >= p->nr_cpus && wake->target != UINT32_MAX)))
		ret = -EINVAL;
	if (!ret && task_place(p, wake->waker) == NO_PLACE)
		ret = -ENOENT;
	return ret;
}

/*
 * As try_to_wake_up() traces them: sched_waking and, where set_task_cpu() moves the wakee,
 * sched_migrate_task by the waker; sched_wakeup where ttwu_do_activate() runs, for which
 * the wakee's CPU stands here.
 */
int report_perfetto_wake(struct report_perfetto *p, const struct report_wake *wake)
{
	struct event e = { .time = wake->time, .kind = WAKING, .pid = wake->waker };
	int ret = check_wake(p, wake);

	if (ret)
		return keep(p, ret);
	e.task = task_place(p, wake->wakee);
	if (e.task == NO_PLACE)
		return keep(p, -ENOENT);
	e.a = wake->prev;
	if (add(p, wake->waker_cpu, &e))
		return p->failed;
	e.kind = MIGRATE;
	e.b = wake->cpu;
	if (wake->cpu != wake->prev && add(p, wake->waker_cpu, &e))
		return p->failed;
	e.kind = WAKEUP;
	e.time = wake->queued;
	e.pid = p->cpus[wake->cpu].running;
	e.a = wake->cpu;
	if (add(p, wake->cpu, &e))
		return p->failed;
	return put_reason(p, wake);
}

int report_perfetto_migrate(struct report_perfetto *p, uint64_t time, int32_t tid, uint32_t from,
			    uint32_t to, const char *why)
{
	struct event e = { .time = time, .kind = MIGRATE, .a = from, .b = to };
	int ret = check(p, from, time);
	Perfetto__TrackEvent event;
	struct arguments args;

	if (!ret)
		ret = check(p, to, time);
	if (ret || tid <= 0)
		return keep(p, ret ? ret : -EINVAL);
	e.task = task_place(p, tid);
	if (e.task == NO_PLACE)
		return keep(p, -ENOENT);
	e.pid = p->cpus[to].running;
	if (add(p, to, &e))
		return p->failed;
	init_instant(&event, &args);
	add_text(&event, NAME_why, why);
	add_uint(&event, NAME_from, from);
	add_uint(&event, NAME_to, to);
	return put_instant(p, time, tid, CATEGORY_MIGRATE, why ? why : "migration", &event);
}

int report_perfetto_idle(struct report_perfetto *p, uint32_t cpu, uint64_t time, uint32_t index)
{
	struct event e = { .time = time, .kind = CPU_IDLE, .a = index };
	int ret = check(p, cpu, time);

	return ret ? keep(p, ret) : add(p, cpu, &e);
}

static void free_tables(struct report_perfetto *p)
{
	free(p->cpus);
	free(p->ids);
	free(p->slots);
	free(p);
}

static int init_tables(struct report_perfetto *p, uint32_t nr_cpus)
{
	struct id *idle;
	int ret;

	p->nr_cpus = nr_cpus;
	p->cpus = calloc(nr_cpus, sizeof(*p->cpus));
	ret = p->cpus ? get_id(p, 0, &idle) : -ENOMEM;
	if (ret)
		return ret;
	idle->is_task = 1;
	idle->prio = PRIO_NICE_0;
	for (uint32_t i = 0; i < BATCH; i++)
		p->event_list[i] = &p->events[i];
	return 0;
}

int report_perfetto_create(const char *path, uint32_t nr_cpus, struct report_perfetto **out)
{
	struct report_perfetto *p;
	int ret;

	*out = NULL;
	if (!nr_cpus || nr_cpus > REPORT_PERFETTO_CPUS)
		return nr_cpus ? -ERANGE : -EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	ret = init_tables(p, nr_cpus);
	if (!ret)
		ret = report_file_create(&p->file, path);
	if (ret) {
		free_tables(p);
		return ret;
	}
	put_names(p);
	*out = p;
	return 0;
}

int report_perfetto_close(struct report_perfetto *p)
{
	int ret;

	if (!p)
		return 0;
	for (uint32_t i = 0; i < p->nr_cpus && !p->failed; i++)
		if (p->cpus[i].nr)
			put_bundle(p, i, p->cpus[i].nr);
	ret = report_file_close(&p->file, p->failed);
	free_tables(p);
	return ret;
}
