// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages, and small texts: lists, masks, numbers, words.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/private.h"

/* Messages quote the input, which may hold what a terminal would obey. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static int fail(struct machine_error *err, int rc, const char *fmt, va_list ap)
{
	if (!err)
		return rc;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	make_printable(err->place);
	make_printable(err->text);
	return rc;
}

int machine_fail(struct machine_error *err, int rc, const char *place, const char *fmt, ...)
{
	va_list ap;

	if (err)
		snprintf(err->place, sizeof(err->place), "%s", place);
	va_start(ap, fmt);
	rc = fail(err, rc, fmt, ap);
	va_end(ap);
	return rc;
}

int machine_fail_line(struct machine_error *err, int rc, const char *name, unsigned line,
		      const char *fmt, ...)
{
	va_list ap;

	/* A long name must not push the line number out. */
	if (err)
		snprintf(err->place, sizeof(err->place), "%.230s:%u", name, line);
	va_start(ap, fmt);
	rc = fail(err, rc, fmt, ap);
	va_end(ap);
	return rc;
}

int machine_nomem(struct machine_error *err)
{
	return machine_fail(err, -ENOMEM, "memory", "allocation failed");
}

bool machine_next_line(struct machine_span *text, struct machine_span *line)
{
	const char *end;

	if (!text->len)
		return false;
	line->p = text->p;
	end = memchr(text->p, '\n', text->len);
	line->len = end ? (size_t)(end - text->p) : text->len;
	text->len -= line->len + (end ? 1 : 0);
	text->p += line->len + (end ? 1 : 0);
	if (line->len && line->p[line->len - 1] == '\r')
		line->len--;
	return true;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

bool machine_next_word(struct machine_span *line, struct machine_span *word)
{
	while (line->len && blank(*line->p)) {
		line->p++;
		line->len--;
	}
	word->p = line->p;
	while (line->len && !blank(*line->p)) {
		line->p++;
		line->len--;
	}
	word->len = line->p - word->p;
	return word->len > 0;
}

bool machine_span_is(struct machine_span s, const char *word)
{
	return s.len == strlen(word) && !memcmp(s.p, word, s.len);
}

char *machine_span_dup(struct machine_span s)
{
	while (s.len && blank(*s.p)) {
		s.p++;
		s.len--;
	}
	while (s.len && (blank(s.p[s.len - 1]) || s.p[s.len - 1] == '\r'))
		s.len--;
	return strndup(s.p, s.len);
}

/* Digits at *p, at most max; *p moves behind them. */
static int digits(const char **p, const char *end, unsigned long max, unsigned long *out)
{
	unsigned long v = 0;
	const char *start = *p;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		v = v * 10 + (unsigned long)(**p - '0');
		if (v > max)
			return -E2BIG;
	}
	*out = v;
	return *p == start ? -EINVAL : 0;
}

int machine_parse_uint(const char *text, size_t len, unsigned long max, unsigned long *out)
{
	const char *p = text, *end = text + len;
	int rc = digits(&p, end, max, out);

	if (rc)
		return rc;
	return p == end ? 0 : -EINVAL;
}

int machine_parse_list(const char *text, size_t len, hwloc_bitmap_t set)
{
	const char *p = text, *end = text + len;
	unsigned long lo, hi;
	int rc;

	hwloc_bitmap_zero(set);
	while (p < end) {
		rc = digits(&p, end, MACHINE_CPUS_MAX - 1, &lo);
		if (rc)
			return rc;
		hi = lo;
		if (p < end && *p == '-') {
			p++;
			rc = digits(&p, end, MACHINE_CPUS_MAX - 1, &hi);
			if (rc)
				return rc;
		}
		if (hi < lo)
			return -EINVAL;
		if (hwloc_bitmap_set_range(set, (unsigned)lo, (int)hi))
			return -ENOMEM;
		if (p == end)
			break;
		if (*p++ != ',' || p == end)
			return -EINVAL;
	}
	return 0;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int machine_parse_mask(const char *text, size_t len, hwloc_bitmap_t set)
{
	unsigned bit = 0, run = 0;
	size_t i;
	int v, b;

	hwloc_bitmap_zero(set);
	if (!len)
		return -EINVAL;
	/* From the right: the last digit holds CPUs 0 to 3; commas part words of 32 bits. */
	for (i = len; i-- > 0;) {
		if (text[i] == ',') {
			if (run != 8 || i == 0)
				return -EINVAL;
			run = 0;
			continue;
		}
		v = hex(text[i]);
		if (v < 0 || ++run > (memchr(text, ',', len) ? 8u : len))
			return -EINVAL;
		for (b = 0; b < 4; b++, bit++) {
			if (!(v & (1 << b)))
				continue;
			if (bit >= MACHINE_CPUS_MAX)
				return -E2BIG;
			if (hwloc_bitmap_set(set, bit))
				return -ENOMEM;
		}
	}
	return run ? 0 : -EINVAL;
}

int machine_parse_size(const char *text, size_t len, uint64_t *out)
{
	const char *p = text, *end = text + len;
	unsigned long v;
	int rc = digits(&p, end, 1ul << 40, &v);

	if (rc)
		return rc;
	*out = v;
	if (p == end)
		return 0;
	if (*p == 'K')
		*out <<= 10;
	else if (*p == 'M')
		*out <<= 20;
	else if (*p == 'G')
		*out <<= 30;
	else
		return -EINVAL;
	if (*out > 1ull << 50)
		return -E2BIG;
	return p + 1 == end ? 0 : -EINVAL;
}

hwloc_bitmap_t machine_set_dup(hwloc_const_bitmap_t set)
{
	return set ? hwloc_bitmap_dup(set) : hwloc_bitmap_alloc();
}

unsigned machine_set_weight(hwloc_const_bitmap_t set)
{
	int w = set ? hwloc_bitmap_weight(set) : 0;

	return w < 0 ? 0 : (unsigned)w;
}

const char *machine_set_text(hwloc_const_bitmap_t set, char *buf, size_t size)
{
	int n = hwloc_bitmap_list_snprintf(buf, size, set);

	if (n >= (int)size && size > 4)
		memcpy(buf + size - 4, "...", 4);
	return buf;
}
