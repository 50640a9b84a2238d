// SPDX-License-Identifier: GPL-2.0-only
/*
 * The preset text format, wakelab-machine(5): a machine written down by a person.
 *
 * A line is a keyword and its values; # starts a comment. CPUs are given as sets, each a list
 * like "0-7,128-135", and "SET xCOUNT +STEP" is that set COUNT times, each STEP CPUs further.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/card.h"

struct parse {
	const char *name;
	unsigned line;
	struct machine_error *err;
	struct machine *m;
	unsigned nr_distance; /* rows read */
	unsigned nr_package, nr_core, nr_die;
	struct machine_card card;
};

#define BAD(p, ...) machine_fail_line((p)->err, -EINVAL, (p)->name, (p)->line, __VA_ARGS__)

/* What to do with the n-th set of a line. */
typedef int (*take_fn)(struct parse *p, hwloc_const_bitmap_t set, void *arg);

static int shift(hwloc_bitmap_t set, unsigned step)
{
	hwloc_bitmap_t moved = hwloc_bitmap_alloc();
	unsigned cpu;

	if (!moved)
		return -ENOMEM;
	hwloc_bitmap_foreach_begin(cpu, set)
		hwloc_bitmap_set(moved, cpu + step);
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_copy(set, moved);
	hwloc_bitmap_free(moved);
	return 0;
}

/* Reads "xCOUNT +STEP" if it is next. */
static int repeat(struct parse *p, struct machine_span *line, unsigned long *count,
		  unsigned long *step)
{
	struct machine_span ahead = *line, word;

	*count = 1;
	*step = 0;
	if (!machine_next_word(&ahead, &word) || *word.p != 'x')
		return 0;
	if (machine_parse_uint(word.p + 1, word.len - 1, MACHINE_CPUS_MAX, count) || !*count)
		return BAD(p, "expected \"xCOUNT\", found \"%.*s\"", (int)word.len, word.p);
	if (!machine_next_word(&ahead, &word) || *word.p != '+' ||
	    machine_parse_uint(word.p + 1, word.len - 1, MACHINE_CPUS_MAX, step) || !*step)
		return BAD(p, "expected \"+STEP\" after \"x%lu\"", *count);
	*line = ahead;
	return 0;
}

static int one_set(struct parse *p, hwloc_bitmap_t set, unsigned long count, unsigned long step,
		   take_fn take, void *arg)
{
	char buf[64];
	int rc;

	while (count--) {
		if (!hwloc_bitmap_isincluded(set, p->m->possible))
			return BAD(p, "CPUs %s are not all among the line \"cpus\"",
				   machine_set_text(set, buf, sizeof(buf)));
		rc = take(p, set, arg);
		if (rc)
			return rc;
		if (count && shift(set, (unsigned)step))
			return machine_nomem(p->err);
	}
	return 0;
}

static int sets(struct parse *p, struct machine_span line, take_fn take, void *arg)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct machine_span word;
	unsigned long count, step;
	bool any = false;
	int rc = set ? 0 : machine_nomem(p->err);

	while (!rc && machine_next_word(&line, &word)) {
		any = true;
		if (machine_span_is(word, "-"))
			hwloc_bitmap_zero(set);
		else if (machine_parse_list(word.p, word.len, set))
			rc = BAD(p, "expected CPUs below %d as a list, found \"%.*s\"",
				 MACHINE_CPUS_MAX, (int)(word.len > 60 ? 60 : word.len), word.p);
		if (!rc)
			rc = repeat(p, &line, &count, &step);
		if (!rc)
			rc = one_set(p, set, count, step, take, arg);
	}
	hwloc_bitmap_free(set);
	if (!rc && !any)
		rc = BAD(p, "expected sets of CPUs");
	return rc;
}

/* Puts set into one of the sets of each of its CPUs. */
static int into(struct parse *p, hwloc_const_bitmap_t set, size_t offset, const char *what)
{
	hwloc_bitmap_t to;
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, set)
		to = *(hwloc_bitmap_t *)((char *)&p->m->cpus[cpu] + offset);
		if (!hwloc_bitmap_iszero(to))
			return BAD(p, "CPU %u is in two %s", cpu, what);
		if (hwloc_bitmap_copy(to, set))
			return machine_nomem(p->err);
	hwloc_bitmap_foreach_end();
	return 0;
}

