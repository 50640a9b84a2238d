// SPDX-License-Identifier: GPL-2.0-only
/* Lines of a CSV file, through zlib if it is packed; never more than one in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "trace/internal.h"

#define FIRST_ROOM	(64u << 10)

struct trace_lines {
	struct trace_source *src;
	const char *path;
	char *buffer;
	size_t room, begin, end;	/* what isn't returned yet is at begin..end */
	size_t next;			/* begin of the line after the one last returned */
	uint64_t number;		/* of the line last returned, from 1 */
	bool gzip, in_member, again;
	z_stream z;
};

struct trace_place trace_lines_place(const struct trace_lines *lines)
{
	return (struct trace_place){ lines->path, TRACE_AT_LINE, lines->number };
}

int trace_lines_open(struct trace_source *src, const char *path, bool gzip,
		     struct trace_lines **out, struct trace_error *err)
{
	struct trace_lines *lines = calloc(1, sizeof(*lines));

	*out = lines;
	if (!lines)
		return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
	lines->src = src;
	lines->path = path;
	lines->gzip = gzip;
	lines->room = FIRST_ROOM;
	lines->buffer = malloc(lines->room);
	if (lines->buffer && (!gzip || inflateInit2(&lines->z, 16 + MAX_WBITS) == Z_OK)) {
		lines->in_member = gzip;
		return 0;
	}
	lines->gzip = false;
	trace_lines_close(lines);
	*out = NULL;
	return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
}

void trace_lines_close(struct trace_lines *lines)
{
	if (!lines)
		return;
	if (lines->gzip)
		inflateEnd(&lines->z);
	free(lines->buffer);
	free(lines);
}

static int fail_gzip(struct trace_lines *lines, struct trace_error *err, const char *what)
{
	const struct trace_place at = { lines->path, TRACE_AT_BYTE,
					trace_source_offset(lines->src) };

	return trace_fail(err, &at, -EBADMSG, "gzip: %s", what);
}

/* Appends what one piece of the source gives; *got is 0 only at the end of the file. */
static int unpack_more(struct trace_lines *lines, size_t *got, struct trace_error *err)
{
	struct trace_source *src = lines->src;
	z_stream *z = &lines->z;
	size_t room = lines->room - lines->end;
	int ret = 0;

	z->next_out = (Bytef *)lines->buffer + lines->end;
	z->avail_out = room;
	while (z->avail_out == room) {
		if (src->pos == src->len)
			ret = trace_source_more(src, lines->path, err);
		if (ret)
			return ret;
		if (src->pos == src->len) {
			*got = 0;
			return lines->in_member ? fail_gzip(lines, err, "the file ends too early") :
						  0;
		}
		if (!lines->in_member)	/* another member follows, as after cat a.gz b.gz */
			inflateReset(z);
		lines->in_member = true;
		z->next_in = (Bytef *)(uintptr_t)(src->data + src->pos);
		z->avail_in = src->len - src->pos;
		ret = inflate(z, Z_NO_FLUSH);
		src->pos = src->len - z->avail_in;
		if (ret == Z_STREAM_END)
			lines->in_member = false;
		else if (ret != Z_OK)
			return fail_gzip(lines, err, z->msg ? z->msg : zError(ret));
		ret = 0;
	}
	*got = room - z->avail_out;
	return 0;
}

static int copy_more(struct trace_lines *lines, size_t *got, struct trace_error *err)
{
	struct trace_source *src = lines->src;
	size_t room = lines->room - lines->end;

	if (src->pos == src->len) {
		int ret = trace_source_more(src, lines->path, err);

		if (ret)
			return ret;
	}
	*got = src->len - src->pos < room ? src->len - src->pos : room;
	if (*got)
		memcpy(lines->buffer + lines->end, src->data + src->pos, *got);
	src->pos += *got;
	return 0;
}

/* Room for at least one byte more, and for the NUL that takes the newline's place. */
static int make_room(struct trace_lines *lines, struct trace_error *err)
{
	const struct trace_place at = { lines->path, TRACE_AT_LINE, lines->number + 1 };
	char *more;

	if (lines->begin) {
		memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->next -= lines->begin;
		lines->begin = 0;
	}
	if (lines->end < lines->room)
		return 0;
	if (lines->room >= TRACE_LINE_MAX)
		return trace_fail(err, &at, -EBADMSG, "a line of more than %u bytes",
				  TRACE_LINE_MAX);
	more = realloc(lines->buffer, lines->room * 2);
	if (!more)
		return trace_fail(err, &at, -ENOMEM, "%s", strerror(ENOMEM));
	lines->buffer = more;
	lines->room *= 2;
	return 0;
}

static int find_line(struct trace_lines *lines, char **newline, struct trace_error *err)
{
	size_t looked = lines->begin;

	for (;;) {
		size_t got = 0;
		int ret;

		*newline = memchr(lines->buffer + looked, '\n', lines->end - looked);
		if (*newline)
			return 1;
		looked = lines->end - lines->begin;
		ret = make_room(lines, err);
		if (!ret)
			ret = lines->gzip ? unpack_more(lines, &got, err) :
					    copy_more(lines, &got, err);
		if (ret)
			return ret;
		if (!got)
			return 0;
		lines->end += got;
	}
}

int trace_lines_next(struct trace_lines *lines, char **line, char **end, struct trace_error *err)
{
	int ret;

	if (!lines->again)
		lines->begin = lines->next;
	lines->again = false;
	if (lines->begin < lines->next) {
		*line = lines->buffer + lines->begin;
		*end = lines->buffer + lines->next - 1;
		return 1;
	}
	ret = find_line(lines, end, err);
	if (ret < 0)
		return ret;
	if (!ret && lines->begin == lines->end)
		return 0;
	lines->number++;
	if (!ret) {
		const struct trace_place at = trace_lines_place(lines);

		return trace_fail(err, &at, -EBADMSG, "the line isn't complete, the file ends in it");
	}
	**end = '\0';
	lines->next = *end + 1 - lines->buffer;
	*line = lines->buffer + lines->begin;
	return 1;
}

void trace_lines_unread(struct trace_lines *lines)
{
	lines->again = true;
}
