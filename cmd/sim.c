// SPDX-License-Identifier: GPL-2.0-only
/* wakelab sim: one load on one machine under one or more variants, and what explains it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/simulate.h"
#include "cmd/words.h"
#include "report/table.h"

struct sums {
	struct sim_counts c;
	uint64_t window;
	size_t runs;
};

/* All counts are u64: a variant's runs are added up word by word. */
static void add(struct sums *to, const struct cmd_result *result)
{
	uint64_t *sum = (uint64_t *)&to->c;
	const uint64_t *value = (const uint64_t *)&result->counts;

	for (size_t i = 0; i < sizeof(to->c) / sizeof(*sum); i++)
		sum[i] += value[i];
	to->window += result->window;
	to->runs++;
}

static void print(struct report_table *table, enum cmd_format format)
{
	if (cmd_print_table(table, format))
		cmd_error("sim", "", strerror(ENOMEM));
}

static void latency_rows(struct report_table *table, const struct cmd_metric *metric)
{
	const struct work_metric *what = metric->what;
	double scale = (double)what->numerator / (double)what->denominator;

	for (uint32_t i = 0; i < what->nr_percentiles; i++) {
		report_cell(table, "%s p%g", what->name, what->percentile[i] / 10000.0);
		report_cell(table, "%.2f",
			    (double)stats_hist_quantile(metric->hist, what->percentile[i]) * scale);
		report_cell(table, "%s", what->unit);
		report_cell(table, "%" PRIu64, stats_hist_count(metric->hist));
	}
	report_cell(table, "%s max", what->name);
	report_cell(table, "%.2f", (double)stats_hist_max(metric->hist) * scale);
	report_cell(table, "%s", what->unit);
	report_cell(table, "%" PRIu64, stats_hist_count(metric->hist));
}

static void print_metrics(const struct cmd_result *result, enum cmd_format format)
{
	struct report_table *table = report_table_new("<metric,value,<unit,samples");

	for (uint32_t i = 0; table && i < result->nr_metrics; i++) {
		const struct cmd_metric *metric = &result->metrics[i];

		if (metric->hist) {
			latency_rows(table, metric);
			continue;
		}
		report_cell(table, "%s", metric->what->name);
		report_cell(table, "%.2f", cmd_metric_value(metric, result->window));
		report_cell(table, "%s", metric->what->unit);
		report_cell(table, "%s", "");
	}
	print(table, format);
}

struct lines {
	struct report_table *table;
	const struct sums *sums;
	uint64_t whole;			/* what shares are of */
};

static void line(const struct lines *l, const char *name, uint64_t value)
{
	if (!value)
		return;
	report_cell(l->table, "%s", name);
	report_cell(l->table, "%" PRIu64, value / l->sums->runs);
	report_cell(l->table, "%.1f", (double)value * 1e9 / (double)l->sums->window);
	if (l->whole)
		report_cell(l->table, "%.2f", cmd_percent(value, l->whole));
	else
		report_cell(l->table, "%s", "");
}

static struct lines section(const struct sums *sums, const char *title, uint64_t whole)
{
	char columns[128];

	snprintf(columns, sizeof(columns), "<%s,a run,a second,%%", title);
	return (struct lines){ report_table_new(columns), sums, whole };
}

static void print_wakes(const struct sums *sums, enum cmd_format format)
{
	const struct sim_counts *c = &sums->c;
	uint64_t whole = c->wakes - c->unneeded;
	struct lines l = section(sums, "wake-ups by reason", whole);

	for (int i = 0; i < WAKE_NR_REASONS; i++)
		line(&l, cmd_reason_text[i], c->wakes_by_reason[i]);
	line(&l, "not needed: had not slept yet", c->unneeded);
	print(l.table, format);
	l = section(sums, "wake-ups by what they found", whole);
	for (int i = 0; i < SIM_NR_LANDINGS; i++)
		line(&l, sim_landing_text[i], c->landings[i]);
	print(l.table, format);
	l = section(sums, "wakee's CPU from its previous one", whole);
	for (int i = 0; i < MACHINE_NR_LEVELS; i++)
		line(&l, machine_level_name(i), c->wakes_by_distance[i]);
	print(l.table, format);
	l = section(sums, "wakee's CPU from the waker's", whole);
	for (int i = 0; i < MACHINE_NR_LEVELS; i++)
		line(&l, machine_level_name(i), c->wakes_by_waker[i]);
	print(l.table, format);
}

