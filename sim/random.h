/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers without a state: the n-th number of an entity for a purpose is a hash
 * of (seed, run, entity, purpose, n), so that it is the same under every variant,
 * whatever happened before.
 */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <stdint.h>

enum sim_purpose {
	SIM_RANDOM_TICK,	/* phase of a CPU's tick */
	SIM_RANDOM_BOOT,	/* offset of jiffies */
	SIM_RANDOM_START,	/* CPU and time of a load's first task */
	SIM_RANDOM_PHASE,	/* of a periodic task */
	SIM_RANDOM_OP,		/* draws of a task's operations, in program order */
	SIM_RANDOM_BALANCE,	/* phase of a CPU's balancing, and its newidle lottery */
	SIM_RANDOM_VCPU,	/* phase of a vCPU's dispatches */
};

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t sim_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* key: sim_random_key() of seed and run. */
static inline uint64_t sim_random(uint64_t key, uint32_t entity, enum sim_purpose purpose,
				  uint64_t n)
{
	uint64_t x = sim_mix(key ^ ((uint64_t)entity << 8 | (uint64_t)purpose));

	return sim_mix(x + (n + 1) * 0x9e3779b97f4a7c15ULL);
}

static inline uint64_t sim_random_key(uint64_t seed, uint32_t run)
{
	return sim_mix(sim_mix(seed + 0x9e3779b97f4a7c15ULL) + run);
}

/* Uniform below n, n > 0 (no division, bias below n / 2^64). */
static inline uint64_t sim_below(uint64_t random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)random * n >> 64);
}

#endif
