/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subcommands: each is one file that parses its arguments, calls, prints, and
 * returns the exit status. argv[0] is the subcommand's name; getopt is fresh.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdint.h>

enum cmd_status {
	CMD_DONE = 0,
	CMD_FAILED = 1,		/* runtime or I/O error */
	CMD_FAILS = 2,		/* it ran, and the verdict is "fails" */
	CMD_INCONCLUSIVE = 3,
	CMD_CANNOT = 4,		/* not possible here */
	CMD_USAGE = 129,
};

int cmd_convert(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_variants(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_whatif(int argc, char **argv);

enum cmd_format { CMD_TEXT, CMD_JSON, CMD_MARKDOWN };

/* Reads --format's argument; 0, or -EINVAL after a message. */
int cmd_format(const char *cmd, const char *text, enum cmd_format *out);

/* Points at the man page; returns CMD_USAGE. */
int cmd_usage(const char *cmd);
/* The same after saying what is wrong. */
int cmd_misused(const char *cmd, const char *why);
/* The same for what getopt_long() returned '?' for; opterr has to be 0. */
int cmd_bad_option(const char *cmd, char **argv);

/* "wakelab CMD: PLACE: TEXT" on stderr; place may be empty. */
void cmd_error(const char *cmd, const char *place, const char *text);

struct json_t;
/* A JSON string of any bytes: what isn't UTF-8 becomes \\xNN. NULL without memory. */
struct json_t *cmd_json_text(const char *text);

struct report_table;
/*
 * Prints a table and a blank line, and frees it. NULL is a table for which there was no
 * memory. 0, or -ENOMEM.
 */
int cmd_print_table(struct report_table *table, enum cmd_format format);

/* part of whole in %; 0 of nothing. */
double cmd_percent(uint64_t part, uint64_t whole);

/* Writes out what stdout holds; CMD_FAILED with a message if that fails, else status. */
int cmd_finish(const char *cmd, int status);

#endif
