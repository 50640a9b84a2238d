// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "report/table.h"
#include "trace/whatif.h"

#define TASKS_SHOWN	10
#define NR_CAUSES	(TRACE_CAUSE_RULES + sched_nr_rules)

struct run {
	struct cmd_records records;
	struct trace_changes *changes;	/* one for each recorded variant and each asked for */
	size_t nr;
	int status;
};

static void print_change(const struct trace_changes *changes, const struct trace_change *change)
{
	printf("%s,%" PRIu64 ",%s,%u,%u,%s,%s,", change->path, change->position,
	       changes->variant.name, change->base.cpu, change->variant.cpu,
	       cmd_reason_text[change->base.reason], cmd_reason_text[change->variant.reason]);
	for (size_t i = 0, n = 0; i < NR_CAUSES; i++) {
		if (change->causes >> i & 1)
			printf("%s%s", n++ ? "; " : "", trace_cause_text(i));
	}
	putchar('\n');
}

static struct trace_changes *find_changes(struct run *run, const char *base, const char *variant)
{
	struct trace_changes *bigger;

	for (size_t i = 0; i < run->nr; i++) {
		if (!strcmp(run->changes[i].base.name, base) &&
		    !strcmp(run->changes[i].variant.name, variant))
			return &run->changes[i];
	}
	bigger = reallocarray(run->changes, run->nr + 1, sizeof(*bigger));
	if (!bigger)
		return NULL;
	run->changes = bigger;
	memset(&bigger[run->nr], 0, sizeof(*bigger));
	return &bigger[run->nr++];
}

static int compare_file(struct run *run, const char *path, struct trace_error *err)
{
	struct sched_variant base;
	int ret = trace_recorded_variant(path, &base, err);

	for (size_t i = 0; i < run->records.nr_variants && !ret; i++) {
		const struct sched_variant *variant = &run->records.variants[i];
		struct trace_changes *changes = find_changes(run, base.name, variant->name);

		if (!changes)
			return -ENOMEM;
		changes->base = base;
		changes->variant = *variant;
		changes->each = run->records.list ? print_change : NULL;
		ret = trace_whatif(path, variant, changes, err);
	}
	return ret;
}

static void print_table(const struct run *run, struct report_table *table)
{
	if (cmd_print_table(table, run->records.format))
		cmd_error("whatif", "", strerror(ENOMEM));
}

static void print_causes(const struct run *run, const struct trace_changes *c)
{
	struct report_table *table = report_table_new("<rule that alone makes it,<here,<there,"
						      "decisions");

	for (size_t i = 0; i < NR_CAUSES && table; i++) {
		const struct sched_rule *rule = NULL;

		if (!c->differ[i] && !c->by_cause[i])
			continue;
		if (i >= TRACE_CAUSE_RULES)
			rule = &sched_rules[i - TRACE_CAUSE_RULES];
		report_cell(table, "%s", trace_cause_text(i));
		report_cell(table, "%s", rule ? sched_rule_value(rule, &c->base.rules) : "");
		report_cell(table, "%s", rule ? sched_rule_value(rule, &c->variant.rules) : "");
		report_cell(table, "%" PRIu64, c->by_cause[i]);
	}
	print_table(run, table);
}

static void print_pairs(const struct run *run, const char *title, size_t nr,
			const uint64_t *counts, const char *const *names)
{
	char columns[128];
	struct report_table *table;

	snprintf(columns, sizeof(columns), "<%s,<becomes,decisions", title);
	table = report_table_new(columns);
	for (size_t i = 0; i < nr * nr && table; i++) {
		if (!counts[i])
			continue;
		report_cell(table, "%s", names[i / nr]);
		report_cell(table, "%s", names[i % nr]);
		report_cell(table, "%" PRIu64, counts[i]);
	}
	print_table(run, table);
}

