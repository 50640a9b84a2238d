// SPDX-License-Identifier: GPL-2.0-only
/* Cards: read, refused, filled up; and what CPUs share. */
#include "machine_test.h"
#include "machine/costs.h"

#define HEAD "machine m\ncpus 0-3\n"

static struct machine_costs *costs_must(const struct machine *m, const char *card)
{
	struct machine_error err = { "", "" };
	struct machine_costs *costs = NULL;

	if (machine_costs(m, card, &costs, &err))
		fail_msg("%s: %s: %s", m->name, err.place, err.text);
	return costs;
}

static const struct machine_cost *cost_at(const struct machine_costs *costs, unsigned i)
{
	return (const struct machine_cost *)((const char *)costs + machine_cost_kind(i)->offset);
}

static void assert_cost_sound(const char *name, const struct machine_cost *cost)
{
	if (!cost->source || !*cost->source)
		fail_msg("%s has no source", name);
	if (cost->low > cost->value || cost->high < cost->value)
		fail_msg("%s is outside its range", name);
	if (cost->class == MACHINE_ASSUMED && cost->low == cost->high)
		fail_msg("%s is assumed and has no range", name);
}

static void each_cost_has_a_name_and_a_place(void **state)
{
	bool seen[sizeof(struct machine_costs)] = { false };
	const struct machine_cost_kind *kind;
	unsigned i;

	(void)state;
	for (i = 0; (kind = machine_cost_kind(i)); i++) {
		assert_true(!strcmp(kind->unit, "ns") || !strcmp(kind->unit, "lines") ||
			    !strcmp(kind->unit, "%"));
		assert_true(*kind->what);
		assert_false(seen[kind->offset]);
		seen[kind->offset] = true;
	}
	assert_int_equal(i * sizeof(struct machine_cost),
			 offsetof(struct machine_costs, nr_idle));
	assert_string_equal(machine_cost_kind(0)->name, "line_core");
	assert_int_equal(machine_cost_kind(0)->offset, 0);
	assert_null(machine_cost_kind(i + 1));
}

static void every_preset_has_a_complete_card(void **state)
{
	const char *name;

	(void)state;
	for (unsigned p = 0; (name = machine_preset_name(p)); p++) {
		struct machine *m = machine_must(name);
		struct machine_costs *own = costs_must(m, NULL), *named = costs_must(m, name);

		for (unsigned i = 0; machine_cost_kind(i); i++) {
			assert_cost_sound(machine_cost_kind(i)->name, cost_at(own, i));
			assert_int_equal(cost_at(own, i)->value, cost_at(named, i)->value);
		}
		assert_int_equal(own->hz, strstr(name, "power9") ? 100 : 250);
		assert_string_equal(own->card, strstr(name, "epyc") ? "epyc-7003-2s" : name);
		assert_true(own->nr_idle > 0 && own->nr_idle == named->nr_idle);
		for (unsigned i = 0; i < own->nr_idle; i++)
			assert_cost_sound(own->idle[i].name, &own->idle[i].exit);
		machine_costs_free(own);
		machine_costs_free(named);
		machine_free(m);
	}
}

/* "POLL poll 0 0, C1 mwait 1000 2000": in ns. */
static void assert_idle(const struct machine_costs *costs, const char *expected)
{
	char text[256] = "";
	size_t at = 0;

	for (unsigned i = 0; i < costs->nr_idle; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s %u %u",
				       i ? ", " : "", costs->idle[i].name,
				       machine_idle_kind_name(costs->idle[i].kind),
				       (unsigned)(costs->idle[i].exit.value / 1000),
				       (unsigned)(costs->idle[i].residency.value / 1000));
	assert_string_equal(text, expected);
}

