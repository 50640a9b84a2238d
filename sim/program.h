/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How operations are executed: each is a handler that is called again after each of its
 * steps, until it says next. A step either takes no time (SIM_GO_ON) or has begun an
 * activity or a sleep (SIM_BUSY).
 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "sim/irq.h"

enum sim_progress { SIM_PROGRESS_BUSY, SIM_PROGRESS_ON };

/* The task that executes, where. */
struct sim_run {
	struct sim *s;
	struct sim_cpu *cpu;
	struct sim_task *task;
	const struct work_op *op;
	struct sim_load *load;
};

typedef enum sim_progress (*sim_op_fn)(struct sim_run *run);

/* ns of work, then this operation's step. */
enum sim_progress sim_op_work(struct sim_run *run, uint64_t ns, uint32_t step);
/* The same spinning: at most ns on this CPU, or until somebody releases it. */
enum sim_progress sim_op_spin(struct sim_run *run, uint64_t ns, uint32_t step);
/* Sleeps until woken, then step. */
enum sim_progress sim_op_sleep(struct sim_run *run, uint32_t step);
/* try_to_wake_up(task), then step. */
enum sim_progress sim_op_wake(struct sim_run *run, uint32_t task, uint32_t flags,
			      uint32_t in_task, uint32_t step);
/* The operation is over; from the kernel that is where a preemption may take place. */
enum sim_progress sim_op_next(struct sim_run *run);

/* The operation's value, drawn once. */
uint64_t sim_op_value(struct sim_run *run);

void sim_queue_add(struct sim *s, struct sim_queue *q, uint32_t task);
void sim_queue_push(struct sim *s, struct sim_queue *q, uint32_t task);	/* in front */
uint32_t sim_queue_take(struct sim *s, struct sim_queue *q);		/* or SIM_NO_TASK */
void sim_queue_remove(struct sim *s, struct sim_queue *q, uint32_t task);

static inline int sim_queue_empty(const struct sim_queue *q)
{
	return q->first == SIM_NO_TASK;
}

/* A spinner sees what it waits for; it is granted. line: what it spins on. */
void sim_release_spinner(struct sim *s, uint32_t task, struct sim_line *line);

/* What line costs the running task now, ns. */
static inline uint64_t sim_op_write(struct sim_run *run, struct sim_line *line)
{
	return sim_line_write(&run->s->fabric, line, run->cpu->id, run->s->now);
}

enum sim_progress sim_op_send(struct sim_run *run);
enum sim_progress sim_op_recv(struct sim_run *run);
enum sim_progress sim_op_lock(struct sim_run *run);
enum sim_progress sim_op_unlock(struct sim_run *run);
enum sim_progress sim_op_post(struct sim_run *run);
enum sim_progress sim_op_wait(struct sim_run *run);
enum sim_progress sim_op_clear(struct sim_run *run);
enum sim_progress sim_op_park(struct sim_run *run);
enum sim_progress sim_op_release(struct sim_run *run);
enum sim_progress sim_op_barrier(struct sim_run *run);
enum sim_progress sim_op_raise(struct sim_run *run);
enum sim_progress sim_op_await(struct sim_run *run);

#endif
