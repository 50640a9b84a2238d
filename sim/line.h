/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cache line, the simulator's one cost of sharing. A read costs what the last
 * writer is away, and only if nobody in the reader's LLC has read the line since; a
 * write takes the line away from all others. Transfers of one line queue up.
 */
#ifndef SIM_LINE_H
#define SIM_LINE_H

#include <stdint.h>

#include "machine/costs.h"

#define SIM_NO_CPU	0xffffu

struct sim_line {
	uint64_t free_at;	/* ns: the transfer before this one ends */
	uint64_t sharers;	/* LLCs that have read it since the last write, one bit each */
	uint16_t owner;		/* CPU that wrote it last, or SIM_NO_CPU: in memory */
	uint16_t home;		/* package of its memory */
	uint32_t pad;
};

/* What lines cost between CPUs, ns, and what was paid. */
struct sim_fabric {
	const struct machine_place *places;
	const uint8_t *llc_bit;			/* by CPU: its LLC's bit, 0..63 */
	const uint16_t *llc_cpu;		/* by bit: some CPU of it */
	uint32_t hot[MACHINE_NR_LEVELS];	/* line_* */
	uint32_t fetch[MACHINE_NR_LEVELS];	/* fetch_*, ps */
	uint32_t home;				/* line_home */
	uint32_t memory;			/* fill_memory */
	uint64_t transfers[MACHINE_NR_LEVELS];	/* lines moved, by how far */
	uint64_t memory_reads;
};

static inline void sim_line_init(struct sim_line *line)
{
	*line = (struct sim_line){ .owner = SIM_NO_CPU };
}

static inline enum machine_level sim_level(const struct sim_fabric *f, uint32_t a, uint32_t b)
{
	return machine_level_of(&f->places[a], &f->places[b]);
}

/* How long the line travels from its last writer to cpu. */
static inline uint64_t sim_line_travel(struct sim_fabric *f, const struct sim_line *line,
				       uint32_t cpu)
{
	enum machine_level level;
	uint64_t cost;

	if (line->owner == SIM_NO_CPU) {
		f->memory_reads++;
		return f->memory;
	}
	level = sim_level(f, line->owner, cpu);
	f->transfers[level]++;
	cost = f->hot[level];
	if (level == MACHINE_SAME_PACKAGE && f->places[cpu].package != line->home)
		cost += f->home;
	return cost;
}

/* The wait starts when the line is free, and keeps it busy. */
static inline uint64_t sim_line_queue(struct sim_line *line, uint64_t now, uint64_t cost)
{
	uint64_t start = now > line->free_at ? now : line->free_at;

	line->free_at = start + cost;
	return line->free_at - now;
}

/* Each returns how many ns cpu waits from now on. */
static inline uint64_t sim_line_read(struct sim_fabric *f, struct sim_line *line, uint32_t cpu,
				     uint64_t now)
{
	uint64_t bit = 1ULL << f->llc_bit[cpu];

	if (line->owner == cpu || (line->sharers & bit))
		return 0;
	if (line->owner == SIM_NO_CPU)
		line->home = f->places[cpu].package;
	line->sharers |= bit;
	return sim_line_queue(line, now, sim_line_travel(f, line, cpu));
}

uint64_t sim_line_invalidate(struct sim_fabric *f, struct sim_line *line, uint32_t cpu);

static inline uint64_t sim_line_write(struct sim_fabric *f, struct sim_line *line, uint32_t cpu,
				      uint64_t now)
{
	uint64_t cost;

	if (line->owner == cpu && !line->sharers)
		return 0;
	if (line->owner == cpu)
		cost = sim_line_invalidate(f, line, cpu);
	else
		cost = sim_line_travel(f, line, cpu);
	if (line->owner == SIM_NO_CPU)
		line->home = f->places[cpu].package;
	line->owner = (uint16_t)cpu;
	line->sharers = 0;
	return sim_line_queue(line, now, cost);
}

/* nr lines of a message or a task, last used by from: ns until to has them. */
static inline uint64_t sim_fetch(struct sim_fabric *f, uint32_t from, uint32_t to, uint32_t nr)
{
	enum machine_level level;

	if (from == to || from == SIM_NO_CPU)
		return 0;
	level = sim_level(f, from, to);
	f->transfers[level] += nr;
	return (uint64_t)nr * f->fetch[level] / 1000;
}

#endif
