// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree of /sys/devices/system: the files Linux prints its own masks to.
 *
 * Read directly and not through hwloc, which merges and repairs what it finds: here the
 * question is what the kernel believed. Documentation/ABI/testing/sysfs-devices-system-cpu and
 * sysfs-devices-node describe the files; old kernels have the masks without the lists.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/tree.h"

struct sysfs {
	struct machine_tree t;
	struct machine *m;
	hwloc_bitmap_t set, dirs, taken;
	char buf[MACHINE_TREE_FILE_MAX];
	char path[160];
};

#define BAD(s, ...) machine_tree_fail(&(s)->t, -EINVAL, (s)->path, __VA_ARGS__)

/* Reads path (below sys/devices/system) into buf. */
static int get(struct sysfs *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int get(struct sysfs *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(s->path, sizeof(s->path), "%sdevices/system/", s->t.sys);
	va_start(ap, fmt);
	vsnprintf(s->path + n, sizeof(s->path) - (size_t)n, fmt, ap);
	va_end(ap);
	return machine_tree_read(&s->t, s->path, s->buf, sizeof(s->buf));
}

static int parse_cpus(struct sysfs *s, bool list)
{
	size_t len = strlen(s->buf);
	int rc = list ? machine_parse_list(s->buf, len, s->set)
		      : machine_parse_mask(s->buf, len, s->set);

	if (rc == -E2BIG)
		return machine_tree_fail(&s->t, rc, s->path, "a CPU beyond %d",
					 MACHINE_CPUS_MAX - 1);
	if (rc)
		return BAD(s, "expected CPUs as a %s, found \"%.60s\"",
			   list ? "list (0-3,8)" : "hex mask", s->buf);
	return 0;
}

/* NAME_list, else NAME as a mask, of a folder; -ENOENT if there is neither. */
static int get_cpus(struct sysfs *s, const char *dir, const char *list, const char *mask)
{
	int rc = get(s, "%s/%s", dir, list);

	if (!rc)
		return parse_cpus(s, true);
	if (rc != -ENOENT)
		return rc;
	rc = get(s, "%s/%s", dir, mask);
	return rc ? rc : parse_cpus(s, false);
}

/* A number, perhaps negative; *out is left alone if there is no such file. */
static int get_int(struct sysfs *s, const char *dir, const char *file, int *out)
{
	unsigned long v;
	bool minus;
	int rc = get(s, "%s/%s", dir, file);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	minus = *s->buf == '-';
	if (machine_parse_uint(s->buf + minus, strlen(s->buf + minus), 0x7fffffff, &v))
		return BAD(s, "expected a number, found \"%.60s\"", s->buf);
	*out = minus ? -(int)v : (int)v;
	return 0;
}

static int read_mask(struct sysfs *s, const char *file, hwloc_bitmap_t to,
		     hwloc_const_bitmap_t otherwise)
{
	int rc = get(s, "cpu/%s", file);

	if (rc == -ENOENT) {
		rc = hwloc_bitmap_copy(s->set, otherwise) ? machine_nomem(s->t.err) : 0;
		s->buf[0] = 0;
	} else if (!rc) {
		rc = parse_cpus(s, true);
	}
	if (!rc && hwloc_bitmap_copy(to, s->set))
		rc = machine_nomem(s->t.err);
	return rc;
}

/* Before v2.6.2x there is no cpu/online; each CPU but those that cannot go has its own. */
static int find_online(struct sysfs *s, hwloc_bitmap_t online)
{
	unsigned cpu;
	int rc = 0;

	hwloc_bitmap_copy(online, s->dirs);
	hwloc_bitmap_foreach_begin(cpu, s->dirs)
		rc = get(s, "cpu/cpu%u/online", cpu);
		if (rc && rc != -ENOENT)
			return rc;
		if (!rc && strcmp(s->buf, "0") && strcmp(s->buf, "1"))
			return BAD(s, "expected 0 or 1, found \"%.60s\"", s->buf);
		if (!rc && *s->buf == '0')
			hwloc_bitmap_clr(online, cpu);
	hwloc_bitmap_foreach_end();
	return 0;
}

static int read_masks(struct sysfs *s, hwloc_bitmap_t possible, hwloc_bitmap_t online)
{
	int rc;

	snprintf(s->path, sizeof(s->path), "%sdevices/system/cpu", s->t.sys);
	rc = machine_tree_ids(&s->t, s->path, "cpu", MACHINE_CPUS_MAX - 1, s->dirs);
	if (rc == -ENOENT)
		return machine_tree_fail(&s->t, -EINVAL, s->path, "no such folder");
	if (!rc && hwloc_bitmap_iszero(s->dirs))
		return BAD(s, "expected folders cpu0, cpu1 and so on");
	if (!rc)
		rc = read_mask(s, "possible", possible, s->dirs);
	if (!rc && !hwloc_bitmap_isincluded(s->dirs, possible))
		return BAD(s, "\"%.60s\" leaves out CPUs that have folders", s->buf);
	if (!rc)
		rc = find_online(s, s->taken);
	if (!rc)
		rc = read_mask(s, "online", online, s->taken);
	if (!rc && !hwloc_bitmap_isincluded(online, s->dirs))
		return BAD(s, "\"%.60s\" has CPUs without folders", s->buf);
	return rc;
}

static int read_cache(struct sysfs *s, unsigned cpu, const char *dir)
{
	struct machine_cpu *c = &s->m->cpus[cpu];
	int level = 0, rc;
	uint64_t size = 0;
	char type;

	rc = get_int(s, dir, "level", &level);
	if (!rc && (level < 1 || level > 9))
		rc = BAD(s, "expected a cache level from 1 to 9");
	if (!rc)
		rc = get(s, "%s/type", dir);
	if (rc)
		return rc == -ENOENT ? BAD(s, "no such file") : rc;
	if (strcmp(s->buf, "Data") && strcmp(s->buf, "Instruction") && strcmp(s->buf, "Unified"))
		return BAD(s, "expected Data, Instruction or Unified, found \"%.60s\"", s->buf);
	type = *s->buf;
	rc = get(s, "%s/size", dir);
	if (!rc && machine_parse_size(s->buf, strlen(s->buf), &size))
		rc = BAD(s, "expected a size as 512K, found \"%.60s\"", s->buf);
	if (rc && rc != -ENOENT)
		return rc;
	rc = get_cpus(s, dir, "shared_cpu_list", "shared_cpu_map");
	if (rc == -ENOENT)
		rc = hwloc_bitmap_only(s->set, cpu) ? machine_nomem(s->t.err) : 0;
	if (!rc && !hwloc_bitmap_isset(s->set, cpu))
		rc = BAD(s, "CPU %u is not among the sharers of its cache", cpu);
	if (rc)
		return rc;
	rc = machine_add_cache(c, (unsigned)level, type, size, s->set);
	if (rc == -E2BIG)
		return BAD(s, "more than %d caches", MACHINE_CACHES_MAX);
	return rc ? machine_nomem(s->t.err) : 0;
}

static int read_caches(struct sysfs *s, unsigned cpu)
{
	char dir[64];
	unsigned i;
	int rc = 0;

	for (i = 0; !rc && i <= MACHINE_CACHES_MAX; i++) {
		snprintf(s->path, sizeof(s->path), "%sdevices/system/cpu/cpu%u/cache/index%u",
			 s->t.sys, cpu, i);
		if (!machine_tree_exists(&s->t, s->path))
			break;
		snprintf(dir, sizeof(dir), "cpu/cpu%u/cache/index%u", cpu, i);
		rc = read_cache(s, cpu, dir);
	}
	return rc;
}

/* The set named by list or mask, into to; left empty if there is no such file. */
static int read_set(struct sysfs *s, unsigned cpu, const char *list, const char *mask,
		    hwloc_bitmap_t to)
{
	char dir[64];
	int rc;

	snprintf(dir, sizeof(dir), "cpu/cpu%u/topology", cpu);
	rc = get_cpus(s, dir, list, mask);
	if (rc == -ENOENT)
		return 0;
	if (!rc && !hwloc_bitmap_isset(s->set, cpu))
		rc = BAD(s, "CPU %u is not in its own set", cpu);
	if (!rc && hwloc_bitmap_copy(to, s->set))
		rc = machine_nomem(s->t.err);
	return rc;
}

static int read_cpu(struct sysfs *s, unsigned cpu)
{
	struct machine_cpu *c = &s->m->cpus[cpu];
	int capacity = (int)c->capacity, priority = 0, rc;
	char dir[64];

	snprintf(dir, sizeof(dir), "cpu/cpu%u/topology", cpu);
	rc = read_set(s, cpu, "thread_siblings_list", "thread_siblings", c->smt);
	if (!rc)
		rc = read_set(s, cpu, "core_siblings_list", "core_siblings", c->pkg);
	if (!rc && hwloc_bitmap_iszero(c->pkg))
		rc = read_set(s, cpu, "package_cpus_list", "package_cpus", c->pkg);
	if (!rc)
		rc = read_set(s, cpu, "cluster_cpus_list", "cluster_cpus", c->cluster);
	if (!rc)
		rc = get_int(s, dir, "physical_package_id", &c->package);
	if (!rc)
		rc = get_int(s, dir, "die_id", &c->die);
	if (!rc)
		rc = get_int(s, dir, "core_id", &c->core);
	snprintf(dir, sizeof(dir), "cpu/cpu%u", cpu);
	if (!rc)
		rc = get_int(s, dir, "cpu_capacity", &capacity);
	if (!rc && (capacity < 1 || capacity > MACHINE_CAPACITY_MAX))
		rc = BAD(s, "expected a capacity from 1 to %d", MACHINE_CAPACITY_MAX);
	if (!rc)
		rc = get_int(s, dir, "acpi_cppc/highest_perf", &priority);
	c->capacity = (unsigned)capacity;
	c->priority = priority > 0 ? (unsigned)priority : 0;
	return rc ? rc : read_caches(s, cpu);
}

/* One number for each node that is online, in ascending order. */
static int read_distances(struct sysfs *s, unsigned from)
{
	struct machine_span row, word;
	unsigned n = 0;
	unsigned long d;
	int rc = get(s, "node/node%d/distance", s->m->nodes[from].id);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	row = (struct machine_span){ s->buf, strlen(s->buf) };
	while (machine_next_word(&row, &word)) {
		if (n == s->m->nr_nodes || machine_parse_uint(word.p, word.len, 1000, &d))
			return BAD(s, "expected %u distances, found \"%.60s\"", s->m->nr_nodes,
				   s->buf);
		s->m->distance[from * s->m->nr_nodes + n++] = (unsigned)d;
	}
	return n == s->m->nr_nodes ? 0 : BAD(s, "expected %u distances, found %u",
					     s->m->nr_nodes, n);
}

static int read_node(struct sysfs *s, unsigned id, hwloc_const_bitmap_t with_memory)
{
	char dir[32], a[64];
	int rc;

	snprintf(dir, sizeof(dir), "node/node%u", id);
	rc = get_cpus(s, dir, "cpulist", "cpumap");
	if (rc == -ENOENT)
		rc = BAD(s, "no such file, and no cpulist");
	if (rc)
		return rc;
	if (hwloc_bitmap_intersects(s->set, s->taken)) {
		hwloc_bitmap_and(s->set, s->set, s->taken);
		return BAD(s, "CPUs %s are in another node too; Linux has one node for each CPU",
			   machine_set_text(s->set, a, sizeof(a)));
	}
	hwloc_bitmap_or(s->taken, s->taken, s->set);
	rc = machine_add_node(s->m, (int)id, hwloc_bitmap_isset(with_memory, id), s->set);
	return rc ? machine_nomem(s->t.err) : 0;
}

static int read_nodes(struct sysfs *s)
{
	hwloc_bitmap_t ids = hwloc_bitmap_alloc(), memory = hwloc_bitmap_alloc();
	unsigned id, i;
	int rc = ids && memory ? 0 : machine_nomem(s->t.err);

	snprintf(s->path, sizeof(s->path), "%sdevices/system/node", s->t.sys);
	if (!rc)
		rc = machine_tree_ids(&s->t, s->path, "node", MACHINE_NODES_MAX - 1, ids);
	if (rc == -ENOENT)
		rc = 0;
	if (!rc)
		rc = get(s, "node/has_memory");
	if (rc == -ENOENT)
		rc = hwloc_bitmap_copy(memory, ids) ? machine_nomem(s->t.err) : 0;
	else if (!rc)
		rc = parse_cpus(s, true) ? -EINVAL : hwloc_bitmap_copy(memory, s->set);
	hwloc_bitmap_zero(s->taken);
	for (id = 0; !rc && id < MACHINE_NODES_MAX; id++)
		if (hwloc_bitmap_isset(ids, id))
			rc = read_node(s, id, memory);
	if (!rc && s->m->nr_nodes)
		rc = machine_alloc_distance(s->m) ? machine_nomem(s->t.err) : 0;
	for (i = 0; !rc && i < s->m->nr_nodes; i++)
		rc = read_distances(s, i);
	hwloc_bitmap_free(ids);
	hwloc_bitmap_free(memory);
	return rc;
}

/* X86_FEATURE_HYBRID_CPU is printed nowhere; but big and small cores differ in their L1. */
static bool is_hybrid(const struct machine *m)
{
	const struct machine_cache *l1;
	uint64_t size = 0;
	unsigned cpu;

	if (m->vendor != MACHINE_VENDOR_INTEL)
		return false;
	hwloc_bitmap_foreach_begin(cpu, m->online)
		l1 = machine_level_cache(&m->cpus[cpu], 1);
		if (l1 && size && l1->size != size)
			return true;
		size = l1 ? l1->size : size;
	hwloc_bitmap_foreach_end();
	return false;
}

static int read_machine(struct sysfs *s, hwloc_bitmap_t possible, hwloc_bitmap_t online)
{
	unsigned cpu;
	int rc = read_masks(s, possible, online);

	if (rc)
		return rc;
	s->m = machine_new(s->t.name, MACHINE_FROM_SYSFS,
			   (unsigned)hwloc_bitmap_last(possible) + 1);
	if (!s->m || hwloc_bitmap_copy(s->m->possible, possible) ||
	    hwloc_bitmap_copy(s->m->online, online))
		return machine_nomem(s->t.err);
	rc = read_mask(s, "present", s->m->present, s->dirs);
	if (!rc)
		rc = read_mask(s, "isolated", s->m->isolated, s->m->isolated);
	if (!rc)
		rc = machine_tree_arch(&s->t, s->m);
	hwloc_bitmap_foreach_begin(cpu, online)
		if (!rc)
			rc = read_cpu(s, cpu);
	hwloc_bitmap_foreach_end();
	if (!rc)
		rc = read_nodes(s);
	if (rc)
		return rc;
	s->m->hybrid = is_hybrid(s->m);
	return machine_finish(s->m, s->t.err);
}

int machine_read_sysfs(const char *name, const char *dir, struct machine **out,
		       struct machine_error *err)
{
	struct sysfs *s = calloc(1, sizeof(*s));
	hwloc_bitmap_t possible = hwloc_bitmap_alloc(), online = hwloc_bitmap_alloc();
	int rc;

	if (s) {
		s->set = hwloc_bitmap_alloc();
		s->dirs = hwloc_bitmap_alloc();
		s->taken = hwloc_bitmap_alloc();
	}
	if (!s || !s->set || !s->dirs || !s->taken || !possible || !online) {
		rc = machine_nomem(err);
	} else {
		s->t = (struct machine_tree){ .name = name, .sys = "sys/", .err = err };
		rc = machine_tree_open(&s->t, dir);
		if (!rc) {
			if (!machine_tree_exists(&s->t, "sys/devices/system/cpu"))
				s->t.sys = "";
			rc = read_machine(s, possible, online);
			machine_tree_close(&s->t);
		}
	}
	if (s && rc)
		machine_free(s->m);
	else if (s)
		*out = s->m;
	hwloc_bitmap_free(possible);
	hwloc_bitmap_free(online);
	if (s) {
		hwloc_bitmap_free(s->set);
		hwloc_bitmap_free(s->dirs);
		hwloc_bitmap_free(s->taken);
	}
	free(s);
	return rc;
}
