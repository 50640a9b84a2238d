// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever passes the reader is judged for what follows from one call to the next, with
 * times, numbers and tasks that no kernel had.
 */
#include <stdlib.h>

#include "trace/conform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_error err = { "", "" };
	struct trace_conformed conformed;
	struct trace_reader *reader;

	if (trace_open_memory("fuzz/x.wlr", data, size, NULL, &reader, &err))
		return 0;
	if (trace_conform_reader(reader, NULL, &conformed, &err) && !err.text[0])
		abort();
	trace_close(reader);
	return 0;
}
