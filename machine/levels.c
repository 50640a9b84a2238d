// SPDX-License-Identifier: GPL-2.0-only
/*
 * The topology levels of each architecture and what CPUs each level puts together.
 *
 * Sources: default_topology[] and sched_init_numa() of kernel/sched/topology.c;
 * arch/x86/kernel/smpboot.c (x86_topology and its hybrid and numa-in-package forms,
 * build_sched_topology() since v6.6); drivers/base/arch_topology.c (cpu_coregroup_mask(),
 * cpu_clustergroup_mask()); arch/powerpc/kernel/smp.c (powerpc_topology).
 */
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

#define X86   (1u << MACHINE_X86)
#define ARM64 (1u << MACHINE_ARM64)
#define PPC   (1u << MACHINE_POWERPC)
#define OTHER (1u << MACHINE_OTHER)
#define ALL   (X86 | ARM64 | PPC | OTHER)

struct table_row {
	unsigned archs;
	unsigned since_major, since_minor;
	const char *name, *old_name; /* old_name before v6.7 */
	enum machine_mask mask;
	unsigned flags;
};

#define SD(x) MACHINE_SD_##x

static const struct table_row table[] = {
	{ ALL, 5, 4, "SMT", "SMT", MACHINE_MASK_SMT, SD(SHARE_CPUCAPACITY) | SD(SHARE_LLC) },
	{ PPC, 5, 4, "CACHE", "CACHE", MACHINE_MASK_CACHE, SD(SHARE_LLC) },
	{ ALL & ~PPC, 5, 16, "CLS", "CLS", MACHINE_MASK_CLUSTER, SD(SHARE_LLC) },
	{ ALL & ~PPC, 5, 4, "MC", "MC", MACHINE_MASK_MC, SD(SHARE_LLC) },
	{ ALL, 5, 4, "PKG", "DIE", MACHINE_MASK_NODE, 0 },
};

/* x86_has_numa_in_package: set_cpu_sibling_map() met a package mate on another node. */
static bool numa_in_package(const struct machine *m)
{
	unsigned cpu, first;

	if (m->arch != MACHINE_X86)
		return false;
	hwloc_bitmap_foreach_begin(cpu, m->online)
		if (m->cpus[cpu].package < 0)
			continue;
		first = (unsigned)hwloc_bitmap_first(m->cpus[cpu].pkg);
		if (m->cpus[first].node != m->cpus[cpu].node)
			return true;
	hwloc_bitmap_foreach_end();
	return false;
}

/* sysctl_sched_itmt_enabled: the P-state driver found CPUs that are better than others. */
static bool itmt(const struct machine *m)
{
	unsigned cpu, priority = 0;

	if (m->arch != MACHINE_X86)
		return false;
	hwloc_bitmap_foreach_begin(cpu, m->online)
		if (priority && m->cpus[cpu].priority && m->cpus[cpu].priority != priority)
			return true;
		priority = m->cpus[cpu].priority;
	hwloc_bitmap_foreach_end();
	return false;
}

/* x86_sched_itmt_flags() by level: SMT lost it in v6.5, hybrid's package got it then. */
static unsigned itmt_flags(const struct machine *m, const struct machine_kernel *k,
			   enum machine_mask mask)
{
	bool v65 = machine_kernel_at_least(k, 6, 5), v614 = machine_kernel_at_least(k, 6, 14);

	if (mask == MACHINE_MASK_SMT && v65)
		return 0;
	if (mask == MACHINE_MASK_NODE && !(v614 || (m->hybrid && v65)))
		return 0;
	return itmt(m) ? SD(ASYM_PACKING) : 0;
}

