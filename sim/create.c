// SPDX-License-Identifier: GPL-2.0-only
/* Builds a simulation: the machine, its costs in ns, its run queues; nothing runs yet. */
#include "sim/balance.h"
#include "sim/irq.h"
#include "sim/load.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LOG_NOTES_MAX	4096

int sim_fail(struct sim_error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

void *sim_alloc(struct sim *s, size_t nr, size_t size)
{
	size_t bytes = nr * size;
	void *p = NULL;

	if (posix_memalign(&p, 64, bytes ? bytes : 1))
		return NULL;
	s->bytes += bytes;
	return memset(p, 0, bytes);
}

static uint32_t ns(const struct machine_cost *cost)
{
	return (uint32_t)((cost->value + 500) / 1000);
}

/* Of a core with n busy threads, each thread's speed. */
static uint32_t speed(const struct machine_costs *c, uint32_t n)
{
	const struct machine_cost *cost = n <= 2 ? &c->smt_2 : n <= 4 ? &c->smt_4 : &c->smt_8;

	return n <= 1 ? SIM_FULL_SPEED : (uint32_t)(SIM_FULL_SPEED * cost->value / 100 / n);
}

static void channel_costs(struct sim_costs *to, const struct machine_costs *c)
{
	const struct machine_cost *send[] = { &c->pipe_send, &c->unix_send, &c->tcp_send,
					      &c->udp_send };
	const struct machine_cost *recv[] = { &c->pipe_recv, &c->unix_recv, &c->tcp_recv,
					      &c->udp_recv };
	const struct machine_cost *lines[] = { &c->pipe_lines, &c->unix_lines, &c->tcp_lines,
					       &c->udp_lines };

	for (uint32_t kind = 0; kind < WORK_NR_CHANNELS; kind++) {
		to->send[kind] = ns(send[kind]);
		to->recv[kind] = ns(recv[kind]);
		to->lines[kind] = (uint32_t)lines[kind]->value;
	}
	to->rx[WORK_TCP] = ns(&c->tcp_rx);
	to->rx[WORK_UDP] = ns(&c->udp_rx);
}

static void fill_costs(struct sim_costs *to, const struct machine_costs *c)
{
	to->fill[MACHINE_SAME_LLC] = (uint32_t)c->fill_llc.value;
	to->fill[MACHINE_SAME_PACKAGE] = (uint32_t)c->fill_package.value;
	to->fill[MACHINE_REMOTE] = (uint32_t)c->fill_remote.value;
	to->fill_memory = (uint32_t)c->fill_memory.value;
	to->fill_memory_remote = (uint32_t)c->fill_memory_remote.value;
	to->memory_remote = (uint32_t)c->memory_remote.value;
	to->copy = (uint32_t)c->copy.value;
}

static void take_costs(struct sim *s, const struct machine_costs *c)
{
	s->cost = (struct sim_costs){
		.syscall = ns(&c->syscall), .schedule = ns(&c->schedule),
		.context_switch = ns(&c->context_switch),
		.context_switch_mm = ns(&c->context_switch_mm),
		.wake = ns(&c->wake), .probe = ns(&c->probe), .enqueue = ns(&c->enqueue),
		.irq = ns(&c->irq), .softirq = ns(&c->softirq), .tick = ns(&c->tick),
		.timer = ns(&c->timer), .timer_set = ns(&c->timer_set),
		.timer_slack = ns(&c->timer_slack), .balance = ns(&c->balance),
		.fork = ns(&c->fork), .futex_wake = ns(&c->futex_wake),
		.futex_wait = ns(&c->futex_wait), .ipi_send = ns(&c->ipi_send),
		.ipi = ns(&c->ipi), .ipi_remote = ns(&c->ipi_remote),
		.wake_lines = (uint32_t)c->wake_lines.value,
		.switch_lines = (uint32_t)c->switch_lines.value,
		.futex_lines = (uint32_t)c->futex_lines.value,
		.speed_spin = (uint32_t)(SIM_FULL_SPEED * c->smt_spin.value / 100),
	};
	for (uint32_t n = 0; n <= WAKE_SMT_MAX; n++)
		s->cost.speed[n] = speed(c, n);
	channel_costs(&s->cost, c);
	fill_costs(&s->cost, c);
	s->fabric.hot[MACHINE_SAME_CORE] = ns(&c->line_core);
	s->fabric.hot[MACHINE_SAME_CLUSTER] = ns(&c->line_cluster);
	s->fabric.hot[MACHINE_SAME_LLC] = ns(&c->line_llc);
	s->fabric.hot[MACHINE_SAME_PACKAGE] = ns(&c->line_package);
	s->fabric.hot[MACHINE_REMOTE] = ns(&c->line_remote);
	s->fabric.fetch[MACHINE_SAME_CORE] = (uint32_t)c->fetch_core.value;
	s->fabric.fetch[MACHINE_SAME_CLUSTER] = (uint32_t)c->fetch_cluster.value;
	s->fabric.fetch[MACHINE_SAME_LLC] = (uint32_t)c->fetch_llc.value;
	s->fabric.fetch[MACHINE_SAME_PACKAGE] = (uint32_t)c->fetch_package.value;
	s->fabric.fetch[MACHINE_REMOTE] = (uint32_t)c->fetch_remote.value;
	s->fabric.home = ns(&c->line_home);
	s->fabric.memory = ns(&c->fill_memory);
	s->nr_idle_states = c->nr_idle;
	for (uint32_t i = 0; i < c->nr_idle; i++)
		s->idle_states[i] = (struct sim_idle_state){
			.kind = (uint8_t)c->idle[i].kind,
			.exit = ns(&c->idle[i].exit),
			.residency = c->idle[i].residency.value / 1000,
		};
}

/* Each LLC has a bit; where there are more than 64, neighbours share one. */
static int number_llcs(struct sim *s)
{
	uint32_t nr = 0, *number = calloc(UINT16_MAX + 1, sizeof(*number));

	s->llc_bit = sim_alloc(s, s->nr_cpus, sizeof(*s->llc_bit));
	s->llc_cpu = sim_alloc(s, 64, sizeof(*s->llc_cpu));
	s->llc_filled = sim_alloc(s, 64, sizeof(*s->llc_filled));
	s->llc_size = sim_alloc(s, 64, sizeof(*s->llc_size));
	if (!number || !s->llc_bit || !s->llc_cpu || !s->llc_filled || !s->llc_size) {
		free(number);
		return -ENOMEM;
	}
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (!number[s->places[cpu].llc])
			number[s->places[cpu].llc] = ++nr;
	}
	for (uint32_t cpu = s->nr_cpus; cpu--;) {
		uint32_t n = number[s->places[cpu].llc] - 1;

		s->llc_bit[cpu] = (uint8_t)(nr > 64 ? (uint64_t)n * 64 / nr : n);
		s->llc_cpu[s->llc_bit[cpu]] = (uint16_t)cpu;
	}
	free(number);
	s->fabric.places = s->places;
	s->fabric.llc_bit = s->llc_bit;
	s->fabric.llc_cpu = s->llc_cpu;
	return 0;
}

