// SPDX-License-Identifier: GPL-2.0-only
/* Groups of domains, by hand on machines known by heart, and against a naive twin. */
#include "machine_test.h"
#include "sim/groups.h"

struct built {
	struct machine *m;
	struct machine_domains *d;
	struct sim_groups *g;
};

static struct built build(const char *path, const char *version)
{
	struct machine_kernel k;
	struct built b = { .m = strchr(path, '\n') ? machine_must_text(path) : machine_must(path) };

	b.d = domains_must(b.m, version);
	assert_int_equal(machine_kernel_parse(version, &k), 0);
	assert_int_equal(sim_groups_create(b.m, b.d, k.major * 1000 + k.minor, &b.g), 0);
	return b;
}

static void done(struct built *b)
{
	sim_groups_free(b->g);
	machine_domains_free(b->d);
	machine_free(b->m);
}

static void append_set(char *text, const struct sim_set *set)
{
	hwloc_bitmap_t copy = hwloc_bitmap_alloc();
	char list[256];

	for (uint32_t w = set->first; w <= set->last; w++)
		hwloc_bitmap_set_ith_ulong(copy, w, (unsigned long)set->words[w - set->first]);
	assert_int_equal(hwloc_bitmap_weight(copy), set->weight);
	hwloc_bitmap_list_snprintf(list, sizeof(list), copy);
	strcat(text, list);
	hwloc_bitmap_free(copy);
}

/* "0-3 | 4-7": the ring of a CPU's domain, from its own group on. */
static const char *ring_of(const struct built *b, uint32_t cpu, uint32_t i)
{
	static char text[8192];
	const struct sim_domain *sd = sim_domain(b->g, cpu, i);

	text[0] = 0;
	for (uint32_t n = 0; n < sd->nr_groups; n++) {
		strcat(text, n ? " | " : "");
		append_set(text, &sim_domain_group(b->g, sd, n)->span);
	}
	return text;
}

static const char *balancers_of(const struct built *b, uint32_t cpu, uint32_t i)
{
	static char text[8192];
	const struct sim_domain *sd = sim_domain(b->g, cpu, i);

	text[0] = 0;
	for (uint32_t n = 0; n < sd->nr_groups; n++) {
		strcat(text, n ? " | " : "");
		append_set(text, &sim_domain_group(b->g, sd, n)->balance);
	}
	return text;
}

static void each_thread_and_each_core_is_a_group(void **state)
{
	struct built b = build("synthetic:package:2 [numa] l3:1 core:2 pu:2", "v5.17");

	(void)state;
	assert_names(b.d, 0, "SMT MC NUMA");
	assert_string_equal(ring_of(&b, 0, 0), "0 | 1");
	assert_string_equal(ring_of(&b, 1, 0), "1 | 0");
	assert_string_equal(ring_of(&b, 0, 1), "0-1 | 2-3");
	assert_string_equal(ring_of(&b, 3, 1), "2-3 | 0-1");
	assert_string_equal(ring_of(&b, 5, 2), "4-7 | 0-3");
	assert_string_equal(balancers_of(&b, 5, 2), "4-7 | 0-3");
	assert_int_equal(sim_domain_group(b.g, sim_domain(b.g, 5, 2), 0)->capacity, 4 * 1024);
	/* The ring is the domain's: all its CPUs share it. */
	assert_int_equal(sim_domain(b.g, 0, 1)->ring, sim_domain(b.g, 3, 1)->ring);
	done(&b);
}

static void siblings_far_apart_make_a_core(void **state)
{
	struct built b = build("epyc-7003-2s-nps1", "v5.17");

	(void)state;
	assert_names(b.d, 0, "SMT MC DIE NUMA");
	assert_string_equal(ring_of(&b, 129, 0), "129 | 1");
	assert_string_equal(ring_of(&b, 130, 1), "2,130 | 3,131 | 4,132 | 5,133 | 6,134 | 7,135 | "
						 "0,128 | 1,129");
	assert_int_equal(sim_domain(b.g, 130, 2)->nr_groups, 8);
	assert_string_equal(ring_of(&b, 64, 3), "64-127,192-255 | 0-63,128-191");
	done(&b);
}

