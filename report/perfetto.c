// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sched events go out as a bundle of ftrace events a CPU, as Perfetto records them
 * itself: its importer draws CPU tracks, thread states and wake-up arrows from them. The
 * reasons are instants on the wakee's track with arguments.
 *
 * All packets are of one sequence, whose first packet holds the names that the others
 * refer to by number. Simulated time stands in for CLOCK_BOOTTIME, which the importer takes
 * ftrace's times for.
 */
#include "report/perfetto_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int perfetto_keep(struct report_perfetto *p, int ret)
{
	if (!p->failed)
		p->failed = ret;
	return p->failed;
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

int report_perfetto_task(struct report_perfetto *p, const struct report_task *task)
{
	struct id *id;
	int ret, new_process;

	if (p->failed)
		return p->failed;
	if (task->tid <= 0 || task->pid <= 0 || !task->name || task->nice < -20 || task->nice > 19)
		return perfetto_keep(p, -EINVAL);
	ret = get_id(p, task->pid, &id);
	if (ret)
		return perfetto_keep(p, ret);
	new_process = !id->is_process;
	id->is_process = 1;
	ret = get_id(p, task->tid, &id);
	if (!ret && id->is_task)
		ret = -EEXIST;
	if (ret)
		return perfetto_keep(p, ret);
	id->is_task = 1;
	id->prio = PRIO_NICE_0 + task->nice;
	set_comm(id, task->name);
	return perfetto_put_task(p, task, new_process);
}

/* Half of the events stay, so that one told late still finds its place among them. */
static int add(struct report_perfetto *p, uint32_t id, const struct event *event)
{
	struct cpu *cpu = &p->cpus[id];
	uint32_t at;

	if (cpu->nr == BATCH && perfetto_put_bundle(p, id, BATCH / 2))
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
		return perfetto_keep(p, ret);
	if (!prev_state || !strchr("RSDX", prev_state))
		return perfetto_keep(p, -EINVAL);
	e.a = task_place(p, prev);
	e.task = task_place(p, next);
	if (e.a == NO_PLACE || e.task == NO_PLACE)
		return perfetto_keep(p, -ENOENT);
	p->cpus[cpu].running = next;
	return add(p, cpu, &e);
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
		return perfetto_keep(p, ret);
	e.task = task_place(p, wake->wakee);
	if (e.task == NO_PLACE)
		return perfetto_keep(p, -ENOENT);
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
	return perfetto_put_reason(p, wake);
}

int report_perfetto_migrate(struct report_perfetto *p, uint64_t time, int32_t tid, uint32_t from,
			    uint32_t to, const char *why)
{
	struct event e = { .time = time, .kind = MIGRATE, .a = from, .b = to };
	int ret = check(p, from, time);

	if (!ret)
		ret = check(p, to, time);
	if (ret || tid <= 0)
		return perfetto_keep(p, ret ? ret : -EINVAL);
	e.task = task_place(p, tid);
	if (e.task == NO_PLACE)
		return perfetto_keep(p, -ENOENT);
	e.pid = p->cpus[to].running;
	if (add(p, to, &e))
		return p->failed;
	return perfetto_put_migration(p, time, tid, from, to, why);
}

int report_perfetto_idle(struct report_perfetto *p, uint32_t cpu, uint64_t time, uint32_t index)
{
	struct event e = { .time = time, .kind = CPU_IDLE, .a = index };
	int ret = check(p, cpu, time);

	return ret ? perfetto_keep(p, ret) : add(p, cpu, &e);
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
	if (!perfetto_put_names(p))
		perfetto_put_clocks(p);
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
			perfetto_put_bundle(p, i, p->cpus[i].nr);
	ret = report_file_close(&p->file, p->failed);
	free_tables(p);
	return ret;
}
