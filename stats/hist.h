/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram whose buckets grow with the value: exact up to 2^(bits + 1) units, then
 * steps of 2, 4, 8 ...: no bucket is wider than value / 2^bits. With 8 bits and units of
 * 1 us these are schbench's buckets.
 */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include <stdint.h>

struct stats_hist;

/* unit: ns; NULL without memory. */
struct stats_hist *stats_hist_new(uint64_t unit, unsigned bits);
void stats_hist_free(struct stats_hist *h);
void stats_hist_clear(struct stats_hist *h);
void stats_hist_add(struct stats_hist *h, uint64_t ns);		/* no allocation */
void stats_hist_merge(struct stats_hist *to, const struct stats_hist *from);
uint64_t stats_hist_count(const struct stats_hist *h);
uint64_t stats_hist_sum(const struct stats_hist *h);		/* of the ns given */
uint64_t stats_hist_max(const struct stats_hist *h);		/* ns */
/*
 * The smallest bucket value, in ns, with at least millionths/1e6 of the samples at or
 * below it; 0 without samples.
 */
uint64_t stats_hist_quantile(const struct stats_hist *h, uint32_t millionths);

#endif
