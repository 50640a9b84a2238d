// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine_load(): find out what a name or a file is, and hand it to its reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "machine/private.h"

/* The first line that is neither blank nor a comment decides. */
static bool first_words(const char *text, size_t len, struct machine_span *line)
{
	struct machine_span all = { text, len }, word, rest;

	while (machine_next_line(&all, line)) {
		rest = *line;
		if (machine_next_word(&rest, &word) && *word.p != '#') {
			*line = word;
			return true;
		}
	}
	return false;
}

int machine_load_text(const char *name, const char *text, size_t len, struct machine **out,
		      struct machine_error *err)
{
	struct machine_span word;

	if (!len)
		return machine_fail(err, -EINVAL, name, "the file is empty");
	if (!first_words(text, len, &word))
		return machine_fail_line(err, -EINVAL, name, 1,
					 "only blank lines and comments; expected a machine");
	if (*word.p == '<')
		return machine_read_xml(name, text, len, out, err);
	if (machine_span_is(word, "kernel"))
		return machine_read_recording(name, text, len, out, err);
	if (machine_span_is(word, "machine"))
		return machine_read_preset(name, text, len, out, err);
	if (*word.p >= '0' && *word.p <= '9')
		return machine_read_lscpu(name, text, len, out, err);
	return machine_fail_line(err, -EINVAL, name, 1,
				 "expected hwloc XML, lines of lscpu -p, machine.txt of a "
				 "recording, a preset, or a tar archive of a sysfs tree");
}

static int read_all(int fd, char *buf, size_t size, size_t *len)
{
	ssize_t n;

	*len = 0;
	while (*len < size) {
		n = read(fd, buf + *len, size - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		*len += (size_t)n;
	}
	return 0;
}

static int load_file(const char *path, int fd, size_t size, struct machine **out,
		     struct machine_error *err)
{
	char *buf;
	size_t len;
	int rc;

	if (size > MACHINE_TEXT_MAX)
		return machine_fail(err, -E2BIG, path, "%zu bytes; at most %u are read", size,
				    MACHINE_TEXT_MAX);
	buf = malloc(size ? size : 1);
	if (!buf)
		return machine_nomem(err);
	rc = read_all(fd, buf, size, &len);
	if (rc)
		machine_fail(err, rc, path, "%s", strerror(-rc));
	else if (machine_is_archive(buf, len))
		rc = machine_read_archive(path, out, err);
	else
		rc = machine_load_text(path, buf, len, out, err);
	free(buf);
	return rc;
}

/* A file is called by its own name, wherever it lies. A preset has said its name itself. */
static int rename_by_path(struct machine *m, const char *path)
{
	size_t len = strlen(path);
	const char *base;
	char *name;

	if (m->source == MACHINE_FROM_PRESET)
		return 0;
	while (len > 1 && path[len - 1] == '/')
		len--;
	base = memrchr(path, '/', len);
	base = base && len > 1 ? base + 1 : path;
	name = strndup(base, len - (size_t)(base - path));
	if (!name)
		return -ENOMEM;
	free(m->name);
	m->name = name;
	return 0;
}

static int load_path(const char *path, struct machine **out, struct machine_error *err)
{
	struct stat st;
	int fd, rc;

	/* O_NONBLOCK: a FIFO must not hold us before it is refused. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st)) {
		rc = -errno;
		machine_fail(err, rc, path, "%s", strerror(-rc));
	} else if (S_ISDIR(st.st_mode)) {
		rc = machine_read_folder(path, path, out, err);
	} else if (S_ISREG(st.st_mode)) {
		rc = load_file(path, fd, (size_t)st.st_size, out, err);
	} else {
		rc = machine_fail(err, -EINVAL, path, "expected a file or a folder");
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int load_preset(const char *name, struct machine **out, struct machine_error *err)
{
	char title[80];
	const char *text;
	size_t len;
	unsigned i;

	for (i = 0; machine_preset_name(i); i++) {
		if (strcmp(machine_preset_name(i), name))
			continue;
		text = machine_preset_text(i, &len);
		snprintf(title, sizeof(title), "preset:%s", name);
		return machine_read_preset(title, text, len, out, err);
	}
	return machine_fail(err, -ENOENT, name, "no such preset");
}

int machine_load(const char *path, struct machine **out, struct machine_error *err)
{
	struct machine *m;
	int rc;

	if (!strncmp(path, "preset:", 7))
		return load_preset(path + 7, out, err);
	if (!strncmp(path, "synthetic:", 10))
		return machine_read_synthetic(path + 10, out, err);
	if (!access(path, F_OK) || errno != ENOENT) {
		rc = load_path(path, &m, err);
		if (!rc && rename_by_path(m, path)) {
			machine_free(m);
			return machine_nomem(err);
		}
		if (!rc)
			*out = m;
		return rc;
	}
	if (!strcmp(path, "self"))
		return machine_read_sysfs("self", "/", out, err);
	rc = load_preset(path, out, err);
	if (rc == -ENOENT)
		machine_fail(err, rc, path, "no such file, folder or preset");
	return rc;
}
