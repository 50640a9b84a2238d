// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads the wake path as BPF programs once for every kernel version, and prints
 * how many instructions the verifier walked:
 *
 *	load [-p] [-r ROW]... OBJECT...
 *	ROW LABEL PROGRAM INSNS, or ROW LABEL = ROW where the rules are those of another
 *
 * -p: the proposals too. An object is named wake.LABEL.o; its label begins with its
 * WAKE_NR_CPUS. The version is data: the loader writes its rules into the program's
 * read-only section before it loads, so that the verifier knows them and walks only
 * that version's branches.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/bpf/facts.h"
#include "wake/versions.h"

/* The kernel's BPF_LOG_*: totals (and the reason of a refusal), and every step. */
#define LOG_STATS 4
#define LOG_STEPS 1

#define LOG_SIZE (1 << 16)
#define LOG_TAIL 40		/* lines shown of a refusal */
#define MAX_PROGS 16
#define MAX_ONLY 64

/* The machine that the programs are tried on: two LLCs, in each c and c + 4 share a core. */
#define NR_CPUS 16
#define LLC_CPUS 8
#define WAKER_CPU 0
#define PREV_CPU 1
#define IDLE_CPU 3
#define MAX_WORDS 16

#define NR_SPANS 11
#define ALL_SPAN 10

static int core_span(int cpu)
{
	return cpu / LLC_CPUS * 4 + cpu % 4;
}

static int llc_span(int cpu)
{
	return 8 + cpu / LLC_CPUS;
}

/* A version, or a proposal in the version that it was written for. */
struct row {
	const char *name;
	struct wake_rules rules;
};

#define ROW(name, major, minor, stable, rules, source, changes) { name, { rules } },

/* Rows are differences from rows. */
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct row rows[] = {
	WAKE_VERSIONS(ROW)
	/* The code of a feature that is off is code the verifier never sees. */
	{ "v5.9+prev-idle=gated", { WAKE_V5_9, .prev_idle = WAKE_PREV_IDLE_GATED } },
	{ "v5.9+prev-idle=first", { WAKE_V5_9, .prev_idle = WAKE_PREV_IDLE_FIRST } },
	{ "v5.10+idle-cpumask=v4", { WAKE_V5_10, .idle_mask = WAKE_IDLE_MASK_V4 } },
	{ "v5.10+idle-cpumask=v6", { WAKE_V5_10, .idle_mask = WAKE_IDLE_MASK_V6 } },
	{ "v5.17+cluster-scan=v2", { WAKE_V5_17, .cluster = WAKE_CLUSTER_V2 } },
	{ "v6.0+cluster-scan=v7", { WAKE_V6_0, .cluster = WAKE_CLUSTER_V7 } },
	{ "v6.0+sis-core=p12", { WAKE_V6_0, .sis_core = WAKE_SIS_CORE_P12 } },
	{ "v6.0+sis-core=p123", { WAKE_V6_0, .sis_core = WAKE_SIS_CORE_P123 } },
	{ "v6.0+sis-core=v6", { WAKE_V6_0, .sis_core = WAKE_SIS_CORE_V6 } },
};

static int print(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

/* A copy of a section, to be changed and given to the object before it loads. */
static int put_section(struct bpf_object *object, const char *name, const void *data, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t whole;
	void *copy;
	int err;

	if (!map)
		return -ENOENT;
	whole = bpf_map__value_size(map);
	if (size > whole)
		return -EINVAL;
	copy = calloc(1, whole);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, size);
	err = bpf_map__set_initial_value(map, copy, whole);
	free(copy);
	return err;
}

/* Spans as the object of this size lays them out: struct wake_span. */
static int put_spans(struct bpf_object *object, int nr_cpus)
{
	size_t stride = 8 + 8 * ((nr_cpus + 63) / 64);
	char spans[NR_SPANS * (8 + 8 * MAX_WORDS)] = { 0 };
	wake_u64 bits[NR_SPANS] = { 0 };
	int i;

	for (i = 0; i < NR_CPUS; i++) {
		bits[core_span(i)] |= 1ULL << i;
		bits[llc_span(i)] |= 1ULL << i;
		bits[ALL_SPAN] |= 1ULL << i;
	}
	for (i = 0; i < NR_SPANS; i++) {
		wake_u32 weight = __builtin_popcountll(bits[i]);

		memcpy(spans + i * stride + 4, &weight, sizeof(weight));
		memcpy(spans + i * stride + 8, &bits[i], sizeof(bits[i]));
	}
	return put_section(object, ".data.spans", spans, NR_SPANS * stride);
}