static int by_changes(const void *a, const void *b)
{
	const struct trace_task_changes *x = a, *y = b;

	if (x->changed != y->changed)
		return x->changed < y->changed ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void print_tasks(const struct run *run, const struct trace_changes *c)
{
	struct report_table *table = report_table_new("wakee's pid,wake-ups,changed");

	for (size_t i = 0; i < c->nr_tasks && i < TASKS_SHOWN && table; i++) {
		if (!c->tasks[i].changed)
			break;
		report_cell(table, "%d", c->tasks[i].pid);
		report_cell(table, "%" PRIu64, c->tasks[i].wakeups);
		report_cell(table, "%" PRIu64, c->tasks[i].changed);
	}
	print_table(run, table);
}

static void print_changes(const struct run *run, const struct trace_changes *c)
{
	if (!c->wakeups) {
		printf("recorded under %s, asked %s: no wake-up was decided\n\n", c->base.name,
		       c->variant.name);
		return;
	}
	printf("%srecorded under %s, asked %s: %" PRIu64 " of %" PRIu64
	       " wake-ups change (%.2f %%)\n",
	       run->records.format == CMD_MARKDOWN ? "## " : "", c->base.name, c->variant.name, c->changed,
	       c->wakeups, cmd_percent(c->changed, c->wakeups));
	printf("on an idle CPU: %.2f %%, then %.2f %%; probes a wake-up: %.3f, then %.3f\n",
	       cmd_percent(c->base_busy[TRACE_IDLE], c->wakeups),
	       cmd_percent(c->variant_busy[TRACE_IDLE], c->wakeups),
	       cmd_percent(c->base_probes, c->wakeups) / 100,
	       cmd_percent(c->variant_probes, c->wakeups) / 100);
	for (int i = 0; i < TRACE_NR_SUBSTITUTES; i++) {
		if (c->substitutes >> i & 1)
			printf("not recorded: %s\n", trace_substitute_text[i]);
	}
	putchar('\n');
	print_causes(run, c);
	if (!c->changed)
		return;
	print_pairs(run, "branch", WAKE_NR_REASONS, &c->by_reason[0][0], cmd_reason_text);
	print_pairs(run, "chosen CPU", TRACE_NR_BUSY, &c->by_busy[0][0], trace_busy_text);
	print_pairs(run, "distance from prev", SCHED_NR_DISTANCES, &c->by_distance[0][0],
		    sched_distance_text);
	print_tasks(run, c);
	printf("first: wakelab explain %s %s\n\n", c->example, c->variant.name);
}

static json_t *pairs_json(size_t nr, const uint64_t *counts, const char *const *names)
{
	json_t *list = json_array();

	for (size_t i = 0; i < nr * nr; i++) {
		if (counts[i])
			json_array_append_new(list, json_pack("{ss ss sI}", "from", names[i / nr],
							      "to", names[i % nr], "decisions",
							      (json_int_t)counts[i]));
	}
	return list;
}

static json_t *causes_json(const struct trace_changes *c)
{
	json_t *causes = json_object();

	for (size_t i = 0; i < NR_CAUSES; i++) {
		if (c->differ[i] || c->by_cause[i])
			json_object_set_new(causes, trace_cause_text(i),
					    json_integer((json_int_t)c->by_cause[i]));
	}
	return causes;
}

static json_t *tasks_json(const struct trace_changes *c)
{
	json_t *tasks = json_array();

	for (size_t i = 0; i < c->nr_tasks; i++) {
		if (c->tasks[i].changed)
			json_array_append_new(tasks, json_pack("{si sI sI}", "pid",
							       c->tasks[i].pid, "wakeups",
							       (json_int_t)c->tasks[i].wakeups,
							       "changed",
							       (json_int_t)c->tasks[i].changed));
	}
	return tasks;
}

static json_t *substitutes_json(const struct trace_changes *c)
{
	json_t *list = json_array();

	for (int i = 0; i < TRACE_NR_SUBSTITUTES; i++) {
		if (c->substitutes >> i & 1)
			json_array_append_new(list, json_string(trace_substitute_text[i]));
	}
	return list;
}

static json_t *changes_json(const struct trace_changes *c)
{
	return json_pack(
		"{ss ss sI sI so so so so so so sI sI so}", "recorded", c->base.name, "variant",
		c->variant.name, "wakeups", (json_int_t)c->wakeups, "changed",
		(json_int_t)c->changed, "not_recorded", substitutes_json(c), "rules", causes_json(c), "branches",
		pairs_json(WAKE_NR_REASONS, &c->by_reason[0][0], cmd_reason_text), "cpus",
		pairs_json(TRACE_NR_BUSY, &c->by_busy[0][0], trace_busy_text), "distances",
		pairs_json(SCHED_NR_DISTANCES, &c->by_distance[0][0], sched_distance_text), "tasks",
		tasks_json(c), "recorded_probes", (json_int_t)c->base_probes, "variant_probes",
		(json_int_t)c->variant_probes, "first", cmd_json_text(c->example));
}

static int print_json(const struct run *run)
{
	json_t *list = json_array(), *all;
	int ret;

	for (size_t i = 0; i < run->nr; i++)
		json_array_append_new(list, changes_json(&run->changes[i]));
	all = json_pack("{ss so}", "schema", "wakelab.whatif/1", "changes", list);
	ret = !all || json_dumpf(all, stdout, JSON_INDENT(1)) ? -ENOMEM : 0;
	putchar('\n');
	json_decref(all);
	return ret;
}

static int run_all(struct run *run)
{
	if (run->records.list)
		puts("file,record,variant,kernel_cpu,variant_cpu,kernel_branch,variant_branch,rules");
	for (size_t i = 0; i < run->records.nr; i++) {
		struct trace_error err = { 0 };
		int ret = compare_file(run, run->records.files[i], &err);

		if (ret == -ENOMEM)
			return ret;
		if (ret) {
			cmd_error("whatif", err.place, err.text);
			run->status = CMD_FAILED;
		}
	}
	if (run->records.list)
		return 0;
	for (size_t i = 0; i < run->nr; i++) {
		if (run->changes[i].nr_tasks)
			qsort(run->changes[i].tasks, run->changes[i].nr_tasks,
			      sizeof(*run->changes[i].tasks), by_changes);
	}
	if (run->records.format == CMD_JSON)
		return print_json(run);
	for (size_t i = 0; i < run->nr; i++)
		print_changes(run, &run->changes[i]);
	return 0;
}

int cmd_whatif(int argc, char **argv)
{
	struct run run = { 0 };
	int status = cmd_records(argc, argv, 1, SIZE_MAX, &run.records);

	if (!status && run_all(&run)) {
		cmd_error("whatif", "", strerror(ENOMEM));
		status = CMD_FAILED;
	}
	if (!status)
		status = run.status;
	for (size_t i = 0; i < run.nr; i++)
		trace_changes_free(&run.changes[i]);
	free(run.changes);
	cmd_records_free(&run.records);
	return cmd_finish("whatif", status);
}
