// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine.txt of a recording: the kernel, and its scheduling domains as they were.
 *
 *	kernel RELEASE			hz N
 *	variant NAME: TEXT		toggles WORDS
 *	domainN NAME flags: SD_... imb PCT	(of the first CPU)
 *	nodeN: LIST dist D D ...
 *	TOPO CPU SIBLINGS NAME:MASK:PCT:LETTERS ...
 *	sched feature words
 *
 * Of the letters L is SD_SHARE_LLC, C is SD_CLUSTER, x says nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

#define DOMAIN_LINES_MAX 16

struct domain_line {
	char name[8];
	unsigned flags;
};

struct topo_line {
	bool given;
	hwloc_bitmap_t smt;
	unsigned nr;
	struct machine_domain sd[MACHINE_DOMAINS_MAX];
};

struct node_line {
	int id;
	hwloc_bitmap_t cpus;
	unsigned nr_dist;
	unsigned dist[64];
};

struct parse {
	const char *name;
	unsigned line;
	struct machine_error *err;
	struct machine_recording *rec;
	unsigned nr_domains;
	struct domain_line domains[DOMAIN_LINES_MAX];
	unsigned nr_nodes;
	struct node_line nodes[64];
	unsigned nr_cpus; /* highest TOPO CPU + 1 */
	struct topo_line *topo;
};

#define BAD(p, ...) machine_fail_line((p)->err, -EINVAL, (p)->name, (p)->line, __VA_ARGS__)

static unsigned flag_by_name(struct machine_span word)
{
	static const struct machine_kernel old = { 5, 4, true }, new = { 6, 12, true };
	unsigned bit;

	for (bit = 1; bit <= MACHINE_SD_LOAD_BALANCE; bit <<= 1)
		if (machine_span_is(word, machine_sd_flag_name(bit, &old)) ||
		    machine_span_is(word, machine_sd_flag_name(bit, &new)))
			return bit;
	return 0;
}

static bool copy_name(char to[8], struct machine_span from)
{
	if (!from.len || from.len > 7)
		return false;
	memcpy(to, from.p, from.len);
	to[from.len] = 0;
	return true;
}

static int parse_domain(struct parse *p, struct machine_span line)
{
	struct domain_line *d = &p->domains[p->nr_domains];
	struct machine_span word;
	unsigned flag;

	if (p->nr_domains == DOMAIN_LINES_MAX)
		return BAD(p, "more than %d domain lines", DOMAIN_LINES_MAX);
	if (!machine_next_word(&line, &word) || !copy_name(d->name, word) ||
	    !machine_next_word(&line, &word) || !machine_span_is(word, "flags:"))
		return BAD(p, "expected \"domainN NAME flags: SD_... imb PCT\"");
	d->flags = 0;
	while (machine_next_word(&line, &word) && !machine_span_is(word, "imb")) {
		flag = flag_by_name(word);
		if (!flag)
			return BAD(p, "no scheduling domain flag is called \"%.*s\"",
				   (int)word.len, word.p);
		d->flags |= flag;
	}
	p->nr_domains++;
	return 0;
}

static int parse_node(struct parse *p, struct machine_span first, struct machine_span line)
{
	struct node_line *n = &p->nodes[p->nr_nodes];
	struct machine_span word;
	unsigned long v;

	if (p->nr_nodes == sizeof(p->nodes) / sizeof(p->nodes[0]))
		return BAD(p, "more nodes than this reader handles");
	if (first.len < 6 || first.p[first.len - 1] != ':' ||
	    machine_parse_uint(first.p + 4, first.len - 5, MACHINE_NODES_MAX - 1, &v))
		return BAD(p, "expected \"nodeN: LIST dist D ...\"");
	n->id = (int)v;
	n->cpus = hwloc_bitmap_alloc();
	if (!n->cpus)
		return machine_nomem(p->err);
	p->nr_nodes++;
	if (!machine_next_word(&line, &word) ||
	    (!machine_span_is(word, "dist") && machine_parse_list(word.p, word.len, n->cpus)))
		return BAD(p, "expected the CPUs of node %d as a list", n->id);
	if (!machine_span_is(word, "dist") &&
	    !(machine_next_word(&line, &word) && machine_span_is(word, "dist")))
		return BAD(p, "expected \"dist\" and the distances of node %d", n->id);
	while (machine_next_word(&line, &word)) {
		if (n->nr_dist == sizeof(n->dist) / sizeof(n->dist[0]) ||
		    machine_parse_uint(word.p, word.len, MACHINE_DISTANCE_MAX, &v))
			return BAD(p, "expected a distance, found \"%.*s\"", (int)word.len, word.p);
		n->dist[n->nr_dist++] = (unsigned)v;
	}
	return 0;
}

