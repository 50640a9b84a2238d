// SPDX-License-Identifier: GPL-2.0-only
/* Distributions become tables of quantiles; draws from them. */
#include "workload/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BINS		(WORK_QUANTILES - 1)
#define MIDPOINTS	64
#define SCALE		((double)(1 << WORK_DIST_SHIFT))
#define HALVINGS_MAX	40	/* leaves bits for the table; 1 draw of 2^40 stops there */

/*
 * A standard normal distribution's quantiles: of its lower 1023/1024 and of what is above,
 * each in 1024 equal steps; and points inside the outermost steps, to know their means.
 */
struct work_normal {
	double body[BINS], tail[BINS];		/* [0] of body is not used */
	double lowest[MIDPOINTS], highest[MIDPOINTS];
};

static struct work_normal *make_normal(void)
{
	struct work_normal *n = malloc(sizeof(*n));
	const double body = 1.0 - 1.0 / BINS, step = body / BINS, small = 1.0 / BINS / BINS;

	if (!n)
		return NULL;
	for (int i = 0; i < BINS; i++) {
		n->body[i] = i ? work_normal_quantile(i * step) : 0.0;
		n->tail[i] = work_normal_quantile(body + i * small);
	}
	for (int i = 0; i < MIDPOINTS; i++) {
		n->lowest[i] = work_normal_quantile((i + 0.5) / MIDPOINTS * step);
		n->highest[i] = work_normal_quantile(1.0 - (i + 0.5) / MIDPOINTS * small);
	}
	return n;
}

/* A distribution that is made of the normal one: m + s z, or m exp(s z). */
struct made {
	double m, s;
	int log;
};

static double value(const struct made *made, double z)
{
	return made->log ? made->m * work_exp(made->s * z) : made->m + made->s * z;
}

/* The end of a step whose inner points and other end are known, so that its mean is right. */
static double outer_end(const struct made *made, const double *points, double inner_end)
{
	double sum = 0.0;

	for (int i = 0; i < MIDPOINTS; i++)
		sum += value(made, points[i]);
	return 2.0 * sum / MIDPOINTS - inner_end;
}

/* Sizes and counts, which are at least 1, fit 32 bits too. */
static uint64_t fixed(double x, uint32_t least)
{
	double most = least ? (double)WORK_MESSAGE_MAX : 4.0 * WORK_TIME_MAX;

	if (!(x > least))
		x = least;
	return (uint64_t)((x < most ? x : most) * SCALE + 0.5);
}

static void fill_normal(const struct work_normal *n, const struct work_dist_spec *spec,
			struct work_dist *body, struct work_dist *tail)
{
	struct made made = { (double)spec->a, (double)spec->b, spec->shape == SHAPE_LOGNORMAL };
	double end;

	if (made.log)	/* b: the 90th percentile */
		made.s = work_log(made.s / made.m) / 1.2815515655446004;
	for (int i = 1; i < BINS; i++) {
		body->quantile[i] = fixed(value(&made, n->body[i]), spec->least);
		tail->quantile[i] = fixed(value(&made, n->tail[i]), spec->least);
	}
	tail->quantile[0] = body->quantile[BINS] = fixed(value(&made, n->tail[0]), spec->least);
	end = outer_end(&made, n->lowest, value(&made, n->body[1]));
	body->quantile[0] = fixed(end, spec->least);
	if (body->quantile[0] > body->quantile[1])
		body->quantile[0] = body->quantile[1];
	end = outer_end(&made, n->highest, value(&made, n->tail[BINS - 1]));
	tail->quantile[BINS] = fixed(end, spec->least);
	if (tail->quantile[BINS] < tail->quantile[BINS - 1])
		tail->quantile[BINS] = tail->quantile[BINS - 1];
}

/* The exponential distribution below its median, beyond which it is itself again. */
static void fill_exp(const struct work_dist_spec *spec, struct work_dist *dist)
{
	for (int i = 0; i <= BINS; i++)
		dist->quantile[i] = fixed((double)spec->a * -work_log(1.0 - 0.5 * i / BINS),
					  spec->least);
	dist->tail = fixed((double)spec->a * -work_log(0.5), 0);
}

static void fill_uniform(const struct work_dist_spec *spec, struct work_dist *dist)
{
	uint64_t a = spec->a > spec->least ? spec->a : spec->least;
	uint64_t b = spec->b > spec->least ? spec->b : spec->least;

	for (uint64_t i = 0; i <= BINS; i++)
		dist->quantile[i] = (a << WORK_DIST_SHIFT) +
				    (uint64_t)(((unsigned __int128)(b - a) << WORK_DIST_SHIFT) *
					       i / BINS);
}

static uint32_t tables(const struct work_dist_spec *spec)
{
	return spec->shape == SHAPE_NORMAL || spec->shape == SHAPE_LOGNORMAL ? 2 : 1;
}