static void presets_idle_as_their_drivers_do(void **state)
{
	static const struct {
		const char *name, *idle;
	} presets[] = {
		{ "epyc-7003-2s-nps4", "POLL poll 0 0, C1 mwait 1000 2000, C2 halt 25000 800000" },
		{ "kunpeng920", "WFI halt 400 1000" },
		{ "power9-lpar", "snooze poll 500 0, CEDE cede 5680 100000" },
		{ "xeon-4s24c", "POLL poll 0 0, C1 mwait 1000 2000, C1E mwait 5000 20000, "
				"C6 mwait 45000 600000" },
		{ "xeon-e7-8870v4", "POLL poll 0 0, C1 mwait 1000 2000, C1E mwait 5000 20000, "
				    "C3 mwait 20000 100000, C6 mwait 45000 400000" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		struct machine *m = machine_must(presets[i].name);
		struct machine_costs *costs = costs_must(m, NULL);

		assert_idle(costs, presets[i].idle);
		machine_costs_free(costs);
		machine_free(m);
	}
}

/* scripts/fit-kunpeng --check compares the values; here is what makes the effect of clusters. */
static void the_kunpengs_lines_are_fitted(void **state)
{
	struct machine *m = machine_must("kunpeng920");
	struct machine_costs *c = costs_must(m, NULL);
	const struct machine_cost *const fetch[] = { &c->fetch_cluster, &c->fetch_llc,
						     &c->fetch_package, &c->fetch_remote };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(fetch[i]->class, MACHINE_PINNED_FIT);
		assert_true(!i || fetch[i]->value > fetch[i - 1]->value);
	}
	assert_int_equal(c->line_cluster.class, MACHINE_MEASURED);
	assert_int_equal(c->line_cluster.value, 34000);
	machine_costs_free(c);
	machine_free(m);
}

static void a_text_may_say_part_of_its_card(void **state)
{
	struct machine *m = machine_must_text(
		HEAD "cost line_llc 40.25 measured 39..41.5 \"somebody #370\" # why not\n"
		     "cost smt_2 130 identified \"x\"\n"
		     "hz 1000 # fast\n"
		     "card epyc-7003-2s\n");
	struct machine_costs *c = costs_must(m, NULL);

	(void)state;
	assert_string_equal(c->card, "m");
	assert_int_equal(c->line_llc.value, 40250);
	assert_int_equal(c->line_llc.low, 39000);
	assert_int_equal(c->line_llc.high, 41500);
	assert_string_equal(c->line_llc.source, "somebody #370");
	assert_int_equal(c->smt_2.value, 130);
	assert_int_equal(c->smt_2.low, 130);
	assert_int_equal(c->smt_2.class, MACHINE_IDENTIFIED);
	assert_int_equal(c->hz, 1000);
	/* The named card's, then the common one's. */
	assert_int_equal(c->line_remote.value, 197000);
	assert_int_equal(c->nr_idle, 3);
	assert_int_equal(c->wake.value, 350000);
	assert_int_equal(c->copy.value, 100);
	machine_costs_free(c);
	machine_free(m);
}

static void a_text_may_take_over_a_presets_card(void **state)
{
	struct machine *m = machine_must_text(HEAD "card epyc-7003-2s-nps4\n");
	struct machine_costs *c = costs_must(m, NULL), *other = costs_must(m, "kunpeng920");

	(void)state;
	assert_string_equal(c->card, "epyc-7003-2s");
	assert_int_equal(c->line_llc.value, 23000);
	assert_string_equal(other->card, "kunpeng920");
	assert_int_equal(other->line_llc.value, 36000);
	machine_costs_free(c);
	machine_costs_free(other);
	machine_free(m);
}

static void a_machine_without_a_card_has_the_common_one(void **state)
{
	static const struct {
		const char *text, *idle;
	} archs[] = {
		{ HEAD "arch x86\n", "POLL poll 0 0, C1 mwait 1000 2000" },
		{ HEAD "arch arm64\n", "WFI halt 400 1000" },
		{ HEAD "arch powerpc\n", "snooze poll 500 0, CEDE cede 5680 100000" },
		{ HEAD, "POLL poll 0 0, C1 mwait 1000 2000" },
	};

	(void)state;
	for (unsigned a = 0; a < 4; a++) {
		struct machine *m = machine_must_text(archs[a].text);
		struct machine_costs *c = costs_must(m, NULL);

		assert_null(m->costs);
		assert_string_equal(c->card, "common");
		assert_int_equal(c->hz, 250);
		assert_idle(c, archs[a].idle);
		for (unsigned i = 0; machine_cost_kind(i); i++)
			assert_int_equal(cost_at(c, i)->class, MACHINE_ASSUMED);
		machine_costs_free(c);
		machine_free(m);
	}
}