/* Cuts s at the next colon; what is behind it stays in s. */
static struct machine_span field(struct machine_span *s)
{
	const char *colon = memchr(s->p, ':', s->len);
	struct machine_span f = { s->p, colon ? (size_t)(colon - s->p) : s->len };
	size_t skip = f.len + (colon ? 1 : 0);

	s->p += skip;
	s->len -= skip;
	return f;
}

static const struct domain_line *domain_line(const struct parse *p, const char *name)
{
	unsigned i;

	for (i = 0; i < p->nr_domains; i++)
		if (!strcmp(p->domains[i].name, name))
			return &p->domains[i];
	return NULL;
}

static int parse_letters(struct parse *p, struct machine_span letters, struct machine_domain *sd)
{
	size_t i;

	sd->flags &= ~(MACHINE_SD_SHARE_LLC | MACHINE_SD_CLUSTER);
	for (i = 0; i < letters.len; i++) {
		if (letters.p[i] == 'L')
			sd->flags |= MACHINE_SD_SHARE_LLC;
		else if (letters.p[i] == 'C')
			sd->flags |= MACHINE_SD_CLUSTER;
		else if (letters.p[i] != 'x')
			return BAD(p, "domain %s: expected letters of x, L and C, found \"%.*s\"",
				   sd->name, (int)letters.len, letters.p);
	}
	return 0;
}

static int parse_topo_domain(struct parse *p, struct topo_line *t, struct machine_span word)
{
	struct machine_domain *sd = &t->sd[t->nr];
	struct machine_span name = field(&word), mask = field(&word), pct = field(&word);
	const struct domain_line *d;
	unsigned long v;

	if (t->nr == MACHINE_DOMAINS_MAX)
		return BAD(p, "more than %d domains", MACHINE_DOMAINS_MAX);
	if (!copy_name(sd->name, name) || machine_parse_uint(pct.p, pct.len, 100000, &v))
		return BAD(p, "expected NAME:MASK:PCT:LETTERS");
	sd->imbalance_pct = (unsigned)v;
	d = domain_line(p, sd->name);
	if (!d)
		return BAD(p, "domain %s has no line \"domainN %s flags: ...\" above", sd->name,
			   sd->name);
	sd->flags = d->flags;
	sd->span = hwloc_bitmap_alloc();
	if (!sd->span)
		return machine_nomem(p->err);
	t->nr++;
	if (machine_parse_mask(mask.p, mask.len, sd->span) || hwloc_bitmap_iszero(sd->span))
		return BAD(p, "domain %s: expected a hex mask of CPUs, found \"%.*s\"", sd->name,
			   (int)mask.len, mask.p);
	return parse_letters(p, word, sd);
}

static int topo_grow(struct parse *p, unsigned cpu)
{
	struct topo_line *t;

	if (cpu < p->nr_cpus)
		return 0;
	t = realloc(p->topo, (cpu + 1) * sizeof(*t));
	if (!t)
		return machine_nomem(p->err);
	memset(t + p->nr_cpus, 0, (cpu + 1 - p->nr_cpus) * sizeof(*t));
	p->topo = t;
	p->nr_cpus = cpu + 1;
	return 0;
}

