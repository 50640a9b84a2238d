// SPDX-License-Identifier: GPL-2.0-only
/* Task programs: the interpreter, and the operations without an object of their own. */
#include "sim/program.h"

#define STEPS_WITHOUT_TIME_MAX	100000

static enum sim_progress act(struct sim_run *run, enum sim_activity activity, uint64_t ns,
			     uint32_t step)
{
	run->task->step = step;
	if (!ns)
		return SIM_PROGRESS_ON;
	sim_cpu_run(run->s, run->cpu, activity, ns);
	return SIM_PROGRESS_BUSY;
}

enum sim_progress sim_op_work(struct sim_run *run, uint64_t ns, uint32_t step)
{
	return act(run, SIM_ACT_TASK, ns, step);
}

enum sim_progress sim_op_spin(struct sim_run *run, uint64_t ns, uint32_t step)
{
	return act(run, SIM_ACT_SPIN, ns, step);
}

static enum sim_progress schedule(struct sim_run *run)
{
	run->cpu->below = SIM_ACT_TASK;
	run->cpu->below_left = 0;
	sim_cpu_schedule(run->s, run->cpu);
	return SIM_PROGRESS_BUSY;
}

enum sim_progress sim_op_sleep(struct sim_run *run, uint32_t step)
{
	run->task->step = step;
	run->task->state = SIM_TASK_SLEEPING;
	return schedule(run);
}

enum sim_progress sim_op_wake(struct sim_run *run, uint32_t task, uint32_t flags,
			      uint32_t in_task, uint32_t step)
{
	run->task->step = step;
	sim_cpu_begin(run->s, run->cpu, SIM_ACT_TASK,
		      sim_wake_begin(run->s, run->cpu, task, flags, in_task));
	return SIM_PROGRESS_BUSY;
}

enum sim_progress sim_op_next(struct sim_run *run)
{
	run->task->pc++;
	run->task->step = 0;
	if (!run->task->kernel)
		return SIM_PROGRESS_ON;
	run->task->kernel = 0;
	return run->cpu->need_resched ? schedule(run) : SIM_PROGRESS_ON;
}

uint64_t sim_op_value(struct sim_run *run)
{
	const struct work_op *op = run->op;
	struct sim_task *task = run->task;

	if (op->dist == WORK_NONE)
		return op->value;
	return work_draw(&run->load->work->dists[op->dist],
			 sim_random(run->s->key, task->id, SIM_RANDOM_OP, task->draws++));
}

void sim_queue_add(struct sim *s, struct sim_queue *q, uint32_t task)
{
	s->tasks[task].next = SIM_NO_TASK;
	if (q->first == SIM_NO_TASK)
		q->first = task;
	else
		s->tasks[q->last].next = task;
	q->last = task;
}

void sim_queue_push(struct sim *s, struct sim_queue *q, uint32_t task)
{
	s->tasks[task].next = q->first;
	if (q->first == SIM_NO_TASK)
		q->last = task;
	q->first = task;
}

uint32_t sim_queue_take(struct sim *s, struct sim_queue *q)
{
	uint32_t task = q->first;

	if (task != SIM_NO_TASK)
		q->first = s->tasks[task].next;
	return task;
}

void sim_queue_remove(struct sim *s, struct sim_queue *q, uint32_t task)
{
	uint32_t *link = &q->first, before = SIM_NO_TASK;

	while (*link != task) {
		before = *link;
		link = &s->tasks[before].next;
	}
	*link = s->tasks[task].next;
	if (q->last == task)
		q->last = before;
}

void sim_release_spinner(struct sim *s, uint32_t id, struct sim_line *line)
{
	struct sim_task *task = &s->tasks[id];
	struct sim_cpu *cpu = &s->cpus[task->fair.cpu];
	uint64_t ns = sim_line_read(&s->fabric, line, cpu->id, s->now);

	task->granted = 1;
	if (cpu->curr == id && (cpu->activity == SIM_ACT_SPIN ||
				(cpu->irq_busy && cpu->below == SIM_ACT_SPIN))) {
		sim_cpu_cut(s, cpu, ns);
		return;
	}
	task->spinning = 0;
	task->left = ns;
}

