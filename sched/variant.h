/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Variants by name: a kernel version, features, sched_feat() switches.
 *
 *   v6.12                   the mainline release
 *   v6.12.117               a stable tree
 *   v5.17+cluster-scan=v2   with a proposal
 *   v6.1.192+SIS_PROP+NO_SIS_UTIL   with the kernel's own switches
 */
#ifndef SCHED_VARIANT_H
#define SCHED_VARIANT_H

#include <stddef.h>

#include "wake/versions.h"

#define SCHED_VARIANT_NAME	160

struct sched_variant {
	char name[SCHED_VARIANT_NAME];		/* as asked for, aliases resolved */
	const struct wake_version *version;
	struct wake_rules rules;
};

/* A variant is wrong: which part of its name, and why. */
struct sched_variant_error {
	char text[256];
};

/* 0, or -EINVAL and why in err. Unknown names list what is known. */
int sched_variant_parse(const char *name, struct sched_variant *out,
			struct sched_variant_error *err);

/* Adds one feature or switch ("sis-core=v6", "NO_SIS_UTIL"), as if after another '+'. */
int sched_variant_add(struct sched_variant *variant, const char *feature,
		      struct sched_variant_error *err);

/* Sets a switch that a running kernel was seen with, even where it is the default. */
int sched_variant_switch(struct sched_variant *variant, const char *word);

extern const struct wake_version sched_versions[];
extern const size_t sched_nr_versions;

/* Another name of a version that has the same wake path, and why it does. */
struct sched_version_alias {
	const char *name, *version, *why;
};

extern const struct sched_version_alias sched_version_aliases[];
extern const size_t sched_nr_version_aliases;

/* A value of a feature. why_not says why it makes no sense for these rules, or NULL. */
struct sched_feature_value {
	const char *name;
	wake_u8 value;
	const char *what;
};

struct sched_feature {
	const char *name;
	const char *source;		/* mail or commit */
	const char *needs;		/* in words, for people */
	size_t field;			/* offset in struct wake_rules, a wake_u8 */
	const struct sched_feature_value *values;
	size_t nr_values;
	const char *(*why_not)(const struct sched_variant *variant, wake_u8 value);
};

extern const struct sched_feature sched_features[];
extern const size_t sched_nr_features;

struct sched_switch {
	const char *name;		/* the kernel's */
	size_t field;
	int (*known)(const struct wake_version *version);
	const char *where;		/* which versions have it, for people */
};

extern const struct sched_switch sched_switches[];
extern const size_t sched_nr_switches;

/* A rule as the matrix prints it: its values by number. */
struct sched_rule {
	const char *name;
	const char *function;		/* kernel function that it belongs to */
	size_t field;
	const char *const *values;	/* NULL: 0 no, 1 yes */
};

extern const struct sched_rule sched_rules[];
extern const size_t sched_nr_rules;

/* The value of a rule in words. */
const char *sched_rule_value(const struct sched_rule *rule, const struct wake_rules *rules);

#endif
