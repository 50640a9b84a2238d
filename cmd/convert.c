// SPDX-License-Identifier: GPL-2.0-only
/* wakelab convert: recordings from one format to the other, whole or a few records. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "trace/trace.h"

#define NAME	"convert"

struct job {
	char *in, *out;
};

struct convert {
	const char *file, *folder, *pick;
	enum trace_format format;
	struct job *jobs;
	size_t n;
	uint64_t *picked;	/* ascending */
	size_t nr_picked;
};

static int fail(const struct trace_error *err)
{
	cmd_error(NAME, err->place, err->text);
	return -EINVAL;
}

static int fail_errno(const char *place, int code)
{
	cmd_error(NAME, place, strerror(code));
	return -code;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int add_picked(struct convert *c, size_t *room, uint64_t number)
{
	if (c->nr_picked == *room) {
		uint64_t *more;

		*room = *room ? 2 * *room : 256;
		more = realloc(c->picked, *room * sizeof(*more));
		if (!more)
			return fail_errno(c->pick, ENOMEM);
		c->picked = more;
	}
	c->picked[c->nr_picked++] = number;
	return 0;
}

/* The first word of a line is a record's number; '#' begins a comment. */
static int parse_pick(struct convert *c, const char *line, uint64_t nr, size_t *room)
{
	const char *p = line + strspn(line, " \t\r\n");
	uint64_t number;
	char *end;

	if (!*p || *p == '#')
		return 0;
	errno = 0;
	number = strtoull(p, &end, 10);
	if (*p < '0' || *p > '9' || errno || (*end && !strchr(" \t\r\n#", *end))) {
		fprintf(stderr, "wakelab " NAME ": %s:%" PRIu64
			": the number of a record is expected first\n", c->pick, nr);
		return -EINVAL;
	}
	return add_picked(c, room, number);
}

static int read_picks(struct convert *c)
{
	FILE *file = strcmp(c->pick, "-") ? fopen(c->pick, "re") : stdin;
	size_t room = 0, line_room = 0, kept = 0;
	uint64_t nr = 0;
	char *line = NULL;
	int ret = 0;

	if (!file)
		return fail_errno(c->pick, errno);
	while (!ret && getline(&line, &line_room, file) >= 0)
		ret = parse_pick(c, line, ++nr, &room);
	if (!ret && ferror(file))
		ret = fail_errno(c->pick, errno);
	free(line);
	if (file != stdin)
		fclose(file);
	if (ret || !c->nr_picked)
		return ret;
	qsort(c->picked, c->nr_picked, sizeof(*c->picked), compare_numbers);
	for (size_t i = 1; i < c->nr_picked; i++)
		if (c->picked[i] != c->picked[kept])
			c->picked[++kept] = c->picked[i];
	c->nr_picked = kept + 1;
	return 0;
}

/* Where the name without .csv, .csv.gz or .wlr ends. */
static size_t stem_of(const char *path)
{
	static const char *const suffixes[] = { ".gz", ".csv", ".wlr" };
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t cut = strlen(suffixes[i]);

		if (len > cut && !memcmp(path + len - cut, suffixes[i], cut))
			len -= cut;
	}
	return len;
}

/* Below -d a folder given as argument keeps its shape, without its own name. */
static char *output_of(const struct convert *c, const char *argument, const char *in)
{
	const char *suffix = c->format == TRACE_NATIVE ? ".wlr" : ".csv";
	const char *slash = strrchr(in, '/'), *name = in;
	char *out;
	int len;

	if (c->file)
		return strdup(c->file);
	if (c->folder) {
		name = slash ? slash + 1 : in;
		if (strcmp(argument, in))
			name = in + strlen(argument) + strspn(in + strlen(argument), "/");
	}
	len = c->folder ? asprintf(&out, "%s/%.*s%s", c->folder, (int)stem_of(name), name, suffix) :
			  asprintf(&out, "%.*s%s", (int)stem_of(name), name, suffix);
	return len < 0 ? NULL : out;
}

static int add_jobs(struct convert *c, const char *argument)
{
	struct trace_error err;
	struct job *more;
	char **files;
	size_t n;

	if (trace_files(&argument, 1, &files, &n, &err))
		return fail(&err);
	more = realloc(c->jobs, (c->n + n) * sizeof(*more));
	if (!more) {
		trace_files_free(files, n);
		return fail_errno(argument, ENOMEM);
	}
	c->jobs = more;
	for (size_t i = 0; i < n; i++)
		c->jobs[c->n++] = (struct job){ files[i], output_of(c, argument, files[i]) };
	free(files);
	for (size_t i = c->n - n; i < c->n; i++)
		if (!c->jobs[i].out)
			return fail_errno(argument, ENOMEM);
	return 0;
}

static int compare_outputs(const void *a, const void *b)
{
	return strcmp(((const struct job *)a)->out, ((const struct job *)b)->out);
}

