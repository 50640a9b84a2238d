// SPDX-License-Identifier: GPL-2.0-only
#include "sched/variant.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* A row names what it changes; what it changes again is the point. */
#pragma GCC diagnostic ignored "-Woverride-init"
const struct wake_version sched_versions[] = {
#define X(name_, major_, minor_, stable_, rules_, source_, changes_) \
	{ name_, major_, minor_, stable_, source_, changes_, { rules_ } },
	WAKE_VERSIONS(X)
#undef X
};

const size_t sched_nr_versions = ARRAY_SIZE(sched_versions);

const struct sched_version_alias sched_version_aliases[] = {
	{ "v5.19", "v5.17", "no change in this path between v5.17 and v5.19" },
	{ "tip-5.19", "v6.0", "the scheduler tree on v5.19 had v6.0's wake path, SIS_UTIL included" },
};

const size_t sched_nr_version_aliases = ARRAY_SIZE(sched_version_aliases);

static wake_u8 *rule_field(struct wake_rules *rules, size_t field)
{
	return (wake_u8 *)rules + field;
}

static const struct wake_rules *own_rules(const struct sched_variant *variant)
{
	return &variant->version->rules;
}

static int at_least(const struct wake_version *version, unsigned int major, unsigned int minor)
{
	return version->major > major || (version->major == major && version->minor >= minor);
}

static const char *prev_idle_why_not(const struct sched_variant *variant, wake_u8 value)
{
	if (value == own_rules(variant)->prev_idle)
		return value == WAKE_PREV_IDLE_MERGED ? "the version has it already (merged for v5.11)" :
							"the version has no such rule to remove";
	return NULL;
}

static const char *idle_cpumask_why_not(const struct sched_variant *variant, wake_u8 value)
{
	(void)value;
	if (own_rules(variant)->skeleton != WAKE_SPLIT)
		return "v4 and v6 change the separate CPU scan, which ended with v5.11";
	if (own_rules(variant)->affinity_late)
		return "the CPU scan takes a mask only from v5.6 on";
	return NULL;
}

static const char *sis_core_why_not(const struct sched_variant *variant, wake_u8 value)
{
	if (!at_least(variant->version, 6, 0))
		return "it builds on SIS_UTIL (v6.0, tip-5.19)";
	if (value >= WAKE_SIS_CORE_P123 && own_rules(variant)->cluster != WAKE_CLUSTER_NONE)
		return "patch 3 and 4 replace the scan that has a cluster stage from v6.7 on";
	if (value >= WAKE_SIS_CORE_P123 && variant->rules.cluster != WAKE_CLUSTER_NONE)
		return "patch 3 and 4 conflict with cluster-scan: both replace the scan";
	return NULL;
}

static const char *cluster_scan_why_not(const struct sched_variant *variant, wake_u8 value)
{
	if (value == own_rules(variant)->cluster)
		return value == WAKE_CLUSTER_NONE ? "the version has no cluster stage to remove" :
						    "the version has it already (merged for v6.7)";
	if (!at_least(variant->version, 5, 16))
		return "there are no cluster domains before v5.16";
	if (variant->rules.sis_core >= WAKE_SIS_CORE_P123)
		return "it conflicts with sis-core: both replace the scan";
	return NULL;
}

static const char *core_threads_why_not(const struct sched_variant *variant, wake_u8 value)
{
	if (own_rules(variant)->skeleton != WAKE_MERGED)
		return "the core scan remembers no thread before v5.12";
	return value == own_rules(variant)->core_threads ? "the version does so already" : NULL;
}

static const char *dedicated_vcpu_why_not(const struct sched_variant *variant, wake_u8 value)
{
	(void)value;
	if (own_rules(variant)->vcpu != WAKE_VCPU_YIELDED)
		return "the version has it already (merged for v5.5)";
	return NULL;
}

static const struct sched_feature_value prev_idle_values[] = {
	{ "none", WAKE_PREV_IDLE_NONE, "no rule, as before v5.11" },
	{ "gated", WAKE_PREV_IDLE_GATED, "only where waker and prev share an LLC" },
	{ "first", WAKE_PREV_IDLE_FIRST, "Gorman's order, within an LLC, before the waker's CPU" },
	{ "merged", WAKE_PREV_IDLE_MERGED, "as merged: an idle prev stays at any distance" },
	{ "v1", WAKE_PREV_IDLE_MERGED, "another name of merged" },
};

static const struct sched_feature_value cluster_scan_values[] = {
	{ "none", WAKE_CLUSTER_NONE, "without v6.7's stage" },
	{ "v2", WAKE_CLUSTER_V2, "cluster first, free of budget; busy cluster: busy target" },
	{ "v7", WAKE_CLUSTER_V7, "cluster first within the budget; nothing remembered" },
	{ "v11", WAKE_CLUSTER_MERGED, "as merged: far prev and recent are remembered" },
	{ "merged", WAKE_CLUSTER_MERGED, "another name of v11" },
};

