// SPDX-License-Identifier: GPL-2.0-only
#include "sched/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(WAKE_DOMAINS_MAX >= MACHINE_DOMAINS_MAX, "every domain has a place");

struct builder {
	const struct machine *machine;
	const struct machine_domains *domains;
	struct sched_topology *topo;
	struct machine_error *err;
	wake_u32 max_spans;
};

static int refuse(struct builder *b, const char *what)
{
	if (b->err) {
		snprintf(b->err->place, sizeof(b->err->place), "%s", b->machine->name);
		snprintf(b->err->text, sizeof(b->err->text), "%s", what);
	}
	return -EINVAL;
}

static void set_to_span(hwloc_const_bitmap_t set, struct wake_span *span)
{
	int first = hwloc_bitmap_first(set), last = hwloc_bitmap_last(set);

	memset(span, 0, sizeof(*span));
	if (first < 0)
		return;
	span->first = (wake_u16)(first / 64);
	span->last = (wake_u16)(last / 64);
	span->weight = (wake_u32)hwloc_bitmap_weight(set);
	for (int w = span->first; w <= span->last; w++)
		span->bits[w] = hwloc_bitmap_to_ith_ulong(set, (unsigned int)w);
}

/* The index of the span with these CPUs; each is kept once. */
static int add_span(struct builder *b, hwloc_const_bitmap_t set, wake_u16 *out)
{
	struct sched_topology *topo = b->topo;
	struct wake_span span;

	set_to_span(set, &span);
	/* Neighbours share their domains: the last ones are the likely ones. */
	for (wake_u32 i = topo->nr_spans; i-- > 0;) {
		if (!memcmp(&topo->spans[i], &span, sizeof(span))) {
			*out = (wake_u16)i;
			return 0;
		}
	}
	if (topo->nr_spans == SCHED_NO_SPAN)
		return refuse(b, "too many different CPU sets");
	if (topo->nr_spans == b->max_spans) {
		wake_u32 max = b->max_spans ? 2 * b->max_spans : 64;
		struct wake_span *spans = realloc(topo->spans, max * sizeof(*spans));

		if (!spans)
			return -ENOMEM;
		topo->spans = spans;
		b->max_spans = max;
	}
	topo->spans[topo->nr_spans] = span;
	*out = (wake_u16)topo->nr_spans++;
	return 0;
}

static int add_smt(struct builder *b, hwloc_const_bitmap_t smt, struct sched_topology_cpu *cpu)
{
	int thread;

	if (!smt)
		return 0;
	hwloc_bitmap_foreach_begin(thread, smt)
		if (cpu->nr_smt == WAKE_SMT_MAX)
			return refuse(b, "a core with more than 8 threads");
		cpu->smt[cpu->nr_smt++] = (wake_u16)thread;
	hwloc_bitmap_foreach_end();
	return 0;
}

/*
 * Does this domain count as a cluster? The flag came with cluster-scan (v6.7), whose
 * earlier forms bring it along on the level that v5.16 has without it.
 */
static bool is_cluster(const struct machine_domain *sd)
{
	return (sd->flags & MACHINE_SD_CLUSTER) || !strcmp(sd->name, "CLS");
}

/* The spans that have names of their own: LLC, cluster, the LLC's first group, asym. */
static void add_named(const struct machine_cpu_domains *from, struct sched_topology_cpu *cpu)
{
	for (unsigned int i = 0; i < from->nr; i++) {
		if (!is_cluster(&from->sd[i]) || cpu->cluster != SCHED_NO_SPAN)
			continue;
		cpu->cluster = cpu->domain[i].span;
		cpu->share_id = (wake_u32)hwloc_bitmap_first(from->sd[i].span);
	}
	if (from->sd_asym >= 0)
		cpu->asym = cpu->domain[from->sd_asym].span;
	if (from->sd_llc < 0)
		return;
	cpu->llc = cpu->domain[from->sd_llc].span;
	cpu->llc_pct = cpu->domain[from->sd_llc].imbalance_pct;
	/* The first group of a domain is the span of its child. */
	if (from->sd_llc > 0 && is_cluster(&from->sd[from->sd_llc - 1]))
		cpu->llc_group = cpu->domain[from->sd_llc - 1].span;
}

