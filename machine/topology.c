// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwloc XML and synthetic strings, by libhwloc.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "machine/private.h"

#define TRY_SECONDS 30

static int foreign(const char *name, struct machine_error *err, const char *what)
{
	return machine_fail(err, -EINVAL, name, "hwloc refuses it: %s", what);
}

static const char *info(hwloc_obj_t obj, const char *key)
{
	return obj ? hwloc_obj_get_info_by_name(obj, key) : NULL;
}

static void read_arch(struct machine *m, hwloc_topology_t t)
{
	hwloc_obj_t root = hwloc_get_root_obj(t);
	hwloc_obj_t pkg = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
	const char *arch = info(root, "Architecture"), *vendor, *family;

	vendor = info(pkg, "CPUVendor");
	vendor = vendor ? vendor : info(root, "CPUVendor");
	family = info(pkg, "CPUFamilyNumber");
	family = family ? family : info(root, "CPUFamilyNumber");
	if (vendor && !strcmp(vendor, "GenuineIntel"))
		m->vendor = MACHINE_VENDOR_INTEL;
	if (vendor && (!strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine")))
		m->vendor = MACHINE_VENDOR_AMD;
	if (family)
		m->family = (unsigned)strtoul(family, NULL, 10) % 1000;
	if ((arch && (!strncmp(arch, "x86", 3) || !strcmp(arch, "i686"))) || m->vendor)
		m->arch = MACHINE_X86;
	else if (arch && (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64")))
		m->arch = MACHINE_ARM64;
	else if (arch && !strncmp(arch, "ppc", 3))
		m->arch = MACHINE_POWERPC;
}

static int take_cache(struct machine_cpu *c, hwloc_obj_t o)
{
	static const char types[] = { [HWLOC_OBJ_CACHE_UNIFIED] = 'U',
				      [HWLOC_OBJ_CACHE_DATA] = 'D',
				      [HWLOC_OBJ_CACHE_INSTRUCTION] = 'I' };
	unsigned type = (unsigned)o->attr->cache.type;

	return machine_add_cache(c, o->attr->cache.depth, type < 3 ? types[type] : 'U',
				 o->attr->cache.size, o->cpuset);
}

/* Everything a CPU has is above it in the tree. */
static int take_cpu(struct machine *m, hwloc_obj_t pu)
{
	struct machine_cpu *c = &m->cpus[pu->os_index];
	hwloc_obj_t o;
	int rc = 0;

	hwloc_bitmap_set(m->online, pu->os_index);
	for (o = pu->parent; o && !rc; o = o->parent) {
		if (o->type == HWLOC_OBJ_CORE) {
			c->core = o->os_index == HWLOC_UNKNOWN_INDEX ? -1 : (int)o->os_index;
			rc = hwloc_bitmap_copy(c->smt, o->cpuset);
		} else if (o->type == HWLOC_OBJ_PACKAGE) {
			c->package = o->os_index == HWLOC_UNKNOWN_INDEX ? (int)o->logical_index
									: (int)o->os_index;
			rc = hwloc_bitmap_copy(c->pkg, o->cpuset);
		} else if (o->type == HWLOC_OBJ_DIE) {
			c->die = (int)o->os_index;
		} else if (hwloc_obj_type_is_cache(o->type)) {
			rc = take_cache(c, o);
		} else if (o->type == HWLOC_OBJ_GROUP && o->subtype &&
			   !strcmp(o->subtype, "Cluster")) {
			rc = hwloc_bitmap_copy(c->cluster, o->cpuset);
		}
	}
	return rc;
}

static int take_nodes(struct machine *m, hwloc_topology_t t)
{
	hwloc_obj_t o = NULL;
	int rc;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o))) {
		rc = machine_add_node(m, (int)o->os_index, true, o->cpuset);
		if (rc)
			return rc;
	}
	return 0;
}

static bool fits(struct machine *m, const struct hwloc_distances_s *d)
{
	unsigned i;

	if (d->nbobjs != m->nr_nodes)
		return false;
	for (i = 0; i < d->nbobjs; i++)
		if (!d->objs[i] || machine_node_index(m, (int)d->objs[i]->os_index) < 0)
			return false;
	return true;
}

static int take_distances(struct machine *m, hwloc_topology_t t)
{
	struct hwloc_distances_s *d;
	unsigned nr = 1, i, j, a, b;

	if (machine_alloc_distance(m))
		return -ENOMEM;
	if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &nr, &d,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
	    !nr) {
		if (m->nr_nodes < 2)
			return 0;
		return machine_note(m, "no node distances given: %d between nodes is assumed",
				    MACHINE_DISTANCE_REMOTE);
	}
	if (!fits(m, d)) {
		hwloc_distances_release(t, d);
		return machine_note(m, "the node distances given are not of all nodes: %d is assumed",
				    MACHINE_DISTANCE_REMOTE);
	}
	for (i = 0; i < d->nbobjs; i++) {
		for (j = 0; j < d->nbobjs; j++) {
			a = (unsigned)machine_node_index(m, (int)d->objs[i]->os_index);
			b = (unsigned)machine_node_index(m, (int)d->objs[j]->os_index);
			m->distance[a * m->nr_nodes + b] = d->values[i * d->nbobjs + j] > 1000
								   ? 1000
								   : d->values[i * d->nbobjs + j];
		}
	}
	hwloc_distances_release(t, d);
	return 0;
}

