// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "trace/conform.h"

struct run {
	const struct cmd_records *records;
	struct trace_conformed *files;	/* of records->files, in order */
	bool *done;			/* this one could be read */
	int status;
};

static uint64_t nr_unjudged(const struct trace_implied *implied)
{
	uint64_t nr = 0;

	for (int why = 0; why < TRACE_NR_UNJUDGED; why++)
		nr += implied->unjudged[why];
	return nr;
}

static void add(struct trace_implied *to, const struct trace_implied *from)
{
	to->agree += from->agree;
	to->differ += from->differ;
	to->changed += from->changed;
	for (int why = 0; why < TRACE_NR_UNJUDGED; why++)
		to->unjudged[why] += from->unjudged[why];
}

/* Of files first to end. */
static void sum(const struct run *run, size_t first, size_t end, struct trace_implied *out)
{
	memset(out, 0, TRACE_NR_IMPLICATIONS * sizeof(*out));
	for (size_t i = first; i < end; i++) {
		for (int what = 0; what < TRACE_NR_IMPLICATIONS && run->done[i]; what++)
			add(&out[what], &run->files[i].implied[what]);
	}
}

/* Files up to the returned one were recorded with the same kernel. */
static size_t group_end(const struct run *run, size_t first)
{
	const struct trace_conformed *group = &run->files[first];
	size_t i = first;

	while (i < run->records->nr &&
	       (!run->done[i] || (!strcmp(run->files[i].variant.name, group->variant.name) &&
				  !strcmp(run->files[i].release, group->release))))
		i++;
	return i;
}

static int print_implied(const struct run *run, const struct trace_implied *implied)
{
	struct report_table *table =
		report_table_new("<what,pairs,agree,of these changed,not judged");

	if (!table)
		return -ENOMEM;
	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		const struct trace_implied *i = &implied[what];

		if (!i->agree && !i->differ && !nr_unjudged(i))
			continue;
		report_cell(table, "%s", trace_implication_text[what]);
		report_cell(table, "%" PRIu64, i->agree + i->differ);
		report_cell(table, "%" PRIu64, i->agree);
		report_cell(table, "%" PRIu64, i->changed);
		report_cell(table, "%" PRIu64, nr_unjudged(i));
	}
	return cmd_print_table(table, run->records->format);
}

static int print_unjudged(const struct run *run, const struct trace_implied *implied)
{
	struct report_table *table = report_table_new("<what,not judged,<because");

	if (!table)
		return -ENOMEM;
	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		for (int why = 0; why < TRACE_NR_UNJUDGED; why++) {
			if (!implied[what].unjudged[why])
				continue;
			report_cell(table, "%s", trace_implication_text[what]);
			report_cell(table, "%" PRIu64, implied[what].unjudged[why]);
			report_cell(table, "%s", trace_unjudged_text[why]);
		}
	}
	return cmd_print_table(table, run->records->format);
}

static void print_mismatches(const struct run *run, size_t i)
{
	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		const struct trace_implied *implied = &run->files[i].implied[what];

		if (implied->differ)
			printf("%s: %" PRIu64 " pairs of %s differ\n"
			       "  first: %s#%" PRIu64 ": expected %" PRIu64 ", found %" PRIu64 "\n",
			       trace_implication_text[what], implied->differ, run->files[i].load,
			       run->records->files[i], implied->position, implied->expected,
			       implied->found);
	}
}

static int print_group(const struct run *run, size_t first, size_t end)
{
	struct trace_implied implied[TRACE_NR_IMPLICATIONS];
	bool markdown = run->records->format == CMD_MARKDOWN;
	uint64_t records = 0;
	size_t nr = 0, complete = 0;
	int ret;

	for (size_t i = first; i < end; i++) {
		if (!run->done[i])
			continue;
		nr++;
		complete += run->files[i].complete;
		records += run->files[i].records;
	}
	printf("%skernel %s, followed as %s\n%s", markdown ? "## " : "", run->files[first].release,
	       run->files[first].variant.name, markdown ? "\n" : "");
	printf("%" PRIu64 " records; %zu of %zu recordings are complete\n%s", records, complete, nr,
	       markdown ? "\n" : "");
	sum(run, first, end, implied);
	ret = print_implied(run, implied);
	for (size_t i = first; i < end; i++) {
		if (run->done[i])
			print_mismatches(run, i);
	}
	return ret;
}

static int verdict(const struct run *run, const struct trace_implied *all)
{
	uint64_t agree = 0, differ = 0;

	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		agree += all[what].agree;
		differ += all[what].differ;
	}
	if (run->status)
		return run->status;
	if (differ)
		return CMD_FAILS;
	return agree ? CMD_DONE : CMD_INCONCLUSIVE;
}

