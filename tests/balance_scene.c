// SPDX-License-Identifier: GPL-2.0-only
#include "balance_scene.h"

#include "sim/irq.h"

static struct machine_cost cost(uint64_t ns)
{
	return (struct machine_cost){ .value = ns * 1000, .low = ns * 1000, .high = ns * 1000 };
}

static void set_costs(struct machine_costs *c)
{
	memset(c, 0, sizeof(*c));
	c->balance = cost(100);
	c->enqueue = cost(200);
	c->probe = cost(10);
	c->line_core = c->line_cluster = c->line_llc = cost(20);
	c->line_package = c->line_remote = cost(100);
	c->ipi = c->ipi_remote = cost(500);
	c->schedule = cost(300);
	c->context_switch = cost(700);
	c->memory_remote.value = c->smt_2.value = c->smt_4.value = c->smt_8.value = 100;
	c->smt_spin.value = 100;
	c->nr_idle = 2;
	c->idle[0] = (struct machine_idle_state){
		.kind = MACHINE_IDLE_HALT, .exit = cost(1000), .residency = cost(1000) };
	c->idle[1] = (struct machine_idle_state){
		.kind = MACHINE_IDLE_HALT, .exit = cost(20000), .residency = cost(100000) };
}

static void set_work(struct balance_scene *sc)
{
	sc->exit_op = (struct work_op){ .kind = WORK_EXIT, .dist = WORK_NONE };
	sc->program = (struct work_program){ 0, 1 };
	sc->group.shares = 1024;
	for (uint32_t i = 0; i < BALANCE_SCENE_TASKS; i++)
		sc->defs[i] = (struct work_task){ .name = "task", .mask = WORK_NONE };
	sc->work = (struct workload){
		.name = (char *)(uintptr_t)"scene", .nr_ops = 1, .ops = &sc->exit_op,
		.nr_programs = 1, .programs = &sc->program,
		.nr_tasks = BALANCE_SCENE_TASKS, .tasks = sc->defs,
		.nr_groups = 1, .groups = &sc->group, .nr_processes = 1,
	};
	sc->loads[0] = &sc->work;
}

void balance_scene_start(struct balance_scene *sc, const char *machine, const char *variant)
{
	struct sched_variant_error why;
	struct sim_error err = { "" };

	memset(sc, 0, sizeof(*sc));
	sc->m = strchr(machine, '\n') ? machine_must_text(machine) : machine_must(machine);
	set_costs(&sc->costs);
	set_work(sc);
	if (sched_variant_parse(variant, &sc->variant, &why))
		fail_msg("%s", why.text);
	sc->config = (struct sim_config){
		.machine = sc->m, .costs = &sc->costs, .variant = &sc->variant,
		.loads = sc->loads, .nr_loads = 1,
		.kernel = { .hz = 1000, .preempt = 1, .wakeup_preemption = 1 },
		.seed = 1, .time = 1000 * MS,
	};
	if (sim_create(&sc->config, &sc->s, &err))
		fail_msg("%s", err.text);
	sc->s->now = 1;
	for (uint32_t cpu = 0; cpu < sc->s->nr_cpus; cpu++) {
		if (sc->s->topo->cpus[cpu].active && !sc->s->cpus[cpu].tick_stopped) {
			sim_tick_stop(sc->s, &sc->s->cpus[cpu]);
			sim_nohz_enter(sc->s, &sc->s->cpus[cpu]);
		}
	}
}

void balance_scene_end(struct balance_scene *sc)
{
	sim_free(sc->s);
	machine_free(sc->m);
}

void balance_scene_pin(struct sim_task *task, uint32_t first, uint32_t last)
{
	memset(task->pub.allowed, 0, sizeof(task->pub.allowed));
	for (uint32_t cpu = first; cpu <= last; cpu++)
		wake_mask_set(task->pub.allowed, cpu);
	task->pub.nr_allowed = last - first + 1;
}

static struct sim_task *new_task(struct balance_scene *sc, uint32_t cpu)
{
	struct sim_task *task = &sc->s->tasks[sc->nr++];

	assert_true(sc->nr <= BALANCE_SCENE_TASKS);
	task->fair.cpu = cpu;
	task->state = SIM_TASK_RUNNING;
	task->born = task->since = sc->s->now;
	sim_clock(sc->s, cpu);
	sc->s->ops->fork(&sc->s->rqs[cpu], &task->fair, NULL);
	return task;
}

struct sim_task *balance_scene_wait(struct balance_scene *sc, uint32_t cpu)
{
	struct sim_task *task = new_task(sc, cpu);

	sim_activate(sc->s, task, cpu, FAIR_NEW);
	return task;
}

