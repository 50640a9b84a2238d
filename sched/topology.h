/* SPDX-License-Identifier: GPL-2.0-only */
/* Scheduling domains in the form that the wake path reads: spans of words, small ids. */
#ifndef SCHED_TOPOLOGY_H
#define SCHED_TOPOLOGY_H

#include "machine/machine.h"
#include "wake/mask.h"

#define SCHED_NO_SPAN	0xffffu

struct sched_topology_domain {
	wake_u16 span;		/* index into sched_topology.spans */
	wake_u16 imbalance_pct;
	wake_u16 wake_affine;	/* SD_WAKE_AFFINE */
};

/* Spans are indices, SCHED_NO_SPAN where there is none. */
struct sched_topology_cpu {
	wake_u16 nr_smt, smt[WAKE_SMT_MAX];	/* ascending, this CPU included */
	wake_u16 nr_domains;
	struct sched_topology_domain domain[WAKE_DOMAINS_MAX];
	wake_u16 llc, cluster, llc_group, asym, node;
	wake_u16 llc_pct;			/* imbalance_pct of the LLC domain */
	wake_u32 llc_size;
	wake_u32 llc_id, share_id;
	wake_u16 active;
	wake_u16 capacity;			/* 1024 scale */
};

struct sched_topology {
	wake_u32 nr_cpus;			/* highest CPU id + 1 */
	wake_u32 nr_spans;
	wake_u32 smt_active;
	wake_u32 max_capacity;
	struct wake_span *spans;
	struct sched_topology_cpu *cpus;
};

/*
 * The domains that this kernel builds on this machine. -EINVAL with a reason where
 * the machine is larger than the wake path was built for, -ENOMEM, or what
 * machine_domains() says.
 */
int sched_topology_create(const struct machine *m, const struct machine_kernel *k,
			  struct sched_topology **out, struct machine_error *err);
void sched_topology_free(struct sched_topology *topo);

/* How far apart two CPUs are, by what they share. */
enum sched_distance {
	SCHED_SAME_CPU,
	SCHED_SAME_CORE,
	SCHED_SAME_CLUSTER,
	SCHED_SAME_LLC,
	SCHED_SAME_NODE,
	SCHED_REMOTE,
	SCHED_NR_DISTANCES
};

extern const char *const sched_distance_text[SCHED_NR_DISTANCES];

enum sched_distance sched_distance(const struct sched_topology *topo, wake_u32 a, wake_u32 b);

#endif
