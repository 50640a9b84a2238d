// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last step of every reader: defaults for what was not said, refusal of what cannot be.
 *
 * Linux builds its masks symmetrically, so a set that is not the same seen from each of its
 * members is a damaged file, not an odd machine. Refusing it here keeps the domain builder's
 * input sane.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "machine/private.h"

/* Which sets are checked, and what messages call them. */
static const struct {
	const char *what;
	size_t offset;
} sets[] = {
	{ "core (thread siblings)", offsetof(struct machine_cpu, smt) },
	{ "cluster", offsetof(struct machine_cpu, cluster) },
	{ "last level cache", offsetof(struct machine_cpu, llc) },
	{ "package", offsetof(struct machine_cpu, pkg) },
};

#define NR_SETS (sizeof(sets) / sizeof(sets[0]))

static hwloc_bitmap_t set_of(const struct machine_cpu *c, unsigned which)
{
	return *(hwloc_bitmap_t *)((char *)c + sets[which].offset);
}

static int check_cpu_masks(struct machine *m, struct machine_error *err)
{
	char buf[128];

	if (hwloc_bitmap_iszero(m->online))
		return machine_fail(err, -EINVAL, m->name, "no CPU is online");
	if (hwloc_bitmap_last(m->possible) >= (int)m->nr_cpu_ids ||
	    !hwloc_bitmap_isincluded(m->present, m->possible))
		return machine_fail(err, -EINVAL, m->name,
				    "present CPUs %s are not all possible",
				    machine_set_text(m->present, buf, sizeof(buf)));
	if (!hwloc_bitmap_isincluded(m->online, m->present))
		return machine_fail(err, -EINVAL, m->name,
				    "online CPUs %s are not all present",
				    machine_set_text(m->online, buf, sizeof(buf)));
	if (!hwloc_bitmap_isincluded(m->isolated, m->possible))
		return machine_fail(err, -EINVAL, m->name,
				    "isolated CPUs %s are not all possible",
				    machine_set_text(m->isolated, buf, sizeof(buf)));
	return 0;
}

static int check_capacities(struct machine *m, struct machine_error *err)
{
	unsigned cpu;

	for (cpu = 0; cpu < m->nr_cpu_ids; cpu++)
		if (!m->cpus[cpu].capacity || m->cpus[cpu].capacity > MACHINE_CAPACITY_MAX)
			return machine_fail(err, -EINVAL, m->name,
					    "capacity of CPU %u is %u; expected 1 to %d", cpu,
					    m->cpus[cpu].capacity, MACHINE_CAPACITY_MAX);
	return 0;
}

static int finish_nodes(struct machine *m, struct machine_error *err)
{
	unsigned i, cpu;
	int at;

	if (!m->nr_nodes) {
		if (machine_add_node(m, 0, true, m->online))
			return machine_nomem(err);
	}
	if (!m->distance && machine_alloc_distance(m))
		return machine_nomem(err);
	for (i = 0; i < m->nr_nodes; i++) {
		hwloc_bitmap_and(m->nodes[i].cpus, m->nodes[i].cpus, m->online);
		hwloc_bitmap_foreach_begin(cpu, m->nodes[i].cpus)
			at = machine_node_index(m, m->cpus[cpu].node);
			if (at >= 0 && at != (int)i)
				return machine_fail(err, -EINVAL, m->name,
						    "CPU %u is in node %d and in node %d; "
						    "expected one node a CPU",
						    cpu, m->nodes[at].id, m->nodes[i].id);
			m->cpus[cpu].node = m->nodes[i].id;
		hwloc_bitmap_foreach_end();
	}
	hwloc_bitmap_foreach_begin(cpu, m->online)
		if (m->cpus[cpu].node < 0)
			return machine_fail(err, -EINVAL, m->name,
					    "CPU %u is online and in no node", cpu);
	hwloc_bitmap_foreach_end();
	return 0;
}

/* x86's numa_set_distance() ignores anything but 10 from a node to itself, and u8 is the SLIT. */
static int check_distances(struct machine *m, struct machine_error *err)
{
	bool seen[MACHINE_DISTANCE_MAX + 1] = { false };
	unsigned i, d, n = m->nr_nodes, distinct = 0;

	for (i = 0; i < n * n; i++) {
		d = m->distance[i];
		if (i / n == i % n ? d != MACHINE_DISTANCE_LOCAL
				   : d < MACHINE_DISTANCE_LOCAL || d > MACHINE_DISTANCE_MAX)
			return machine_fail(err, -EINVAL, m->name,
					    "distance from node %d to node %d is %u; expected %s",
					    m->nodes[i / n].id, m->nodes[i % n].id, d,
					    i / n == i % n ? "10" : "10 to 255");
		distinct += !seen[d];
		seen[d] = true;
	}
	if (distinct > MACHINE_DISTANCES_MAX)
		return machine_fail(err, -E2BIG, m->name,
				    "%u distinct node distances; at most %d are handled", distinct,
				    MACHINE_DISTANCES_MAX);
	return 0;
}

