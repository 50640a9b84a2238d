// SPDX-License-Identifier: GPL-2.0-only
/* A name or a file becomes a load. */
#include "workload/private.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_LEN_MAX	4096

void workload_free(struct workload *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->nr_masks; i++)
		free(w->masks[i].cpus);
	free(w->masks);
	free(w->metrics);
	free(w->dists);
	free(w->groups);
	free(w->barriers);
	free(w->semaphores);
	free(w->locks);
	free(w->channels);
	free(w->tasks);
	free(w->programs);
	free(w->ops);
	free(w->about);
	free(w->name);
	free(w);
}

static void compile_free(struct work_compile *c)
{
	for (uint32_t i = 0; i < c->nr_variables; i++)
		free(c->variables[i].list);
	free(c->tokens);
	free(c->names);
	free(c->name_index.slots);
	free(c->given);
	free(c->symbols);
	free(c->program_index.slots);
	free(c->mask_index.slots);
	free(c->process_index.slots);
	free(c->dist_index.slots);
	free(c->processes);
	free(c->dist_keys);
	free(c->normal);
	free(c->node_masks);
	free(c->forks);
	free(c->started);
	workload_free(c->w);
	free(c);
}

/* groups[0] is the load's own. */
static int begin(struct work_compile *c, const char *name)
{
	c->w = calloc(1, sizeof(*c->w));
	if (!c->w)
		return work_nomem(c);
	c->main = WORK_NONE;
	c->w->name = strdup(name);
	c->w->groups = calloc(1, sizeof(*c->w->groups));
	c->w->time = 1000000000;
	if (!c->w->name || !c->w->groups)
		return work_nomem(c);
	c->room[SYMBOL_GROUP] = c->w->nr_groups = 1;
	c->w->groups[0].shares = 1024;
	return 0;
}

static int compile(struct work_compile *c, const char *name, const char *parameters)
{
	int rc = begin(c, name);

	rc = rc ? rc : work_learn_machine(c);
	rc = rc ? rc : work_split_given(c, parameters);
	rc = rc ? rc : work_lex(c);
	rc = rc ? rc : work_declarations(c);
	rc = rc ? rc : work_tasks(c);
	rc = rc ? rc : work_starter(c);
	return rc ? rc : work_check(c);
}

/* file: what messages call it; name: what the load is called */
static int load_text(const char *file, const char *name, const char *text, size_t len,
		     const char *parameters, const struct work_machine *machine,
		     struct workload **out, struct work_error *err)
{
	struct work_compile *c;
	int rc;

	assert(machine->nr);
	*out = NULL;
	if (len > WORK_TEXT_MAX)
		return work_fail_place(err, -E2BIG, file, "%zu bytes; at most %u are read", len,
				       WORK_TEXT_MAX);
	c = calloc(1, sizeof(*c));
	if (!c)
		return work_fail_place(err, -ENOMEM, file, "allocation failed");
	c->file = file;
	c->text = text;
	c->len = len;
	c->machine = machine;
	c->err = err;
	rc = compile(c, name, parameters);
	if (!rc) {
		*out = c->w;
		c->w = NULL;
	}
	compile_free(c);
	return rc;
}

int workload_load_text(const char *name, const char *text, size_t len, const char *parameters,
		       const struct work_machine *machine, struct workload **out,
		       struct work_error *err)
{
	return load_text(name, name, text, len, parameters, machine, out, err);
}

static int read_all(int fd, char *buf, size_t size, size_t *len)
{
	ssize_t n;

	*len = 0;
	while (*len < size) {
		n = read(fd, buf + *len, size - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		*len += (size_t)n;
	}
	return 0;
}

/* The whole file, at most one byte more than a load may have. */
static int read_file(const char *path, char **text, size_t *len, struct work_error *err)
{
	/* O_NONBLOCK: a FIFO must not hold us before it is refused. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc = 0;
	struct stat st;

	*text = NULL;
	if (fd < 0 || fstat(fd, &st))
		rc = work_fail_place(err, -errno, path, "%s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		rc = work_fail_place(err, -EINVAL, path, "expected a file");
	if (!rc) {
		*text = malloc(WORK_TEXT_MAX + 1);
		rc = *text ? read_all(fd, *text, WORK_TEXT_MAX + 1, len) : -ENOMEM;
		if (rc)
			work_fail_place(err, rc, path, "%s", strerror(-rc));
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int load_path(const char *path, const char *spec, const char *parameters,
		     const struct work_machine *machine, struct workload **out,
		     struct work_error *err)
{
	size_t len = 0;
	char *text;
	int rc = read_file(path, &text, &len, err);

	rc = rc ? rc : load_text(path, spec, text, len, parameters, machine, out, err);
	free(text);
	return rc;
}

static int load_builtin(const char *name, const char *spec, const char *parameters,
			const struct work_machine *machine, struct workload **out,
			struct work_error *err)
{
	char file[64], known[200] = "";
	const char *text;
	size_t len, used = 0;

	for (unsigned i = 0; workload_builtin_name(i); i++) {
		if (strcmp(workload_builtin_name(i), name)) {
			if (used < sizeof(known))
				used += (size_t)snprintf(known + used, sizeof(known) - used,
							 "%s%s", used ? ", " : "",
							 workload_builtin_name(i));
			continue;
		}
		text = workload_builtin_text(i, &len);
		snprintf(file, sizeof(file), "%.50s.load", name);
		return load_text(file, spec, text, len, parameters, machine, out, err);
	}
	return work_fail_place(err, -ENOENT, name, "no such load; there are %s, and files "
			       "(with a / or .load in their name)", known);
}

static int is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".load"));
}

int workload_load(const char *spec, const struct work_machine *machine, struct workload **out,
		  struct work_error *err)
{
	size_t len = strcspn(spec, ":");
	const char *parameters = spec[len] ? spec + len + 1 : "";
	char name[PATH_LEN_MAX];

	*out = NULL;
	if (len >= sizeof(name))
		return work_fail_place(err, -ENOENT, "load", "a name of %zu characters", len);
	memcpy(name, spec, len);
	name[len] = '\0';
	return is_path(name) ? load_path(name, spec, parameters, machine, out, err) :
			       load_builtin(name, spec, parameters, machine, out, err);
}
