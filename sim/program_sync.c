// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space builds from words and futexes: locks, semaphores, lists of sleepers,
 * barriers, flags. Taking a free one costs its cache line; sleeping and waking cost
 * system calls and the futex' own lines. None of these wake-ups is WF_SYNC.
 */
#include "sim/program.h"

static uint64_t futex_lines(struct sim_run *run, struct sim_line *line)
{
	return sim_fetch(&run->s->fabric, line->owner, run->cpu->id, run->s->cost.futex_lines);
}

/* FUTEX_WAIT up to the moment of sleep; then step. */
static enum sim_progress futex_wait(struct sim_run *run, struct sim_line *line, uint32_t step)
{
	run->task->kernel = 1;
	return sim_op_work(run, run->s->cost.syscall / 2 + run->s->cost.futex_wait +
			   futex_lines(run, line), step);
}

static enum sim_progress futex_wake(struct sim_run *run, struct sim_line *line, uint32_t step)
{
	run->task->kernel = 1;
	return sim_op_work(run, run->s->cost.syscall / 2 + run->s->cost.futex_wake +
			   futex_lines(run, line), step);
}

static enum sim_progress leave_kernel(struct sim_run *run, uint32_t step)
{
	return sim_op_work(run, run->s->cost.syscall / 2, step);
}

enum { LOCK_TRY, LOCK_TAKE, LOCK_SPUN, LOCK_SLEEP, LOCK_WOKEN, LOCK_DONE };

/* A per-CPU lock is that of the CPU where the task tried to take it. */
static struct sim_lock *lock_of(struct sim_run *run)
{
	if (!run->op->b)
		return &run->load->locks[run->op->a];
	if (run->op->kind == WORK_LOCK && run->task->step == LOCK_TRY)
		run->task->lock = run->op->a + run->cpu->id;
	return &run->load->locks[run->task->lock];
}

static enum sim_progress take_or_spin(struct sim_run *run, struct sim_lock *lock)
{
	struct sim_task *task = run->task;

	if (lock->owner == SIM_NO_TASK) {
		lock->owner = task->id;
		return sim_op_next(run);
	}
	if (!lock->spin)
		return futex_wait(run, &lock->line, LOCK_SLEEP);
	task->granted = 0;
	sim_queue_add(run->s, &lock->spinners, task->id);
	return sim_op_spin(run, lock->spin, LOCK_SPUN);
}

enum sim_progress sim_op_lock(struct sim_run *run)
{
	struct sim_lock *lock = lock_of(run);
	struct sim_task *task = run->task;

	switch (task->step) {
	case LOCK_TRY:
		return sim_op_work(run, sim_op_write(run, &lock->line), LOCK_TAKE);
	case LOCK_TAKE:
		return take_or_spin(run, lock);
	case LOCK_SPUN:
		if (task->granted)
			return sim_op_next(run);
		sim_queue_remove(run->s, &lock->spinners, task->id);
		return futex_wait(run, &lock->line, LOCK_SLEEP);
	case LOCK_SLEEP:
		if (lock->owner == SIM_NO_TASK)
			return leave_kernel(run, LOCK_TAKE);
		sim_queue_add(run->s, &lock->sleepers, task->id);
		return sim_op_sleep(run, LOCK_WOKEN);
	case LOCK_WOKEN:
		return leave_kernel(run, LOCK_TAKE);
	default:
		return sim_op_next(run);
	}
}

enum { WAKE_WRITE, WAKE_LOOK, WAKE_CALL, WAKE_LEAVE, WAKE_DONE };

enum sim_progress sim_op_unlock(struct sim_run *run)
{
	struct sim_lock *lock = lock_of(run);
	uint32_t next;

	switch (run->task->step) {
	case WAKE_WRITE:
		return sim_op_work(run, sim_op_write(run, &lock->line), WAKE_LOOK);
	case WAKE_LOOK:
		next = sim_queue_take(run->s, &lock->spinners);
		lock->owner = next;
		if (next != SIM_NO_TASK)
			sim_release_spinner(run->s, next, &lock->line);
		if (next != SIM_NO_TASK || sim_queue_empty(&lock->sleepers))
			return sim_op_next(run);
		return futex_wake(run, &lock->line, WAKE_CALL);
	case WAKE_CALL:
		next = sim_queue_take(run->s, &lock->sleepers);
		if (next == SIM_NO_TASK)
			return leave_kernel(run, WAKE_DONE);
		return sim_op_wake(run, next, 0, 1, WAKE_LEAVE);
	case WAKE_LEAVE:
		return leave_kernel(run, WAKE_DONE);
	default:
		return sim_op_next(run);
	}
}