static void fill(const struct work_normal *normal, const struct work_dist_spec *spec,
		 struct work_dist *dist)
{
	switch (spec->shape) {
	case SHAPE_CONSTANT:
	case SHAPE_UNIFORM:
		fill_uniform(spec, dist);
		break;
	case SHAPE_EXP:
		fill_exp(spec, dist);
		break;
	default:
		fill_normal(normal, spec, dist, dist + 1);
	}
}

/* sum / total of all random numbers */
static uint64_t share(unsigned __int128 sum, unsigned __int128 total)
{
	return sum >= total ? UINT64_MAX : (uint64_t)((sum << 64) / total);
}

/* Its tables from dist[0] on; a mix's first one only says how many parts follow. */
static void fill_all(const struct work_normal *normal, const struct work_dist_key *key,
		     struct work_dist *dist, uint32_t parts)
{
	unsigned __int128 sum = 0, total = 0;
	struct work_dist *part = dist;

	if (parts > 1) {
		dist->parts = parts;
		part++;
	}
	for (uint32_t i = 0; i < key->nr; i++)
		total += key->spec[i].weight;
	for (uint32_t i = 0; i < key->nr; i++) {
		const struct work_dist_spec *spec = &key->spec[i];

		fill(normal, spec, part);
		if (tables(spec) == 2)	/* all but 1 of BINS draws are the body's */
			(part++)->below = share(sum * BINS + spec->weight * (uint64_t)(BINS - 1),
						total * BINS);
		sum += spec->weight;
		(part++)->below = share(sum, total);
	}
}

static int same(const struct work_dist_key *a, const struct work_dist_key *b)
{
	return a->nr == b->nr && !memcmp(a->spec, b->spec, a->nr * sizeof(a->spec[0]));
}

static int room_for(struct work_compile *c, uint32_t token, uint32_t nr)
{
	int rc = 0;

	if (c->w->nr_dists + nr > WORK_DISTS_MAX)
		return work_fail(c, -E2BIG, token, "more than %u tables of distributions",
				 WORK_DISTS_MAX);
	while (!rc && c->room_dists < c->w->nr_dists + nr)
		rc = work_grow(c, &c->w->dists, &c->room_dists, c->room_dists,
			       sizeof(*c->w->dists));
	return rc ? rc : work_grow(c, &c->dist_keys, &c->room_dist_keys, c->nr_dist_keys,
				   sizeof(*c->dist_keys));
}

int work_dist_make(struct work_compile *c, uint32_t token, const struct work_dist_key *key,
		   uint32_t *dist)
{
	uint32_t hash = work_hash(key->nr, key->spec, key->nr * sizeof(key->spec[0]));
	uint32_t cursor = 0, i, parts = 0;
	int rc;

	while ((i = work_index_next(&c->dist_index, hash, &cursor)) != WORK_NONE) {
		if (same(&c->dist_keys[i], key)) {
			*dist = c->dist_keys[i].dist;
			return 0;
		}
	}
	for (i = 0; i < key->nr; i++)
		parts += tables(&key->spec[i]);
	rc = room_for(c, token, parts + (parts > 1));
	if (rc)
		return rc;
	if (!c->normal && parts > key->nr)
		c->normal = make_normal();
	if ((!c->normal && parts > key->nr) ||
	    work_index_add(&c->dist_index, hash, c->nr_dist_keys))
		return work_nomem(c);
	*dist = c->w->nr_dists;
	fill_all(c->normal, key, &c->w->dists[*dist], parts);
	c->w->nr_dists += parts + (parts > 1);
	c->dist_keys[c->nr_dist_keys] = *key;
	c->dist_keys[c->nr_dist_keys++].dist = *dist;
	return 0;
}

/* The finaliser of splitmix64: a part's choice leaves no trace in its draw. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

uint64_t work_draw(const struct work_dist *dist, uint64_t random)
{
	uint64_t low, high, sum = 0, fraction;
	unsigned halvings;

	if (dist->parts) {
		const struct work_dist *last = dist + dist->parts;

		for (dist++; dist < last && random >= dist->below; dist++)
			;
		random = mix(random + 0x9e3779b97f4a7c15ULL);
	}
	if (dist->tail) {
		halvings = random >> (64 - HALVINGS_MAX) ? (unsigned)__builtin_clzll(random) :
							   HALVINGS_MAX - 1;
		sum = halvings * dist->tail;
		random <<= halvings + 1;
	}
	low = dist->quantile[random >> 54];
	high = dist->quantile[(random >> 54) + 1];
	fraction = random << 10 >> 32;
	sum += low + (uint64_t)((unsigned __int128)(high - low) * fraction >> 32);
	return (sum + (1 << (WORK_DIST_SHIFT - 1))) >> WORK_DIST_SHIFT;
}

uint64_t work_dist_least(const struct work_dist *dist)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = !!dist->parts; i <= dist->parts; i++)
		if (dist[i].quantile[0] < least)
			least = dist[i].quantile[0];
	return (least + (1 << (WORK_DIST_SHIFT - 1))) >> WORK_DIST_SHIFT;
}