/* Before anything is written: no output twice, none that is its own input. */
static int check_jobs(struct convert *c)
{
	qsort(c->jobs, c->n, sizeof(*c->jobs), compare_outputs);
	for (size_t i = 0; i < c->n; i++) {
		const struct job *job = &c->jobs[i];
		struct stat in, out;

		if (i && !strcmp(job->out, job[-1].out)) {
			fprintf(stderr, "wakelab " NAME ": %s and %s would both become %s\n",
				job[-1].in, job->in, job->out);
			return -EINVAL;
		}
		if (!stat(job->in, &in) && !stat(job->out, &out) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino) {
			cmd_error(NAME, job->in, "would become its own output: -o or -d names another");
			return -EINVAL;
		}
	}
	return 0;
}

/* The folders on the way to a file of -d. */
static int make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		int ret;

		if (*p != '/')
			continue;
		*p = '\0';
		ret = mkdir(path, 0777) && errno != EEXIST ? fail_errno(path, errno) : 0;
		*p = '/';
		if (ret)
			return ret;
	}
	return 0;
}

/* Positive if there was another record, which was copied if it is wanted. */
static int copy_one(struct trace_reader *r, struct trace_writer *w, const struct convert *c,
		    size_t *next, struct trace_error *err)
{
	const struct trace_record *rec = NULL;
	const struct trace_event *ev = NULL;
	bool events = trace_head(r)->kind == TRACE_WRITERS;
	int ret = events ? trace_next_event(r, &ev, err) : trace_next(r, &rec, err);

	if (ret <= 0)
		return ret;
	if (c->pick && (*next == c->nr_picked || c->picked[*next] != trace_position(r)))
		return 1;
	++*next;
	ret = events ? trace_write_event(w, ev, err) : trace_write(w, rec, err);
	return ret ? ret : 1;
}

static int copy(struct trace_reader *r, struct trace_writer *w, const struct convert *c,
		struct trace_error *err)
{
	size_t next = 0;
	int ret;

	do
		ret = copy_one(r, w, c, &next, err);
	while (ret > 0);
	if (!ret && c->pick && next < c->nr_picked) {
		snprintf(err->place, sizeof(err->place), "%.255s", trace_head(r)->path);
		snprintf(err->text, sizeof(err->text), "there is no record %" PRIu64,
			 c->picked[next]);
		return -ERANGE;
	}
	return ret;
}

static int convert_one(const struct convert *c, struct job *job)
{
	struct trace_writer *w = NULL;
	struct trace_reader *r;
	struct trace_error err;
	int ret;

	if (c->folder && make_folders(job->out))
		return -EINVAL;
	if (trace_open(job->in, &r, &err))
		return fail(&err);
	if (trace_head(r)->skipped_columns)
		fprintf(stderr, "wakelab " NAME ": %s: %u unknown columns left out\n", job->in,
			trace_head(r)->skipped_columns);
	ret = trace_create_as(c->format, job->out, trace_head(r), &w, &err);
	if (!ret)
		ret = copy(r, w, c, &err);
	if (!ret && c->format == TRACE_CSV && strcmp(job->out, "-"))
		ret = trace_write_machine(job->out, trace_head(r), &err);
	if (ret)
		trace_abort(w);
	else
		ret = trace_commit(w, &err);
	trace_close(r);
	return ret ? fail(&err) : 0;
}

static int convert(struct convert *c, char **arguments, size_t n)
{
	int ret = c->pick ? read_picks(c) : 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = add_jobs(c, arguments[i]);
	if (!ret && c->n != 1 && (c->file || c->pick)) {
		fprintf(stderr, "wakelab " NAME ": %s is for one recording, these are %zu\n",
			c->file ? "-o" : "--pick", c->n);
		ret = -EINVAL;
	}
	if (!ret)
		ret = check_jobs(c);
	for (size_t i = 0; i < c->n && !ret; i++)
		ret = convert_one(c, &c->jobs[i]);
	for (size_t i = 0; i < c->n; i++) {
		free(c->jobs[i].in);
		free(c->jobs[i].out);
	}
	free(c->jobs);
	free(c->picked);
	return ret ? CMD_FAILED : CMD_DONE;
}

int cmd_convert(int argc, char **argv)
{
	enum { CSV = 256, COLUMNS, PICK };
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "directory", required_argument, NULL, 'd' },
		{ "pick", required_argument, NULL, PICK },
		{ "csv", no_argument, NULL, CSV },
		{ "columns", no_argument, NULL, COLUMNS },
		{ NULL, 0, NULL, 0 },
	};
	struct convert c = { .format = TRACE_NATIVE };
	bool columns = false;
	int option;

	while ((option = getopt_long(argc, argv, "o:d:", options, NULL)) >= 0) {
		switch (option) {
		case 'o': c.file = optarg; break;
		case 'd': c.folder = optarg; break;
		case PICK: c.pick = optarg; break;
		case CSV: c.format = TRACE_CSV; break;
		case COLUMNS: columns = true; break;
		default: return cmd_usage(NAME);
		}
	}
	if (columns && optind == argc) {
		trace_print_columns(stdout);
		return cmd_finish(NAME, CMD_DONE);
	}
	if (columns)
		return cmd_misused(NAME, "--columns takes no recording");
	if (optind == argc)
		return cmd_misused(NAME, "which recording?");
	if (c.file && c.folder)
		return cmd_misused(NAME, "either -o or -d");
	if ((c.file || c.pick) && argc - optind > 1)
		return cmd_misused(NAME, "-o and --pick are for one recording");
	return cmd_finish(NAME, convert(&c, argv + optind, argc - optind));
}