/* One up for a semaphore: a waiter gets it, else it counts; base: the first step's number. */
static enum sim_progress post(struct sim_run *run, struct sim_semaphore *sem, uint32_t base,
			      uint32_t after)
{
	uint32_t waiter;

	switch (run->task->step - base) {
	case WAKE_WRITE:
		return sim_op_work(run, sim_op_write(run, &sem->line), base + WAKE_LOOK);
	case WAKE_LOOK:
		if (!sim_queue_empty(&sem->waiters))
			return futex_wake(run, &sem->line, base + WAKE_CALL);
		sem->count += sem->count < sem->max;
		run->task->step = after;
		return SIM_PROGRESS_ON;
	case WAKE_CALL:
		waiter = sim_queue_take(run->s, &sem->waiters);
		if (waiter == SIM_NO_TASK) {
			sem->count += sem->count < sem->max;
			return leave_kernel(run, after);
		}
		run->s->tasks[waiter].stamp = run->s->now;
		run->s->tasks[waiter].granted = 1;
		return sim_op_wake(run, waiter, 0, 1, base + WAKE_LEAVE);
	default:
		return leave_kernel(run, after);
	}
}

enum sim_progress sim_op_post(struct sim_run *run)
{
	if (run->task->step == WAKE_DONE)
		return sim_op_next(run);
	return post(run, &run->load->semaphores[run->op->a], 0, WAKE_DONE);
}

enum { WAIT_TRY, WAIT_LOOK, WAIT_SLEEP, WAIT_LEAVE, WAIT_DONE };

enum sim_progress sim_op_wait(struct sim_run *run)
{
	struct sim_semaphore *sem = &run->load->semaphores[run->op->a];

	switch (run->task->step) {
	case WAIT_TRY:
		return sim_op_work(run, sim_op_write(run, &sem->line), WAIT_LOOK);
	case WAIT_LOOK:
		if (!sem->count)
			return futex_wait(run, &sem->line, WAIT_SLEEP);
		sem->count--;
		return sim_op_next(run);
	case WAIT_SLEEP:
		if (sem->count) {
			sem->count--;
			return leave_kernel(run, WAIT_DONE);
		}
		sim_queue_add(run->s, &sem->waiters, run->task->id);
		return sim_op_sleep(run, WAIT_LEAVE);
	case WAIT_LEAVE:
		return leave_kernel(run, WAIT_DONE);
	default:
		return sim_op_next(run);
	}
}

enum sim_progress sim_op_clear(struct sim_run *run)
{
	struct sim_semaphore *sem = &run->load->semaphores[run->op->a];

	if (run->task->step == WAIT_TRY)
		return sim_op_work(run, sim_op_write(run, &sem->line), WAIT_LOOK);
	sem->count = 0;
	return sim_op_next(run);
}

enum { PARK_ADD, PARK_ADDED, PARK_POST, PARK_WAIT = PARK_POST + WAKE_DONE, PARK_SLEEP,
       PARK_LEAVE, PARK_DONE };

/* schbench's worker: in front of the list, the messenger is posted, then FUTEX_WAIT. */
enum sim_progress sim_op_park(struct sim_run *run)
{
	struct sim_list *list = &run->load->lists[run->op->a];
	struct sim_task *task = run->task;

	switch (task->step) {
	case PARK_ADD:
		return sim_op_work(run, sim_op_write(run, &list->line), PARK_ADDED);
	case PARK_ADDED:
		task->granted = 0;
		sim_queue_push(run->s, &list->parked, task->id);
		task->step = run->op->b == WORK_NONE ? PARK_WAIT : PARK_POST;
		return SIM_PROGRESS_ON;
	case PARK_WAIT:
		if (task->granted)	/* released before it slept: the word has changed */
			return sim_op_next(run);
		return futex_wait(run, &list->line, PARK_SLEEP);
	case PARK_SLEEP:
		if (task->granted)
			return leave_kernel(run, PARK_DONE);
		return sim_op_sleep(run, PARK_LEAVE);
	case PARK_LEAVE:
		return leave_kernel(run, PARK_DONE);
	case PARK_DONE:
		return sim_op_next(run);
	default:
		return post(run, &run->load->semaphores[run->op->b], PARK_POST, PARK_WAIT);
	}
}

enum { RELEASE_TAKE, RELEASE_ALL, RELEASE_NEXT, RELEASE_CALL, RELEASE_LEAVE };

static void stamp_all(struct sim_run *run, uint32_t first)
{
	for (uint32_t t = first; t != SIM_NO_TASK; t = run->s->tasks[t].next)
		run->s->tasks[t].stamp = run->s->now;
}

enum sim_progress sim_op_release(struct sim_run *run)
{
	struct sim_list *list = &run->load->lists[run->op->a];
	struct sim_task *task = run->task;
	uint32_t next = task->release;

