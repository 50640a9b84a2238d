/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scheduling groups: what build_sched_groups() and build_overlap_sched_groups() of
 * kernel/sched/topology.c make of domains, v5.4 to v6.5.
 *
 * Groups are kept once: CPUs of a domain share its ring of them, and of overlapping
 * domains those CPUs do that see the same ring. Capacities are the machine's and stay.
 */
#ifndef SIM_GROUPS_H
#define SIM_GROUPS_H

#include <stdint.h>

#include "machine/machine.h"
#include "wake/types.h"

#define SIM_NO_GROUP	UINT32_MAX

/* CPUs: the words first..last of a mask, which are all that aren't empty. */
struct sim_set {
	const wake_u64 *words;
	uint16_t first, last;
	uint32_t weight;
};

static inline int sim_set_has(const struct sim_set *set, uint32_t cpu)
{
	uint32_t word = cpu / 64;

	return word >= set->first && word <= set->last &&
	       (set->words[word - set->first] >> (cpu & 63) & 1);
}

static inline uint32_t sim_set_first(const struct sim_set *set)
{
	return set->first * 64 + (uint32_t)__builtin_ctzll(set->words[0]);
}

/* The next CPU of set & mask from cpu on, or SIM_NO_GROUP. */
static inline uint32_t sim_set_next(const struct sim_set *set, const wake_u64 *mask, uint32_t cpu)
{
	uint32_t word = cpu / 64;
	wake_u64 keep = ~0ull << (cpu & 63);

	if (word < set->first) {
		word = set->first;
		keep = ~0ull;
	}
	for (; word <= set->last; word++, keep = ~0ull) {
		wake_u64 bits = set->words[word - set->first] & mask[word] & keep;

		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return SIM_NO_GROUP;
}

/* for_each_cpu_and(): leave it by return, for break would go on with the next word. */
#define sim_set_for_each(cpu, set, mask) \
	for (uint32_t word_ = (set)->first; word_ <= (set)->last; word_++) \
		for (wake_u64 bits_ = (set)->words[word_ - (set)->first] & (mask)[word_], \
		     once_ = 1; once_; once_ = 0) \
			for (uint32_t cpu; \
			     bits_ && (cpu = word_ * 64 + (uint32_t)__builtin_ctzll(bits_), 1); \
			     bits_ &= bits_ - 1)

/* struct sched_group with its sched_group_capacity. */
struct sim_group {
	struct sim_set span;
	struct sim_set balance;		/* group_balance_mask() */
	uint32_t level;			/* of an overlapping domain, else 0 */
	uint32_t capacity;		/* of all its CPUs, 1024 each */
	uint32_t min_capacity, max_capacity;
	uint32_t prefer_cpu;		/* asym_prefer_cpu */
	uint32_t imbalance;		/* affinity kept a lower level from balancing */
};

/* A domain of one CPU, and what balancing keeps of it; times are jiffies. */
struct sim_domain {
	struct sim_set span;
	uint32_t flags;			/* enum machine_sd_flags */
	uint32_t imbalance_pct, cache_nice_tries, busy_factor;
	uint32_t min_interval, max_interval; /* ms */
	uint32_t imb_numa_nr;
	uint32_t ring, nr_groups;	/* of sim_groups.members */
	uint32_t own;			/* place of the CPU's own group in the ring: sd->groups */

	uint32_t balance_interval;	/* ms */
	uint32_t nr_balance_failed;
	uint64_t last_balance;
	uint64_t max_newidle_lb_cost;	/* ns */
	uint64_t decay_newidle;		/* the next decay of it */
};

struct sim_groups {
	uint32_t nr_cpus, nr_groups, nr_members;
	uint32_t *first_domain;		/* by CPU, and one more: into domains */
	struct sim_domain *domains;
	struct sim_group *groups;
	uint32_t *members;		/* rings: indices of groups */
	struct sim_words *words;	/* of all sets */
	size_t bytes;
};

/* version: 5013 is v5.13. 0, or -ENOMEM. */
int sim_groups_create(const struct machine *m, const struct machine_domains *d, uint32_t version,
		      struct sim_groups **out);
void sim_groups_free(struct sim_groups *groups);	/* accepts NULL */

/* Is a preferred to b (sched_asym_prefer())? Firmware's priorities, or the lower number. */
int sim_asym_prefer(const struct machine *m, uint32_t a, uint32_t b);

static inline uint32_t sim_nr_domains(const struct sim_groups *g, uint32_t cpu)
{
	return g->first_domain[cpu + 1] - g->first_domain[cpu];
}

static inline struct sim_domain *sim_domain(const struct sim_groups *g, uint32_t cpu, uint32_t i)
{
	return &g->domains[g->first_domain[cpu] + i];
}

/* The n-th group of a domain, from the CPU's own on. */
static inline struct sim_group *sim_domain_group(const struct sim_groups *g,
						 const struct sim_domain *sd, uint32_t n)
{
	uint32_t place = sd->own + n;

	if (place >= sd->nr_groups)
		place -= sd->nr_groups;
	return &g->groups[g->members[sd->ring + place]];
}

#endif
