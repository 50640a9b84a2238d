/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of load balancing: what its files share. */
#ifndef SIM_BALANCE_PRIVATE_H
#define SIM_BALANCE_PRIVATE_H

#include "sim/balance.h"
#include "sim/groups.h"

#define SIM_MIGRATION_COST	500000u	/* sysctl_sched_migration_cost, ns */
#define SIM_NR_MIGRATE		32u	/* sysctl_sched_nr_migrate */
#define SIM_CAPACITY_SCALE	1024u

/* When two nodes' imbalance is let be. */
enum sim_numa_rule {
	SIM_NUMA_NEVER,		/* v5.4, v5.5 */
	SIM_NUMA_SOURCE_2,	/* v5.6: the busiest runs at most two tasks */
	SIM_NUMA_QUARTER,	/* v5.11: fewer than a quarter of its CPUs (7d2b5dd0bcc4) */
	SIM_NUMA_HALVED,	/* v5.18: local runs up to imb_numa_nr, half a difference counts */
	SIM_NUMA_WHOLE,		/* v6.0: the whole difference counts (cb29a5c19d2d) */
};

/* How a fork finds its group. */
enum sim_fork_rule {
	SIM_FORK_LOAD,		/* v5.4: by runnable load */
	SIM_FORK_TYPES,		/* v5.5: by group types; across nodes only if none is idle here */
	SIM_FORK_QUARTER,	/* v5.11: stays while a quarter of the domain's CPUs run tasks */
	SIM_FORK_NR,		/* v5.18: stays up to imb_numa_nr tasks */
	SIM_FORK_ADJUST,	/* v6.0: and while the difference of idle CPUs is small */
};

/* What differs between versions; each names the first release. */
struct sim_balance_rules {
	uint8_t numa;			/* enum sim_numa_rule */
	uint8_t fork;			/* enum sim_fork_rule */
	uint8_t sched_idle_first;	/* v5.6: a fork takes a CPU of SCHED_IDLE tasks at once */
	uint8_t runnable;		/* v5.7: runnable_avg tells how crowded a group is */
	uint8_t busy_off_beat;		/* v5.10: a busy CPU's interval is a jiffy less */
	uint8_t relaxes_load;		/* v5.10: each failure halves what a task may weigh */
	uint8_t llc_by_tasks;		/* v5.10: no migrate_util below an LLC (16b0a7a1a0af) */
	uint8_t stats_at_idle;		/* v5.12: newidle leaves blocked load to the idle loop */
	uint8_t active_by_task;		/* v5.12: failures alone don't suffice (e9b9734b7465) */
	uint8_t skips_kthreads;		/* v5.13: per-CPU ones are not pinned (9bcb959d05ee) */
	uint8_t capacity_margin;	/* v5.14: capacity_greater(): 5 percent instead of 20 */
	uint8_t newidle_pending;	/* v5.14: a wake-up on its way ends it (e5e678e4fea2) */
	uint8_t nohz_next;		/* v5.15: NOHZ_NEXT_KICK (efd984c481ab) */
	uint8_t newidle_costs;		/* v5.16: gated by measured cost (c5b0a7eefc70) */
	uint8_t newidle_bails;		/* v6.0: before looking at a domain (792b9f65a568) */
	uint8_t seeks_movable;		/* v6.2: past loop_max while all are pinned */
	uint8_t no_overflow;		/* v6.3: nothing to above the average (91dcf1e8068e) */
};

/* nohz_flags() of a kicked CPU. */
enum sim_nohz_flags {
	SIM_NOHZ_BALANCE = 1,
	SIM_NOHZ_STATS = 2,
	SIM_NOHZ_NEXT = 4,		/* only nohz.next_balance */
	SIM_NOHZ_NEWILB = 8,		/* blocked load, before this CPU idles */
	SIM_NOHZ_KICK = SIM_NOHZ_BALANCE | SIM_NOHZ_STATS | SIM_NOHZ_NEXT,
};

enum sim_pass_kind {
	SIM_PASS_NONE,
	SIM_PASS_NEWIDLE,
	SIM_PASS_OWN,			/* the domains of the CPU that does it */
	SIM_PASS_NOHZ,			/* those of all idle CPUs */
	SIM_PASS_TAIL,			/* only time has to pass */
};

