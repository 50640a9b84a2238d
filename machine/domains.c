// SPDX-License-Identifier: GPL-2.0-only
/*
 * build_sched_domains(): every CPU's chain of domains, from the levels to what is attached.
 */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "machine/private.h"

/* What is known; see rules.c. */
#define FIRST_MAJOR 5
#define FIRST_MINOR 4
#define LAST_MAJOR  7
#define LAST_MINOR  3

struct build {
	const struct machine *m;
	const struct machine_kernel *k;
	struct machine_rules r;
	unsigned nr_levels;
	struct machine_topo_level levels[MACHINE_LEVELS_MAX];
	struct machine_chain chain[MACHINE_LEVELS_MAX];
	unsigned nr_capacities; /* distinct ones in the root domain */
	int asym_level;		/* before v5.14: the one level with SD_ASYM_CPUCAPACITY, or -1 */
	hwloc_bitmap_t mask;
	struct machine_domains *d;
};

static void build_free(struct build *b)
{
	unsigned i;

	if (!b)
		return;
	for (i = 0; i < MACHINE_LEVELS_MAX; i++)
		hwloc_bitmap_free(b->chain[i].sd.span);
	hwloc_bitmap_free(b->mask);
	machine_domains_free(b->d);
	free(b);
}

static struct build *build_new(const struct machine *m, const struct machine_kernel *k)
{
	struct build *b = calloc(1, sizeof(*b));
	bool ok;
	unsigned i;

	if (!b)
		return NULL;
	b->m = m;
	b->k = k;
	b->asym_level = -1;
	machine_rules(m, k, &b->r);
	b->nr_levels = machine_levels(m, k, b->levels);
	b->mask = hwloc_bitmap_alloc();
	b->d = machine_domains_new(m);
	ok = b->mask && b->d;
	for (i = 0; ok && i < b->nr_levels; i++) {
		b->chain[i].sd.span = hwloc_bitmap_alloc();
		ok = b->chain[i].sd.span;
	}
	if (ok)
		return b;
	build_free(b);
	return NULL;
}

struct machine_domains *machine_domains_new(const struct machine *m)
{
	struct machine_domains *d = calloc(1, sizeof(*d));
	unsigned i;
	bool ok;

	if (!d)
		return NULL;
	d->cpu_map = machine_set_dup(m->online);
	d->cpus = calloc(m->nr_cpu_ids, sizeof(*d->cpus));
	ok = d->cpu_map && d->cpus;
	if (ok) {
		d->nr_cpu_ids = m->nr_cpu_ids;
		hwloc_bitmap_andnot(d->cpu_map, d->cpu_map, m->isolated);
	}
	for (i = 0; ok && i < m->nr_cpu_ids; i++) {
		d->cpus[i].smt = hwloc_bitmap_alloc();
		ok = d->cpus[i].smt;
	}
	if (ok)
		return d;
	machine_domains_free(d);
	return NULL;
}

void machine_domains_free(struct machine_domains *d)
{
	unsigned cpu, i;

	if (!d)
		return;
	for (cpu = 0; cpu < d->nr_cpu_ids; cpu++) {
		for (i = 0; i < d->cpus[cpu].nr; i++)
			hwloc_bitmap_free(d->cpus[cpu].sd[i].span);
		hwloc_bitmap_free(d->cpus[cpu].smt);
	}
	hwloc_bitmap_free(d->cpu_map);
	free(d->cpus);
	free(d);
}

/*
 * asym_cpu_capacity_level(), before v5.14: the lowest level at which a CPU of the highest
 * capacity is seen by everyone.
 */
static void find_asym_level(struct build *b)
{
	unsigned cpu, mate, max, level;
	int found = -1;

	hwloc_bitmap_foreach_begin(cpu, b->d->cpu_map)
		max = b->m->cpus[cpu].capacity;
		for (level = 0; level < b->nr_levels; level++) {
			if ((int)level < found)
				continue;
			machine_level_mask(b->m, b->k, &b->levels[level], cpu, b->mask);
			hwloc_bitmap_and(b->mask, b->mask, b->d->cpu_map);
			hwloc_bitmap_foreach_begin(mate, b->mask)
				if (b->m->cpus[mate].capacity > max) {
					max = b->m->cpus[mate].capacity;
					found = (int)level;
				}
			hwloc_bitmap_foreach_end();
		}
	hwloc_bitmap_foreach_end();
	b->asym_level = found;
}

/* Which capacities the CPUs of a set have; returns how many differ. */
static unsigned capacities(const struct build *b, hwloc_const_bitmap_t set,
			   bool seen[MACHINE_CAPACITY_MAX + 1])
{
	unsigned cpu, n = 0;

	memset(seen, 0, MACHINE_CAPACITY_MAX + 1);
	hwloc_bitmap_foreach_begin(cpu, set)
		n += !seen[b->m->cpus[cpu].capacity];
		seen[b->m->cpus[cpu].capacity] = true;
	hwloc_bitmap_foreach_end();
	return n;
}

