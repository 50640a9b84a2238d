/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-entity load tracking, in the kernel's own integers (kernel/sched/pelt.c, v5.4 to
 * v6.5). Time is ns of clock_pelt; a period is 1024 * 1024 ns, y^32 = 1/2.
 */
#ifndef SCHED_PELT_H
#define SCHED_PELT_H

#include <stdint.h>

#define SCHED_LOAD_AVG_MAX	47742
#define SCHED_PELT_PERIOD	1024	/* in units of 1024 ns */

struct sched_avg {
	uint64_t last_update_time;
	uint64_t load_sum, runnable_sum;
	uint32_t util_sum, period_contrib;
	uint64_t load_avg, runnable_avg, util_avg;
};

/* value * y^periods */
uint64_t sched_pelt_decay(uint64_t value, uint64_t periods);

/*
 * ___update_load_sum(): now is clock_pelt. load and runnable are factors of the sums,
 * running is 0 or 1. Returns 1 where a period ended, so that averages are due.
 */
int sched_pelt_sum(struct sched_avg *avg, uint64_t now, uint64_t load, uint64_t runnable,
		   uint32_t running);

/* ___update_load_avg(): averages from sums; weight is the entity's (1 for a queue). */
void sched_pelt_avg(struct sched_avg *avg, uint64_t weight);

/* get_pelt_divider() */
static inline uint32_t sched_pelt_divider(const struct sched_avg *avg)
{
	return SCHED_LOAD_AVG_MAX - 1024 + avg->period_contrib;
}

#endif
