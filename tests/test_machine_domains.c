// SPDX-License-Identifier: GPL-2.0-only
/* Domains by version and architecture, on machines small enough to know by heart. */
#include "machine_test.h"

#define DEFAULTS                                                                                   \
	(MACHINE_SD_BALANCE_NEWIDLE | MACHINE_SD_BALANCE_EXEC | MACHINE_SD_BALANCE_FORK |          \
	 MACHINE_SD_WAKE_AFFINE | MACHINE_SD_PREFER_SIBLING)

static struct machine_domains *domains_of(const char *path, const char *version)
{
	struct machine *m = machine_must(path);
	struct machine_domains *d = domains_must(m, version);

	machine_free(m);
	return d;
}

static void imbalance_pct_and_busy_factor_follow_the_version(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps1", "v5.9");

	(void)state;
	assert_names(d, 0, "SMT MC DIE NUMA");
	assert_int_equal(d->cpus[0].sd[0].imbalance_pct, 110);
	assert_int_equal(d->cpus[0].sd[1].imbalance_pct, 117);
	assert_int_equal(d->cpus[0].sd[2].imbalance_pct, 125);
	assert_int_equal(d->cpus[0].sd[3].imbalance_pct, 125);
	assert_int_equal(d->cpus[0].sd[0].busy_factor, 32);
	machine_domains_free(d);
	d = domains_of("epyc-7003-2s-nps1", "v5.10");
	assert_int_equal(d->cpus[0].sd[2].imbalance_pct, 117);
	assert_int_equal(d->cpus[0].sd[3].imbalance_pct, 117);
	assert_int_equal(d->cpus[0].sd[0].busy_factor, 16);
	machine_domains_free(d);
}

static void die_is_called_pkg_from_v6_7_on(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps1", "v6.6");

	(void)state;
	assert_names(d, 255, "SMT MC DIE NUMA");
	machine_domains_free(d);
	d = domains_of("epyc-7003-2s-nps1", "v6.7");
	assert_names(d, 255, "SMT MC PKG NUMA");
	machine_domains_free(d);
}

static void share_llc_has_its_name_from_v6_9_on(void **state)
{
	struct machine_kernel k = { 6, 8, true };

	(void)state;
	assert_string_equal(machine_sd_flag_name(MACHINE_SD_SHARE_LLC, &k),
			    "SD_SHARE_PKG_RESOURCES");
	k.minor = 9;
	assert_string_equal(machine_sd_flag_name(MACHINE_SD_SHARE_LLC, &k), "SD_SHARE_LLC");
	assert_string_equal(machine_sd_flag_name(MACHINE_SD_NUMA, &k), "SD_NUMA");
	assert_null(machine_sd_flag_name(3, &k));
}

static void flags_and_intervals_of_each_level_are_sd_inits(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps1", "v6.12");
	const struct machine_domain *sd = d->cpus[130].sd;

	(void)state;
	assert_int_equal(sd[0].flags,
			 DEFAULTS | MACHINE_SD_SHARE_CPUCAPACITY | MACHINE_SD_SHARE_LLC);
	assert_int_equal(sd[1].flags, DEFAULTS | MACHINE_SD_SHARE_LLC);
	assert_int_equal(sd[2].flags, DEFAULTS);
	assert_int_equal(sd[3].flags, (DEFAULTS & ~MACHINE_SD_PREFER_SIBLING) |
					      MACHINE_SD_SERIALIZE | MACHINE_SD_OVERLAP |
					      MACHINE_SD_NUMA);
	assert_int_equal(sd[0].cache_nice_tries, 0);
	assert_int_equal(sd[1].cache_nice_tries, 1);
	assert_int_equal(sd[2].cache_nice_tries, 1);
	assert_int_equal(sd[3].cache_nice_tries, 2);
	assert_int_equal(sd[1].min_interval, 16);
	assert_int_equal(sd[1].max_interval, 32);
	assert_int_equal(sd[0].groups_flags, 0);
	assert_int_equal(sd[1].groups_flags, sd[0].flags);
	assert_set(sd[1].span, "0-7,128-135");
	machine_domains_free(d);
	d = domains_of("epyc-7003-2s-nps1", "v5.7");
	assert_int_equal(d->cpus[0].sd[2].flags, DEFAULTS | MACHINE_SD_LOAD_BALANCE);
	machine_domains_free(d);
}

