// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "report/table.h"
#include "trace/replay.h"

#define NOTES_MAX	4096

/* One variant's decision and how it came about. */
struct account {
	struct sched_variant variant;
	struct wake_decision decision;
	struct sched_log log;
	bool recorded;			/* this is the recorded kernel's own variant */
};

struct run {
	enum cmd_format format;
	const char *path;
	uint64_t position;
	const struct trace_record *rec;
	const struct trace_head *head;
	struct account *accounts;
	size_t nr;
	uint64_t waker_load, wakee_load;	/* task_h_load() */
};

static int split_record(char *arg, struct run *run)
{
	char *hash = strrchr(arg, '#'), *end;

	if (!hash || hash == arg || hash[1] < '0' || hash[1] > '9')
		return -EINVAL;
	errno = 0;
	run->position = strtoull(hash + 1, &end, 10);
	if (*end || errno)
		return -EINVAL;
	*hash = 0;
	run->path = arg;
	return 0;
}

static int find_record(struct trace_reader *reader, struct run *run, struct trace_error *err)
{
	int ret;

	if (trace_head(reader)->kind != TRACE_WAKEUPS) {
		snprintf(err->place, sizeof(err->place), "%s", run->path);
		snprintf(err->text, sizeof(err->text), "holds hint writes, not wake-ups");
		return -EINVAL;
	}
	while ((ret = trace_next(reader, &run->rec, err)) > 0) {
		if (trace_position(reader) == run->position)
			return 0;
	}
	if (ret)
		return ret;
	snprintf(err->place, sizeof(err->place), "%s", run->path);
	snprintf(err->text, sizeof(err->text), "there is no record %" PRIu64, run->position);
	return -ENOENT;
}

static int decide(struct run *run, struct account *account, const struct sched_variant *variant,
		  struct trace_error *err)
{
	struct trace_replay *replay;
	int ret = trace_replay_create(run->head, variant, &replay, err);

	if (ret)
		return ret;
	account->recorded = !variant;
	account->variant = replay->variant;
	account->log.max = NOTES_MAX;
	account->log.notes = calloc(NOTES_MAX, sizeof(*account->log.notes));
	if (account->log.notes) {
		trace_replay_load(replay, run->rec);
		trace_replay_decide_log(replay, &account->log);
		account->decision = replay->decision;
		run->waker_load = replay->waker.load;
		run->wakee_load = replay->wakee.load;
		if (account->log.nr > NOTES_MAX)
			account->log.nr = NOTES_MAX;
	} else {
		ret = -ENOMEM;
	}
	trace_replay_free(replay);
	return ret;
}

static bool considered(const struct run *run, wake_u32 step)
{
	for (size_t i = 0; i < run->nr; i++) {
		for (size_t k = 0; k < run->accounts[i].log.nr; k++) {
			if (run->accounts[i].log.notes[k].step == step)
				return true;
		}
	}
	return false;
}

static void print_task(const char *who, const struct trace_task *t, uint64_t load)
{
	printf("%s: pid %d%s%s, load %" PRIu64 ", wakee_flips %u, recent_used_cpu %u, %u CPUs allowed\n",
	       who, t->pid, t->flags & TRACE_PF_KTHREAD ? " (kthread)" : "",
	       t->policy == TRACE_POLICY_IDLE ? " (SCHED_IDLE)" : "", load, t->wakee_flips,
	       t->recent_used_cpu, t->nr_allowed);
}

static void print_inputs(const struct run *run)
{
	const struct trace_record *rec = run->rec;

	printf("%s#%" PRIu64 ": a wake-up on CPU %u, prev %u, flags 0x%x%s; the kernel chose CPU %d\n",
	       run->path, run->position, rec->waker_cpu, rec->prev_cpu, rec->wake_flags,
	       rec->wake_flags & WAKE_WF_SYNC ? " (sync)" : "", rec->ret);
	print_task("waker", &rec->waker, run->waker_load);
	print_task("wakee", &rec->wakee, run->wakee_load);
	if (considered(run, WAKE_STEP_CORE) || considered(run, WAKE_STEP_SMT))
		printf("has_idle_cores: waker's LLC %d, prev's %d\n", rec->has_idle[TRACE_W],
		       rec->has_idle[TRACE_P]);
	if (rec->scan[TRACE_W] >= 0)
		printf("nr_idle_scan: waker's LLC %d, prev's %d\n", rec->scan[TRACE_W],
		       rec->scan[TRACE_P]);
	if (rec->scan_cost || rec->avg_idle)
		printf("waker's CPU: avg_idle %" PRIu64 " ns, wake_avg_idle %" PRIu64
		       " ns, avg_scan_cost %" PRIu64 " ns\n",
		       rec->avg_idle, rec->wake_avg_idle, rec->scan_cost);
}

