/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram whose buckets grow with the value: exact up to 2^(bits + 1) units, then
 * steps of 2, 4, 8 ...: no bucket is wider than value / 2^bits. A bucket's value is its
 * middle. With 8 bits and units of 1 us these are schbench's buckets (plat_val_to_idx()
 * and plat_idx_to_val(), which came from fio).
 */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include <stdint.h>

#define STATS_HIST_BITS_MAX	12

struct stats_hist;

/* unit: ns, not 0; bits: 1 to STATS_HIST_BITS_MAX. NULL without memory. */
struct stats_hist *stats_hist_new(uint64_t unit, unsigned bits);
void stats_hist_free(struct stats_hist *h);	/* accepts NULL */
void stats_hist_clear(struct stats_hist *h);
void stats_hist_add(struct stats_hist *h, uint64_t ns);		/* no allocation */
/* Both of the same unit and bits. */
void stats_hist_merge(struct stats_hist *to, const struct stats_hist *from);
uint64_t stats_hist_count(const struct stats_hist *h);
uint64_t stats_hist_sum(const struct stats_hist *h);		/* of the ns given */
uint64_t stats_hist_min(const struct stats_hist *h);		/* ns as given; 0 without samples */
uint64_t stats_hist_max(const struct stats_hist *h);
/*
 * The smallest bucket value, in ns, with at least millionths/1e6 of the samples at or
 * below it; 0 without samples.
 */
uint64_t stats_hist_quantile(const struct stats_hist *h, uint32_t millionths);

#endif