static void the_cluster_level_comes_in_v5_16_and_its_flag_in_v6_7(void **state)
{
	struct machine_domains *d = domains_of("kunpeng920", "v5.15");

	(void)state;
	assert_names(d, 0, "MC NUMA NUMA NUMA");
	machine_domains_free(d);
	d = domains_of("kunpeng920", "v5.16");
	assert_names(d, 0, "CLS MC NUMA NUMA NUMA");
	assert_int_equal(d->cpus[0].sd[0].flags, DEFAULTS | MACHINE_SD_SHARE_LLC);
	assert_false(d->sched_cluster_active);
	assert_int_equal(d->cpus[70].sd_share_id, 64);
	machine_domains_free(d);
	d = domains_of("kunpeng920", "v6.7");
	assert_int_equal(d->cpus[0].sd[0].flags,
			 DEFAULTS | MACHINE_SD_SHARE_LLC | MACHINE_SD_CLUSTER);
	assert_true(d->sched_cluster_active);
	assert_int_equal(d->cpus[70].sd_share_id, 68);
	assert_int_equal(d->cpus[70].sd_llc_id, 64);
	assert_int_equal(d->cpus[70].sd_llc, 1);
	machine_domains_free(d);
}

static void without_config_sched_cluster_there_is_no_cluster_level(void **state)
{
	struct machine *m = machine_must("kunpeng920");
	struct machine_kernel k = { 6, 12, false };
	struct machine_domains *d;

	(void)state;
	assert_int_equal(machine_domains(m, &k, &d, NULL), 0);
	assert_names(d, 0, "MC NUMA NUMA NUMA");
	assert_int_equal(d->cpus[70].sd_share_id, 64);
	machine_domains_free(d);
	machine_free(m);
}

/* Distances 16, 25, 32, 33: affine up to 30, and nodes 1 and 2 are 25 apart. */
static void beyond_node_reclaim_distance_there_is_no_wake_affine(void **state)
{
	struct machine_domains *d = domains_of("kunpeng920", "v6.12");
	const unsigned affine = MACHINE_SD_WAKE_AFFINE;

	(void)state;
	assert_set(d->cpus[0].sd[2].span, "0-63");
	assert_set(d->cpus[0].sd[3].span, "0-95");
	assert_set(d->cpus[0].sd[4].span, "0-127");
	assert_true(d->cpus[0].sd[2].flags & affine);
	assert_false(d->cpus[0].sd[3].flags & affine);
	assert_false(d->cpus[0].sd[4].flags & affine);
	assert_set(d->cpus[32].sd[3].span, "0-95");
	assert_true(d->cpus[32].sd[3].flags & affine);
	assert_set(d->cpus[64].sd[3].span, "32-127");
	assert_true(d->cpus[64].sd[3].flags & affine);
	assert_set(d->cpus[96].sd[3].span, "32-127");
	assert_false(d->cpus[96].sd[3].flags & affine);
	machine_domains_free(d);
}

static void amd_zen_reclaims_at_32_and_powerpc_at_10(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps1", "v5.4");

	(void)state;
	assert_true(d->cpus[0].sd[3].flags & MACHINE_SD_WAKE_AFFINE);
	machine_domains_free(d);
	d = domains_of("power9-lpar", "v5.4");
	assert_false(domain_of(d, 0, "NUMA")->flags &
		     (MACHINE_SD_WAKE_AFFINE | MACHINE_SD_BALANCE_FORK | MACHINE_SD_BALANCE_EXEC));
	machine_domains_free(d);
}

