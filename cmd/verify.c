// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/verify.h"
#include "cmd/words.h"
#include "report/table.h"
#include "trace/verify.h"

/* Fewer stable records than this don't cover a branch. */
#define COVERED 200

struct run {
	struct cmd_records records;
	struct trace_verified *files;	/* of records.files, in order */
	bool *done;			/* this one could be read */
	int status;
};

static const char *branch_name(int branch)
{
	static char text[80];

	if (branch < WAKE_NR_REASONS)
		return cmd_reason_text[branch];
	snprintf(text, sizeof(text), "wake_affine: %s", cmd_affine_text[branch - WAKE_NR_REASONS]);
	return text;
}

#define NR_BRANCHES (WAKE_NR_REASONS + WAKE_NR_AFFINES)

static const struct trace_tally *branch_tally(const struct trace_verified *v, int branch)
{
	return branch < WAKE_NR_REASONS ? &v->by_reason[branch] :
					  &v->by_affine[branch - WAKE_NR_REASONS];
}

static bool branch_possible(const struct wake_rules *rules, int branch)
{
	return branch >= WAKE_NR_REASONS || trace_reason_possible(rules, (enum wake_reason)branch);
}

/* Files up to the returned one were decided by the same variant of the same release. */
static size_t group_end(const struct run *run, size_t first)
{
	size_t i = first;

	while (i < run->records.nr && (!run->done[i] || !run->done[first] ||
				       (!strcmp(run->files[i].variant.name,
						run->files[first].variant.name) &&
					!strcmp(run->files[i].release, run->files[first].release))))
		i++;
	return i;
}

/* The load with the folder of its file, by which recordings of one load differ. */
static void add_load(struct report_table *table, const char *path, const char *load)
{
	const char *end = strrchr(path, '/'), *start = end;

	while (start && start > path && start[-1] != '/')
		start--;
	if (start)
		report_cell(table, "%.*s/%s", (int)(end - start), start, load);
	else
		report_cell(table, "%s", load);
}

static void add_load_row(struct report_table *table, const char *path,
			 const struct trace_verified *v)
{
	add_load(table, path, v->load);
	report_cell(table, "%" PRIu64, v->total.stable);
	report_cell(table, "%" PRIu64, v->total.stable_agree);
	report_cell(table, "%" PRIu64, v->total.unstable);
	report_cell(table, "%" PRIu64, v->total.unstable_agree);
	report_cell(table, "%" PRIu64, v->slow_path);
	report_cell(table, "%" PRIu64, v->events);
	report_cell(table, "%" PRIu64, v->events_agree);
}

static int print_loads(const struct run *run, size_t first, size_t end)
{
	struct report_table *table = report_table_new("<load,stable,agree,unstable,agree,"
						      "fork or exec,hint writes,agree");
	int ret;

	if (!table)
		return -ENOMEM;
	for (size_t i = first; i < end; i++) {
		if (run->done[i])
			add_load_row(table, run->records.files[i], &run->files[i]);
	}
	ret = report_table_print(table, run->records.format == CMD_MARKDOWN, stdout);
	report_table_free(table);
	return ret;
}

static void add_branch_row(const struct run *run, struct report_table *table, size_t first,
			   size_t end, int branch)
{
	const struct wake_rules *rules = &run->files[first].variant.rules;
	struct trace_tally sum = { 0 };

	for (size_t i = first; i < end; i++) {
		if (run->done[i])
			trace_tally_add(&sum, branch_tally(&run->files[i], branch));
	}
	if (!sum.stable && !sum.unstable &&
	    (run->records.format != CMD_MARKDOWN || !branch_possible(rules, branch)))
		return;
	report_cell(table, "%s", branch_name(branch));
	report_cell(table, "%" PRIu64, sum.stable);
	report_cell(table, "%" PRIu64, sum.stable_agree);
	report_cell(table, "%" PRIu64, sum.unstable);
	report_cell(table, "%" PRIu64, sum.unstable_agree);
	if (run->records.format == CMD_MARKDOWN)
		report_cell(table, "%s", sum.stable < COVERED ? "uncovered" : "");
}

static int print_branches(const struct run *run, size_t first, size_t end)
{
	struct report_table *table = report_table_new(
		run->records.format == CMD_MARKDOWN ? "<branch,stable,agree,unstable,agree,<coverage" :
					      "<branch,stable,agree,unstable,agree");
	int ret;

	if (!table)
		return -ENOMEM;
	for (int branch = 0; branch < NR_BRANCHES; branch++)
		add_branch_row(run, table, first, end, branch);
	ret = report_table_print(table, run->records.format == CMD_MARKDOWN, stdout);
	report_table_free(table);
	return ret;
}

