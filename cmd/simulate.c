// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/simulate.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "wake/host.h"

#define RUNS_MAX	10000
#define JOBS_MAX	256

void cmd_simulation_init(struct cmd_simulation *sim, const char *cmd)
{
	*sim = (struct cmd_simulation){
		.cmd = cmd,
		.time = UINT64_MAX,
		.warmup = UINT64_MAX,
		.runs = 1,
		.jobs = 1,
		.config = {
			.kernel = { .autogroup = 1, .wakeup_preemption = 1 },
			.vcpu = { .lpar = UINT32_MAX },
			.seed = 1,
		},
	};
}

static int number(const struct cmd_simulation *sim, const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *out <= max)
		return 0;
	fprintf(stderr, "wakelab %s: %s: expected a number up to %llu\n", sim->cmd, text,
		(unsigned long long)max);
	return cmd_usage(sim->cmd);
}

static int small_number(const struct cmd_simulation *sim, const char *text, uint32_t min,
			uint32_t max, uint32_t *out)
{
	uint64_t value;
	int status = number(sim, text, max, &value);

	if (status)
		return status;
	if (value < min) {
		fprintf(stderr, "wakelab %s: %s: expected at least %u\n", sim->cmd, text, min);
		return cmd_usage(sim->cmd);
	}
	*out = (uint32_t)value;
	return 0;
}

