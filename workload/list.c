// SPDX-License-Identifier: GPL-2.0-only
/* Lists of CPUs, and where a task may run. */
#include "workload/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is asked of the machine again and again. */
int work_learn_machine(struct work_compile *c)
{
	const struct work_machine *machine = c->machine;

	for (uint32_t i = 0; i < machine->nr; i++) {
		c->cpus[machine->cpus[i] / 64] |= 1ULL << machine->cpus[i] % 64;
		c->nodes[machine->node[i] / 64] |= 1ULL << machine->node[i] % 64;
	}
	for (uint32_t i = 0; i < WORK_WORDS; i++)
		c->nr_nodes += (uint32_t)__builtin_popcountll(c->nodes[i]);
	c->node_masks = malloc(c->nr_nodes * sizeof(*c->node_masks));
	if (!c->node_masks)
		return work_nomem(c);
	memset(c->node_masks, 0xff, c->nr_nodes * sizeof(*c->node_masks));
	return 0;
}

/* A number of at most five digits at *p. */
static int cpu_number(const char **p, const char *end, uint32_t *out)
{
	const char *start = *p;

	for (*out = 0; *p < end && **p >= '0' && **p <= '9' && *p - start < 5; (*p)++)
		*out = *out * 10 + (uint32_t)(**p - '0');
	return *p == start;
}

static int add_range(struct work_compile *c, uint32_t token, uint16_t *list, uint32_t *nr,
		     uint32_t first, uint32_t last)
{
	for (uint32_t cpu = first; cpu <= last; cpu++) {
		c->steps++;
		if (cpu >= WORK_WORDS * 64 || !(c->cpus[cpu / 64] >> cpu % 64 & 1))
			return work_fail(c, -EINVAL, token,
					 "CPU %u is none of the %u that tasks may use (%u to %u)",
					 cpu, c->machine->nr, c->machine->cpus[0],
					 c->machine->cpus[c->machine->nr - 1]);
		if (*nr == WORK_LIST_MAX)
			return work_fail(c, -E2BIG, token, "a list of more than %u CPUs",
					 WORK_LIST_MAX);
		list[(*nr)++] = (uint16_t)cpu;
	}
	return 0;
}

/* "0-3,8", in this order; "-" is the empty list. The caller frees it. */
int work_parse_list(struct work_compile *c, uint32_t token, const char *text, uint32_t len,
		    uint16_t **list, uint32_t *nr)
{
	const char *p = text, *end = text + len;
	uint32_t first, last;
	int rc = work_step(c, len);

	*nr = 0;
	*list = rc ? NULL : malloc(WORK_LIST_MAX * sizeof(**list));
	if (!rc && !*list)
		rc = work_nomem(c);
	if (rc || (len == 1 && *p == '-'))
		return rc;
	do {
		if (cpu_number(&p, end, &first))
			goto bad;
		last = first;
		if (p < end && *p == '-' && (p++, cpu_number(&p, end, &last) || last < first))
			goto bad;
		rc = add_range(c, token, *list, nr, first, last);
	} while (!rc && p < end && *p == ',' && p++);
	if (!rc && p == end)
		return 0;
bad:
	free(*list);
	*list = NULL;
	return rc ? rc : work_fail(c, -EINVAL, token, "expected CPUs like 0-3,8 or -, found "
				   "\"%.*s\"", len < 60 ? (int)len : 60, text);
}

static int pin_cpu(struct work_compile *c, uint32_t *mask)
{
	int64_t i;
	int rc = work_count(c, "the number among the CPUs that tasks may use", 0,
			    (int64_t)c->machine->nr - 1, &i);

	return rc ? rc : work_mask_add(c, &c->machine->cpus[i], 1, mask);
}

static uint16_t nth_node(const struct work_compile *c, uint32_t n)
{
	uint16_t node = 0;

	while (!(c->nodes[node / 64] >> node % 64 & 1) || n--)
		node++;
	return node;
}

/* The n-th node that has CPUs, by number. */
static int pin_node(struct work_compile *c, uint32_t *mask)
{
	uint32_t nr = 0;
	uint16_t *cpus, node;
	int64_t n;
	int rc = work_count(c, "the number among the nodes", 0, (int64_t)c->nr_nodes - 1, &n);

	if (rc)
		return rc;
	*mask = c->node_masks[n];
	if (*mask != WORK_NONE)
		return 0;
	cpus = malloc(c->machine->nr * sizeof(*cpus));
	if (!cpus)
		return work_nomem(c);
	node = nth_node(c, (uint32_t)n);
	for (uint32_t i = 0; i < c->machine->nr; i++)
		if (c->machine->node[i] == node)
			cpus[nr++] = c->machine->cpus[i];
	rc = work_mask_add(c, cpus, nr, mask);
	c->node_masks[n] = *mask;
	free(cpus);
	return rc;
}

/* $list, or one element of it: an empty list doesn't pin. */
static int pin_variable(struct work_compile *c, uint32_t *mask)
{
	const struct work_variable *v;
	uint32_t token = c->pos;
	struct work_value value;
	int64_t i;
	int rc = work_factor(c, &value);

	if (rc)
		return rc;
	if (value.type != VALUE_LIST)
		return work_fail(c, -EINVAL, token, "%s is no list of CPUs",
				 work_found(c, token));
	v = &c->variables[value.variable];
	if (!work_is(c, '['))
		return v->nr ? work_mask_add(c, v->list, v->nr, mask) : 0;
	c->pos++;
	rc = work_count(c, "the element of the list", 0, v->nr ? v->nr - 1 : INT32_MAX, &i);
	rc = rc ? rc : work_expect(c, ']', "]");
	return rc || !v->nr ? rc : work_mask_add(c, &v->list[i], 1, mask);
}

static int pin_text(struct work_compile *c, uint32_t *mask)
{
	const struct work_token *t = work_at(c);
	uint16_t *list;
	uint32_t nr;
	int rc = work_parse_list(c, c->pos, c->text + t->at, t->len, &list, &nr);

	if (!rc && nr)
		rc = work_mask_add(c, list, nr, mask);
	free(list);
	c->pos++;
	return rc;
}

int work_pin(struct work_compile *c, uint32_t *mask)
{
	*mask = WORK_NONE;
	if (work_takes(c, WORD_all))
		return 0;
	if (work_takes(c, WORD_cpu))
		return pin_cpu(c, mask);
	if (work_takes(c, WORD_node))
		return pin_node(c, mask);
	if (work_is(c, TOKEN_TEXT))
		return pin_text(c, mask);
	if (work_is(c, TOKEN_VARIABLE))
		return pin_variable(c, mask);
	return work_fail(c, -EINVAL, c->pos,
			 "expected cpu N, node N, \"0-3,8\", a list or all, found %s",
			 work_found(c, c->pos));
}
