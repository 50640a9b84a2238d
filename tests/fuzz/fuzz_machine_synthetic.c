// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz_machine.h"

const char *__lsan_default_suppressions(void);

/* libhwloc 2.9 loses memory on strings it refuses. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_error err = { "", "" };
	char *text = strndup((const char *)data, size);
	struct machine *m = NULL;
	int rc;

	if (text) {
		rc = machine_read_synthetic(text, &m, &err);
		check_machine(rc, m, &err);
	}
	free(text);
	return 0;
}
