// SPDX-License-Identifier: GPL-2.0-only
#include "tests/scene.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

const struct scene_machine scene_smt8 = { .nr_cpus = 8, .threads = 2, .stride = 4, .llc = 8 };
const struct scene_machine scene_two_llcs = { .nr_cpus = 16, .threads = 1, .llc = 8 };
const struct scene_machine scene_clusters = { .nr_cpus = 16, .threads = 1, .llc = 16, .cluster = 4 };

static wake_u32 core_of(const struct scene_machine *m, wake_u32 cpu)
{
	return m->stride ? cpu % m->stride : cpu / m->threads;
}

static wake_u32 thread_of(const struct scene_machine *m, wake_u32 core, wake_u32 thread)
{
	return m->stride ? core + thread * m->stride : core * m->threads + thread;
}

/* The group of size CPUs that this one belongs to, whole cores together. */
static wake_u32 group_of(const struct scene_machine *m, wake_u32 cpu, wake_u32 size)
{
	return core_of(m, cpu) / (size / m->threads);
}

static wake_u16 add_span(struct scene *s, const struct scene_machine *m, wake_u32 cpu,
			 wake_u32 size)
{
	struct wake_span span = { .first = WAKE_WORDS };
	wake_u32 i;

	for (wake_u32 c = 0; c < m->nr_cpus; c++) {
		if (group_of(m, c, size) != group_of(m, cpu, size))
			continue;
		wake_mask_set(span.bits, c);
		span.weight++;
		span.first = span.first < c / 64 ? span.first : (wake_u16)(c / 64);
		span.last = (wake_u16)(c / 64);
	}
	for (i = 0; i < s->topo.nr_spans; i++) {
		if (!memcmp(&s->topo.spans[i], &span, sizeof(span)))
			return (wake_u16)i;
	}
	s->topo.spans[s->topo.nr_spans++] = span;
	return (wake_u16)i;
}

static void add_domain(struct scene *s, const struct scene_machine *m, wake_u32 cpu,
		       wake_u32 size, wake_u32 pct, int affine)
{
	struct sched_topology_cpu *topo = &s->topo.cpus[cpu];
	struct sched_topology_domain *sd = &topo->domain[topo->nr_domains++];

	sd->span = add_span(s, m, cpu, size);
	sd->imbalance_pct = (wake_u16)pct;
	sd->wake_affine = (wake_u16)affine;
}

static void add_cpu(struct scene *s, const struct scene_machine *m, wake_u32 cpu)
{
	struct sched_topology_cpu *topo = &s->topo.cpus[cpu];

	topo->nr_smt = (wake_u16)m->threads;
	for (wake_u32 t = 0; t < m->threads; t++)
		topo->smt[t] = (wake_u16)thread_of(m, core_of(m, cpu), t);
	topo->cluster = topo->llc_group = topo->asym = topo->llc = SCHED_NO_SPAN;
	topo->capacity = 1024;
	topo->active = 1;
	topo->node = add_span(s, m, cpu, m->nr_cpus);
	if (m->threads > 1)
		add_domain(s, m, cpu, m->threads, 110, 1);
	if (m->cluster) {
		add_domain(s, m, cpu, m->cluster, 117, 1);
		topo->cluster = topo->llc_group = topo->domain[topo->nr_domains - 1].span;
	}
	add_domain(s, m, cpu, m->llc, 117, 1);
	topo->llc = topo->domain[topo->nr_domains - 1].span;
	topo->llc_pct = 117;
	topo->llc_size = m->llc;
	topo->llc_id = group_of(m, cpu, m->llc);
	topo->share_id = m->cluster ? group_of(m, cpu, m->cluster) : topo->llc_id;
	if (m->llc < m->nr_cpus)
		add_domain(s, m, cpu, m->nr_cpus, m->pct ? m->pct : 117, !m->far_llc);
}

