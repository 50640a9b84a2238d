// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fair_script.h"

#define NOBODY	(~0u)

/* xorshift64 */
static uint64_t draw(struct script *s, uint64_t below)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed % below;
}

static void avg_words(const struct sched_avg *avg, uint64_t *out)
{
	out[0] = avg->last_update_time;
	out[1] = avg->load_sum;
	out[2] = avg->runnable_sum;
	out[3] = avg->util_sum;
	out[4] = avg->period_contrib;
	out[5] = avg->load_avg;
	out[6] = avg->runnable_avg;
	out[7] = avg->util_avg;
	out[8] = avg->est_enqueued;
	out[9] = avg->est_ewma;
}

void script_se_words(const struct sched_entity *se, uint64_t *out)
{
	avg_words(&se->avg, out);
	out[10] = se->vruntime;
	out[11] = se->exec_start;
	out[12] = se->sum_exec_runtime;
	out[13] = se->prev_sum_exec_runtime;
	out[14] = se->weight;
	out[15] = se->on_rq;
	out[16] = se->runnable_weight;
	out[17] = se->depth;
}

/* 0: none, groups from 1, tasks from 1000. */
static uint64_t name_of(const struct script *s, const struct sched_entity *se)
{
	if (!se)
		return 0;
	for (uint32_t i = 1; i <= s->nr_groups; i++)
		if (se->my_q && se->my_q->group == s->group[i])
			return i;
	return 1000 + (uint64_t)((const struct fair_task *)(const void *)se - s->tasks);
}

void script_queue_words(const struct script *s, const struct sched_cfs_rq *cfs_rq, uint64_t *out)
{
	avg_words(&cfs_rq->avg, out);
	out[10] = cfs_rq->min_vruntime;
	out[11] = cfs_rq->weight;
	out[12] = cfs_rq->nr_running;
	out[13] = cfs_rq->h_nr_running;
	out[14] = s->params.idle_entities ? cfs_rq->idle_nr_running : 0;
	out[15] = cfs_rq->idle_h_nr_running;
	out[16] = cfs_rq->tg_load_avg_contrib;
	out[17] = (uint64_t)cfs_rq->prop_runnable_sum;
	out[18] = cfs_rq->propagate;
	out[19] = cfs_rq->nr_removed;
	out[20] = name_of(s, cfs_rq->curr);
	out[21] = name_of(s, cfs_rq->next);
	out[22] = name_of(s, cfs_rq->last);
	out[23] = name_of(s, cfs_rq->skip);
	out[24] = (uint64_t)cfs_rq->group->load_avg;
	out[25] = s->params.load.runnable_load ? cfs_rq->runnable_weight : 0;
}

static void digest(struct script *s, const uint64_t *words, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		s->digest = (s->digest ^ words[i]) * 0x9fb21c651e98df25u;
		s->digest ^= s->digest >> 29;
	}
}

static void digest_all(struct script *s)
{
	uint64_t words[SCRIPT_QUEUE_WORDS];

	for (uint32_t i = 0; i < SCRIPT_TASKS; i++)
		if (s->born[i]) {
			script_se_words(&s->tasks[i].se, words);
			digest(s, words, SCRIPT_SE_WORDS);
		}
	for (uint32_t cpu = 0; cpu < SCRIPT_CPUS; cpu++) {
		for (uint32_t i = 0; i <= s->nr_groups; i++) {
			script_queue_words(s, &s->group[i]->cfs_rqs[cpu], words);
			digest(s, words, SCRIPT_QUEUE_WORDS);
			if (!i)
				continue;
			script_se_words(&s->group[i]->entities[cpu], words);
			digest(s, words, SCRIPT_SE_WORDS);
		}
		for (const struct fair_task *t = s->rqs[cpu].lru_first; t; t = t->lru_next) {
			words[0] = (uint64_t)(t - s->tasks);
			digest(s, words, 1);
		}
		words[0] = s->rqs[cpu].resched;
		digest(s, words, 1);
	}
}

static void done(struct script *s, enum script_kind kind, uint32_t cpu, uint32_t task,
		 uint32_t other, uint64_t value)
{
	struct script_step step = { kind, cpu, task, other, value };

	s->digest ^= other;
	digest_all(s);
	if (s->follow && !s->stopped)
		s->stopped = s->follow(s, &step);
}