static void power9_has_small_cores_and_an_llc_of_eight_threads(void **state)
{
	struct machine_domains *d = domains_of("power9-lpar", "v5.4");

	(void)state;
	assert_names(d, 3, "SMT CACHE DIE NUMA");
	assert_set(d->cpus[3].sd[0].span, "1,3,5,7");
	assert_set(d->cpus[3].smt, "1,3,5,7");
	assert_set(d->cpus[3].sd[1].span, "0-7");
	assert_int_equal(d->cpus[3].sd_llc, 1);
	assert_int_equal(d->cpus[3].sd_llc_size, 8);
	assert_set(d->cpus[3].sd[2].span, "0-63");
	machine_domains_free(d);
}

static void on_power7_the_core_is_the_llc(void **state)
{
	struct machine_domains *d = domains_of(MACHINES "/256ppc-8n8s4t.tar.bz2", "v6.12");

	(void)state;
	assert_names(d, 9, "SMT PKG NUMA NUMA");
	assert_int_equal(d->cpus[9].sd_llc, 0);
	assert_int_equal(d->cpus[9].sd_llc_size, 4);
	assert_int_equal(d->cpus[9].sd[0].imbalance_pct, 110);
	assert_true(d->cpus[9].sd[0].flags & MACHINE_SD_ASYM_PACKING);
	assert_set(d->cpus[9].sd[2].span, "0-63");
	/* 20 is beyond powerpc's 10 */
	assert_false(d->cpus[9].sd[2].flags & MACHINE_SD_WAKE_AFFINE);
	machine_domains_free(d);
}

static void several_nodes_in_a_package_drop_pkg_on_x86(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps4", "v6.12");

	(void)state;
	assert_names(d, 0, "SMT MC NODE NUMA NUMA");
	assert_set(d->cpus[0].sd[2].span, "0-15,128-143");
	assert_set(d->cpus[0].sd[3].span, "0-63,128-191");
	machine_domains_free(d);
}

static void an_llc_ends_at_its_node_on_x86(void **state)
{
	struct machine *m = machine_must_text("machine snc\ncpus 0-7\narch x86\nvendor intel\n"
					      "package 0-7\nnode 0-3 4-7\ncache L3 32M 0-7\n"
					      "distance 10 11\ndistance 11 10\n");
	struct machine_domains *d = domains_must(m, "v6.12");

	(void)state;
	assert_names(d, 5, "MC NUMA");
	assert_set(d->cpus[5].sd[0].span, "4-7");
	assert_set(d->cpus[5].sd[1].span, "0-7");
	machine_domains_free(d);
	machine_free(m);
}

/* E.2: CLS as wide as MC makes MC vanish; on arm64 CLS is narrowed instead, from v6.0 on. */
static void a_cluster_as_wide_as_the_llc_takes_its_place(void **state)
{
	static const char text[] = "machine m\ncpus 0-7\narch %s\n"
				   "cluster 0-3 4-7\ncache L3 8M 0-3 4-7\n";
	char x86[128], arm64[128];
	struct machine_domains *d;
	struct machine *m;

	(void)state;
	snprintf(x86, sizeof(x86), text, "x86");
	snprintf(arm64, sizeof(arm64), text, "arm64");
	m = machine_must_text(x86);
	d = domains_must(m, "v6.12");
	assert_names(d, 0, "CLS PKG");
	assert_int_equal(d->cpus[0].sd_llc, 0);
	machine_domains_free(d);
	machine_free(m);
	m = machine_must_text(arm64);
	d = domains_must(m, "v6.12");
	assert_names(d, 0, "MC PKG");
	assert_false(d->sched_cluster_active);
	machine_domains_free(d);
	d = domains_must(m, "v5.17");
	assert_names(d, 0, "CLS DIE");
	machine_domains_free(d);
	machine_free(m);
}