static int parse_topo(struct parse *p, struct machine_span line)
{
	struct machine_span word;
	struct topo_line *t;
	unsigned long cpu;
	int rc;

	if (!machine_next_word(&line, &word) ||
	    machine_parse_uint(word.p, word.len, MACHINE_CPUS_MAX - 1, &cpu))
		return BAD(p, "expected a CPU number below %d", MACHINE_CPUS_MAX);
	rc = topo_grow(p, (unsigned)cpu);
	if (rc)
		return rc;
	t = &p->topo[cpu];
	if (t->given)
		return BAD(p, "a second TOPO line for CPU %lu", cpu);
	t->given = true;
	t->smt = hwloc_bitmap_alloc();
	if (!t->smt)
		return machine_nomem(p->err);
	if (!machine_next_word(&line, &word) || machine_parse_list(word.p, word.len, t->smt) ||
	    !hwloc_bitmap_isset(t->smt, (unsigned)cpu))
		return BAD(p, "expected the SMT siblings of CPU %lu as a list with itself", cpu);
	while (!rc && machine_next_word(&line, &word)) {
		rc = parse_topo_domain(p, t, word);
		if (!rc && !hwloc_bitmap_isset(t->sd[t->nr - 1].span, (unsigned)cpu))
			return BAD(p, "domain %s of CPU %lu is without it", t->sd[t->nr - 1].name,
				   cpu);
		if (!rc && t->nr > 1 &&
		    !hwloc_bitmap_isincluded(t->sd[t->nr - 2].span, t->sd[t->nr - 1].span))
			return BAD(p, "domain %s does not contain domain %s",
				   t->sd[t->nr - 1].name, t->sd[t->nr - 2].name);
	}
	return rc;
}

static bool feature_words(struct machine_span line)
{
	struct machine_span word;
	bool any = false;
	size_t i;

	while (machine_next_word(&line, &word)) {
		for (i = 0; i < word.len; i++)
			if (!(word.p[i] == '_' || (word.p[i] >= 'A' && word.p[i] <= 'Z') ||
			      (word.p[i] >= '0' && word.p[i] <= '9')))
				return false;
		any = true;
	}
	return any;
}

static int take_text(struct parse *p, char **to, struct machine_span text, const char *what)
{
	if (*to)
		return BAD(p, "a second %s line", what);
	*to = machine_span_dup(text);
	return *to ? 0 : machine_nomem(p->err);
}

static int parse_kernel(struct parse *p, struct machine_span line)
{
	struct machine_kernel k;
	char two[32];
	size_t n;
	int rc = take_text(p, &p->rec->release, line, "kernel");

	if (rc)
		return rc;
	/* "6.1.0-50-cloud-amd64": the leading numbers are the version. */
	n = strspn(p->rec->release, "0123456789.");
	snprintf(two, sizeof(two), "%.*s", (int)n, p->rec->release);
	if (machine_kernel_parse(two, &k))
		return BAD(p, "expected a kernel release, found \"%.60s\"", p->rec->release);
	p->rec->major = k.major;
	p->rec->minor = k.minor;
	return 0;
}

static int parse_line(struct parse *p, struct machine_span line)
{
	struct machine_span rest = line, word;
	unsigned long v;

	if (!machine_next_word(&rest, &word))
		return 0;
	if (machine_span_is(word, "kernel"))
		return parse_kernel(p, rest);
	if (!p->rec->release)
		return BAD(p, "expected \"kernel RELEASE\"");
	if (machine_span_is(word, "variant"))
		return take_text(p, &p->rec->variant, rest, "variant");
	if (machine_span_is(word, "toggles"))
		return take_text(p, &p->rec->toggles, rest, "toggles");
	if (machine_span_is(word, "TOPO"))
		return parse_topo(p, rest);
	if (word.len > 6 && !memcmp(word.p, "domain", 6))
		return parse_domain(p, rest);
	if (word.len > 4 && !memcmp(word.p, "node", 4))
		return parse_node(p, word, rest);
	if (machine_span_is(word, "hz")) {
		if (!machine_next_word(&rest, &word) ||
		    machine_parse_uint(word.p, word.len, 100000, &v))
			return BAD(p, "expected \"hz NUMBER\"");
		p->rec->hz = (unsigned)v;
		return 0;
	}
	if (feature_words(line))
		return take_text(p, &p->rec->features, line, "feature");
	return BAD(p, "expected kernel, variant, toggles, hz, domainN, nodeN:, TOPO or sched "
		      "feature words, found \"%.*s\"",
		   (int)(word.len > 60 ? 60 : word.len), word.p);
}

