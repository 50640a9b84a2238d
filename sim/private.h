/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator's inside. One CPU does one thing at a time, its activity; at the end of
 * it the ACTION event decides what comes next. Interrupts push the activity aside and
 * resume it. Effects take place at the ends of activities, so that two CPUs that look at
 * the same state meanwhile race as they do in reality.
 */
#ifndef SIM_PRIVATE_H
#define SIM_PRIVATE_H

#include "sched/state.h"
#include "sim/events.h"
#include "sim/fair.h"
#include "sim/line.h"
#include "sim/random.h"
#include "sim/sim.h"
#include "workload/channel.h"

#define SIM_NO_TASK	UINT32_MAX
#define SIM_FULL_SPEED	65536u	/* of a thread alone on its core */

/*
 * Event slots, and thereby the order of simultaneous events: interrupts that were sent
 * arrive before ticks, these before what CPUs do by themselves, lower CPUs first, then
 * timers of tasks.
 */
enum sim_slot {
	SIM_SLOT_IPI,
	SIM_SLOT_TICK,
	SIM_SLOT_ACTION,
	SIM_SLOT_STEAL,			/* the hypervisor takes or gives the physical CPU */
	SIM_SLOTS_PER_CPU		/* slot: kind * nr_cpus + cpu; then one a task */
};

enum sim_activity {
	SIM_ACT_IDLE,			/* in an idle state; ACTION: the governor looks again */
	SIM_ACT_IDLE_EXIT,		/* the exit latency */
	SIM_ACT_TASK,			/* a step of curr's operation */
	SIM_ACT_SPIN,			/* curr spins; ACTION: its budget is spent */
	SIM_ACT_WAIT_ON_CPU,		/* a waker waits until its wakee has left its CPU */
	SIM_ACT_SCHEDULE,		/* __schedule() up to the choice of the next task */
	SIM_ACT_NEWIDLE,		/* newidle balance of one domain */
	SIM_ACT_SWITCH,			/* from the choice to the end of the context switch */
	SIM_ACT_IRQ,			/* a step of an interrupt or softirq */
	SIM_ACT_OFFLINE,
};

/* What a CPU takes from the other threads of its core. */
enum sim_presence { SIM_ASLEEP, SIM_SPINS, SIM_BUSY };

/* What waits for a CPU that can't take interrupts right now, most urgent first. */
enum sim_pending {
	SIM_PEND_RESCHED = 1,		/* a reschedule IPI, or the polled flag */
	SIM_PEND_WAKELIST = 2,		/* tasks on rq->wake_list */
	SIM_PEND_TICK = 4,
	SIM_PEND_TIMER = 8,		/* expired sleepers */
	SIM_PEND_STOP = 16,		/* the stopper: active balance */
	SIM_PEND_BALANCE = 32,		/* SCHED_SOFTIRQ */
};

enum sim_task_state {
	SIM_TASK_NEW,			/* not forked yet */
	SIM_TASK_RUNNING,		/* queued or running */
	SIM_TASK_SLEEPING,		/* marked so; still queued until schedule() took it off */
	SIM_TASK_WAKING,		/* somebody selects a CPU for it, or it travels */
	SIM_TASK_DEAD,
};

struct sim_load;

struct sim_task {
	struct fair_task fair;		/* first: fair_ops hand these around */
	struct sched_task pub;		/* what the wake path sees of it */
	struct sim_load *load;
	const struct work_op *ops;	/* of its program */
	uint32_t id;			/* index in sim->tasks */
	uint32_t process;		/* unique among all loads */
	uint8_t state;			/* enum sim_task_state */
	uint8_t on_cpu;			/* running, or still being switched away from */
	uint8_t kernel;			/* in a system call: not preempted without CONFIG_PREEMPT */
	uint8_t spinning;		/* its current activity is a spin */
	uint8_t memory;			/* percent of the current run that waits for memory */