static void clock_to_now(struct script *s, uint32_t cpu)
{
	uint32_t idle = !s->rqs[cpu].curr;

	fair_clock(&s->rqs[cpu], s->now, idle);
	done(s, SCRIPT_CLOCK, cpu, NOBODY, idle, s->now);
}

static void pass_time(struct script *s)
{
	static const uint64_t most[] = { 1500, 30000, 100000, 1100000, 5000000 };

	s->now += draw(s, 600) ? draw(s, most[draw(s, 5)]) : draw(s, 400000000);
	if (!draw(s, 10))
		s->jiffies++;
}

static void enqueue(struct script *s, uint32_t cpu, uint32_t i, uint32_t flags)
{
	clock_to_now(s, cpu);
	fair_cfs.enqueue(&s->rqs[cpu], &s->tasks[i], flags);
	done(s, SCRIPT_ENQUEUE, cpu, i, 0, flags);
	if (!draw(s, 4))
		return;
	fair_cfs.wakeup_preempt(&s->rqs[cpu], &s->tasks[i]);
	done(s, SCRIPT_PREEMPT, cpu, i, 0, 0);
}

static void bear(struct script *s, uint32_t cpu, uint32_t i)
{
	int nice = draw(s, 2) ? 0 : (int)draw(s, 40) - 20;
	enum fair_policy policy = draw(s, 8) ? FAIR_NORMAL : (enum fair_policy)draw(s, 3);
	uint32_t group = (uint32_t)draw(s, s->nr_groups + 1), parent = NOBODY;

	fair_task_init(&s->tasks[i], nice, policy, s->group[group]);
	done(s, SCRIPT_INIT, group, i, policy, (uint64_t)nice);
	if (s->rqs[cpu].curr && draw(s, 2))
		parent = (uint32_t)(s->rqs[cpu].curr - s->tasks);
	clock_to_now(s, cpu);
	fair_cfs.fork(&s->rqs[cpu], &s->tasks[i], parent == NOBODY ? NULL : &s->tasks[parent]);
	s->born[i] = 1;
	done(s, SCRIPT_FORK, cpu, i, parent, 0);
	if (draw(s, 2))
		pass_time(s);
	enqueue(s, draw(s, 2) ? cpu : (uint32_t)draw(s, SCRIPT_CPUS), i, FAIR_NEW);
}

static void leave(struct script *s, uint32_t i, uint32_t waking)
{
	fair_cfs.leave(&s->rqs[s->tasks[i].cpu], &s->tasks[i], waking);
	done(s, SCRIPT_LEAVE, s->tasks[i].cpu, i, 0, waking);
}

static void wake(struct script *s, uint32_t cpu, uint32_t i)
{
	uint32_t from = s->tasks[i].cpu;

	if (s->rqs[from].curr == &s->tasks[i] || from == cpu || draw(s, 2)) {
		enqueue(s, from, i, FAIR_WAKEUP);
		return;
	}
	clock_to_now(s, from);
	leave(s, i, 1);
	if (draw(s, 2))
		pass_time(s);
	enqueue(s, cpu, i, FAIR_WAKEUP | FAIR_MIGRATED);
}

static void dequeue(struct script *s, uint32_t i, uint32_t flags)
{
	uint32_t cpu = s->tasks[i].cpu;

	clock_to_now(s, cpu);
	fair_cfs.dequeue(&s->rqs[cpu], &s->tasks[i], flags);
	done(s, SCRIPT_DEQUEUE, cpu, i, 0, flags);
}

static void pick(struct script *s, uint32_t cpu)
{
	struct fair_task *next;

	clock_to_now(s, cpu);
	next = fair_cfs.pick(&s->rqs[cpu]);
	if (!next)
		fair_cfs.put(&s->rqs[cpu]);
	done(s, SCRIPT_PICK, cpu, NOBODY, next ? (uint32_t)(next - s->tasks) : NOBODY, 0);
}

static void move(struct script *s, uint32_t cpu, uint32_t i)
{
	uint32_t from = s->tasks[i].cpu;

	if (!s->tasks[i].on_rq || s->rqs[from].curr == &s->tasks[i] || from == cpu)
		return;
	dequeue(s, i, 0);
	leave(s, i, 0);
	enqueue(s, cpu, i, FAIR_MIGRATED);
}