static unsigned level_flags(const struct machine *m, const struct machine_kernel *k,
			    const struct table_row *row)
{
	struct machine_rules rules;
	unsigned flags = row->flags;

	machine_rules(m, k, &rules);
	if (m->arch == MACHINE_X86)
		flags |= itmt_flags(m, k, row->mask);
	/* CPU_FTR_ASYM_SMT */
	if (m->arch == MACHINE_POWERPC && m->family == 7 && row->mask == MACHINE_MASK_SMT)
		flags |= SD(ASYM_PACKING);
	if (row->mask == MACHINE_MASK_CLUSTER && rules.cluster_flag)
		flags |= SD(CLUSTER);
	return flags;
}

static bool row_applies(const struct machine *m, const struct machine_kernel *k,
			const struct table_row *row)
{
	if (!(row->archs & (1u << m->arch)) ||
	    !machine_kernel_at_least(k, row->since_major, row->since_minor))
		return false;
	if (row->mask == MACHINE_MASK_CLUSTER)
		return k->cluster &&
		       !(m->arch == MACHINE_X86 && m->hybrid && !machine_kernel_at_least(k, 6, 6));
	if (row->mask == MACHINE_MASK_NODE)
		return !numa_in_package(m);
	return true;
}

/* Distinct distances between nodes, ascending; from v5.18 on nodes without CPUs don't count. */
static unsigned distances(const struct machine *m, const struct machine_kernel *k,
			  unsigned out[MACHINE_DISTANCE_MAX + 1])
{
	bool seen[MACHINE_DISTANCE_MAX + 1] = { false };
	bool only_cpus = machine_kernel_at_least(k, 5, 18);
	unsigned i, j, n = 0;

	for (i = 0; i < m->nr_nodes; i++) {
		for (j = 0; j < m->nr_nodes; j++) {
			if (only_cpus && (hwloc_bitmap_iszero(m->nodes[i].cpus) ||
					  hwloc_bitmap_iszero(m->nodes[j].cpus)))
				continue;
			seen[m->distance[i * m->nr_nodes + j]] = true;
		}
	}
	for (i = 0; i <= MACHINE_DISTANCE_MAX; i++)
		if (seen[i])
			out[n++] = i;
	return n;
}

unsigned machine_levels(const struct machine *m, const struct machine_kernel *k,
			struct machine_topo_level levels[MACHINE_LEVELS_MAX])
{
	unsigned dist[MACHINE_DISTANCE_MAX + 1];
	unsigned i, nr_dist, n = 0;
	bool old_names = !machine_kernel_at_least(k, 6, 7);

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!row_applies(m, k, &table[i]))
			continue;
		levels[n++] = (struct machine_topo_level){
			.name = old_names ? table[i].old_name : table[i].name,
			.mask = table[i].mask,
			.flags = level_flags(m, k, &table[i]),
		};
	}
	nr_dist = distances(m, k, dist);
	for (i = 0; i < nr_dist; i++)
		levels[n++] = (struct machine_topo_level){
			.name = i ? "NUMA" : "NODE",
			.mask = MACHINE_MASK_NUMA,
			.flags = i ? SD(NUMA) : 0,
			.distance = dist[i],
		};
	return n;
}

static const struct machine_node *node_of(const struct machine *m, unsigned cpu)
{
	return &m->nodes[machine_node_index(m, m->cpus[cpu].node)];
}

/* POWER's big cores: cpu_smallcore_mask(), the threads that share an L1. */
void machine_smt_mask(const struct machine *m, unsigned cpu, hwloc_bitmap_t out)
{
	const struct machine_cpu *c = &m->cpus[cpu];
	const struct machine_cache *l1 = machine_level_cache(c, 1);

	hwloc_bitmap_copy(out, c->smt);
	if (m->arch == MACHINE_POWERPC && l1)
		hwloc_bitmap_and(out, out, l1->cpus);
}

