/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small machine and one wake-up on it, made by hand: no reader and no domain
 * builder in between. CPU c of a machine with threads has the siblings c, c + stride, ...
 */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include "sched/state.h"

struct scene_machine {
	wake_u32 nr_cpus;
	wake_u32 threads;	/* a core; 1: no SMT */
	wake_u32 stride;	/* between siblings; 0: they are neighbours */
	wake_u32 llc;		/* CPUs of an LLC, neighbours by number of their first thread */
	wake_u32 cluster;	/* CPUs of a cluster; 0: no such level */
	wake_u32 far_llc;	/* 1: the domain above the LLC has no SD_WAKE_AFFINE */
	wake_u32 pct;		/* imbalance_pct above the LLC; 0: 117 */
};

struct scene {
	struct sched_topology topo;
	struct sched_state *state;
	struct sched_task waker, wakee;
	struct sched_wake wake;
	struct wake_decision d;
};

/* 8 CPUs, SMT 2, siblings c and c + 4, one LLC: wakepath.md I.3. */
extern const struct scene_machine scene_smt8;
/* 16 CPUs without SMT, two LLCs of 8. */
extern const struct scene_machine scene_two_llcs;
/* 16 CPUs without SMT, one LLC, clusters of 4. */
extern const struct scene_machine scene_clusters;

/*
 * Everybody idle; waker on CPU 0, which it keeps busy; wakee last on prev, not
 * sync, all allowed, recent_used_cpu prev. Fails the test without memory.
 */
void scene_start(struct scene *s, const struct scene_machine *machine, wake_u32 waker_cpu,
		 wake_u32 prev);
void scene_end(struct scene *s);

/* A CPU runs this many tasks, of them so many under SCHED_IDLE. */
void scene_busy(struct scene *s, wake_u32 cpu, wake_u32 nr, wake_u32 nr_idle_policy);
/* All CPUs from first to last but one (WAKE_NONE: none) run a task. */
void scene_all_busy(struct scene *s, wake_u32 first, wake_u32 last, wake_u32 but);
void scene_idle(struct scene *s, wake_u32 cpu);
/* The wakee may run on these CPUs only (of the first 64). */
void scene_allow(struct scene *s, wake_u64 cpus);

/* Decides; the CPU. */
wake_u32 scene_decide(struct scene *s, const struct wake_rules *rules);

/* Decides as a variant, or as sched_versions[version]; another outcome fails the test by name. */
void scene_expect(struct scene *s, const char *variant, wake_u32 cpu, enum wake_reason reason);
void scene_expect_version(struct scene *s, size_t version, wake_u32 cpu, enum wake_reason reason);

#define FOR_EVERY_VERSION(v) for (size_t v = 0; v < sched_nr_versions; v++)

/* Budgets that never end a scan. */
void scene_plenty(struct scene *s);

/* The rules of a variant that must exist. */
struct wake_rules scene_rules(const char *variant);
/* Is versions[i] at least this release? */
int scene_since(size_t version, unsigned int major, unsigned int minor);

#endif