static bool cpu_matters(const struct run *run, wake_u32 cpu)
{
	if (cpu == run->rec->waker_cpu || cpu == run->rec->prev_cpu)
		return true;
	for (size_t i = 0; i < run->nr; i++) {
		for (size_t k = 0; k < run->accounts[i].log.nr; k++) {
			if (run->accounts[i].log.notes[k].cpu == cpu)
				return true;
		}
	}
	return false;
}

static int print_cpus(const struct run *run)
{
	struct report_table *table =
		report_table_new("CPU,<state,nr_running,of them SCHED_IDLE,load,capacity");

	if (!table)
		return -ENOMEM;
	for (wake_u32 cpu = 0; cpu < run->head->nr_cpus; cpu++) {
		const struct trace_cpu *rq = &run->rec->cpu[cpu];

		if (!cpu_matters(run, cpu))
			continue;
		report_cell(table, "%u", cpu);
		report_cell(table, "%s", trace_mask_has(run->rec->idle, cpu) ? "idle" :
						 rq->flags & TRACE_CPU_TTWU_PENDING ?
						 "wake-up pending" : "busy");
		report_cell(table, "%u", rq->nr_running);
		report_cell(table, "%u", rq->h_nr_idle);
		report_cell(table, "%u", rq->load_avg);
		report_cell(table, "%u", rq->capacity);
	}
	return cmd_print_table(table, run->format);
}

static void add_note(struct report_table *table, const struct account *account, size_t k)
{
	const struct sched_note *note = &account->log.notes[k];

	if (k >= account->log.nr) {
		for (int i = 0; i < 4; i++)
			report_cell(table, "%s", "");
		return;
	}
	report_cell(table, "%s", cmd_step_text[note->step]);
	report_cell(table, "%s()", cmd_step_function[note->step]);
	report_cell(table, "%u", note->cpu);
	report_cell(table, "%s", cmd_verdict_text[note->verdict]);
}

static int print_steps(const struct run *run)
{
	char columns[512] = "";
	struct report_table *table;
	size_t rows = 0;

	for (size_t i = 0; i < run->nr; i++) {
		size_t len = strlen(columns);

		snprintf(columns + len, sizeof(columns) - len, "%s<%.120s,<function,CPU,<outcome",
			 i ? "," : "", run->accounts[i].variant.name);
		rows = rows > run->accounts[i].log.nr ? rows : run->accounts[i].log.nr;
	}
	table = report_table_new(columns);
	if (!table)
		return -ENOMEM;
	for (size_t k = 0; k < rows; k++) {
		for (size_t i = 0; i < run->nr; i++)
			add_note(table, &run->accounts[i], k);
	}
	return cmd_print_table(table, run->format);
}

static void print_budget(const struct wake_decision *d)
{
	if (d->budget)
		printf("; budget: %u CPUs, %u looked at", d->budget - 1,
		       d->spent < d->budget ? d->spent : d->budget - 1);
}

static int print_text(const struct run *run)
{
	int ret;

	print_inputs(run);
	ret = print_cpus(run);
	if (!ret)
		ret = print_steps(run);
	for (size_t i = 0; i < run->nr && !ret; i++) {
		const struct wake_decision *d = &run->accounts[i].decision;

		printf("%s: CPU %u: %s (%s()); wake_affine: %s; target %u; probes %u",
		       run->accounts[i].variant.name, d->cpu, cmd_reason_text[d->reason],
		       cmd_reason_function[d->reason], cmd_affine_text[d->affine], d->target,
		       d->probes);
		print_budget(d);
		puts((uint32_t)run->rec->ret == d->cpu ? "" : "; not the kernel's choice");
	}
	return ret;
}

static json_t *steps_json(const struct account *account)
{
	json_t *steps = json_array();

	for (size_t k = 0; k < account->log.nr; k++) {
		const struct sched_note *note = &account->log.notes[k];

		json_array_append_new(steps, json_pack("{ss ss si ss}", "step",
						       cmd_step_text[note->step], "function",
						       cmd_step_function[note->step], "cpu",
						       (int)note->cpu, "outcome",
						       cmd_verdict_text[note->verdict]));
	}
	return steps;
}