int cmd_parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "", 1 } };
	char *end;
	uint64_t value;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !errno; i++) {
		if (!strcmp(end, units[i].name) && value <= WORK_TIME_MAX / units[i].ns) {
			*ns = value * units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

static int duration(const struct cmd_simulation *sim, const char *text, uint64_t *ns)
{
	if (!cmd_parse_time(text, ns))
		return 0;
	fprintf(stderr, "wakelab %s: %s: expected a time as 1s, 250ms or 10us\n", sim->cmd, text);
	return cmd_usage(sim->cmd);
}

static int lpar(struct cmd_simulation *sim, const char *text)
{
	if (!strcmp(text, "none"))
		sim->config.vcpu.lpar = 0;
	else if (!strcmp(text, "dedicated"))
		sim->config.vcpu.lpar = WAKE_LPAR;
	else if (!strcmp(text, "shared"))
		sim->config.vcpu.lpar = WAKE_LPAR | WAKE_LPAR_SHARED;
	else
		return cmd_misused(sim->cmd, "--lpar is none, dedicated or shared");
	return 0;
}

static int add_load(struct cmd_simulation *sim, const char *spec)
{
	const char **more = reallocarray(sim->load_specs, sim->nr_loads + 1, sizeof(*more));

	if (!more)
		return CMD_FAILED;
	more[sim->nr_loads++] = spec;
	sim->load_specs = more;
	return 0;
}

int cmd_simulation_option(struct cmd_simulation *sim, int option, const char *value)
{
	switch (option) {
	case 'm':
		sim->machine_path = value;
		return 0;
	case 'w':
		return add_load(sim, value);
	case 'j':
		return small_number(sim, value, 1, JOBS_MAX, &sim->jobs);
	case 1000:
		sim->card = value;
		return 0;
	case 1001:
		sim->cpus_text = value;
		return 0;
	case 1002:
		return number(sim, value, UINT64_MAX, &sim->config.seed);
	case 1003:
		return small_number(sim, value, 1, RUNS_MAX, &sim->runs);
	case 1004:
		return duration(sim, value, &sim->time);
	case 1005:
		return duration(sim, value, &sim->warmup);
	case 1006:
		return small_number(sim, value, 100, 1000, &sim->config.kernel.hz);
	case 1007:
		sim->config.kernel.preempt = 1;
		return 0;
	case 1008:
		sim->config.kernel.autogroup = 0;
		return 0;
	case 1009:
		sim->config.kernel.wakeup_preemption = 0;
		return 0;
	case 1010:
		sim->config.kernel.no_balance = 1;
		return 0;
	default:
		return lpar(sim, value);
	}
}

static int load_cpus(struct cmd_simulation *sim)
{
	if (!sim->cpus_text)
		return 0;
	sim->cpus = hwloc_bitmap_alloc();
	if (!sim->cpus)
		return CMD_FAILED;
	if (machine_parse_list(sim->cpus_text, strlen(sim->cpus_text), sim->cpus) ||
	    hwloc_bitmap_iszero(sim->cpus)) {
		cmd_error(sim->cmd, sim->cpus_text, "expected CPUs as 0-3,8");
		return CMD_USAGE;
	}
	if (!hwloc_bitmap_isincluded(sim->cpus, sim->machine->online)) {
		cmd_error(sim->cmd, sim->cpus_text, "not all of these CPUs are online");
		return CMD_FAILED;
	}
	sim->config.cpus = sim->cpus;
	return 0;
}

/* The CPUs that loads may use, with their nodes. */
static int load_loads(struct cmd_simulation *sim)
{
	const struct machine *m = sim->machine;
	hwloc_const_bitmap_t allowed = sim->cpus ? sim->cpus : m->online;
	uint16_t *cpus = calloc(2ul * m->nr_cpu_ids, sizeof(*cpus)), *node = cpus + m->nr_cpu_ids;
	struct work_machine machine = { .cpus = cpus, .node = node };
	struct work_error err;
	unsigned cpu;
	int ret = 0;

	sim->loads = calloc(sim->nr_loads, sizeof(*sim->loads));
	if (!cpus || !sim->loads) {
		free(cpus);
		return CMD_FAILED;
	}
	hwloc_bitmap_foreach_begin(cpu, allowed)
		if (!hwloc_bitmap_isset(m->isolated, cpu) || sim->cpus) {
			cpus[machine.nr] = (uint16_t)cpu;
			node[machine.nr++] = (uint16_t)(m->cpus[cpu].node < 0 ? 0 :
							m->cpus[cpu].node);
		}
	hwloc_bitmap_foreach_end();
	for (uint32_t i = 0; i < sim->nr_loads && !ret; i++) {
		ret = workload_load(sim->load_specs[i], &machine, &sim->loads[i], &err);
		if (ret)
			cmd_error(sim->cmd, err.place, err.text);
	}
	free(cpus);
	return ret ? CMD_FAILED : 0;
}

/* The longest time that a load asks for holds, unless the user says otherwise. */
static void finish_config(struct cmd_simulation *sim)
{
	struct sim_config *config = &sim->config;

	config->machine = sim->machine;
	config->costs = sim->costs;
	config->loads = (const struct workload *const *)sim->loads;
	config->nr_loads = sim->nr_loads;
	for (uint32_t i = 0; i < sim->nr_loads; i++) {
		if (config->time < sim->loads[i]->time)
			config->time = sim->loads[i]->time;
		if (config->warmup < sim->loads[i]->warmup)
			config->warmup = sim->loads[i]->warmup;
	}
	if (sim->time != UINT64_MAX)
		config->time = sim->time;
	if (sim->warmup != UINT64_MAX)
		config->warmup = sim->warmup;
	if (!config->kernel.hz)
		config->kernel.hz = sim->costs->hz;
	if (config->vcpu.lpar == UINT32_MAX) {
		config->vcpu.lpar = 0;
		for (unsigned i = 0; i < sim->costs->nr_idle; i++) {
			if (sim->costs->idle[i].kind == MACHINE_IDLE_CEDE)
				config->vcpu.lpar = WAKE_LPAR;
		}
	}
}

static int load_variants(struct cmd_simulation *sim, int argc, char **argv, size_t min,
			 size_t max)
{
	struct cmd_records records = { 0 };
	int status;

	if ((size_t)argc < min)
		return cmd_misused(sim->cmd, "which variant? As v5.17 or v6.1+cluster-scan=v2");
	if ((size_t)argc > max)
		return cmd_misused(sim->cmd, "one variant at the most");
	status = cmd_variants_of(sim->cmd, argc, argv, &records);
	sim->variants = records.variants;
	sim->nr_variants = records.nr_variants;
	return status;
}

int cmd_simulation_load(struct cmd_simulation *sim, int argc, char **argv, size_t min, size_t max)
{
	struct machine_error err;
	int status;

	if (!sim->machine_path)
		return cmd_misused(sim->cmd, "which machine? -m kunpeng920, a file, self");
	if (!sim->nr_loads)
		return cmd_misused(sim->cmd, "which load? -w pipe, -w schbench:threads=4, a file");
	status = load_variants(sim, argc, argv, min, max);
	if (status)
		return status;
	if (machine_load(sim->machine_path, &sim->machine, &err) ||
	    machine_costs(sim->machine, sim->card, &sim->costs, &err)) {
		cmd_error(sim->cmd, err.place, err.text);
		return CMD_FAILED;
	}
	status = load_cpus(sim);
	if (!status)
		status = load_loads(sim);
	if (!status)
		finish_config(sim);
	return status;
}

void cmd_simulation_free(struct cmd_simulation *sim)
{
	for (uint32_t i = 0; sim->loads && i < sim->nr_loads; i++)
		workload_free(sim->loads[i]);
	free(sim->loads);
	free(sim->load_specs);
	free(sim->variants);
	machine_costs_free(sim->costs);
	machine_free(sim->machine);
	hwloc_bitmap_free(sim->cpus);
}

double cmd_metric_value(const struct cmd_metric *metric, uint64_t window)
{
	const struct work_metric *what = metric->what;
	double value = (double)metric->count;

	if (what->kind == WORK_RATE)
		value = window ? value * 1e9 / (double)window : 0;
	if (what->kind == WORK_LATENCY && what->star < what->nr_percentiles)
		value = (double)stats_hist_quantile(metric->hist, what->percentile[what->star]);
	else if (what->kind == WORK_LATENCY)
		value = stats_hist_count(metric->hist) ?
			(double)stats_hist_sum(metric->hist) /
			(double)stats_hist_count(metric->hist) : 0;
	return value * (double)what->numerator / (double)what->denominator;
}

static int keep_metric(const struct sim *s, uint32_t load, uint32_t i, struct cmd_metric *out)
{
	const struct stats_hist *hist = sim_metric_hist(s, load, i);

	out->load = load;
	out->count = sim_metric(s, load, i);
	if (!hist)
		return 0;
	out->hist = stats_hist_new(out->what->bucket, out->what->bits);
	if (!out->hist)
		return -ENOMEM;
	stats_hist_merge(out->hist, hist);
	return 0;
}

static int keep(const struct cmd_simulation *sim, const struct sim *s, struct cmd_result *out)
{
	uint32_t nr = 0;

	for (uint32_t l = 0; l < sim->nr_loads; l++)
		nr += sim->loads[l]->nr_metrics;
	out->window = sim_window(s);
	out->counts = *sim_counts(s);
	out->metrics = calloc(nr ? nr : 1, sizeof(*out->metrics));
	out->wait = stats_hist_new(1, 8);
	if (!out->metrics || !out->wait)
		return -ENOMEM;
	stats_hist_merge(out->wait, sim_wait_hist(s));
	for (uint32_t l = 0; l < sim->nr_loads; l++) {
		for (uint32_t i = 0; i < sim->loads[l]->nr_metrics; i++) {
			struct cmd_metric *metric = &out->metrics[out->nr_metrics++];

			metric->what = &sim->loads[l]->metrics[i];
			if (keep_metric(s, l, i, metric))
				return -ENOMEM;
		}
	}
	return 0;
}

struct pool {
	struct cmd_simulation *sim;
	struct cmd_result *results;
	size_t nr;
	atomic_size_t next;
	atomic_int status;
	pthread_mutex_t say;
};

static int run_one(struct cmd_simulation *sim, struct cmd_result *result, struct sim_error *err)
{
	struct sim_config config = sim->config;
	struct sim *s = NULL;
	int ret;

	config.variant = result->variant;
	config.run = result->run;
	ret = sim_create(&config, &s, err);
	if (!ret && sim->begin)
		ret = sim->begin(sim, s);
	if (!ret)
		ret = sim_run(s, err);
	if (!ret && keep(sim, s, result)) {
		snprintf(err->text, sizeof(err->text), "not enough memory");
		ret = -ENOMEM;
	}
	sim_free(s);
	return ret;
}

static void *work(void *arg)
{
	struct pool *pool = arg;
	size_t i;

	while ((i = atomic_fetch_add(&pool->next, 1)) < pool->nr) {
		struct sim_error err = { "" };
		int ret = run_one(pool->sim, &pool->results[i], &err);

		if (!ret)
			continue;
		pthread_mutex_lock(&pool->say);
		if (!atomic_exchange(&pool->status,
				     ret == -EOPNOTSUPP ? CMD_CANNOT : CMD_FAILED))
			cmd_error(pool->sim->cmd, pool->results[i].variant->name, err.text);
		pthread_mutex_unlock(&pool->say);
		atomic_store(&pool->next, pool->nr);
	}
	return NULL;
}

static int run_pool(struct pool *pool)
{
	pthread_t threads[JOBS_MAX];
	uint32_t nr = 0;

	while (nr + 1 < pool->sim->jobs && nr + 1 < pool->nr &&
	       !pthread_create(&threads[nr], NULL, work, pool))
		nr++;
	work(pool);
	while (nr)
		pthread_join(threads[--nr], NULL);
	return atomic_load(&pool->status);
}

int cmd_simulate(struct cmd_simulation *sim, struct cmd_result **out, size_t *nr)
{
	struct pool pool = { .sim = sim, .nr = sim->nr_variants * sim->runs };
	int status;

	pool.results = calloc(pool.nr, sizeof(*pool.results));
	if (!pool.results)
		return CMD_FAILED;
	for (size_t i = 0; i < pool.nr; i++) {
		pool.results[i].variant = &sim->variants[i / sim->runs];
		pool.results[i].run = (uint32_t)(i % sim->runs);
	}
	pthread_mutex_init(&pool.say, NULL);
	status = run_pool(&pool);
	pthread_mutex_destroy(&pool.say);
	if (status) {
		cmd_results_free(pool.results, pool.nr);
		return status;
	}
	*out = pool.results;
	*nr = pool.nr;
	return 0;
}

void cmd_results_free(struct cmd_result *results, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (uint32_t m = 0; m < results[i].nr_metrics; m++)
			stats_hist_free(results[i].metrics[m].hist);
		free(results[i].metrics);
		stats_hist_free(results[i].wait);
	}
	free(results);
}