void scene_start(struct scene *s, const struct scene_machine *machine, wake_u32 waker_cpu,
		 wake_u32 prev)
{
	memset(s, 0, sizeof(*s));
	s->topo.nr_cpus = machine->nr_cpus;
	s->topo.smt_active = machine->threads > 1;
	s->topo.max_capacity = 1024;
	s->topo.cpus = calloc(machine->nr_cpus, sizeof(*s->topo.cpus));
	s->topo.spans = calloc(4 * machine->nr_cpus, sizeof(*s->topo.spans));
	assert_non_null(s->topo.cpus);
	assert_non_null(s->topo.spans);
	for (wake_u32 cpu = 0; cpu < machine->nr_cpus; cpu++)
		add_cpu(s, machine, cpu);
	assert_int_equal(sched_state_create(&s->topo, 250, &s->state), 0);
	s->state->jiffies = 1000;
	s->waker.wake.id = 1;
	s->wakee.wake.id = 2;
	s->wakee.wake.recent_used_cpu = prev;
	s->waker.wake.recent_used_cpu = waker_cpu;
	s->waker.nr_allowed = s->wakee.nr_allowed = machine->nr_cpus;
	for (wake_u32 cpu = 0; cpu < machine->nr_cpus; cpu++)
		wake_mask_set(s->wakee.allowed, cpu);
	s->wake = (struct sched_wake){ .waker = &s->waker, .wakee = &s->wakee, .cpu = waker_cpu,
				       .prev = prev, .flags = WAKE_WF_TTWU, .in_task = 1 };
	scene_busy(s, waker_cpu, 1, 0);
}

void scene_end(struct scene *s)
{
	assert_null(sched_check(s->state));
	sched_state_free(s->state);
	free(s->topo.cpus);
	free(s->topo.spans);
}

void scene_busy(struct scene *s, wake_u32 cpu, wake_u32 nr, wake_u32 nr_idle_policy)
{
	struct sched_rq *rq = &s->state->rq[cpu];

	rq->nr_running = nr;
	rq->nr_idle_policy = nr_idle_policy;
	rq->curr_idle = 0;
	rq->load_avg = 1024;
	rq->runnable_load = 1024;
	wake_mask_clear(s->state->idle, cpu);
}

void scene_all_busy(struct scene *s, wake_u32 first, wake_u32 last, wake_u32 but)
{
	for (wake_u32 cpu = first; cpu <= last; cpu++) {
		if (cpu != but)
			scene_busy(s, cpu, 1, 0);
	}
}

void scene_idle(struct scene *s, wake_u32 cpu)
{
	struct sched_rq *rq = &s->state->rq[cpu];

	rq->nr_running = rq->nr_idle_policy = 0;
	rq->curr_idle = 1;
	rq->load_avg = rq->runnable_load = 0;
	wake_mask_set(s->state->idle, cpu);
}

void scene_allow(struct scene *s, wake_u64 cpus)
{
	memset(s->wakee.allowed, 0, sizeof(s->wakee.allowed));
	s->wakee.allowed[0] = cpus;
	s->wakee.nr_allowed = (wake_u32)__builtin_popcountll(cpus);
}

wake_u32 scene_decide(struct scene *s, const struct wake_rules *rules)
{
	sched_wake(s->state, rules, &s->wake, &s->d);
	return s->d.cpu;
}

void scene_expect(struct scene *s, const char *variant, wake_u32 cpu, enum wake_reason reason)
{
	struct wake_rules rules = scene_rules(variant);

	scene_decide(s, &rules);
	if (s->d.cpu != cpu || s->d.reason != reason)
		fail_msg("%s: CPU %u for reason %u, expected %u for %u", variant, s->d.cpu,
			 s->d.reason, cpu, reason);
}

void scene_expect_version(struct scene *s, size_t version, wake_u32 cpu, enum wake_reason reason)
{
	scene_expect(s, sched_versions[version].name, cpu, reason);
}

void scene_plenty(struct scene *s)
{
	for (wake_u32 cpu = 0; cpu < s->topo.nr_cpus; cpu++) {
		s->state->rq[cpu].avg_idle = 1000000;
		s->state->cpu[cpu].wake_avg_idle = 500000;
		s->state->cpu[cpu].wake_stamp = s->state->jiffies;
		sched_llc(s->state, cpu)->nr_idle_scan = s->topo.nr_cpus;
	}
}

struct wake_rules scene_rules(const char *variant)
{
	struct sched_variant v;
	struct sched_variant_error err;

	if (sched_variant_parse(variant, &v, &err))
		fail_msg("%s: %s", variant, err.text);
	return v.rules;
}

int scene_since(size_t version, unsigned int major, unsigned int minor)
{
	const struct wake_version *v = &sched_versions[version];

	return v->major > major || (v->major == major && v->minor >= minor);
}
