// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "trace/internal.h"

/* What comes out of a hostile file must not move the cursor of a terminal. */
static void make_printable(char *text, unsigned char last)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f || *c > last)
			*c = '?';
}

/* Of a long path the end tells more than the beginning. */
static void say_place(struct trace_error *err, const struct trace_place *at)
{
	size_t len = strlen(at->path), room = sizeof(err->place) - 48;
	const char *dots = len > room ? "..." : "";
	const char *path = len > room ? at->path + len - room : at->path;

	switch (at->unit) {
	case TRACE_AT_FILE:
		snprintf(err->place, sizeof(err->place), "%s%s", dots, path);
		break;
	case TRACE_AT_LINE:
		snprintf(err->place, sizeof(err->place), "%s%s:%" PRIu64, dots, path, at->n);
		break;
	case TRACE_AT_BYTE:
		snprintf(err->place, sizeof(err->place), "%s%s: byte %" PRIu64, dots, path, at->n);
		break;
	case TRACE_AT_RECORD:
		snprintf(err->place, sizeof(err->place), "%s%s: record %" PRIu64, dots, path,
			 at->n);
		break;
	}
	make_printable(err->place, 0xff); /* names of files may be UTF-8 */
}

static void say(struct trace_error *err, const struct trace_place *at, const char *fmt, va_list ap)
{
	if (!err)
		return;
	say_place(err, at);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	make_printable(err->text, '~');
}

int trace_fail(struct trace_error *err, const struct trace_place *at, int code, const char *fmt,
	       ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(err, at, fmt, ap);
	va_end(ap);
	return code;
}

int trace_fail_file(struct trace_error *err, const char *path, int code, const char *fmt, ...)
{
	const struct trace_place at = { path, TRACE_AT_FILE, 0 };
	va_list ap;

	va_start(ap, fmt);
	say(err, &at, fmt, ap);
	va_end(ap);
	return code;
}
