// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

int cmd_format(const char *cmd, const char *text, enum cmd_format *out)
{
	static const char *const names[] = { "text", "json", "markdown" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*out = (enum cmd_format)i;
			return 0;
		}
	}
	fprintf(stderr, "wakelab %s: no format %s: text, json or markdown\n", cmd, text);
	return -EINVAL;
}

int cmd_usage(const char *cmd)
{
	fprintf(stderr, "see: wakelab help %s\n", cmd);
	return CMD_USAGE;
}

void cmd_error(const char *cmd, const char *place, const char *text)
{
	fprintf(stderr, "wakelab %s: %s%s%s\n", cmd, place, *place ? ": " : "", text);
}

int cmd_finish(const char *cmd, int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "wakelab %s: standard output: %s\n", cmd, strerror(errno));
		return CMD_FAILED;
	}
	return status;
}
