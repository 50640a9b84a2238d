// SPDX-License-Identifier: GPL-2.0-only
/* Tables whose equal entries are one: programs, processes, masks. */
#include "workload/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int work_program_end(struct work_compile *c, uint32_t first, uint32_t *program)
{
	struct workload *w = c->w;
	uint32_t nr = w->nr_ops - first, cursor = 0, i;
	size_t size = nr * sizeof(*w->ops);
	uint32_t hash = work_hash(nr, &w->ops[first], size);
	int rc;

	while ((i = work_index_next(&c->program_index, hash, &cursor)) != WORK_NONE) {
		if (w->programs[i].nr == nr &&
		    !memcmp(&w->ops[w->programs[i].first], &w->ops[first], size)) {
			w->nr_ops = first;
			*program = i;
			return 0;
		}
	}
	rc = work_grow(c, &w->programs, &c->room_programs, w->nr_programs, sizeof(*w->programs));
	if (rc)
		return rc;
	if (work_index_add(&c->program_index, hash, w->nr_programs))
		return work_nomem(c);
	w->programs[w->nr_programs] = (struct work_program){ first, nr };
	*program = w->nr_programs++;
	return 0;
}

int work_process(struct work_compile *c, uint32_t name, uint32_t element, uint32_t *process)
{
	struct work_process p = { name, element };
	uint32_t hash = work_hash(0, &p, sizeof(p)), cursor = 0, i;
	int rc;

	while ((i = work_index_next(&c->process_index, hash, &cursor)) != WORK_NONE) {
		if (!memcmp(&c->processes[i], &p, sizeof(p))) {
			*process = i;
			return 0;
		}
	}
	rc = work_grow(c, &c->processes, &c->room_processes, c->w->nr_processes, sizeof(p));
	if (rc)
		return rc;
	if (work_index_add(&c->process_index, hash, c->w->nr_processes))
		return work_nomem(c);
	c->processes[c->w->nr_processes] = p;
	*process = c->w->nr_processes++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* An ascending copy, each once. */
static uint16_t *sorted(const uint16_t *cpus, uint32_t *nr)
{
	uint16_t *copy = malloc(*nr * sizeof(*copy));
	uint32_t kept = 0;

	if (!copy)
		return NULL;
	memcpy(copy, cpus, *nr * sizeof(*copy));
	qsort(copy, *nr, sizeof(*copy), compare);
	for (uint32_t i = 0; i < *nr; i++)
		if (!i || copy[i] != copy[i - 1])
			copy[kept++] = copy[i];
	*nr = kept;
	return copy;
}

static uint32_t find_mask(const struct work_compile *c, uint32_t hash, const uint16_t *cpus,
			  uint32_t nr)
{
	uint32_t cursor = 0, i;

	do {
		i = work_index_next(&c->mask_index, hash, &cursor);
	} while (i != WORK_NONE && (c->w->masks[i].nr != nr ||
				    memcmp(c->w->masks[i].cpus, cpus, nr * sizeof(*cpus))));
	return i;
}

int work_mask_add(struct work_compile *c, const uint16_t *cpus, uint32_t nr, uint32_t *mask)
{
	uint16_t *copy = sorted(cpus, &nr);
	uint32_t hash;
	int rc;

	if (!copy)
		return work_nomem(c);
	hash = work_hash(nr, copy, nr * sizeof(*copy));
	*mask = find_mask(c, hash, copy, nr);
	if (*mask != WORK_NONE) {
		free(copy);
		return 0;
	}
	rc = work_grow(c, &c->w->masks, &c->room_masks, c->w->nr_masks, sizeof(*c->w->masks));
	if (!rc && work_index_add(&c->mask_index, hash, c->w->nr_masks))
		rc = work_nomem(c);
	if (rc) {
		free(copy);
		return rc;
	}
	c->w->masks[c->w->nr_masks] = (struct work_mask){ nr, copy };
	*mask = c->w->nr_masks++;
	return 0;
}
