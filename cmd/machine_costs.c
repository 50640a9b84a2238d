// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/machine_costs.h"

/* A number as cards write it: ps as ns, without zeros behind. */
static const char *number(uint64_t value, const char *unit, char *buf, size_t size)
{
	size_t len;

	if (strcmp(unit, "ns")) {
		snprintf(buf, size, "%" PRIu64, value);
		return buf;
	}
	len = (size_t)snprintf(buf, size, "%" PRIu64 ".%03u", value / 1000,
			       (unsigned)(value % 1000));
	while (buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[len - 1] = '\0';
	return buf;
}

static void print_cost(const char *name, const char *unit, const struct machine_cost *cost)
{
	char value[32], low[32], high[32], range[72] = "-";

	if (cost->low != cost->high)
		snprintf(range, sizeof(range), "%s..%s", number(cost->low, unit, low, sizeof(low)),
			 number(cost->high, unit, high, sizeof(high)));
	printf("%-18s %9s %-5s  %-10s  %-14s  %s\n", name,
	       number(cost->value, unit, value, sizeof(value)), unit,
	       machine_class_name(cost->class), range, cost->source);
}

static const struct machine_cost *cost_of(const struct machine_costs *costs,
					  const struct machine_cost_kind *kind)
{
	return (const struct machine_cost *)((const char *)costs + kind->offset);
}

static void print_idle(const struct machine_idle_state *state)
{
	char name[40];

	snprintf(name, sizeof(name), "%s.exit", state->name);
	print_cost(name, "ns", &state->exit);
	snprintf(name, sizeof(name), "%s.residency", state->name);
	print_cost(name, "ns", &state->residency);
}

static void print_text(const struct machine *m, const struct machine_costs *costs)
{
	const struct machine_cost_kind *kind;

	printf("machine            %s\n", m->name);
	printf("card               %s\n", costs->card);
	printf("hz                 %u\n", costs->hz);
	for (unsigned i = 0; i < costs->nr_idle; i++)
		printf("%-18s %s (%s)\n", i ? "" : "idle", costs->idle[i].name,
		       machine_idle_kind_name(costs->idle[i].kind));
	for (unsigned i = 0; i < costs->nr_idle; i++)
		print_idle(&costs->idle[i]);
	for (unsigned i = 0; (kind = machine_cost_kind(i)); i++)
		print_cost(kind->name, kind->unit, cost_of(costs, kind));
}

static json_t *json_number(uint64_t value, const char *unit)
{
	return strcmp(unit, "ns") || value % 1000 == 0 ?
		json_integer((json_int_t)(strcmp(unit, "ns") ? value : value / 1000)) :
		json_real((double)value / 1000);
}

static json_t *json_cost(const char *unit, const struct machine_cost *cost)
{
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}", "value",
			 json_number(cost->value, unit), "unit", unit, "class",
			 machine_class_name(cost->class), "low", json_number(cost->low, unit),
			 "high", json_number(cost->high, unit), "source",
			 cmd_json_text(cost->source));
}

static json_t *json_idle(const struct machine_costs *costs)
{
	json_t *states = json_array();

	for (unsigned i = 0; i < costs->nr_idle; i++)
		json_array_append_new(
			states,
			json_pack("{s:o, s:s, s:o, s:o}", "name",
				  cmd_json_text(costs->idle[i].name), "kind",
				  machine_idle_kind_name(costs->idle[i].kind), "exit",
				  json_cost("ns", &costs->idle[i].exit), "residency",
				  json_cost("ns", &costs->idle[i].residency)));
	return states;
}

static int print_json(const struct machine *m, const struct machine_costs *costs)
{
	const struct machine_cost_kind *kind;
	json_t *list = json_object(), *all, *cost;
	int rc;

	for (unsigned i = 0; (kind = machine_cost_kind(i)); i++) {
		cost = json_cost(kind->unit, cost_of(costs, kind));
		json_object_set_new(cost, "what", json_string(kind->what));
		json_object_set_new(list, kind->name, cost);
	}
	all = json_pack("{s:o, s:o, s:i, s:o, s:o}", "machine", cmd_json_text(m->name), "card",
			cmd_json_text(costs->card), "hz", (int)costs->hz, "idle",
			json_idle(costs), "costs", list);
	/* Three decimals at most, so that ten digits are exact. */
	rc = all ? json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10)) : -1;
	json_decref(all);
	putchar('\n');
	return rc;
}

int cmd_machine_costs(const struct machine *m, const char *card, enum cmd_format format)
{
	struct machine_costs *costs;
	struct machine_error err;
	int rc = machine_costs(m, card, &costs, &err);

	if (rc) {
		cmd_error("machine", err.place, err.text);
		return CMD_FAILED;
	}
	if (format == CMD_JSON)
		rc = print_json(m, costs);
	else
		print_text(m, costs);
	machine_costs_free(costs);
	if (rc) {
		cmd_error("machine", "", "no memory for JSON");
		return CMD_FAILED;
	}
	return cmd_finish("machine", CMD_DONE);
}
