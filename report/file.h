/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that appears under its name when it is complete, written through one buffer. */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct report_file {
	/* Where it shall stand, links resolved, and where it grows; NULL: no regular file. */
	char *path, *part;
	int fd;
	uint8_t *buf;
	size_t len, max;
};

/* All return 0 or a negative errno. */
int report_file_create(struct report_file *file, const char *path);

/* Room for size bytes at *out, to be counted with file->len when they are filled. */
int report_file_reserve(struct report_file *file, size_t size, uint8_t **out);

/* failed: the error so far, or 0. Only without one the file takes its name. */
int report_file_close(struct report_file *file, int failed);

#endif
