// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/machine_costs.h"

struct options {
	enum cmd_format format;
	struct machine_kernel kernel;
	bool kernel_given, no_cluster, summary, costs;
	long cpu; /* -1: all */
	const char *arch, *card, *isolate, *offline;
};

struct view {
	const struct machine *m;
	const struct machine_domains *d;
	const struct options *o;
};

#define ALL_FLAGS 16

static char *set_text(hwloc_const_bitmap_t set)
{
	char *text = NULL;

	return hwloc_bitmap_list_asprintf(&text, set) < 0 ? NULL : text;
}

static void print_set(hwloc_const_bitmap_t set)
{
	char *text = set_text(set);

	fputs(text ? text : "?", stdout);
	free(text);
}

static void print_flags(const struct view *v, unsigned flags)
{
	const char *sep = "";

	/* SD_LOAD_BALANCE, the one that went, stood first. */
	if (flags & MACHINE_SD_LOAD_BALANCE) {
		fputs(machine_sd_flag_name(MACHINE_SD_LOAD_BALANCE, &v->o->kernel), stdout);
		sep = " ";
	}
	for (unsigned bit = 1; bit < MACHINE_SD_LOAD_BALANCE; bit <<= 1) {
		if (!(flags & bit))
			continue;
		printf("%s%s", sep, machine_sd_flag_name(bit, &v->o->kernel));
		sep = " ";
	}
}

static void print_index(const char *name, unsigned cpu, int index)
{
	printf("cpu%u/%s:", cpu, name);
	if (index < 0)
		puts("none");
	else
		printf("domain%d\n", index);
}

static bool has_group_flags(const struct view *v)
{
	const struct machine_kernel *k = &v->o->kernel;

	return k->major > 5 || k->minor >= 16;
}

/* The files of /sys/kernel/debug/sched/domains in alphabetical order, then what has no file. */
static void print_domain(const struct view *v, unsigned cpu, unsigned i)
{
	const struct machine_domain *sd = &v->d->cpus[cpu].sd[i];
	char at[40];

	snprintf(at, sizeof(at), "cpu%u/domain%u", cpu, i);
	printf("%s/busy_factor:%u\n", at, sd->busy_factor);
	printf("%s/cache_nice_tries:%u\n", at, sd->cache_nice_tries);
	printf("%s/flags:", at);
	print_flags(v, sd->flags);
	if (has_group_flags(v)) {
		printf("\n%s/groups_flags:", at);
		print_flags(v, sd->groups_flags);
	}
	printf("\n%s/imbalance_pct:%u\n", at, sd->imbalance_pct);
	printf("%s/max_interval:%u\n", at, sd->max_interval);
	printf("%s/min_interval:%u\n", at, sd->min_interval);
	printf("%s/name:%s\n", at, sd->name);
	printf("%s/imb_numa_nr:%u\n", at, sd->imb_numa_nr);
	printf("%s/span:", at);
	print_set(sd->span);
	putchar('\n');
}

static void print_cpu(const struct view *v, unsigned cpu)
{
	const struct machine_cpu_domains *c = &v->d->cpus[cpu];

	for (unsigned i = 0; i < c->nr; i++)
		print_domain(v, cpu, i);
	printf("cpu%u/node:%d\n", cpu, c->node);
	printf("cpu%u/smt:", cpu);
	print_set(c->smt);
	putchar('\n');
	print_index("sd_asym_cpucapacity", cpu, c->sd_asym);
	print_index("sd_asym_packing", cpu, c->sd_asym_packing);
	print_index("sd_llc", cpu, c->sd_llc);
	printf("cpu%u/sd_llc_id:%d\n", cpu, c->sd_llc_id);
	printf("cpu%u/sd_llc_size:%u\n", cpu, c->sd_llc_size);
	print_index("sd_numa", cpu, c->sd_numa);
	printf("cpu%u/sd_share_id:%d\n", cpu, c->sd_share_id);
}

/* Domains that differ only in which CPUs they span. */
struct shape {
	const struct machine_domain *sd; /* the first of them */
	unsigned weight, nr;
	hwloc_const_bitmap_t *spans;
};

