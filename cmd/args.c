// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/args.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

int cmd_is_variant(const char *arg)
{
	int version = arg[0] == 'v' && isdigit((unsigned char)arg[1]);

	return (version || !strncmp(arg, "tip-", 4)) && access(arg, F_OK);
}

int cmd_variants_of(const char *cmd, int argc, char **argv, struct cmd_records *out)
{
	size_t nr = (size_t)argc;

	out->variants = calloc(nr + 1, sizeof(*out->variants));
	if (!out->variants)
		return CMD_FAILED;
	for (size_t i = 0; i < nr; i++) {
		struct sched_variant_error err;

		if (sched_variant_parse(argv[i], &out->variants[i], &err)) {
			cmd_error(cmd, strchr(argv[i], '+') ? argv[i] : "", err.text);
			return CMD_USAGE;
		}
	}
	out->nr_variants = nr;
	return 0;
}

int cmd_records(const char *cmd, int argc, char **argv, size_t max_variants,
		struct cmd_records *out)
{
	struct trace_error err;
	int nr = argc;
	int status;

	while (nr > 0 && cmd_is_variant(argv[nr - 1]))
		nr--;
	if (!nr || (size_t)(argc - nr) > max_variants)
		return cmd_usage(cmd);
	status = cmd_variants_of(cmd, argc - nr, argv + nr, out);
	if (status)
		return status;
	if (trace_files((const char *const *)argv, (size_t)nr, &out->files, &out->nr, &err)) {
		cmd_error(cmd, err.place, err.text);
		return CMD_FAILED;
	}
	return 0;
}

void cmd_records_free(struct cmd_records *records)
{
	if (records->files)
		trace_files_free(records->files, records->nr);
	free(records->variants);
}