/* E.5: only Intel's and Zhaoxin's kernels know an L2 id. */
static void a_shared_l2_is_a_cluster_unless_it_is_amds(void **state)
{
	static const char text[] = "machine m\ncpus 0-7\narch x86\nvendor %s\n"
				   "cache L2 1M 0-3 4-7\ncache L3 8M 0-7\n";
	static const char *const vendors[] = { "intel", "amd" };
	static const char *const names[] = { "CLS MC", "MC" };
	struct machine_domains *d;
	struct machine *m;
	char buf[160];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		snprintf(buf, sizeof(buf), text, vendors[i]);
		m = machine_must_text(buf);
		d = domains_must(m, "v6.12");
		assert_names(d, 0, names[i]);
		machine_domains_free(d);
		machine_free(m);
	}
}

static void a_single_cpu_has_no_domain(void **state)
{
	struct machine *m = machine_must_text("machine m\ncpus 0\n");
	struct machine_domains *d = domains_must(m, "v6.12");

	(void)state;
	assert_int_equal(d->cpus[0].nr, 0);
	assert_int_equal(d->cpus[0].sd_llc, -1);
	assert_int_equal(d->cpus[0].sd_llc_size, 1);
	assert_int_equal(d->cpus[0].sd_llc_id, 0);
	machine_domains_free(d);
	machine_free(m);
}

static void isolated_and_offline_cpus_get_no_domains(void **state)
{
	struct machine *m = machine_must_text(
		"machine m\ncpus 0-7\narch x86\npackage 0-7\ncore 0-1 x4 +2\ncache L3 8M 0-7\n"
		"online 0-4,6-7\nisolated 2-3\n");
	struct machine_domains *d = domains_must(m, "v6.12");

	(void)state;
	assert_set(d->cpu_map, "0-1,4,6-7");
	assert_names(d, 2, "");
	assert_names(d, 5, "");
	assert_names(d, 4, "MC");
	assert_set(d->cpus[4].sd[0].span, "0-1,4,6-7");
	assert_int_equal(d->cpus[2].sd_llc_id, 2);
	assert_int_equal(d->cpus[2].sd_llc, -1);
	assert_set(d->cpus[2].smt, "2-3");
	assert_int_equal(d->cpus[4].sd[0].min_interval, 7);
	machine_domains_free(d);
	d = domains_must(m, "v7.3");
	assert_int_equal(d->cpus[2].sd_llc_id, -1);
	assert_int_equal(d->cpus[4].sd[0].min_interval, 5);
	machine_domains_free(d);
	machine_free(m);
}

static void llc_ids_are_dense_in_v7_3(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps2", "v7.3");

	(void)state;
	for (unsigned cpu = 0; cpu < 256; cpu++)
		assert_int_equal(d->cpus[cpu].sd_llc_id, cpu % 128 / 8);
	assert_int_equal(d->cpus[130].sd_share_id, 0);
	machine_domains_free(d);
}

static void imb_numa_nr_exists_from_v5_18_on(void **state)
{
	struct machine_domains *d = domains_of("epyc-7003-2s-nps1", "v5.17");

	(void)state;
	assert_int_equal(d->cpus[0].sd[2].imb_numa_nr, 0);
	machine_domains_free(d);
	d = domains_of("epyc-7003-2s-nps1", "v6.1");
	assert_int_equal(d->cpus[0].sd[1].imb_numa_nr, 0);
	assert_int_equal(d->cpus[0].sd[2].imb_numa_nr, 8); /* 8 LLCs a node */
	assert_int_equal(d->cpus[0].sd[3].imb_numa_nr, 8);
	machine_domains_free(d);
	/* One LLC a node: an eighth of it, at the PKG level that then goes. */
	d = domains_of("xeon-4s24c", "v6.1");
	assert_names(d, 0, "SMT MC NUMA");
	assert_int_equal(d->cpus[0].sd[2].imb_numa_nr, 6);
	machine_domains_free(d);
	d = domains_of("epyc-7003-2s-nps4", "v6.1");
	assert_int_equal(d->cpus[0].sd[2].imb_numa_nr, 2);
	assert_int_equal(d->cpus[0].sd[3].imb_numa_nr, 2);
	assert_int_equal(d->cpus[0].sd[4].imb_numa_nr, 4);
	machine_domains_free(d);
}