/* arch_topology.c: the smallest of node, package and LLC. */
static void arm64_coregroup(const struct machine *m, const struct machine_kernel *k, unsigned cpu,
			    hwloc_bitmap_t out)
{
	const struct machine_cpu *c = &m->cpus[cpu];

	hwloc_bitmap_copy(out, node_of(m, cpu)->cpus);
	if (hwloc_bitmap_isincluded(c->pkg, out))
		hwloc_bitmap_copy(out, c->pkg);
	if (c->nr_caches || m->recording) {
		if (hwloc_bitmap_isincluded(c->llc, out))
			hwloc_bitmap_copy(out, c->llc);
	}
	/* Without an LLC, at least the cluster (v5.19, db1e59483dfd). */
	if (k->cluster && machine_kernel_at_least(k, 5, 19) &&
	    hwloc_bitmap_isincluded(out, c->cluster))
		hwloc_bitmap_copy(out, c->cluster);
}

/*
 * x86: an LLC never reaches over a node. With sub-NUMA clustering by intention (match_llc()),
 * else because topology_sane() objects.
 */
static void coregroup(const struct machine *m, const struct machine_kernel *k, unsigned cpu,
		      hwloc_bitmap_t out)
{
	if (m->arch == MACHINE_ARM64) {
		arm64_coregroup(m, k, cpu, out);
		return;
	}
	hwloc_bitmap_copy(out, m->cpus[cpu].llc);
	if (m->arch == MACHINE_X86)
		hwloc_bitmap_and(out, out, node_of(m, cpu)->cpus);
}

/* arm64: never as wide as the LLC (v6.0, bfcc4397435d). */
static void cluster_mask(const struct machine *m, const struct machine_kernel *k, unsigned cpu,
			 hwloc_bitmap_t out)
{
	if (m->arch == MACHINE_ARM64 && machine_kernel_at_least(k, 6, 0)) {
		coregroup(m, k, cpu, out);
		if (hwloc_bitmap_isincluded(out, m->cpus[cpu].cluster)) {
			machine_smt_mask(m, cpu, out);
			return;
		}
	}
	hwloc_bitmap_copy(out, m->cpus[cpu].cluster);
}

/* shared_cache_mask(): the L2's threads, at least those of the (small) core. */
static void cache_mask(const struct machine *m, unsigned cpu, hwloc_bitmap_t out)
{
	const struct machine_cache *l2 = machine_level_cache(&m->cpus[cpu], 2);

	machine_smt_mask(m, cpu, out);
	if (l2)
		hwloc_bitmap_or(out, out, l2->cpus);
}

static void numa_mask(const struct machine *m, unsigned distance, unsigned cpu,
		      hwloc_bitmap_t out)
{
	unsigned i, from = (unsigned)machine_node_index(m, m->cpus[cpu].node);

	hwloc_bitmap_zero(out);
	for (i = 0; i < m->nr_nodes; i++)
		if (m->distance[from * m->nr_nodes + i] <= distance)
			hwloc_bitmap_or(out, out, m->nodes[i].cpus);
}

void machine_level_mask(const struct machine *m, const struct machine_kernel *k,
			const struct machine_topo_level *l, unsigned cpu, hwloc_bitmap_t out)
{
	switch (l->mask) {
	case MACHINE_MASK_SMT:
		machine_smt_mask(m, cpu, out);
		break;
	case MACHINE_MASK_CLUSTER:
		cluster_mask(m, k, cpu, out);
		break;
	case MACHINE_MASK_MC:
		coregroup(m, k, cpu, out);
		break;
	case MACHINE_MASK_CACHE:
		cache_mask(m, cpu, out);
		break;
	case MACHINE_MASK_NODE:
		hwloc_bitmap_copy(out, node_of(m, cpu)->cpus);
		break;
	case MACHINE_MASK_NUMA:
		numa_mask(m, l->distance, cpu, out);
		break;
	}
}

void machine_llc_mask(const struct machine *m, const struct machine_kernel *k, unsigned cpu,
		      hwloc_bitmap_t out)
{
	if (m->arch == MACHINE_POWERPC)
		cache_mask(m, cpu, out);
	else
		coregroup(m, k, cpu, out);
}
