// SPDX-License-Identifier: GPL-2.0-only
/*
 * util_est: what tasks needed when they last ran, so that utilisation neither begins at
 * nothing after a sleep nor is counted where it has decayed.
 */
#include "sched/load_math.h"

#define WEIGHT_SHIFT	2	/* UTIL_EST_WEIGHT_SHIFT: a sample weighs 1/4 */
#define MARGIN		(1024 / 100)

/* _task_util_est(): the flag's bit counts where it is the lowest. */
static uint32_t estimate(const struct sched_load_rules *rules, const struct sched_entity *se)
{
	uint32_t flag = rules->util_unchanged;
	uint32_t enqueued = se->avg.est_enqueued, ewma = se->avg.est_ewma;

	if (flag == 1)
		return (enqueued > ewma ? enqueued : ewma) | flag;
	enqueued &= ~flag;
	return enqueued > ewma ? enqueued : ewma;
}

uint64_t sched_est_util(const struct sched_load_rules *rules, const struct sched_entity *se)
{
	uint32_t est = estimate(rules, se);

	return se->avg.util_avg > est ? se->avg.util_avg : est;
}

void sched_est_enqueue(struct sched_load_rq *rq, const struct sched_entity *se)
{
	rq->root->avg.est_enqueued += estimate(rq->rules, se);
}

void sched_est_dequeue(struct sched_load_rq *rq, const struct sched_entity *se)
{
	struct sched_avg *avg = &rq->root->avg;
	uint32_t est = estimate(rq->rules, se);

	avg->est_enqueued -= est < avg->est_enqueued ? est : avg->est_enqueued;
}

static int within_margin(int64_t difference)
{
	return difference > -MARGIN && difference < MARGIN;
}

/* 1 if the average needs a sample, 0 if it has it already, -1: keep the old estimate. */
static int judge(const struct sched_load_rq *rq, const struct sched_avg *avg, uint32_t *ewma,
		 uint32_t enqueued)
{
	int64_t last = (int64_t)avg->est_enqueued - enqueued;

	if (rq->rules->fast_up && *ewma < enqueued) {
		*ewma = enqueued;
		return 0;
	}
	if (within_margin((int64_t)enqueued - *ewma)) {
		/* v5.13 keeps the last value, too, unless it is close as well. */
		return rq->rules->util_unchanged != 1 && !within_margin(last) ? 0 : -1;
	}
	/* A CPU without idle time says nothing about what a task needs. */
	return avg->util_avg > rq->capacity ? -1 : 1;
}

void sched_est_update(struct sched_load_rq *rq, struct sched_entity *se)
{
	uint32_t flag = rq->rules->util_unchanged;
	uint32_t enqueued = (uint32_t)se->avg.util_avg, ewma = se->avg.est_ewma;
	int64_t sample;
	int verdict;

	/* Nothing was learnt since the last time. */
	if (se->avg.est_enqueued & flag)
		return;
	if (flag == 1)
		enqueued |= flag;
	verdict = judge(rq, &se->avg, &ewma, enqueued);
	if (verdict < 0)
		return;
	if (verdict) {
		sample = (int64_t)enqueued - ewma;
		ewma = (uint32_t)(((int64_t)ewma << WEIGHT_SHIFT) + sample) >> WEIGHT_SHIFT;
	}
	se->avg.est_enqueued = enqueued | flag;
	se->avg.est_ewma = ewma;
}
