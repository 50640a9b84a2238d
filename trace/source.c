// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/internal.h"

#define PIECE	(64u << 10)

int trace_source_open(struct trace_source *src, const char *path, struct trace_error *err)
{
	*src = (struct trace_source){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (src->fd < 0) {
		int code = -errno;

		return trace_fail_file(err, path, code, "%s", strerror(-code));
	}
	src->buffer = malloc(PIECE);
	if (src->buffer)
		return 0;
	trace_source_close(src);
	return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
}

void trace_source_memory(struct trace_source *src, const void *data, size_t len)
{
	*src = (struct trace_source){ .fd = -1, .data = data, .len = len };
}

/* The next piece, to be called when all of this one was used; len is 0 at the end. */
int trace_source_more(struct trace_source *src, const char *path, struct trace_error *err)
{
	src->before += src->len;
	src->pos = src->len = 0;
	while (src->fd >= 0 && src->len < PIECE) {
		ssize_t got = read(src->fd, src->buffer + src->len, PIECE - src->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			const struct trace_place at = { path, TRACE_AT_BYTE, src->before };
			int code = -errno;

			return trace_fail(err, &at, code, "%s", strerror(-code));
		}
		if (!got)
			break;
		src->len += got;
	}
	src->data = src->buffer;
	return 0;
}

void trace_source_close(struct trace_source *src)
{
	if (src->fd >= 0)
		close(src->fd);
	free(src->buffer);
	*src = (struct trace_source){ .fd = -1 };
}