static enum machine_arch arch_of(const char *release)
{
	if (strstr(release, "amd64") || strstr(release, "x86"))
		return MACHINE_X86;
	if (strstr(release, "arm64") || strstr(release, "aarch64"))
		return MACHINE_ARM64;
	if (strstr(release, "ppc64") || strstr(release, "powerpc"))
		return MACHINE_POWERPC;
	return MACHINE_OTHER;
}

/* What the domains say of the hardware: L domains from the bottom are caches, C is a cluster. */
static void fill_cpu(struct machine *m, const struct topo_line *t, unsigned cpu)
{
	struct machine_cpu *c = &m->cpus[cpu];
	unsigned i;

	hwloc_bitmap_set(m->online, cpu);
	hwloc_bitmap_copy(c->smt, t->smt);
	hwloc_bitmap_copy(c->cluster, t->smt);
	hwloc_bitmap_copy(c->llc, t->smt);
	for (i = 0; i < t->nr && (t->sd[i].flags & MACHINE_SD_SHARE_LLC); i++) {
		hwloc_bitmap_copy(c->llc, t->sd[i].span);
		if (t->sd[i].flags & MACHINE_SD_CLUSTER)
			hwloc_bitmap_copy(c->cluster, t->sd[i].span);
	}
}

static int fill_nodes(struct parse *p, struct machine *m)
{
	unsigned i, j, n = p->nr_nodes;

	for (i = 0; i < n; i++) {
		if (machine_node_index(m, p->nodes[i].id) >= 0)
			return machine_fail(p->err, -EINVAL, p->name, "two lines for node %d",
					    p->nodes[i].id);
		if (p->nodes[i].nr_dist != n)
			return machine_fail(p->err, -EINVAL, p->name,
					    "node %d has %u distances; expected %u, one a node",
					    p->nodes[i].id, p->nodes[i].nr_dist, n);
		if (machine_add_node(m, p->nodes[i].id, true, p->nodes[i].cpus))
			return machine_nomem(p->err);
	}
	if (n && machine_alloc_distance(m))
		return machine_nomem(p->err);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			m->distance[i * n + j] = p->nodes[i].dist[j];
	return 0;
}

static int fill(struct parse *p, struct machine *m)
{
	unsigned cpu;
	int rc;

	m->arch = arch_of(p->rec->release);
	for (cpu = 0; cpu < p->nr_cpus; cpu++)
		if (p->topo[cpu].given)
			fill_cpu(m, &p->topo[cpu], cpu);
	hwloc_bitmap_copy(m->possible, m->online);
	hwloc_bitmap_copy(m->present, m->online);
	for (cpu = 0; cpu < p->nr_cpus; cpu++) {
		unsigned top = p->topo[cpu].nr;

		if (top && !hwloc_bitmap_isincluded(p->topo[cpu].sd[top - 1].span, m->online))
			return machine_fail(p->err, -EINVAL, p->name,
					    "CPU %u: domain %s has CPUs without a TOPO line", cpu,
					    p->topo[cpu].sd[top - 1].name);
	}
	rc = fill_nodes(p, m);
	return rc ? rc : machine_finish(m, p->err);
}

