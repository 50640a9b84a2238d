// SPDX-License-Identifier: GPL-2.0-only
/* Which variant was recorded: release, variant line, sched features. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "trace/replay.h"

/* The variant's name, or why there is none. */
static const char *recorded(const char *release, const char *variant, const char *machine)
{
	static struct sched_variant v;
	static struct trace_error err;
	struct trace_head head = { .path = "x", .release = release, .variant = variant,
				   .machine = machine };

	return trace_variant(&head, &v, &err) ? err.text : v.name;
}

static void a_release_names_a_stable_tree(void **state)
{
	(void)state;
	assert_string_equal(recorded("6.1.0-50-cloud-amd64", NULL, ""), "v6.1.176");
	assert_string_equal(recorded("5.10.0-46-cloud-amd64", "stock", ""), "v5.10.262");
	assert_string_equal(recorded("6.12.117+deb12-cloud-amd64", NULL, ""), "v6.12.117");
	assert_string_equal(recorded("7.3.4+deb13-cloud-amd64", NULL, ""), "v7.3.4");
	assert_non_null(strstr(recorded("6.8.0-31-generic", NULL, ""), "no version is known"));
	assert_non_null(strstr(recorded("", NULL, ""), "no version is known"));
}

static void a_variant_line_names_a_proposal_whole(void **state)
{
	(void)state;
	assert_string_equal(recorded("5.10.262", "idlemask-v4: text", ""),
			    "v5.10.262+idle-cpumask=v4");
	assert_string_equal(recorded("6.1.192", "previdle-none-dm: text", ""),
			    "v6.1.192+prev-idle=none");
	assert_string_equal(recorded("6.1.192", "siscore-p12-imb", ""), "v6.1.192+sis-core=p12");
	assert_string_equal(recorded("6.1.192", "siscore-v6s: text", ""), "v6.1.192+sis-core=v6");
	assert_string_equal(recorded("6.1.192", "cluster-v67", ""), "v6.1.192+cluster-scan=v11");
	/* no prefix of it, no other spelling */
	assert_non_null(strstr(recorded("6.1.192", "cluster-scan=v2", ""), "names no known"));
	assert_non_null(strstr(recorded("6.1.192", "cluster-v3", ""), "names no known"));
	assert_non_null(strstr(recorded("6.1.192", "base-mine: text", ""), "names no known"));
	/* known, but senseless on this kernel */
	assert_non_null(strstr(recorded("6.1.192", "idlemask-v4", ""), "ended with v5.11"));
}

static void only_the_line_of_features_switches(void **state)
{
	(void)state;
	assert_string_equal(recorded("6.1.192", "prop", "kernel 6.1.192\n"
				     "GENTLE_FAIR_SLEEPERS SIS_PROP NO_SIS_UTIL WA_IDLE\n"),
			    "v6.1.192+SIS_PROP+NO_SIS_UTIL");
	assert_string_equal(recorded("6.1.192", "base: compares NO_WA_IDLE",
				     "variant base: compares NO_WA_IDLE\n"), "v6.1.192");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_names_a_stable_tree),
		cmocka_unit_test(a_variant_line_names_a_proposal_whole),
		cmocka_unit_test(only_the_line_of_features_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
