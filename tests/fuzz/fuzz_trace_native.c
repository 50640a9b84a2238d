// SPDX-License-Identifier: GPL-2.0-only
/*
 * A native file, or what is inside one: that is packed here first, since no fuzzer finds
 * the checksum of what it changed.
 */
#include <zstd.h>

#include "fuzz_trace.h"
#include "trace/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_inside(const uint8_t *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), len;
	uint8_t *file = malloc(TRACE_PREFIX_LEN + room);

	if (!file)
		return;
	memcpy(file, TRACE_MAGIC "\1\0\0\0", TRACE_PREFIX_LEN);
	len = ZSTD_compress(file + TRACE_PREFIX_LEN, room, data, size, 1);
	if (!ZSTD_isError(len))
		read_recording(file, TRACE_PREFIX_LEN + len, NULL);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= TRACE_MAGIC_LEN && !memcmp(data, TRACE_MAGIC, TRACE_MAGIC_LEN))
		read_recording(data, size, NULL);
	else
		read_inside(data, size);
	return 0;
}
