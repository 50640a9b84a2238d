// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards as the simulator gets them: complete, each value with its source.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/card.h"

static const struct machine_cost_kind kinds[] = {
#define X(field, unit, what) { #field, unit, what, offsetof(struct machine_costs, field) },
	MACHINE_COSTS(X)
#undef X
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct machine_cost_kind *machine_cost_kind(unsigned i)
{
	return i < NR_KINDS ? &kinds[i] : NULL;
}

const char *machine_class_name(enum machine_class class)
{
	static const char *const names[MACHINE_NR_CLASSES] = {
		[MACHINE_MEASURED] = "measured",
		[MACHINE_PINNED_FIT] = "pinned-fit",
		[MACHINE_BASE_FIT] = "base-fit",
		[MACHINE_ASSUMED] = "assumed",
		[MACHINE_IDENTIFIED] = "identified",
	};

	return class < MACHINE_NR_CLASSES ? names[class] : "unknown";
}

const char *machine_level_name(enum machine_level level)
{
	static const char *const names[MACHINE_NR_LEVELS] = {
		[MACHINE_SAME_CPU] = "same CPU",
		[MACHINE_SAME_CORE] = "same core",
		[MACHINE_SAME_CLUSTER] = "same cluster",
		[MACHINE_SAME_LLC] = "same LLC",
		[MACHINE_SAME_PACKAGE] = "same package",
		[MACHINE_REMOTE] = "remote",
	};

	return level < MACHINE_NR_LEVELS ? names[level] : "unknown";
}

const char *machine_idle_kind_name(enum machine_idle_kind kind)
{
	static const char *const names[] = { "poll", "mwait", "halt", "cede" };

	return kind <= MACHINE_IDLE_CEDE ? names[kind] : "unknown";
}

static struct machine_cost *cost_of(const struct machine_costs *costs, unsigned i)
{
	return (struct machine_cost *)((char *)costs + kinds[i].offset);
}

struct machine_costs *machine_costs_new(void)
{
	return calloc(1, sizeof(struct machine_costs));
}

void machine_costs_free(struct machine_costs *costs)
{
	if (!costs)
		return;
	for (unsigned i = 0; i < NR_KINDS; i++)
		free(cost_of(costs, i)->source);
	for (unsigned i = 0; i < costs->nr_idle; i++) {
		free(costs->idle[i].exit.source);
		free(costs->idle[i].residency.source);
	}
	free(costs->card);
	free(costs);
}

static int cost_copy(struct machine_cost *to, const struct machine_cost *from)
{
	char *source = strdup(from->source);

	if (!source)
		return -ENOMEM;
	*to = *from;
	to->source = source;
	return 0;
}

/* A state is counted only when both its sources are there to be freed. */
static int idle_copy(struct machine_costs *to, const struct machine_costs *from)
{
	for (unsigned i = 0; i < from->nr_idle; i++) {
		struct machine_idle_state *state = &to->idle[i];

		*state = from->idle[i];
		state->residency.source = NULL;
		if (cost_copy(&state->exit, &from->idle[i].exit))
			return -ENOMEM;
		if (cost_copy(&state->residency, &from->idle[i].residency)) {
			free(state->exit.source);
			return -ENOMEM;
		}
		to->nr_idle++;
	}
	return 0;
}

int machine_costs_fill(struct machine_costs *to, const struct machine_costs *from)
{
	for (unsigned i = 0; i < NR_KINDS; i++) {
		if (cost_of(to, i)->source || !cost_of(from, i)->source)
			continue;
		if (cost_copy(cost_of(to, i), cost_of(from, i)))
			return -ENOMEM;
	}
	if (!to->hz)
		to->hz = from->hz;
	return to->nr_idle ? 0 : idle_copy(to, from);
}

static int fill_by_name(struct machine_costs *to, const char *card, struct machine_error *err)
{
	struct machine_costs *from;
	int rc = machine_card_read(card, &from, err);

	if (rc)
		return rc;
	rc = machine_costs_fill(to, from) ? machine_nomem(err) : 0;
	machine_costs_free(from);
	return rc;
}

/* How CPUs wait is the architecture's; a machine nobody described has that of its own. */
static int fill_common(struct machine_costs *to, enum machine_arch arch, struct machine_error *err)
{
	int rc = 0;

	if (arch == MACHINE_ARM64)
		rc = fill_by_name(to, "common-arm64", err);
	else if (arch == MACHINE_POWERPC)
		rc = fill_by_name(to, "common-powerpc", err);
	return rc ? rc : fill_by_name(to, "common", err);
}

int machine_costs(const struct machine *m, const char *card, struct machine_costs **out,
		  struct machine_error *err)
{
	struct machine_costs *costs = machine_costs_new();
	const char *name = card ? card : m->costs ? m->costs->card : "common";
	int rc = 0;

	if (costs)
		costs->card = strdup(name);
	if (!costs || !costs->card)
		rc = machine_nomem(err);
	if (!rc && card)
		rc = fill_by_name(costs, card, err);
	else if (!rc && m->costs && machine_costs_fill(costs, m->costs))
		rc = machine_nomem(err);
	if (!rc)
		rc = fill_common(costs, m->arch, err);
	if (rc) {
		machine_costs_free(costs);
		return rc;
	}
	*out = costs;
	return 0;
}

/* Sets part the CPUs, so that the first member names a set. */
static uint16_t first_of(hwloc_const_bitmap_t set, unsigned cpu)
{
	int first = hwloc_bitmap_first(set);

	return (uint16_t)(first < 0 ? (int)cpu : first);
}

/*
 * A logical partition of pHyp calls each core a socket, as it does not say which chips they are
 * of; what they share besides is the node.
 */
static bool socket_is_core(const struct machine *m, const struct machine_cpu *c)
{
	return m->arch == MACHINE_POWERPC && m->nr_nodes > 1 &&
	       hwloc_bitmap_isincluded(c->pkg, c->smt);
}

static void place(const struct machine *m, unsigned cpu, hwloc_bitmap_t core,
		  struct machine_place *out)
{
	const struct machine_cpu *c = &m->cpus[cpu];
	int node = hwloc_bitmap_isset(m->online, cpu) ? machine_node_index(m, c->node) : -1;

	*out = (struct machine_place){ cpu, cpu, cpu, cpu, cpu, { 0 } };
	if (node < 0)
		return;
	/* Of a big core of POWER, the small one that Linux calls SMT. */
	machine_smt_mask(m, cpu, core);
	out->core = first_of(core, cpu);
	/* Without clusters the set is the core's. */
	out->cluster = hwloc_bitmap_isincluded(c->cluster, c->smt) ? out->core :
			first_of(c->cluster, cpu);
	out->llc = first_of(c->llc, cpu);
	out->node = first_of(m->nodes[node].cpus, cpu);
	out->package = socket_is_core(m, c) ? out->node : first_of(c->pkg, cpu);
}

struct machine_place *machine_places(const struct machine *m)
{
	struct machine_place *places = calloc(m->nr_cpu_ids, sizeof(*places));
	hwloc_bitmap_t core = hwloc_bitmap_alloc();

	if (!places || !core) {
		hwloc_bitmap_free(core);
		free(places);
		return NULL;
	}
	for (unsigned cpu = 0; cpu < m->nr_cpu_ids; cpu++)
		place(m, cpu, core, &places[cpu]);
	hwloc_bitmap_free(core);
	return places;
}