static void print_moves(const struct sums *sums, enum cmd_format format)
{
	const struct sim_counts *c = &sums->c;
	struct lines l = section(sums, "migrations by cause", 0);

	for (int i = 0; i < SIM_NR_MIGRATIONS; i++)
		line(&l, sim_migration_text[i], c->migrations[i]);
	print(l.table, format);
	l = section(sums, "migrations by distance", 0);
	for (int i = 0; i < MACHINE_NR_LEVELS; i++)
		line(&l, machine_level_name(i), c->migrations_by_distance[i]);
	print(l.table, format);
	l = section(sums, "events", 0);
	line(&l, "context switches", c->switches);
	line(&l, "of them preemptions", c->preemptions);
	line(&l, "probes of run queues", c->probes);
	line(&l, "IPIs", c->ipis);
	line(&l, "wake-ups of polling CPUs without one", c->no_ipis);
	line(&l, "ticks", c->ticks);
	line(&l, "timers", c->timers);
	line(&l, "newidle balances", c->newidle_calls);
	line(&l, "of them not worth it", c->newidle_skipped);
	line(&l, "tasks that they pulled", c->newidle_pulls);
	line(&l, "other balances of a domain", c->balance_calls);
	line(&l, "tasks that these pulled", c->balance_pulls);
	line(&l, "nohz kicks", c->nohz_kicks);
	print(l.table, format);
}

static void print_time(const struct cmd_simulation *sim, const struct sums *sums,
		       enum cmd_format format)
{
	const struct sim_counts *c = &sums->c;
	struct report_table *table = report_table_new("<CPU time,% of all CPUs,entries a second,"
						      "% left early");

	report_cell(table, "busy");
	report_cell(table, "%.2f", cmd_percent(c->busy_ns, c->cpu_ns));
	report_cell(table, "%s", "");
	report_cell(table, "%s", "");
	for (unsigned i = 0; i < sim->costs->nr_idle; i++) {
		report_cell(table, "idle: %s", sim->costs->idle[i].name);
		report_cell(table, "%.2f", cmd_percent(c->idle_ns[i], c->cpu_ns));
		report_cell(table, "%.1f",
			    (double)c->idle_entries[i] * 1e9 / (double)sums->window);
		report_cell(table, "%.2f", cmd_percent(c->idle_early[i], c->idle_entries[i]));
	}
	print(table, format);
	table = report_table_new("<cache lines moved,a second");
	for (int i = MACHINE_SAME_CORE; i < MACHINE_NR_LEVELS; i++) {
		report_cell(table, "%s", machine_level_name(i));
		report_cell(table, "%.0f", (double)c->lines[i] * 1e9 / (double)sums->window);
	}
	report_cell(table, "memory");
	report_cell(table, "%.0f", (double)c->memory_lines * 1e9 / (double)sums->window);
	print(table, format);
}

static void print_wait(const struct cmd_result *result)
{
	printf("run-queue wait: p50 %.1f us, p99 %.1f us, max %.1f us (%" PRIu64 " times)\n",
	       (double)stats_hist_quantile(result->wait, 500000) / 1000,
	       (double)stats_hist_quantile(result->wait, 990000) / 1000,
	       (double)stats_hist_max(result->wait) / 1000, stats_hist_count(result->wait));
}