static int fill(struct machine *m, hwloc_topology_t t, struct machine_error *err)
{
	hwloc_obj_t pu = NULL;
	int rc;

	hwloc_bitmap_copy(m->possible, hwloc_topology_get_complete_cpuset(t));
	hwloc_bitmap_copy(m->present, m->possible);
	read_arch(m, t);
	while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu))) {
		if (pu->os_index >= m->nr_cpu_ids)
			return foreign(m->name, err, "a PU outside the complete cpuset");
		rc = take_cpu(m, pu);
		if (rc == -E2BIG)
			return machine_fail(err, rc, m->name, "CPU %u has more than %d caches",
					    pu->os_index, MACHINE_CACHES_MAX);
		if (rc)
			return machine_nomem(err);
	}
	rc = take_nodes(m, t);
	if (rc == -E2BIG)
		return machine_fail(err, rc, m->name, "more than %d nodes", MACHINE_NODES_MAX);
	if (rc || take_distances(m, t))
		return machine_nomem(err);
	if (m->arch == MACHINE_OTHER &&
	    machine_note(m, "no architecture given: the generic topology table is used"))
		return machine_nomem(err);
	return machine_finish(m, err);
}

/* t is loaded. */
static int convert(const char *name, enum machine_source source, hwloc_topology_t t,
		   struct machine **out, struct machine_error *err)
{
	int last = hwloc_bitmap_last(hwloc_topology_get_complete_cpuset(t)), rc;
	struct machine *m;

	if (last < 0)
		return foreign(name, err, "it has no CPUs, or no last one");
	if (last >= MACHINE_CPUS_MAX)
		return machine_fail(err, -E2BIG, name, "CPU %d; expected CPUs below %d", last,
				    MACHINE_CPUS_MAX);
	m = machine_new(name, source, (unsigned)last + 1);
	rc = m ? fill(m, t, err) : machine_nomem(err);
	if (rc)
		machine_free(m);
	else
		*out = m;
	return rc;
}

/* Gives hwloc what it is to load: XML or a synthetic string. */
struct input {
	bool xml;
	const char *text;
	int size; /* of XML, with the zero */
};

/* A topology of the input, or NULL. */
static hwloc_topology_t load(const struct input *in)
{
	hwloc_topology_t t;
	int rc;

	if (hwloc_topology_init(&t))
		return NULL;
	hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	rc = in->xml ? hwloc_topology_set_xmlbuffer(t, in->text, in->size)
		     : hwloc_topology_set_synthetic(t, in->text);
	if (!rc && !hwloc_topology_load(t))
		return t;
	hwloc_topology_destroy(t);
	return NULL;
}

static void __attribute__((noreturn)) try_and_exit(const struct input *in)
{
	struct rlimit none = { 0, 0 }, cpu = { TRY_SECONDS, TRY_SECONDS };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, 2);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &cpu);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	_exit(load(in) ? 0 : 1);
}

