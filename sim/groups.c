// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups, from domains that have lost their degenerate levels. That loses nothing: a
 * level is only dropped where its span is its child's, so the next one down still spans
 * what the kernel made a group of.
 */
#include "sim/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX	(MACHINE_CPUS_MAX / 64)
#define CHUNK_WORDS	8192
#define LONE		UINT32_MAX	/* no child domain: each CPU is a group */

struct sim_words {
	struct sim_words *next;
	uint32_t used;
	wake_u64 words[CHUNK_WORDS];
};

struct builder {
	const struct machine *m;
	const struct machine_domains *d;
	struct sim_groups *g;
	uint32_t version, max_groups, max_members;
	uint32_t ring[MACHINE_CPUS_MAX], nr_ring;	/* the one that is being built */
	wake_u64 covered[WORDS_MAX], mask[WORDS_MAX];
};

static wake_u64 *take_words(struct sim_groups *g, uint32_t nr)
{
	struct sim_words *chunk = g->words;

	if (!chunk || chunk->used + nr > CHUNK_WORDS) {
		chunk = calloc(1, sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->next = g->words;
		g->words = chunk;
		g->bytes += sizeof(*chunk);
	}
	chunk->used += nr;
	return &chunk->words[chunk->used - nr];
}

/* A set of the mask's words; not empty. */
static int make_set(struct sim_groups *g, const wake_u64 *mask, struct sim_set *out)
{
	uint32_t first = 0, last = WORDS_MAX - 1;
	wake_u64 *words;

	while (!mask[first])
		first++;
	while (!mask[last])
		last--;
	words = take_words(g, last - first + 1);
	if (!words)
		return -ENOMEM;
	out->words = memcpy(words, mask + first, (last - first + 1) * sizeof(*words));
	out->first = (uint16_t)first;
	out->last = (uint16_t)last;
	out->weight = 0;
	for (uint32_t w = first; w <= last; w++)
		out->weight += (uint32_t)__builtin_popcountll(mask[w]);
	return 0;
}

static void read_bitmap(hwloc_const_bitmap_t set, wake_u64 *mask)
{
	int last = hwloc_bitmap_last(set);

	memset(mask, 0, WORDS_MAX * sizeof(*mask));
	for (int w = 0; w <= last / 64; w++)
		mask[w] = hwloc_bitmap_to_ith_ulong(set, (unsigned int)w);
}

static const struct machine_domain *chain(const struct builder *b, uint32_t cpu, uint32_t i)
{
	return &b->d->cpus[cpu].sd[i];
}

int sim_asym_prefer(const struct machine *m, uint32_t a, uint32_t b)
{
	if (m->cpus[a].priority != m->cpus[b].priority)
		return m->cpus[a].priority > m->cpus[b].priority;
	return m->arch == MACHINE_POWERPC && a < b;
}

/* init_sched_groups_capacity() */
static void measure(const struct builder *b, struct sim_group *group)
{
	group->min_capacity = UINT32_MAX;
	group->prefer_cpu = sim_set_first(&group->span);
	sim_set_for_each(cpu, &group->span, b->mask) {
		uint32_t capacity = b->m->cpus[cpu].capacity;

		group->capacity += capacity;
		if (capacity < group->min_capacity)
			group->min_capacity = capacity;
		if (capacity > group->max_capacity)
			group->max_capacity = capacity;
		if (sim_asym_prefer(b->m, cpu, group->prefer_cpu))
			group->prefer_cpu = cpu;
	}
}

/* A group of the CPUs in b->mask, balanced by those in balance (NULL: all). */
static int add_group(struct builder *b, uint32_t level, const wake_u64 *balance, uint32_t *out)
{
	struct sim_groups *g = b->g;
	struct sim_group *group;
	int ret;

	if (g->nr_groups == b->max_groups) {
		uint32_t max = b->max_groups ? 2 * b->max_groups : 64;
		struct sim_group *groups = realloc(g->groups, max * sizeof(*groups));

		if (!groups)
			return -ENOMEM;
		g->groups = groups;
		b->max_groups = max;
	}
	group = &g->groups[g->nr_groups];
	memset(group, 0, sizeof(*group));
	group->level = level;
	ret = make_set(g, b->mask, &group->span);
	group->balance = group->span;
	if (!ret && balance)
		ret = make_set(g, balance, &group->balance);
	if (ret)
		return ret;
	measure(b, group);
	*out = g->nr_groups++;
	return 0;
}

/* What domain i of a CPU has for a child: the span that makes its group, into b->mask. */
static void child_span(struct builder *b, uint32_t cpu, uint32_t child)
{
	if (child != LONE) {
		read_bitmap(chain(b, cpu, child)->span, b->mask);
		return;
	}
	memset(b->mask, 0, sizeof(b->mask));
	b->mask[cpu / 64] = 1ull << (cpu & 63);
}

static void cover(struct builder *b, const struct sim_set *span)
{
	for (uint32_t w = span->first; w <= span->last; w++)
		b->covered[w] |= span->words[w - span->first];
}

static int is_covered(const struct builder *b, uint32_t cpu)
{
	return b->covered[cpu / 64] >> (cpu & 63) & 1;
}

/* The next CPU of the span after cpu, round and round. */
static uint32_t next_wrapped(hwloc_const_bitmap_t span, uint32_t cpu)
{
	int next = hwloc_bitmap_next(span, (int)cpu);

	return (uint32_t)(next < 0 ? hwloc_bitmap_first(span) : next);
}

/* Keeps b->ring. */
static int keep_ring(struct builder *b, struct sim_domain *sd)
{
	struct sim_groups *g = b->g;

	if (g->nr_members + b->nr_ring > b->max_members) {
		uint32_t max = 2 * (b->max_members + b->nr_ring);
		uint32_t *members = realloc(g->members, max * sizeof(*members));

		if (!members)
			return -ENOMEM;
		g->members = members;
		b->max_members = max;
	}
	sd->ring = g->nr_members;
	sd->nr_groups = b->nr_ring;
	memcpy(g->members + g->nr_members, b->ring, b->nr_ring * sizeof(*b->ring));
	g->nr_members += b->nr_ring;
	return 0;
}

/* The domain of a CPU that is the same as one of another CPU; LONE: there is none. */
static uint32_t same_domain(const struct builder *b, uint32_t cpu, const struct machine_domain *sd)
{
	for (uint32_t i = 0; i < b->d->cpus[cpu].nr; i++) {
		if (chain(b, cpu, i)->flags == sd->flags &&
		    hwloc_bitmap_isequal(chain(b, cpu, i)->span, sd->span))
			return i;
	}
	return LONE;
}

/*
 * build_sched_groups(): the children's spans, each once. The kernel links the ring anew
 * for each CPU of the domain, so what stays is the order in which the last one meets the
 * groups.
 */
static int build_ring(struct builder *b, uint32_t cpu, uint32_t i, struct sim_domain *sd)
{
	const struct machine_domain *domain = chain(b, cpu, i);
	uint32_t last = (uint32_t)hwloc_bitmap_last(domain->span), at = last;
	int ret;

	b->nr_ring = 0;
	memset(b->covered, 0, sizeof(b->covered));
	do {
		uint32_t same, group;

		if (is_covered(b, at))
			continue;
		same = same_domain(b, at, domain);
		child_span(b, at, same == LONE || !same ? LONE : same - 1);
		ret = add_group(b, 0, NULL, &group);
		if (ret)
			return ret;
		cover(b, &b->g->groups[group].span);
		b->ring[b->nr_ring++] = group;
	} while ((at = next_wrapped(domain->span, at)) != last);
	return keep_ring(b, sd);
}

static void find_own(const struct sim_groups *g, uint32_t cpu, struct sim_domain *sd)
{
	sd->own = 0;
	while (!sim_set_has(&g->groups[g->members[sd->ring + sd->own]].span, cpu))
		sd->own++;
}

static int make_ring(struct builder *b, uint32_t cpu, uint32_t i, struct sim_domain *sd)
{
	const struct machine_domain *domain = chain(b, cpu, i);
	uint32_t first = (uint32_t)hwloc_bitmap_first(domain->span), same = LONE;
	int ret = 0;

	if (first < cpu)
		same = same_domain(b, first, domain);
	if (same == LONE) {
		ret = build_ring(b, cpu, i, sd);
	} else {
		sd->ring = sim_domain(b->g, first, same)->ring;
		sd->nr_groups = sim_domain(b->g, first, same)->nr_groups;
	}
	if (!ret)
		find_own(b->g, cpu, sd);
	return ret;
}

/* How far a domain of a CPU reaches: which distance between nodes made it. 0: none. */
static uint32_t level_of(const struct builder *b, uint32_t cpu, const struct machine_domain *sd)
{
	uint32_t nr = b->m->nr_nodes, farthest = 0;
	int node = machine_node_index(b->m, b->d->cpus[cpu].node);

	if (!(sd->flags & MACHINE_SD_NUMA) || node < 0)
		return 0;
	for (uint32_t to = 0; to < nr; to++) {
		uint32_t distance = b->m->distance[(uint32_t)node * nr + to];

		if (distance > farthest && hwloc_bitmap_intersects(sd->span, b->m->nodes[to].cpus))
			farthest = distance;
	}
	return farthest;
}

/* The child that a CPU's domain of this level has, dropped levels or not. */
static uint32_t child_below(const struct builder *b, uint32_t cpu, uint32_t level)
{
	for (uint32_t i = b->d->cpus[cpu].nr; i-- > 0;) {
		if (level_of(b, cpu, chain(b, cpu, i)) < level)
			return i;
	}
	return LONE;
}

/* Has this CPU a domain of that level at all, or does the one below span everything? */
static int has_level(const struct builder *b, uint32_t cpu, uint32_t child)
{
	return child == LONE ? hwloc_bitmap_weight(b->d->cpu_map) > 1 :
	       !hwloc_bitmap_isequal(chain(b, cpu, child)->span, b->d->cpu_map);
}

static int set_equals(const struct sim_set *set, const wake_u64 *mask)
{
	uint32_t weight = 0;

	for (uint32_t w = 0; w < WORDS_MAX; w++)
		weight += (uint32_t)__builtin_popcountll(mask[w]);
	return weight == set->weight &&
	       !memcmp(set->words, mask + set->first,
		       (set->last - set->first + 1u) * sizeof(*mask));
}

/* build_balance_mask(): CPUs whose own group at this level is the one in b->mask. */
static void balance_mask(struct builder *b, uint32_t cpu, uint32_t child, uint32_t level,
			 wake_u64 *out)
{
	uint32_t mate;

	memset(out, 0, WORDS_MAX * sizeof(*out));
	if (child == LONE) {
		out[cpu / 64] |= 1ull << (cpu & 63);
		return;
	}
	hwloc_bitmap_foreach_begin(mate, chain(b, cpu, child)->span)
		uint32_t mates = child_below(b, mate, level);

		if (mates != LONE && has_level(b, mate, mates) &&
		    hwloc_bitmap_isequal(chain(b, mate, mates)->span, chain(b, cpu, child)->span))
			out[mate / 64] |= 1ull << (mate & 63);
	hwloc_bitmap_foreach_end();
}

/* The group of an overlapping domain that CPU's child of that level makes. */
static int overlap_group(struct builder *b, uint32_t cpu, uint32_t child, uint32_t level,
			 uint32_t *out)
{
	wake_u64 balance[WORDS_MAX], any = 0;

	child_span(b, cpu, child);
	for (uint32_t i = b->g->nr_groups; i-- > 0;) {
		if (b->g->groups[i].level == level && set_equals(&b->g->groups[i].span, b->mask)) {
			*out = i;
			return 0;
		}
	}
	balance_mask(b, cpu, child, level, balance);
	for (uint32_t w = 0; w < WORDS_MAX; w++)
		any |= balance[w];
	return add_group(b, level, any ? balance : NULL, out);
}

/*
 * find_descended_sibling() (v5.13): where a child spans more than the domain, one below
 * it. Before, such a group reached out of its domain.
 */
static void descend(const struct builder *b, uint32_t cpu, const struct machine_domain *domain,
		    uint32_t *child, uint32_t *level)
{
	while (b->version >= 5013 && *child != LONE &&
	       !hwloc_bitmap_isincluded(chain(b, cpu, *child)->span, domain->span)) {
		*level = level_of(b, cpu, chain(b, cpu, *child));
		*child = *child ? *child - 1 : LONE;
	}
}

/* The same ring as another CPU's? */
static int find_ring(const struct builder *b, struct sim_domain *sd)
{
	size_t size = b->nr_ring * sizeof(*b->ring);

	for (uint32_t i = (uint32_t)(sd - b->g->domains); i-- > 0;) {
		const struct sim_domain *other = &b->g->domains[i];

		if (!(other->flags & MACHINE_SD_OVERLAP) || other->nr_groups != b->nr_ring ||
		    memcmp(b->g->members + other->ring, b->ring, size))
			continue;
		sd->ring = other->ring;
		sd->nr_groups = other->nr_groups;
		return 1;
	}
	return 0;
}

/*
 * Does the CPU before this one see the same? Then both walks meet the same groups: what
 * lies between their starts is in the first one.
 */
static int same_view(const struct builder *b, uint32_t cpu, uint32_t i)
{
	const struct machine_cpu_domains *d = b->d->cpus;

	return cpu && i && i < d[cpu - 1].nr && d[cpu - 1].node == d[cpu].node &&
	       chain(b, cpu - 1, i)->flags == chain(b, cpu, i)->flags &&
	       hwloc_bitmap_isequal(chain(b, cpu - 1, i - 1)->span, chain(b, cpu, i - 1)->span) &&
	       hwloc_bitmap_isequal(chain(b, cpu - 1, i)->span, chain(b, cpu, i)->span);
}

/* build_overlap_sched_groups(): each CPU has its own view, from itself on. */
static int make_overlap_ring(struct builder *b, uint32_t cpu, uint32_t i, struct sim_domain *sd)
{
	const struct machine_domain *domain = chain(b, cpu, i);
	uint32_t own_level = level_of(b, cpu, domain), at = cpu;
	int ret;

	sd->own = 0;
	if (same_view(b, cpu, i)) {
		sd->ring = sim_domain(b->g, cpu - 1, i)->ring;
		sd->nr_groups = sim_domain(b->g, cpu - 1, i)->nr_groups;
		return 0;
	}
	b->nr_ring = 0;
	memset(b->covered, 0, sizeof(b->covered));
	do {
		uint32_t level = own_level, child, group;

		if (is_covered(b, at))
			continue;
		child = child_below(b, at, level);
		if (!has_level(b, at, child))
			continue;
		descend(b, at, domain, &child, &level);
		ret = overlap_group(b, at, child, level, &group);
		if (ret)
			return ret;
		cover(b, &b->g->groups[group].span);
		b->ring[b->nr_ring++] = group;
	} while ((at = next_wrapped(domain->span, at)) != cpu);
	return find_ring(b, sd) ? 0 : keep_ring(b, sd);
}

static int make_domain(struct builder *b, uint32_t cpu, uint32_t i)
{
	const struct machine_domain *from = chain(b, cpu, i);
	struct sim_domain *sd = sim_domain(b->g, cpu, i);
	int ret;

	*sd = (struct sim_domain){
		.flags = from->flags,
		.imbalance_pct = from->imbalance_pct,
		.cache_nice_tries = from->cache_nice_tries,
		.busy_factor = from->busy_factor,
		.min_interval = from->min_interval,
		.max_interval = from->max_interval,
		.imb_numa_nr = from->imb_numa_nr,
	};
	if (from->flags & MACHINE_SD_OVERLAP)
		ret = make_overlap_ring(b, cpu, i, sd);
	else
		ret = make_ring(b, cpu, i, sd);
	if (ret)
		return ret;
	read_bitmap(from->span, b->mask);
	return make_set(b->g, b->mask, &sd->span);
}

static int build(struct builder *b)
{
	struct sim_groups *g = b->g;
	uint32_t nr = 0;
	int ret = 0;

	g->first_domain = calloc(g->nr_cpus + 1, sizeof(*g->first_domain));
	if (!g->first_domain)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < g->nr_cpus; cpu++) {
		g->first_domain[cpu] = nr;
		nr += b->d->cpus[cpu].nr;
	}
	g->first_domain[g->nr_cpus] = nr;
	g->domains = calloc(nr ? nr : 1, sizeof(*g->domains));
	if (!g->domains)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < g->nr_cpus && !ret; cpu++) {
		for (uint32_t i = 0; i < b->d->cpus[cpu].nr && !ret; i++)
			ret = make_domain(b, cpu, i);
	}
	g->bytes += sizeof(*g) + (g->nr_cpus + 1) * sizeof(*g->first_domain) +
		    nr * sizeof(*g->domains) + b->max_groups * sizeof(*g->groups) +
		    b->max_members * sizeof(*g->members);
	return ret;
}

int sim_groups_create(const struct machine *m, const struct machine_domains *d, uint32_t version,
		      struct sim_groups **out)
{
	struct builder *b = calloc(1, sizeof(*b));
	struct sim_groups *g = calloc(1, sizeof(*g));
	int ret = -ENOMEM;

	if (b && g) {
		g->nr_cpus = d->nr_cpu_ids;
		b->m = m;
		b->d = d;
		b->g = g;
		b->version = version;
		ret = build(b);
	}
	free(b);
	if (ret) {
		sim_groups_free(g);
		return ret;
	}
	*out = g;
	return 0;
}

void sim_groups_free(struct sim_groups *g)
{
	struct sim_words *next;

	if (!g)
		return;
	for (struct sim_words *chunk = g->words; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(g->first_domain);
	free(g->domains);
	free(g->groups);
	free(g->members);
	free(g);
}
