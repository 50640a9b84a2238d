// SPDX-License-Identifier: GPL-2.0-only
/* The recordings' machine.txt: read, returned as recorded, and met by the rules. */
#include <dirent.h>
#include "machine_test.h"

typedef void (*each_fn)(const char *name, const struct machine *m);

static void each_recording(each_fn fn)
{
	struct machine *m;
	struct dirent *e;
	char path[512];
	unsigned n = 0;
	DIR *dir = opendir(MACHINES "/recordings");

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", MACHINES "/recordings", e->d_name);
		m = machine_must(path);
		fn(e->d_name, m);
		machine_free(m);
		n++;
	}
	closedir(dir);
	assert_int_equal(n, 26);
}

static bool by_hand(const struct machine *m)
{
	return m->recording->toggles && strstr(m->recording->toggles, "IMB=");
}

/* The rules give what the kernel had, but for the imbalance_pct set by hand. */
static void check_derived(const char *name, const struct machine *m)
{
	struct machine_domains *derived, *recorded;
	struct machine_kernel k;

	print_message("%s\n", name);
	machine_kernel_of(m, &k);
	assert_int_equal(machine_domains(m, &k, &recorded, NULL), 0);
	assert_int_equal(machine_domains_derive(m, &k, &derived, NULL), 0);
	assert_true(recorded->recorded);
	assert_false(derived->recorded);
	for (unsigned cpu = 0; by_hand(m) && cpu < 16; cpu++) {
		assert_int_equal(recorded->cpus[cpu].sd[1].imbalance_pct, 320);
		assert_int_equal(derived->cpus[cpu].sd[1].imbalance_pct, 117);
		derived->cpus[cpu].sd[1].imbalance_pct = 320;
	}
	assert_domains_equal(derived, recorded);
	machine_domains_free(derived);
	machine_domains_free(recorded);
}

static void the_rules_give_every_recorded_kernels_domains(void **state)
{
	(void)state;
	each_recording(check_derived);
}

static void check_head(const char *name, const struct machine *m)
{
	unsigned major, minor;

	assert_int_equal(sscanf(name, "%u.%u", &major, &minor), 2);
	assert_int_equal(m->recording->major, major);
	assert_int_equal(m->recording->minor, minor);
	assert_int_equal(m->recording->hz, 250);
	assert_non_null(strstr(m->recording->features, "TTWU_QUEUE"));
	assert_set(m->online, "0-15");
	assert_int_equal(m->nr_nodes, 1);
	assert_int_equal(m->recording->cluster, strstr(name, "cl4") != NULL);
	if (m->recording->toggles)
		assert_non_null(m->recording->variant);
}

static void the_head_of_every_recording_is_read(void **state)
{
	(void)state;
	each_recording(check_head);
}

static void an_imbalance_pct_set_by_hand_is_kept_for_another_version(void **state)
{
	struct machine *m =
		machine_must(MACHINES "/recordings/6.1-siscore-p12-imb-2s4c2t.txt");
	struct machine_domains *d = domains_must(m, "v5.17");

	(void)state;
	assert_false(d->recorded);
	assert_int_equal(domain_of(d, 3, "MC")->imbalance_pct, 320);
	assert_int_equal(domain_of(d, 3, "SMT")->imbalance_pct, 110);
	assert_int_equal(domain_of(d, 3, "DIE")->imbalance_pct, 117);
	machine_domains_free(d);
	d = domains_must(m, "v5.4");
	assert_int_equal(domain_of(d, 3, "MC")->imbalance_pct, 320);
	assert_int_equal(domain_of(d, 3, "DIE")->imbalance_pct, 125);
	machine_domains_free(d);
	machine_free(m);
}

static void an_override_of_die_follows_it_to_pkg(void **state)
{
	struct machine *m = machine_must_text(
		"kernel 6.1.0\n"
		"domain0 DIE flags: SD_BALANCE_NEWIDLE SD_WAKE_AFFINE SD_PREFER_SIBLING imb 150\n"
		"TOPO 0 0 DIE:3:150:x\nTOPO 1 1 DIE:3:150:x\n");
	struct machine_domains *d = domains_must(m, "v6.12");

	(void)state;
	assert_int_equal(domain_of(d, 0, "PKG")->imbalance_pct, 150);
	machine_domains_free(d);
	machine_free(m);
}

static void a_recorded_cluster_flag_wins_before_v6_7(void **state)
{
	struct machine *m =
		machine_must(MACHINES "/recordings/6.1-cluster-v2-2s8c1t-cl4.txt");
	struct machine_domains *d = domains_must(m, "v6.1");

	(void)state;
	assert_names(d, 9, "CLS MC DIE");
	assert_true(d->cpus[9].sd[0].flags & MACHINE_SD_CLUSTER);
	assert_true(d->sched_cluster_active);
	assert_int_equal(d->cpus[9].sd_share_id, 8);
	assert_set(m->cpus[9].cluster, "8-11");
	machine_domains_free(d);
	/* The mainline tag has the level, not the flag. */
	d = domains_must(m, "v5.17");
	assert_names(d, 9, "CLS MC DIE");
	assert_false(d->cpus[9].sd[0].flags & MACHINE_SD_CLUSTER);
	assert_false(d->sched_cluster_active);
	machine_domains_free(d);
	machine_free(m);
}

static void without_sched_cluster_a_recording_loses_the_level(void **state)
{
	struct machine *m = machine_must(MACHINES "/recordings/6.12arm64-cluster-1s4cl4c.txt");
	struct machine_kernel k = { 6, 12, false };
	struct machine_domains *d;

	(void)state;
	assert_int_equal(machine_domains(m, &k, &d, NULL), 0);
	assert_names(d, 0, "MC");
	machine_domains_free(d);
	machine_free(m);
}

static void offlining_a_cpu_ends_what_was_recorded(void **state)
{
	struct machine *m = machine_must(MACHINES "/recordings/6.1-2s4c2t.txt");
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct machine_domains *d;

	(void)state;
	hwloc_bitmap_set(set, 1);
	assert_int_equal(machine_offline(m, set, NULL), 0);
	d = domains_must(m, "v6.1");
	assert_false(d->recorded);
	assert_names(d, 0, "MC DIE");
	assert_names(d, 1, "");
	assert_set(d->cpus[0].sd[0].span, "0,2-7");
	machine_domains_free(d);
	hwloc_bitmap_free(set);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_give_every_recorded_kernels_domains),
		cmocka_unit_test(the_head_of_every_recording_is_read),
		cmocka_unit_test(an_imbalance_pct_set_by_hand_is_kept_for_another_version),
		cmocka_unit_test(an_override_of_die_follows_it_to_pkg),
		cmocka_unit_test(a_recorded_cluster_flag_wins_before_v6_7),
		cmocka_unit_test(without_sched_cluster_a_recording_loses_the_level),
		cmocka_unit_test(offlining_a_cpu_ends_what_was_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
