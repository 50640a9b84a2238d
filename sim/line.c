// SPDX-License-Identifier: GPL-2.0-only
#include "sim/line.h"

/* The owner writes again: the farthest reader has to drop its copy first. */
uint64_t sim_line_invalidate(struct sim_fabric *f, struct sim_line *line, uint32_t cpu)
{
	enum machine_level far = MACHINE_SAME_CPU;
	uint64_t left = line->sharers;

	while (left) {
		uint32_t bit = (uint32_t)__builtin_ctzll(left);
		enum machine_level level = bit == f->llc_bit[cpu] ?
			MACHINE_SAME_LLC : sim_level(f, f->llc_cpu[bit], cpu);

		left &= left - 1;
		if (level > far)
			far = level;
	}
	f->transfers[far]++;
	return f->hot[far];
}