static void an_unknown_card_is_refused(void **state)
{
	struct machine *m = machine_must("kunpeng920");
	struct machine_costs *out = (void *)8;
	struct machine_error err;

	(void)state;
	assert_int_equal(machine_costs(m, "kunpeng930", &out, &err), -ENOENT);
	assert_ptr_equal(out, (void *)8);
	assert_non_null(strstr(err.text, "no card \"kunpeng930\""));
	assert_non_null(strstr(err.text, "power9-lpar"));
	assert_int_equal(machine_costs(m, "kunpeng930", &out, NULL), -ENOENT);
	machine_costs_free(NULL);
	machine_free(m);
}

#define TAIL " assumed 1..9 \"s\"\n"
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *text, *why;
} bad_lines[] = {
	{ "cost\n", "expected \"cost NAME" },
	{ "cost wake\n", "expected \"cost NAME" },
	{ "cost line_lcl 5" TAIL, "\"line_lcl\" is no cost; near it line_llc;" },
	{ "cost 9 5" TAIL, "near it is none" },
	{ "cost wake 5\n", "expected a class" },
	{ "cost wake 5 guessed 1..9 \"s\"\n", "found \"guessed\"" },
	{ "cost wake 5 assumed \"s\"\n", "expected the range" },
	{ "cost wake 5 assumed\n", "expected the range" },
	{ "cost wake 5 measured\n", "expected where the value comes from" },
	{ "cost wake 5 measured \"\"\n", "expected where the value comes from" },
	{ "cost wake 5 measured \"s\n", "expected where the value comes from" },
	{ "cost wake 5 measured s\n", "expected a range" },
	{ "cost wake 5 measured \"s\" t\n", "nothing after the source, found \"t\"" },
	{ "cost wake 5 measured \"\033\"\n", "control character" },
	{ "cost wake 5 measured \"" LONG LONG LONG "\"\n", "longer than 200" },
	{ "cost wake 5 assumed 6..9 \"s\"\n", "outside its range" },
	{ "cost wake 5 assumed 1..4 \"s\"\n", "outside its range" },
	{ "cost wake 5 assumed 1..x \"s\"\n", "expected the high end" },
	{ "cost wake 5 assumed ..9 \"s\"\n", "expected the low end" },
	{ "cost wake 5 assumed 1-9 \"s\"\n", "expected a range" },
	{ "cost wake -5" TAIL, "expected wake from 0 to 1000000" },
	{ "cost wake 5." TAIL, "expected wake" },
	{ "cost wake .5" TAIL, "expected wake" },
	{ "cost wake 5.1234" TAIL, "up to three decimals" },
	{ "cost wake 5.0001" TAIL, "up to three decimals" },
	{ "cost wake 1000000.001 measured \"s\"\n", "expected wake" },
	{ "cost wake 99999999999999999999 measured \"s\"\n", "expected wake" },
	{ "cost copy 4000.001 measured \"s\"\n", "expected copy from 0 to 4000" },
	{ "cost smt_2 0 measured \"s\"\n", "expected smt_2 from 1 to 1000" },
	{ "cost smt_2 5.5" TAIL, "expected smt_2" },
	{ "cost pipe_lines 10001 measured \"s\"\n", "from 0 to 10000" },
	{ "cost wake 5" TAIL "cost wake 5" TAIL, "wake is there twice" },
	{ "hz\n", "expected CONFIG_HZ" },
	{ "hz 0\n", "from 24 to 1200" },
	{ "hz 250 1000\n", "expected CONFIG_HZ" },
	{ "hz 250\nhz 250\n", "hz is there twice" },
	{ "card\n", "expected the name" },
	{ "card nothing\n", "no card \"nothing\"" },
	{ "card common\ncard common\n", "card is there twice" },
	{ "idle C1\n", "expected \"idle NAME" },
	{ "idle C1 sleep exit 5 residency 5" TAIL, "found \"sleep\"" },
	{ "idle C1 mwait 5 residency 5" TAIL, "no \"exit NS\"" },
	{ "idle C1 mwait exit 5" TAIL, "no \"residency NS\"" },
	{ "idle C1 mwait exit five residency 5" TAIL, "expected exit" },
	{ "idle C1 mwait exit 5 residency 5 assumed \"s\"\n", "expected the range" },
	{ "idle abcdefghijklmnop mwait exit 5 residency 5" TAIL, "at most 15 bytes" },
	{ "idle C1 mwait exit 5 residency 5" TAIL "idle C1 mwait exit 6 residency 6" TAIL,
	  "C1 is there twice" },
	{ "idle C2 mwait exit 5 residency 5" TAIL "idle C1 mwait exit 4 residency 6" TAIL,
	  "C1 is shallower" },
	{ "idle C2 mwait exit 5 residency 5" TAIL "idle C1 mwait exit 6 residency 4" TAIL,
	  "C1 is shallower" },
};