struct shapes {
	unsigned nr;
	struct shape *list;
};

static bool same_shape(const struct machine_domain *a, const struct machine_domain *b)
{
	return !strcmp(a->name, b->name) && a->flags == b->flags &&
	       a->imbalance_pct == b->imbalance_pct && a->imb_numa_nr == b->imb_numa_nr &&
	       a->cache_nice_tries == b->cache_nice_tries;
}

static int shape_add(struct shape *s, hwloc_const_bitmap_t span)
{
	hwloc_const_bitmap_t *spans;

	for (unsigned i = s->nr; i-- > 0;)
		if (hwloc_bitmap_isequal(s->spans[i], span))
			return 0;
	spans = realloc(s->spans, (s->nr + 1) * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	s->spans = spans;
	spans[s->nr++] = span;
	return 0;
}

static int shapes_add(struct shapes *all, const struct machine_domain *sd)
{
	unsigned weight = (unsigned)hwloc_bitmap_weight(sd->span), i;
	struct shape *list;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].weight == weight && same_shape(all->list[i].sd, sd))
			return shape_add(&all->list[i], sd->span);
	list = realloc(all->list, (all->nr + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	all->list = list;
	list[all->nr] = (struct shape){ .sd = sd, .weight = weight };
	return shape_add(&list[all->nr++], sd->span);
}

static int shapes_find(const struct machine_domains *d, struct shapes *all)
{
	int rc = 0;

	/* By height first, so that the list reads bottom up. */
	for (unsigned level = 0; !rc && level < d->levels_max; level++)
		for (unsigned cpu = 0; !rc && cpu < d->nr_cpu_ids; cpu++)
			if (level < d->cpus[cpu].nr)
				rc = shapes_add(all, &d->cpus[cpu].sd[level]);
	return rc;
}

static void shapes_free(struct shapes *all)
{
	for (unsigned i = 0; i < all->nr; i++)
		free(all->list[i].spans);
	free(all->list);
}

#define SPANS_SHOWN 8

static void print_shape(const struct view *v, const struct shape *s)
{
	printf("  %-5s %4u CPUs x %-4u  imbalance_pct %u  imb_numa_nr %u\n        ", s->sd->name,
	       s->weight, s->nr, s->sd->imbalance_pct, s->sd->imb_numa_nr);
	print_flags(v, s->sd->flags);
	fputs("\n        ", stdout);
	for (unsigned i = 0; i < s->nr; i++) {
		if (s->nr > SPANS_SHOWN && i == SPANS_SHOWN - 1) {
			fputs("... ", stdout);
			i = s->nr - 1;
		}
		print_set(s->spans[i]);
		putchar(i + 1 < s->nr ? ' ' : '\n');
	}
}

/* Sets of one kind, taken at the first CPU of each. */
static void print_sets(const struct machine *m, const char *what,
		       hwloc_const_bitmap_t (*set)(const struct machine_cpu *c))
{
	int smallest = 0, largest = 0, nr = 0, w;
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, m->online)
		if (hwloc_bitmap_first(set(&m->cpus[cpu])) != (int)cpu)
			continue;
		w = hwloc_bitmap_weight(set(&m->cpus[cpu]));
		smallest = nr && smallest < w ? smallest : w;
		largest = largest > w ? largest : w;
		nr++;
	hwloc_bitmap_foreach_end();
	printf("%-10s %d of ", what, nr);
	if (smallest != largest)
		printf("%d to ", smallest);
	printf("%d CPU%s\n", largest, largest == 1 ? "" : "s");
}

static hwloc_const_bitmap_t smt_of(const struct machine_cpu *c)
{
	return c->smt;
}

static hwloc_const_bitmap_t cluster_of(const struct machine_cpu *c)
{
	return c->cluster;
}

static hwloc_const_bitmap_t llc_of(const struct machine_cpu *c)
{
	return c->llc;
}

static hwloc_const_bitmap_t pkg_of(const struct machine_cpu *c)
{
	return c->pkg;
}

