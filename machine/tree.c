// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "machine/tree.h"

/*
 * The tree may come out of a hostile archive, so a link must not lead out of it. Kernels before
 * v5.6 have no openat2(); there no link is followed at the last step, which is where they occur.
 */
static int open_beneath(const struct machine_tree *t, const char *path, int flags)
{
	struct open_how how = { .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	long fd;

	flags |= O_CLOEXEC;
	if (!(flags & O_PATH))
		flags |= O_NONBLOCK | O_NOCTTY;
	how.flags = (unsigned)flags;
	fd = syscall(SYS_openat2, t->root, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS)
		fd = openat(t->root, path, flags | O_NOFOLLOW);
	return (int)fd;
}

int machine_tree_open(struct machine_tree *t, const char *dir)
{
	t->root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->root < 0) {
		int rc = -errno;

		return machine_fail(t->err, rc, t->name, "%s", strerror(-rc));
	}
	return 0;
}

void machine_tree_close(struct machine_tree *t)
{
	close(t->root);
}

bool machine_tree_exists(const struct machine_tree *t, const char *path)
{
	int fd = open_beneath(t, path, O_PATH);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int machine_tree_fail(const struct machine_tree *t, int rc, const char *path, const char *fmt, ...)
{
	char text[256], place[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(place, sizeof(place), "%.120s: %.120s", t->name, path);
	return machine_fail(t->err, rc, place, "%s", text);
}

/* Opening a device can do things; look before. */
static int open_regular(const struct machine_tree *t, const char *path)
{
	struct stat st;
	int fd;

	if (fstatat(t->root, path, &st, 0))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	fd = open_beneath(t, path, O_RDONLY);
	return fd < 0 ? -errno : fd;
}

int machine_tree_read(const struct machine_tree *t, const char *path, char *buf, size_t size)
{
	ssize_t n, len = 0;
	int fd = open_regular(t, path), rc;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return -ENOENT;
	if (fd == -EISDIR)
		return machine_tree_fail(t, -EINVAL, path, "expected a regular file");
	if (fd < 0)
		return machine_tree_fail(t, fd, path, "%s", strerror(-fd));
	do {
		n = read(fd, buf + len, size - 1 - (size_t)len);
		if (n > 0)
			len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	rc = n < 0 ? -errno : 0;
	close(fd);
	if (rc)
		return machine_tree_fail(t, rc, path, "%s", strerror(-rc));
	buf[len] = 0;
	if ((size_t)len == size - 1)
		return machine_tree_fail(t, -E2BIG, path, "more than %zu bytes", size - 2);
	len = (ssize_t)strlen(buf);
	while (len && strchr(" \t\r\n", buf[len - 1]))
		buf[--len] = 0;
	return 0;
}

static int take_id(const struct machine_tree *t, const char *path, const char *name,
		   const char *prefix, unsigned max, hwloc_bitmap_t ids)
{
	size_t n = strlen(prefix);
	unsigned long id;
	int rc;

	if (strncmp(name, prefix, n) || name[n] < '0' || name[n] > '9')
		return 0;
	rc = machine_parse_uint(name + n, strlen(name + n), max, &id);
	if (rc == -E2BIG)
		return machine_tree_fail(t, rc, path, "%.40s; expected numbers up to %u", name, max);
	if (rc)
		return 0; /* cpu0foo is none of ours */
	return hwloc_bitmap_set(ids, (unsigned)id) ? machine_nomem(t->err) : 0;
}

int machine_tree_ids(const struct machine_tree *t, const char *path, const char *prefix,
		     unsigned max, hwloc_bitmap_t ids)
{
	int fd = open_beneath(t, path, O_RDONLY | O_DIRECTORY), rc = 0;
	struct dirent *e;
	DIR *dir;

	hwloc_bitmap_zero(ids);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0) {
		rc = -errno;
		return machine_tree_fail(t, rc, path, "%s", strerror(-rc));
	}
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return machine_nomem(t->err);
	}
	while (!rc && (e = readdir(dir)))
		rc = take_id(t, path, e->d_name, prefix, max, ids);
	closedir(dir);
	return rc;
}

/* "key<blanks>: value" anywhere in cpuinfo; the first wins. */
static bool value_of(const char *text, const char *key, char *out, size_t size)
{
	struct machine_span all = { text, strlen(text) }, line, value;
	size_t n = strlen(key);
	const char *colon;

	while (machine_next_line(&all, &line)) {
		if (line.len <= n || memcmp(line.p, key, n) || !strchr(" \t:", line.p[n]))
			continue;
		colon = memchr(line.p, ':', line.len);
		if (!colon)
			continue;
		value.p = colon + 1;
		value.len = line.len - (size_t)(colon + 1 - line.p);
		while (value.len && strchr(" \t", *value.p)) {
			value.p++;
			value.len--;
		}
		snprintf(out, size, "%.*s", (int)value.len, value.p);
		return true;
	}
	return false;
}

static enum machine_arch arch_by_name(const char *name)
{
	if (!strncmp(name, "x86", 3) || (name[0] == 'i' && !strcmp(name + 2, "86")))
		return MACHINE_X86;
	if (!strcmp(name, "aarch64") || !strcmp(name, "arm64"))
		return MACHINE_ARM64;
	if (!strncmp(name, "ppc", 3) || !strncmp(name, "powerpc", 7))
		return MACHINE_POWERPC;
	return MACHINE_OTHER;
}

static void from_cpuinfo(const char *text, struct machine *m)
{
	char v[128];

	if (value_of(text, "vendor_id", v, sizeof(v))) {
		if (!strcmp(v, "GenuineIntel"))
			m->vendor = MACHINE_VENDOR_INTEL;
		if (!strcmp(v, "AuthenticAMD") || !strcmp(v, "HygonGenuine"))
			m->vendor = MACHINE_VENDOR_AMD;
		if (m->vendor || !strcmp(v, "CentaurHauls") || !strncmp(v, "  Shanghai", 10))
			m->arch = MACHINE_X86;
	}
	if (m->arch == MACHINE_X86 && value_of(text, "cpu family", v, sizeof(v)))
		m->family = (unsigned)strtoul(v, NULL, 10) % 1000;
	if (value_of(text, "CPU implementer", v, sizeof(v)))
		m->arch = MACHINE_ARM64;
	if (value_of(text, "cpu", v, sizeof(v)) && !strncmp(v, "POWER", 5)) {
		m->arch = MACHINE_POWERPC;
		m->family = (unsigned)strtoul(v + 5, NULL, 10) % 1000;
	}
}

/* The first CPUs tell; a whole cpuinfo of a big machine is larger than it is worth. */
#define CPUINFO_MAX (1u << 20)

int machine_tree_arch(const struct machine_tree *t, struct machine *m)
{
	char *text = malloc(CPUINFO_MAX), v[128];
	struct utsname un;
	int rc = text ? 0 : machine_nomem(t->err);

	if (!rc && *t->sys) {
		rc = machine_tree_read(t, "proc/cpuinfo", text, CPUINFO_MAX);
		if (!rc || rc == -E2BIG)
			from_cpuinfo(text, m);
		rc = rc == -ENOENT || rc == -E2BIG ? 0 : rc;
	}
	if (!rc && *t->sys && m->arch == MACHINE_OTHER) {
		rc = machine_tree_read(t, "proc/hwloc-nofile-info", text, CPUINFO_MAX);
		if (!rc && value_of(text, "Architecture", v, sizeof(v)))
			m->arch = arch_by_name(v);
		rc = rc == -ENOENT ? 0 : rc;
	}
	if (!rc && m->arch == MACHINE_OTHER && !strcmp(t->name, "self") && !uname(&un))
		m->arch = arch_by_name(un.machine);
	if (!rc && m->arch == MACHINE_OTHER &&
	    machine_note(m, "no architecture found: the generic topology table is used"))
		rc = machine_nomem(t->err);
	free(text);
	return rc;
}
