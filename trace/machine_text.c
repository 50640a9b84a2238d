// SPDX-License-Identifier: GPL-2.0-only
/* machine.txt, as far as a recording's head needs it; the verifier reads the domains. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/internal.h"

#define HZ_MAX	100000

static int parse_number(const char *text, unsigned int *value)
{
	char *end;
	unsigned long n;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || n > UINT32_MAX || (*end && *end != ' ' && *end != '\t'))
		return -EINVAL;
	*value = n;
	return 0;
}

static int set_text(char **to, const char *what, const char *text, const struct trace_place *at,
		    struct trace_error *err)
{
	if (*to)
		return trace_fail(err, at, -EBADMSG, "a second line \"%s\"", what);
	if (!trace_is_printable(text))
		return trace_fail(err, at, -EBADMSG, "a control character in line \"%s\"", what);
	*to = strdup(text);
	return *to ? 0 : trace_fail(err, at, -ENOMEM, "%s", strerror(ENOMEM));
}

static int parse_line(struct trace_reader *r, const char *line, const struct trace_place *at,
		      struct trace_error *err)
{
	struct trace_head *head = &r->head;
	unsigned int n;

	if (!strncmp(line, "kernel ", 7))
		return set_text(&r->release, "kernel", line + 7, at, err);
	if (!strncmp(line, "variant ", 8))
		return set_text(&r->variant, "variant", line + 8, at, err);
	if (!strncmp(line, "hz ", 3)) {
		if (parse_number(line + 3, &n) || !n || n > HZ_MAX)
			return trace_fail(err, at, -EBADMSG,
					  "\"hz\" expects a number of 1 to %d, not \"%.20s\"",
					  HZ_MAX, line + 3);
		head->hz = n;
	}
	if (!strncmp(line, "TOPO ", 5)) {
		if (parse_number(line + 5, &n) || n >= TRACE_NR_CPUS)
			return trace_fail(err, at, -EBADMSG,
					  "\"TOPO\" expects a CPU below %d, not \"%.20s\"",
					  TRACE_NR_CPUS, line + 5);
		if (n >= head->nr_cpus)
			head->nr_cpus = n + 1;
	}
	return 0;
}

int trace_machine_parse(struct trace_reader *r, const char *path, struct trace_error *err)
{
	struct trace_place at = { path, TRACE_AT_LINE, 0 };
	char *text = strdup(r->machine), *rest = text, *line;
	int ret = 0;

	if (!text)
		return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
	while (!ret && (line = strsep(&rest, "\n"))) {
		at.n++;
		ret = parse_line(r, line, &at, err);
	}
	free(text);
	if (ret)
		return ret;
	if (!r->release || !*r->release)
		return trace_fail_file(err, path, -EBADMSG, "no line \"kernel RELEASE\"");
	if (!r->head.hz)
		return trace_fail_file(err, path, -EBADMSG, "no line \"hz NUMBER\"");
	r->head.release = r->release;
	r->head.variant = r->variant;
	return 0;
}

/* In the same folder as the CSV file. */
char *trace_machine_path(const char *csv_path)
{
	const char *slash = strrchr(csv_path, '/');
	int folder = slash ? slash + 1 - csv_path : 0;
	char *path;

	return asprintf(&path, "%.*smachine.txt", folder, csv_path) < 0 ? NULL : path;
}

/* A recording may be anything, so its machine.txt may be a device or endless: read to a limit. */
static int read_all(int fd, const char *path, char **text, size_t *len, struct trace_error *err)
{
	size_t used = 0, room = 0;
	char *buffer = NULL;
	ssize_t got = 1;

	while (got) {
		if (room - used < 2) {
			char *more = used > TRACE_MACHINE_MAX ? NULL : realloc(buffer, room + 65536);

			if (!more) {
				free(buffer);
				return used > TRACE_MACHINE_MAX ?
					trace_fail_file(err, path, -EFBIG, "more than %u bytes",
							TRACE_MACHINE_MAX) :
					trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
			}
			buffer = more;
			room += 65536;
		}
		got = read(fd, buffer + used, room - used - 1);
		if (got < 0) {
			int code = -errno;

			free(buffer);
			return trace_fail_file(err, path, code, "%s", strerror(-code));
		}
		used += got;
	}
	buffer[used] = '\0';
	*text = buffer;
	*len = used;
	return 0;
}

int trace_machine_read(const char *csv_path, char **text, size_t *len, struct trace_error *err)
{
	char *path = trace_machine_path(csv_path);
	int fd, ret;

	if (!path)
		return trace_fail_file(err, csv_path, -ENOMEM, "%s", strerror(ENOMEM));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		trace_fail_file(err, path, ret, "%s; a CSV recording needs it beside it",
				strerror(-ret));
		free(path);
		return ret;
	}
	ret = read_all(fd, path, text, len, err);
	close(fd);
	if (!ret && memchr(*text, '\0', *len)) {
		ret = trace_fail_file(err, path, -EBADMSG, "a zero byte: not a text");
		free(*text);
		*text = NULL;
	}
	free(path);
	return ret;
}
