// SPDX-License-Identifier: GPL-2.0-only
/* Each reader on something good: which facts it finds. */
#include <sys/stat.h>
#include <unistd.h>
#include "machine_test.h"

static void lists_are_read_strictly(void **state)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	static const char *const bad[] = { "1-",  "-1", "1,", ",1",  "3-1", "1 2",
					   "0x1", "a",	"1--2", "1;2", "0-3:2", "+1" };

	(void)state;
	assert_int_equal(machine_parse_list("0-3,8,10-11", 11, set), 0);
	assert_set(set, "0-3,8,10-11");
	assert_int_equal(machine_parse_list("", 0, set), 0);
	assert_true(hwloc_bitmap_iszero(set));
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(machine_parse_list(bad[i], strlen(bad[i]), set), -EINVAL);
	assert_int_equal(machine_parse_list("8192", 4, set), -E2BIG);
	assert_int_equal(machine_parse_list("0-99999999999999999999", 22, set), -E2BIG);
	assert_int_equal(machine_parse_list("8191", 4, set), 0);
	hwloc_bitmap_free(set);
}

static void a_sysfs_tree_gives_clusters_caches_and_distances(void **state)
{
	struct machine *m = machine_must(MACHINES "/128arm-2pa2n8cluster4co.tar.bz2");
	const struct machine_cpu *c = &m->cpus[70];

	(void)state;
	assert_string_equal(m->name, "128arm-2pa2n8cluster4co.tar.bz2");
	assert_int_equal(m->arch, MACHINE_ARM64);
	assert_set(m->possible, "0-127");
	assert_set(c->cluster, "68-71");
	assert_set(c->llc, "64-95");
	assert_set(c->pkg, "64-127");
	assert_set(c->smt, "70");
	assert_int_equal(c->node, 2);
	assert_int_equal(c->nr_caches, 4);
	assert_int_equal(c->caches[3].size, 32u << 20);
	assert_int_equal(m->distance[1 * 4 + 2], 25);
	machine_free(m);
}

static void a_sysfs_tree_without_masks_knows_who_is_offline(void **state)
{
	struct machine *m = machine_must(MACHINES "/16em64t-4s2c2t-offlines.tar.bz2");

	(void)state;
	assert_int_equal(m->arch, MACHINE_X86);
	assert_int_equal(m->vendor, MACHINE_VENDOR_INTEL);
	assert_int_equal(m->family, 15);
	assert_set(m->possible, "0-15");
	assert_set(m->online, "0-1,3-4,6-12,15");
	assert_set(m->cpus[0].smt, "0,8");
	assert_set(m->cpus[1].llc, "1,9");
	assert_set(m->cpus[5].llc, "");
	assert_int_equal(m->cpus[5].node, -1);
	machine_free(m);
}

static void node_ids_may_have_gaps(void **state)
{
	struct machine *m = machine_must(MACHINES "/256ppc-8n8s4t.tar.bz2");

	(void)state;
	assert_int_equal(m->arch, MACHINE_POWERPC);
	assert_int_equal(m->family, 7);
	assert_int_equal(m->nr_nodes, 8);
	assert_int_equal(m->nodes[7].id, 13);
	assert_int_equal(machine_node_index(m, 12), 6);
	assert_int_equal(machine_node_index(m, 2), -1);
	assert_int_equal(m->cpus[255].node, 13);
	assert_int_equal(m->distance[6 * 8 + 7], 20);
	assert_int_equal(m->distance[0 * 8 + 7], 40);
	machine_free(m);
}

static void hybrid_and_asymmetric_machines_are_known(void **state)
{
	struct machine *m = machine_must(MACHINES "/20em64t-hybrid-1p6c2t+2ca4co1t.tar.bz2");

	(void)state;
	assert_true(m->hybrid);
	assert_set(m->cpus[13].cluster, "12-15");
	assert_set(m->cpus[3].cluster, "2-3");
	assert_true(m->cpus[0].priority > m->cpus[12].priority);
	machine_free(m);
	m = machine_must(MACHINES "/nvidia-dgx-gb10.tar.bz2");
	assert_int_equal(m->cpus[0].capacity, 718);
	assert_int_equal(m->cpus[16].capacity, 1017);
	assert_set(m->cpus[16].llc, "10-19");
	machine_free(m);
}