/* Lines of the private cache nearest to memory, and of the LLC; 0 known: nothing fits. */
static int size_caches(struct sim *s)
{
	const struct machine *m = s->config.machine;

	s->core_lines = sim_alloc(s, s->nr_cpus, sizeof(*s->core_lines));
	if (!s->core_lines)
		return -ENOMEM;
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		const struct machine_cpu *cpu = &m->cpus[id];

		for (unsigned i = 0; i < cpu->nr_caches; i++) {
			const struct machine_cache *cache = &cpu->caches[i];
			uint64_t lines = cache->size / 64;

			if (cache->type == 'I')
				continue;
			if (hwloc_bitmap_isincluded(cache->cpus, cpu->smt))
				s->core_lines[id] = lines;
			else if (lines > s->llc_size[s->llc_bit[id]])
				s->llc_size[s->llc_bit[id]] = lines;
		}
	}
	return 0;
}

static int make_cpus(struct sim *s)
{
	s->cpus = sim_alloc(s, s->nr_cpus, sizeof(*s->cpus));
	s->lines = sim_alloc(s, s->nr_cpus, sizeof(*s->lines));
	s->idle_tasks = sim_alloc(s, s->nr_cpus, sizeof(*s->idle_tasks));
	s->llc_lines = sim_alloc(s, s->topo->nr_spans, sizeof(*s->llc_lines));
	if (!s->cpus || !s->lines || !s->idle_tasks || !s->llc_lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->topo->nr_spans; i++) {
		sim_line_init(&s->llc_lines[i].hints);
		sim_line_init(&s->llc_lines[i].icpus);
		sim_line_init(&s->llc_lines[i].idle_cpus);
	}
	for (uint32_t id = 0; id < s->nr_cpus; id++) {
		struct sim_cpu *cpu = &s->cpus[id];

		sim_line_init(&s->lines[id].rq);
		sim_line_init(&s->lines[id].load);
		s->idle_tasks[id].wake.id = (1ull << 32) + id;
		s->idle_tasks[id].nr_allowed = 1;
		cpu->id = id;
		cpu->activity = SIM_ACT_OFFLINE;
		cpu->curr = cpu->prev = SIM_NO_TASK;
		cpu->wake_list = cpu->expired = cpu->waking = SIM_NO_TASK;
		cpu->push_cpu = SIM_NO_CPU;
		cpu->max_idle_balance_cost = 500000;
		s->state->rq[id].avg_idle = 2 * cpu->max_idle_balance_cost;
		cpu->tick_phase = sim_below(sim_random(s->key, id, SIM_RANDOM_TICK, 0), s->tick_ns);
	}
	return 0;
}