static void bad_lines_are_refused_with_their_place(void **state)
{
	char text[1024], place[16];

	(void)state;
	for (unsigned i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++) {
		struct machine_error err = { "", "" };
		struct machine *m = NULL;
		const char *bad = bad_lines[i].text, *newline = strchr(bad, '\n');

		snprintf(text, sizeof(text), HEAD "cost irq 7 measured \"fine\"\n%s", bad);
		assert_int_equal(machine_load_text("x", text, strlen(text), &m, &err), -EINVAL);
		assert_null(m);
		snprintf(place, sizeof(place), "x:%d", newline[1] ? 5 : 4);
		if (!strstr(err.text, bad_lines[i].why) || strcmp(err.place, place))
			fail_msg("%s\nsays %s: %s\nnot %s: %s", bad, err.place, err.text, place,
				 bad_lines[i].why);
	}
}

static void there_are_at_most_eight_idle_states(void **state)
{
	char text[1024] = HEAD;
	struct machine_error err;
	struct machine *m = NULL;
	size_t at = strlen(text);

	(void)state;
	for (int i = 0; i < 8; i++)
		at += (size_t)sprintf(text + at, "idle C%d mwait exit 5 residency 5" TAIL, i);
	m = machine_must_text(text);
	machine_free(m);
	sprintf(text + at, "idle C8 mwait exit 5 residency 5" TAIL);
	assert_int_equal(machine_load_text("x", text, strlen(text), &m, &err), -EINVAL);
	assert_string_equal(err.place, "x:11");
	assert_string_equal(err.text, "more than 8 idle states");
}

static const char *level_of(const struct machine_place *places, unsigned a, unsigned b)
{
	return machine_level_name(machine_level_of(&places[a], &places[b]));
}