static void print_masks(const struct machine *m)
{
	static const char *const names[] = { "possible", "present", "online", "isolated" };
	hwloc_const_bitmap_t sets[] = { m->possible, m->present, m->online, m->isolated };

	for (unsigned i = 0; i < 4; i++) {
		printf("%-10s ", names[i]);
		if (hwloc_bitmap_iszero(sets[i]))
			fputs("none", stdout);
		else
			print_set(sets[i]);
		putchar('\n');
	}
}

static void print_caches(const struct machine *m)
{
	const struct machine_cpu *c = &m->cpus[hwloc_bitmap_first(m->online)];

	for (unsigned i = 0; i < c->nr_caches; i++) {
		const struct machine_cache *a = &c->caches[i];

		printf("%-10s L%u%s", i ? "" : "caches", a->level,
		       a->type == 'D' ? "d" : a->type == 'I' ? "i" : "");
		if (a->size)
			printf(" %lluK", (unsigned long long)(a->size >> 10));
		printf(", CPU %d's is shared by ", hwloc_bitmap_first(m->online));
		print_set(a->cpus);
		putchar('\n');
	}
}

static void print_nodes(const struct machine *m)
{
	for (unsigned i = 0; i < m->nr_nodes; i++) {
		printf("node %-5d ", m->nodes[i].id);
		if (hwloc_bitmap_iszero(m->nodes[i].cpus))
			fputs("no CPUs", stdout);
		else
			print_set(m->nodes[i].cpus);
		printf(", distances");
		for (unsigned j = 0; j < m->nr_nodes; j++)
			printf(" %u", m->distance[i * m->nr_nodes + j]);
		putchar('\n');
	}
}

static void print_recording(const struct machine_recording *r)
{
	if (!r)
		return;
	printf("recorded   %s, HZ %u\n", r->release, r->hz);
	if (r->variant)
		printf("variant    %s\n", r->variant);
	if (r->toggles)
		printf("toggles    %s\n", r->toggles);
}

static void print_capacities(const struct machine *m)
{
	unsigned cpu, min = 1024, max = 0;

	hwloc_bitmap_foreach_begin(cpu, m->online)
		min = m->cpus[cpu].capacity < min ? m->cpus[cpu].capacity : min;
		max = m->cpus[cpu].capacity > max ? m->cpus[cpu].capacity : max;
	hwloc_bitmap_foreach_end();
	if (min != max)
		printf("capacity   %u to %u\n", min, max);
}

static int print_summary(const struct view *v)
{
	struct shapes all = { 0 };
	int rc = shapes_find(v->d, &all);

	printf("machine    %s (%s, %s%s)\n", v->m->name, machine_source_name(v->m->source),
	       machine_arch_name(v->m->arch), v->m->hybrid ? ", hybrid" : "");
	printf("kernel     v%u.%u, CONFIG_SCHED_CLUSTER %s\n", v->o->kernel.major,
	       v->o->kernel.minor, v->o->kernel.cluster ? "on" : "off");
	print_recording(v->m->recording);
	print_masks(v->m);
	print_sets(v->m, "packages", pkg_of);
	print_sets(v->m, "cores", smt_of);
	print_sets(v->m, "clusters", cluster_of);
	print_sets(v->m, "LLCs", llc_of);
	print_caches(v->m);
	print_capacities(v->m);
	print_nodes(v->m);
	printf("keys       sched_smt_active %d, sched_cluster_active %d\n",
	       v->d->sched_smt_active, v->d->sched_cluster_active);
	printf("domains    %s\n", v->d->recorded ? "as recorded" : "by the rules");
	for (unsigned i = 0; !rc && i < all.nr; i++)
		print_shape(v, &all.list[i]);
	for (unsigned i = 0; i < v->m->nr_notes; i++)
		printf("note       %s\n", v->m->notes[i]);
	shapes_free(&all);
	return rc;
}