static enum sim_progress op_exit(struct sim_run *run)
{
	run->task->state = SIM_TASK_DEAD;
	run->load->last_exit = run->s->now;
	if (!--run->load->alive && run->load->ends && !--run->s->unfinished) {
		run->s->finished = 1;
		run->s->until = run->s->now;
	}
	return schedule(run);
}

static enum sim_progress op_run(struct sim_run *run)
{
	if (run->task->step)
		return sim_op_next(run);
	run->task->memory = (uint8_t)run->op->a;
	return sim_op_work(run, sim_op_value(run), 1);
}

static enum sim_progress op_spin(struct sim_run *run)
{
	return run->task->step ? sim_op_next(run) : sim_op_spin(run, sim_op_value(run), 1);
}

/* When a sleep that starts now shall end. */
static uint64_t expiry(struct sim_run *run)
{
	struct sim_task *task = run->task;
	uint64_t value = task->value, now = run->s->now;

	if (run->op->kind == WORK_SLEEP)
		return now + value + run->s->cost.timer_slack;
	value = value ? value : 1;
	if (task->phase == UINT64_MAX)
		task->phase = sim_below(sim_random(run->s->key, task->id, SIM_RANDOM_PHASE, 0),
					value);
	return now < task->phase ? task->phase :
				   now + value - (now - task->phase) % value;
}

static enum sim_progress op_sleep(struct sim_run *run)
{
	const struct sim_costs *cost = &run->s->cost;

	switch (run->task->step) {
	case 0:
		run->task->kernel = 1;
		run->task->value = sim_op_value(run);
		return sim_op_work(run, cost->syscall / 2 + cost->timer_set, 1);
	case 1:
		sim_timer_arm(run->s, run->cpu, run->task, expiry(run));
		return sim_op_sleep(run, 2);
	case 2:
		return sim_op_work(run, cost->syscall / 2, 3);
	default:
		return sim_op_next(run);
	}
}

static enum sim_progress op_yield(struct sim_run *run)
{
	if (!run->task->step) {
		run->task->kernel = 1;
		return sim_op_work(run, run->s->cost.syscall, 1);
	}
	sim_clock(run->s, run->cpu->id);
	run->s->ops->yield(&run->s->rqs[run->cpu->id]);
	run->cpu->need_resched = 1;
	return sim_op_next(run);
}

static enum sim_progress op_loop(struct sim_run *run)
{
	run->task->loops[run->op->a] = sim_op_value(run);
	return sim_op_next(run);
}

static enum sim_progress op_again(struct sim_run *run)
{
	uint64_t *left = &run->task->loops[run->op->a];

	if (*left != 1) {
		*left -= *left != 0;
		run->task->pc = run->op->b;
		run->task->step = 0;
		return SIM_PROGRESS_ON;
	}
	return sim_op_next(run);
}

static enum sim_progress op_count(struct sim_run *run)
{
	run->load->metrics[run->op->a].count += sim_op_value(run);
	return sim_op_next(run);
}

static enum sim_progress op_start(struct sim_run *run)
{
	run->load->started = run->s->now;
	return sim_op_next(run);
}

static enum sim_progress op_mark(struct sim_run *run)
{
	run->task->marks[run->op->a] = run->s->now;
	return sim_op_next(run);
}

static enum sim_progress op_sample(struct sim_run *run)
{
	uint64_t from = run->op->kind == WORK_SAMPLE ? run->task->marks[run->op->b] :
						       run->task->stamp;

	stats_hist_add(run->load->metrics[run->op->a].hist, run->s->now - from);
	return sim_op_next(run);
}

static enum sim_progress op_fork(struct sim_run *run)
{
	struct sim *s = run->s;
	struct sim_task *task = run->task;
	struct sim_task *child = &s->tasks[run->load->first_task + run->op->a + task->release];