static void describe_cpu(struct facts_cpu *cpu, int i)
{
	*cpu = (struct facts_cpu){
		.nr_running = i != IDLE_CPU,
		.idle = i == IDLE_CPU,
		.active = 1,
		.nr_smt = 2,
		.nr_domains = 3,
		.load = { 1024, 1024 },
		.capacity = 1024,
		.capacity_orig = 1024,
		.avg_idle = 1000000,
		.smt = { core_span(i) / 4 * LLC_CPUS + core_span(i) % 4 },
		.domain_span = { core_span(i), llc_span(i), ALL_SPAN },
		.domain_affine = { 1, 1, 1 },
		.domain_pct = { 110, 117, 117 },
		.llc_size = LLC_CPUS,
		.llc = i / LLC_CPUS,
		.llc_span = llc_span(i),
		.cluster_span = FACTS_NO_SPAN,
		.llc_group = FACTS_NO_SPAN,
		.asym_span = FACTS_NO_SPAN,
		.node_span = ALL_SPAN,
	};
	cpu->smt[1] = cpu->smt[0] + 4;
	if (i == IDLE_CPU)
		memset(cpu->load, 0, sizeof(cpu->load));
}

/* A machine on which all CPUs but one are busy, and an ordinary wake-up. */
static int describe(struct bpf_object *object, int nr_cpus)
{
	static const struct facts_rest rest = {
		.max_capacity = 1024, .waker_load = 1024, .wakee_load = 1024,
		.uclamp_max = 1024, .jiffies = 1000, .hz = 250, .smt_active = 1,
		.waker_in_task = 1, .waker_nr_allowed = NR_CPUS, .nr_allowed = NR_CPUS,
	};
	wake_u64 allowed = (1 << NR_CPUS) - 1;
	struct facts_cpu facts[NR_CPUS];
	int i, err;

	for (i = 0; i < NR_CPUS; i++)
		describe_cpu(&facts[i], i);
	err = put_section(object, ".data.facts", facts, sizeof(facts));
	err = err ?: put_section(object, ".data.rest", &rest, sizeof(rest));
	err = err ?: put_section(object, ".data.allowed", &allowed, sizeof(allowed));
	return err ?: put_spans(object, nr_cpus);
}

static int call(struct bpf_object *object, const char *name, struct call *call)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);
	/* A syscall program's context comes back where it was. */
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = call, .ctx_size_in = sizeof(*call));
	int err = program ? bpf_prog_test_run_opts(bpf_program__fd(program), &opts) : -ENOENT;

	if (err)
		fprintf(stderr, "%s: cannot be run: %s\n", name, strerror(-err));
	return err;
}

/*
 * What happens on a machine before a wake-up, then the wake-up. Whatever the
 * version, it must find the one idle CPU, which shares prev's and the waker's LLC.
 */
static int try_out(struct bpf_object *object)
{
	static const struct {
		const char *name;
		struct call call;
	} before[] = {
		{ "domains_built", { .cpu = WAKER_CPU } },
		{ "llc_balance", { .cpu = WAKER_CPU, .weight = LLC_CPUS, .pct = 117 } },
		{ "fork", { .cpu = PREV_CPU, .value = 2 } },
		{ "idle_exit", { .cpu = WAKER_CPU, .value = 1000000 } },
		{ "pick_idle", { .cpu = IDLE_CPU } },
		{ "idle_enter", { .cpu = IDLE_CPU, .flags = 1 } },
		{ "tick", { .cpu = WAKER_CPU } },
	};
	struct call wake = { .cpu = WAKER_CPU, .prev = PREV_CPU };
	size_t i;
	int err;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		struct call step = before[i].call;

		err = call(object, before[i].name, &step);
		if (err)
			return err;
	}
	err = call(object, "select", &wake);
	if (err || wake.out.cpu == IDLE_CPU)
		return err;
	fprintf(stderr, "select: CPU %u (reason %u), and not %d\n", wake.out.cpu, wake.out.reason,
		IDLE_CPU);
	return -ERANGE;
}

static void print_tail(const char *log)
{
	const char *p = log + strlen(log);
	int lines = 0;

	while (p > log && lines <= LOG_TAIL)
		lines += *--p == '\n';
	fprintf(stderr, "%s\n", *p == '\n' ? p + 1 : p);
}