static void a_cpu_in_several_nodes_is_refused_with_its_file(void **state)
{
	struct machine_error err;
	struct machine *m;

	(void)state;
	assert_int_equal(machine_load(MACHINES "/8em64t-2s2ca2c-buggynuma.tar.bz2", &m, &err),
			 -EINVAL);
	assert_non_null(strstr(err.place, "sys/devices/system/node/node1/cpulist"));
	assert_non_null(strstr(err.text, "CPUs 0-7 are in another node too"));
}

static void hwloc_xml_gives_packages_and_llcs(void **state)
{
	struct machine *m = machine_must(MACHINES "/AMD-19h-Zen3-2xEpyc-7763.xml");

	(void)state;
	assert_int_equal(m->source, MACHINE_FROM_XML);
	assert_set(m->online, "0-127");
	assert_set(m->cpus[65].llc, "64-71");
	assert_set(m->cpus[65].pkg, "64-127");
	assert_int_equal(m->cpus[65].package, 1);
	assert_int_equal(m->nr_notes, 1);
	machine_free(m);
}

static void a_synthetic_string_is_built(void **state)
{
	struct machine *m = machine_must("synthetic:pack:2 [numa] l3:2 l2:2 core:2 pu:2");
	struct machine_domains *d = domains_must(m, "v6.12");

	(void)state;
	assert_set(m->possible, "0-31");
	assert_set(m->cpus[21].smt, "20-21");
	assert_set(m->cpus[21].cluster, "20-23");
	assert_set(m->cpus[21].llc, "16-23");
	assert_set(m->cpus[21].pkg, "16-31");
	assert_names(d, 21, "SMT CLS MC PKG NUMA");
	machine_domains_free(d);
	machine_free(m);
}

static const char lscpu_text[] = "# The following is the parsable format, which can be fed to other\n"
				 "# programs. Each different item in every column has an unique ID\n"
				 "# starting usually from zero.\n"
				 "# CPU,Core,Socket,Node,L1d,L2,L3,Online\n"
				 "0,0,0,0,0,0,0,Y\n"
				 "4,0,0,0,0,0,0,Y\n"
				 "2,1,0,0,1,1,0,Y\n"
				 "6,,,,,,,N\n"
				 "1,2,1,1,2,2,1,Y\n"
				 "5,2,1,1,2,2,1,Y\n";

static void lscpu_lines_are_read_with_gaps_and_offline_cpus(void **state)
{
	struct machine *m = machine_must_text(lscpu_text);
	struct machine_domains *d = domains_must(m, "v6.12");

	(void)state;
	assert_int_equal(m->source, MACHINE_FROM_LSCPU);
	assert_set(m->possible, "0-2,4-6");
	assert_set(m->online, "0-2,4-5");
	assert_int_equal(m->nr_cpu_ids, 7);
	assert_set(m->cpus[4].smt, "0,4");
	assert_set(m->cpus[4].llc, "0,2,4");
	assert_set(m->nodes[1].cpus, "1,5");
	assert_int_equal(m->nr_notes, 2);
	assert_names(d, 0, "SMT MC NUMA");
	assert_names(d, 2, "MC NUMA");
	assert_names(d, 3, "");
	machine_domains_free(d);
	machine_free(m);
}

/* lscpu -p without a list has an empty column and no Online. */
static void the_default_columns_of_lscpu_are_read(void **state)
{
	struct machine *m = machine_must_text("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n"
					      "0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n");

	(void)state;
	assert_set(m->online, "0-1");
	assert_set(m->cpus[0].llc, "0-1");
	assert_int_equal(m->cpus[0].nr_caches, 4);
	machine_free(m);
}