static int add_cpu(struct builder *b, wake_u32 id)
{
	const struct machine_cpu_domains *from = &b->domains->cpus[id];
	struct sched_topology_cpu *cpu = &b->topo->cpus[id];
	int node = machine_node_index(b->machine, from->node), ret;

	cpu->llc = cpu->cluster = cpu->llc_group = cpu->asym = cpu->node = SCHED_NO_SPAN;
	cpu->capacity = (wake_u16)b->machine->cpus[id].capacity;
	cpu->active = (wake_u16)hwloc_bitmap_isset(b->machine->online, id);
	cpu->llc_size = from->sd_llc_size;
	cpu->llc_id = (wake_u32)from->sd_llc_id;
	cpu->share_id = (wake_u32)from->sd_share_id;
	if (cpu->active && cpu->capacity > b->topo->max_capacity)
		b->topo->max_capacity = cpu->capacity;
	for (unsigned int i = 0; i < from->nr; i++) {
		struct sched_topology_domain *sd = &cpu->domain[i];

		ret = add_span(b, from->sd[i].span, &sd->span);
		if (ret)
			return ret;
		sd->imbalance_pct = (wake_u16)from->sd[i].imbalance_pct;
		sd->wake_affine = !!(from->sd[i].flags & MACHINE_SD_WAKE_AFFINE);
	}
	cpu->nr_domains = (wake_u16)from->nr;
	add_named(from, cpu);
	if (node >= 0) {
		ret = add_span(b, b->machine->nodes[node].cpus, &cpu->node);
		if (ret)
			return ret;
	}
	return add_smt(b, from->smt, cpu);
}

/* Ids are compared, never counted: the first CPU with an id stands for it in any version. */
static void name_ids(struct sched_topology *topo)
{
	for (wake_u32 cpu = topo->nr_cpus; cpu-- > 0;) {
		for (wake_u32 first = 0; first <= cpu; first++) {
			if (topo->cpus[first].llc_id != topo->cpus[cpu].llc_id)
				continue;
			topo->cpus[cpu].llc_id = first;
			break;
		}
	}
}

static int build(struct builder *b)
{
	wake_u32 nr = b->domains->nr_cpu_ids;
	int ret = 0;

	if (nr > WAKE_NR_CPUS)
		return refuse(b, "more CPU ids than this build of the wake path has (WAKE_NR_CPUS)");
	b->topo = calloc(1, sizeof(*b->topo));
	if (!b->topo)
		return -ENOMEM;
	b->topo->nr_cpus = nr;
	b->topo->smt_active = b->domains->sched_smt_active;
	b->topo->cpus = calloc(nr, sizeof(*b->topo->cpus));
	if (!b->topo->cpus)
		return -ENOMEM;
	for (wake_u32 id = 0; id < nr && !ret; id++)
		ret = add_cpu(b, id);
	if (!ret)
		name_ids(b->topo);
	return ret;
}

int sched_topology_create(const struct machine *m, const struct machine_kernel *k,
			  struct sched_topology **out, struct machine_error *err)
{
	struct machine_domains *domains;
	struct builder b = { .machine = m, .err = err };
	int ret = machine_domains(m, k, &domains, err);

	if (ret)
		return ret;
	b.domains = domains;
	ret = build(&b);
	machine_domains_free(domains);
	if (ret) {
		sched_topology_free(b.topo);
		return ret;
	}
	*out = b.topo;
	return 0;
}

void sched_topology_free(struct sched_topology *topo)
{
	if (!topo)
		return;
	free(topo->spans);
	free(topo->cpus);
	free(topo);
}

const char *const sched_distance_text[SCHED_NR_DISTANCES] = {
	"same CPU", "same core", "same cluster", "same LLC", "same node", "remote",
};

enum sched_distance sched_distance(const struct sched_topology *topo, wake_u32 a, wake_u32 b)
{
	const struct sched_topology_cpu *from = &topo->cpus[a], *to = &topo->cpus[b];

	if (a == b)
		return SCHED_SAME_CPU;
	if (from->nr_smt && to->nr_smt && from->smt[0] == to->smt[0])
		return SCHED_SAME_CORE;
	if (from->cluster != SCHED_NO_SPAN && from->cluster == to->cluster)
		return SCHED_SAME_CLUSTER;
	if (from->llc_id == to->llc_id)
		return SCHED_SAME_LLC;
	return from->node == to->node ? SCHED_SAME_NODE : SCHED_REMOTE;
}