/* Rings are linked anew for each CPU: the order is the one that CPU 4 finds. */
static void the_last_cpu_orders_the_ring(void **state)
{
	struct machine *m = machine_must_text("machine odd\n"
					      "cpus 0-4\n"
					      "about siblings across each other\n"
					      "arch x86\n"
					      "vendor other\n"
					      "package 0-4\n"
					      "node 0-4\n"
					      "core 0,3\n"
					      "core 1,4\n"
					      "core 2\n"
					      "cache L3 2M 0-4\n");
	struct built b = { .m = m, .d = domains_must(m, "v5.17") };

	(void)state;
	assert_int_equal(sim_groups_create(b.m, b.d, 5017, &b.g), 0);
	assert_names(b.d, 0, "SMT MC");
	assert_names(b.d, 2, "MC");
	assert_string_equal(ring_of(&b, 0, 1), "0,3 | 2 | 1,4");
	assert_string_equal(ring_of(&b, 2, 0), "2 | 1,4 | 0,3");
	done(&b);
}

static void clusters_are_groups_of_the_llc(void **state)
{
	struct built b = build("kunpeng920", "v5.17");

	(void)state;
	assert_names(b.d, 0, "CLS MC NUMA NUMA NUMA");
	assert_string_equal(ring_of(&b, 2, 0), "2 | 3 | 0 | 1");
	assert_string_equal(ring_of(&b, 5, 1), "4-7 | 8-11 | 12-15 | 16-19 | 20-23 | 24-27 | 28-31 "
					       "| 0-3");
	assert_string_equal(ring_of(&b, 5, 2), "0-31 | 32-63");
	done(&b);
}

/*
 * Nodes in a row: 16 between 0 and 1 and between 2 and 3, 25 between 1 and 2, 32 and 33
 * farther. Nodes 0 and 3 see three nodes within 32, 1 and 2 see three within 25.
 */
static void far_nodes_overlap(void **state)
{
	struct built b = build("kunpeng920", "v5.17");

	(void)state;
	assert_string_equal(ring_of(&b, 0, 3), "0-63 | 64-95");
	assert_string_equal(ring_of(&b, 0, 4), "0-95 | 32-127");
	assert_string_equal(balancers_of(&b, 0, 4), "0-31 | 96-127");
	assert_string_equal(ring_of(&b, 40, 3), "0-63 | 64-95");
	assert_string_equal(ring_of(&b, 40, 4), "0-95 | 64-127");
	assert_string_equal(balancers_of(&b, 40, 4), "32-63 | 96-127");
	assert_string_equal(ring_of(&b, 127, 4), "32-127 | 0-95");
	/* A node's CPUs share the ring, those of other nodes don't. */
	assert_int_equal(sim_domain(b.g, 0, 4)->ring, sim_domain(b.g, 31, 4)->ring);
	assert_true(sim_domain(b.g, 0, 4)->ring != sim_domain(b.g, 40, 4)->ring);
	assert_true(sim_domain_group(b.g, sim_domain(b.g, 0, 4), 1) ==
		    sim_domain_group(b.g, sim_domain(b.g, 127, 4), 0));
	/* What a child too wide was replaced by is the group of the level found below. */
	assert_true(sim_domain_group(b.g, sim_domain(b.g, 0, 3), 1) ==
		    sim_domain_group(b.g, sim_domain(b.g, 64, 2), 0));
	done(&b);
}

/* Before v5.13 the second group reaches out of the domain of nodes 0 to 2. */
static void groups_left_their_domain_up_to_v5_12(void **state)
{
	struct built b = build("kunpeng920", "v5.12");

	(void)state;
	assert_names(b.d, 0, "MC NUMA NUMA NUMA");
	assert_string_equal(ring_of(&b, 0, 2), "0-63 | 32-127");
	assert_string_equal(ring_of(&b, 40, 2), "0-63 | 64-127");
	assert_string_equal(ring_of(&b, 0, 3), "0-95 | 32-127");
	done(&b);
}