	switch (task->step) {
	case 0:
		if (task->release == run->op->b) {
			task->release = 0;
			return sim_op_next(run);
		}
		task->kernel = 1;
		if (!run->load->started)
			run->load->started = s->now;
		return sim_op_work(run, s->cost.fork, 1);
	case 1:
		return sim_op_work(run, sim_wake_new(s, run->cpu, child, task), 2);
	default:
		task->release++;
		return sim_op_work(run, sim_wake_new_queue(s, run->cpu, child), 0);
	}
}

/* A CPU of the new mask, where the stopper takes the task to if it can't stay. */
static uint32_t first_allowed(const struct sim_run *run)
{
	for (uint32_t cpu = 0; cpu < run->s->nr_cpus; cpu++) {
		if (wake_mask_has(run->task->pub.allowed, cpu) && run->s->topo->cpus[cpu].active)
			return cpu;
	}
	return run->cpu->id;
}

static enum sim_progress op_pin(struct sim_run *run)
{
	struct sim_task *task = run->task;

	if (!task->step) {
		task->kernel = 1;
		return sim_op_work(run, run->s->cost.syscall, 1);
	}
	if (task->step == 1) {
		sim_task_allow(run->s, task, run->op->a);
		task->step = 2;
		if (!wake_mask_has(task->pub.allowed, run->cpu->id)) {
			task->pin_to = first_allowed(run);
			return schedule(run);
		}
	}
	return sim_op_next(run);
}

static const sim_op_fn handlers[WORK_NR_OPS] = {
	[WORK_EXIT] = op_exit,
	[WORK_RUN] = op_run,
	[WORK_SPIN] = op_spin,
	[WORK_SLEEP] = op_sleep,
	[WORK_EVERY] = op_sleep,
	[WORK_SEND] = sim_op_send,
	[WORK_RECV] = sim_op_recv,
	[WORK_LOCK] = sim_op_lock,
	[WORK_UNLOCK] = sim_op_unlock,
	[WORK_POST] = sim_op_post,
	[WORK_WAIT] = sim_op_wait,
	[WORK_CLEAR] = sim_op_clear,
	[WORK_PARK] = sim_op_park,
	[WORK_RELEASE] = sim_op_release,
	[WORK_BARRIER] = sim_op_barrier,
	[WORK_RAISE] = sim_op_raise,
	[WORK_AWAIT] = sim_op_await,
	[WORK_YIELD] = op_yield,
	[WORK_LOOP] = op_loop,
	[WORK_NEXT] = op_again,
	[WORK_COUNT] = op_count,
	[WORK_START] = op_start,
	[WORK_MARK] = op_mark,
	[WORK_SAMPLE] = op_sample,
	[WORK_SAMPLE_WAKE] = op_sample,
	[WORK_FORK] = op_fork,
	[WORK_PIN] = op_pin,
};

/* The wake-up that the task performs goes on; 1: it is over. */
static int wake_goes_on(struct sim *s, struct sim_cpu *cpu)
{
	uint64_t ns = sim_wake_step(s, cpu);

	if (ns == SIM_WAKE_DONE)
		return 1;
	if (ns != SIM_WAKE_WAITS)
		sim_cpu_begin(s, cpu, SIM_ACT_TASK, ns);
	return 0;
}

void sim_program_step(struct sim *s, struct sim_cpu *cpu)
{
	struct sim_task *task = sim_curr(s, cpu);
	struct sim_run run = { .s = s, .cpu = cpu, .task = task, .load = task->load };

	if (cpu->waking != SIM_NO_TASK && !wake_goes_on(s, cpu))
		return;
	for (uint32_t i = 0; i < STEPS_WITHOUT_TIME_MAX; i++) {
		run.op = &task->ops[task->pc];
		if (handlers[run.op->kind](&run) == SIM_PROGRESS_BUSY)
			return;
	}
	s->broken = "a task's program goes on without taking time";
	s->until = s->now;
}