static int take_core(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	unsigned cpu;

	(void)arg;
	hwloc_bitmap_foreach_begin(cpu, set)
		p->m->cpus[cpu].core = (int)p->nr_core;
	hwloc_bitmap_foreach_end();
	p->nr_core++;
	return into(p, set, offsetof(struct machine_cpu, smt), "cores");
}

static int take_cluster(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	(void)arg;
	return into(p, set, offsetof(struct machine_cpu, cluster), "clusters");
}

static int take_package(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	unsigned cpu;

	(void)arg;
	hwloc_bitmap_foreach_begin(cpu, set)
		p->m->cpus[cpu].package = (int)p->nr_package;
	hwloc_bitmap_foreach_end();
	p->nr_package++;
	return into(p, set, offsetof(struct machine_cpu, pkg), "packages");
}

static int take_die(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	unsigned cpu;

	(void)arg;
	hwloc_bitmap_foreach_begin(cpu, set)
		p->m->cpus[cpu].die = (int)p->nr_die;
	hwloc_bitmap_foreach_end();
	p->nr_die++;
	return 0;
}

static int take_node(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	int rc = machine_add_node(p->m, (int)p->m->nr_nodes, true, set);

	(void)arg;
	if (p->m->distance)
		return BAD(p, "expected all nodes before the first distance");
	if (rc == -E2BIG)
		return BAD(p, "more than %d nodes", MACHINE_NODES_MAX);
	return rc ? machine_nomem(p->err) : 0;
}

static int take_mask(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	return hwloc_bitmap_or(arg, arg, set) ? machine_nomem(p->err) : 0;
}

struct cache_arg {
	unsigned level;
	char type;
	uint64_t size;
};

static int take_cache(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	const struct cache_arg *a = arg;
	unsigned cpu, i;
	int rc;

	hwloc_bitmap_foreach_begin(cpu, set)
		const struct machine_cpu *c = &p->m->cpus[cpu];

		for (i = 0; i < c->nr_caches; i++)
			if (c->caches[i].level == a->level && c->caches[i].type == a->type)
				return BAD(p, "CPU %u has two L%u caches of this type", cpu,
					   a->level);
		rc = machine_add_cache(&p->m->cpus[cpu], a->level, a->type, a->size, set);
		if (rc == -E2BIG)
			return BAD(p, "CPU %u has more than %d caches", cpu, MACHINE_CACHES_MAX);
		if (rc)
			return machine_nomem(p->err);
	hwloc_bitmap_foreach_end();
	return 0;
}

static int take_capacity(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, set)
		p->m->cpus[cpu].capacity = *(unsigned *)arg;
	hwloc_bitmap_foreach_end();
	return 0;
}

static int take_priority(struct parse *p, hwloc_const_bitmap_t set, void *arg)
{
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, set)
		p->m->cpus[cpu].priority = *(unsigned *)arg;
	hwloc_bitmap_foreach_end();
	return 0;
}

static int key_core(struct parse *p, struct machine_span rest)
{
	return sets(p, rest, take_core, NULL);
}

static int key_cluster(struct parse *p, struct machine_span rest)
{
	return sets(p, rest, take_cluster, NULL);
}

static int key_package(struct parse *p, struct machine_span rest)
{
	return sets(p, rest, take_package, NULL);
}

static int key_die(struct parse *p, struct machine_span rest)
{
	return sets(p, rest, take_die, NULL);
}

static int key_node(struct parse *p, struct machine_span rest)
{
	return sets(p, rest, take_node, NULL);
}

/* The first "online" or "present" line replaces the default, which is all CPUs. */
static int key_online(struct parse *p, struct machine_span rest)
{
	hwloc_bitmap_zero(p->m->online);
	return sets(p, rest, take_mask, p->m->online);
}

static int key_present(struct parse *p, struct machine_span rest)
{
	hwloc_bitmap_zero(p->m->present);
	return sets(p, rest, take_mask, p->m->present);
}

static int key_isolated(struct parse *p, struct machine_span rest)
{
	return sets(p, rest, take_mask, p->m->isolated);
}

