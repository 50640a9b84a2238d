/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the engine's own files call of each other. */
#ifndef SIM_IRQ_H
#define SIM_IRQ_H

#include "sim/private.h"

/* sim/cpu.c */
/* What curr does next, after what is more urgent; work 0: its next step at once. */
void sim_cpu_run(struct sim *s, struct sim_cpu *cpu, enum sim_activity activity, uint64_t work);
/* Sends one after ns from now, if none arrives earlier; returns the sender's ns for it. */
uint64_t sim_send_ipi(struct sim *s, uint32_t from, const struct sim_cpu *cpu, uint64_t after);
void sim_cpu_ipi(struct sim *s, struct sim_cpu *cpu);		/* the IPI event */
void sim_cpu_steal(struct sim *s, struct sim_cpu *cpu);		/* the STEAL event */

/* sim/irq.c: interrupts and softirqs, on top of below */
void sim_irq_begin(struct sim *s, struct sim_cpu *cpu);
void sim_irq_step(struct sim *s, struct sim_cpu *cpu);		/* a step of them ended */
void sim_timer_arm(struct sim *s, struct sim_cpu *cpu, struct sim_task *task, uint64_t expires);
void sim_timer_expire(struct sim *s, struct sim_task *task);	/* the timer's event */
uint64_t sim_timer_next(struct sim_cpu *cpu);			/* or SIM_NEVER */

/* sim/schedule.c: the ends of its activities */
void sim_schedule_pick(struct sim *s, struct sim_cpu *cpu);
void sim_schedule_newidle(struct sim *s, struct sim_cpu *cpu);
void sim_schedule_finish(struct sim *s, struct sim_cpu *cpu);

/* sim/idle.c: the exit latency is over; a polling state's time limit is */
void sim_idle_awake(struct sim *s, struct sim_cpu *cpu);
void sim_idle_poll_ended(struct sim *s, struct sim_cpu *cpu);

/* sim/wake.c: a CPU that waits for this task's on_cpu may go on */
void sim_wake_release(struct sim *s, struct sim_task *task);
/* check_preempt_curr(): from has queued the task; returns from's ns for telling its CPU. */
uint64_t sim_check_preempt(struct sim *s, uint32_t from, struct sim_task *task);
/* The wakee is there: enqueue, preemption check, avg_idle (ttwu_do_activate()). */
uint64_t sim_wake_activate(struct sim *s, uint32_t from, struct sim_task *task,
			   uint32_t fair_flags);

/* sim/select.c, sim/select_log.c: the wake path; ns that it took */
uint64_t sim_select(struct sim *s, uint32_t cpu, const struct sched_wake *wake,
		    struct wake_decision *out);
uint64_t sim_select_log(struct sim *s, uint32_t cpu, const struct sched_wake *wake,
			struct wake_decision *out);
uint32_t sim_leaves_on_cpu(struct sim *s, const struct sched_wake *wake);

#endif