static void look(struct script *s, uint32_t cpu, uint32_t i)
{
	uint64_t load;

	clock_to_now(s, cpu);
	if (!s->born[i]) {
		done(s, SCRIPT_BLOCKED, cpu, NOBODY, fair_update_blocked(&s->rqs[cpu]), 0);
		return;
	}
	load = fair_h_load(&s->tasks[i], s->jiffies);
	done(s, SCRIPT_H_LOAD, cpu, i, (uint32_t)load, s->jiffies);
	fair_cfs.update(&s->rqs[cpu]);
	done(s, SCRIPT_UPDATE, cpu, NOBODY, 0, 0);
}

/* Operations on the task that runs on a CPU. */
static void step_current(struct script *s, uint32_t cpu, uint64_t kind)
{
	struct fair_rq *rq = &s->rqs[cpu];

	if (!rq->curr || !rq->curr->on_rq)
		return;
	if (kind == 9) {
		clock_to_now(s, cpu);
		fair_cfs.yield(rq);
		done(s, SCRIPT_YIELD, cpu, NOBODY, 0, 0);
		pick(s, cpu);
		return;
	}
	dequeue(s, (uint32_t)(rq->curr - s->tasks), FAIR_SLEEP);
	if (draw(s, 4))
		pick(s, cpu);
}

static void step(struct script *s)
{
	uint32_t cpu = (uint32_t)draw(s, SCRIPT_CPUS), i = (uint32_t)draw(s, SCRIPT_TASKS);
	uint64_t kind;

	if (draw(s, 3))
		pass_time(s);
	kind = draw(s, 12);
	switch (kind) {
	case 0: case 1: case 2:
		if (!s->born[i])
			bear(s, cpu, i);
		else if (!s->tasks[i].on_rq)
			wake(s, cpu, i);
		break;
	case 3: case 4: case 9:
		step_current(s, cpu, kind);
		break;
	case 5: case 6:
		pick(s, cpu);
		break;
	case 7:
		clock_to_now(s, cpu);
		fair_cfs.tick(&s->rqs[cpu]);
		done(s, SCRIPT_TICK, cpu, NOBODY, 0, 0);
		break;
	case 8:
		move(s, cpu, i);
		break;
	case 10:
		look(s, cpu, i);
		break;
	default:
		clock_to_now(s, cpu);
		done(s, SCRIPT_BLOCKED, cpu, NOBODY, fair_update_blocked(&s->rqs[cpu]), 0);
	}
}

static void make_groups(struct script *s)
{
	uint32_t nr = (uint32_t)draw(s, SCRIPT_GROUPS + 1);

	for (uint32_t i = 1; i <= nr; i++) {
		uint32_t parent = draw(s, 2) ? 0 : (uint32_t)draw(s, i);
		uint32_t idle = s->params.idle_groups && !draw(s, 5);
		uint32_t shares = draw(s, 3) ? 1024 : 2 + (uint32_t)draw(s, 4000);
		int err = fair_group_create(s->system, s->group[parent], shares, idle,
					    &s->group[i]);

		if (err)
			abort();
		s->nr_groups = i;
		done(s, idle ? SCRIPT_IDLE_GROUP : SCRIPT_GROUP, 0, i, parent, shares);
	}
}

uint64_t script_run(struct script *s, const char *version, uint64_t seed, uint32_t nr)
{
	int (*follow)(struct script *, const struct script_step *) = s->follow;
	void (*begin)(struct script *) = s->begin;
	struct wake_version v = { 0 };
	char *end;

	memset(s, 0, sizeof(*s));
	s->follow = follow;
	s->begin = begin;
	s->seed = seed * 0x9e3779b97f4a7c15u + 1;
	v.major = (wake_u16)strtoul(version, &end, 10);
	v.minor = (wake_u16)strtoul(end + 1, NULL, 10);
	fair_params_of(&v, 8, &s->params);
	for (uint32_t cpu = 0; cpu < SCRIPT_CPUS; cpu++)
		s->capacity[cpu] = draw(s, 3) ? 1024 : 300 + (uint16_t)draw(s, 700);
	if (fair_system_create(SCRIPT_CPUS, s->capacity, &s->params, &s->system, &s->rqs))
		abort();
	s->group[0] = s->rqs[0].root->group;
	if (begin)
		begin(s);
	make_groups(s);
	while (nr-- && !s->stopped)
		step(s);
	fair_system_free(s->system);
	return s->digest;
}
