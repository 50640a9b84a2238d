// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording that reads well may still describe no machine, or CPUs that the
 * machine lacks: whatever passes the reader is decided, under its own variant and
 * under one that has to make up what it reads.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void verify(const uint8_t *data, size_t size, const struct sched_variant *variant)
{
	struct trace_error err = { "", "" };
	struct trace_verified verified;
	struct trace_reader *reader;

	if (trace_open_memory("fuzz/x.wlr", data, size, NULL, &reader, &err))
		return;
	if (trace_verify_reader(reader, variant, &verified, NULL, NULL, &err) && !err.text[0])
		abort();
	trace_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sched_variant variant;
	struct sched_variant_error err;

	verify(data, size, NULL);
	if (!sched_variant_parse("v6.0+sis-core=v6", &variant, &err))
		verify(data, size, &variant);
	return 0;
}
