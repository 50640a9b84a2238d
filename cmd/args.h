/* SPDX-License-Identifier: GPL-2.0-only */
/* RECORDS... VARIANT...: what verify, whatif and explain take. */
#ifndef CMD_ARGS_H
#define CMD_ARGS_H

#include "trace/trace.h"
#include "sched/variant.h"

struct cmd_records {
	char **files;
	size_t nr;
	struct sched_variant *variants;
	size_t nr_variants;
};

/*
 * Splits arguments into recordings (files, folders) and variants: the last ones,
 * those that name no file and look like a version. 0, or an exit status after a
 * message; free in either case.
 */
int cmd_records(const char *cmd, int argc, char **argv, size_t max_variants,
		struct cmd_records *out);

/* The same where all arguments are variants. */
int cmd_variants_of(const char *cmd, int argc, char **argv, struct cmd_records *out);

void cmd_records_free(struct cmd_records *records);

/* Does this argument name a variant rather than a file? */
int cmd_is_variant(const char *arg);

#endif
