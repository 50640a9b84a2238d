// SPDX-License-Identifier: GPL-2.0-only
/*
 * lscpu -p: one line a CPU, columns named by the last comment line before the first CPU.
 *
 * lscpu numbers cores, sockets, nodes and caches over the whole machine; equal numbers are the
 * same thing. It knows neither the architecture, nor clusters, nor distances between nodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "machine/private.h"

enum column { CPU, CORE, SOCKET, NODE, L1D, L1I, L2, L3, ONLINE, IGNORED, NR_COLUMNS = IGNORED };

static const char *const column_names[NR_COLUMNS] = { "CPU", "Core", "Socket", "Node",	 "L1d",
						      "L1i", "L2",   "L3",     "Online" };

#define FIELDS_MAX 32

struct row {
	bool given, online;
	long v[NR_COLUMNS]; /* -1: empty */
};

struct parse {
	const char *name;
	unsigned line;
	struct machine_error *err;
	unsigned nr_fields;
	enum column fields[FIELDS_MAX];
	bool have[NR_COLUMNS];
	unsigned nr_rows;
	struct row *rows; /* by CPU id */
};

#define BAD(p, ...) machine_fail_line((p)->err, -EINVAL, (p)->name, (p)->line, __VA_ARGS__)

static bool next_field(struct machine_span *line, struct machine_span *f)
{
	const char *comma;

	if (!line->p)
		return false;
	comma = memchr(line->p, ',', line->len);
	*f = (struct machine_span){ line->p, comma ? (size_t)(comma - line->p) : line->len };
	if (comma)
		*line = (struct machine_span){ comma + 1, line->len - f->len - 1 };
	else
		*line = (struct machine_span){ NULL, 0 };
	return true;
}

/* A comment that holds "CPU," names the columns; older ones are prose. */
static int parse_comment(struct parse *p, struct machine_span line)
{
	struct machine_span f;
	unsigned i;

	while (line.len && (*line.p == '#' || *line.p == ' ')) {
		line.p++;
		line.len--;
	}
	if (line.len < 4 || strncasecmp(line.p, "CPU,", 4))
		return 0;
	p->nr_fields = 0;
	memset(p->have, 0, sizeof(p->have));
	while (next_field(&line, &f)) {
		if (p->nr_fields == FIELDS_MAX)
			return BAD(p, "more than %d columns", FIELDS_MAX);
		for (i = 0; i < NR_COLUMNS; i++)
			if (f.len == strlen(column_names[i]) &&
			    !strncasecmp(f.p, column_names[i], f.len))
				break;
		if (i < NR_COLUMNS && p->have[i])
			return BAD(p, "column %s is named twice", column_names[i]);
		if (i < NR_COLUMNS)
			p->have[i] = true;
		p->fields[p->nr_fields++] = i;
	}
	return 0;
}

static int grow(struct parse *p, unsigned cpu)
{
	struct row *rows;

	if (cpu < p->nr_rows)
		return 0;
	rows = realloc(p->rows, (cpu + 1) * sizeof(*rows));
	if (!rows)
		return machine_nomem(p->err);
	memset(rows + p->nr_rows, 0, (cpu + 1 - p->nr_rows) * sizeof(*rows));
	p->rows = rows;
	p->nr_rows = cpu + 1;
	return 0;
}

static int parse_value(struct parse *p, struct machine_span f, enum column col, struct row *row)
{
	unsigned long v;

	if (col == ONLINE) {
		row->online = f.len && (*f.p == 'Y' || *f.p == 'y');
		if (!row->online && !(f.len && (*f.p == 'N' || *f.p == 'n')))
			return BAD(p, "column Online: expected Y or N, found \"%.*s\"",
				   (int)(f.len > 60 ? 60 : f.len), f.p);
		return 0;
	}
	row->v[col] = -1;
	if (!f.len || machine_span_is(f, "-"))
		return 0;
	if (machine_parse_uint(f.p, f.len, col == CPU ? MACHINE_CPUS_MAX - 1 : 1 << 20, &v))
		return BAD(p, "column %s: expected a number, found \"%.*s\"", column_names[col],
			   (int)(f.len > 60 ? 60 : f.len), f.p);
	row->v[col] = (long)v;
	return 0;
}

static int parse_row(struct parse *p, struct machine_span line)
{
	struct row row = { .given = true, .online = true };
	struct machine_span f;
	unsigned n = 0;
	int rc;

	if (!p->nr_fields)
		return BAD(p, "expected a comment naming the columns, as \"# CPU,Core,Socket,...\", "
			      "before the first CPU");
	memset(row.v, 0xff, sizeof(row.v));
	while (next_field(&line, &f)) {
		if (n == p->nr_fields)
			return BAD(p, "more than the %u columns named above", p->nr_fields);
		if (p->fields[n] != IGNORED) {
			rc = parse_value(p, f, p->fields[n], &row);
			if (rc)
				return rc;
		}
		n++;
	}
	if (n != p->nr_fields)
		return BAD(p, "expected %u columns, found %u", p->nr_fields, n);
	if (row.v[CPU] < 0)
		return BAD(p, "expected a CPU number");
	rc = grow(p, (unsigned)row.v[CPU]);
	if (rc)
		return rc;
	if (p->rows[row.v[CPU]].given)
		return BAD(p, "a second line for CPU %ld", row.v[CPU]);
	p->rows[row.v[CPU]] = row;
	return 0;
}

