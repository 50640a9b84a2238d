// SPDX-License-Identifier: GPL-2.0-only
/* Lines PATH=TEXT are the files of a tree; ; in a text is a new line. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz_machine.h"

#define FILES_MAX 200

static bool harmless(const char *path)
{
	return *path && *path != '/' && strlen(path) < 200 && !strstr(path, "..") &&
	       !strstr(path, "//");
}

static void put(const char *dir, char *line)
{
	char path[300], *text = strchr(line, '='), *p;
	int fd;

	if (!text)
		return;
	*text++ = 0;
	if (!harmless(line))
		return;
	snprintf(path, sizeof(path), "%s/%s", dir, line);
	for (p = path + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(path, 0700);
	}
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	if (fd < 0)
		return;
	for (p = text; *p; p++)
		*p = *p == ';' ? '\n' : *p;
	if (write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

static void remove_all(const char *dir)
{
	char cmd[80];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	if (system(cmd))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/dev/shm/fuzz-machine-XXXXXX";
	struct machine_error err = { "", "" };
	struct machine *m = NULL;
	char *text, *line, *save;
	unsigned n = 0;
	int rc;

	text = size < 65536 ? strndup((const char *)data, size) : NULL;
	if (!text || !mkdtemp(dir)) {
		free(text);
		return 0;
	}
	for (line = strtok_r(text, "\n", &save); line && n++ < FILES_MAX;
	     line = strtok_r(NULL, "\n", &save))
		put(dir, line);
	rc = machine_read_folder("fuzz", dir, &m, &err);
	check_machine(rc, m, &err);
	remove_all(dir);
	free(text);
	return 0;
}
