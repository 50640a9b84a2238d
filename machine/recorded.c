// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine_domains(): what was recorded where it was recorded, the rules elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

static int copy_cpu(struct machine_cpu_domains *to, const struct machine_cpu_domains *from)
{
	hwloc_bitmap_t smt = to->smt;
	unsigned i;

	*to = *from;
	to->smt = smt;
	to->nr = 0;
	if (hwloc_bitmap_copy(smt, from->smt))
		return -ENOMEM;
	for (i = 0; i < from->nr; i++) {
		to->sd[i].span = machine_set_dup(from->sd[i].span);
		if (!to->sd[i].span)
			return -ENOMEM;
		to->nr++;
	}
	return 0;
}

static int copy(const struct machine *m, struct machine_domains **out, struct machine_error *err)
{
	const struct machine_domains *from = m->recording->domains;
	struct machine_domains *d = machine_domains_new(m);
	unsigned cpu;
	int rc = d ? 0 : -ENOMEM;

	for (cpu = 0; !rc && cpu < from->nr_cpu_ids; cpu++)
		rc = copy_cpu(&d->cpus[cpu], &from->cpus[cpu]);
	if (rc) {
		machine_domains_free(d);
		return machine_nomem(err);
	}
	d->sched_smt_active = from->sched_smt_active;
	d->sched_cluster_active = from->sched_cluster_active;
	d->levels_max = from->levels_max;
	d->recorded = true;
	*out = d;
	return 0;
}

/* DIE became PKG in v6.7; a domain keeps what was set on it across the two names. */
static bool same_level(const char *a, const char *b)
{
	return !strcmp(strcmp(a, "DIE") ? a : "PKG", strcmp(b, "DIE") ? b : "PKG");
}

static const struct machine_domain *level_of(const struct machine_cpu_domains *c, const char *name)
{
	unsigned i;

	for (i = 0; i < c->nr; i++)
		if (same_level(c->sd[i].name, name))
			return &c->sd[i];
	return NULL;
}

/* An imbalance_pct that its own kernel would not have set was set by hand. */
static void keep_pct(const struct machine_domains *recorded, const struct machine_domains *own,
		     struct machine_domains *d)
{
	const struct machine_domain *was, *rule;
	unsigned cpu, i;

	for (cpu = 0; cpu < d->nr_cpu_ids; cpu++) {
		for (i = 0; i < d->cpus[cpu].nr; i++) {
			struct machine_domain *sd = &d->cpus[cpu].sd[i];

			was = level_of(&recorded->cpus[cpu], sd->name);
			rule = level_of(&own->cpus[cpu], sd->name);
			if (was && rule && was->imbalance_pct != rule->imbalance_pct)
				sd->imbalance_pct = was->imbalance_pct;
		}
	}
}

int machine_domains(const struct machine *m, const struct machine_kernel *k,
		    struct machine_domains **out, struct machine_error *err)
{
	const struct machine_recording *r = m->recording;
	struct machine_domains *own, *d;
	struct machine_kernel recorded;
	int rc;

	if (!r || !r->domains)
		return machine_domains_derive(m, k, out, err);
	if (r->major == k->major && r->minor == k->minor && (k->cluster || !r->cluster))
		return copy(m, out, err);
	recorded = (struct machine_kernel){ r->major, r->minor, true };
	rc = machine_domains_derive(m, &recorded, &own, err);
	if (rc)
		return rc;
	rc = machine_domains_derive(m, k, &d, err);
	if (!rc) {
		keep_pct(r->domains, own, d);
		*out = d;
	}
	machine_domains_free(own);
	return rc;
}