static int print_text(const struct view *v)
{
	int rc = 0;

	if (v->o->cpu < 0)
		rc = print_summary(v);
	for (unsigned cpu = 0; !rc && !v->o->summary && cpu < v->m->nr_cpu_ids; cpu++)
		if (hwloc_bitmap_isset(v->m->online, cpu) &&
		    (v->o->cpu < 0 || v->o->cpu == (long)cpu))
			print_cpu(v, cpu);
	return rc;
}

static json_t *json_set(hwloc_const_bitmap_t set)
{
	char *text = set_text(set);
	json_t *j = json_string(text ? text : "");

	free(text);
	return j;
}

static json_t *json_flags(const struct view *v, unsigned flags)
{
	json_t *j = json_array();

	for (unsigned bit = 1; bit <= MACHINE_SD_LOAD_BALANCE; bit <<= 1)
		if (flags & bit)
			json_array_append_new(
				j, json_string(machine_sd_flag_name(bit, &v->o->kernel)));
	return j;
}

static json_t *json_domain(const struct view *v, const struct machine_domain *sd)
{
	json_t *j = json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i}", "name", sd->name,
			      "span", json_set(sd->span), "flags", json_flags(v, sd->flags),
			      "imbalance_pct", sd->imbalance_pct, "cache_nice_tries",
			      sd->cache_nice_tries, "busy_factor", sd->busy_factor,
			      "min_interval", sd->min_interval, "max_interval", sd->max_interval,
			      "imb_numa_nr", sd->imb_numa_nr);

	if (has_group_flags(v))
		json_object_set_new(j, "groups_flags", json_flags(v, sd->groups_flags));
	return j;
}

static json_t *json_cpu(const struct view *v, unsigned cpu)
{
	const struct machine_cpu_domains *c = &v->d->cpus[cpu];
	json_t *list = json_array();

	for (unsigned i = 0; i < c->nr; i++)
		json_array_append_new(list, json_domain(v, &c->sd[i]));
	return json_pack("{s:i, s:i, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "cpu",
			 cpu, "node", c->node, "smt", json_set(c->smt), "capacity",
			 v->m->cpus[cpu].capacity, "sd_llc", c->sd_llc, "sd_llc_size",
			 c->sd_llc_size, "sd_llc_id", c->sd_llc_id, "sd_share_id", c->sd_share_id,
			 "sd_numa", c->sd_numa, "sd_asym_packing", c->sd_asym_packing,
			 "sd_asym_cpucapacity", c->sd_asym, "domains", list);
}

static json_t *json_nodes(const struct machine *m)
{
	json_t *nodes = json_array(), *row;

	for (unsigned i = 0; i < m->nr_nodes; i++) {
		row = json_array();
		for (unsigned j = 0; j < m->nr_nodes; j++)
			json_array_append_new(row, json_integer(m->distance[i * m->nr_nodes + j]));
		json_array_append_new(nodes, json_pack("{s:i, s:o, s:o}", "id", m->nodes[i].id,
						       "cpus", json_set(m->nodes[i].cpus),
						       "distances", row));
	}
	return nodes;
}

static json_t *json_all(const struct view *v)
{
	json_t *cpus = json_array(), *notes = json_array(), *j;
	char kernel[32];

	snprintf(kernel, sizeof(kernel), "v%u.%u", v->o->kernel.major, v->o->kernel.minor);
	for (unsigned cpu = 0; !v->o->summary && cpu < v->m->nr_cpu_ids; cpu++)
		if (hwloc_bitmap_isset(v->m->online, cpu) &&
		    (v->o->cpu < 0 || v->o->cpu == (long)cpu))
			json_array_append_new(cpus, json_cpu(v, cpu));
	for (unsigned i = 0; i < v->m->nr_notes; i++)
		json_array_append_new(notes, json_string(v->m->notes[i]));
	j = json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:i}", "machine", v->m->name,
		      "source", machine_source_name(v->m->source), "arch",
		      machine_arch_name(v->m->arch), "kernel", kernel, "sched_cluster",
		      v->o->kernel.cluster, "recorded", v->d->recorded, "sched_smt_active",
		      v->d->sched_smt_active, "sched_cluster_active", v->d->sched_cluster_active,
		      "nr_cpu_ids", v->m->nr_cpu_ids);
	json_object_set_new(j, "possible", json_set(v->m->possible));
	json_object_set_new(j, "present", json_set(v->m->present));
	json_object_set_new(j, "online", json_set(v->m->online));
	json_object_set_new(j, "isolated", json_set(v->m->isolated));
	json_object_set_new(j, "nodes", json_nodes(v->m));
	json_object_set_new(j, "notes", notes);
	json_object_set_new(j, "cpus", cpus);
	return j;
}