static void print_example(const char *path, const struct trace_verified *v, int kind)
{
	const struct trace_mismatch *m = &v->example[kind];

	printf("%s differs in %" PRIu64 " stable decisions of %s\n", trace_difference_text[kind],
	       v->differences[kind], v->load);
	printf("  first: %s#%" PRIu64 ": waker's CPU %u, prev %u: kernel %d, here %u (%s)\n", path,
	       m->position, m->waker_cpu, m->prev_cpu, m->recorded, m->ours,
	       cmd_reason_text[m->reason]);
}

static void print_mismatches(const struct run *run, size_t i)
{
	const struct trace_verified *v = &run->files[i];

	for (int kind = 0; kind < TRACE_NR_DIFFERENCES; kind++) {
		if (v->differences[kind])
			print_example(run->records.files[i], v, kind);
	}
	if (v->events != v->events_agree)
		printf("hint writes differ in %" PRIu64 " events\n  first: %s#%" PRIu64
		       ", CPU %u\n",
		       v->events - v->events_agree, run->records.files[i],
		       v->event_example.position, v->event_example.waker_cpu);
}

static int print_group(const struct run *run, size_t first, size_t end)
{
	const struct trace_verified *v = &run->files[first];
	const char *blank = run->records.format == CMD_MARKDOWN ? "\n" : "";
	int ret;

	printf("%skernel %s, decided as %s\n%s", run->records.format == CMD_MARKDOWN ? "## " : "",
	       v->release, v->variant.name, blank);
	ret = print_loads(run, first, end);
	if (!ret) {
		putchar('\n');
		ret = print_branches(run, first, end);
	}
	for (size_t i = first; i < end; i++) {
		if (run->done[i])
			print_mismatches(run, i);
	}
	putchar('\n');
	return ret;
}

static struct trace_verified sum_all(const struct run *run)
{
	struct trace_verified sum = { 0 };

	for (size_t i = 0; i < run->records.nr; i++) {
		if (!run->done[i])
			continue;
		trace_tally_add(&sum.total, &run->files[i].total);
		sum.slow_path += run->files[i].slow_path;
		sum.events += run->files[i].events;
		sum.events_agree += run->files[i].events_agree;
		sum.probes += run->files[i].probes;
	}
	return sum;
}

static int verdict(const struct run *run, const struct trace_verified *sum)
{
	if (run->status)
		return run->status;
	if (sum->total.stable != sum->total.stable_agree || sum->events != sum->events_agree)
		return CMD_FAILS;
	return sum->total.stable || sum->events ? CMD_DONE : CMD_INCONCLUSIVE;
}

static int print_text(const struct run *run)
{
	struct trace_verified sum = sum_all(run);
	int status = verdict(run, &sum);

	for (size_t i = 0; i < run->records.nr;) {
		size_t end = group_end(run, i);

		while (i < end && !run->done[i])
			i++;
		if (i < end && print_group(run, i, end))
			return -ENOMEM;
		i = end;
	}
	printf("%" PRIu64 " of %" PRIu64 " stable wake-ups agree, %" PRIu64 " of %" PRIu64
	       " unstable ones; %" PRIu64 " of %" PRIu64 " hint writes; %" PRIu64
	       " forks and execs take the slow path and were not judged\n",
	       sum.total.stable_agree, sum.total.stable, sum.total.unstable_agree,
	       sum.total.unstable, sum.events_agree, sum.events, sum.slow_path);
	if (status == CMD_INCONCLUSIVE)
		puts("nothing stable to judge: inconclusive");
	return status;
}

static json_t *tally_json(const struct trace_tally *t)
{
	return json_pack("{sI sI sI sI}", "stable", (json_int_t)t->stable, "stable_agree",
			 (json_int_t)t->stable_agree, "unstable", (json_int_t)t->unstable,
			 "unstable_agree", (json_int_t)t->unstable_agree);
}

static json_t *differences_json(const struct trace_verified *v)
{
	json_t *list = json_array();

	for (int kind = 0; kind < TRACE_NR_DIFFERENCES; kind++) {
		const struct trace_mismatch *m = &v->example[kind];

		if (v->differences[kind])
			json_array_append_new(
				list, json_pack("{ss sI s{sI si si si si ss}}", "what",
						trace_difference_text[kind], "decisions",
						(json_int_t)v->differences[kind], "first", "record",
						(json_int_t)m->position, "waker_cpu", m->waker_cpu,
						"prev_cpu", m->prev_cpu, "kernel", m->recorded,
						"here", m->ours, "branch", cmd_reason_text[m->reason]));
	}
	return list;
}

