// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct command {
	const char *name, *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "verify", "does the wake path choose what a recorded kernel chose?", cmd_verify },
	{ "whatif", "what would another version or a proposal have chosen?", cmd_whatif },
	{ "explain", "why did a recorded wake-up go where it went?", cmd_explain },
	{ "sim", "what would a load do on that machine, and why?", cmd_sim },
	{ "variants", "the versions and proposals there are", cmd_variants },
	{ "machine", "what Linux makes of a machine: its scheduling domains", cmd_machine },
	{ "convert", "recordings from CSV to wakelab's format and back", cmd_convert },
	{ "help", "the manual page of a command", cmd_help },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_commands(FILE *to)
{
	fputs("usage: wakelab COMMAND [ARGUMENTS]\n\n", to);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
	fputs("\nwakelab help COMMAND shows its manual page.\n", to);
}

static int print_version(void)
{
	puts("wakelab " WAKELAB_VERSION);
	puts("input: hwloc, jansson, zlib, zstd; output: jansson, protobuf-c");
	return cmd_finish("wakelab", CMD_DONE);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_commands(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--version"))
		return print_version();
	if (!strcmp(argv[1], "--help")) {
		print_commands(stdout);
		return cmd_finish("wakelab", CMD_DONE);
	}
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		if (argc == 3 && !strcmp(argv[2], "--help"))
			return cmd_help(2, (char *[]){ argv[0], argv[1], NULL });
		return commands[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "wakelab: %s is no command\n", argv[1]);
	print_commands(stderr);
	return CMD_USAGE;
}