static void asymmetric_capacities_are_flagged_span_by_span_from_v5_14(void **state)
{
	struct machine *m = machine_must_text("machine bl\ncpus 0-7\narch arm64\n"
					      "cache L3 8M 0-3 4-7\n"
					      "capacity 400 0-1 4-5\ncapacity 800 2-3\n");
	struct machine_domains *d = domains_must(m, "v6.12");
	const unsigned asym = MACHINE_SD_ASYM_CPUCAPACITY, full = MACHINE_SD_ASYM_CPUCAPACITY_FULL;

	(void)state;
	assert_names(d, 0, "MC PKG");
	assert_int_equal(d->cpus[0].sd[0].flags & (asym | full), asym);
	assert_int_equal(d->cpus[0].sd[1].flags & (asym | full), asym | full);
	assert_false(d->cpus[0].sd[0].flags & MACHINE_SD_PREFER_SIBLING);
	assert_int_equal(d->cpus[0].sd_asym, 1);
	machine_domains_free(d);
	d = domains_must(m, "v7.3");
	assert_true(d->cpus[0].sd[0].flags & MACHINE_SD_PREFER_SIBLING);
	machine_domains_free(d);
	d = domains_must(m, "v5.13");
	assert_int_equal(d->cpus[0].sd[0].flags & (asym | full), 0);
	assert_int_equal(d->cpus[0].sd[1].flags & (asym | full), asym);
	assert_int_equal(d->cpus[0].sd_asym, 1);
	machine_domains_free(d);
	machine_free(m);
}

static void hybrid_x86_has_clusters_from_v6_6_on(void **state)
{
	static const char path[] = MACHINES "/20em64t-hybrid-1p6c2t+2ca4co1t.tar.bz2";
	struct machine_domains *d = domains_of(path, "v6.5");

	(void)state;
	assert_names(d, 16, "MC");
	machine_domains_free(d);
	d = domains_of(path, "v6.12");
	assert_names(d, 16, "CLS MC");
	assert_names(d, 0, "SMT MC");
	assert_true(d->cpus[16].sd[0].flags & MACHINE_SD_ASYM_PACKING);
	assert_true(d->cpus[0].sd[1].flags & MACHINE_SD_ASYM_PACKING);
	assert_false(d->cpus[0].sd[0].flags & MACHINE_SD_ASYM_PACKING);
	assert_int_equal(d->cpus[0].sd_asym_packing, 1);
	machine_domains_free(d);
}

/* A node at 40 has none at 20: its NUMA level of 20 is a single group. */
static void a_numa_level_of_one_group_survived_before_v5_10(void **state)
{
	struct machine *m = machine_must_text(
		"machine m\ncpus 0-5\narch arm64\npackage 0-1 2-3 4-5\nnode 0-1 2-3 4-5\n"
		"distance 10 20 40\ndistance 20 10 40\ndistance 40 40 10\n");
	struct machine_domains *d = domains_must(m, "v5.10");

	(void)state;
	assert_names(d, 4, "MC NUMA");
	assert_set(d->cpus[4].sd[1].span, "0-5");
	machine_domains_free(d);
	d = domains_must(m, "v5.9");
	assert_names(d, 4, "MC NUMA NUMA");
	assert_set(d->cpus[4].sd[1].span, "4-5");
	machine_domains_free(d);
	machine_free(m);
}

static void nodes_without_cpus_add_no_level_from_v5_18_on(void **state)
{
	struct machine *m = machine_must_text(
		"machine m\ncpus 0-3\narch arm64\npackage 0-1 2-3\nnode 0-1 2-3 -\n"
		"distance 10 20 15\ndistance 20 10 15\ndistance 15 15 10\n");
	struct machine_domains *d;

	(void)state;
	assert_int_equal(m->nr_nodes, 3);
	d = domains_must(m, "v6.12");
	assert_names(d, 0, "MC NUMA");
	machine_domains_free(d);
	d = domains_must(m, "v5.9");
	assert_names(d, 0, "MC NUMA NUMA");
	machine_domains_free(d);
	machine_free(m);
}