/* libhwloc 2.9 follows null pointers on some damaged files; so a child goes first. */
static int try_in_child(const char *name, const struct input *in, struct machine_error *err)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return machine_fail(err, -errno, name, "cannot fork: %s", strerror(errno));
	if (!pid)
		try_and_exit(in);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return machine_fail(err, -errno, name, "%s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		return foreign(name, err, in->xml ? "not a topology it can load"
						  : "expected its syntax, as \"node:2 core:4 pu:2\"");
	return foreign(name, err, "its parser fails on it");
}

static int read_input(const char *name, enum machine_source source, const struct input *in,
		      struct machine **out, struct machine_error *err)
{
	hwloc_topology_t t;
	int rc = try_in_child(name, in, err);

	if (rc)
		return rc;
	t = load(in);
	if (!t)
		return machine_nomem(err);
	rc = convert(source == MACHINE_FROM_XML ? name : "synthetic", source, t, out, err);
	hwloc_topology_destroy(t);
	return rc;
}

/*
 * hwloc 3 writes what we need just as hwloc 2 does, but its predecessors refuse the number.
 * Returns whether it had to be changed.
 */
static bool relabel(char *text)
{
	char *tag = strstr(text, "<topology"), *version, *end;

	if (HWLOC_API_VERSION >= 0x00030000 || !tag)
		return false;
	end = strchr(tag, '>');
	version = strstr(tag, "version=\"3.");
	if (!version || version > end)
		return false;
	version[strlen("version=\"")] = '2';
	return true;
}

int machine_read_xml(const char *name, const char *text, size_t len, struct machine **out,
		     struct machine_error *err)
{
	struct input in = { .xml = true, .size = (int)len + 1 };
	struct machine *m;
	bool newer;
	char *copy;
	int rc;

	rc = machine_check_xml(name, text, len, err);
	if (rc)
		return rc;
	copy = malloc(len + 1);
	if (!copy)
		return machine_nomem(err);
	memcpy(copy, text, len);
	copy[len] = 0;
	newer = relabel(copy);
	in.text = copy;
	rc = read_input(name, MACHINE_FROM_XML, &in, &m, err);
	free(copy);
	if (rc)
		return rc;
	if (newer && machine_note(m, "XML of hwloc 3, read as that of hwloc 2")) {
		machine_free(m);
		return machine_nomem(err);
	}
	*out = m;
	return 0;
}

/*
 * The product of all counts is the number of CPUs, and hwloc builds them all before one can
 * ask; so count first. Numbers inside (...) are sizes, except after "indexes=".
 */
static int check_synthetic(const char *s, struct machine_error *err)
{
	unsigned long count, product = 1;
	const char *p = s;
	bool inside = false, indexes = false;
	size_t n;

	while (*p) {
		if (*p == '(')
			inside = true;
		else if (*p == ')')
			inside = indexes = false;
		if (inside && !strncmp(p, "indexes=", 8))
			indexes = true;
		if (*p < '0' || *p > '9') {
			p++;
			continue;
		}
		n = strspn(p, "0123456789");
		if (!inside || indexes) {
			if (machine_parse_uint(p, n, MACHINE_CPUS_MAX, &count))
				return machine_fail(err, -E2BIG, "synthetic string",
						    "offset %zu: expected at most %d",
						    (size_t)(p - s), MACHINE_CPUS_MAX);
			if (!inside && (p == s || p[-1] == ':' || p[-1] == ' '))
				product *= count ? count : 1;
			if (product > MACHINE_CPUS_MAX)
				return machine_fail(err, -E2BIG, "synthetic string",
						    "offset %zu: more than %d CPUs",
						    (size_t)(p - s), MACHINE_CPUS_MAX);
		}
		p += n;
	}
	return 0;
}

int machine_read_synthetic(const char *string, struct machine **out, struct machine_error *err)
{
	struct input in = { .text = string };
	int rc;

	if (strlen(string) > 65536)
		return machine_fail(err, -E2BIG, "synthetic string", "more than 65536 bytes");
	rc = check_synthetic(string, err);
	return rc ? rc : read_input("synthetic string", MACHINE_FROM_SYNTHETIC, &in, out, err);
}