static void cpus_share_what_the_hardware_says(void **state)
{
	static const struct {
		const char *machine;
		unsigned a, b;
		const char *level;
	} pairs[] = {
		{ "kunpeng920", 5, 5, "same CPU" },
		{ "kunpeng920", 4, 7, "same cluster" },
		{ "kunpeng920", 3, 4, "same LLC" },
		{ "kunpeng920", 31, 32, "same package" },
		{ "kunpeng920", 63, 64, "remote" },
		{ "xeon-4s24c", 0, 96, "same core" },
		{ "xeon-4s24c", 0, 23, "same LLC" },
		{ "xeon-4s24c", 0, 24, "remote" },
		/* The package is one in each NPS mode. */
		{ "epyc-7003-2s-nps1", 8, 136, "same core" },
		{ "epyc-7003-2s-nps1", 8, 143, "same LLC" },
		{ "epyc-7003-2s-nps1", 0, 63, "same package" },
		{ "epyc-7003-2s-nps4", 0, 63, "same package" },
		{ "epyc-7003-2s-nps4", 0, 64, "remote" },
		/* Two small cores in a big one; a node holds eight of lscpu's sockets. */
		{ "power9-lpar", 0, 2, "same core" },
		{ "power9-lpar", 0, 1, "same LLC" },
		{ "power9-lpar", 0, 8, "same package" },
		{ "power9-lpar", 0, 64, "remote" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct machine *m = machine_must(pairs[i].machine);
		struct machine_place *places = machine_places(m);

		assert_string_equal(level_of(places, pairs[i].a, pairs[i].b), pairs[i].level);
		assert_string_equal(level_of(places, pairs[i].b, pairs[i].a), pairs[i].level);
		free(places);
		machine_free(m);
	}
}

static void nodes_part_packages_but_are_no_level(void **state)
{
	struct machine *m = machine_must("epyc-7003-2s-nps4");
	struct machine_place *places = machine_places(m);

	(void)state;
	assert_int_equal(places[0].package, places[63].package);
	assert_int_not_equal(places[0].node, places[63].node);
	assert_int_equal(places[0].node, places[15].node);
	assert_int_equal(places[0].node, places[128].node);
	assert_int_equal(places[200].package, 64);
	free(places);
	machine_free(m);
}

static void offline_cpus_and_holes_share_nothing(void **state)
{
	struct machine *m = machine_must_text("machine m\ncpus 0-3,6-7\narch x86\npackage 0-3 6-7\n"
					      "core 0-1 x2 +2 6-7\ncluster 0-3 6-7\n"
					      "cache L3 1M 0-3 6-7\nonline 0,2-3,6-7\n");
	struct machine_place *places = machine_places(m);

	(void)state;
	assert_string_equal(level_of(places, 0, 1), "remote");
	assert_string_equal(level_of(places, 0, 2), "same cluster");
	assert_string_equal(level_of(places, 2, 3), "same core");
	assert_string_equal(level_of(places, 4, 5), "remote");
	assert_string_equal(level_of(places, 0, 4), "remote");
	assert_int_not_equal(places[1].node, places[0].node);
	assert_int_equal(places[0].node, places[7].node);
	assert_int_not_equal(places[4].core, places[5].core);
	free(places);
	machine_free(m);
}

static void names_have_ends(void **state)
{
	(void)state;
	assert_string_equal(machine_class_name(MACHINE_PINNED_FIT), "pinned-fit");
	assert_string_equal(machine_class_name(MACHINE_NR_CLASSES), "unknown");
	assert_string_equal(machine_level_name(MACHINE_NR_LEVELS), "unknown");
	assert_string_equal(machine_idle_kind_name(MACHINE_IDLE_CEDE), "cede");
	assert_string_equal(machine_idle_kind_name(MACHINE_IDLE_CEDE + 1), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cost_has_a_name_and_a_place),
		cmocka_unit_test(every_preset_has_a_complete_card),
		cmocka_unit_test(presets_idle_as_their_drivers_do),
		cmocka_unit_test(the_kunpengs_lines_are_fitted),
		cmocka_unit_test(a_text_may_say_part_of_its_card),
		cmocka_unit_test(a_text_may_take_over_a_presets_card),
		cmocka_unit_test(a_machine_without_a_card_has_the_common_one),
		cmocka_unit_test(an_unknown_card_is_refused),
		cmocka_unit_test(bad_lines_are_refused_with_their_place),
		cmocka_unit_test(there_are_at_most_eight_idle_states),
		cmocka_unit_test(cpus_share_what_the_hardware_says),
		cmocka_unit_test(nodes_part_packages_but_are_no_level),
		cmocka_unit_test(offline_cpus_and_holes_share_nothing),
		cmocka_unit_test(names_have_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