	switch (task->step) {
	case RELEASE_TAKE:
		return sim_op_work(run, sim_op_write(run, &list->line), RELEASE_ALL);
	case RELEASE_ALL:
		task->release = list->parked.first;
		list->parked.first = SIM_NO_TASK;
		stamp_all(run, task->release);
		task->step = RELEASE_NEXT;
		return SIM_PROGRESS_ON;
	case RELEASE_NEXT:
		if (next == SIM_NO_TASK) {
			task->release = 0;
			return sim_op_next(run);
		}
		return futex_wake(run, &list->line, RELEASE_CALL);
	case RELEASE_CALL:
		task->release = run->s->tasks[next].next;
		run->s->tasks[next].granted = 1;
		return sim_op_wake(run, next, 0, 1, RELEASE_LEAVE);
	default:
		return leave_kernel(run, RELEASE_NEXT);
	}
}

enum { BARRIER_ARRIVE, BARRIER_COUNT, BARRIER_SPUN, BARRIER_SLEEP, BARRIER_LEAVE, BARRIER_DONE,
       BARRIER_WAKE };

static enum sim_progress arrive(struct sim_run *run, struct sim_barrier *barrier)
{
	uint32_t spinner;

	run->task->granted = 0;
	if (++barrier->here < barrier->nr) {
		if (!barrier->spin)
			return futex_wait(run, &barrier->line, BARRIER_SLEEP);
		sim_queue_add(run->s, &barrier->spinners, run->task->id);
		return sim_op_spin(run, barrier->spin, BARRIER_SPUN);
	}
	barrier->here = 0;
	barrier->round++;
	while ((spinner = sim_queue_take(run->s, &barrier->spinners)) != SIM_NO_TASK)
		sim_release_spinner(run->s, spinner, &barrier->line);
	if (sim_queue_empty(&barrier->sleepers))
		return sim_op_next(run);
	run->task->release = barrier->sleepers.first;
	barrier->sleepers.first = SIM_NO_TASK;
	return futex_wake(run, &barrier->line, BARRIER_WAKE);
}

/* FUTEX_WAKE(INT_MAX) of the last one to arrive: one wake-up after the other. */
static enum sim_progress wake_sleepers(struct sim_run *run)
{
	uint32_t next = run->task->release;

	if (next == SIM_NO_TASK) {
		run->task->release = 0;
		return leave_kernel(run, BARRIER_DONE);
	}
	run->task->release = run->s->tasks[next].next;
	run->s->tasks[next].granted = 1;
	return sim_op_wake(run, next, 0, 1, BARRIER_WAKE);
}

enum sim_progress sim_op_barrier(struct sim_run *run)
{
	struct sim_barrier *barrier = &run->load->barriers[run->op->a];
	struct sim_task *task = run->task;

	switch (task->step) {
	case BARRIER_ARRIVE:
		return sim_op_work(run, sim_op_write(run, &barrier->line), BARRIER_COUNT);
	case BARRIER_COUNT:
		task->value = barrier->round;
		return arrive(run, barrier);
	case BARRIER_SPUN:
		if (task->granted)
			return sim_op_next(run);
		sim_queue_remove(run->s, &barrier->spinners, task->id);
		return futex_wait(run, &barrier->line, BARRIER_SLEEP);
	case BARRIER_SLEEP:
		if (task->value != barrier->round)	/* all came while it was on its way */
			return leave_kernel(run, BARRIER_DONE);
		sim_queue_add(run->s, &barrier->sleepers, task->id);
		return sim_op_sleep(run, BARRIER_LEAVE);
	case BARRIER_LEAVE:
		return leave_kernel(run, BARRIER_DONE);
	case BARRIER_WAKE:
		return wake_sleepers(run);
	default:
		return sim_op_next(run);
	}
}

enum { FLAG_TOUCH, FLAG_LOOK, FLAG_SPUN };

enum sim_progress sim_op_raise(struct sim_run *run)
{
	struct sim_flag *flag = &run->load->flags[run->op->a];
	uint32_t spinner;

	if (run->task->step == FLAG_TOUCH)
		return sim_op_work(run, sim_op_write(run, &flag->line), FLAG_LOOK);
	spinner = sim_queue_take(run->s, &flag->spinners);
	if (spinner != SIM_NO_TASK)
		sim_release_spinner(run->s, spinner, &flag->line);
	else
		flag->up++;
	return sim_op_next(run);
}

enum sim_progress sim_op_await(struct sim_run *run)
{
	struct sim_flag *flag = &run->load->flags[run->op->a];
	struct sim *s = run->s;

	switch (run->task->step) {
	case FLAG_TOUCH:
		return sim_op_work(run, sim_line_read(&s->fabric, &flag->line, run->cpu->id,
						      s->now), FLAG_LOOK);
	case FLAG_LOOK:
		if (flag->up) {
			flag->up--;
			return sim_op_next(run);
		}
		sim_queue_add(s, &flag->spinners, run->task->id);
		return sim_op_spin(run, SIM_NEVER, FLAG_SPUN);
	default:
		return sim_op_next(run);
	}
}
