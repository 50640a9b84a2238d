// SPDX-License-Identifier: GPL-2.0-only
#include "tests/sim_scene.h"

#include <stdlib.h>
#include <string.h>

static void set(struct machine_cost *cost, uint64_t value)
{
	cost->value = cost->low = cost->high = value;
}

void scene_begin(struct scene *scene, const char *machine, const char *variant)
{
	struct sched_variant_error bad;
	struct machine_error err;

	memset(scene, 0, sizeof(*scene));
	if (machine_load_text("scene", machine, strlen(machine), &scene->machine, &err))
		fail_msg("%s: %s", err.place, err.text);
	if (sched_variant_parse(variant, &scene->variant, &bad))
		fail_msg("%s", bad.text);
	scene->costs.nr_idle = 1;
	strcpy(scene->costs.idle[0].name, "HALT");
	scene->costs.idle[0].kind = MACHINE_IDLE_HALT;
	scene->costs.hz = 250;
	set(&scene->costs.smt_2, 200);
	set(&scene->costs.smt_4, 400);
	set(&scene->costs.smt_8, 800);
	set(&scene->costs.smt_spin, 100);
	set(&scene->costs.memory_remote, 100);
	scene->config = (struct sim_config){
		.machine = scene->machine,
		.costs = &scene->costs,
		.variant = &scene->variant,
		.loads = scene->loads,
		.nr_loads = 1,
		.kernel = { .hz = 250, .autogroup = 1, .wakeup_preemption = 1 },
		.seed = 1,
	};
}

/* Powers of ten and primes: a sum names its parts. */
void scene_card(struct scene *scene)
{
	struct machine_costs *c = &scene->costs;

	set(&c->line_core, 2000);
	set(&c->line_cluster, 3000);
	set(&c->line_llc, 7000);
	set(&c->line_package, 31000);
	set(&c->line_remote, 61000);
	set(&c->fetch_core, 1000);
	set(&c->fetch_cluster, 2000);
	set(&c->fetch_llc, 5000);
	set(&c->fetch_package, 17000);
	set(&c->fetch_remote, 41000);
	set(&c->fill_llc, 1000);
	set(&c->fill_package, 3000);
	set(&c->fill_remote, 5000);
	set(&c->fill_memory, 8000);
	set(&c->fill_memory_remote, 13000);
	set(&c->memory_remote, 150);
	set(&c->copy, 1000);
	set(&c->ipi_send, 110000);
	set(&c->ipi, 700000);
	set(&c->ipi_remote, 900000);
	set(&c->syscall, 200000);
	set(&c->schedule, 310000);
	set(&c->context_switch, 1100000);
	set(&c->context_switch_mm, 130000);
	set(&c->wake, 430000);
	set(&c->probe, 5000);
	set(&c->enqueue, 290000);
	set(&c->irq, 190000);
	set(&c->softirq, 170000);
	set(&c->timer, 230000);
	set(&c->timer_set, 70000);
	set(&c->futex_wake, 370000);
	set(&c->futex_wait, 410000);
	set(&c->pipe_send, 530000);
	set(&c->pipe_recv, 590000);
	set(&c->unix_send, 610000);
	set(&c->unix_recv, 670000);
	set(&c->tcp_send, 730000);
	set(&c->tcp_rx, 790000);
	set(&c->tcp_recv, 830000);
	set(&c->wake_lines, 8);
	set(&c->switch_lines, 6);
	set(&c->futex_lines, 2);
	set(&c->pipe_lines, 9);
	set(&c->unix_lines, 11);
	set(&c->tcp_lines, 60);
	set(&c->idle[0].exit, 500000);
}

void scene_load(struct scene *scene, const char *text)
{
	uint16_t cpus[64], node[64] = { 0 };
	struct work_machine machine = { .cpus = cpus, .node = node };
	struct work_error err;
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, scene->machine->online)
		cpus[machine.nr++] = (uint16_t)cpu;
	hwloc_bitmap_foreach_end();
	if (workload_load_text("scene", text, strlen(text), "", &machine, &scene->load, &err))
		fail_msg("%s: %s", err.place, err.text);
	scene->loads[0] = scene->load;
}

void scene_create(struct scene *scene, uint64_t warmup, uint64_t time)
{
	struct sim_error err = { "" };

	scene->config.warmup = warmup;
	scene->config.time = time;
	if (sim_create(&scene->config, &scene->s, &err))
		fail_msg("%s", err.text);
}

void scene_run(struct scene *scene, uint64_t warmup, uint64_t time)
{
	struct sim_error err = { "" };

	scene_create(scene, warmup, time);
	if (sim_run(scene->s, &err))
		fail_msg("%s", err.text);
}

void scene_end(struct scene *scene)
{
	sim_free(scene->s);
	workload_free(scene->load);
	machine_free(scene->machine);
}

struct sim_task *scene_task(struct scene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->load->nr_tasks; i++) {
		if (!strcmp(scene->load->tasks[i].name, name))
			return &scene->s->tasks[i];
	}
	fail_msg("no task %s", name);
	return NULL;
}

static uint32_t metric_of(const struct scene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->load->nr_metrics; i++) {
		if (!strcmp(scene->load->metrics[i].name, name))
			return i;
	}
	fail_msg("no metric %s", name);
	return 0;
}

uint64_t scene_metric(const struct scene *scene, const char *name)
{
	return sim_metric(scene->s, 0, metric_of(scene, name));
}

const struct stats_hist *scene_hist(const struct scene *scene, const char *name)
{
	return sim_metric_hist(scene->s, 0, metric_of(scene, name));
}
