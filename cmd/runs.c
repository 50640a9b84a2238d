// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw results as JSON Lines: a header record, then a record a run, integers only.
 * Everything after the header depends on nothing but what was simulated.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/simulate.h"
#include "report/file.h"

#define SCHEMA "wakelab-runs 1"

/* A count, or nr of them side by side. */
static const struct {
	const char *name;
	size_t offset, nr;
} counts[] = {
#define ONE(field) { #field, offsetof(struct sim_counts, field), 1 }
#define MANY(field) { #field, offsetof(struct sim_counts, field), \
		      sizeof(((struct sim_counts *)0)->field) / sizeof(uint64_t) }
	ONE(wakes), ONE(sync_wakes), ONE(unneeded), MANY(wakes_by_reason),
	MANY(wakes_by_affine), MANY(wakes_by_distance), MANY(wakes_by_waker), MANY(landings),
	ONE(probes), ONE(select_ns), MANY(migrations), MANY(migrations_by_distance),
	ONE(switches), ONE(preemptions), ONE(ipis), ONE(no_ipis), ONE(ticks), ONE(timers),
	ONE(softirqs), ONE(balance_calls), ONE(balance_pulls), ONE(active_balances),
	ONE(nohz_kicks), ONE(newidle_calls), ONE(newidle_skipped), ONE(newidle_pulls),
	MANY(idle_entries), MANY(idle_ns), MANY(idle_early), MANY(lines), ONE(memory_lines),
	ONE(run_ns), ONE(wait_ns), ONE(sleep_ns), ONE(busy_ns), ONE(cpu_ns), ONE(irq_ns),
	ONE(handlers), ONE(records),
};

static json_t *counts_json(const struct sim_counts *from)
{
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const uint64_t *value = (const void *)((const char *)from + counts[i].offset);
		json_t *array;

		if (counts[i].nr == 1) {
			json_object_set_new(all, counts[i].name, json_integer((json_int_t)*value));
			continue;
		}
		array = json_array();
		for (size_t n = 0; n < counts[i].nr; n++)
			json_array_append_new(array, json_integer((json_int_t)value[n]));
		json_object_set_new(all, counts[i].name, array);
	}
	return all;
}

static json_t *hist_json(const struct stats_hist *hist, const struct work_metric *what)
{
	json_t *all = json_object(), *percentiles = json_array();

	json_object_set_new(all, "samples", json_integer((json_int_t)stats_hist_count(hist)));
	json_object_set_new(all, "sum_ns", json_integer((json_int_t)stats_hist_sum(hist)));
	json_object_set_new(all, "max_ns", json_integer((json_int_t)stats_hist_max(hist)));
	for (uint32_t i = 0; what && i < what->nr_percentiles; i++) {
		json_t *pair = json_array();

		json_array_append_new(pair, json_integer(what->percentile[i]));
		json_array_append_new(pair, json_integer((json_int_t)
			stats_hist_quantile(hist, what->percentile[i])));
		json_array_append_new(percentiles, pair);
	}
	json_object_set_new(all, "percentiles", percentiles);
	return all;
}

static json_t *metric_json(const struct cmd_simulation *sim, const struct cmd_metric *metric)
{
	json_t *all = json_object();

	json_object_set_new(all, "load", cmd_json_text(sim->load_specs[metric->load]));
	json_object_set_new(all, "name", json_string(metric->what->name));
	json_object_set_new(all, "unit", json_string(metric->what->unit));
	json_object_set_new(all, "kind", json_integer(metric->what->kind));
	json_object_set_new(all, "lower_is_better", json_integer(metric->what->lower_is_better));
	json_object_set_new(all, "count", json_integer((json_int_t)metric->count));
	json_object_set_new(all, "numerator", json_integer((json_int_t)metric->what->numerator));
	json_object_set_new(all, "denominator",
			    json_integer((json_int_t)metric->what->denominator));
	if (metric->hist)
		json_object_set_new(all, "latency", hist_json(metric->hist, metric->what));
	return all;
}