/* asym_cpu_capacity_classify(), v5.14 and later: a span sees one, some or all capacities. */
static unsigned classify(const struct build *b, hwloc_const_bitmap_t span)
{
	bool seen[MACHINE_CAPACITY_MAX + 1];
	unsigned n;

	if (b->nr_capacities < 2)
		return 0;
	n = capacities(b, span, seen);
	if (n < 2)
		return 0;
	return MACHINE_SD_ASYM_CPUCAPACITY |
	       (n == b->nr_capacities ? MACHINE_SD_ASYM_CPUCAPACITY_FULL : 0);
}

/* sd_init()'s second half: "convert topological properties into behaviour". */
static void behave(const struct build *b, const struct machine_topo_level *l, struct machine_domain *sd)
{
	sd->imbalance_pct = b->r.imbalance_pct;
	if (sd->flags & MACHINE_SD_SHARE_CPUCAPACITY) {
		sd->imbalance_pct = 110;
		sd->cache_nice_tries = 0;
	} else if (sd->flags & MACHINE_SD_SHARE_LLC) {
		sd->imbalance_pct = 117;
		sd->cache_nice_tries = 1;
	} else if (sd->flags & MACHINE_SD_NUMA) {
		sd->cache_nice_tries = 2;
		sd->flags &= ~MACHINE_SD_PREFER_SIBLING;
		sd->flags |= MACHINE_SD_SERIALIZE;
		if (l->distance > b->r.reclaim_distance)
			sd->flags &= ~(MACHINE_SD_BALANCE_EXEC | MACHINE_SD_BALANCE_FORK |
				       MACHINE_SD_WAKE_AFFINE);
	} else {
		sd->cache_nice_tries = 1;
	}
}

static void sd_init(struct build *b, unsigned i, unsigned level, unsigned cpu)
{
	const struct machine_topo_level *l = &b->levels[level];
	struct machine_domain *sd = &b->chain[i].sd;
	struct machine_domain *child = i ? &b->chain[i - 1].sd : NULL;
	unsigned weight;

	machine_level_mask(b->m, b->k, l, cpu, b->mask);
	hwloc_bitmap_and(sd->span, b->mask, b->d->cpu_map);
	weight = machine_set_weight(b->r.weight_of_span ? sd->span : b->mask);
	snprintf(sd->name, sizeof(sd->name), "%s", l->name);
	sd->flags = b->r.base_flags | l->flags;
	sd->busy_factor = b->r.busy_factor;
	sd->min_interval = weight;
	sd->max_interval = 2 * weight;
	sd->imb_numa_nr = 0;
	sd->groups_flags = 0;
	if (b->r.asym_full)
		sd->flags |= classify(b, sd->span);
	else if ((int)level == b->asym_level)
		sd->flags |= MACHINE_SD_ASYM_CPUCAPACITY;
	if ((sd->flags & MACHINE_SD_ASYM_CPUCAPACITY) && child && b->r.asym_clears_child)
		child->flags &= ~MACHINE_SD_PREFER_SIBLING;
	behave(b, l, sd);
	if ((l->flags & MACHINE_SD_NUMA) && b->r.overlap_flag)
		sd->flags |= MACHINE_SD_OVERLAP;
	/* build_sched_domain(): "arch topology borken", and mended the kernel's way. */
	if (child)
		hwloc_bitmap_or(sd->span, sd->span, child->span);
}

/* build_sched_groups(): the child's span is one group; without a child each CPU is. */
static void count_groups(struct build *b, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++) {
		struct machine_chain *c = &b->chain[i];

		if (i) {
			c->groups = hwloc_bitmap_isequal(c->sd.span, c[-1].sd.span) ? 1 : 2;
			c->sd.groups_flags = b->r.group_flags ? c[-1].sd.flags : 0;
		} else {
			c->groups = machine_set_weight(c->sd.span) > 1 ? 2 : 1;
		}
	}
}

/* The loop "Calculate an allowed NUMA imbalance" of build_sched_domains(), v5.18 and later. */
static void imb_numa(struct build *b, unsigned nr)
{
	unsigned i, j, imb = 0, imb_span = 1, weight, llcs, factor;

	for (i = 0; i < nr; i++) {
		struct machine_domain *sd = &b->chain[i].sd;

		weight = machine_set_weight(sd->span);
		if (i && !(sd->flags & MACHINE_SD_SHARE_LLC) &&
		    (b->chain[i - 1].sd.flags & MACHINE_SD_SHARE_LLC)) {
			llcs = weight / machine_set_weight(b->chain[i - 1].sd.span);
			imb = llcs == 1 ? weight >> 3 : llcs;
			imb = imb ? imb : 1;
			sd->imb_numa_nr = imb;
			for (j = i + 1; j < nr; j++)
				if (b->chain[j].sd.flags & MACHINE_SD_NUMA)
					break;
			imb_span = j < nr ? machine_set_weight(b->chain[j].sd.span) : weight;
			continue;
		}
		factor = weight / imb_span;
		sd->imb_numa_nr = imb * (factor ? factor : 1);
	}
}

