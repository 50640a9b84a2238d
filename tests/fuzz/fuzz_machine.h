/* SPDX-License-Identifier: GPL-2.0-only */
/* What the targets of machine/ do with a reader's answer: see that it kept its word. */
#ifndef TESTS_FUZZ_FUZZ_MACHINE_H
#define TESTS_FUZZ_FUZZ_MACHINE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_domains(const struct machine *m, const struct machine_kernel *k)
{
	struct machine_error err = { "", "" };
	struct machine_domains *d = NULL;

	if (machine_domains(m, k, &d, &err)) {
		if (d || !err.place[0] || !err.text[0])
			abort();
		return;
	}
	for (unsigned cpu = 0; cpu < d->nr_cpu_ids; cpu++)
		for (unsigned i = 0; i < d->cpus[cpu].nr; i++)
			if (!hwloc_bitmap_isset(d->cpus[cpu].sd[i].span, cpu))
				abort();
	machine_domains_free(d);
}

/* rc and out as a reader left them; out must have been NULL before. */
static void check_machine(int rc, struct machine *m, const struct machine_error *err)
{
	static const struct machine_kernel kernels[] = { { 5, 4, true }, { 6, 12, true },
							 { 7, 3, true } };

	if (rc) {
		if (rc > 0 || m || !err->place[0] || !err->text[0])
			abort();
		return;
	}
	if (!m || hwloc_bitmap_iszero(m->online) || !m->nr_nodes)
		abort();
	/* Domains of thousands of CPUs take longer than they teach. */
	for (unsigned i = 0; m->nr_cpu_ids <= 512 && i < 3; i++)
		check_domains(m, &kernels[i]);
	machine_free(m);
}

typedef int (*machine_text_fn)(const char *name, const char *text, size_t len,
			       struct machine **out, struct machine_error *err);

static inline int fuzz_text(machine_text_fn read, const uint8_t *data, size_t size)
{
	struct machine_error err = { "", "" };
	struct machine *m = NULL;
	char *exact = malloc(size + !size); /* so that a read beyond it is seen */
	int rc;

	if (!exact)
		return 0;
	memcpy(exact, data, size);
	rc = read("fuzz", exact, size, &m, &err);
	check_machine(rc, m, &err);
	free(exact);
	return 0;
}

#endif
