/* SPDX-License-Identifier: GPL-2.0-only */
/* Small simulations for tests: a machine as text, a card of round numbers, a load as text. */
#ifndef TESTS_SIM_SCENE_H
#define TESTS_SIM_SCENE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sim/private.h"

/* Four CPUs: two LLCs of two cores without SMT in one package and node. */
#define SCENE_4CPUS \
	"machine four\ncpus 0-3\nabout test\narch x86\nvendor intel\npackage 0-3\nnode 0-3\n" \
	"core 0 x4 +1\ncache L2 1M 0 x4 +1\ncache L3 8M 0-1 x2 +2\n"
/* One LLC of four cores with two threads each; siblings are c and c + 4. */
#define SCENE_SMT \
	"machine smt\ncpus 0-7\nabout test\narch x86\nvendor intel\npackage 0-7\nnode 0-7\n" \
	"core 0,4 x4 +1\ncache L2 1M 0,4 x4 +1\ncache L3 8M 0-7\n"
/* One LLC of four cores. */
#define SCENE_LLC4 \
	"machine four\ncpus 0-3\nabout test\narch x86\nvendor intel\npackage 0-3\nnode 0-3\n" \
	"core 0 x4 +1\ncache L2 1M 0 x4 +1\ncache L3 8M 0-3\n"
/* Two packages, each a node and an LLC of two cores. */
#define SCENE_2PACKAGES \
	"machine two\ncpus 0-3\nabout test\narch x86\nvendor intel\npackage 0-1 x2 +2\n" \
	"node 0-1 x2 +2\ncore 0 x4 +1\ncache L2 1M 0 x4 +1\ncache L3 8M 0-1 x2 +2\n" \
	"distance 10 21\ndistance 21 10\n"

struct scene {
	struct machine *machine;
	struct machine_costs costs;
	struct sched_variant variant;
	struct workload *load;
	const struct workload *loads[1];
	struct sim_config config;
	struct sim *s;
};

/* A scene with all costs 0 and one halting idle state without latency; HZ=250. */
void scene_begin(struct scene *scene, const char *machine, const char *variant);
/* The same with every cost set to a number that tells it from sums of others. */
void scene_card(struct scene *scene);
void scene_load(struct scene *scene, const char *text);
/* Creates; time and warmup in ns. */
void scene_create(struct scene *scene, uint64_t warmup, uint64_t time);
/* Creates, runs, fails the test if an invariant breaks. */
void scene_run(struct scene *scene, uint64_t warmup, uint64_t time);
void scene_end(struct scene *scene);

/* By name: "left", "worker.3". */
struct sim_task *scene_task(struct scene *scene, const char *name);
/* A count of the load's metric of that name. */
uint64_t scene_metric(const struct scene *scene, const char *name);
const struct stats_hist *scene_hist(const struct scene *scene, const char *name);

#endif
