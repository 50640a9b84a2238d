// SPDX-License-Identifier: GPL-2.0-only
/* A machine's text, an empty line, and a CSV file, packed by gzip or not. */
#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = memmem(data, size, "\n\n", 2);
	size_t text_len = cut ? cut + 1 - data : 0;
	char *machine = strndup((const char *)data, text_len);
	uint8_t *csv;

	if (!cut || !machine) {
		free(machine);
		return 0;
	}
	/* of exactly this size, so that a read beyond it is seen */
	size -= text_len + 1;
	csv = malloc(size + !size);
	if (csv) {
		memcpy(csv, cut + 2, size);
		read_recording(csv, size, machine);
	}
	free(csv);
	free(machine);
	return 0;
}
