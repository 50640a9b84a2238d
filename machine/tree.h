/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading small files below one folder, and never outside it.
 */
#ifndef WAKELAB_MACHINE_TREE_H
#define WAKELAB_MACHINE_TREE_H

#include "machine/private.h"

struct machine_tree {
	const char *name; /* for messages */
	const char *sys;  /* "sys/", or "" if the folder is a /sys */
	int root;
	struct machine_error *err;
};

#define MACHINE_TREE_FILE_MAX 65536

int machine_tree_open(struct machine_tree *t, const char *dir);
void machine_tree_close(struct machine_tree *t);
bool machine_tree_exists(const struct machine_tree *t, const char *path);

/*
 * Reads a file as text: up to the first zero byte (trees made by copying sysfs pages are
 * padded), without white space at the end. -ENOENT if there is none, without a message.
 */
int machine_tree_read(const struct machine_tree *t, const char *path, char *buf, size_t size);

/* Ids N of the entries PREFIXN of a folder. -ENOENT without a message; -E2BIG above max. */
int machine_tree_ids(const struct machine_tree *t, const char *path, const char *prefix,
		     unsigned max, hwloc_bitmap_t ids);

/* A failure at a path of the tree. */
int machine_tree_fail(const struct machine_tree *t, int rc, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* What the tree says of the processor: /proc/cpuinfo and hwloc's notes. */
int machine_tree_arch(const struct machine_tree *t, struct machine *m);

#endif