static void unequal_cores_keep_their_capacities(void **state)
{
	struct machine *m = machine_must_text(MACHINE_BIG_LITTLE);
	struct machine_domains *d = domains_must(m, "v5.17");
	struct sim_groups *g;
	const struct sim_group *small;

	(void)state;
	assert_int_equal(sim_groups_create(m, d, 5017, &g), 0);
	assert_names(d, 0, "CLS MC");
	small = sim_domain_group(g, sim_domain(g, 0, 1), 0);
	assert_int_equal(small->capacity, 800);
	assert_int_equal(small->min_capacity, 400);
	assert_int_equal(sim_domain_group(g, sim_domain(g, 0, 1), 1)->max_capacity, 1024);
	sim_groups_free(g);
	machine_domains_free(d);
	machine_free(m);
}

/*
 * The naive twin: build_overlap_sched_groups() over levels that still are all there, as
 * sets of nodes; CPUs of a node see the same.
 */
struct twin {
	const struct machine *m;
	uint32_t nr, nr_levels, level[64];	/* distances, ascending */
	uint32_t version;
};

static uint32_t within(const struct twin *t, uint32_t node, uint32_t distance)
{
	uint32_t set = 0;

	for (uint32_t to = 0; to < t->nr; to++)
		set |= (uint32_t)(t->m->distance[node * t->nr + to] <= distance) << to;
	return set;
}

static void read_levels(struct twin *t)
{
	for (uint32_t distance = 0; distance < 256; distance++) {
		for (uint32_t i = 0; i < t->nr * t->nr; i++) {
			if (t->m->distance[i] != distance)
				continue;
			t->level[t->nr_levels++] = distance;
			break;
		}
	}
}

/* Nodes of the groups of a node's domain at a level; how many. */
static uint32_t twin_groups(const struct twin *t, uint32_t from, uint32_t k, uint32_t *out)
{
	uint32_t span = within(t, from, t->level[k]), covered = 0, nr = 0;
	uint32_t all = (1u << t->nr) - 1;

	for (uint32_t n = 0; n < t->nr; n++) {
		uint32_t node = (from + n) % t->nr, below = k;

		if (!(span >> node & 1) || (covered >> node & 1))
			continue;
		if (within(t, node, t->level[k - 1]) == all)
			continue;		/* it has no such level */
		while (t->version >= 5013 && below > 1 &&
		       (within(t, node, t->level[below - 1]) & ~span))
			below--;
		out[nr] = within(t, node, t->level[below - 1]);
		covered |= out[nr++];
	}
	return nr;
}

static uint32_t nodes_of(const struct twin *t, const struct sim_set *set)
{
	uint32_t nodes = 0;

	for (uint32_t n = 0; n < t->nr; n++) {
		uint32_t weight = 0, cpu;

		hwloc_bitmap_foreach_begin(cpu, t->m->nodes[n].cpus)
			weight += sim_set_has(set, cpu);
		hwloc_bitmap_foreach_end();
		assert_true(!weight ||
			    weight == (uint32_t)hwloc_bitmap_weight(t->m->nodes[n].cpus));
		nodes |= (uint32_t)!!weight << n;
	}
	return nodes;
}

static void compare(const struct built *b, const struct twin *t, uint32_t cpu, uint32_t i)
{
	const struct sim_domain *sd = sim_domain(b->g, cpu, i);
	uint32_t node = (uint32_t)machine_node_index(b->m, b->m->cpus[cpu].node);
	uint32_t span = nodes_of(t, &sd->span), k = 0, groups[32];

	while (within(t, node, t->level[k]) != span)
		k++;
	assert_int_equal(sd->nr_groups, twin_groups(t, node, k, groups));
	for (uint32_t n = 0; n < sd->nr_groups; n++)
		assert_int_equal(nodes_of(t, &sim_domain_group(b->g, sd, n)->span), groups[n]);
}