static void preset_sets_repeat_with_a_step(void **state)
{
	struct machine *m = machine_must_text("# a comment\nmachine m # another\n\n"
					      "cpus 0-3,8-11\narch x86\n"
					      "core 0,8 x4 +1\nisolated 3\npresent 0-3,8-10\n"
					      "online 0-3,8-9\ncache L2 1M 0-1,8-9 x2 +2\n");

	(void)state;
	assert_int_equal(m->nr_cpu_ids, 12);
	assert_set(m->possible, "0-3,8-11");
	assert_set(m->present, "0-3,8-10");
	assert_set(m->online, "0-3,8-9");
	assert_set(m->isolated, "3");
	assert_set(m->cpus[1].smt, "1,9");
	assert_set(m->cpus[2].llc, "2-3");
	machine_free(m);
}

static void self_is_this_machine(void **state)
{
	struct machine *m;
	struct machine_domains *d;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	(void)state;
	if (access("/sys/devices/system/cpu/online", R_OK))
		skip();
	m = machine_must("self");
	assert_int_equal(hwloc_bitmap_weight(m->online), online);
	d = domains_must(m, "v6.12");
	machine_domains_free(d);
	machine_free(m);
}

static void put(const char *dir, const char *file, const char *text)
{
	char path[600], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Possible, present, online and isolated all differ, and ids have gaps. */
static void a_folder_is_read_like_an_archive(void **state)
{
	char dir[] = "/tmp/wakelab-test-XXXXXX", cmd[80];
	struct machine *m;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put(dir, "sys/devices/system/cpu/possible", "0-9\n");
	put(dir, "sys/devices/system/cpu/present", "0-1,4-6\n");
	put(dir, "sys/devices/system/cpu/online", "0-1,4-5\n");
	put(dir, "sys/devices/system/cpu/isolated", "5\n");
	put(dir, "sys/devices/system/cpu/cpu0/topology/thread_siblings", "3\n");
	put(dir, "sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
	put(dir, "sys/devices/system/cpu/cpu4/topology/core_id", "-1\n");
	put(dir, "sys/devices/system/cpu/cpu5/cpu_capacity", "512\n");
	put(dir, "sys/devices/system/cpu/cpu6/online", "0\n");
	put(dir, "proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
	m = machine_must(dir);
	assert_int_equal(m->nr_cpu_ids, 10);
	assert_set(m->possible, "0-9");
	assert_set(m->present, "0-1,4-6");
	assert_set(m->online, "0-1,4-5");
	assert_set(m->isolated, "5");
	assert_set(m->cpus[0].smt, "0-1");
	assert_int_equal(m->cpus[5].capacity, 512);
	assert_int_equal(m->arch, MACHINE_ARM64);
	machine_free(m);
	snprintf(cmd, sizeof(cmd), "%s/sys", dir);
	m = machine_must(cmd);
	assert_set(m->online, "0-1,4-5");
	machine_free(m);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	assert_int_equal(system(cmd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_strictly),
		cmocka_unit_test(a_sysfs_tree_gives_clusters_caches_and_distances),
		cmocka_unit_test(a_sysfs_tree_without_masks_knows_who_is_offline),
		cmocka_unit_test(node_ids_may_have_gaps),
		cmocka_unit_test(hybrid_and_asymmetric_machines_are_known),
		cmocka_unit_test(a_cpu_in_several_nodes_is_refused_with_its_file),
		cmocka_unit_test(hwloc_xml_gives_packages_and_llcs),
		cmocka_unit_test(a_synthetic_string_is_built),
		cmocka_unit_test(lscpu_lines_are_read_with_gaps_and_offline_cpus),
		cmocka_unit_test(the_default_columns_of_lscpu_are_read),
		cmocka_unit_test(preset_sets_repeat_with_a_step),
		cmocka_unit_test(self_is_this_machine),
		cmocka_unit_test(a_folder_is_read_like_an_archive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
