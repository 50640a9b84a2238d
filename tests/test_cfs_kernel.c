// SPDX-License-Identifier: GPL-2.0-only
/*
 * The integers are the kernel's. A script of random operations was run on this code and,
 * step by step, on the functions of kernel/sched/fair.c and pelt.c themselves, compiled
 * for user space with the structures that they need: those of 6.1.192 and 5.10.262 as
 * Debian has them, and for the other rows these with the hunks taken back or put in that
 * the mainline release has otherwise. All of 1500 scripts agreed in every word. What
 * remains of it here is a digest of the first ten; a change of a digest is a change of
 * behaviour that no kernel stands behind.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/fair_script.h"

static const struct {
	const char *version;
	uint64_t digest;
} rows[] = {
	{ "5.4", 0xc32b24d0a3cbf64d },
	{ "5.10", 0xf06df69a5ccb8ee5 },
	{ "5.13", 0x4786cd3b73b45b1f },
	{ "5.15", 0xcfd242eaa646a445 },
	{ "5.17", 0x57fe053ccf1a0f67 },
	{ "6.0", 0xd7e760110351a528 },
	{ "6.1", 0x8f00f8d915f564b3 },
	{ "6.5", 0x8f00f8d915f564b3 },	/* no turn of these is longer than a latency */
};

static struct script script;

static void scripts_end_where_the_kernel_s_functions_do(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t digest = 0;

		for (uint64_t seed = 1; seed <= 10; seed++)
			digest = digest * 31 + script_run(&script, rows[i].version, seed, 2000);
		if (digest != rows[i].digest) {
			print_error("v%s: digest %#llx instead of %#llx\n", rows[i].version,
				    (unsigned long long)digest,
				    (unsigned long long)rows[i].digest);
			wrong = 1;
		}
	}
	assert_false(wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_end_where_the_kernel_s_functions_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