static int keep(struct build *b, unsigned cpu, unsigned nr, struct machine_error *err)
{
	struct machine_cpu_domains *c = &b->d->cpus[cpu];
	unsigned i;

	if (nr > MACHINE_DOMAINS_MAX)
		return machine_fail(err, -E2BIG, b->m->name,
				    "CPU %u has %u scheduling domains; at most %d are handled",
				    cpu, nr, MACHINE_DOMAINS_MAX);
	for (i = 0; i < nr; i++) {
		c->sd[i] = b->chain[i].sd;
		c->sd[i].span = machine_set_dup(b->chain[i].sd.span);
		if (!c->sd[i].span)
			return machine_nomem(err);
		c->nr++;
	}
	return 0;
}

static int build_cpu(struct build *b, unsigned cpu, struct machine_error *err)
{
	unsigned level, nr = 0;

	for (level = 0; level < b->nr_levels; level++) {
		sd_init(b, nr, level, cpu);
		nr++;
		if (hwloc_bitmap_isequal(b->chain[nr - 1].sd.span, b->d->cpu_map))
			break;
	}
	count_groups(b, nr);
	if (b->r.imb_numa)
		imb_numa(b, nr);
	nr = machine_degenerate(b->chain, nr, &b->r);
	return keep(b, cpu, nr, err);
}

static void level_span(struct build *b, const struct machine_topo_level *l, unsigned cpu,
		       hwloc_bitmap_t out)
{
	machine_level_mask(b->m, b->k, l, cpu, out);
	hwloc_bitmap_and(out, out, b->d->cpu_map);
}

/*
 * topology_span_sane(): below NUMA, two CPUs' spans of one level are equal or apart. A CPU is
 * held against the first of its span, and that one against all of them.
 */
static int check_level(struct build *b, const struct machine_topo_level *l, struct machine_error *err)
{
	hwloc_bitmap_t other = b->chain[0].sd.span;
	unsigned cpu, mate, first;

	hwloc_bitmap_foreach_begin(cpu, b->d->cpu_map)
		level_span(b, l, cpu, b->mask);
		first = (unsigned)hwloc_bitmap_first(b->mask);
		hwloc_bitmap_foreach_begin(mate, b->mask)
			if (first != cpu && mate != first)
				break;
			level_span(b, l, mate, other);
			if (!hwloc_bitmap_isequal(b->mask, other))
				return machine_fail(err, -EINVAL, b->m->name,
						    "level %s puts CPUs %u and %u together, but "
						    "with different others; Linux builds no "
						    "domains then (topology_span_sane)",
						    l->name, mate, cpu);
		hwloc_bitmap_foreach_end();
	hwloc_bitmap_foreach_end();
	return 0;
}

static int build_all(struct build *b, struct machine_error *err)
{
	bool seen[MACHINE_CAPACITY_MAX + 1];
	unsigned cpu, level;
	int rc = 0;

	b->nr_capacities = capacities(b, b->d->cpu_map, seen);
	for (level = 0; level < b->nr_levels && !rc; level++)
		if (!(b->levels[level].flags & MACHINE_SD_NUMA))
			rc = check_level(b, &b->levels[level], err);
	if (rc)
		return rc;
	if (!b->r.asym_full && b->nr_capacities > 1)
		find_asym_level(b);
	hwloc_bitmap_foreach_begin(cpu, b->d->cpu_map)
		rc = build_cpu(b, cpu, err);
		if (rc)
			return rc;
	hwloc_bitmap_foreach_end();
	return machine_top_cache(b->m, b->k, b->d) ? machine_nomem(err) : 0;
}

static int check_kernel(const struct machine *m, const struct machine_kernel *k,
			struct machine_error *err)
{
	if (machine_kernel_at_least(k, FIRST_MAJOR, FIRST_MINOR) &&
	    !machine_kernel_at_least(k, LAST_MAJOR, LAST_MINOR + 1))
		return 0;
	return machine_fail(err, -EOPNOTSUPP, m->name,
			    "kernel v%u.%u is not known; expected v%d.%d to v%d.%d", k->major,
			    k->minor, FIRST_MAJOR, FIRST_MINOR, LAST_MAJOR, LAST_MINOR);
}

int machine_domains_derive(const struct machine *m, const struct machine_kernel *k,
			   struct machine_domains **out, struct machine_error *err)
{
	struct build *b;
	int rc;

	rc = check_kernel(m, k, err);
	if (rc)
		return rc;
	b = build_new(m, k);
	if (!b)
		return machine_nomem(err);
	rc = build_all(b, err);
	if (!rc) {
		*out = b->d;
		b->d = NULL;
	}
	build_free(b);
	return rc;
}