/* "cache L1d 64K SETS" */
static int key_cache(struct parse *p, struct machine_span rest)
{
	struct cache_arg a = { .type = 'U' };
	struct machine_span word;

	if (!machine_next_word(&rest, &word) || word.len < 2 || word.len > 3 || word.p[0] != 'L' ||
	    word.p[1] < '1' || word.p[1] > '9')
		return BAD(p, "expected L1d, L1i, L2, L3 ...");
	a.level = (unsigned)(word.p[1] - '0');
	if (word.len == 3 && word.p[2] != 'd' && word.p[2] != 'i')
		return BAD(p, "expected L1d, L1i, L2, L3 ...");
	if (word.len == 3)
		a.type = word.p[2] == 'd' ? 'D' : 'I';
	if (!machine_next_word(&rest, &word) || machine_parse_size(word.p, word.len, &a.size))
		return BAD(p, "expected the size of the cache, as 512K or 32M");
	return sets(p, rest, take_cache, &a);
}

static int value_and_sets(struct parse *p, struct machine_span rest, unsigned long max,
			  take_fn take)
{
	struct machine_span word;
	unsigned long v;
	unsigned value;

	if (!machine_next_word(&rest, &word) || machine_parse_uint(word.p, word.len, max, &v) || !v)
		return BAD(p, "expected a number from 1 to %lu", max);
	value = (unsigned)v;
	return sets(p, rest, take, &value);
}

static int key_capacity(struct parse *p, struct machine_span rest)
{
	return value_and_sets(p, rest, MACHINE_CAPACITY_MAX, take_capacity);
}

static int key_priority(struct parse *p, struct machine_span rest)
{
	return value_and_sets(p, rest, 1 << 20, take_priority);
}

static int key_distance(struct parse *p, struct machine_span rest)
{
	struct machine *m = p->m;
	struct machine_span word;
	unsigned long v;
	unsigned n = 0;

	if (!m->nr_nodes)
		return BAD(p, "expected nodes before their distances");
	if (!m->distance && machine_alloc_distance(m))
		return machine_nomem(p->err);
	if (p->nr_distance == m->nr_nodes)
		return BAD(p, "more rows of distances than the %u nodes", m->nr_nodes);
	while (machine_next_word(&rest, &word)) {
		if (n == m->nr_nodes ||
		    machine_parse_uint(word.p, word.len, MACHINE_DISTANCE_MAX, &v))
			return BAD(p, "expected %u distances of at most %d", m->nr_nodes,
				   MACHINE_DISTANCE_MAX);
		m->distance[p->nr_distance * m->nr_nodes + n++] = (unsigned)v;
	}
	if (n != m->nr_nodes)
		return BAD(p, "expected %u distances, found %u", m->nr_nodes, n);
	p->nr_distance++;
	return 0;
}

static int key_arch(struct parse *p, struct machine_span rest)
{
	struct machine_span word;
	unsigned a;

	if (machine_next_word(&rest, &word)) {
		for (a = MACHINE_X86; a <= MACHINE_OTHER; a++) {
			if (!machine_span_is(word, machine_arch_name(a)))
				continue;
			p->m->arch = a;
			return 0;
		}
	}
	return BAD(p, "expected x86, arm64, powerpc or other");
}

static int key_vendor(struct parse *p, struct machine_span rest)
{
	struct machine_span word;

	if (!machine_next_word(&rest, &word))
		word = (struct machine_span){ "", 0 };
	if (machine_span_is(word, "intel"))
		p->m->vendor = MACHINE_VENDOR_INTEL;
	else if (machine_span_is(word, "amd"))
		p->m->vendor = MACHINE_VENDOR_AMD;
	else if (!machine_span_is(word, "other"))
		return BAD(p, "expected intel, amd or other");
	return 0;
}

static int key_family(struct parse *p, struct machine_span rest)
{
	struct machine_span word;
	unsigned long v;

	if (!machine_next_word(&rest, &word) || machine_parse_uint(word.p, word.len, 999, &v))
		return BAD(p, "expected the number of the processor family");
	p->m->family = (unsigned)v;
	return 0;
}

static int key_hybrid(struct parse *p, struct machine_span rest)
{
	(void)rest;
	p->m->hybrid = true;
	return 0;
}

