// SPDX-License-Identifier: GPL-2.0-only
/* Random operations: the order against its naive twin, and the invariants of run queues. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/fair_naive.h"
#include "tests/fair_scene.h"

#define NR_TASKS	14
#define STEPS		3000

static const char *const versions[] = { "5.4", "5.10", "5.13", "5.15", "5.17", "6.1", "6.5" };
#define NR_VERSIONS	(sizeof(versions) / sizeof(versions[0]))

static struct fair_scene scene;
static uint64_t seed;

/* xorshift64 */
static uint64_t draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static uint64_t some_time(void)
{
	static const uint64_t most[] = { 2000, 100000, 2 * MS, 10 * MS, 60 * MS };

	return draw(most[draw(5)]);
}

/* One CPU and its twin. */
struct pair {
	struct fair_scene *s;
	struct fair_rq *rq;
	struct naive twin;
	int groups;
	struct sched_group *group[3];
	int entity[3];				/* index of a group's twin */
	int index[NR_TASKS], slept[NR_TASKS];	/* index of a task's twin */
};

static void start_pair(struct pair *p, const char *version, int groups)
{
	p->s = &scene;
	p->groups = groups;
	fair_scene_start(p->s, version, 1);
	p->rq = &p->s->rqs[0];
	naive_start(&p->twin, p->rq);
	for (int i = 0; i < groups; i++) {
		p->group[i] = fair_scene_group(p->s, 512u << i);
		p->entity[i] = naive_add(&p->twin, &p->group[i]->entities[0], -1);
	}
	for (int i = 0; i < NR_TASKS; i++)
		p->index[i] = -1;
}

static void born(struct pair *p, int i)
{
	int where = (int)draw((uint64_t)p->groups + 1) - 1;
	struct fair_task *task = &p->s->tasks[i];

	fair_task_init(task, draw(2) ? 0 : (int)draw(40) - 20, FAIR_NORMAL,
		       where < 0 ? NULL : p->group[where]);
	p->index[i] = naive_add(&p->twin, &task->se, where < 0 ? -1 : p->entity[where]);
	fair_cfs.fork(p->rq, task, NULL);
	naive_fork(&p->twin, p->index[i]);
	fair_cfs.enqueue(p->rq, task, FAIR_NEW);
	naive_enqueue(&p->twin, p->index[i], FAIR_NEW);
}

static void wake(struct pair *p, int i)
{
	struct fair_task *task = &p->s->tasks[i];

	if (p->index[i] < 0)
		born(p, i);
	else if (!task->on_rq) {
		fair_cfs.enqueue(p->rq, task, FAIR_WAKEUP);
		naive_enqueue(&p->twin, p->index[i], FAIR_WAKEUP);
	} else {
		return;
	}
	if (draw(4)) {
		fair_cfs.wakeup_preempt(p->rq, task);
		naive_preempt(&p->twin, p->index[i]);
	}
}

static void schedule(struct pair *p)
{
	struct fair_task *next = fair_cfs.pick(p->rq);
	int twin = naive_pick(&p->twin);

	assert_int_equal(twin, next ? p->index[next - p->s->tasks] : -1);
	if (!next) {
		fair_cfs.put(p->rq);
		naive_put(&p->twin);
	}
}

static void go_to_sleep(struct pair *p)
{
	struct fair_task *curr = p->rq->curr;

	if (!curr || !curr->on_rq)
		return;
	fair_cfs.dequeue(p->rq, curr, FAIR_SLEEP);
	naive_dequeue(&p->twin, p->index[curr - p->s->tasks], FAIR_SLEEP);
	if (draw(4))
		schedule(p);
}

/* Off to another CPU and back. */
static void leave_and_return(struct pair *p, int i)
{
	struct fair_task *task = &p->s->tasks[i];

	if (p->index[i] < 0 || !task->on_rq || task == p->rq->curr)
		return;
	fair_cfs.dequeue(p->rq, task, 0);
	naive_dequeue(&p->twin, p->index[i], 0);
	fair_cfs.leave(p->rq, task, 0);
	fair_cfs.enqueue(p->rq, task, FAIR_MIGRATED);
	naive_enqueue(&p->twin, p->index[i], FAIR_MIGRATED);
}

static void yield(struct pair *p)
{
	if (!p->rq->curr || !p->rq->curr->on_rq)
		return;
	fair_cfs.yield(p->rq);
	naive_yield(&p->twin);
	schedule(p);
}

static void step_pair(struct pair *p)
{
	if (draw(3))
		p->s->now += some_time();
	fair_scene_clock(p->s, 0);
	switch (draw(8)) {
	case 0:
	case 1:
		wake(p, (int)draw(NR_TASKS));
		break;
	case 2:
		go_to_sleep(p);
		break;
	case 3:
	case 4:
		schedule(p);
		break;
	case 5:
		fair_cfs.tick(p->rq);
		naive_tick(&p->twin, p->groups);
		break;
	case 6:
		leave_and_return(p, (int)draw(NR_TASKS));
		break;
	default:
		yield(p);
	}
}