static int print_all(const struct run *run, const struct trace_implied *all, int nr_groups)
{
	bool markdown = run->records->format == CMD_MARKDOWN;
	uint64_t agree = 0, judged = 0, unjudged = 0;
	int ret = 0;

	if (nr_groups > 1) {
		printf("%sall\n%s", markdown ? "## " : "", markdown ? "\n" : "");
		ret = print_implied(run, all);
	}
	if (!ret && nr_groups)
		ret = print_unjudged(run, all);
	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		agree += all[what].agree;
		judged += all[what].agree + all[what].differ;
		unjudged += nr_unjudged(&all[what]);
	}
	printf("%" PRIu64 " of %" PRIu64 " pairs agree, %" PRIu64 " were not judged\n", agree,
	       judged, unjudged);
	if (!judged)
		puts("nothing to judge: inconclusive");
	return ret;
}

static int print_text(const struct run *run, const struct trace_implied *all)
{
	int status = verdict(run, all), nr_groups = 0;

	for (size_t i = 0; i < run->records->nr; nr_groups++) {
		size_t end;

		while (i < run->records->nr && !run->done[i])
			i++;
		if (i == run->records->nr)
			break;
		end = group_end(run, i);
		if (print_group(run, i, end))
			return -ENOMEM;
		i = end;
	}
	return print_all(run, all, nr_groups) ? -ENOMEM : status;
}

static json_t *implied_json(const struct trace_implied *implied)
{
	json_t *all = json_object();

	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		const struct trace_implied *i = &implied[what];
		json_t *unjudged = json_object();

		for (int why = 0; why < TRACE_NR_UNJUDGED; why++) {
			if (i->unjudged[why])
				json_object_set_new(unjudged, trace_unjudged_text[why],
						    json_integer((json_int_t)i->unjudged[why]));
		}
		json_object_set_new(all, trace_implication_text[what],
				    json_pack("{sI sI sI so}", "pairs",
					      (json_int_t)(i->agree + i->differ), "agree",
					      (json_int_t)i->agree, "changed",
					      (json_int_t)i->changed, "not_judged", unjudged));
	}
	return all;
}

static json_t *file_json(const char *path, const struct trace_conformed *file)
{
	return json_pack("{so so ss ss sI sb so}", "file", cmd_json_text(path), "load",
			 cmd_json_text(file->load), "release", file->release, "variant",
			 file->variant.name, "records", (json_int_t)file->records, "complete",
			 file->complete, "state", implied_json(file->implied));
}

static int print_json(const struct run *run, const struct trace_implied *all)
{
	int status = verdict(run, all);
	json_t *files = json_array(), *whole;

	for (size_t i = 0; i < run->records->nr; i++) {
		if (run->done[i])
			json_array_append_new(files, file_json(run->records->files[i],
							       &run->files[i]));
	}
	whole = json_pack("{ss si so so}", "schema", "wakelab.state/1", "status", status, "state",
			  implied_json(all), "files", files);
	if (!whole || json_dumpf(whole, stdout, JSON_INDENT(1)))
		status = -ENOMEM;
	putchar('\n');
	json_decref(whole);
	return status;
}

/* Files of hint writes have no calls; those are verify's. 1 if it is one. */
static int is_writers(const char *path)
{
	struct trace_reader *reader;
	int writers;

	if (trace_open(path, &reader, NULL))
		return 0;
	writers = trace_head(reader)->kind == TRACE_WRITERS;
	trace_close(reader);
	return writers;
}

static void conform_all(struct run *run)
{
	const struct cmd_records *records = run->records;
	const struct sched_variant *variant = records->nr_variants ? &records->variants[0] : NULL;

	for (size_t i = 0; i < records->nr; i++) {
		struct trace_error err = { .text = "out of memory" };

		if (is_writers(records->files[i]))
			continue;
		run->done[i] = !trace_conform(records->files[i], variant, &run->files[i], &err);
		if (run->done[i])
			continue;
		cmd_error("verify", err.place, err.text);
		run->status = CMD_FAILED;
	}
}

int cmd_verify_state(const struct cmd_records *records)
{
	struct run run = {
		.records = records,
		.files = calloc(records->nr, sizeof(*run.files)),
		.done = calloc(records->nr, sizeof(*run.done)),
	};
	struct trace_implied all[TRACE_NR_IMPLICATIONS];
	int status = -ENOMEM;

	if (run.files && run.done) {
		conform_all(&run);
		sum(&run, 0, records->nr, all);
		status = records->format == CMD_JSON ? print_json(&run, all) :
						       print_text(&run, all);
	}
	free(run.files);
	free(run.done);
	return status;
}
