// SPDX-License-Identifier: GPL-2.0-only
/* wakelab help CMD: the manual page, from the build if it isn't installed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

/* WAKELAB_MAN: where the pages lie in the source; WAKELAB_MANDIR: where they are installed. */
static const char *const folders[] = { WAKELAB_MANDIR "/man1", WAKELAB_MANDIR "/man5", WAKELAB_MAN };

static int find_page(const char *name, char *path, size_t size)
{
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		for (int section = 1; section <= 7; section++) {
			snprintf(path, size, "%s/wakelab%s%s.%d", folders[i], *name ? "-" : "", name,
				 section);
			if (!access(path, R_OK))
				return 0;
		}
	}
	return -ENOENT;
}

int cmd_help(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	char path[4096];

	if (argc > 2 || strchr(name, '/'))
		return cmd_misused("help", "one page, by the name of its command");
	if (find_page(name, path, sizeof(path))) {
		cmd_error("help", name, "there is no such page");
		return CMD_FAILED;
	}
	execlp("man", "man", "-l", path, (char *)NULL);
	/* No man-db: mandoc formats as well. */
	execlp("mandoc", "mandoc", "-Tutf8", "-a", path, (char *)NULL);
	cmd_error("help", path, "neither man nor mandoc is there to show it");
	return CMD_CANNOT;
}