static json_t *file_json(const char *path, const struct trace_verified *v)
{
	json_t *branches = json_object();

	for (int branch = 0; branch < NR_BRANCHES; branch++) {
		const struct trace_tally *tally = branch_tally(v, branch);

		if (tally->stable || tally->unstable)
			json_object_set_new(branches, branch_name(branch), tally_json(tally));
	}
	return json_pack("{so so ss ss so so sI sI sI sI sI so}", "file", cmd_json_text(path),
			 "load", cmd_json_text(v->load),
			 "release", v->release, "variant", v->variant.name, "wakeups",
			 tally_json(&v->total), "branches", branches, "slow_path",
			 (json_int_t)v->slow_path, "hint_writes", (json_int_t)v->events,
			 "hint_writes_agree", (json_int_t)v->events_agree, "median_ns",
			 (json_int_t)v->median, "probes", (json_int_t)v->probes, "differences",
			 differences_json(v));
}

static int print_json(const struct run *run)
{
	struct trace_verified sum = sum_all(run);
	int status = verdict(run, &sum);
	json_t *files = json_array(), *all;

	for (size_t i = 0; i < run->records.nr; i++) {
		if (run->done[i])
			json_array_append_new(files,
					      file_json(run->records.files[i], &run->files[i]));
	}
	all = json_pack("{ss si so so}", "schema", "wakelab.verify/1", "status", status, "wakeups",
			tally_json(&sum.total), "files", files);
	if (!all || json_dumpf(all, stdout, JSON_INDENT(1)))
		status = -ENOMEM;
	putchar('\n');
	json_decref(all);
	return status;
}

static void print_outcomes(const char *path, const struct trace_outcome *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		printf("%s,%" PRIu64 ",%s,%s,%s,", path, list[i].position,
		       list[i].stable ? "stable" : "unstable", cmd_reason_text[list[i].reason],
		       cmd_affine_text[list[i].affine]);
		for (int kind = 0, n = 0; kind < TRACE_NR_DIFFERENCES; kind++) {
			if (list[i].diff >> kind & 1)
				printf("%s%s", n++ ? "; " : "", trace_difference_text[kind]);
		}
		putchar('\n');
	}
}

static int verify_file(struct run *run, size_t i, struct trace_error *err)
{
	const struct sched_variant *variant =
		run->records.nr_variants ? &run->records.variants[0] : NULL;
	struct trace_outcome *list = NULL;
	size_t nr = 0;
	int ret = trace_verify(run->records.files[i], variant, &run->files[i],
			       run->records.list ? &list : NULL, &nr, err);

	if (!ret && run->records.list)
		print_outcomes(run->records.files[i], list, nr);
	free(list);
	return ret;
}

static int verify_all(struct run *run)
{
	struct trace_verified sum;

	run->files = calloc(run->records.nr, sizeof(*run->files));
	run->done = calloc(run->records.nr, sizeof(*run->done));
	if (!run->files || !run->done)
		return -ENOMEM;
	if (run->records.list)
		puts("file,record,stable,branch,wake_affine,differences");
	for (size_t i = 0; i < run->records.nr; i++) {
		struct trace_error err = { .text = "out of memory" };

		run->done[i] = !verify_file(run, i, &err);
		if (run->done[i])
			continue;
		cmd_error("verify", err.place, err.text);
		run->status = CMD_FAILED;
	}
	sum = sum_all(run);
	if (run->records.list)
		return verdict(run, &sum);
	return run->records.format == CMD_JSON ? print_json(run) : print_text(run);
}

/* Takes --state out of the arguments; was it there? */
static bool take_state(int *argc, char **argv)
{
	bool found = false;
	int to = 1;

	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--")) {
			while (i < *argc)
				argv[to++] = argv[i++];
			break;
		}
		if (!strcmp(argv[i], "--state"))
			found = true;
		else
			argv[to++] = argv[i];
	}
	*argc = to;
	argv[to] = NULL;
	return found;
}

int cmd_verify(int argc, char **argv)
{
	struct run run = { 0 };
	bool state = take_state(&argc, argv);
	int status = cmd_records(argc, argv, 0, 1, &run.records);

	if (!status && state && run.records.list)
		status = cmd_misused("verify", "--state has no --list");
	if (!status) {
		status = state ? cmd_verify_state(&run.records) : verify_all(&run);
		if (status < 0) {
			cmd_error("verify", "", strerror(-status));
			status = CMD_FAILED;
		}
	}
	free(run.files);
	free(run.done);
	cmd_records_free(&run.records);
	return cmd_finish("verify", status);
}