static const struct sched_feature_value sis_core_values[] = {
	{ "p12", WAKE_SIS_CORE_P12, "patches 1 and 2" },
	{ "p123", WAKE_SIS_CORE_P123, "patches 1 to 3: scan only recorded cores" },
	{ "v6", WAKE_SIS_CORE_V6, "the whole series: prune after failed scans" },
};

static const struct sched_feature_value idle_cpumask_values[] = {
	{ "v4", WAKE_IDLE_MASK_V4, "set where the tick is stopped" },
	{ "v6", WAKE_IDLE_MASK_V6, "set at every idle entry" },
};

static const struct sched_feature_value core_threads_values[] = {
	{ "allowed", WAKE_CORE_ALLOWED, "any allowed thread, as up to v6.8" },
	{ "mask", WAKE_CORE_MASK, "a thread of the scanned mask, as from v6.9 and in stable trees" },
};

static const struct sched_feature_value dedicated_vcpu_values[] = {
	{ "v3", WAKE_VCPU_SHARED, "yield counts say nothing in a dedicated partition" },
};

#define FEATURE(name_, source_, needs_, field_, stem_) \
	{ name_, source_, needs_, offsetof(struct wake_rules, field_), stem_##_values, \
	  ARRAY_SIZE(stem_##_values), stem_##_why_not }

const struct sched_feature sched_features[] = {
	FEATURE("cluster-scan",
		"Song, Yang: Scan cluster before scanning LLC in wake-up path (2022-01; 8881e1639f1f)",
		"v5.17 or later; v11 is part of v6.7; conflicts with sis-core=p123|v6", cluster,
		cluster_scan),
	FEATURE("prev-idle", "Lawall: check for idle core (2020-10; d8fcb81f1acf)",
		"any version; merged is part of v5.11", prev_idle, prev_idle),
	FEATURE("dedicated-vcpu",
		"Dronamraju: Assume dedicated processors as non-preempt, v3 (2019-12)",
		"v5.4; part of v5.5", vcpu, dedicated_vcpu),
	FEATURE("sis-core", "Wu: Improve scan efficiency of SIS, v6 (2022-10)",
		"SIS_UTIL (v6.0, tip-5.19); p123 and v6: before v6.7, conflict with cluster-scan",
		sis_core, sis_core),
	FEATURE("idle-cpumask", "Li: select idle cpu from idle cpumask for task wakeup (2020-11)",
		"v5.9 to v5.11", idle_mask, idle_cpumask),
	FEATURE("core-threads", "23d04d8c6b8e (v6.9, later 6.1 stable trees)", "v5.12 or later",
		core_threads, core_threads),
};

const size_t sched_nr_features = ARRAY_SIZE(sched_features);

static int in_every(const struct wake_version *version)
{
	(void)version;
	return 1;
}

static int has_sis_avg_cpu(const struct wake_version *version)
{
	return !at_least(version, 5, 12);
}

static int has_sis_prop(const struct wake_version *version)
{
	return !at_least(version, 6, 7);
}

static int has_sis_util(const struct wake_version *version)
{
	return at_least(version, 6, 0);
}

#define SWITCH(name_, field_, known_, where_) \
	{ name_, offsetof(struct wake_rules, field_), known_, where_ }

const struct sched_switch sched_switches[] = {
	SWITCH("WA_IDLE", wa_idle, in_every, "every version"),
	SWITCH("WA_WEIGHT", wa_weight, in_every, "every version"),
	SWITCH("WA_BIAS", wa_bias, in_every, "every version"),
	SWITCH("SIS_AVG_CPU", sis_avg_cpu, has_sis_avg_cpu, "up to v5.11"),
	SWITCH("SIS_PROP", sis_prop, has_sis_prop, "up to v6.6"),
	SWITCH("SIS_UTIL", sis_util, has_sis_util, "from v6.0"),
	SWITCH("TTWU_QUEUE", ttwu_queue, in_every, "every version"),
};

const size_t sched_nr_switches = ARRAY_SIZE(sched_switches);

static const struct wake_version *find_version(const char *name, size_t len)
{
	for (size_t i = 0; i < sched_nr_version_aliases; i++) {
		const struct sched_version_alias *alias = &sched_version_aliases[i];

		if (strlen(alias->name) == len && !memcmp(alias->name, name, len))
			return find_version(alias->version, strlen(alias->version));
	}
	for (size_t i = 0; i < sched_nr_versions; i++) {
		if (strlen(sched_versions[i].name) == len &&
		    !memcmp(sched_versions[i].name, name, len))
			return &sched_versions[i];
	}
	return NULL;
}

static const struct sched_switch *find_switch(const char *word, wake_u8 *value)
{
	*value = strncmp(word, "NO_", 3) != 0;
	if (!*value)
		word += 3;
	for (size_t i = 0; i < sched_nr_switches; i++) {
		if (!strcmp(sched_switches[i].name, word))
			return &sched_switches[i];
	}
	return NULL;
}

static int refuse(struct sched_variant_error *err, const char *what, const char *why)
{
	if (err)
		snprintf(err->text, sizeof(err->text), "%s: %s", what, why);
	return -EINVAL;
}

int sched_variant_switch(struct sched_variant *variant, const char *word)
{
	wake_u8 value;
	const struct sched_switch *sw = find_switch(word, &value);
	wake_u8 *field;

	if (!sw || !sw->known(variant->version))
		return -ENOENT;
	field = rule_field(&variant->rules, sw->field);
	if (*field == value)
		return 0;
	*field = value;
	strncat(variant->name, "+", sizeof(variant->name) - strlen(variant->name) - 1);
	strncat(variant->name, word, sizeof(variant->name) - strlen(variant->name) - 1);
	return 0;
}

static int set_value(struct sched_variant *variant, const struct sched_feature *feature,
		     const char *asked, const char *value, struct sched_variant_error *err)
{
	char known[128] = "";

	for (size_t i = 0; i < feature->nr_values; i++) {
		const struct sched_feature_value *v = &feature->values[i];
		const char *why;

		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
			 i ? "|" : "the values are ", v->name);
		if (strcmp(v->name, value))
			continue;
		why = feature->why_not(variant, v->value);
		if (why)
			return refuse(err, asked, why);
		*rule_field(&variant->rules, feature->field) = v->value;
		return 0;
	}
	return refuse(err, asked, known);
}

static int add_feature(struct sched_variant *variant, const char *asked,
		       struct sched_variant_error *err)
{
	const char *equals = strchr(asked, '=');
	size_t len = equals ? (size_t)(equals - asked) : strlen(asked);
	char known[192] = "no such feature; there are";

	for (size_t i = 0; i < sched_nr_features; i++) {
		const struct sched_feature *feature = &sched_features[i];

		snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s", feature->name);
		if (strlen(feature->name) != len || memcmp(feature->name, asked, len))
			continue;
		/* A feature with one value may go without it. */
		if (!equals && feature->nr_values == 1)
			return set_value(variant, feature, asked, feature->values[0].name, err);
		return set_value(variant, feature, asked, equals ? equals + 1 : "", err);
	}
	return refuse(err, asked, known);
}

/* Was this feature, or this switch in either direction, named before? */
static int is_named(const struct sched_variant *variant, const char *asked)
{
	size_t len = strcspn(asked, "=");
	const char *part = variant->name;

	if (!strncmp(asked, "NO_", 3)) {
		asked += 3;
		len -= 3;
	}
	while ((part = strchr(part, '+'))) {
		part++;
		if (!strncmp(part, "NO_", 3))
			part += 3;
		if (strcspn(part, "=+") == len && !memcmp(part, asked, len))
			return 1;
	}
	return 0;
}

int sched_variant_add(struct sched_variant *variant, const char *feature,
		      struct sched_variant_error *err)
{
	size_t len = strlen(variant->name);
	wake_u8 value;
	const struct sched_switch *sw = find_switch(feature, &value);
	int ret = 0;

	if (len + 1 + strlen(feature) >= sizeof(variant->name))
		return refuse(err, feature, "the variant's name is too long");
	if (is_named(variant, feature))
		return refuse(err, feature, "named twice");
	if (sw && !sw->known(variant->version)) {
		char why[64];

		snprintf(why, sizeof(why), "%s has no such switch (%s)", variant->version->name,
			 sw->where);
		return refuse(err, feature, why);
	}
	if (sw)
		*rule_field(&variant->rules, sw->field) = value;
	else
		ret = add_feature(variant, feature, err);
	if (ret)
		return ret;
	snprintf(variant->name + len, sizeof(variant->name) - len, "+%s", feature);
	return 0;
}

/* Says between which rows a release lies that has none. */
static int refuse_version(const char *name, struct sched_variant_error *err)
{
	const struct wake_version *before = NULL, *after = NULL;
	unsigned int major, minor;
	char why[96] = "no such version; see wakelab variants";

	if (sscanf(name, "v%u.%u", &major, &minor) == 2) {
		for (size_t i = 0; i < sched_nr_versions; i++) {
			const struct wake_version *v = &sched_versions[i];

			if (at_least(v, major, minor) && !v->stable && !after &&
			    (v->major != major || v->minor != minor))
				after = v;
			if (!v->stable && (!at_least(v, major, minor) ||
					   (v->major == major && v->minor == minor)))
				before = v;
		}
	}
	if (before && after)
		snprintf(why, sizeof(why), "not held; it lies between %s and %s", before->name,
			 after->name);
	return refuse(err, name, why);
}

int sched_variant_parse(const char *name, struct sched_variant *out,
			struct sched_variant_error *err)
{
	char copy[SCHED_VARIANT_NAME], *rest = copy, *part;
	struct sched_variant variant = { 0 };
	int ret;

	if (strlen(name) >= sizeof(copy))
		return refuse(err, "variant", "its name is too long");
	strcpy(copy, name);
	part = strsep(&rest, "+");
	variant.version = find_version(part, strlen(part));
	if (!variant.version)
		return refuse_version(part, err);
	variant.rules = variant.version->rules;
	strcpy(variant.name, variant.version->name);
	while ((part = strsep(&rest, "+"))) {
		ret = sched_variant_add(&variant, part, err);
		if (ret)
			return ret;
	}
	*out = variant;
	return 0;
}
