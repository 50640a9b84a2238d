// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must hold on any machine, and a second, naive opinion on which domains survive:
 * where spans repeat from level to level, the lowest level of each span is the one that stays.
 */
#include "machine_test.h"

#define ROUNDS 400

static uint64_t seed;

static unsigned below(unsigned n)
{
	seed += 0x9e3779b97f4a7c15;
	uint64_t z = seed;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (unsigned)((z ^ (z >> 31)) % n);
}

struct shape {
	unsigned nodes, llcs, clusters, cores, threads, stride, nr;
};

/* The i-th thread in machine order; CPUs are numbered with gaps and threads may come last. */
static unsigned cpu_number(const struct shape *s, unsigned i)
{
	unsigned per = s->nr / s->threads;

	if (s->stride == 2)
		return 3 * i + i / 5;
	return i % s->threads * per + i / s->threads;
}

static void add_sets(char *text, const struct shape *s, const char *key, unsigned size)
{
	char *p = text + strlen(text);

	p += sprintf(p, "%s", key);
	for (unsigned i = 0; i < s->nr; i++)
		p += sprintf(p, "%c%u", i % size ? ',' : ' ', cpu_number(s, i));
	sprintf(p, "\n");
}

static void add_distances(char *text, unsigned nodes)
{
	static const unsigned far[] = { 12, 16, 20, 25, 31, 40 };
	unsigned d[8][8];

	for (unsigned i = 0; i < nodes; i++) {
		d[i][i] = 10;
		for (unsigned j = 0; j < i; j++)
			d[i][j] = d[j][i] = far[below(6)];
	}
	for (unsigned i = 0; i < nodes; i++) {
		strcat(text, "distance");
		for (unsigned j = 0; j < nodes; j++)
			sprintf(text + strlen(text), " %u", d[i][j]);
		strcat(text, "\n");
	}
}

static struct machine *random_machine(void)
{
	static const char *const archs[] = { "x86", "arm64", "powerpc", "other" };
	static char text[65536];
	struct shape s = { 1 + below(4), 1 + below(3), 1 + below(3), 1 + below(4), 1 + below(2),
			   1 + below(2), 0 };
	unsigned core = s.threads, cluster = core * s.cores, llc = cluster * s.clusters,
		 node = llc * s.llcs;

	s.nr = node * s.nodes;
	sprintf(text, "machine random\n");
	add_sets(text, &s, "cpus", s.nr);
	sprintf(text + strlen(text), "arch %s\n", archs[below(4)]);
	add_sets(text, &s, "core", core);
	add_sets(text, &s, "cluster", cluster);
	add_sets(text, &s, "package", below(2) ? node : s.nr);
	add_sets(text, &s, "node", node);
	add_sets(text, &s, "cache L1d 32K", core);
	add_sets(text, &s, "cache L2 1M", below(2) ? core : cluster);
	add_sets(text, &s, "cache L3 8M", llc);
	add_distances(text, s.nodes);
	return machine_must_text(text);
}

/* Takes about a tenth of the CPUs offline and isolates another tenth. */
static void thin(struct machine *m)
{
	hwloc_bitmap_t gone = hwloc_bitmap_alloc();
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, m->possible)
		if (!below(10))
			hwloc_bitmap_set(gone, cpu);
		else if (!below(10))
			hwloc_bitmap_set(m->isolated, cpu);
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_clr(gone, (unsigned)hwloc_bitmap_first(m->possible));
	assert_int_equal(machine_offline(m, gone, NULL), 0);
	hwloc_bitmap_free(gone);
}

static void random_kernel(struct machine_kernel *k, bool new_only)
{
	static const struct machine_kernel kernels[] = {
		{ 5, 4, true },	 { 5, 9, true },  { 5, 10, true }, { 5, 16, true }, { 5, 19, true },
		{ 6, 1, true },	 { 6, 6, true },  { 6, 12, true }, { 6, 12, false }, { 6, 18, true },
		{ 7, 1, true },	 { 7, 3, true },
	};

	*k = new_only ? kernels[2 + below(10)] : kernels[below(12)];
}

