// SPDX-License-Identifier: GPL-2.0-only
#include "report/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER ((size_t)256 << 10)
#define MAX_PARTS 1000u

/* Not mkstemp(): the file's mode is the umask's business. */
static int open_part(struct report_file *file)
{
	for (unsigned n = 0; n < MAX_PARTS; n++) {
		if (asprintf(&file->part, "%s.%u.part", file->path, n) < 0) {
			file->part = NULL;
			return -ENOMEM;
		}
		file->fd = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (file->fd >= 0)
			return 0;
		free(file->part);
		file->part = NULL;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Renaming over a device would destroy what the user never meant; over a link, the link. */
static int open_file(struct report_file *file, const char *path)
{
	struct stat st;
	int found = !stat(path, &st);

	if (!found && errno != ENOENT)
		return -errno;
	if (found && !S_ISREG(st.st_mode)) {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ? -errno : 0;
	}
	file->path = found ? realpath(path, NULL) : strdup(path);
	return file->path ? open_part(file) : -errno;
}

int report_file_create(struct report_file *file, const char *path)
{
	int ret;

	*file = (struct report_file){ .fd = -1, .max = BUFFER };
	file->buf = malloc(file->max);
	ret = file->buf ? open_file(file, path) : -ENOMEM;
	if (ret) {
		free(file->path);
		free(file->buf);
	}
	return ret;
}

static int flush(struct report_file *file)
{
	for (size_t done = 0; done < file->len;) {
		ssize_t n = write(file->fd, file->buf + done, file->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	file->len = 0;
	return 0;
}

int report_file_reserve(struct report_file *file, size_t size, uint8_t **out)
{
	if (size > file->max - file->len) {
		int ret = flush(file);

		if (ret)
			return ret;
	}
	if (size > file->max) {
		uint8_t *buf = realloc(file->buf, size);

		if (!buf)
			return -ENOMEM;
		file->buf = buf;
		file->max = size;
	}
	*out = file->buf + file->len;
	return 0;
}

int report_file_close(struct report_file *file, int failed)
{
	int ret = failed ? failed : flush(file);

	if (close(file->fd) && !ret)
		ret = -errno;
	if (!ret && file->part && rename(file->part, file->path))
		ret = -errno;
	if (ret && file->part)
		unlink(file->part);
	free(file->part);
	free(file->path);
	free(file->buf);
	return ret;
}