	/* its program */
	uint32_t pc, step;		/* operation, and how far into it */
	uint32_t draws;			/* numbers drawn so far */
	uint64_t left;			/* ns of work of the current activity when off its CPU */
	uint64_t value;			/* of the current operation */
	uint64_t loops[WORK_LOOPS_MAX], marks[WORK_LOOPS_MAX];
	uint64_t stamp;			/* when the one that woke it said so */
	uint32_t lock;			/* index of the per-CPU lock it holds */
	uint32_t release;		/* first task of a list that it wakes one by one */

	/* queues: a task waits in one at a time */
	uint32_t next;			/* waiters of an object, tasks to be woken */
	uint32_t wake_next;		/* rq->wake_list, or expired timers of a CPU */
	uint32_t spinner;		/* CPU that waits for on_cpu to clear, or SIM_NO_CPU */
	uint32_t pin_to;		/* CPU that the stopper shall move it to, or SIM_NO_CPU */
	uint8_t granted;		/* what it was about to sleep for has come */
	uint8_t migrated;		/* WF_MIGRATED of the wake-up under way */
	uint8_t slept;			/* a writer: the channel was full */
	uint8_t pad;
	RB_ENTRY(sim_task) timer;	/* among the armed timers of timer_cpu */
	uint32_t timer_cpu;
	uint64_t expires, phase;

	/* where its working set and its kernel structures are */
	uint32_t footprint;		/* lines */
	uint32_t cache_cpu;		/* where it ran last, or SIM_NO_CPU */
	uint32_t lines_cpu;		/* whose caches hold task, entity and stack */
	uint32_t home;			/* package of its memory, by first touch; ~0u before */
	uint64_t core_filled, llc_filled; /* of those caches when it left */

	/* accounts, ns; since: the last change between running, waiting, sleeping */
	uint64_t since, born, run, wait, sleep;
	uint8_t account;		/* enum sim_account */
	struct sim_wake_event event;	/* of the wake-up under way */
} __attribute__((aligned(64)));

enum sim_account { SIM_ACCOUNT_NONE, SIM_ACCOUNT_RUN, SIM_ACCOUNT_WAIT, SIM_ACCOUNT_SLEEP };

#define SIM_INTERVALS	8		/* that the menu governor remembers */

struct sim_cpu {
	/* hot */
	uint32_t id;
	uint8_t activity;		/* enum sim_activity */
	uint8_t below;			/* the activity that an interrupt pushed aside */
	uint8_t need_resched, polling, irq_busy;
	uint8_t pending;		/* enum sim_pending */
	uint8_t tick_stopped, stolen;
	uint32_t curr;			/* task, or SIM_NO_TASK: idle */
	uint32_t prev;			/* of the switch under way */
	uint64_t since;			/* when the activity began, or its speed changed */
	uint64_t left;			/* ns of work in it at full speed */
	uint64_t below_left;
	uint64_t irq_since;
	uint32_t speed;			/* of SIM_FULL_SPEED */
	uint8_t polled;			/* woken by the polled flag: no interrupt to enter */
	uint8_t presence;		/* enum sim_presence */
	uint8_t prev_gone;		/* the stopper has moved prev away already */
	uint8_t pad;
	/* a cache line on: wake-ups */
	uint32_t wake_list, wake_tail;	/* tasks queued to this CPU */
	uint32_t expired;		/* tasks whose timers went off */
	uint32_t waking;		/* the wakee of the wake-up this CPU performs, or NO_TASK */
	uint32_t wake_step, wake_flags, wake_in_task; /* of it */
	uint32_t irq_step;
	RB_HEAD(sim_timers, sim_task) timers; /* armed, the next one first */
	uint64_t irq_time;		/* ns in interrupts and stolen: clock_task leaves it out */
	uint64_t tick_phase;
	/* idle */
	uint64_t idle_stamp, idle_since;
	uint32_t idle_state, interval_next;
	uint32_t intervals[SIM_INTERVALS]; /* us, the last idle periods */
	uint64_t predicted;		/* ns */
	uint64_t accounted, busy, idle;	/* ns, up to accounted */
	/* balancing (sim/balance.c and its siblings) */
	uint64_t max_idle_balance_cost, next_balance, last_blocked;
	uint32_t push_cpu;		/* stopper: where to, SIM_NO_CPU: nothing to do */
	uint8_t nohz_idle, nohz_kicked, active_balance, has_blocked;
	/* caches: lines ever filled into the private cache of its core (first thread's counts) */
	uint64_t core_filled;
} __attribute__((aligned(64)));

