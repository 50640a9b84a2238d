// SPDX-License-Identifier: GPL-2.0-only
/*
 * What changed between v5.4 and v7.3, one table a concept.
 *
 * A row holds from its version on, until the next row. Where stable trees differ from the
 * mainline tag, the tag counts, except for sched_init_numa(): up to v5.11 it took node 0's row
 * for all distances there are; every stable tree since has the repair (620a6dc40754), and so do
 * we. That one has no row.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

#define SD(x) MACHINE_SD_##x

struct row {
	unsigned major, minor;
	unsigned value;
};

bool machine_kernel_at_least(const struct machine_kernel *k, unsigned major, unsigned minor)
{
	return k->major > major || (k->major == major && k->minor >= minor);
}

static unsigned at(const struct machine_kernel *k, const struct row *rows, unsigned n)
{
	unsigned i, value = rows[0].value;

	for (i = 0; i < n; i++)
		if (machine_kernel_at_least(k, rows[i].major, rows[i].minor))
			value = rows[i].value;
	return value;
}

#define AT(k, rows) at(k, rows, sizeof(rows) / sizeof((rows)[0]))

/* sd_init(): the default, which a level that shares caches replaces by 117 or 110. */
static const struct row imbalance_pct[] = { { 5, 4, 125 }, { 5, 10, 117 } };
static const struct row busy_factor[] = { { 5, 4, 32 }, { 5, 10, 16 } };

#define EVERY                                                                                      \
	(SD(BALANCE_NEWIDLE) | SD(BALANCE_EXEC) | SD(BALANCE_FORK) | SD(WAKE_AFFINE) |             \
	 SD(PREFER_SIBLING))
static const struct row base_flags[] = { { 5, 4, EVERY | SD(LOAD_BALANCE) }, { 5, 8, EVERY } };

/* SDF_NEEDS_GROUPS; up to v5.9 the two lists inside sd_degenerate() and its sister. */
#define NEEDS                                                                                      \
	(SD(BALANCE_NEWIDLE) | SD(BALANCE_EXEC) | SD(BALANCE_FORK) | SD(ASYM_CPUCAPACITY) |        \
	 SD(SHARE_CPUCAPACITY) | SD(SHARE_LLC) | SD(PREFER_SIBLING))
#define NEEDS_510                                                                                  \
	(NEEDS | SD(BALANCE_WAKE) | SD(ASYM_CPUCAPACITY_FULL) | SD(CLUSTER) | SD(SERIALIZE) |      \
	 SD(ASYM_PACKING) | SD(OVERLAP) | SD(NUMA))
static const struct row needs_groups[] = { { 5, 4, NEEDS | SD(LOAD_BALANCE) },
					   { 5, 8, NEEDS },
					   { 5, 10, NEEDS_510 } };
static const struct row numa_drops[] = { { 5, 4, SD(SERIALIZE) }, { 5, 10, 0 } };

static const struct row cluster_flag[] = { { 5, 4, false }, { 6, 7, true } };
static const struct row overlap_flag[] = { { 5, 4, true }, { 6, 17, false } };
static const struct row asym_full[] = { { 5, 4, false }, { 5, 14, true } };
static const struct row asym_clears_child[] = { { 5, 4, true }, { 7, 3, false } };
static const struct row group_flags[] = { { 5, 4, false }, { 5, 16, true } };
static const struct row group_handover[] = { { 5, 4, 0 },
					     { 6, 5, SD(SHARE_CPUCAPACITY) },
					     { 6, 6, ~0u } };
static const struct row imb_numa[] = { { 5, 4, false }, { 5, 18, true } };
static const struct row weight_of_span[] = { { 5, 4, false }, { 7, 1, true } };
static const struct row dense_llc_id[] = { { 5, 4, false }, { 7, 3, true } };

/* RECLAIM_DISTANCE: include/linux/topology.h, arch/powerpc's, and amd.c's init_amd_zn(). */
static unsigned reclaim_distance(const struct machine *m)
{
	if (m->arch == MACHINE_POWERPC)
		return 10;
	if (m->arch == MACHINE_X86 && m->vendor == MACHINE_VENDOR_AMD &&
	    (m->family >= 0x17 || !m->family))
		return 32;
	return 30;
}

