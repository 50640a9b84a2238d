// SPDX-License-Identifier: GPL-2.0-only
/*
 * A struct machine: made, filled, checked, freed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/card.h"

static bool cpu_alloc(struct machine_cpu *c)
{
	c->package = c->die = c->core = c->node = -1;
	c->capacity = 1024;
	c->smt = hwloc_bitmap_alloc();
	c->cluster = hwloc_bitmap_alloc();
	c->llc = hwloc_bitmap_alloc();
	c->pkg = hwloc_bitmap_alloc();
	return c->smt && c->cluster && c->llc && c->pkg;
}

struct machine *machine_new(const char *name, enum machine_source source, unsigned nr_cpu_ids)
{
	struct machine *m = calloc(1, sizeof(*m));
	unsigned i;
	bool ok;

	if (!m)
		return NULL;
	m->name = strdup(name);
	m->source = source;
	m->arch = MACHINE_OTHER;
	m->possible = hwloc_bitmap_alloc();
	m->present = hwloc_bitmap_alloc();
	m->online = hwloc_bitmap_alloc();
	m->isolated = hwloc_bitmap_alloc();
	m->cpus = calloc(nr_cpu_ids, sizeof(*m->cpus));
	ok = m->name && m->possible && m->present && m->online && m->isolated && m->cpus;
	if (ok)
		m->nr_cpu_ids = nr_cpu_ids;
	for (i = 0; ok && i < nr_cpu_ids; i++)
		ok = cpu_alloc(&m->cpus[i]);
	if (ok)
		return m;
	machine_free(m);
	return NULL;
}

static void cpu_free(struct machine_cpu *c)
{
	unsigned i;

	hwloc_bitmap_free(c->smt);
	hwloc_bitmap_free(c->cluster);
	hwloc_bitmap_free(c->llc);
	hwloc_bitmap_free(c->pkg);
	for (i = 0; i < c->nr_caches; i++)
		hwloc_bitmap_free(c->caches[i].cpus);
}

void machine_recording_free(struct machine_recording *r)
{
	if (!r)
		return;
	free(r->release);
	free(r->variant);
	free(r->toggles);
	free(r->features);
	machine_domains_free(r->domains);
	free(r);
}

void machine_free(struct machine *m)
{
	unsigned i;

	if (!m)
		return;
	for (i = 0; i < m->nr_cpu_ids; i++)
		cpu_free(&m->cpus[i]);
	for (i = 0; i < m->nr_nodes; i++)
		hwloc_bitmap_free(m->nodes[i].cpus);
	for (i = 0; i < m->nr_notes; i++)
		free(m->notes[i]);
	hwloc_bitmap_free(m->possible);
	hwloc_bitmap_free(m->present);
	hwloc_bitmap_free(m->online);
	hwloc_bitmap_free(m->isolated);
	machine_recording_free(m->recording);
	machine_costs_free(m->costs);
	free(m->cpus);
	free(m->nodes);
	free(m->distance);
	free(m->notes);
	free(m->name);
	free(m);
}

int machine_note(struct machine *m, const char *fmt, ...)
{
	char **notes = realloc(m->notes, (m->nr_notes + 1) * sizeof(*notes));
	va_list ap;
	int n;

	if (!notes)
		return -ENOMEM;
	m->notes = notes;
	va_start(ap, fmt);
	n = vasprintf(&notes[m->nr_notes], fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	m->nr_notes++;
	return 0;
}

int machine_add_node(struct machine *m, int id, bool memory, hwloc_const_bitmap_t cpus)
{
	struct machine_node *nodes;

	if (m->nr_nodes == MACHINE_NODES_MAX)
		return -E2BIG;
	nodes = realloc(m->nodes, (m->nr_nodes + 1) * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	m->nodes = nodes;
	nodes[m->nr_nodes] = (struct machine_node){ id, memory, machine_set_dup(cpus) };
	if (!nodes[m->nr_nodes].cpus)
		return -ENOMEM;
	m->nr_nodes++;
	return 0;
}

int machine_alloc_distance(struct machine *m)
{
	unsigned i, n = m->nr_nodes;

	free(m->distance);
	m->distance = calloc((size_t)n * n, sizeof(*m->distance));
	if (!m->distance)
		return -ENOMEM;
	for (i = 0; i < n * n; i++)
		m->distance[i] =
			i / n == i % n ? MACHINE_DISTANCE_LOCAL : MACHINE_DISTANCE_REMOTE;
	return 0;
}

/* Keeps the order of struct machine_cpu.caches: by level, then type. */
int machine_add_cache(struct machine_cpu *c, unsigned level, char type, uint64_t size,
		      hwloc_const_bitmap_t cpus)
{
	struct machine_cache *a = c->caches;
	unsigned i = c->nr_caches;
	hwloc_bitmap_t set;

	if (i == MACHINE_CACHES_MAX)
		return -E2BIG;
	set = machine_set_dup(cpus);
	if (!set)
		return -ENOMEM;
	for (; i > 0; i--) {
		if (a[i - 1].level < level || (a[i - 1].level == level && a[i - 1].type <= type))
			break;
		a[i] = a[i - 1];
	}
	a[i] = (struct machine_cache){ level, type, size, set };
	c->nr_caches++;
	return 0;
}

