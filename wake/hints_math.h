/* SPDX-License-Identifier: GPL-2.0-only */
/* The arithmetic of nr_idle_scan, which needs no host. */
#ifndef WAKE_HINTS_MATH_H
#define WAKE_HINTS_MATH_H

#include "wake/types.h"

/*
 * update_idle_cpu_scan(), v6.0 on: from the statistics of a periodic or nohz
 * balance of an LLC domain. sum_util: sum over its CPUs of cpu_util_cfs(), each
 * at most its capacity; weight: its CPUs; pct: its imbalance_pct.
 */
WAKE_FN wake_u32 wake_nr_idle_scan(wake_u64 sum_util, wake_u32 weight, wake_u32 pct)
{
	wake_u64 x, t;

	if (!weight)
		return 0;
	x = sum_util / weight;
	t = x * x * pct * pct / (10000 * 1024ULL);
	if (t > 1024)
		t = 1024;
	return (wake_u32)((1024 - t) * weight / 1024);
}

#endif