/* Kunpeng's distances, but neighbours in number are on different nodes. */
static const char round_robin[] =
	"machine robin\n"
	"cpus 0-15\n"
	"about CPUs dealt out to four nodes\n"
	"arch other\n"
	"vendor other\n"
	"package 0,4,8,12 x4 +1\n"
	"node 0,4,8,12 x4 +1\n"
	"core 0 x16 +1\n"
	"cache L3 8M 0,4,8,12 x4 +1\n"
	"distance 10 16 32 33\n"
	"distance 16 10 25 32\n"
	"distance 32 25 10 16\n"
	"distance 33 32 16 10\n";

/* On these, a walk over CPUs meets nodes in the order of their numbers. */
static void overlapping_groups_are_the_naive_twins(void **state)
{
	static const char *const machines[] = {
		"kunpeng920", MACHINES "/128arm-2pa2n8cluster4co.tar.bz2",
		MACHINES "/256ppc-8n8s4t.tar.bz2", "epyc-7003-2s-nps4", "xeon-4s24c", round_robin,
	};
	static const char *const versions[] = { "v5.4", "v5.12", "v5.13", "v6.5" };
	uint32_t compared = 0;

	(void)state;
	for (size_t m = 0; m < 6; m++) {
		for (size_t v = 0; v < 4; v++) {
			struct built b = build(machines[m], versions[v]);
			struct twin t = { .m = b.m, .nr = b.m->nr_nodes,
					  .version = v < 2 ? 5004 : 6005 };

			read_levels(&t);
			for (uint32_t cpu = 0; cpu < b.g->nr_cpus; cpu++) {
				for (uint32_t i = 0; i < sim_nr_domains(b.g, cpu); i++) {
					if (!(sim_domain(b.g, cpu, i)->flags & MACHINE_SD_OVERLAP))
						continue;
					compare(&b, &t, cpu, i);
					compared++;
				}
			}
			done(&b);
		}
	}
	assert_true(compared > 3000);
}

/* Whatever the machine: groups cover their domain, and the own one comes first. */
static void groups_cover_their_domain(void **state)
{
	static const char *const machines[] = {
		MACHINES "/16em64t-4s2c2t-offlines.tar.bz2", "power9-lpar",
		MACHINES "/20em64t-hybrid-1p6c2t+2ca4co1t.tar.bz2",
		MACHINES "/nvidia-dgx-gb10.tar.bz2", MACHINES "/AMD-19h-Zen3-2xEpyc-7763.xml",
	};

	(void)state;
	for (size_t m = 0; m < 5; m++) {
		struct built b = build(machines[m], "v6.1");

		for (uint32_t cpu = 0; cpu < b.g->nr_cpus; cpu++) {
			for (uint32_t i = 0; i < sim_nr_domains(b.g, cpu); i++) {
				const struct sim_domain *sd = sim_domain(b.g, cpu, i);
				uint32_t weight = 0;

				assert_true(sd->nr_groups > 1);
				assert_true(sim_set_has(&sim_domain_group(b.g, sd, 0)->span, cpu));
				for (uint32_t n = 0; n < sd->nr_groups; n++)
					weight += sim_domain_group(b.g, sd, n)->span.weight;
				assert_true(weight >= sd->span.weight);
				if (!(sd->flags & MACHINE_SD_OVERLAP))
					assert_int_equal(weight, sd->span.weight);
			}
		}
		done(&b);
	}
}

/* Memory grows with CPUs, not with CPUs times groups. */
static void many_cpus_share_what_they_can(void **state)
{
	struct built b = build("synthetic:package:16 [numa] l3:8 core:4 pu:2", "v6.1");

	(void)state;
	assert_int_equal(b.g->nr_cpus, 1024);
	assert_true(b.g->bytes < 2 << 20);
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_and_each_core_is_a_group),
		cmocka_unit_test(siblings_far_apart_make_a_core),
		cmocka_unit_test(the_last_cpu_orders_the_ring),
		cmocka_unit_test(clusters_are_groups_of_the_llc),
		cmocka_unit_test(far_nodes_overlap),
		cmocka_unit_test(groups_left_their_domain_up_to_v5_12),
		cmocka_unit_test(unequal_cores_keep_their_capacities),
		cmocka_unit_test(overlapping_groups_are_the_naive_twins),
		cmocka_unit_test(groups_cover_their_domain),
		cmocka_unit_test(many_cpus_share_what_they_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
