/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load balancing: newidle, periodic, nohz and active balance, and the placement of
 * forks (kernel/sched/fair.c: newidle_balance(), rebalance_domains(), nohz_idle_balance(),
 * load_balance(), find_idlest_cpu()), with the domains and groups of the version.
 *
 * A pass looks at one domain after the other, and each look takes time on the CPU that
 * does it: *_begin() returns the ns of the first look, *_step() ends a look (now tasks
 * move) and returns the ns of the next one; 0: the pass is over, or there was none.
 */
#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "sim/private.h"

enum sim_idle_type { SIM_CPU_IDLE, SIM_CPU_NOT_IDLE, SIM_CPU_NEWLY_IDLE };

/* Groups of all domains. domains: the same kernel's as s->topo was made from. */
int sim_balance_create(struct sim *s, const struct machine_domains *domains,
		       struct sim_error *err);
void sim_balance_free(struct sim *s);

/* schedule() found no fair task. Sets idle_stamp; tasks that it pulled are queued. */
uint64_t sim_newidle_begin(struct sim *s, struct sim_cpu *cpu);
uint64_t sim_newidle_step(struct sim *s, struct sim_cpu *cpu);

/*
 * trigger_load_balance() of a tick: may pend SIM_PEND_BALANCE on this CPU, and kick an
 * idle one (nohz_balancer_kick()).
 */
void sim_balance_tick(struct sim *s, struct sim_cpu *cpu);
/* SCHED_SOFTIRQ on a CPU: its own domains, or if it was kicked those of all idle CPUs. */
uint64_t sim_rebalance_begin(struct sim *s, struct sim_cpu *cpu);
uint64_t sim_rebalance_step(struct sim *s, struct sim_cpu *cpu);

/* nohz_balance_enter_idle() where the tick stops, nohz_balance_exit_idle() at a busy tick. */
void sim_nohz_enter(struct sim *s, struct sim_cpu *cpu);
void sim_nohz_exit(struct sim *s, struct sim_cpu *cpu);

/*
 * active_load_balance_cpu_stop(): the stopper runs on cpu, its running task is queued
 * again. Moves one task to cpu->push_cpu. Returns ns.
 */
uint64_t sim_active_balance(struct sim *s, struct sim_cpu *cpu);

/* select_task_rq_fair()'s slow path for a fork on cpu; *ns: what looking around took. */
uint32_t sim_find_idlest_cpu(struct sim *s, struct sim_task *task, uint32_t cpu, uint64_t *ns);

#endif
