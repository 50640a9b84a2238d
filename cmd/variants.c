// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <string.h>

#include "cmd/cmd.h"
#include "report/table.h"
#include "sched/variant.h"

static int print_versions(enum cmd_format format)
{
	struct report_table *table = report_table_new("<version,<known from,<what came with it");

	for (size_t i = 0; i < sched_nr_versions && table; i++) {
		report_cell(table, "%s", sched_versions[i].name);
		report_cell(table, "%s", sched_versions[i].source);
		report_cell(table, "%s", sched_versions[i].changes);
	}
	for (size_t i = 0; i < sched_nr_version_aliases && table; i++) {
		report_cell(table, "%s", sched_version_aliases[i].name);
		report_cell(table, "is %s", sched_version_aliases[i].version);
		report_cell(table, "%s", sched_version_aliases[i].why);
	}
	return cmd_print_table(table, format);
}

static int print_features(enum cmd_format format)
{
	struct report_table *table = report_table_new("<feature,<what it does,<needs,<after");

	for (size_t i = 0; i < sched_nr_features && table; i++) {
		const struct sched_feature *f = &sched_features[i];

		for (size_t k = 0; k < f->nr_values; k++) {
			report_cell(table, "%s=%s", f->name, f->values[k].name);
			report_cell(table, "%s", f->values[k].what);
			report_cell(table, "%s", k ? "" : f->needs);
			report_cell(table, "%s", k ? "" : f->source);
		}
	}
	return cmd_print_table(table, format);
}

static int print_switches(enum cmd_format format)
{
	struct report_table *table = report_table_new("<switch,<known to,<on in");

	for (size_t i = 0; i < sched_nr_switches && table; i++) {
		const struct sched_switch *sw = &sched_switches[i];
		const char *first = NULL, *last = NULL;

		for (size_t k = 0; k < sched_nr_versions; k++) {
			if (!*((const wake_u8 *)&sched_versions[k].rules + sw->field))
				continue;
			first = first ? first : sched_versions[k].name;
			last = sched_versions[k].name;
		}
		report_cell(table, "%s, NO_%s", sw->name, sw->name);
		report_cell(table, "%s", sw->where);
		report_cell(table, first ? "%s to %s" : "no version", first, last);
	}
	return cmd_print_table(table, format);
}

/* Rules down, versions across: where two columns differ, the versions do. */
static int print_matrix(enum cmd_format format)
{
	char columns[512] = "<rule,<function";
	struct report_table *table;

	for (size_t i = 0; i < sched_nr_versions; i++) {
		size_t len = strlen(columns);

		snprintf(columns + len, sizeof(columns) - len, ",<%s", sched_versions[i].name);
	}
	table = report_table_new(columns);
	for (size_t k = 0; k < sched_nr_rules && table; k++) {
		report_cell(table, "%s", sched_rules[k].name);
		report_cell(table, "%s", sched_rules[k].function);
		for (size_t i = 0; i < sched_nr_versions; i++)
			report_cell(table, "%s",
				    sched_rule_value(&sched_rules[k], &sched_versions[i].rules));
	}
	return cmd_print_table(table, format);
}

static json_t *rules_json(const struct wake_rules *rules)
{
	json_t *object = json_object();

	for (size_t i = 0; i < sched_nr_rules; i++)
		json_object_set_new(object, sched_rules[i].name,
				    json_string(sched_rule_value(&sched_rules[i], rules)));
	return object;
}

static int print_json(void)
{
	json_t *versions = json_array(), *features = json_array(), *all;
	int ret;

	for (size_t i = 0; i < sched_nr_versions; i++) {
		const struct wake_version *v = &sched_versions[i];

		json_array_append_new(versions, json_pack("{ss ss ss so}", "name", v->name, "known_from",
							  v->source, "changes", v->changes, "rules",
							  rules_json(&v->rules)));
	}
	for (size_t i = 0; i < sched_nr_features; i++) {
		const struct sched_feature *f = &sched_features[i];
		json_t *values = json_array();

		for (size_t k = 0; k < f->nr_values; k++)
			json_array_append_new(values, json_string(f->values[k].name));
		json_array_append_new(features, json_pack("{ss so ss ss}", "name", f->name, "values",
							  values, "needs", f->needs, "after",
							  f->source));
	}
	all = json_pack("{ss so so}", "schema", "wakelab.variants/1", "versions", versions,
			"features", features);
	ret = !all || json_dumpf(all, stdout, JSON_INDENT(1)) ? -ENOMEM : 0;
	putchar('\n');
	json_decref(all);
	return ret;
}

/* Says of one variant what it is: its rules, or why it makes no sense. */
static int print_one(const char *name, enum cmd_format format)
{
	struct sched_variant variant;
	struct sched_variant_error err;
	struct report_table *table;

	if (sched_variant_parse(name, &variant, &err)) {
		cmd_error("variants", strchr(name, '+') ? name : "", err.text);
		return -EINVAL;
	}
	table = report_table_new("<rule,<function,<value,<of the version itself");
	for (size_t i = 0; i < sched_nr_rules && table; i++) {
		const char *value = sched_rule_value(&sched_rules[i], &variant.rules);
		const char *own = sched_rule_value(&sched_rules[i], &variant.version->rules);

		report_cell(table, "%s", sched_rules[i].name);
		report_cell(table, "%s", sched_rules[i].function);
		report_cell(table, "%s", value);
		report_cell(table, "%s", strcmp(value, own) ? own : "");
	}
	return cmd_print_table(table, format);
}

static int print_all(enum cmd_format format)
{
	int ret = print_versions(format);

	if (!ret)
		ret = print_features(format);
	return ret ? ret : print_switches(format);
}

int cmd_variants(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "matrix", no_argument, NULL, 'm' },
		{ 0 },
	};
	enum cmd_format format = CMD_TEXT;
	int matrix = 0, ret = 0, c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == '?')
			return cmd_bad_option("variants", argv);
		if (c == 'm')
			matrix = 1;
		else if (cmd_format("variants", optarg, &format))
			return cmd_usage("variants");
	}
	if (matrix && optind < argc)
		return cmd_misused("variants", "--matrix shows all versions and takes no variant");
	if (format == CMD_JSON && (matrix || optind < argc))
		return cmd_misused("variants", "JSON has all rules of all versions; ask for that alone");
	for (int i = optind; i < argc && !ret; i++)
		ret = print_one(argv[i], format);
	if (optind == argc)
		ret = matrix ? print_matrix(format) : format == CMD_JSON ? print_json() :
									   print_all(format);
	if (ret == -EINVAL)
		return CMD_USAGE;
	return cmd_finish("variants", ret ? CMD_FAILED : CMD_DONE);
}
