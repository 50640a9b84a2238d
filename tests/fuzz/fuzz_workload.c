// SPDX-License-Identifier: GPL-2.0-only
/* A load's text, and perhaps behind a zero the parameters that are given. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/workload_test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_draws(const struct workload *w)
{
	for (uint32_t i = 0; i < w->nr_ops; i++) {
		const struct work_op *op = &w->ops[i];

		for (uint64_t random = 1; op->dist != WORK_NONE && random; random <<= 9) {
			uint64_t x = work_draw(&w->dists[op->dist], -random);

			if (x > 30 * WORK_TIME_MAX)
				abort();
			if (op->kind == WORK_SEND && (!x || x > WORK_MESSAGE_MAX))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);
	size_t len = zero ? (size_t)(zero - data) : size;
	struct work_error err = { "", "" };
	struct workload *w = NULL;
	char *text = malloc(len + !len);	/* so that a read beyond it is seen */
	char *given = zero ? strndup((const char *)zero + 1, size - len - 1) : NULL;
	int rc;

	if (!text)
		return 0;
	memcpy(text, data, len);
	rc = workload_load_text("fuzz", text, len, given, &test_machine, &w, &err);
	if (rc && (rc > 0 || w || !err.place[0] || !err.text[0]))
		abort();
	if (!rc && (!w || check_workload(w)))
		abort();
	if (!rc)
		check_draws(w);
	workload_free(w);
	free(text);
	free(given);
	return 0;
}