/* The lines of a CPU that others read and write. */
struct sim_cpu_lines {
	struct sim_line rq;		/* curr, nr_running, ttwu_pending, the lock */
	struct sim_line load;		/* load and capacity */
} __attribute__((aligned(64)));

/* Lines of an LLC domain's shared words. */
struct sim_llc_lines {
	struct sim_line hints, icpus, idle_cpus;
	uint64_t pad;
} __attribute__((aligned(64)));

struct sim_queue {
	uint32_t first, last;		/* tasks, SIM_NO_TASK */
};

struct sim_channel {
	const struct work_channel *def;
	struct sim_line line;		/* stands for the channel's lines and its lock */
	struct work_room room;
	uint32_t head, size;
	uint32_t *ring;			/* entries, the oldest at head */
	struct sim_queue readers, writers;
};

struct sim_lock {
	struct sim_line line;
	uint32_t owner;
	uint64_t spin;
	struct sim_queue spinners, sleepers;
};

struct sim_semaphore {
	struct sim_line line;
	uint32_t count, max;
	struct sim_queue waiters;
};

struct sim_list {
	struct sim_line line;
	struct sim_queue parked;
};

struct sim_barrier {
	struct sim_line line;
	uint32_t nr, here;
	uint64_t spin, round;
	struct sim_queue spinners, sleepers;
};

struct sim_flag {
	struct sim_line line;
	uint64_t up;
	struct sim_queue spinners;
};

struct sim_metric {
	uint64_t count;
	struct stats_hist *hist;
};

/* A load as it runs: its objects, and where its tasks start in sim->tasks. */
struct sim_load {
	const struct workload *work;
	uint32_t index, first_task;
	struct sched_group **groups;	/* by work_group; NULL: the root group */
	struct sim_channel *channels;
	struct sim_lock *locks;
	struct sim_semaphore *semaphores;
	struct sim_list *lists;
	struct sim_barrier *barriers;
	struct sim_flag *flags;
	struct sim_metric *metrics;
	uint32_t alive;			/* tasks not yet dead */
	uint32_t ends;			/* it has a makespan: the run ends with it */
	uint64_t started, last_exit;	/* of a makespan */
};

/* The card in ns (fetch and fill in ps), as the event path uses it. */
struct sim_costs {
	uint32_t syscall, schedule, context_switch, context_switch_mm, wake, probe, enqueue, irq,
		softirq, tick, timer, timer_set, timer_slack, balance, fork, futex_wake,
		futex_wait, ipi_send, ipi, ipi_remote;
	uint32_t send[WORK_NR_CHANNELS], rx[WORK_NR_CHANNELS], recv[WORK_NR_CHANNELS],
		lines[WORK_NR_CHANNELS];
	uint32_t wake_lines, switch_lines, futex_lines;
	uint32_t copy;			/* ps a byte */
	uint32_t fill[MACHINE_NR_LEVELS], fill_memory, fill_memory_remote; /* ps a line */
	uint32_t memory_remote;		/* percent */
	uint32_t speed[WAKE_SMT_MAX + 1]; /* by busy threads of the core */
	uint32_t speed_spin;		/* beside one that spins */
};

/* Where an idle state leads; from the card. */
struct sim_idle_state {
	uint8_t kind;			/* enum machine_idle_kind */
	uint64_t exit, residency;	/* ns */
};