/* A recording of a patched kernel can have the flag before its time. */
static bool recorded_cluster_flag(const struct machine *m, const struct machine_kernel *k)
{
	const struct machine_recording *r = m->recording;

	return r && r->cluster && r->major == k->major && r->minor == k->minor;
}

void machine_rules(const struct machine *m, const struct machine_kernel *k,
		   struct machine_rules *r)
{
	*r = (struct machine_rules){
		.imbalance_pct = AT(k, imbalance_pct),
		.busy_factor = AT(k, busy_factor),
		.base_flags = AT(k, base_flags),
		.needs_groups = AT(k, needs_groups),
		.numa_drops = m->nr_nodes == 1 ? AT(k, numa_drops) : 0,
		.cluster_flag = AT(k, cluster_flag) || recorded_cluster_flag(m, k),
		.overlap_flag = AT(k, overlap_flag),
		.asym_full = AT(k, asym_full),
		.asym_clears_child = AT(k, asym_clears_child),
		.group_flags = AT(k, group_flags),
		.group_handover = AT(k, group_handover),
		.imb_numa = AT(k, imb_numa),
		.weight_of_span = AT(k, weight_of_span),
		.dense_llc_id = AT(k, dense_llc_id),
		.reclaim_distance = reclaim_distance(m),
	};
}

static const struct {
	unsigned flag;
	const char *name;
} flag_names[] = {
	{ SD(LOAD_BALANCE), "SD_LOAD_BALANCE" },
	{ SD(BALANCE_NEWIDLE), "SD_BALANCE_NEWIDLE" },
	{ SD(BALANCE_EXEC), "SD_BALANCE_EXEC" },
	{ SD(BALANCE_FORK), "SD_BALANCE_FORK" },
	{ SD(BALANCE_WAKE), "SD_BALANCE_WAKE" },
	{ SD(WAKE_AFFINE), "SD_WAKE_AFFINE" },
	{ SD(ASYM_CPUCAPACITY), "SD_ASYM_CPUCAPACITY" },
	{ SD(ASYM_CPUCAPACITY_FULL), "SD_ASYM_CPUCAPACITY_FULL" },
	{ SD(SHARE_CPUCAPACITY), "SD_SHARE_CPUCAPACITY" },
	{ SD(CLUSTER), "SD_CLUSTER" },
	{ SD(SHARE_LLC), "SD_SHARE_LLC" },
	{ SD(SERIALIZE), "SD_SERIALIZE" },
	{ SD(ASYM_PACKING), "SD_ASYM_PACKING" },
	{ SD(PREFER_SIBLING), "SD_PREFER_SIBLING" },
	{ SD(OVERLAP), "SD_OVERLAP" },
	{ SD(NUMA), "SD_NUMA" },
};

const char *machine_sd_flag_name(unsigned flag, const struct machine_kernel *k)
{
	unsigned i;

	if (flag == SD(SHARE_LLC) && !machine_kernel_at_least(k, 6, 9))
		return "SD_SHARE_PKG_RESOURCES";
	for (i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (flag_names[i].flag == flag)
			return flag_names[i].name;
	return NULL;
}

static bool number(const char **p, unsigned *out)
{
	char *end;
	unsigned long v;

	if (**p < '0' || **p > '9')
		return false;
	v = strtoul(*p, &end, 10);
	if (v > 9999)
		return false;
	*out = (unsigned)v;
	*p = end;
	return true;
}

int machine_kernel_parse(const char *text, struct machine_kernel *k)
{
	struct machine_kernel got = { .cluster = true };
	const char *p = text;
	unsigned patch;

	if (*p == 'v')
		p++;
	if (!number(&p, &got.major) || *p++ != '.' || !number(&p, &got.minor))
		return -EINVAL;
	if (*p == '.') {
		p++;
		if (!number(&p, &patch))
			return -EINVAL;
	}
	if (*p)
		return -EINVAL;
	*k = got;
	return 0;
}

void machine_kernel_of(const struct machine *m, struct machine_kernel *k)
{
	*k = (struct machine_kernel){ 6, 12, true };
	if (m->recording) {
		k->major = m->recording->major;
		k->minor = m->recording->minor;
	}
}