static char logs[MAX_PROGS][LOG_SIZE];

/* Loads all programs for one row; refused: the verifier's last steps. */
static int load(const char *path, const struct row *row, int nr_cpus, int level,
		struct bpf_object **out)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_program *program;
	int i = 0, err;

	if (!object)
		return -errno;
	err = put_section(object, ".rodata.rules", &row->rules, sizeof(row->rules));
	err = err ?: describe(object, nr_cpus);
	bpf_object__for_each_program(program, object) {
		logs[i][0] = '\0';
		bpf_program__set_log_buf(program, logs[i], LOG_SIZE);
		bpf_program__set_log_level(program, level);
		i += i < MAX_PROGS - 1;
	}
	err = err ?: bpf_object__load(object);
	if (err)
		bpf_object__close(object);
	else
		*out = object;
	return err;
}

static int refused(const char *path, const struct row *row, const char *label, int err)
{
	struct bpf_object *object;
	int i = MAX_PROGS - 1;

	fprintf(stderr, "%s, %s: not loaded: %s\n", row->name, label, strerror(-err));
	/* Every step of a walk that ends at the limit of steps takes long and says little. */
	if (err != -E2BIG && !load(path, row, atoi(label), LOG_STATS | LOG_STEPS, &object))
		bpf_object__close(object);
	while (i && !logs[i][0])
		i--;
	print_tail(logs[i]);
	return err;
}

static int print_counts(const struct row *row, const char *label, struct bpf_object *object)
{
	struct bpf_program *program;
	unsigned int insns;
	int i = 0;

	bpf_object__for_each_program(program, object) {
		const char *processed = strstr(logs[i++], "processed ");

		if (!processed || sscanf(processed, "processed %u insns", &insns) != 1) {
			fprintf(stderr, "%s: no count in the verifier's log\n", row->name);
			return -EPROTO;
		}
		printf("%s %s %s %u\n", row->name, label, bpf_program__name(program), insns);
	}
	return 0;
}

static int check(const char *path, const struct row *row, const char *label)
{
	struct bpf_object *object;
	int err = load(path, row, atoi(label), LOG_STATS, &object);

	if (err)
		return refused(path, row, label, err);
	err = print_counts(row, label, object);
	err = err ?: try_out(object);
	if (err)
		fprintf(stderr, "%s, %s: failed\n", row->name, label);
	bpf_object__close(object);
	return err;
}

static int with_proposals;
static const char *only[MAX_ONLY];
static int nr_only;

static int wanted(const struct row *row)
{
	int i;

	if (!with_proposals && strchr(row->name, '+'))
		return 0;
	for (i = 0; i < nr_only; i++)
		if (!strcmp(only[i], row->name))
			return 1;
	return !nr_only;
}

/* The first row with the same rules. */
static const struct row *original(const struct row *row)
{
	const struct row *other = rows;

	while (memcmp(&other->rules, &row->rules, sizeof(row->rules)))
		other++;
	return other;
}

static int check_object(const char *path)
{
	const char *dot = strchr(path, '.');
	char label[16];
	size_t i;

	if (!dot || sscanf(dot, ".%15[^.]", label) != 1 || atoi(label) < NR_CPUS ||
	    atoi(label) > MAX_WORDS * 64) {
		fprintf(stderr, "%s: not named after a number of CPUs\n", path);
		return -EINVAL;
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *same = original(&rows[i]);
		int err = 0;

		if (!wanted(&rows[i]))
			continue;
		if (same != &rows[i] && wanted(same))
			printf("%s %s = %s\n", rows[i].name, label, same->name);
		else
			err = check(path, &rows[i], label);
		fflush(stdout);
		if (err)
			return err;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0, option;

	while ((option = getopt(argc, argv, "pr:")) != -1) {
		if (option == 'p')
			with_proposals = 1;
		else if (option == 'r' && nr_only < MAX_ONLY)
			only[nr_only++] = optarg;
		else
			optind = argc;
	}
	if (optind >= argc) {
		fprintf(stderr, "usage: load [-p] [-r ROW]... OBJECT...\n");
		return 129;
	}
	libbpf_set_print(print);
	for (; optind < argc; optind++)
		failed |= check_object(argv[optind]) != 0;
	return failed;
}
