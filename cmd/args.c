// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/args.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


static bool is_variant(const char *arg)
{
	int version = arg[0] == 'v' && isdigit((unsigned char)arg[1]);

	return (version || !strncmp(arg, "tip-", 4)) && access(arg, F_OK);
}

/* The same variant asked for twice is asked for once. */
static bool is_known(const struct cmd_records *records, const struct sched_variant *variant)
{
	for (size_t i = 0; i < records->nr_variants; i++) {
		if (!strcmp(records->variants[i].name, variant->name))
			return true;
	}
	return false;
}

int cmd_variants_of(const char *cmd, int argc, char **argv, struct cmd_records *out)
{
	size_t nr = (size_t)argc;

	out->variants = calloc(nr + 1, sizeof(*out->variants));
	if (!out->variants)
		return CMD_FAILED;
	for (size_t i = 0; i < nr; i++) {
		struct sched_variant *variant = &out->variants[out->nr_variants];
		struct sched_variant_error err;

		if (sched_variant_parse(argv[i], variant, &err)) {
			cmd_error(cmd, strchr(argv[i], '+') ? argv[i] : "", err.text);
			return CMD_USAGE;
		}
		out->nr_variants += !is_known(out, variant);
	}
	return 0;
}

static int read_options(int argc, char **argv, struct cmd_records *out)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "list", no_argument, NULL, 'l' },
		{ 0 },
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == '?')
			return cmd_bad_option(argv[0], argv);
		if (c == 'l')
			out->list = true;
		else if (cmd_format(argv[0], optarg, &out->format))
			return cmd_usage(argv[0]);
	}
	if (out->list && out->format != CMD_TEXT)
		return cmd_misused(argv[0], "--list has one format, CSV");
	return 0;
}

int cmd_records(int argc, char **argv, size_t min_variants, size_t max_variants,
		struct cmd_records *out)
{
	const char *cmd = argv[0];
	int status = read_options(argc, argv, out), nr = argc;
	struct trace_error err;

	if (status)
		return status;
	while (nr > optind && is_variant(argv[nr - 1]))
		nr--;
	if (nr == optind)
		return cmd_misused(cmd, "which recordings?");
	if ((size_t)(argc - nr) < min_variants)
		return cmd_misused(cmd, "which variant? It comes last, as v6.12");
	if ((size_t)(argc - nr) > max_variants)
		return cmd_misused(cmd, "one variant at the most");
	status = cmd_variants_of(cmd, argc - nr, argv + nr, out);
	if (status)
		return status;
	if (trace_files((const char *const *)argv + optind, (size_t)(nr - optind), &out->files,
			&out->nr, &err)) {
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