static int print_json(const struct view *v)
{
	json_t *j = json_all(v);
	int rc;

	/* jansson takes nothing but UTF-8, and file names may be anything. */
	if (!j)
		return -EILSEQ;
	rc = json_dumpf(j, stdout, JSON_INDENT(1));
	json_decref(j);
	putchar('\n');
	return rc ? -EIO : 0;
}

static int list_presets(void)
{
	for (unsigned i = 0; machine_preset_name(i); i++)
		puts(machine_preset_name(i));
	return cmd_finish("machine", CMD_DONE);
}

static int show_preset(const char *name)
{
	const char *text;
	size_t len;

	for (unsigned i = 0; machine_preset_name(i); i++) {
		if (strcmp(machine_preset_name(i), name))
			continue;
		text = machine_preset_text(i, &len);
		fwrite(text, 1, len, stdout);
		return cmd_finish("machine", CMD_DONE);
	}
	cmd_error("machine", name, "no such preset; --list names them");
	return CMD_FAILED;
}

static int status_of(int rc, const struct machine_error *err)
{
	cmd_error("machine", err->place, err->text);
	return rc == -ENOPKG ? CMD_CANNOT : CMD_FAILED;
}

static int usage_error(const char *option, const char *text)
{
	cmd_error("machine", option, text);
	return cmd_usage("machine");
}

/* --isolate and --offline; 0 or an exit status. */
static int take_away(struct machine *m, const struct options *o)
{
	const char *const lists[] = { o->isolate, o->offline };
	struct machine_error err;
	hwloc_bitmap_t set;
	int rc = 0;

	for (unsigned i = 0; !rc && i < 2; i++) {
		if (!lists[i])
			continue;
		set = hwloc_bitmap_alloc();
		if (!set || machine_parse_list(lists[i], strlen(lists[i]), set))
			rc = usage_error(lists[i], "expected a list of CPUs, as 0-3,8");
		else if (i == 0)
			rc = hwloc_bitmap_or(m->isolated, m->isolated, set) ? CMD_FAILED : 0;
		else if ((rc = machine_offline(m, set, &err)))
			rc = status_of(rc, &err);
		hwloc_bitmap_free(set);
	}
	/* What was recorded holds for the machine as it was. */
	if (!rc && o->isolate && m->recording) {
		machine_domains_free(m->recording->domains);
		m->recording->domains = NULL;
	}
	return rc;
}

static int take_arch(struct machine *m, const char *arch)
{
	if (!arch)
		return 0;
	for (unsigned a = MACHINE_X86; a <= MACHINE_OTHER; a++) {
		if (strcmp(machine_arch_name(a), arch))
			continue;
		m->arch = a;
		return 0;
	}
	return usage_error(arch, "expected x86, arm64, powerpc or other");
}

static int print_machine(struct machine *m, struct options *o)
{
	struct machine_domains *d;
	struct machine_error err;
	struct view v = { .m = m, .o = o };
	int rc;

	if (!o->kernel_given)
		machine_kernel_of(m, &o->kernel);
	if (o->no_cluster)
		o->kernel.cluster = false;
	if (o->cpu >= 0 &&
	    (o->cpu >= (long)m->nr_cpu_ids || !hwloc_bitmap_isset(m->online, (unsigned)o->cpu))) {
		cmd_error("machine", "--cpu", "this machine has no such CPU online");
		return CMD_FAILED;
	}
	rc = machine_domains(m, &o->kernel, &d, &err);
	if (rc == -EOPNOTSUPP && o->kernel_given)
		return usage_error("--kernel", err.text);
	if (rc)
		return status_of(rc, &err);
	v.d = d;
	rc = o->format == CMD_JSON ? print_json(&v) : print_text(&v);
	machine_domains_free(d);
	if (rc) {
		cmd_error("machine", "", strerror(-rc));
		return CMD_FAILED;
	}
	return cmd_finish("machine", CMD_DONE);
}