struct by_column {
	const struct row *rows;
	enum column col;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct by_column *by = arg;
	const unsigned *x = a, *y = b;
	long vx = by->rows[*x].v[by->col], vy = by->rows[*y].v[by->col];

	return vx < vy ? -1 : vx > vy ? 1 : (*x > *y) - (*x < *y);
}

static int take_set(struct machine *m, hwloc_const_bitmap_t set, enum column col, long v);

/* Takes each set of online CPUs that agree in a column; sorted first, not to be quadratic. */
static int group(const struct parse *p, struct machine *m, enum column col)
{
	struct by_column by = { p->rows, col };
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	unsigned *order = calloc(m->nr_cpu_ids, sizeof(*order));
	unsigned cpu, i, n = 0;
	int rc = set && order ? 0 : -ENOMEM;

	for (cpu = 0; !rc && cpu < m->nr_cpu_ids; cpu++)
		if (hwloc_bitmap_isset(m->online, cpu) && p->rows[cpu].v[col] >= 0)
			order[n++] = cpu;
	if (n)
		qsort_r(order, n, sizeof(*order), compare, &by);
	for (i = 0; !rc && i < n; i++) {
		hwloc_bitmap_set(set, order[i]);
		if (i + 1 < n && p->rows[order[i]].v[col] == p->rows[order[i + 1]].v[col])
			continue;
		rc = take_set(m, set, col, p->rows[order[i]].v[col]);
		hwloc_bitmap_zero(set);
	}
	hwloc_bitmap_free(set);
	free(order);
	return rc;
}

static int take_set(struct machine *m, hwloc_const_bitmap_t set, enum column col, long v)
{
	static const struct {
		unsigned level;
		char type;
	} caches[NR_COLUMNS] = { [L1D] = { 1, 'D' }, [L1I] = { 1, 'I' }, [L2] = { 2, 'U' },
				 [L3] = { 3, 'U' } };
	unsigned cpu;
	int rc = 0;

	if (col == NODE)
		return machine_add_node(m, (int)v, true, set);
	hwloc_bitmap_foreach_begin(cpu, set)
		struct machine_cpu *c = &m->cpus[cpu];

		if (col == CORE) {
			c->core = (int)v;
			rc = hwloc_bitmap_copy(c->smt, set);
		} else if (col == SOCKET) {
			c->package = (int)v;
			rc = hwloc_bitmap_copy(c->pkg, set);
		} else {
			rc = machine_add_cache(c, caches[col].level, caches[col].type, 0, set);
		}
		if (rc)
			return rc;
	hwloc_bitmap_foreach_end();
	return 0;
}

static int fill(struct parse *p, struct machine *m)
{
	static const enum column grouped[] = { CORE, SOCKET, NODE, L1D, L1I, L2, L3 };
	unsigned cpu, i;
	int rc;

	for (cpu = 0; cpu < p->nr_rows; cpu++) {
		if (!p->rows[cpu].given)
			continue;
		hwloc_bitmap_set(m->possible, cpu);
		if (p->rows[cpu].online)
			hwloc_bitmap_set(m->online, cpu);
		if (p->rows[cpu].online && p->rows[cpu].v[CORE] < 0)
			return machine_fail(p->err, -EINVAL, p->name, "CPU %u has no core number",
					    cpu);
	}
	hwloc_bitmap_copy(m->present, m->possible);
	for (i = 0; i < sizeof(grouped) / sizeof(grouped[0]); i++) {
		rc = group(p, m, grouped[i]);
		if (rc == -E2BIG)
			return machine_fail(p->err, rc, p->name, "more than %d nodes",
					    MACHINE_NODES_MAX);
		if (rc)
			return machine_nomem(p->err);
	}
	if (machine_note(m, "lscpu -p names no architecture: the generic topology table is used") ||
	    (m->nr_nodes > 1 &&
	     machine_note(m, "lscpu -p has no node distances: %d between nodes is assumed",
			  MACHINE_DISTANCE_REMOTE)))
		return machine_nomem(p->err);
	return machine_finish(m, p->err);
}

int machine_read_lscpu(const char *name, const char *text, size_t len, struct machine **out,
		       struct machine_error *err)
{
	struct parse p = { .name = name, .err = err };
	struct machine_span all = { text, len }, line;
	struct machine *m = NULL;
	int rc = 0;

	for (p.line = 1; !rc && machine_next_line(&all, &line); p.line++) {
		if (line.len && *line.p == '#')
			rc = parse_comment(&p, line);
		else if (line.len)
			rc = parse_row(&p, line);
	}
	if (!rc && !p.nr_rows)
		rc = BAD(&p, "expected lines of CPUs, found none");
	if (!rc && !p.have[CORE])
		rc = BAD(&p, "expected a column Core");
	if (!rc) {
		m = machine_new(name, MACHINE_FROM_LSCPU, p.nr_rows);
		rc = m ? fill(&p, m) : machine_nomem(err);
	}
	free(p.rows);
	if (rc)
		machine_free(m);
	else
		*out = m;
	return rc;
}
