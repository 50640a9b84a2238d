// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"
#include "trace/internal.h"

static int no_memory(struct trace_error *err, const char *path)
{
	return trace_fail_file(err, path, -ENOMEM, "%s", strerror(ENOMEM));
}

/* "data/messages.csv.gz" is the load messages; the native format says it itself. */
static char *load_of(const char *path)
{
	static const char *const suffixes[] = { ".gz", ".csv", ".wlr" };
	const char *slash = strrchr(path, '/');
	char *load = strdup(slash ? slash + 1 : path);

	for (size_t i = 0; load && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t len = strlen(load), cut = strlen(suffixes[i]);

		if (len > cut && !strcmp(load + len - cut, suffixes[i]))
			load[len - cut] = '\0';
	}
	for (char *c = load; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return load;
}

/* The source's first piece is the beginning of the file, long enough for every magic. */
static int open_format(struct trace_reader *r, struct trace_error *err)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b };
	int ret = 0;

	if (r->src.fd >= 0)
		ret = trace_source_more(&r->src, r->path, err);
	if (ret)
		return ret;
	if (!r->src.len)
		return trace_fail_file(err, r->path, -EBADMSG, "an empty file");
	if (r->src.len >= TRACE_MAGIC_LEN && !memcmp(r->src.data, TRACE_MAGIC, TRACE_MAGIC_LEN))
		return trace_native_open(r, err);
	return trace_csv_open(r, r->src.len >= 2 && !memcmp(r->src.data, gzip, 2), err);
}

static int open_reader(const char *path, const void *data, size_t len, const char *machine,
		       struct trace_reader **out, struct trace_error *err)
{
	struct trace_reader *r = calloc(1, sizeof(*r));
	int ret = 0;

	*out = NULL;
	if (!r)
		return no_memory(err, path);
	r->src.fd = -1;
	r->path = strdup(path);
	r->load = load_of(path);
	if (machine) {
		r->machine = strdup(machine);
		r->head.machine_len = strlen(machine);
	}
	if (!r->path || !r->load || (machine && !r->machine))
		ret = no_memory(err, path);
	r->head.path = r->path;
	if (!ret && data)
		trace_source_memory(&r->src, data, len);
	else if (!ret)
		ret = trace_source_open(&r->src, path, err);
	if (!ret)
		ret = open_format(r, err);
	if (ret) {
		trace_close(r);
		return ret;
	}
	r->head.load = r->load;
	*out = r;
	return 0;
}

int trace_open(const char *path, struct trace_reader **out, struct trace_error *err)
{
	return open_reader(path, NULL, 0, NULL, out, err);
}

int trace_open_memory(const char *path, const void *data, size_t len, const char *machine,
		      struct trace_reader **out, struct trace_error *err)
{
	return open_reader(path, data ? data : "", data ? len : 0, machine, out, err);
}

void trace_close(struct trace_reader *r)
{
	if (!r)
		return;
	trace_csv_close(r);
	trace_native_close(r);
	trace_source_close(&r->src);
	free(r->path);
	free(r->load);
	free(r->machine);
	free(r->release);
	free(r->variant);
	free(r);
}

const struct trace_head *trace_head(const struct trace_reader *r)
{
	return &r->head;
}

uint64_t trace_position(const struct trace_reader *r)
{
	return r->count ? r->count - 1 : 0;
}

static int wrong_kind(const struct trace_reader *r, struct trace_error *err)
{
	return trace_fail_file(err, r->path, -EINVAL, "a recording of %s, %s are expected",
			       r->head.kind == TRACE_WAKEUPS ? "wake-ups" : "writers",
			       r->head.kind == TRACE_WAKEUPS ? "writers" : "wake-ups");
}

/* The end and a failure are final: a reader never goes on behind a hole. */
static int stop(struct trace_reader *r, int ret, struct trace_error *err)
{
	r->failed = ret ? ret : 1;
	if (err)
		*err = r->failure;
	return ret;
}

static int next(struct trace_reader *r, struct trace_error *err)
{
	int ret;

	if (__builtin_expect(r->failed, 0))
		return stop(r, r->failed < 0 ? r->failed : 0, err);
	ret = r->native ? trace_native_next(r, &r->failure) : trace_csv_next(r, &r->failure);
	if (__builtin_expect(ret <= 0, 0))
		return stop(r, ret, err);
	r->count++;
	return 1;
}

int trace_next(struct trace_reader *r, const struct trace_record **rec, struct trace_error *err)
{
	*rec = &r->object.record;
	return r->head.kind == TRACE_WAKEUPS ? next(r, err) : wrong_kind(r, err);
}

int trace_next_event(struct trace_reader *r, const struct trace_event **ev,
		     struct trace_error *err)
{
	*ev = &r->object.event;
	return r->head.kind == TRACE_WRITERS ? next(r, err) : wrong_kind(r, err);
}