static int run(const char *path, struct options *o)
{
	struct machine_error err;
	struct machine *m;
	int rc = machine_load(path, &m, &err);

	if (rc)
		return status_of(rc, &err);
	rc = take_arch(m, o->arch);
	if (!rc)
		rc = take_away(m, o);
	if (!rc)
		rc = o->costs ? cmd_machine_costs(m, o->card, o->format) : print_machine(m, o);
	machine_free(m);
	return rc;
}

enum { OPT_ARCH = 256, OPT_CARD, OPT_COSTS, OPT_CPU, OPT_FORMAT, OPT_ISOLATE, OPT_KERNEL,
       OPT_LIST, OPT_NO_CLUSTER, OPT_OFFLINE, OPT_SHOW, OPT_SUMMARY };

static const struct option long_options[] = {
	{ "arch", required_argument, NULL, OPT_ARCH },
	{ "card", required_argument, NULL, OPT_CARD },
	{ "costs", no_argument, NULL, OPT_COSTS },
	{ "cpu", required_argument, NULL, OPT_CPU },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "isolate", required_argument, NULL, OPT_ISOLATE },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "no-cluster", no_argument, NULL, OPT_NO_CLUSTER },
	{ "offline", required_argument, NULL, OPT_OFFLINE },
	{ "show", required_argument, NULL, OPT_SHOW },
	{ "summary", no_argument, NULL, OPT_SUMMARY },
	{ NULL, 0, NULL, 0 },
};

static int take_value(struct options *o, int c, char *value)
{
	char *end;

	switch (c) {
	case OPT_ARCH:
		o->arch = value;
		return 0;
	case OPT_CARD:
		o->card = value;
		/* fallthrough */
	case OPT_COSTS:
		o->costs = true;
		return 0;
	case OPT_ISOLATE:
		o->isolate = value;
		return 0;
	case OPT_OFFLINE:
		o->offline = value;
		return 0;
	case OPT_NO_CLUSTER:
		o->no_cluster = true;
		return 0;
	case OPT_SUMMARY:
		o->summary = true;
		return 0;
	case OPT_CPU:
		errno = 0;
		o->cpu = strtol(value, &end, 10);
		if (errno || !*value || *end || o->cpu < 0)
			return usage_error("--cpu", "expected a CPU number");
		return 0;
	case OPT_KERNEL:
		o->kernel_given = true;
		if (machine_kernel_parse(value, &o->kernel))
			return usage_error("--kernel", "expected a version, as v6.12");
		return 0;
	case OPT_FORMAT:
		if (cmd_format("machine", value, &o->format) || o->format == CMD_MARKDOWN)
			return usage_error("--format", "expected text or json");
		return 0;
	}
	return cmd_usage("machine");
}

int cmd_machine(int argc, char **argv)
{
	struct options o = { .format = CMD_TEXT, .cpu = -1 };
	const char *show = NULL;
	bool list = false;
	int c, rc;

	/* What hwloc itself would print about XML names no place in it; our messages do. */
	setenv("HWLOC_HIDE_ERRORS", "2", 0);
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (c == OPT_LIST) {
			list = true;
		} else if (c == OPT_SHOW) {
			show = optarg;
		} else {
			rc = take_value(&o, c, optarg);
			if (rc)
				return rc;
		}
	}
	if ((list || show) && optind == argc)
		return list ? list_presets() : show_preset(show);
	if (list || show || optind + 1 != argc)
		return usage_error("", "expected one machine: a file, a folder, a preset or self");
	return run(argv[optind], &o);
}
