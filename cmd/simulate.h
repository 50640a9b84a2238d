/* SPDX-License-Identifier: GPL-2.0-only */
/* What all commands that simulate share: options, runs on several threads, results. */
#ifndef CMD_SIMULATE_H
#define CMD_SIMULATE_H

#include <getopt.h>
#include <stdbool.h>

#include "cmd/cmd.h"
#include "sim/sim.h"

struct cmd_simulation {
	const char *cmd;
	const char *machine_path, *card, *cpus_text;
	const char **load_specs;
	struct machine *machine;
	struct machine_costs *costs;
	struct workload **loads;
	uint32_t nr_loads;
	struct sched_variant *variants;
	size_t nr_variants;
	hwloc_bitmap_t cpus;		/* NULL: all */
	struct sim_config config;	/* for all runs; variant, seed's run not set */
	uint64_t time, warmup;		/* as asked for, UINT64_MAX: the load's own */
	uint32_t runs, jobs;
	/* Called before a run begins, for who wants to watch it; 0 or a negative errno. */
	int (*begin)(struct cmd_simulation *sim, struct sim *s);
	void *begin_arg;
};

#define CMD_SIMULATION_SHORT "m:w:j:"
#define CMD_SIMULATION_LONG \
	{ "machine", required_argument, NULL, 'm' }, \
	{ "workload", required_argument, NULL, 'w' }, \
	{ "jobs", required_argument, NULL, 'j' }, \
	{ "costs", required_argument, NULL, 1000 }, \
	{ "cpus", required_argument, NULL, 1001 }, \
	{ "seed", required_argument, NULL, 1002 }, \
	{ "runs", required_argument, NULL, 1003 }, \
	{ "time", required_argument, NULL, 1004 }, \
	{ "warmup", required_argument, NULL, 1005 }, \
	{ "hz", required_argument, NULL, 1006 }, \
	{ "preempt", no_argument, NULL, 1007 }, \
	{ "no-autogroup", no_argument, NULL, 1008 }, \
	{ "no-wakeup-preemption", no_argument, NULL, 1009 }, \
	{ "no-balance", no_argument, NULL, 1010 }, \
	{ "lpar", required_argument, NULL, 1011 }

void cmd_simulation_init(struct cmd_simulation *sim, const char *cmd);
/* One of the options above; 0, or an exit status after a message. */
int cmd_simulation_option(struct cmd_simulation *sim, int option, const char *value);
/*
 * Loads machine, card and loads, and parses the arguments left as variants: from min to
 * max of them. 0, or an exit status after a message.
 */
int cmd_simulation_load(struct cmd_simulation *sim, int argc, char **argv, size_t min, size_t max);
void cmd_simulation_free(struct cmd_simulation *sim);

/* "1s", "250ms", "10us", "500ns", "500": ns. 0, or -EINVAL. */
int cmd_parse_time(const char *text, uint64_t *ns);

struct cmd_metric {
	const struct work_metric *what;
	uint32_t load;
	uint64_t count;			/* or ns of a makespan */
	struct stats_hist *hist;	/* of a latency */
};

/* What is kept of a run. */
struct cmd_result {
	const struct sched_variant *variant;
	uint32_t run;
	uint64_t window;
	struct sim_counts counts;
	struct stats_hist *wait;
	struct cmd_metric *metrics;
	uint32_t nr_metrics;
};

/*
 * Runs each variant runs times, on as many threads as asked for; results in the order of
 * variants, then runs. 0, or an exit status after a message.
 */
int cmd_simulate(struct cmd_simulation *sim, struct cmd_result **out, size_t *nr);
void cmd_results_free(struct cmd_result *results, size_t nr);

/* A metric's value in its own unit: of a latency the starred percentile, or the mean. */
double cmd_metric_value(const struct cmd_metric *metric, uint64_t window);

/*
 * --trace: the run that follows is written to path as a Perfetto trace. end: after it,
 * with the exit status so far; returns the exit status.
 */
int cmd_trace_begin(struct cmd_simulation *sim, const char *path);
int cmd_trace_end(struct cmd_simulation *sim, int status);

/* Raw results as JSON Lines: a header, then a line a run. 0 or a negative errno. */
int cmd_runs_print(const struct cmd_simulation *sim, int argc, char **argv,
		   const struct cmd_result *results, size_t nr, FILE *to);
/* The same into a file, which appears when it is complete. */
int cmd_runs_write(const struct cmd_simulation *sim, int argc, char **argv,
		   const struct cmd_result *results, size_t nr, const char *path);

#endif