/*
 * Where no cluster is named, x86 takes the sharers of the L2 (cpu_l2c_shared_mask), except that
 * on AMD it sets no L2 id up to v7.3. Others have clusters only by firmware's word.
 */
static void default_cluster(const struct machine *m, struct machine_cpu *c)
{
	const struct machine_cache *l2 = machine_level_cache(c, 2);
	bool by_l2 = m->arch == MACHINE_OTHER ||
		     (m->arch == MACHINE_X86 && m->vendor != MACHINE_VENDOR_AMD);

	if (by_l2 && l2 && hwloc_bitmap_isincluded(c->smt, l2->cpus))
		hwloc_bitmap_copy(c->cluster, l2->cpus);
	else
		hwloc_bitmap_copy(c->cluster, c->smt);
}

static void finish_cpu(struct machine *m, unsigned cpu)
{
	struct machine_cpu *c = &m->cpus[cpu];
	const struct machine_cache *last;
	unsigned i;

	for (i = 0; i < c->nr_caches; i++) {
		hwloc_bitmap_and(c->caches[i].cpus, c->caches[i].cpus, m->online);
		hwloc_bitmap_set(c->caches[i].cpus, cpu);
	}
	hwloc_bitmap_set(c->smt, cpu);
	hwloc_bitmap_and(c->smt, c->smt, m->online);
	if (hwloc_bitmap_iszero(c->pkg))
		hwloc_bitmap_copy(c->pkg, m->online);
	hwloc_bitmap_and(c->pkg, c->pkg, m->online);
	hwloc_bitmap_set(c->pkg, cpu);
	last = machine_last_cache(c);
	if (hwloc_bitmap_iszero(c->llc))
		hwloc_bitmap_copy(c->llc, last ? last->cpus : c->pkg);
	hwloc_bitmap_and(c->llc, c->llc, m->online);
	hwloc_bitmap_set(c->llc, cpu);
	if (hwloc_bitmap_iszero(c->cluster))
		default_cluster(m, c);
	hwloc_bitmap_and(c->cluster, c->cluster, m->online);
	hwloc_bitmap_set(c->cluster, cpu);
}

static int differ(const struct machine *m, unsigned which, unsigned cpu, unsigned mate,
		  struct machine_error *err)
{
	char place[200], a[80], b[80];

	snprintf(place, sizeof(place), "%.160s: cpu%u", m->name, cpu);
	return machine_fail(err, -EINVAL, place,
			    "its %s is %s, but CPU %u's is %s; expected the same",
			    sets[which].what,
			    machine_set_text(set_of(&m->cpus[cpu], which), a, sizeof(a)), mate,
			    machine_set_text(set_of(&m->cpus[mate], which), b, sizeof(b)));
}

/*
 * Sets part the CPUs if the first member of each agrees with all its members, and every member
 * with its first: two looks a CPU instead of one a pair.
 */
static int check_partition(const struct machine *m, unsigned which, struct machine_error *err)
{
	unsigned cpu, mate, first;

	hwloc_bitmap_foreach_begin(cpu, m->online)
		hwloc_const_bitmap_t set = set_of(&m->cpus[cpu], which);

		first = (unsigned)hwloc_bitmap_first(set);
		if (!hwloc_bitmap_isequal(set, set_of(&m->cpus[first], which)))
			return differ(m, which, cpu, first, err);
		if (first != cpu)
			continue;
		hwloc_bitmap_foreach_begin(mate, set)
			if (!hwloc_bitmap_isequal(set, set_of(&m->cpus[mate], which)))
				return differ(m, which, mate, cpu, err);
		hwloc_bitmap_foreach_end();
	hwloc_bitmap_foreach_end();
	return 0;
}

static void clear_offline(struct machine *m, unsigned cpu)
{
	unsigned i;

	for (i = 0; i < NR_SETS; i++)
		hwloc_bitmap_zero(set_of(&m->cpus[cpu], i));
	m->cpus[cpu].node = -1;
}

int machine_finish(struct machine *m, struct machine_error *err)
{
	unsigned cpu, i;
	int rc;

	rc = check_cpu_masks(m, err);
	if (!rc)
		rc = check_capacities(m, err);
	if (!rc)
		rc = finish_nodes(m, err);
	if (!rc)
		rc = check_distances(m, err);
	for (cpu = 0; !rc && cpu < m->nr_cpu_ids; cpu++) {
		if (hwloc_bitmap_isset(m->online, cpu))
			finish_cpu(m, cpu);
		else
			clear_offline(m, cpu);
	}
	for (i = 0; !rc && i < NR_SETS; i++)
		rc = check_partition(m, i, err);
	return rc;
}