static int make_queues(struct sim *s)
{
	uint16_t *capacity = calloc(s->nr_cpus, sizeof(*capacity));
	struct fair_params params;
	uint32_t online = 0;
	int ret;

	if (!capacity)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
		capacity[cpu] = s->topo->cpus[cpu].capacity;
		online += s->topo->cpus[cpu].active;
	}
	fair_params_of(s->config.variant->version, online, &params);
	params.wakeup_preemption = s->config.kernel.wakeup_preemption;
	s->ops = &fair_cfs;
	ret = fair_system_create(s->nr_cpus, capacity, &params, &s->fair, &s->rqs);
	free(capacity);
	return ret;
}

static int check_config(const struct sim_config *config, struct sim_error *err)
{
	const struct wake_version *version = config->variant->version;

	if (version->major > 6 || (version->major == 6 && version->minor >= 6))
		return sim_fail(err, -EOPNOTSUPP,
				"%s orders tasks by EEVDF, which is not modelled yet; "
				"v5.4 to v6.5 are", version->name);
	if (config->kernel.hz < 100 || config->kernel.hz > 1000)
		return sim_fail(err, -EINVAL, "HZ is 100 to 1000, not %u", config->kernel.hz);
	if (config->vcpu.window && config->vcpu.share >= config->vcpu.window)
		return sim_fail(err, -EINVAL, "a vCPU's share is less than its window");
	if (config->warmup > SIM_TIME_MAX / 2 || config->time > SIM_TIME_MAX / 2)
		return sim_fail(err, -EINVAL, "warm-up and time are at most %llu s each",
				SIM_TIME_MAX / 2 / 1000000000);
	if (!config->costs->nr_idle)
		return sim_fail(err, -EINVAL, "the card has no idle state");
	return 0;
}

static int make_topology(struct sim *s, struct machine_domains **domains, struct sim_error *err)
{
	const struct wake_version *version = s->config.variant->version;
	struct machine_kernel kernel = { version->major, version->minor, true };
	struct machine_error reason = { { 0 }, { 0 } };
	int ret = machine_domains_derive(s->config.machine, &kernel, domains, &reason);

	if (!ret)
		ret = sched_topology_create(s->config.machine, &kernel, &s->topo, &reason);
	if (ret)
		return sim_fail(err, ret, "%s", reason.text);
	s->nr_cpus = s->topo->nr_cpus;
	s->places = machine_places(s->config.machine);
	return s->places ? 0 : -ENOMEM;
}

static int make(struct sim *s, struct sim_error *err)
{
	const struct wake_version *version = s->config.variant->version;
	struct machine_domains *domains = NULL;
	int ret = make_topology(s, &domains, err);

	s->tick_ns = 1000000000 / s->config.kernel.hz;
	s->jiffies_offset = sim_below(sim_random(s->key, 0, SIM_RANDOM_BOOT, 0),
				      1000000 * s->tick_ns) + 1000000 * s->tick_ns;
	s->rules = &s->config.variant->rules;
	s->pending_late = version->major > 6 || (version->major == 6 && version->minor >= 2);
	if (!ret)
		ret = sched_state_create(s->topo, s->config.kernel.hz, &s->state);
	if (!ret) {
		s->state->lpar = s->config.vcpu.lpar;
		take_costs(s, s->config.costs);
		ret = number_llcs(s);
	}
	ret = ret ? ret : size_caches(s);
	ret = ret ? ret : make_cpus(s);
	ret = ret ? ret : make_queues(s);
	ret = ret ? ret : sim_loads_create(s, err);
	ret = ret ? ret : sim_balance_create(s, domains, err);
	ret = ret ? ret : sim_events_create(&s->events, SIM_SLOTS_PER_CPU * s->nr_cpus +
					    s->nr_tasks);
	machine_domains_free(domains);
	return ret;
}

int sim_create(const struct sim_config *config, struct sim **out, struct sim_error *err)
{
	struct sim *s;
	int ret = check_config(config, err);

	if (ret)
		return ret;
	if (err)
		err->text[0] = 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->config = *config;
	s->key = sim_random_key(config->seed, config->run);
	s->wait_hist = stats_hist_new(1, 8);
	s->log = calloc(1, sizeof(*s->log));
	ret = s->wait_hist && s->log ? make(s, err) : -ENOMEM;
	if (!ret) {
		s->log->max = LOG_NOTES_MAX;
		s->log->notes = calloc(LOG_NOTES_MAX, sizeof(*s->log->notes));
		ret = s->log->notes ? 0 : -ENOMEM;
	}
	if (ret) {
		sim_free(s);
		return ret == -ENOMEM ? sim_fail(err, ret, "not enough memory") : ret;
	}
	sim_start(s);
	*out = s;
	return 0;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	sim_balance_free(s);
	sim_loads_free(s);
	fair_system_free(s->fair);
	sim_events_free(&s->events);
	sched_state_free(s->state);
	sched_topology_free(s->topo);
	stats_hist_free(s->wait_hist);
	if (s->log)
		free(s->log->notes);
	free(s->log);
	free(s->cpus);
	free(s->lines);
	free(s->llc_lines);
	free(s->idle_tasks);
	free(s->places);
	free(s->llc_bit);
	free(s->llc_cpu);
	free(s->llc_filled);
	free(s->llc_size);
	free(s->core_lines);
	free(s);
}
