// SPDX-License-Identifier: GPL-2.0-only
/* Presets: all of them load, and those with a real counterpart give its domains. */
#include "machine_test.h"

static const char *const versions[] = { "v5.4", "v5.10", "v5.17", "v6.1", "v6.12", "v7.3" };

#define NR_VERSIONS (sizeof(versions) / sizeof(versions[0]))

static void every_preset_loads_by_its_name(void **state)
{
	static const char *const names[] = { "epyc-7003-2s-nps1", "epyc-7003-2s-nps2",
					     "epyc-7003-2s-nps4", "kunpeng920",
					     "power9-lpar",	  "xeon-4s24c",
					     "xeon-e7-8870v4",	  NULL };
	struct machine_domains *d;
	const char *text;
	struct machine *m;
	char path[80];
	size_t len;

	(void)state;
	for (unsigned i = 0; names[i]; i++) {
		assert_string_equal(machine_preset_name(i), names[i]);
		text = machine_preset_text(i, &len);
		assert_int_equal(strlen(text), len);
		m = machine_must(names[i]);
		assert_string_equal(m->name, names[i]);
		assert_int_equal(m->source, MACHINE_FROM_PRESET);
		machine_free(m);
		snprintf(path, sizeof(path), "preset:%s", names[i]);
		m = machine_must(path);
		for (unsigned v = 0; v < NR_VERSIONS; v++) {
			d = domains_must(m, versions[v]);
			assert_int_equal(hwloc_bitmap_weight(d->cpu_map), m->nr_cpu_ids);
			machine_domains_free(d);
		}
		machine_free(m);
	}
	assert_null(machine_preset_name(7));
	assert_null(machine_preset_text(7, &len));
}

static void the_kunpeng_preset_gives_the_real_trees_domains(void **state)
{
	struct machine *preset = machine_must("kunpeng920");
	struct machine *real = machine_must(MACHINES "/128arm-2pa2n8cluster4co.tar.bz2");
	struct machine_domains *a, *b;

	(void)state;
	assert_int_equal(preset->arch, real->arch);
	assert_int_equal(preset->nr_nodes, real->nr_nodes);
	assert_memory_equal(preset->distance, real->distance, 16 * sizeof(unsigned));
	for (unsigned cpu = 0; cpu < 128; cpu++) {
		const struct machine_cpu *x = &preset->cpus[cpu], *y = &real->cpus[cpu];

		assert_int_equal(x->nr_caches, y->nr_caches);
		for (unsigned i = 0; i < x->nr_caches; i++) {
			assert_int_equal(x->caches[i].size, y->caches[i].size);
			assert_int_equal(x->caches[i].type, y->caches[i].type);
			assert_true(hwloc_bitmap_isequal(x->caches[i].cpus, y->caches[i].cpus));
		}
	}
	for (unsigned v = 0; v < NR_VERSIONS; v++) {
		a = domains_must(preset, versions[v]);
		b = domains_must(real, versions[v]);
		assert_domains_equal(a, b);
		machine_domains_free(a);
		machine_domains_free(b);
	}
	machine_free(preset);
	machine_free(real);
}

/* The tree was taken with SMT off and without NUMA: bring the preset there by the same means. */
static struct machine *epyc_as_gathered(void)
{
	struct machine *m = machine_must("epyc-7003-2s-nps1");
	hwloc_bitmap_t second = hwloc_bitmap_alloc();

	hwloc_bitmap_set_range(second, 128, 255);
	assert_int_equal(machine_offline(m, second, NULL), 0);
	hwloc_bitmap_free(second);
	hwloc_bitmap_or(m->nodes[0].cpus, m->nodes[0].cpus, m->nodes[1].cpus);
	hwloc_bitmap_free(m->nodes[1].cpus);
	m->nr_nodes = 1;
	for (unsigned cpu = 0; cpu < 128; cpu++)
		m->cpus[cpu].node = 0;
	return m;
}

static void the_epyc_preset_gives_the_real_trees_domains(void **state)
{
	struct machine *preset = epyc_as_gathered();
	struct machine *real = machine_must(MACHINES "/AMD-19h-Zen3-2xEpyc-7763.xml");
	struct machine_domains *a, *b;

	(void)state;
	assert_int_equal(real->arch, MACHINE_X86);
	assert_int_equal(real->vendor, preset->vendor);
	assert_int_equal(real->family, preset->family);
	for (unsigned v = 0; v < NR_VERSIONS; v++) {
		a = domains_must(preset, versions[v]);
		b = domains_must(real, versions[v]);
		for (unsigned cpu = 0; cpu < 128; cpu++) {
			assert_int_equal(a->cpus[cpu].nr, 2);
			assert_int_equal(b->cpus[cpu].nr, 2);
			assert_domain_equal(&a->cpus[cpu].sd[0], &b->cpus[cpu].sd[0]);
			assert_domain_equal(&a->cpus[cpu].sd[1], &b->cpus[cpu].sd[1]);
			assert_int_equal(a->cpus[cpu].sd_llc_id, b->cpus[cpu].sd_llc_id);
		}
		machine_domains_free(a);
		machine_domains_free(b);
	}
	machine_free(preset);
	machine_free(real);
}

/* The node lists of the mails, with the slips put right. */
static void epyc_nodes_are_those_of_the_mails(void **state)
{
	static const struct {
		const char *preset, *nodes[8];
	} nps[] = {
		{ "epyc-7003-2s-nps1", { "0-63,128-191", "64-127,192-255" } },
		{ "epyc-7003-2s-nps2",
		  { "0-31,128-159", "32-63,160-191", "64-95,192-223", "96-127,224-255" } },
		{ "epyc-7003-2s-nps4",
		  { "0-15,128-143", "16-31,144-159", "32-47,160-175", "48-63,176-191",
		    "64-79,192-207", "80-95,208-223", "96-111,224-239", "112-127,240-255" } },
	};
	struct machine_domains *d;
	struct machine *m;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		m = machine_must(nps[i].preset);
		assert_int_equal(m->nr_nodes, 2u << i);
		for (unsigned n = 0; n < m->nr_nodes; n++)
			assert_set(m->nodes[n].cpus, nps[i].nodes[n]);
		d = domains_must(m, "v5.19");
		assert_set(d->cpus[133].sd[1].span, "0-7,128-135");
		machine_domains_free(d);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset_loads_by_its_name),
		cmocka_unit_test(the_kunpeng_preset_gives_the_real_trees_domains),
		cmocka_unit_test(the_epyc_preset_gives_the_real_trees_domains),
		cmocka_unit_test(epyc_nodes_are_those_of_the_mails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