static int key_about(struct parse *p, struct machine_span rest)
{
	(void)p;
	(void)rest;
	return 0;
}

static const struct {
	const char *word;
	int (*take)(struct parse *p, struct machine_span rest);
} keys[] = {
	{ "about", key_about },	      { "arch", key_arch },	    { "vendor", key_vendor },
	{ "family", key_family },     { "hybrid", key_hybrid },	    { "package", key_package },
	{ "die", key_die },	      { "node", key_node },	    { "distance", key_distance },
	{ "core", key_core },	      { "cluster", key_cluster },   { "cache", key_cache },
	{ "capacity", key_capacity }, { "priority", key_priority }, { "online", key_online },
	{ "present", key_present },   { "isolated", key_isolated },
};

/* "machine NAME", then "cpus LIST": the rest needs to know which CPUs there are. */
static int parse_head(struct parse *p, struct machine_span word, struct machine_span rest,
		      char **title)
{
	hwloc_bitmap_t set;
	int rc = 0;

	if (!*title) {
		if (!machine_span_is(word, "machine") || !machine_next_word(&rest, &word))
			return BAD(p, "expected \"machine NAME\"");
		*title = machine_span_dup(word);
		return *title ? 0 : machine_nomem(p->err);
	}
	if (!machine_span_is(word, "cpus") || !machine_next_word(&rest, &word))
		return BAD(p, "expected \"cpus LIST\" after \"machine NAME\"");
	set = hwloc_bitmap_alloc();
	if (!set)
		return machine_nomem(p->err);
	if (machine_parse_list(word.p, word.len, set) || hwloc_bitmap_iszero(set))
		rc = BAD(p, "expected CPUs below %d as a list", MACHINE_CPUS_MAX);
	if (!rc) {
		p->m = machine_new(p->name, MACHINE_FROM_PRESET,
				   (unsigned)hwloc_bitmap_last(set) + 1);
		rc = p->m ? 0 : machine_nomem(p->err);
	}
	if (!rc) {
		hwloc_bitmap_copy(p->m->possible, set);
		hwloc_bitmap_copy(p->m->present, set);
		hwloc_bitmap_copy(p->m->online, set);
	}
	hwloc_bitmap_free(set);
	return rc;
}

static int parse_line(struct parse *p, struct machine_span line, char **title)
{
	const char *hash = memchr(line.p, '#', line.len);
	struct machine_span whole = line, rest = line, word;
	unsigned i;

	/* A card's source may hold a '#'. */
	if (p->m && machine_next_word(&rest, &word) && machine_card_keyword(word)) {
		p->card.line = p->line;
		return machine_card_line(&p->card, whole);
	}
	if (hash)
		line.len = (size_t)(hash - line.p);
	if (!machine_next_word(&line, &word))
		return 0;
	if (!p->m)
		return parse_head(p, word, line, title);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (machine_span_is(word, keys[i].word))
			return keys[i].take(p, line);
	return BAD(p, "\"%.*s\" is no keyword; see wakelab-machine(5)",
		   (int)(word.len > 60 ? 60 : word.len), word.p);
}

int machine_read_preset(const char *name, const char *text, size_t len, struct machine **out,
			struct machine_error *err)
{
	struct parse p = { .name = name, .err = err, .card = { .name = name, .err = err } };
	struct machine_span all = { text, len }, line;
	char *title = NULL;
	int rc = 0;

	/* Until it is sound, the machine is called what messages are to call it. */
	for (p.line = 1; !rc && machine_next_line(&all, &line); p.line++)
		rc = parse_line(&p, line, &title);
	if (!rc && !p.m)
		rc = BAD(&p, "expected \"machine NAME\" and \"cpus LIST\", found the end");
	if (!rc && p.m->distance && p.nr_distance != p.m->nr_nodes)
		rc = BAD(&p, "expected %u rows of distances, found %u", p.m->nr_nodes,
			 p.nr_distance);
	if (!rc)
		rc = machine_finish(p.m, err);
	if (!rc)
		rc = machine_card_finish(&p.card, title, &p.m->costs);
	machine_card_drop(&p.card);
	if (rc) {
		machine_free(p.m);
		free(title);
		return rc;
	}
	free(p.m->name);
	p.m->name = title;
	*out = p.m;
	return 0;
}