const struct machine_cache *machine_last_cache(const struct machine_cpu *c)
{
	unsigned i;

	for (i = c->nr_caches; i-- > 0;)
		if (c->caches[i].type != 'I')
			return &c->caches[i];
	return NULL;
}

const struct machine_cache *machine_level_cache(const struct machine_cpu *c, unsigned level)
{
	unsigned i;

	for (i = 0; i < c->nr_caches; i++)
		if (c->caches[i].level == level && c->caches[i].type != 'I')
			return &c->caches[i];
	return NULL;
}

int machine_node_index(const struct machine *m, int id)
{
	unsigned i;

	for (i = 0; i < m->nr_nodes; i++)
		if (m->nodes[i].id == id)
			return (int)i;
	return -1;
}

const char *machine_arch_name(enum machine_arch arch)
{
	static const char *const names[] = { "x86", "arm64", "powerpc", "other" };

	return arch <= MACHINE_OTHER ? names[arch] : "other";
}

const char *machine_source_name(enum machine_source source)
{
	static const char *const names[] = {
		[MACHINE_FROM_XML] = "hwloc XML",
		[MACHINE_FROM_SYSFS] = "sysfs",
		[MACHINE_FROM_LSCPU] = "lscpu -p",
		[MACHINE_FROM_SYNTHETIC] = "hwloc synthetic",
		[MACHINE_FROM_RECORDING] = "recording",
		[MACHINE_FROM_PRESET] = "preset",
	};

	return source <= MACHINE_FROM_PRESET ? names[source] : "other";
}

static void cpu_drop(struct machine_cpu *c, hwloc_const_bitmap_t gone)
{
	unsigned i;

	hwloc_bitmap_andnot(c->smt, c->smt, gone);
	hwloc_bitmap_andnot(c->cluster, c->cluster, gone);
	hwloc_bitmap_andnot(c->llc, c->llc, gone);
	hwloc_bitmap_andnot(c->pkg, c->pkg, gone);
	for (i = 0; i < c->nr_caches; i++)
		hwloc_bitmap_andnot(c->caches[i].cpus, c->caches[i].cpus, gone);
}

int machine_offline(struct machine *m, hwloc_const_bitmap_t cpus, struct machine_error *err)
{
	char buf[128];
	unsigned i;

	if (!hwloc_bitmap_isincluded(cpus, m->possible))
		return machine_fail(err, -EINVAL, m->name, "CPUs %s are not all possible",
				    machine_set_text(cpus, buf, sizeof(buf)));
	if (hwloc_bitmap_isincluded(m->online, cpus))
		return machine_fail(err, -EINVAL, m->name, "no CPU would remain online");
	hwloc_bitmap_andnot(m->online, m->online, cpus);
	for (i = 0; i < m->nr_cpu_ids; i++) {
		cpu_drop(&m->cpus[i], cpus);
		if (hwloc_bitmap_isset(cpus, i)) {
			hwloc_bitmap_zero(m->cpus[i].smt);
			hwloc_bitmap_zero(m->cpus[i].cluster);
			hwloc_bitmap_zero(m->cpus[i].llc);
			hwloc_bitmap_zero(m->cpus[i].pkg);
		}
	}
	for (i = 0; i < m->nr_nodes; i++)
		hwloc_bitmap_andnot(m->nodes[i].cpus, m->nodes[i].cpus, cpus);
	if (m->recording) {
		machine_domains_free(m->recording->domains);
		m->recording->domains = NULL;
	}
	return 0;
}
