// SPDX-License-Identifier: GPL-2.0-only
/* What both readers of a Perfetto trace print, and the one that uses the library. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "report/perfetto.pb-c.h"
#include "tests/perfetto_dump.h"

void dump_open(struct dump *d)
{
	for (uint32_t i = 0; i < DUMP_CPUS; i++) {
		d->cpu[i] = open_memstream(&d->cpu_text[i], &d->size[i]);
		assert_non_null(d->cpu[i]);
	}
	d->other = open_memstream(&d->other_text, &d->size[DUMP_CPUS]);
	assert_non_null(d->other);
}

void dump_close(struct dump *d)
{
	for (uint32_t i = 0; i < DUMP_CPUS; i++)
		assert_int_equal(fclose(d->cpu[i]), 0);
	assert_int_equal(fclose(d->other), 0);
}

void dump_free(struct dump *d)
{
	for (uint32_t i = 0; i < DUMP_CPUS; i++)
		free(d->cpu_text[i]);
	free(d->other_text);
}

void dump_names(struct dump *d, const char *kind, uint64_t iid, const char *name)
{
	fprintf(d->other, "%s %lu %s\n", kind, iid, name);
}

void dump_clock(struct dump *d, uint64_t id, uint64_t time, uint64_t primary)
{
	fprintf(d->other, "clock %lu %lu of %lu\n", id, time, primary);
}

void dump_process(struct dump *d, int pid, const char *name)
{
	fprintf(d->other, "process %d %s\n", pid, name);
}

void dump_thread(struct dump *d, int tid, int tgid, const char *name)
{
	fprintf(d->other, "thread %d of %d %s\n", tid, tgid, name);
}

void dump_track(struct dump *d, uint64_t uuid, int pid, int tid, const char *name)
{
	fprintf(d->other, "track %lu: %d of %d %s\n", uuid, tid, pid, name);
}

void dump_task_switch(FILE *to, uint64_t time, uint32_t pid, const struct dump_switch *s)
{
	fprintf(to, "%lu %u switch %s/%d/%d %ld -> %s/%d/%d\n", time, pid, s->prev, s->prev_pid,
		s->prev_prio, s->state, s->next, s->next_pid, s->next_prio);
}

void dump_task(FILE *to, const char *kind, uint64_t time, uint32_t pid, const char *comm, int tid,
	       int prio, int first, int last)
{
	fprintf(to, "%lu %u %s %s/%d/%d %d %d\n", time, pid, kind, comm, tid, prio, first, last);
}

void dump_idle(FILE *to, uint64_t time, uint32_t pid, uint32_t state, uint32_t cpu)
{
	fprintf(to, "%lu %u idle %u of %u\n", time, pid, state, cpu);
}

void dump_instant(struct dump *d, uint64_t time, uint64_t track, uint64_t category,
		  const char *name)
{
	fprintf(d->other, "%lu on %lu %lu %s:", time, track, category, name);
}

static void wake(FILE *to, const char *kind, const Perfetto__FtraceEvent *e,
		 const Perfetto__SchedWakeup *w)
{
	assert_true(w->has_pid && w->has_prio && w->has_success && w->has_target_cpu);
	dump_task(to, kind, e->timestamp, e->pid, w->comm, w->pid, w->prio, w->success,
		  w->target_cpu);
}

static void task_switch(FILE *to, const Perfetto__FtraceEvent *e, const Perfetto__SchedSwitch *s)
{
	assert_true(s->has_prev_pid && s->has_prev_prio && s->has_prev_state);
	assert_true(s->has_next_pid && s->has_next_prio);
	dump_task_switch(to, e->timestamp, e->pid, &(struct dump_switch){
		.prev = s->prev_comm, .prev_pid = s->prev_pid, .prev_prio = s->prev_prio,
		.next = s->next_comm, .next_pid = s->next_pid, .next_prio = s->next_prio,
		.state = s->prev_state });
}

static void bundle(struct dump *d, const Perfetto__FtraceEventBundle *b)
{
	assert_true(b->has_cpu && b->cpu < DUMP_CPUS);
	for (size_t i = 0; i < b->n_event; i++) {
		const Perfetto__FtraceEvent *e = b->event[i];
		FILE *to = d->cpu[b->cpu];

		assert_true(e->has_timestamp && e->has_pid);
		if (e->event_case == PERFETTO__FTRACE_EVENT__EVENT_SCHED_SWITCH)
			task_switch(to, e, e->sched_switch);
		else if (e->event_case == PERFETTO__FTRACE_EVENT__EVENT_SCHED_WAKING)
			wake(to, "waking", e, e->sched_waking);
		else if (e->event_case == PERFETTO__FTRACE_EVENT__EVENT_SCHED_WAKEUP)
			wake(to, "wakeup", e, e->sched_wakeup);
		else if (e->event_case == PERFETTO__FTRACE_EVENT__EVENT_SCHED_MIGRATE_TASK)
			dump_task(to, "migrate", e->timestamp, e->pid, e->sched_migrate_task->comm,
				  e->sched_migrate_task->pid, e->sched_migrate_task->prio,
				  e->sched_migrate_task->orig_cpu, e->sched_migrate_task->dest_cpu);
		else if (e->event_case == PERFETTO__FTRACE_EVENT__EVENT_CPU_IDLE)
			dump_idle(to, e->timestamp, e->pid, e->cpu_idle->state, e->cpu_idle->cpu_id);
		else
			fail();
	}
}

static void instant(struct dump *d, const Perfetto__TracePacket *packet)
{
	const Perfetto__TrackEvent *e = packet->track_event;

	assert_true(packet->has_timestamp && e->has_type && e->has_track_uuid);
	assert_int_equal(e->type, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT);
	assert_int_equal(packet->sequence_flags, 2);
	assert_int_equal(e->n_category_iids, 1);
	dump_instant(d, packet->timestamp, e->track_uuid, e->category_iids[0], e->name);
	for (size_t i = 0; i < e->n_debug_annotations; i++) {
		const Perfetto__DebugAnnotation *a = e->debug_annotations[i];

		fprintf(d->other, " %lu=", a->name_iid);
		if (a->value_case == PERFETTO__DEBUG_ANNOTATION__VALUE_STRING_VALUE)
			fprintf(d->other, "%s", a->string_value);
		else if (a->value_case == PERFETTO__DEBUG_ANNOTATION__VALUE_BOOL_VALUE)
			fprintf(d->other, "%s", a->bool_value ? "yes" : "no");
		else
			fprintf(d->other, "%lu", a->uint_value);
	}
	fputc('\n', d->other);
}

static void interned(struct dump *d, const Perfetto__TracePacket *packet)
{
	const Perfetto__InternedData *data = packet->interned_data;

	assert_int_equal(packet->sequence_flags, 1);
	for (size_t i = 0; i < data->n_event_categories; i++)
		dump_names(d, "category", data->event_categories[i]->iid,
			   data->event_categories[i]->name);
	for (size_t i = 0; i < data->n_debug_annotation_names; i++)
		dump_names(d, "argument", data->debug_annotation_names[i]->iid,
			   data->debug_annotation_names[i]->name);
}

static void clocks(struct dump *d, const Perfetto__ClockSnapshot *s)
{
	for (size_t i = 0; i < s->n_clocks; i++)
		dump_clock(d, s->clocks[i]->clock_id, s->clocks[i]->timestamp,
			   s->primary_trace_clock);
}

static void tree(struct dump *d, const Perfetto__ProcessTree *t)
{
	for (size_t i = 0; i < t->n_processes; i++)
		dump_process(d, t->processes[i]->pid,
			     t->processes[i]->n_cmdline ? t->processes[i]->cmdline[0] : "-");
	for (size_t i = 0; i < t->n_threads; i++)
		dump_thread(d, t->threads[i]->tid, t->threads[i]->tgid, t->threads[i]->name);
}

void dump_by_library(struct dump *d, const uint8_t *data, size_t len)
{
	Perfetto__Trace *trace = perfetto__trace__unpack(NULL, len, data);

	assert_non_null(trace);
	dump_open(d);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TracePacket *packet = trace->packet[i];

		assert_int_equal(packet->trusted_packet_sequence_id, 1);
		assert_int_equal(packet->base.n_unknown_fields, 0);
		if (packet->interned_data)
			interned(d, packet);
		else if (packet->data_case == PERFETTO__TRACE_PACKET__DATA_CLOCK_SNAPSHOT)
			clocks(d, packet->clock_snapshot);
		else if (packet->data_case == PERFETTO__TRACE_PACKET__DATA_FTRACE_EVENTS)
			bundle(d, packet->ftrace_events);
		else if (packet->data_case == PERFETTO__TRACE_PACKET__DATA_PROCESS_TREE)
			tree(d, packet->process_tree);
		else if (packet->data_case == PERFETTO__TRACE_PACKET__DATA_TRACK_DESCRIPTOR)
			dump_track(d, packet->track_descriptor->uuid,
				   packet->track_descriptor->thread->pid,
				   packet->track_descriptor->thread->tid,
				   packet->track_descriptor->thread->thread_name);
		else if (packet->data_case == PERFETTO__TRACE_PACKET__DATA_TRACK_EVENT)
			instant(d, packet);
		else
			fail();
	}
	perfetto__trace__free_unpacked(trace, NULL);
	dump_close(d);
}
