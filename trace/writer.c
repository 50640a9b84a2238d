// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/internal.h"

static int fail_errno(struct trace_error *err, const char *path, int code)
{
	return trace_fail_file(err, path, code, "%s", strerror(-code));
}

static void free_writer(struct trace_writer *w)
{
	trace_pack_free(w);
	free(w->path);
	free(w->temporary);
	free(w->load);
	free(w->machine);
	free(w->line);
	free(w);
}

/* Renaming over a device or a folder would destroy what the user never meant. */
static int check_target(const struct trace_writer *w, struct trace_error *err)
{
	struct stat st;

	if (!stat(w->path, &st) && !S_ISREG(st.st_mode))
		return trace_fail_file(err, w->path, -EINVAL, "not a regular file");
	return 0;
}

static int open_temporary(struct trace_writer *w, struct trace_error *err)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (!strcmp(w->path, "-")) {
		w->file = stdout;
		return 0;
	}
	if (check_target(w, err))
		return -EINVAL;
	if (asprintf(&w->temporary, "%s.XXXXXX", w->path) < 0) {
		w->temporary = NULL;
		return fail_errno(err, w->path, -ENOMEM);
	}
	fd = mkstemp(w->temporary);
	if (fd < 0) {
		int code = -errno;

		free(w->temporary);
		w->temporary = NULL;
		return fail_errno(err, w->path, code);
	}
	fchmod(fd, 0666 & ~mask);
	w->file = fdopen(fd, "w");
	if (w->file)
		return 0;
	close(fd);
	return fail_errno(err, w->path, -ENOMEM);
}

static int copy_head(struct trace_writer *w, const char *path, const struct trace_head *head,
		     enum trace_format format, struct trace_error *err)
{
	const char *missing;

	w->table = trace_table(head->kind);
	w->head = (struct trace_head){
		.kind = head->kind, .format = format, .nr_cpus = head->nr_cpus,
		.machine_len = head->machine_len,
	};
	memcpy(w->head.columns, head->columns, sizeof(head->columns));
	w->path = strdup(path);
	w->load = strdup(head->load);
	w->machine = strndup(head->machine, head->machine_len);
	if (!w->path || !w->load || !w->machine)
		return fail_errno(err, path, -ENOMEM);
	w->head.path = w->path;
	w->head.load = w->load;
	w->head.machine = w->machine;
	missing = trace_table_missing(w->table, head->columns);
	if (missing)
		return trace_fail_file(err, path, -EINVAL,
				       "no column %s, which every recording needs", missing);
	if (!head->nr_cpus || head->nr_cpus > TRACE_NR_CPUS)
		return trace_fail_file(err, path, -EINVAL, "%u CPUs", head->nr_cpus);
	return 0;
}

int trace_create_as(enum trace_format format, const char *path, const struct trace_head *head,
		    struct trace_writer **out, struct trace_error *err)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int ret;

	*out = NULL;
	if (!w)
		return fail_errno(err, path, -ENOMEM);
	ret = copy_head(w, path, head, format, err);
	if (!ret)
		ret = open_temporary(w, err);
	if (!ret)
		ret = format == TRACE_NATIVE ? trace_pack_begin(w, err) : trace_csv_begin(w, err);
	if (ret) {
		trace_abort(w);
		return ret;
	}
	*out = w;
	return 0;
}

int trace_create(const char *path, const struct trace_head *head, struct trace_writer **out,
		 struct trace_error *err)
{
	return trace_create_as(TRACE_NATIVE, path, head, out, err);
}

int trace_writer_put(struct trace_writer *w, const void *data, size_t len, struct trace_error *err)
{
	errno = 0;
	if (fwrite(data, 1, len, w->file) == len)
		return 0;
	return fail_errno(err, w->path, errno ? -errno : -EIO);
}