/* Runs of a metric beside each other, where there are several. */
static void print_spread(const struct cmd_result *results, size_t runs, enum cmd_format format)
{
	struct report_table *table = report_table_new("<metric,mean,least,most,<unit,runs");

	for (uint32_t m = 0; table && m < results[0].nr_metrics; m++) {
		double sum = 0, least = 0, most = 0;

		for (size_t i = 0; i < runs; i++) {
			double v = cmd_metric_value(&results[i].metrics[m], results[i].window);

			sum += v;
			least = !i || v < least ? v : least;
			most = !i || v > most ? v : most;
		}
		report_cell(table, "%s", results[0].metrics[m].what->name);
		report_cell(table, "%.2f", sum / (double)runs);
		report_cell(table, "%.2f", least);
		report_cell(table, "%.2f", most);
		report_cell(table, "%s", results[0].metrics[m].what->unit);
		report_cell(table, "%zu", runs);
	}
	print(table, format);
}

static void print_variant(const struct cmd_simulation *sim, const struct cmd_result *results,
			  enum cmd_format format)
{
	struct sums sums = { .runs = 0 };

	for (uint32_t i = 0; i < sim->runs; i++)
		add(&sums, &results[i]);
	printf("%s%s on %s, card %s, HZ=%u, seed %" PRIu64 "\nload", format == CMD_MARKDOWN ? "## " : "",
	       results[0].variant->name, sim->machine->name, sim->costs->card,
	       sim->config.kernel.hz, sim->config.seed);
	for (uint32_t i = 0; i < sim->nr_loads; i++)
		printf(" %s", sim->load_specs[i]);
	printf("; %u run%s of %.3f s after %.3f s\n\n", sim->runs, sim->runs > 1 ? "s" : "",
	       (double)sums.window / (double)sim->runs / 1e9, (double)sim->config.warmup / 1e9);
	if (sim->runs > 1)
		print_spread(results, sim->runs, format);
	else
		print_metrics(&results[0], format);
	print_wakes(&sums, format);
	print_moves(&sums, format);
	print_time(sim, &sums, format);
	if (sim->runs == 1)
		print_wait(&results[0]);
}

static int run(struct cmd_simulation *sim, int argc, char **argv, enum cmd_format format,
	       const char *out)
{
	struct cmd_result *results = NULL;
	size_t nr = 0;
	int status = cmd_simulate(sim, &results, &nr), ret;

	if (status)
		return status;
	ret = out ? cmd_runs_write(sim, argc, argv, results, nr, out) : 0;
	if (ret) {
		cmd_error("sim", out, strerror(-ret));
		status = CMD_FAILED;
	}
	if (format == CMD_JSON && !status)
		status = cmd_runs_print(sim, argc, argv, results, nr, stdout) ? CMD_FAILED : 0;
	for (size_t i = 0; i < sim->nr_variants && format != CMD_JSON && !status; i++)
		print_variant(sim, &results[i * sim->runs], format);
	cmd_results_free(results, nr);
	return cmd_finish("sim", status);
}

int cmd_sim(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_SIMULATION_LONG,
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "trace", required_argument, NULL, 't' },
		{ 0 },
	};
	enum cmd_format format = CMD_TEXT;
	struct cmd_simulation sim;
	const char *out = NULL, *trace = NULL;
	int c, status = 0;

	cmd_simulation_init(&sim, argv[0]);
	opterr = 0;
	while (!status &&
	       (c = getopt_long(argc, argv, CMD_SIMULATION_SHORT "o:", options, NULL)) != -1) {
		if (c == '?')
			status = cmd_bad_option(argv[0], argv);
		else if (c == 'f')
			status = cmd_format(argv[0], optarg, &format) ? cmd_usage(argv[0]) : 0;
		else if (c == 'o')
			out = optarg;
		else if (c == 't')
			trace = optarg;
		else
			status = cmd_simulation_option(&sim, c, optarg);
	}
	if (!status)
		status = cmd_simulation_load(&sim, argc - optind, argv + optind, 1, SIZE_MAX);
	if (!status && trace && (sim.nr_variants > 1 || sim.runs > 1))
		status = cmd_misused(argv[0], "--trace is of one run of one variant");
	if (!status && trace)
		status = cmd_trace_begin(&sim, trace);
	if (!status)
		status = run(&sim, argc, argv, format, out);
	if (trace)
		status = cmd_trace_end(&sim, status);
	cmd_simulation_free(&sim);
	return status;
}
