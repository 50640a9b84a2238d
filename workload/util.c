// SPDX-License-Identifier: GPL-2.0-only
/* Messages, growing arrays, and an index of hashes. */
#include "workload/private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages quote the input, which may hold what a terminal would obey. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static int fail(struct work_error *err, int rc, const char *format, va_list ap)
{
	vsnprintf(err->text, sizeof(err->text), format, ap);
	make_printable(err->place);
	make_printable(err->text);
	return rc;
}

int work_fail_place(struct work_error *err, int rc, const char *place, const char *format, ...)
{
	va_list ap;

	if (!err)
		return rc;
	snprintf(err->place, sizeof(err->place), "%s", place);
	va_start(ap, format);
	rc = fail(err, rc, format, ap);
	va_end(ap);
	return rc;
}

int work_fail(struct work_compile *c, int rc, uint32_t token, const char *format, ...)
{
	const struct work_token *t = &c->tokens[token];
	va_list ap;

	if (!c->err)
		return rc;
	if (t->line)	/* a long name must not push the line out */
		snprintf(c->err->place, sizeof(c->err->place), "%.230s:%u", c->file, t->line);
	else
		snprintf(c->err->place, sizeof(c->err->place), "parameter %.*s",
			 (int)c->given[t->given].name_len, c->given[t->given].name);
	va_start(ap, format);
	rc = fail(c->err, rc, format, ap);
	va_end(ap);
	return rc;
}

int work_nomem(struct work_compile *c)
{
	return work_fail_place(c->err, -ENOMEM, c->file, "allocation failed");
}

int work_grow(struct work_compile *c, void *array, uint32_t *room, uint32_t nr, size_t size)
{
	uint32_t wanted = *room ? *room * 2 : 16;
	void *bigger, *old;

	memcpy(&old, array, sizeof(old));
	if (nr < *room)
		return 0;
	bigger = realloc(old, wanted * size);
	if (!bigger)
		return work_nomem(c);
	memset((char *)bigger + *room * size, 0, (wanted - *room) * size);
	memcpy(array, &bigger, sizeof(bigger));
	*room = wanted;
	return 0;
}

int work_step(struct work_compile *c, uint32_t nr)
{
	c->steps += nr;
	if (nr > WORK_STEPS_MAX || c->steps > WORK_STEPS_MAX)
		return work_fail(c, -E2BIG, c->pos,
				 "too much is unrolled: more than %u words are evaluated",
				 WORK_STEPS_MAX);
	return 0;
}

const char *work_found(struct work_compile *c, uint32_t token)
{
	const struct work_token *t = &c->tokens[token];
	const char *text = t->line ? c->text : c->given[t->given].value;
	int len = t->len < 60 ? (int)t->len : 60;

	if (t->kind == TOKEN_END)
		return t->line ? "the end of the file" : "its end";
	if (t->kind == TOKEN_LINE && text[t->at] != ';')
		return "the end of the line";
	if (t->kind == TOKEN_TEXT)
		snprintf(c->found, sizeof(c->found), "the text \"%.*s\"", len, text + t->at);
	else
		snprintf(c->found, sizeof(c->found), "\"%s%.*s\"",
			 t->kind == TOKEN_VARIABLE ? "$" : "", len, text + t->at);
	return c->found;
}

uint32_t work_hash(uint32_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 0x01000193;	/* FNV-1a */
	hash ^= hash >> 15;
	return hash;
}

uint32_t work_index_next(const struct work_index *index, uint32_t hash, uint32_t *cursor)
{
	while (*cursor < index->size) {
		const struct work_slot *slot =
			&index->slots[(hash + (*cursor)++) & (index->size - 1)];

		if (slot->item == WORK_NONE)
			return WORK_NONE;
		if (slot->hash == hash)
			return slot->item;
	}
	return WORK_NONE;
}

static void put(struct work_index *index, uint32_t hash, uint32_t item)
{
	uint32_t at = hash & (index->size - 1);

	while (index->slots[at].item != WORK_NONE)
		at = (at + 1) & (index->size - 1);
	index->slots[at] = (struct work_slot){ hash, item };
	index->nr++;
}

int work_index_add(struct work_index *index, uint32_t hash, uint32_t item)
{
	struct work_index bigger = { NULL, index->size ? index->size * 2 : 64, 0 };

	if (index->nr + 1 > index->size / 2) {
		bigger.slots = malloc(bigger.size * sizeof(*bigger.slots));
		if (!bigger.slots)
			return -ENOMEM;
		for (uint32_t i = 0; i < bigger.size; i++)
			bigger.slots[i].item = WORK_NONE;
		for (uint32_t i = 0; i < index->size; i++) {
			if (index->slots[i].item != WORK_NONE)
				put(&bigger, index->slots[i].hash, index->slots[i].item);
		}
		free(index->slots);
		*index = bigger;
	}
	put(index, hash, item);
	return 0;
}