/* No file may say what no reader would take. */
static int check_numbers(const struct trace_writer *w, const void *object, struct trace_error *err)
{
	const struct trace_place at = { w->path, TRACE_AT_RECORD, w->count };
	unsigned int nr_cpus = w->head.nr_cpus;

	for (unsigned int i = 0; i < w->table->n; i++) {
		const struct trace_field *field = &w->table->fields[i];
		const char *from = (const char *)object + field->offset;
		unsigned int count = trace_field_count(field, nr_cpus);

		if (!trace_has(&w->head, i))
			continue;
		if (field->type == TRACE_CPU && trace_get(from, field) >= nr_cpus)
			return trace_fail(err, &at, -ERANGE, "column %s: CPU %u of %u",
					  field->name, (unsigned int)trace_get(from, field),
					  nr_cpus);
		if (field->type == TRACE_MASK &&
		    trace_get(from + 8 * (count - 1), field) & ~trace_last_word(nr_cpus))
			return trace_fail(err, &at, -ERANGE, "column %s: a CPU beyond %u",
					  field->name, nr_cpus - 1);
		if (field->type == TRACE_TEXT && !trace_is_word(from, 8 * count))
			return trace_fail(err, &at, -ERANGE, "column %s isn't a word",
					  field->name);
	}
	return 0;
}

static int put(struct trace_writer *w, enum trace_kind kind, const void *object,
	       struct trace_error *err)
{
	int ret;

	if (w->failed)
		return fail_errno(err, w->path, w->failed);
	if (w->head.kind != kind)
		return trace_fail_file(err, w->path, -EINVAL, "a record of the other kind");
	ret = check_numbers(w, object, err);
	if (ret)
		return ret;
	ret = w->head.format == TRACE_NATIVE ? trace_pack_put(w, object, err) :
					       trace_csv_put(w, object, err);
	w->failed = ret;
	w->count += !ret;
	return ret;
}

int trace_write(struct trace_writer *w, const struct trace_record *rec, struct trace_error *err)
{
	return put(w, TRACE_WAKEUPS, rec, err);
}

int trace_write_event(struct trace_writer *w, const struct trace_event *ev,
		      struct trace_error *err)
{
	return put(w, TRACE_WRITERS, ev, err);
}

/* Closes the file; what a full disk swallowed shows here at the latest. */
static int finish_file(struct trace_writer *w, struct trace_error *err)
{
	FILE *file = w->file;
	int ret;

	errno = 0;
	if (file == stdout)
		ret = fflush(file);
	else
		ret = fclose(file);
	w->file = NULL;
	if (!ret && w->temporary)
		ret = rename(w->temporary, w->path);
	return ret ? fail_errno(err, w->path, errno ? -errno : -EIO) : 0;
}

int trace_commit(struct trace_writer *w, struct trace_error *err)
{
	int ret = w->failed ? fail_errno(err, w->path, w->failed) : 0;

	if (!ret && w->head.format == TRACE_NATIVE)
		ret = trace_pack_end(w, err);
	if (!ret)
		ret = finish_file(w, err);
	if (ret)
		trace_abort(w);
	else
		free_writer(w);
	return ret;
}

void trace_abort(struct trace_writer *w)
{
	if (!w)
		return;
	if (w->file && w->file != stdout)
		fclose(w->file);
	if (w->temporary)
		unlink(w->temporary);
	free_writer(w);
}

/* Is the text there the same? *same tells if there is one. */
static int compare_machine(const char *csv_path, const char *path, const struct trace_head *head,
			   bool *same, struct trace_error *err)
{
	char *text = NULL;
	size_t len;
	int ret = trace_machine_read(csv_path, &text, &len, err);

	*same = !ret && len == head->machine_len && !memcmp(text, head->machine, len);
	free(text);
	if (ret == -ENOENT)
		return 0;
	if (!ret && !*same)
		return trace_fail_file(err, path, -EEXIST, "another machine's text is there");
	return ret;
}

int trace_write_machine(const char *path, const struct trace_head *head, struct trace_error *err)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	bool same = false;
	int ret = -ENOMEM;

	if (w)
		w->path = trace_machine_path(path);
	if (!w || !w->path) {
		free(w);
		return fail_errno(err, path, ret);
	}
	ret = compare_machine(path, w->path, head, &same, err);
	if (!ret && !same)
		ret = open_temporary(w, err);
	if (!ret && !same)
		ret = trace_writer_put(w, head->machine, head->machine_len, err);
	if (!ret && !same)
		ret = finish_file(w, err);
	if (!ret) {
		free_writer(w);
		return 0;
	}
	trace_abort(w);
	return ret;
}