/* The domain of the same name and distance seen from a mate; below NUMA spans are mutual. */
static void check_mates(const struct machine_domains *d, unsigned cpu, unsigned i)
{
	const struct machine_domain *sd = &d->cpus[cpu].sd[i];
	unsigned mate;

	hwloc_bitmap_foreach_begin(mate, sd->span)
		if (!(sd->flags & MACHINE_SD_NUMA))
			assert_true(hwloc_bitmap_isequal(domain_of(d, mate, sd->name)->span,
							 sd->span));
	hwloc_bitmap_foreach_end();
}

static void check_llc(const struct machine_domains *d, unsigned cpu, const struct machine_kernel *k)
{
	const struct machine_cpu_domains *c = &d->cpus[cpu];
	unsigned mate;

	for (unsigned i = 0; i < c->nr; i++)
		assert_int_equal(!!(c->sd[i].flags & MACHINE_SD_SHARE_LLC), (int)i <= c->sd_llc);
	assert_int_equal(c->sd_llc_size, c->sd_llc < 0
						 ? 1
						 : hwloc_bitmap_weight(c->sd[c->sd_llc].span));
	if (c->sd_llc < 0)
		return;
	hwloc_bitmap_foreach_begin(mate, c->sd[c->sd_llc].span)
		assert_int_equal(d->cpus[mate].sd_llc_id, c->sd_llc_id);
	hwloc_bitmap_foreach_end();
	if (k->major < 7)
		assert_int_equal(c->sd_llc_id, hwloc_bitmap_first(c->sd[c->sd_llc].span));
}

static void check_cpu(const struct machine *m, const struct machine_domains *d, unsigned cpu,
		      const struct machine_kernel *k)
{
	const struct machine_cpu_domains *c = &d->cpus[cpu];
	bool in = hwloc_bitmap_isset(m->online, cpu) && !hwloc_bitmap_isset(m->isolated, cpu);

	assert_int_equal(hwloc_bitmap_isset(d->cpu_map, cpu), in);
	if (!in)
		assert_int_equal(c->nr, 0);
	if (in && hwloc_bitmap_weight(d->cpu_map) > 1) {
		assert_true(c->nr > 0);
		assert_true(hwloc_bitmap_isequal(c->sd[c->nr - 1].span, d->cpu_map));
	}
	for (unsigned i = 0; i < c->nr; i++) {
		assert_true(hwloc_bitmap_isset(c->sd[i].span, cpu));
		assert_true(hwloc_bitmap_weight(c->sd[i].span) > 1);
		assert_true(hwloc_bitmap_isincluded(c->sd[i].span, d->cpu_map));
		if (i)
			assert_true(hwloc_bitmap_isincluded(c->sd[i - 1].span, c->sd[i].span));
		check_mates(d, cpu, i);
	}
	check_llc(d, cpu, k);
}

static void domains_nest_and_end_at_the_root_partition(void **state)
{
	struct machine_domains *d;
	struct machine_kernel k;
	struct machine *m;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		seed = round;
		m = random_machine();
		if (below(2))
			thin(m);
		random_kernel(&k, false);
		assert_int_equal(machine_domains(m, &k, &d, NULL), 0);
		for (unsigned cpu = 0; cpu < m->nr_cpu_ids; cpu++)
			check_cpu(m, d, cpu, &k);
		machine_domains_free(d);
		machine_free(m);
	}
}

struct naive {
	unsigned nr;
	hwloc_bitmap_t span[16];
	const char *name[16];
};