/* A pass that a CPU makes, between two looks. */
struct sim_pass {
	uint8_t kind;			/* enum sim_pass_kind */
	uint8_t idle;			/* enum sim_idle_type of the CPU it is for */
	uint8_t looking;		/* a look at domain is under way */
	uint8_t inside;			/* nohz: among the domains of cpu */
	uint8_t go_on;			/* continue_balancing */
	uint8_t need_decay, flags, has_blocked, tells_next;
	uint32_t cpu;			/* balanced for */
	uint32_t domain;
	uint32_t visited;		/* nohz: places of the walk behind us */
	uint64_t next_balance;		/* earliest of cpu's domains, jiffies */
	uint64_t nohz_next;		/* earliest of all idle CPUs */
	uint64_t begun;			/* jiffies */
	uint64_t max_cost;		/* of its domains' max_newidle_lb_cost */
	uint64_t debt;			/* ns of what was done at the end of the last look */
	uint64_t started, cost;		/* newidle: of this look, and spent so far; ns */
};

struct sim_balance_cpu {
	struct sim_pass pass;
	uint32_t llc;			/* first CPU of its LLC domain, or SIM_NO_GROUP */
	uint8_t flags;			/* enum sim_nohz_flags */
	uint8_t raised;			/* the tick raised SCHED_SOFTIRQ */
	uint8_t idle;			/* rq->idle_balance */
};

struct sim_nohz {
	wake_u64 idle[WAKE_WORDS];	/* CPUs whose tick is stopped */
	uint32_t nr;
	uint8_t has_blocked, needs_update;
	uint64_t next_balance, next_blocked; /* jiffies */
};

struct sim_balance_system {
	struct sim_groups *groups;
	struct sim_balance_rules rules;
	struct sim_balance_cpu *cpus;
	uint32_t *nr_busy;		/* by first CPU of an LLC domain: nr_busy_cpus */
	struct sim_nohz nohz;
	wake_u64 active[WAKE_WORDS];	/* cpu_active_mask */
	uint32_t serializer;		/* CPU that balances an SD_SERIALIZE domain, or NO_GROUP */
	uint64_t max_interval;		/* max_load_balance_interval, jiffies */
};

enum sim_group_type {
	SIM_GROUP_HAS_SPARE,
	SIM_GROUP_FULLY_BUSY,
	SIM_GROUP_MISFIT,
	SIM_GROUP_ASYM_PACKING,
	SIM_GROUP_IMBALANCED,
	SIM_GROUP_OVERLOADED,
};

/* struct sg_lb_stats */
struct sim_group_stats {
	uint64_t avg_load, load, capacity, util, runnable;
	uint64_t misfit;		/* load of the biggest task that doesn't fit */
	uint32_t nr_running, idle_cpus, weight;
	uint8_t type;			/* enum sim_group_type */
	uint8_t asym;
};

enum sim_migration_type {
	SIM_MOVE_LOAD,
	SIM_MOVE_UTIL,
	SIM_MOVE_TASK,
	SIM_MOVE_MISFIT,
};

enum sim_lb_flags {
	SIM_LB_ALL_PINNED = 1,
	SIM_LB_DST_PINNED = 2,
	SIM_LB_SOME_PINNED = 4,
	SIM_LB_ACTIVE = 8,
	SIM_LB_NOHZ_STATS = 16,		/* up to v5.11: newidle ages idle CPUs' load, too */
	SIM_LB_NOHZ_AGAIN = 32,
};

/* struct lb_env: one balance of one domain. cpu does it for this_cpu. */
struct sim_lb {
	struct sim *s;
	struct sim_cpu *cpu;
	struct sim_domain *sd, *parent;	/* parent: the domain above, or NULL */
	uint32_t prefer_sibling;	/* of the domain below */
	uint32_t this_cpu, dst;		/* dst: another one of its group if tasks are barred */
	uint32_t src, new_dst;
	enum sim_idle_type idle;
	enum sim_migration why;
	enum sim_migration_type type;
	uint32_t flags, loop, loop_max;
	int64_t imbalance;
	uint64_t ns;			/* what is done costs that */
	wake_u64 cpus[WAKE_WORDS];	/* that take part; only words of the domain are valid */
};

