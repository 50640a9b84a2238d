// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: on random machines, states and wake-ups, every variant chooses what
 * the naive implementation of the scan orders chooses, and leaves the same hints.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "tests/naive.h"
#include "tests/scene.h"

#define ROUNDS 4000

static wake_u64 seed;

/* splitmix64 */
static wake_u32 random_below(wake_u32 n)
{
	wake_u64 z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (wake_u32)((z ^ (z >> 31)) % n);
}

static const struct scene_machine machines[] = {
	{ .nr_cpus = 8, .threads = 2, .stride = 4, .llc = 8 },
	{ .nr_cpus = 16, .threads = 2, .llc = 8 },
	{ .nr_cpus = 16, .threads = 1, .llc = 16, .cluster = 4 },
	{ .nr_cpus = 24, .threads = 1, .llc = 12, .cluster = 4 },
	{ .nr_cpus = 256, .threads = 2, .stride = 128, .llc = 16 },
	{ .nr_cpus = 192, .threads = 2, .stride = 96, .llc = 48 },
	{ .nr_cpus = 128, .threads = 8, .llc = 8 },
	{ .nr_cpus = 130, .threads = 1, .llc = 65 },
};

static const char *const variants[] = {
	"v5.4", "v5.9", "v5.10", "v5.10.262", "v5.11", "v5.12", "v5.13", "v5.15", "v5.17", "v6.0",
	"v6.1", "v6.1.192", "v6.6", "v6.7", "v6.12", "v6.12.117", "v7.0", "v7.1", "v7.3",
	"v6.0+sis-core=p12", "v6.0+sis-core=p123", "v6.0+sis-core=v6",
	"v6.1.192+sis-core=v6", "v6.1.192+sis-core=p123", "v6.1.192+SIS_PROP+NO_SIS_UTIL",
};

static void random_rq(struct scene *s, wake_u32 cpu, wake_u32 busy_percent)
{
	wake_u32 nr = 1 + random_below(3);

	if (cpu != s->wake.cpu && random_below(100) < busy_percent)
		scene_busy(s, cpu, nr, random_below(4) ? 0 : nr);
	s->state->rq[cpu].preempted = !random_below(50);
	s->state->rq[cpu].avg_idle = random_below(2) ? random_below(1 << 20) : random_below(4096);
	s->state->cpu[cpu].avg_scan_cost = random_below(2000);
	s->state->cpu[cpu].wake_avg_idle = random_below(1 << 14);
	s->state->cpu[cpu].wake_stamp = s->state->jiffies - random_below(4);
	s->state->cpu[cpu].scan_sibling = (wake_u8)random_below(2);
}

static void random_scene(struct scene *s)
{
	const struct scene_machine *m =
		&machines[random_below(sizeof(machines) / sizeof(machines[0]))];
	wake_u32 busy_percent = random_below(110), allowed_percent = random_below(3) ? 100 : 50;

	scene_start(s, m, random_below(m->nr_cpus), random_below(m->nr_cpus));
	for (wake_u32 cpu = 0; cpu < m->nr_cpus; cpu++) {
		struct wake_llc *llc = sched_llc(s->state, cpu);

		random_rq(s, cpu, busy_percent);
		if (random_below(100) >= allowed_percent)
			wake_mask_clear(s->wakee.allowed, cpu);
		llc->has_idle_cores = random_below(2);
		llc->nr_idle_scan = random_below(m->llc + 1);
		if (random_below(2))
			wake_mask_clear(llc->icpus, cpu);
	}
	s->wakee.wake.recent_used_cpu = random_below(m->nr_cpus);
	s->wakee.idle_policy = !random_below(4);
	s->wake.flags |= random_below(2) ? WAKE_WF_SYNC : 0;
	if (!random_below(4))
		scene_idle(s, s->wake.cpu);
	s->wake.fair_only = 1;
}

static void check(struct scene *s, const char *variant, wake_u32 round)
{
	struct wake_rules rules = scene_rules(variant);
	struct naive_result pulled, kept, *naive;
	const struct wake_llc *llc;

	/* wake_affine() isn't the question here: both of its answers are prepared. */
	naive_select_idle_sibling(s->state, &rules, &s->wake, s->wake.cpu, &pulled);
	naive_select_idle_sibling(s->state, &rules, &s->wake, s->wake.prev, &kept);
	scene_decide(s, &rules);
	naive = s->d.target == s->wake.cpu ? &pulled : &kept;
	llc = sched_llc(s->state, s->d.target);
	if (s->d.cpu != naive->cpu)
		fail_msg("round %u, %s: CPU %u, naive %u (target %u)", round, variant, s->d.cpu,
			 naive->cpu, s->d.target);
	assert_int_equal(s->wakee.wake.recent_used_cpu, naive->recent);
	assert_int_equal(llc->has_idle_cores, naive->has_idle_cores);
	assert_memory_equal(llc->icpus, naive->icpus, sizeof(naive->icpus));
	if (rules.sis_core == WAKE_SIS_CORE_V6)
		assert_int_equal(s->state->cpu[s->d.target].scan_sibling, naive->scan_sibling);
}

static void every_variant_scans_like_the_naive_twin(void **state)
{
	(void)state;
	for (wake_u32 round = 0; round < ROUNDS; round++) {
		struct scene s;

		seed = round;
		random_scene(&s);
		check(&s, variants[round % (sizeof(variants) / sizeof(variants[0]))], round);
		scene_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_variant_scans_like_the_naive_twin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