/* A run queue as balancing sees it, small enough that a look at many stays in caches. */
struct sim_seen {
	uint64_t load, util, runnable;	/* of the root queue; util: cpu_util_cfs() */
	uint32_t nr_running;
	uint32_t pad;
};

struct sim {
	uint64_t now;
	uint64_t key;			/* of sim_random() */
	struct sim_events events;
	uint32_t nr_cpus, nr_tasks;
	struct sim_cpu *cpus;
	struct sim_cpu_lines *lines;
	struct sim_llc_lines *llc_lines;	/* by span index, as sched_state.llc */
	struct sim_task *tasks;
	struct sched_task *idle_tasks;		/* by CPU: the idle tasks as wakers */
	struct fair_rq *rqs;
	const struct fair_ops *ops;
	struct sched_state *state;
	struct sched_topology *topo;
	const struct wake_rules *rules;
	struct sim_costs cost;
	struct sim_fabric fabric;
	uint32_t nr_idle_states;
	struct sim_idle_state idle_states[MACHINE_IDLE_MAX];
	uint64_t tick_ns, jiffies_offset;
	uint64_t until;
	struct sim_config config;
	struct sim_balance_system *balance;	/* sim/balance.h */
	struct sim_seen *seen;			/* by CPU; allocated with balance */
	uint32_t overload;			/* rd->overload: some run queue had two tasks */
	uint32_t nr_loads;
	struct sim_load *loads;
	uint64_t *llc_filled;			/* by LLC bit: lines ever filled into it */
	uint64_t *core_lines, *llc_size;	/* lines that fit, by CPU and by LLC bit */
	struct fair_system *fair;
	struct machine_place *places;
	uint8_t *llc_bit;
	uint16_t *llc_cpu;
	uint64_t measured_from;
	struct sim_counts counts;
	struct stats_hist *wait_hist;
	struct sim_watch watch, asked;		/* asked: becomes watch with the window */
	struct sched_log *log;
	size_t bytes;
	uint32_t pending_late;			/* v6.2: ttwu_pending clears after the enqueues */
	uint32_t unfinished;			/* loads with a makespan that still run */
	uint32_t finished;			/* there were some, and none runs */
	const char *broken;			/* an invariant that broke */
};

static inline uint32_t sim_slot(const struct sim *s, enum sim_slot kind, uint32_t cpu)
{
	return (uint32_t)kind * s->nr_cpus + cpu;
}

static inline uint32_t sim_timer_slot(const struct sim *s, uint32_t task)
{
	return SIM_SLOTS_PER_CPU * s->nr_cpus + task;
}

static inline struct sim_task *sim_curr(struct sim *s, const struct sim_cpu *cpu)
{
	return cpu->curr == SIM_NO_TASK ? NULL : &s->tasks[cpu->curr];
}

static inline struct sim_task *sim_task_of(struct fair_task *fair)
{
	return (struct sim_task *)(void *)fair;
}

static inline uint64_t sim_jiffies(const struct sim *s)
{
	return (s->now + s->jiffies_offset) / s->tick_ns;
}

/* Brings a run queue's clocks up to now. */
static inline void sim_clock(struct sim *s, uint32_t cpu)
{
	fair_clock(&s->rqs[cpu], s->now - s->cpus[cpu].irq_time,
		   s->cpus[cpu].curr == SIM_NO_TASK);
}

/* After load tracking changed: what other CPUs see of a run queue's load. */
static inline void sim_publish(struct sim *s, uint32_t cpu)
{
	const struct fair_rq *rq = &s->rqs[cpu];

	s->state->rq[cpu].load_avg = rq->root->avg.load_avg;
	/* What stands there up to v5.6, the only versions that ask for it: runnable_load_avg. */
	s->state->rq[cpu].runnable_load = rq->root->avg.runnable_avg;
	s->seen[cpu].load = rq->root->avg.load_avg;
	s->seen[cpu].util = sched_cpu_util(&rq->load);
	s->seen[cpu].runnable = rq->root->avg.runnable_avg;
	s->seen[cpu].nr_running = rq->nr_running;
	s->overload |= rq->nr_running > 1;
}

