// SPDX-License-Identifier: GPL-2.0-only
#include "stats/hist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct stats_hist {
	uint64_t unit, count, sum, min, max;
	uint32_t bits, nr;
	uint64_t buckets[];
};

/* A bucket for each of 2^bits values, 65 - bits times: once exact, then by power of two. */
static uint32_t nr_buckets(unsigned bits)
{
	return (65 - bits) << bits;
}

struct stats_hist *stats_hist_new(uint64_t unit, unsigned bits)
{
	uint32_t nr = nr_buckets(bits);
	struct stats_hist *h;

	assert(unit && bits && bits <= STATS_HIST_BITS_MAX);
	h = calloc(1, sizeof(*h) + nr * sizeof(h->buckets[0]));
	if (!h)
		return NULL;
	h->unit = unit;
	h->bits = bits;
	h->nr = nr;
	h->min = UINT64_MAX;
	return h;
}

void stats_hist_free(struct stats_hist *h)
{
	free(h);
}

void stats_hist_clear(struct stats_hist *h)
{
	h->count = h->sum = h->max = 0;
	h->min = UINT64_MAX;
	memset(h->buckets, 0, h->nr * sizeof(h->buckets[0]));
}

/* How many of the value's low bits its bucket leaves out. */
static unsigned lost_bits(uint64_t value, unsigned bits)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(value | 1);

	return top > bits ? top - bits : 0;
}

static uint32_t bucket_of(uint64_t value, unsigned bits)
{
	unsigned lost = lost_bits(value, bits);

	return (uint32_t)((value >> lost) + ((uint64_t)lost << bits));
}

static uint64_t value_of(uint32_t bucket, unsigned bits)
{
	unsigned lost = bucket >> bits ? (bucket >> bits) - 1 : 0;
	uint64_t low = (uint64_t)(bucket - (lost << bits)) << lost;

	return low + (lost ? 1ULL << (lost - 1) : 0);
}

void stats_hist_add(struct stats_hist *h, uint64_t ns)
{
	h->buckets[bucket_of(ns / h->unit, h->bits)]++;
	h->count++;
	h->sum += ns;
	if (ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
}

void stats_hist_merge(struct stats_hist *to, const struct stats_hist *from)
{
	assert(to->unit == from->unit && to->bits == from->bits);
	for (uint32_t i = 0; i < to->nr; i++)
		to->buckets[i] += from->buckets[i];
	to->count += from->count;
	to->sum += from->sum;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

uint64_t stats_hist_count(const struct stats_hist *h)
{
	return h->count;
}

uint64_t stats_hist_sum(const struct stats_hist *h)
{
	return h->sum;
}

uint64_t stats_hist_min(const struct stats_hist *h)
{
	return h->count ? h->min : 0;
}

uint64_t stats_hist_max(const struct stats_hist *h)
{
	return h->max;
}

uint64_t stats_hist_quantile(const struct stats_hist *h, uint32_t millionths)
{
	unsigned __int128 wanted = (unsigned __int128)h->count * millionths;
	unsigned __int128 sum = 0;

	if (!h->count)
		return 0;
	for (uint32_t i = 0; i < h->nr; i++) {
		sum += (unsigned __int128)h->buckets[i] * 1000000;
		if (h->buckets[i] && sum >= wanted)
			return value_of(i, h->bits) * h->unit;
	}
	return value_of(h->nr - 1, h->bits) * h->unit;
}
