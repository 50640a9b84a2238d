// SPDX-License-Identifier: GPL-2.0-only
/* Which variant was recorded: from the release, the variant line and the sched features. */
#include "trace/replay.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Debian's releases name an ABI, not the stable tree. */
static const struct {
	const char *release, *version;
} debian_releases[] = {
	{ "5.10.0-46-", "v5.10.262" },
	{ "6.1.0-50-", "v6.1.176" },
};

/* Names of variant lines, less what the load adds to them (load_suffixes). */
static const struct {
	const char *name, *features;
} recorded_variants[] = {
	{ "stock", "" },
	{ "base", "" },
	{ "prop", "" },			/* its sched features say it all */
	{ "cluster", "" },		/* the merged code of v6.12 */
	{ "cluster-v2", "cluster-scan=v2" },
	{ "cluster-v7", "cluster-scan=v7" },
	{ "cluster-v67", "cluster-scan=v11" },
	{ "previdle-none", "prev-idle=none" },
	{ "previdle-gated", "prev-idle=gated" },
	{ "previdle-first", "prev-idle=first" },
	{ "previdle-merged", "prev-idle=merged" },
	{ "idlemask-v4", "idle-cpumask=v4" },
	{ "idlemask-v6", "idle-cpumask=v6" },
	{ "siscore-p12", "sis-core=p12" },
	{ "siscore-p123", "sis-core=p123+core-threads=allowed" },
	{ "siscore-v6", "sis-core=v6+core-threads=allowed" },
	{ "siscore-v6s", "sis-core=v6" },
};

static const char *const load_suffixes[] = { "-dm", "-imb" };

/* The length of the name in a variant line: up to the colon, without the load's suffix. */
static size_t name_length(const char *variant)
{
	size_t len = strcspn(variant, ": ");

	for (size_t i = 0; i < sizeof(load_suffixes) / sizeof(load_suffixes[0]); i++) {
		size_t n = strlen(load_suffixes[i]);

		if (len > n && !memcmp(variant + len - n, load_suffixes[i], n))
			return len - n;
	}
	return len;
}

static int refuse(const struct trace_head *head, struct trace_error *err, const char *what,
		  const char *why)
{
	if (err) {
		snprintf(err->place, sizeof(err->place), "%s", head->path);
		snprintf(err->text, sizeof(err->text), "%.64s: %.160s", what, why);
	}
	return -EINVAL;
}

static int from_release(const struct trace_head *head, struct sched_variant *out,
			struct trace_error *err)
{
	struct sched_variant_error verr;
	char name[32] = "v";
	size_t n = strspn(head->release, "0123456789.");

	for (size_t i = 0; i < sizeof(debian_releases) / sizeof(debian_releases[0]); i++) {
		const char *release = debian_releases[i].release;

		if (!strncmp(head->release, release, strlen(release)))
			return sched_variant_parse(debian_releases[i].version, out, &verr);
	}
	if (n < sizeof(name) - 1)
		memcpy(name + 1, head->release, n);
	if (!sched_variant_parse(name, out, &verr))
		return 0;
	return refuse(head, err, head->release,
		      "no version is known for this release; name one (v6.12, see wakelab variants)");
}

static int add_proposal(const struct trace_head *head, struct sched_variant *out,
			struct trace_error *err)
{
	size_t len = name_length(head->variant);
	const char *features = NULL;
	char copy[128], *rest = copy, *part;

	for (size_t i = 0; i < sizeof(recorded_variants) / sizeof(recorded_variants[0]); i++) {
		if (strlen(recorded_variants[i].name) == len &&
		    !memcmp(head->variant, recorded_variants[i].name, len))
			features = recorded_variants[i].features;
	}
	if (!features)
		return refuse(head, err, head->variant, "the variant line names no known variant");
	snprintf(copy, sizeof(copy), "%s", features);
	while ((part = strsep(&rest, "+")) && *part) {
		struct sched_variant_error verr;

		if (sched_variant_add(out, part, &verr))
			return refuse(head, err, part, verr.text);
	}
	return 0;
}

/* The sched features stand in a line of their own; all other lines begin in lower case. */
static void add_switches(const char *line, size_t len, struct sched_variant *out)
{
	char word[64];

	while (len) {
		size_t n = strcspn(line, " \n");

		if (n > len)
			n = len;
		if (n && n < sizeof(word)) {
			memcpy(word, line, n);
			word[n] = 0;
			sched_variant_switch(out, word);
		}
		n += n < len;
		line += n;
		len -= n;
	}
}

int trace_variant(const struct trace_head *head, struct sched_variant *out,
		  struct trace_error *err)
{
	const char *line = head->machine;
	int ret = from_release(head, out, err);

	if (!ret && head->variant)
		ret = add_proposal(head, out, err);
	if (ret)
		return ret;
	while (line && *line) {
		size_t len = strcspn(line, "\n");

		if (isupper((unsigned char)line[0]) && memmem(line, len, "WA_IDLE", 7))
			add_switches(line, len, out);
		line += len + (line[len] == '\n');
	}
	return 0;
}

int trace_recorded_variant(const char *path, struct sched_variant *out, struct trace_error *err)
{
	struct trace_reader *reader;
	int ret = trace_open(path, &reader, err);

	if (ret)
		return ret;
	ret = trace_variant(trace_head(reader), out, err);
	trace_close(reader);
	return ret;
}