static inline uint32_t sim_idle_cpu(const struct sim *s, uint32_t cpu)
{
	return !!wake_mask_has(s->state->idle, cpu);
}

static inline uint32_t sim_sched_idle_cpu(const struct sim *s, uint32_t cpu)
{
	return s->rqs[cpu].nr_running && s->rqs[cpu].nr_running == s->rqs[cpu].nr_idle;
}

static inline uint64_t sim_capacity(const struct sim *s, uint32_t cpu)
{
	return s->state->rq[cpu].capacity;
}

/* fits_capacity() */
static inline int sim_fits(uint64_t util, uint64_t capacity)
{
	return util * 1280 < capacity * 1024;
}

/* msecs_to_jiffies() */
static inline uint64_t sim_to_jiffies(const struct sim *s, uint64_t ms)
{
	return (ms * s->config.kernel.hz + 999) / 1000;
}

/* sim/balance_stats.c */
void sim_group_classify(const struct sim_balance_rules *rules, const struct sim_domain *sd,
			const struct sim_group *group, struct sim_group_stats *stats);
/* rq->misfit_task_load, as of now. */
uint64_t sim_misfit(const struct sim *s, uint32_t cpu);
/* find_busiest_group(): NULL if there is no imbalance. Sets type and imbalance. */
struct sim_group *sim_busiest_group(struct sim_lb *lb);
/* find_busiest_queue(): a CPU, or SIM_NO_GROUP. */
uint32_t sim_busiest_cpu(const struct sim_lb *lb, const struct sim_group *group);

/* sim/balance_domain.c */
/* should_we_balance() */
int sim_should_balance(const struct sim *s, uint32_t dst, const struct sim_domain *sd,
		       enum sim_idle_type idle);
/* load_balance() of domain i for dst, at once; tasks moved. *ns: for what was done. */
uint32_t sim_load_balance(struct sim *s, struct sim_cpu *cpu, uint32_t dst, uint32_t i,
			  enum sim_idle_type idle, uint64_t *ns);
/* What load_balance() leaves where should_we_balance() said no. */
void sim_load_balance_refused(struct sim *s, uint32_t dst, uint32_t i, enum sim_idle_type idle);

/* sim/balance_move.c: detach_tasks() and attach_tasks(); returns how many. */
uint32_t sim_move_tasks(struct sim_lb *lb);

/* sim/balance.c */
/* update_blocked_averages(): cpu does it for another one's run queue; ns. */
uint64_t sim_update_blocked(struct sim *s, uint32_t cpu, uint32_t of);
/* get_sd_balance_interval(), jiffies */
uint64_t sim_balance_interval(const struct sim *s, const struct sim_domain *sd, uint32_t busy);
/* What a look at a domain costs cpu, ns: all of its run queues are read. */
uint64_t sim_look(struct sim *s, struct sim_cpu *cpu, const struct sim_domain *sd);
/* rebalance_domains() for pass->cpu, begin and further; ns of the next look, 0: done. */
uint64_t sim_pass_domains(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass);
uint64_t sim_pass_next(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass);
void sim_pass_looked(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass);
/* The pass is over but for its debt. */
uint64_t sim_pass_end(struct sim_pass *pass);

/* sim/balance_nohz.c */
uint64_t sim_nohz_begin(struct sim *s, struct sim_cpu *cpu, uint32_t flags);
uint64_t sim_nohz_next(struct sim *s, struct sim_cpu *cpu, struct sim_pass *pass);
/* update_nohz_stats(): has an idle CPU load left that decays? *ns grows. */
uint32_t sim_nohz_stats(struct sim *s, uint32_t cpu, uint32_t of, uint32_t force, uint64_t *ns);
/* nohz_newidle_balance(): ns of what is done at once. */
uint64_t sim_nohz_newidle(struct sim *s, struct sim_cpu *cpu);
void sim_nohz_tick(struct sim *s, struct sim_cpu *cpu);	/* nohz_balancer_kick() */

#endif
