/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random operations on four CPUs, the same for whoever executes them, and a digest of
 * every integer of tasks, queues and groups after each: for comparing with the kernel's
 * own functions, which can be made to follow step by step.
 */
#ifndef TESTS_FAIR_SCRIPT_H
#define TESTS_FAIR_SCRIPT_H

#include "sim/fair.h"

#define SCRIPT_CPUS	4
#define SCRIPT_TASKS	24
#define SCRIPT_GROUPS	4

enum script_kind {
	SCRIPT_CLOCK,		/* cpu's clocks to value, its idle task is current: other */
	SCRIPT_GROUP,		/* task: number, other: parent's, 0 is the root; value: shares */
	SCRIPT_IDLE_GROUP,
	SCRIPT_INIT,		/* task: nice is value, policy other, group cpu */
	SCRIPT_FORK,		/* on cpu, of the task other or ~0u */
	SCRIPT_ENQUEUE,		/* value: enum fair_flags */
	SCRIPT_DEQUEUE,
	SCRIPT_LEAVE,		/* value: waking */
	SCRIPT_PREEMPT,
	SCRIPT_PICK,		/* other: who was picked, ~0u: nobody; put() followed */
	SCRIPT_TICK,
	SCRIPT_YIELD,
	SCRIPT_UPDATE,
	SCRIPT_BLOCKED,		/* other: the result */
	SCRIPT_H_LOAD,		/* value: jiffies; other: the result */
};

struct script_step {
	enum script_kind kind;
	uint32_t cpu, task, other;
	uint64_t value;
};

struct script {
	struct fair_params params;
	struct fair_system *system;
	struct fair_rq *rqs;
	uint16_t capacity[SCRIPT_CPUS];
	struct fair_task tasks[SCRIPT_TASKS];
	uint8_t born[SCRIPT_TASKS];
	struct sched_group *group[SCRIPT_GROUPS + 1];	/* 0: the root */
	uint32_t nr_groups;
	uint64_t now, jiffies, seed, digest;
	/* Called after each step, may be NULL; returns 0 to go on. */
	int (*follow)(struct script *s, const struct script_step *step);
	void (*begin)(struct script *s);		/* run queues are there, no group yet */
	int stopped;
};

/* Runs nr steps; the digest. follow and begin as above. */
uint64_t script_run(struct script *s, const char *version, uint64_t seed, uint32_t nr);

/* The integers that the digest is made of, by entity and by queue. */
#define SCRIPT_SE_WORDS		18
#define SCRIPT_QUEUE_WORDS	26
void script_se_words(const struct sched_entity *se, uint64_t *out);
void script_queue_words(const struct script *s, const struct sched_cfs_rq *cfs_rq, uint64_t *out);

#endif