static void naive_add(struct naive *n, const char *name, hwloc_const_bitmap_t set,
		      hwloc_const_bitmap_t map)
{
	hwloc_bitmap_t s = hwloc_bitmap_alloc();

	hwloc_bitmap_and(s, set, map);
	if (hwloc_bitmap_weight(s) < 2 ||
	    (n->nr && hwloc_bitmap_isequal(n->span[n->nr - 1], s))) {
		hwloc_bitmap_free(s);
		return;
	}
	n->name[n->nr] = name;
	n->span[n->nr++] = s;
}

static bool split_package(const struct machine *m)
{
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, m->online)
		if (m->cpus[hwloc_bitmap_first(m->cpus[cpu].pkg)].node != m->cpus[cpu].node)
			return true;
	hwloc_bitmap_foreach_end();
	return false;
}

static void naive_numa(const struct machine *m, struct naive *n, unsigned cpu)
{
	unsigned at = (unsigned)machine_node_index(m, m->cpus[cpu].node);
	hwloc_bitmap_t s = hwloc_bitmap_alloc();

	for (unsigned far = 10; far <= 40; far++) {
		hwloc_bitmap_zero(s);
		for (unsigned i = 0; i < m->nr_nodes; i++)
			if (m->distance[at * m->nr_nodes + i] <= far)
				hwloc_bitmap_or(s, s, m->nodes[i].cpus);
		naive_add(n, far == 10 ? "NODE" : "NUMA", s, n->span[15]);
	}
	hwloc_bitmap_free(s);
}

/* span[15] holds the root partition meanwhile. */
static void naive_cpu(const struct machine *m, const struct machine_domains *d, unsigned cpu,
		      const struct machine_kernel *k, struct naive *n)
{
	bool v67 = k->major > 6 || (k->major == 6 && k->minor >= 7);
	bool cls = k->cluster && (k->major > 5 || k->minor >= 16) && m->arch != MACHINE_POWERPC;
	const struct machine_cpu *c = &m->cpus[cpu];

	n->span[15] = d->cpu_map;
	naive_add(n, "SMT", c->smt, d->cpu_map);
	if (m->arch == MACHINE_POWERPC)
		naive_add(n, "CACHE", c->caches[1].cpus, d->cpu_map);
	/* arm64 from v6.0 on has no cluster as wide as the LLC. */
	if (cls && !(m->arch == MACHINE_ARM64 && k->major >= 6 &&
		     hwloc_bitmap_isequal(c->cluster, c->llc)))
		naive_add(n, "CLS", c->cluster, d->cpu_map);
	if (m->arch != MACHINE_POWERPC)
		naive_add(n, "MC", c->llc, d->cpu_map);
	if (!(m->arch == MACHINE_X86 && split_package(m)))
		naive_add(n, v67 ? "PKG" : "DIE",
			  m->nodes[machine_node_index(m, c->node)].cpus, d->cpu_map);
	naive_numa(m, n, cpu);
	n->span[15] = NULL;
}

static void the_lowest_level_of_each_span_survives(void **state)
{
	struct machine_domains *d;
	struct machine_kernel k;
	struct machine *m;
	unsigned cpu;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		seed = round;
		m = random_machine();
		if (below(2))
			thin(m);
		random_kernel(&k, true);
		assert_int_equal(machine_domains(m, &k, &d, NULL), 0);
		hwloc_bitmap_foreach_begin(cpu, d->cpu_map)
			struct naive n = { 0 };

			naive_cpu(m, d, cpu, &k, &n);
			assert_int_equal(d->cpus[cpu].nr, n.nr);
			for (unsigned i = 0; i < n.nr; i++) {
				assert_string_equal(d->cpus[cpu].sd[i].name, n.name[i]);
				assert_true(hwloc_bitmap_isequal(d->cpus[cpu].sd[i].span,
								 n.span[i]));
				hwloc_bitmap_free(n.span[i]);
			}
		hwloc_bitmap_foreach_end();
		machine_domains_free(d);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_nest_and_end_at_the_root_partition),
		cmocka_unit_test(the_lowest_level_of_each_span_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
