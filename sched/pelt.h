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
/* The least that get_pelt_divider() returns: PELT_MIN_DIVIDER. */
#define SCHED_PELT_MIN_DIVIDER	(SCHED_LOAD_AVG_MAX - 1024)

/*
 * One cache line. Up to v5.6 runnable_* are the kernel's runnable_load_*: weights of
 * queued entities only; from v5.7 they are a count of them, 1024 each.
 */
struct sched_avg {
	uint64_t last_update_time;
	uint64_t load_sum, runnable_sum;
	uint32_t util_sum, period_contrib;
	uint64_t load_avg, runnable_avg, util_avg;
	uint32_t est_enqueued, est_ewma;	/* struct util_est */
};

/* value * y^periods */
uint64_t sched_pelt_decay(uint64_t value, uint64_t periods);

/*
 * ___update_load_sum(): now is clock_pelt. load and runnable are factors of the sums (a
 * count is given as 1024 each), running is 0 or 1. Returns 1 where a period ended, so
 * that averages are due.
 */
int sched_pelt_sum(struct sched_avg *avg, uint64_t now, uint64_t load, uint64_t runnable,
		   uint32_t running);

/*
 * ___update_load_avg(): averages from sums. weight and runnable_weight are the entity's,
 * 1 for a queue's and, from v5.7, for every runnable_avg.
 */
void sched_pelt_avg(struct sched_avg *avg, uint64_t weight, uint64_t runnable_weight);

/* get_pelt_divider() */
static inline uint32_t sched_pelt_divider(const struct sched_avg *avg)
{
	return SCHED_PELT_MIN_DIVIDER + avg->period_contrib;
}

#endif
