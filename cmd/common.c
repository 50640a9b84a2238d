// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "report/table.h"

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

int cmd_misused(const char *cmd, const char *why)
{
	cmd_error(cmd, "", why);
	return cmd_usage(cmd);
}

int cmd_bad_option(const char *cmd, char **argv)
{
	fprintf(stderr, "wakelab %s: %s: no such option, or its value is missing\n", cmd,
		argv[optind - 1]);
	return cmd_usage(cmd);
}

struct json_t *cmd_json_text(const char *text)
{
	json_t *whole = json_string(text);
	char *escaped, *to;

	if (whole)
		return whole;
	escaped = malloc(4 * strlen(text) + 1);
	if (!escaped)
		return NULL;
	to = escaped;
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		to += sprintf(to, *p < 0x80 ? "%c" : "\\x%02x", *p);
	whole = json_string(escaped);
	free(escaped);
	return whole;
}

void cmd_error(const char *cmd, const char *place, const char *text)
{
	fprintf(stderr, "wakelab %s: %s%s%s\n", cmd, place, *place ? ": " : "", text);
}

int cmd_print_table(struct report_table *table, enum cmd_format format)
{
	int ret = table ? report_table_print(table, format == CMD_MARKDOWN, stdout) : -ENOMEM;

	report_table_free(table);
	putchar('\n');
	return ret;
}

double cmd_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

int cmd_finish(const char *cmd, int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "wakelab %s: standard output: %s\n", cmd, strerror(errno));
		return CMD_FAILED;
	}
	return status;
}
