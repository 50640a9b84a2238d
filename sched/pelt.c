// SPDX-License-Identifier: GPL-2.0-only
#include "sched/pelt.h"

#define HALF_LIFE	32	/* periods */

/* (2^32 - 1) * 2^(-n/32), rounded down: the kernel's runnable_avg_yN_inv. */
static const uint32_t y_inverse[HALF_LIFE] = {
	0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb,
	0xdbfbb796, 0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9,
	0xbd08a39e, 0xb8fbaf46, 0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9,
	0xa2704302, 0x9ef5325f, 0x9b8d39b9, 0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a,
	0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698,
};

uint64_t sched_pelt_decay(uint64_t value, uint64_t periods)
{
	if (periods > HALF_LIFE * 63)
		return 0;
	value >>= periods / HALF_LIFE;
	return (uint64_t)((unsigned __int128)value * y_inverse[periods % HALF_LIFE] >> 32);
}

/*
 * What the time between two updates weighs now: the rest of the period in which the
 * first lay, the full ones between, and the part of the present one.
 */
static uint32_t segments(uint64_t periods, uint32_t first, uint32_t last)
{
	uint64_t full = SCHED_LOAD_AVG_MAX - sched_pelt_decay(SCHED_LOAD_AVG_MAX, periods) -
			SCHED_PELT_PERIOD;

	return (uint32_t)(sched_pelt_decay(first, periods) + full) + last;
}

/* accumulate_sum(): returns the periods that ended. */
static uint64_t accumulate(struct sched_avg *avg, uint64_t delta, uint64_t load, uint64_t runnable,
			   uint32_t running)
{
	uint32_t contrib = (uint32_t)delta;
	uint64_t periods;

	delta += avg->period_contrib;
	periods = delta / SCHED_PELT_PERIOD;
	if (periods) {
		delta %= SCHED_PELT_PERIOD;
		avg->load_sum = sched_pelt_decay(avg->load_sum, periods);
		avg->runnable_sum = sched_pelt_decay(avg->runnable_sum, periods);
		avg->util_sum = (uint32_t)sched_pelt_decay(avg->util_sum, periods);
		if (load)
			contrib = segments(periods, SCHED_PELT_PERIOD - avg->period_contrib,
					   (uint32_t)delta);
	}
	avg->period_contrib = (uint32_t)delta;
	avg->load_sum += load * contrib;
	avg->runnable_sum += runnable * contrib;
	if (running)
		avg->util_sum += contrib << 10;
	return periods;
}

int sched_pelt_sum(struct sched_avg *avg, uint64_t now, uint64_t load, uint64_t runnable,
		   uint32_t running)
{
	uint64_t delta = now - avg->last_update_time;

	if ((int64_t)delta < 0) {
		avg->last_update_time = now;
		return 0;
	}
	delta >>= 10;
	if (!delta)
		return 0;
	avg->last_update_time += delta << 10;
	/* A current entity that was just dequeued counts as neither. */
	if (!load)
		runnable = running = 0;
	return accumulate(avg, delta, load, runnable, running) != 0;
}

void sched_pelt_avg(struct sched_avg *avg, uint64_t weight, uint64_t runnable_weight)
{
	uint32_t divider = sched_pelt_divider(avg);

	avg->load_avg = weight * avg->load_sum / divider;
	avg->runnable_avg = runnable_weight * avg->runnable_sum / divider;
	avg->util_avg = avg->util_sum / divider;
}
