// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz_machine.h"

const char *__lsan_default_suppressions(void);

/* libhwloc 2.9 loses objects of a topology it refuses half-way. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_text(machine_read_xml, data, size);
}