/* sim/cpu.c: activities */
void sim_cpu_begin(struct sim *s, struct sim_cpu *cpu, enum sim_activity activity, uint64_t work);
void sim_cpu_action(struct sim *s, struct sim_cpu *cpu);	/* the ACTION event */
void sim_cpu_interrupt(struct sim *s, struct sim_cpu *cpu, uint32_t pending);
/* After an activity: interrupts that wait, then schedule() if it is due, else go on. */
void sim_cpu_next(struct sim *s, struct sim_cpu *cpu);
void sim_cpu_cut(struct sim *s, struct sim_cpu *cpu, uint64_t work); /* the rest of a spin */
void sim_cpu_schedule(struct sim *s, struct sim_cpu *cpu);
/* resched_curr(): from a CPU; sends what has to be sent. Returns the sender's ns. */
uint64_t sim_resched(struct sim *s, uint32_t from, struct sim_cpu *cpu);

/* sim/queue.c: tasks on run queues, accounts */
void sim_cpu_account(struct sim *s, struct sim_cpu *cpu);	/* idle or busy up to now */
void sim_activate(struct sim *s, struct sim_task *task, uint32_t cpu, uint32_t fair_flags);
void sim_deactivate(struct sim *s, struct sim_task *task, uint32_t fair_flags);
void sim_set_cpu(struct sim *s, struct sim_task *task, uint32_t cpu, enum sim_migration why);
void sim_account(struct sim *s, struct sim_task *task, enum sim_account what);

/* sim/wake.c: try_to_wake_up() in steps; each returns ns until the next one */
#define SIM_WAKE_DONE	UINT64_MAX
#define SIM_WAKE_WAITS	(UINT64_MAX - 1)	/* until the wakee's on_cpu clears: no event */
uint64_t sim_wake_begin(struct sim *s, struct sim_cpu *cpu, uint32_t task, uint32_t flags,
			uint32_t in_task);
uint64_t sim_wake_step(struct sim *s, struct sim_cpu *cpu);
/* sched_ttwu_pending(), a task a call: 1 while there are more. */
uint32_t sim_wake_list(struct sim *s, struct sim_cpu *cpu);
/* wake_up_new_task(): ns of looking around, then it may be queued. */
uint64_t sim_wake_new(struct sim *s, struct sim_cpu *cpu, struct sim_task *task,
		      struct sim_task *parent);
uint64_t sim_wake_new_queue(struct sim *s, struct sim_cpu *cpu, struct sim_task *task);

/* sim/program.c: the current task's operations */
void sim_program_step(struct sim *s, struct sim_cpu *cpu);	/* an activity of it ended */

/* sim/create.c: the task may run on these CPUs of its load (work_mask, WORK_NONE: all) */
void sim_task_allow(struct sim *s, struct sim_task *task, uint32_t mask);

/* sim/idle.c */
void sim_idle_enter(struct sim *s, struct sim_cpu *cpu);	/* the idle loop, after a switch */
void sim_idle_again(struct sim *s, struct sim_cpu *cpu);	/* after an interrupt, or a poll's end */
void sim_idle_leave(struct sim *s, struct sim_cpu *cpu);	/* something to do arrived */

/* sim/tick.c */
void sim_tick_start(struct sim *s, struct sim_cpu *cpu);
void sim_tick_stop(struct sim *s, struct sim_cpu *cpu);
void sim_tick(struct sim *s, struct sim_cpu *cpu);		/* the handler's work */

/* sim/residue.c: what a task pays for caches when it gets on a CPU, ns */
uint64_t sim_residue_in(struct sim *s, struct sim_cpu *cpu, struct sim_task *task);
void sim_residue_out(struct sim *s, struct sim_cpu *cpu, struct sim_task *task);

/* sim/check.c: invariants; NULL or what broke */
const char *sim_check(struct sim *s);

#endif