static void run_pair(const char *version, int groups, uint64_t number)
{
	static struct pair pair;

	seed = number * 0x9e3779b97f4a7c15u + 1;
	start_pair(&pair, version, groups);
	for (int step = 0; step < STEPS; step++) {
		const char *wrong;

		step_pair(&pair);
		wrong = naive_compare(&pair.twin);
		if (!wrong)
			wrong = fair_check(pair.rq);
		if (wrong)
			fail_msg("v%s, %d groups, seed %d, step %d: %s", version, groups,
				 (int)number, step, wrong);
	}
	fair_scene_end(pair.s);
}

static void the_order_is_that_of_the_naive_twin(void **state)
{
	(void)state;
	for (size_t v = 0; v < NR_VERSIONS; v++)
		for (uint64_t number = 1; number <= 10; number++) {
			run_pair(versions[v], 0, number);
			run_pair(versions[v], 3, number);
		}
}

/* Some CPUs, groups in groups, idle and batch tasks; everything may happen to a task. */
struct zoo {
	struct fair_scene *s;
	struct sched_group *group[6];
	uint32_t nr_groups;
	uint64_t min[4][7];
};

static void start_zoo(struct zoo *z, const char *version)
{
	z->s = &scene;
	fair_scene_start(z->s, version, 4);
	z->nr_groups = (uint32_t)draw(7);
	for (uint32_t i = 0; i < z->nr_groups; i++) {
		uint32_t idle = z->s->params.idle_groups && !draw(4);
		struct sched_group *parent = draw(2) && i ? z->group[draw(i)] : NULL;

		assert_int_equal(fair_group_create(z->s->system, parent, 2 + (uint32_t)draw(3000),
						   idle, &z->group[i]), 0);
	}
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		for (uint32_t i = 0; i < z->nr_groups; i++)
			z->min[cpu][i] = z->group[i]->cfs_rqs[cpu].min_vruntime;
		z->min[cpu][6] = z->s->rqs[cpu].root->min_vruntime;
	}
}

static void step_zoo(struct zoo *z)
{
	struct fair_scene *s = z->s;
	struct fair_task *task = s->nr_tasks ? &s->tasks[draw(s->nr_tasks)] : NULL;
	uint32_t cpu = (uint32_t)draw(4);
	struct fair_rq *rq = &s->rqs[cpu];

	fair_scene_clock(s, cpu);
	switch (draw(10)) {
	case 0:
		if (s->nr_tasks < 40)
			fair_scene_task(s, cpu, (int)draw(40) - 20, (enum fair_policy)draw(3),
					z->nr_groups && draw(4) ? z->group[draw(z->nr_groups)] :
					NULL);
		break;
	case 1:
	case 2:
		if (task && !task->on_rq)
			fair_scene_wake(s, task, s->rqs[task->cpu].curr == task ? task->cpu : cpu);
		break;
	case 3:
	case 4:
		if (rq->curr && rq->curr->on_rq)
			fair_scene_sleep(s, cpu);
		break;
	case 5:
		if (task && task->on_rq && s->rqs[task->cpu].curr != task)
			fair_scene_move(s, task, cpu);
		break;
	case 6:
		if (rq->curr && rq->curr->on_rq)
			fair_cfs.yield(rq);
		break;
	case 7:
		fair_update_blocked(rq);
		break;
	case 8:
		fair_cfs.tick(rq);
		break;
	default:
		fair_scene_schedule(s, cpu);
	}
}

static void check_zoo(struct zoo *z, const char *version, uint64_t number)
{
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		const char *wrong = fair_check(&z->s->rqs[cpu]);

		for (uint32_t i = 0; i < 7; i++) {
			const struct sched_cfs_rq *queue;

			if (i < 6 && i >= z->nr_groups)
				continue;
			queue = i == 6 ? z->s->rqs[cpu].root : &z->group[i]->cfs_rqs[cpu];
			if ((int64_t)(queue->min_vruntime - z->min[cpu][i]) < 0)
				wrong = "min_vruntime went back";
			z->min[cpu][i] = queue->min_vruntime;
		}
		if (wrong)
			fail_msg("v%s, seed %d, CPU %u: %s", version, (int)number, cpu, wrong);
	}
}

/* tg->load_avg is the sum of what its queues say, however the tasks move about. */
static void check_groups(struct zoo *z)
{
	for (uint32_t i = 0; i < z->nr_groups; i++) {
		int64_t sum = 0;

		for (uint32_t cpu = 0; cpu < 4; cpu++)
			sum += (int64_t)z->group[i]->cfs_rqs[cpu].tg_load_avg_contrib;
		assert_int_equal(z->group[i]->load_avg, sum);
	}
}

static void nothing_breaks_the_invariants(void **state)
{
	static struct zoo zoo;

	(void)state;
	for (size_t v = 0; v < NR_VERSIONS; v++)
		for (uint64_t number = 1; number <= 10; number++) {
			seed = number * 0x9e3779b97f4a7c15u + 77;
			start_zoo(&zoo, versions[v]);
			for (int step = 0; step < STEPS; step++) {
				scene.now += draw(3) ? some_time() : 0;
				step_zoo(&zoo);
				check_zoo(&zoo, versions[v], number);
				check_groups(&zoo);
			}
			fair_scene_end(&scene);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_that_of_the_naive_twin),
		cmocka_unit_test(nothing_breaks_the_invariants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