static json_t *run_json(const struct cmd_simulation *sim, const struct cmd_result *result)
{
	json_t *all = json_object(), *metrics = json_array(), *loads = json_array();

	for (uint32_t i = 0; i < sim->nr_loads; i++)
		json_array_append_new(loads, cmd_json_text(sim->load_specs[i]));
	for (uint32_t i = 0; i < result->nr_metrics; i++)
		json_array_append_new(metrics, metric_json(sim, &result->metrics[i]));
	json_object_set_new(all, "record", json_string("run"));
	json_object_set_new(all, "machine", cmd_json_text(sim->machine->name));
	json_object_set_new(all, "card", cmd_json_text(sim->costs->card));
	json_object_set_new(all, "variant", json_string(result->variant->name));
	json_object_set_new(all, "loads", loads);
	json_object_set_new(all, "seed", json_integer((json_int_t)sim->config.seed));
	json_object_set_new(all, "run", json_integer(result->run));
	json_object_set_new(all, "hz", json_integer(sim->config.kernel.hz));
	json_object_set_new(all, "warmup_ns", json_integer((json_int_t)sim->config.warmup));
	json_object_set_new(all, "window_ns", json_integer((json_int_t)result->window));
	json_object_set_new(all, "metrics", metrics);
	json_object_set_new(all, "wait", hist_json(result->wait, NULL));
	json_object_set_new(all, "counts", counts_json(&result->counts));
	return all;
}

static json_t *header_json(int argc, char **argv)
{
	json_t *all = json_object(), *args = json_array();
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	for (int i = 0; i < argc; i++)
		json_array_append_new(args, cmd_json_text(argv[i]));
	json_object_set_new(all, "record", json_string("header"));
	json_object_set_new(all, "schema", json_string(SCHEMA));
	json_object_set_new(all, "version", json_string(WAKELAB_VERSION));
	json_object_set_new(all, "argv", args);
	json_object_set_new(all, "host", cmd_json_text(host));
	json_object_set_new(all, "time", json_integer((json_int_t)time(NULL)));
	return all;
}

static int to_stream(const char *text, size_t len, void *stream)
{
	return fwrite(text, 1, len, stream) == len ? 0 : -1;
}

struct sink {
	struct report_file file;
	int failed;			/* what it said, which jansson forgets */
};

static int to_file(const char *text, size_t len, void *arg)
{
	struct sink *sink = arg;
	uint8_t *to;

	sink->failed = report_file_reserve(&sink->file, len, &to);
	if (sink->failed)
		return -1;
	memcpy(to, text, len);
	sink->file.len += len;
	return 0;
}

static int write_line(json_t *record, json_dump_callback_t write, void *to)
{
	int ret = record && !json_dump_callback(record, write, to, JSON_COMPACT) &&
		  !write("\n", 1, to) ? 0 : -EIO;

	json_decref(record);
	return ret;
}

static int write_runs(const struct cmd_simulation *sim, int argc, char **argv,
		      const struct cmd_result *results, size_t nr, json_dump_callback_t write,
		      void *to)
{
	int ret = write_line(header_json(argc, argv), write, to);

	for (size_t i = 0; i < nr && !ret; i++)
		ret = write_line(run_json(sim, &results[i]), write, to);
	return ret;
}

int cmd_runs_print(const struct cmd_simulation *sim, int argc, char **argv,
		   const struct cmd_result *results, size_t nr, FILE *to)
{
	return write_runs(sim, argc, argv, results, nr, to_stream, to);
}

int cmd_runs_write(const struct cmd_simulation *sim, int argc, char **argv,
		   const struct cmd_result *results, size_t nr, const char *path)
{
	struct sink sink = { .failed = 0 };
	int ret = report_file_create(&sink.file, path);

	if (ret)
		return ret;
	ret = write_runs(sim, argc, argv, results, nr, to_file, &sink);
	return report_file_close(&sink.file, sink.failed ? sink.failed : ret);
}
