// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpu_attach_domain() and update_top_cache_domain(): which domains survive, and the words the
 * wake-up path reads instead of walking them.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

/* sd_degenerate(). SD_WAKE_AFFINE is the one flag that works without groups. */
static bool degenerate(const struct machine_chain *c, const struct machine_rules *r)
{
	if (machine_set_weight(c->sd.span) == 1)
		return true;
	if ((c->sd.flags & r->needs_groups) && c->groups > 1)
		return false;
	return !(c->sd.flags & MACHINE_SD_WAKE_AFFINE);
}

/* sd_parent_degenerate() */
static bool parent_degenerate(const struct machine_chain *c, const struct machine_chain *parent,
			      const struct machine_rules *r)
{
	unsigned pflags = parent->sd.flags;

	if (degenerate(parent, r))
		return true;
	if (!hwloc_bitmap_isequal(c->sd.span, parent->sd.span))
		return false;
	if (parent->groups == 1)
		pflags &= ~(r->needs_groups | r->numa_drops);
	return !(pflags & ~c->sd.flags);
}

/* Removes chain[i]; its span goes behind the survivors so that no bitmap is lost. */
static void chain_remove(struct machine_chain *chain, unsigned *nr, unsigned i)
{
	struct machine_chain gone = chain[i];

	memmove(&chain[i], &chain[i + 1], (*nr - i - 1) * sizeof(*chain));
	chain[--*nr] = gone;
}

unsigned machine_degenerate(struct machine_chain *chain, unsigned nr,
			    const struct machine_rules *r)
{
	unsigned tmp = 0;

	while (tmp + 1 < nr) {
		struct machine_domain *sd = &chain[tmp].sd, *parent = &chain[tmp + 1].sd;

		if (!parent_degenerate(&chain[tmp], &chain[tmp + 1], r)) {
			tmp++;
			continue;
		}
		if (tmp + 2 < nr && r->group_handover == ~0u)
			chain[tmp + 2].sd.groups_flags = sd->flags;
		else if (tmp + 2 < nr)
			chain[tmp + 2].sd.groups_flags |= sd->flags & r->group_handover;
		/* The spans match, so the wish to spread holds for the child's groups too. */
		sd->flags |= parent->flags & MACHINE_SD_PREFER_SIBLING;
		chain_remove(chain, &nr, tmp + 1);
	}
	if (nr && degenerate(&chain[0], r)) {
		chain_remove(chain, &nr, 0);
		if (nr)
			chain[0].sd.groups_flags = 0;
	}
	return nr;
}

/* highest_flag_domain(): the top of the run that starts at the bottom. */
static int highest(const struct machine_cpu_domains *c, unsigned flag)
{
	int i, hit = -1;

	for (i = 0; i < (int)c->nr && (c->sd[i].flags & flag); i++)
		hit = i;
	return hit;
}

static int lowest(const struct machine_cpu_domains *c, unsigned flag)
{
	int i;

	for (i = 0; i < (int)c->nr; i++)
		if (c->sd[i].flags & flag)
			return i;
	return -1;
}

/* v6.5 and later step over lower domains without the flag: it is no SDF_SHARED_CHILD there. */
static int asym_packing(const struct machine_cpu_domains *c, const struct machine_kernel *k)
{
	int i, hit = -1;

	if (!machine_kernel_at_least(k, 6, 5))
		return highest(c, MACHINE_SD_ASYM_PACKING);
	for (i = 0; i < (int)c->nr; i++)
		if (c->sd[i].flags & MACHINE_SD_ASYM_PACKING)
			hit = i;
	return hit;
}

static void top_cache_cpu(struct machine_cpu_domains *c, unsigned cpu,
			  const struct machine_kernel *k, const struct machine_rules *r)
{
	int cluster;

	c->sd_llc = highest(c, MACHINE_SD_SHARE_LLC);
	c->sd_llc_id = (int)cpu;
	c->sd_llc_size = 1;
	if (c->sd_llc >= 0) {
		c->sd_llc_id = hwloc_bitmap_first(c->sd[c->sd_llc].span);
		c->sd_llc_size = machine_set_weight(c->sd[c->sd_llc].span);
	}
	cluster = lowest(c, MACHINE_SD_CLUSTER);
	c->sd_share_id = cluster >= 0 ? hwloc_bitmap_first(c->sd[cluster].span) : c->sd_llc_id;
	c->sd_numa = lowest(c, MACHINE_SD_NUMA);
	c->sd_asym_packing = asym_packing(c, k);
	c->sd_asym = lowest(c, r->asym_full ? MACHINE_SD_ASYM_CPUCAPACITY_FULL
					    : MACHINE_SD_ASYM_CPUCAPACITY);
}

/* v7.3: ids are handed out in CPU order, one a hardware LLC, as at boot. */
static int dense_ids(const struct machine *m, const struct machine_kernel *k,
		     struct machine_domains *d)
{
	hwloc_bitmap_t mask = hwloc_bitmap_alloc();
	unsigned cpu, mate;
	int next = 0, id;

	if (!mask)
		return -1;
	for (cpu = 0; cpu < d->nr_cpu_ids; cpu++)
		d->cpus[cpu].sd_llc_id = -1;
	hwloc_bitmap_foreach_begin(cpu, d->cpu_map)
		machine_llc_mask(m, k, cpu, mask);
		id = -1;
		hwloc_bitmap_foreach_begin(mate, mask)
			if (id < 0)
				id = d->cpus[mate].sd_llc_id;
		hwloc_bitmap_foreach_end();
		d->cpus[cpu].sd_llc_id = id < 0 ? next++ : id;
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(mask);
	return 0;
}

int machine_top_cache(const struct machine *m, const struct machine_kernel *k,
		      struct machine_domains *d)
{
	struct machine_rules r;
	unsigned cpu;

	machine_rules(m, k, &r);
	d->sched_smt_active = d->sched_cluster_active = false;
	d->levels_max = 0;
	for (cpu = 0; cpu < d->nr_cpu_ids; cpu++) {
		struct machine_cpu_domains *c = &d->cpus[cpu];

		top_cache_cpu(c, cpu, k, &r);
		c->node = m->cpus[cpu].node < 0 ? 0 : m->cpus[cpu].node;
		if (hwloc_bitmap_isset(m->online, cpu))
			machine_smt_mask(m, cpu, c->smt);
		if (machine_set_weight(c->smt) > 1)
			d->sched_smt_active = true;
		if (lowest(c, MACHINE_SD_CLUSTER) >= 0)
			d->sched_cluster_active = true;
		if (c->nr > d->levels_max)
			d->levels_max = c->nr;
	}
	return r.dense_llc_id ? dense_ids(m, k, d) : 0;
}