static json_t *account_json(const struct run *run, const struct account *account)
{
	const struct wake_decision *d = &account->decision;

	return json_pack("{ss sb si sb ss ss ss si si si si so}", "variant", account->variant.name,
			 "recorded_variant", account->recorded, "cpu", (int)d->cpu, "agrees",
			 (uint32_t)run->rec->ret == d->cpu, "branch", cmd_reason_text[d->reason],
			 "function", cmd_reason_function[d->reason], "wake_affine",
			 cmd_affine_text[d->affine], "target", (int)d->target, "probes",
			 (int)d->probes, "budget", d->budget ? (int)d->budget - 1 : -1, "spent",
			 (int)d->spent, "steps", steps_json(account));
}

static json_t *task_json(const struct trace_task *t, uint64_t load)
{
	return json_pack("{si sI sI si si sb si}", "pid", t->pid, "load", (json_int_t)load,
			 "wakee_flips", (json_int_t)t->wakee_flips, "recent_used_cpu",
			 (int)t->recent_used_cpu, "nr_allowed", (int)t->nr_allowed, "kthread",
			 !!(t->flags & TRACE_PF_KTHREAD), "policy", (int)t->policy);
}

static int print_json(const struct run *run)
{
	json_t *decisions = json_array(), *all;
	int ret;

	for (size_t i = 0; i < run->nr; i++)
		json_array_append_new(decisions, account_json(run, &run->accounts[i]));
	all = json_pack("{ss so sI si si si si so so so}", "schema", "wakelab.explain/1", "file",
			cmd_json_text(run->path), "record", (json_int_t)run->position, "waker_cpu",
			(int)run->rec->waker_cpu, "prev_cpu", (int)run->rec->prev_cpu, "flags",
			(int)run->rec->wake_flags, "kernel_cpu", (int)run->rec->ret, "waker",
			task_json(&run->rec->waker, run->waker_load), "wakee", task_json(&run->rec->wakee, run->wakee_load), "decisions",
			decisions);
	ret = !all || json_dumpf(all, stdout, JSON_INDENT(1)) ? -ENOMEM : 0;
	putchar('\n');
	json_decref(all);
	return ret;
}

static int explain(struct run *run, const struct cmd_records *asked, struct trace_error *err)
{
	struct trace_reader *reader;
	int ret = trace_open(run->path, &reader, err);

	if (ret)
		return ret;
	run->head = trace_head(reader);
	ret = find_record(reader, run, err);
	if (!ret && !trace_is_wakeup(run->rec)) {
		snprintf(err->place, sizeof(err->place), "%.200s#%" PRIu64, run->path,
			 run->position);
		snprintf(err->text, sizeof(err->text), "a fork or exec: it takes the slow path");
		ret = -EINVAL;
	}
	for (size_t i = 0; i <= asked->nr_variants && !ret; i++) {
		const struct sched_variant *variant = i ? &asked->variants[i - 1] : NULL;

		ret = decide(run, &run->accounts[run->nr], variant, err);
		run->nr += !ret;
	}
	if (!ret)
		ret = run->format == CMD_JSON ? print_json(run) : print_text(run);
	trace_close(reader);
	return ret;
}

int cmd_explain(int argc, char **argv)
{
	static const struct option options[] = { { "format", required_argument, NULL, 'f' }, { 0 } };
	struct cmd_records asked = { 0 };
	struct trace_error err = { .text = "out of memory" };
	struct run run = { 0 };
	int c, status;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == '?')
			return cmd_bad_option("explain", argv);
		if (cmd_format("explain", optarg, &run.format))
			return cmd_usage("explain");
	}
	if (optind >= argc || split_record(argv[optind], &run))
		return cmd_misused("explain", "which record? As FILE#NUMBER, from 0");
	status = cmd_variants_of("explain", argc - optind - 1, argv + optind + 1, &asked);
	run.accounts = calloc(asked.nr_variants + 1, sizeof(*run.accounts));
	if (!status && (!run.accounts || explain(&run, &asked, &err))) {
		cmd_error("explain", err.place, err.text);
		status = CMD_FAILED;
	}
	for (size_t i = 0; i < run.nr; i++)
		free(run.accounts[i].log.notes);
	free(run.accounts);
	cmd_records_free(&asked);
	return cmd_finish("explain", status);
}