/* Two nodes at distance 10 from each other, seen from one side only: NODE overlaps. */
static void overlapping_levels_below_numa_build_nothing(void **state)
{
	struct machine *m = machine_must_text("machine m\ncpus 0-1\narch x86\npackage 0-1\n"
					      "node 0 1\ndistance 10 10\ndistance 20 10\n");
	struct machine_kernel k = { 6, 12, true };
	struct machine_domains *d = NULL;
	struct machine_error err;

	(void)state;
	assert_int_equal(machine_domains(m, &k, &d, &err), -EINVAL);
	assert_null(d);
	assert_non_null(strstr(err.text, "level NODE"));
	machine_free(m);
}

static void a_kernel_out_of_range_is_refused(void **state)
{
	struct machine *m = machine_must("kunpeng920");
	struct machine_kernel k = { 4, 19, true };
	struct machine_error err;
	struct machine_domains *d;

	(void)state;
	assert_int_equal(machine_domains(m, &k, &d, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "v4.19"));
	k = (struct machine_kernel){ 7, 4, true };
	assert_int_equal(machine_domains(m, &k, &d, &err), -EOPNOTSUPP);
	assert_int_equal(machine_kernel_parse("v6.12.117", &k), 0);
	assert_int_equal(k.minor, 12);
	assert_int_equal(machine_kernel_parse("6", &k), -EINVAL);
	assert_int_equal(machine_kernel_parse("v6.x", &k), -EINVAL);
	assert_int_equal(machine_kernel_parse("v6.12-rc1", &k), -EINVAL);
	assert_int_equal(machine_kernel_parse("", &k), -EINVAL);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(imbalance_pct_and_busy_factor_follow_the_version),
		cmocka_unit_test(die_is_called_pkg_from_v6_7_on),
		cmocka_unit_test(share_llc_has_its_name_from_v6_9_on),
		cmocka_unit_test(flags_and_intervals_of_each_level_are_sd_inits),
		cmocka_unit_test(the_cluster_level_comes_in_v5_16_and_its_flag_in_v6_7),
		cmocka_unit_test(without_config_sched_cluster_there_is_no_cluster_level),
		cmocka_unit_test(beyond_node_reclaim_distance_there_is_no_wake_affine),
		cmocka_unit_test(amd_zen_reclaims_at_32_and_powerpc_at_10),
		cmocka_unit_test(power9_has_small_cores_and_an_llc_of_eight_threads),
		cmocka_unit_test(on_power7_the_core_is_the_llc),
		cmocka_unit_test(several_nodes_in_a_package_drop_pkg_on_x86),
		cmocka_unit_test(an_llc_ends_at_its_node_on_x86),
		cmocka_unit_test(a_cluster_as_wide_as_the_llc_takes_its_place),
		cmocka_unit_test(a_shared_l2_is_a_cluster_unless_it_is_amds),
		cmocka_unit_test(a_single_cpu_has_no_domain),
		cmocka_unit_test(isolated_and_offline_cpus_get_no_domains),
		cmocka_unit_test(llc_ids_are_dense_in_v7_3),
		cmocka_unit_test(imb_numa_nr_exists_from_v5_18_on),
		cmocka_unit_test(asymmetric_capacities_are_flagged_span_by_span_from_v5_14),
		cmocka_unit_test(hybrid_x86_has_clusters_from_v6_6_on),
		cmocka_unit_test(a_numa_level_of_one_group_survived_before_v5_10),
		cmocka_unit_test(nodes_without_cpus_add_no_level_from_v5_18_on),
		cmocka_unit_test(overlapping_levels_below_numa_build_nothing),
		cmocka_unit_test(a_kernel_out_of_range_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