static void set_curr(struct sim *s, uint32_t id, struct fair_task *fair)
{
	struct sim_cpu *cpu = &s->cpus[id];

	if (cpu->curr != SIM_NO_TASK)
		s->tasks[cpu->curr].on_cpu = 0;
	cpu->curr = fair ? sim_task_of(fair)->id : SIM_NO_TASK;
	sched_switch(s->state, s->rules, id, fair ? &sim_task_of(fair)->pub : NULL);
	cpu->need_resched = 0;
	if (!fair) {
		cpu->activity = SIM_ACT_IDLE;
		sim_tick_stop(s, cpu);
		sim_nohz_enter(s, cpu);
		return;
	}
	sim_task_of(fair)->on_cpu = 1;
	cpu->activity = SIM_ACT_TASK;
	cpu->polling = 0;
	sim_tick_start(s, cpu);
}

void balance_scene_choose(struct balance_scene *sc, uint32_t cpu)
{
	struct sim *s = sc->s;
	struct fair_task *next;

	sim_clock(s, cpu);
	next = s->ops->pick(&s->rqs[cpu]);
	set_curr(s, cpu, next);
	sim_publish(s, cpu);
}

struct sim_task *balance_scene_run(struct balance_scene *sc, uint32_t cpu)
{
	balance_scene_wait(sc, cpu);
	balance_scene_choose(sc, cpu);
	sim_nohz_exit(sc->s, &sc->s->cpus[cpu]);
	return sim_curr(sc->s, &sc->s->cpus[cpu]);
}

void balance_scene_block(struct balance_scene *sc, uint32_t cpu)
{
	struct sim *s = sc->s;
	struct sim_task *task = sim_curr(s, &s->cpus[cpu]);

	task->state = SIM_TASK_SLEEPING;
	sim_deactivate(s, task, FAIR_SLEEP);
	s->ops->put(&s->rqs[cpu]);
	s->cpus[cpu].activity = SIM_ACT_SCHEDULE;
}

void balance_scene_ms(struct balance_scene *sc, uint32_t ms)
{
	struct sim *s = sc->s;

	while (ms--) {
		s->now += MS;
		for (uint32_t cpu = 0; cpu < s->nr_cpus; cpu++) {
			if (s->cpus[cpu].curr == SIM_NO_TASK)
				continue;
			sim_clock(s, cpu);
			s->ops->tick(&s->rqs[cpu]);
			s->rqs[cpu].resched = 0;
			sim_publish(s, cpu);
		}
	}
}

void balance_scene_cool(struct balance_scene *sc)
{
	for (uint32_t i = 0; i < sc->nr; i++) {
		if (!sc->s->tasks[i].on_cpu)
			sc->s->tasks[i].fair.se.exec_start = 0;
	}
}

uint32_t balance_scene_newidle(struct balance_scene *sc, uint32_t cpu)
{
	uint64_t ns = sim_newidle_begin(sc->s, &sc->s->cpus[cpu]);
	uint32_t looks = 0;

	while (ns) {
		looks += sc->s->balance->cpus[cpu].pass.looking;
		sc->s->now += ns;
		ns = sim_newidle_step(sc->s, &sc->s->cpus[cpu]);
	}
	return looks;
}

uint32_t balance_scene_softirq(struct balance_scene *sc, uint32_t cpu)
{
	uint64_t ns = sim_rebalance_begin(sc->s, &sc->s->cpus[cpu]);
	uint32_t looks = 0;

	while (ns) {
		looks += sc->s->balance->cpus[cpu].pass.looking;
		sc->s->now += ns;
		ns = sim_rebalance_step(sc->s, &sc->s->cpus[cpu]);
	}
	return looks;
}

uint32_t balance_scene_balance(struct balance_scene *sc, uint32_t cpu, uint32_t domain,
			       enum sim_idle_type idle)
{
	uint64_t ns = 0;

	return sim_load_balance(sc->s, &sc->s->cpus[cpu], cpu, domain, idle, &ns);
}

uint32_t balance_scene_fork(struct balance_scene *sc, struct sim_task *task, uint32_t cpu)
{
	uint64_t ns = 0;

	task->fair.cpu = cpu;
	return sim_find_idlest_cpu(sc->s, task, cpu, &ns);
}

void balance_scene_crowd(struct balance_scene *sc, uint32_t cpu, uint32_t waiting)
{
	balance_scene_run(sc, cpu);
	while (waiting--)
		balance_scene_wait(sc, cpu);
}

void balance_scene_about_to_idle(struct balance_scene *sc, uint32_t cpu, uint64_t avg_idle)
{
	balance_scene_run(sc, cpu);
	balance_scene_block(sc, cpu);
	sc->s->state->rq[cpu].avg_idle = avg_idle;
}
