// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: repeat N OUT FILE...
 *
 * Writes a native recording of N wake-ups: the FILEs', one file after the other,
 * from the beginning again when they are used up. They have to be of one machine
 * and to have the same columns. Prints how many CPUs that machine has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/replay.h"

struct repeat {
	struct trace_writer *writer;
	struct trace_head head;		/* of the first file; strings are our own */
	uint64_t left;
};

static int fits(const struct repeat *r, const struct trace_head *head)
{
	return head->nr_cpus == r->head.nr_cpus && head->machine_len == r->head.machine_len &&
	       !memcmp(head->machine, r->head.machine, head->machine_len) &&
	       !memcmp(head->columns, r->head.columns, sizeof(head->columns));
}

static int begin(struct repeat *r, const char *out, const struct trace_head *head,
		 struct trace_error *err)
{
	char *machine = malloc(head->machine_len + 1);

	if (!machine)
		return -1;
	memcpy(machine, head->machine, head->machine_len + 1);
	r->head = *head;
	r->head.machine = machine;
	return trace_create(out, head, &r->writer, err);
}

static int add_file(struct repeat *r, const char *out, const char *path, struct trace_error *err)
{
	struct trace_reader *reader;
	const struct trace_record *rec;
	int ret = trace_open(path, &reader, err);

	if (ret)
		return ret;
	if (trace_head(reader)->kind == TRACE_WAKEUPS) {
		if (!r->writer)
			ret = begin(r, out, trace_head(reader), err);
		else if (!fits(r, trace_head(reader))) {
			snprintf(err->place, sizeof(err->place), "%s", path);
			snprintf(err->text, sizeof(err->text), "another machine, or other columns");
			ret = -1;
		}
		while (!ret && r->left && (ret = trace_next(reader, &rec, err)) > 0) {
			ret = 0;
			if (!trace_is_wakeup(rec))
				continue;
			ret = trace_write(r->writer, rec, err);
			r->left--;
		}
	}
	trace_close(reader);
	return ret;
}

int main(int argc, char **argv)
{
	struct trace_error err = { .text = "out of memory" };
	struct repeat r = { 0 };
	int ret = 0;

	if (argc > 3)
		r.left = strtoull(argv[1], NULL, 10);
	if (!r.left) {
		fprintf(stderr, "usage: repeat N OUT FILE...\n");
		return 129;
	}
	while (!ret && r.left) {
		uint64_t before = r.left;

		for (int i = 3; i < argc && !ret && r.left; i++)
			ret = add_file(&r, argv[2], argv[i], &err);
		if (!ret && r.left == before) {
			snprintf(err.text, sizeof(err.text), "no wake-ups in any file");
			ret = -1;
		}
	}
	if (!ret)
		ret = trace_commit(r.writer, &err);
	else
		trace_abort(r.writer);
	if (!ret)
		printf("%u\n", r.head.nr_cpus);
	free((char *)r.head.machine);
	if (ret)
		fprintf(stderr, "repeat: %s%s%s\n", err.place, *err.place ? ": " : "", err.text);
	return !!ret;
}
