/* SPDX-License-Identifier: GPL-2.0-only */
/* RECORDS... VARIANT...: what verify, whatif and explain take. */
#ifndef CMD_ARGS_H
#define CMD_ARGS_H

#include "cmd/cmd.h"
#include "trace/trace.h"
#include "sched/variant.h"

struct cmd_records {
	char **files;
	size_t nr;
	struct sched_variant *variants;
	size_t nr_variants;
	enum cmd_format format;		/* --format */
	bool list;			/* --list */
};

/*
 * Reads the options of verify and whatif, then splits the arguments into
 * recordings (files, folders) and variants: the last ones, those that name no file
 * and look like a version, from min to max of them. 0, or an exit status after a
 * message; free in either case.
 */
int cmd_records(int argc, char **argv, size_t min_variants, size_t max_variants,
		struct cmd_records *out);

/* The same where all arguments are variants. */
int cmd_variants_of(const char *cmd, int argc, char **argv, struct cmd_records *out);

void cmd_records_free(struct cmd_records *records);

#endif
