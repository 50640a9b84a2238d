// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/internal.h"

#define DEPTH_MAX	32

struct list {
	char **paths;
	size_t n, room;
};

static int add(struct list *list, const char *path, struct trace_error *err)
{
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		char **more = realloc(list->paths, room * sizeof(*more));

		if (!more)
			return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
		list->paths = more;
		list->room = room;
	}
	list->paths[list->n] = strdup(path);
	if (!list->paths[list->n])
		return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
	list->n++;
	return 0;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), cut = strlen(suffix);

	return len > cut && !strcmp(name + len - cut, suffix);
}

static bool is_recording(const char *name)
{
	return has_suffix(name, ".wlr") || has_suffix(name, ".csv") || has_suffix(name, ".csv.gz");
}

static int search(struct list *list, const char *folder, int depth, struct trace_error *err);

static int search_entry(struct list *list, const char *folder, const char *name, int depth,
			struct trace_error *err)
{
	size_t len = strlen(folder);
	struct stat st, target;
	char *path;
	int ret = 0;

	if (asprintf(&path, "%s%s%s", folder, len && folder[len - 1] == '/' ? "" : "/", name) < 0)
		return trace_fail_file(err, folder, -ENOMEM, "%s", strerror(ENOMEM));
	if (lstat(path, &st) || stat(path, &target))
		st.st_mode = 0;	/* gone meanwhile, or a link to nowhere */
	if (S_ISDIR(st.st_mode))
		ret = search(list, path, depth + 1, err);
	else if (st.st_mode && S_ISREG(target.st_mode) && is_recording(name))
		ret = add(list, path, err);
	free(path);
	return ret;
}

static int search(struct list *list, const char *folder, int depth, struct trace_error *err)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	if (depth > DEPTH_MAX)
		return trace_fail_file(err, folder, -ELOOP, "more than %d folders deep", DEPTH_MAX);
	dir = opendir(folder);
	if (!dir) {
		ret = -errno;
		return trace_fail_file(err, folder, ret, "%s", strerror(-ret));
	}
	while (!ret) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (entry->d_name[0] != '.')
			ret = search_entry(list, folder, entry->d_name, depth, err);
	}
	if (!ret && errno) {
		ret = -errno;
		trace_fail_file(err, folder, ret, "%s", strerror(-ret));
	}
	closedir(dir);
	return ret;
}

static int add_argument(struct list *list, const char *path, struct trace_error *err)
{
	size_t before = list->n;
	struct stat st;
	int ret;

	if (stat(path, &st)) {
		ret = -errno;
		return trace_fail_file(err, path, ret, "%s", strerror(-ret));
	}
	if (!S_ISDIR(st.st_mode))
		return add(list, path, err);
	ret = search(list, path, 0, err);
	if (!ret && list->n == before)
		ret = trace_fail_file(err, path, -ENOENT,
				      "no recording in this folder (*.wlr, *.csv, *.csv.gz)");
	return ret;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct list *list)
{
	size_t kept = 0;

	if (!list->n)
		return;
	qsort(list->paths, list->n, sizeof(*list->paths), compare);
	for (size_t i = 1; i < list->n; i++) {
		if (!strcmp(list->paths[i], list->paths[kept]))
			free(list->paths[i]);
		else
			list->paths[++kept] = list->paths[i];
	}
	list->n = kept + 1;
}

int trace_files(const char *const *paths, size_t n, char ***out, size_t *n_out,
		struct trace_error *err)
{
	struct list list = { NULL, 0, 0 };
	int ret = 0;

	*out = NULL;
	*n_out = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = add_argument(&list, paths[i], err);
	if (ret) {
		trace_files_free(list.paths, list.n);
		return ret;
	}
	sort(&list);
	*out = list.paths;
	*n_out = list.n;
	return 0;
}

void trace_files_free(char **files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(files[i]);
	free(files);
}
