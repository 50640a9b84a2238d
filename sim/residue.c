// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache residue. Each private cache and each LLC counts the lines that were filled into
 * it; of a task's working set as much is gone as others have filled since it left. What
 * is missing streams in from the nearest level that has it when the task gets on a CPU.
 */
#include "sim/private.h"

/* Lines of set that survive filled other lines in a cache of size lines. */
static uint64_t survivors(uint64_t set, uint64_t filled, uint64_t size)
{
	uint64_t fits = set < size ? set : size;

	return filled >= size ? 0 : fits - fits * filled / size;
}

/* ps for lines from outside the LLC: as many as its old LLC still has, else memory. */
static uint64_t outside(struct sim *s, const struct sim_task *task, uint32_t cpu,
			uint64_t lines, uint64_t in_old)
{
	uint64_t old = in_old < lines ? in_old : lines;
	uint64_t memory = task->home == s->places[cpu].package ?
		s->cost.fill_memory : s->cost.fill_memory_remote;

	s->fabric.memory_reads += lines - old;
	if (!old)
		return lines * memory;
	return old * s->cost.fill[sim_level(&s->fabric, task->cache_cpu, cpu)] +
	       (lines - old) * memory;
}

/* The working set comes into the private cache; ns. */
static uint64_t fill(struct sim *s, struct sim_cpu *cpu, struct sim_task *task)
{
	uint32_t from = task->cache_cpu, bit = s->llc_bit[cpu->id], old = bit;
	uint64_t *core = &s->cpus[s->topo->cpus[cpu->id].smt[0]].core_filled;
	uint64_t fits = task->footprint, here = 0, in_llc = 0, missing, near;

	if (fits > s->core_lines[cpu->id])
		fits = s->core_lines[cpu->id];
	if (from != SIM_NO_CPU) {
		old = s->llc_bit[from];
		in_llc = survivors(task->footprint, s->llc_filled[old] - task->llc_filled,
				   s->llc_size[old]);
		if (s->places[from].core == s->places[cpu->id].core)
			here = survivors(fits, *core - task->core_filled, s->core_lines[cpu->id]);
	}
	missing = fits - here;
	*core += missing;
	near = old != bit ? 0 : in_llc < missing ? in_llc : missing;
	s->llc_filled[bit] += missing - near;
	return (near * s->cost.fill[MACHINE_SAME_LLC] +
		outside(s, task, cpu->id, missing - near, old == bit ? 0 : in_llc)) / 1000;
}

uint64_t sim_residue_in(struct sim *s, struct sim_cpu *cpu, struct sim_task *task)
{
	uint64_t ns = 0;

	if (task->home == UINT32_MAX)
		task->home = s->places[cpu->id].package;	/* first touch */
	ns += sim_fetch(&s->fabric, task->lines_cpu, cpu->id, s->cost.switch_lines);
	task->lines_cpu = cpu->id;
	if (task->footprint)
		ns += fill(s, cpu, task);
	return ns;
}

void sim_residue_out(struct sim *s, struct sim_cpu *cpu, struct sim_task *task)
{
	task->cache_cpu = cpu->id;
	task->core_filled = s->cpus[s->topo->cpus[cpu->id].smt[0]].core_filled;
	task->llc_filled = s->llc_filled[s->llc_bit[cpu->id]];
}
