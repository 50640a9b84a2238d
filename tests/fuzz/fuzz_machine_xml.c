// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_text(machine_read_xml, data, size);
}