/* Fields machine.txt has no word for follow the rules: from the derived domain of that span. */
static void fill_unrecorded(struct machine_domain *sd, const struct machine_domain *child,
			    const struct machine_cpu_domains *derived,
			    const struct machine_rules *r)
{
	unsigned weight = machine_set_weight(sd->span), i;

	sd->busy_factor = r->busy_factor;
	sd->min_interval = weight;
	sd->max_interval = 2 * weight;
	sd->cache_nice_tries = sd->flags & MACHINE_SD_SHARE_CPUCAPACITY ? 0
			       : sd->flags & MACHINE_SD_SHARE_LLC	? 1
			       : sd->flags & MACHINE_SD_NUMA		? 2
									: 1;
	sd->groups_flags = child && r->group_flags ? child->flags : 0;
	sd->imb_numa_nr = 0;
	for (i = 0; i < derived->nr; i++) {
		if (!hwloc_bitmap_isequal(derived->sd[i].span, sd->span))
			continue;
		sd->imb_numa_nr = derived->sd[i].imb_numa_nr;
		sd->groups_flags = derived->sd[i].groups_flags;
	}
}

static int record_domains(struct parse *p, struct machine *m)
{
	struct machine_kernel k = { p->rec->major, p->rec->minor, true };
	struct machine_domains *derived, *d;
	struct machine_rules r;
	unsigned cpu, i;
	int rc;

	rc = machine_domains_derive(m, &k, &derived, p->err);
	if (rc)
		return rc;
	d = machine_domains_new(m);
	machine_rules(m, &k, &r);
	for (cpu = 0; d && cpu < p->nr_cpus; cpu++) {
		struct machine_cpu_domains *c = &d->cpus[cpu];
		struct topo_line *t = &p->topo[cpu];

		for (i = 0; i < t->nr; i++) {
			c->sd[i] = t->sd[i];
			fill_unrecorded(&c->sd[i], i ? &c->sd[i - 1] : NULL, &derived->cpus[cpu],
					&r);
		}
		/* The spans are the domains' now. */
		c->nr = t->nr;
		t->nr = 0;
	}
	machine_domains_free(derived);
	if (!d)
		return machine_nomem(p->err);
	d->recorded = true;
	p->rec->domains = d;
	return machine_top_cache(m, &k, d) ? machine_nomem(p->err) : 0;
}

static void parse_free(struct parse *p)
{
	unsigned i, j;

	for (i = 0; i < p->nr_cpus; i++) {
		hwloc_bitmap_free(p->topo[i].smt);
		for (j = 0; j < p->topo[i].nr; j++)
			hwloc_bitmap_free(p->topo[i].sd[j].span);
	}
	for (i = 0; i < p->nr_nodes; i++)
		hwloc_bitmap_free(p->nodes[i].cpus);
	machine_recording_free(p->rec);
	free(p->topo);
	free(p);
}

static void find_cluster_flag(struct parse *p)
{
	unsigned cpu, i;

	for (cpu = 0; cpu < p->nr_cpus; cpu++)
		for (i = 0; i < p->topo[cpu].nr; i++)
			if (p->topo[cpu].sd[i].flags & MACHINE_SD_CLUSTER)
				p->rec->cluster = true;
}

int machine_read_recording(const char *name, const char *text, size_t len, struct machine **out,
			   struct machine_error *err)
{
	struct parse *p = calloc(1, sizeof(*p));
	struct machine_span all = { text, len }, line;
	struct machine *m = NULL;
	int rc = 0;

	if (!p || !(p->rec = calloc(1, sizeof(*p->rec)))) {
		free(p);
		return machine_nomem(err);
	}
	p->name = name;
	p->err = err;
	for (p->line = 1; !rc && machine_next_line(&all, &line); p->line++)
		rc = parse_line(p, line);
	if (!rc && !p->nr_cpus)
		rc = machine_fail_line(err, -EINVAL, name, p->line, "expected TOPO lines, found none");
	if (!rc) {
		find_cluster_flag(p);
		m = machine_new(name, MACHINE_FROM_RECORDING, p->nr_cpus);
		rc = m ? fill(p, m) : machine_nomem(err);
	}
	if (!rc) {
		m->recording = p->rec;
		rc = record_domains(p, m);
		p->rec = NULL;
	}
	parse_free(p);
	if (rc)
		machine_free(m);
	else
		*out = m;
	return rc;
}
