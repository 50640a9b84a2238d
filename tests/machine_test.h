/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of machine/ share. */
#ifndef TESTS_MACHINE_TEST_H
#define TESTS_MACHINE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include "machine/machine.h"

/* Two clusters of two, one small and one big, in one LLC. */
#define MACHINE_BIG_LITTLE \
	"machine biglittle\n" \
	"cpus 0-3\n" \
	"about two small and two big CPUs\n" \
	"arch arm64\n" \
	"vendor other\n" \
	"package 0-3\n" \
	"node 0-3\n" \
	"core 0 x4 +1\n" \
	"cluster 0-1 x2 +2\n" \
	"cache L3 2M 0-3\n" \
	"capacity 400 0-1\n"

static inline struct machine *machine_must(const char *path)
{
	struct machine_error err = { "", "" };
	struct machine *m = NULL;

	if (machine_load(path, &m, &err))
		fail_msg("%s: %s: %s", path, err.place, err.text);
	return m;
}

static inline struct machine *machine_must_text(const char *text)
{
	struct machine_error err = { "", "" };
	struct machine *m = NULL;

	if (machine_load_text("text", text, strlen(text), &m, &err))
		fail_msg("%s: %s\n%s", err.place, err.text, text);
	return m;
}

static inline struct machine_domains *domains_must(const struct machine *m, const char *version)
{
	struct machine_error err = { "", "" };
	struct machine_domains *d = NULL;
	struct machine_kernel k;

	assert_int_equal(machine_kernel_parse(version, &k), 0);
	if (machine_domains(m, &k, &d, &err))
		fail_msg("%s %s: %s: %s", m->name, version, err.place, err.text);
	return d;
}

static inline void assert_set(hwloc_const_bitmap_t set, const char *list)
{
	char *text;

	assert_true(hwloc_bitmap_list_asprintf(&text, set) >= 0);
	assert_string_equal(text, list);
	free(text);
}

/* "SMT CLS MC PKG": the names of a CPU's domains, bottom up. */
static inline void assert_names(const struct machine_domains *d, unsigned cpu, const char *names)
{
	char text[128] = "";

	for (unsigned i = 0; i < d->cpus[cpu].nr; i++) {
		strcat(text, i ? " " : "");
		strcat(text, d->cpus[cpu].sd[i].name);
	}
	assert_string_equal(text, names);
}

static inline const struct machine_domain *domain_of(const struct machine_domains *d,
						     unsigned cpu, const char *name)
{
	for (unsigned i = 0; i < d->cpus[cpu].nr; i++)
		if (!strcmp(d->cpus[cpu].sd[i].name, name))
			return &d->cpus[cpu].sd[i];
	fail_msg("CPU %u has no domain %s", cpu, name);
	return NULL;
}

static inline void assert_domain_equal(const struct machine_domain *a,
				       const struct machine_domain *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->groups_flags, b->groups_flags);
	assert_int_equal(a->imbalance_pct, b->imbalance_pct);
	assert_int_equal(a->cache_nice_tries, b->cache_nice_tries);
	assert_int_equal(a->busy_factor, b->busy_factor);
	assert_int_equal(a->min_interval, b->min_interval);
	assert_int_equal(a->max_interval, b->max_interval);
	assert_int_equal(a->imb_numa_nr, b->imb_numa_nr);
	assert_true(hwloc_bitmap_isequal(a->span, b->span));
}

static inline void assert_domains_equal(const struct machine_domains *a,
					const struct machine_domains *b)
{
	assert_int_equal(a->nr_cpu_ids, b->nr_cpu_ids);
	assert_int_equal(a->sched_smt_active, b->sched_smt_active);
	assert_int_equal(a->sched_cluster_active, b->sched_cluster_active);
	assert_int_equal(a->levels_max, b->levels_max);
	assert_true(hwloc_bitmap_isequal(a->cpu_map, b->cpu_map));
	for (unsigned cpu = 0; cpu < a->nr_cpu_ids; cpu++) {
		const struct machine_cpu_domains *x = &a->cpus[cpu], *y = &b->cpus[cpu];

		assert_int_equal(x->nr, y->nr);
		for (unsigned i = 0; i < x->nr; i++)
			assert_domain_equal(&x->sd[i], &y->sd[i]);
		assert_int_equal(x->sd_llc, y->sd_llc);
		assert_int_equal(x->sd_llc_size, y->sd_llc_size);
		assert_int_equal(x->sd_llc_id, y->sd_llc_id);
		assert_int_equal(x->sd_share_id, y->sd_share_id);
		assert_int_equal(x->sd_numa, y->sd_numa);
		assert_int_equal(x->sd_asym, y->sd_asym);
		assert_int_equal(x->sd_asym_packing, y->sd_asym_packing);
		assert_int_equal(x->node, y->node);
		assert_true(hwloc_bitmap_isequal(x->smt, y->smt));
	}
}

#endif
