/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of machine/ share: filling a struct machine, and saying what is wrong.
 */
#ifndef WAKELAB_MACHINE_PRIVATE_H
#define WAKELAB_MACHINE_PRIVATE_H

#include "machine/machine.h"

#define MACHINE_TEXT_MAX (64u << 20) /* bytes of a file that is read as a whole */

/* Kernel's LOCAL_DISTANCE and REMOTE_DISTANCE (include/linux/topology.h). */
#define MACHINE_DISTANCE_LOCAL	10
#define MACHINE_DISTANCE_REMOTE 20
#define MACHINE_DISTANCE_MAX	255

#define MACHINE_CAPACITY_MAX 1024 /* SCHED_CAPACITY_SCALE */

/* Fill err (may be NULL) and return rc. */
int machine_fail(struct machine_error *err, int rc, const char *place, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Likewise with "name:line" as the place. */
int machine_fail_line(struct machine_error *err, int rc, const char *name, unsigned line,
		      const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int machine_nomem(struct machine_error *err);

/* A machine whose CPUs 0 .. nr_cpu_ids - 1 have empty sets; NULL without memory. */
struct machine *machine_new(const char *name, enum machine_source source, unsigned nr_cpu_ids);
int machine_note(struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int machine_add_node(struct machine *m, int id, bool memory, hwloc_const_bitmap_t cpus);
int machine_alloc_distance(struct machine *m); /* after the last node; fills in 10 and 20 */
int machine_add_cache(struct machine_cpu *c, unsigned level, char type, uint64_t size,
		      hwloc_const_bitmap_t cpus);
/* The CPU's highest data or unified cache, or that of one level; NULL. */
const struct machine_cache *machine_last_cache(const struct machine_cpu *c);
const struct machine_cache *machine_level_cache(const struct machine_cpu *c, unsigned level);

/*
 * Fill in what the source left out (node, package, LLC, cluster), drop offline CPUs from the
 * sets, and refuse what no Linux could have said. Every reader ends with it.
 */
int machine_finish(struct machine *m, struct machine_error *err);

/* A copy that is at least one bitmap: hwloc_bitmap_dup() takes no NULL. */
hwloc_bitmap_t machine_set_dup(hwloc_const_bitmap_t set);
unsigned machine_set_weight(hwloc_const_bitmap_t set);
/* The set as a list, for messages; always terminated, cut with "..." when it is too long. */
const char *machine_set_text(hwloc_const_bitmap_t set, char *buf, size_t size);

int machine_parse_mask(const char *text, size_t len, hwloc_bitmap_t set);
/* A whole word as a decimal number up to max. */
int machine_parse_uint(const char *text, size_t len, unsigned long max, unsigned long *out);
/* "32K", "1024K", "32M", "512" (bytes) as bytes. */
int machine_parse_size(const char *text, size_t len, uint64_t *out);

/* Walks lines and words of a text that need not be terminated. */
struct machine_span {
	const char *p;
	size_t len;
};
bool machine_next_line(struct machine_span *text, struct machine_span *line);
bool machine_next_word(struct machine_span *line, struct machine_span *word);
bool machine_span_is(struct machine_span s, const char *word);
char *machine_span_dup(struct machine_span s);

/* The readers. */
int machine_read_xml(const char *name, const char *text, size_t len, struct machine **out,
		     struct machine_error *err);
int machine_read_synthetic(const char *string, struct machine **out, struct machine_error *err);
int machine_read_lscpu(const char *name, const char *text, size_t len, struct machine **out,
		       struct machine_error *err);
int machine_read_recording(const char *name, const char *text, size_t len, struct machine **out,
			   struct machine_error *err);
int machine_read_preset(const char *name, const char *text, size_t len, struct machine **out,
			struct machine_error *err);
/* dir holds sys/devices/system/cpu; name is what messages call it. */
int machine_read_sysfs(const char *name, const char *dir, struct machine **out,
		       struct machine_error *err);
int machine_read_folder(const char *name, const char *dir, struct machine **out,
			struct machine_error *err);
int machine_read_archive(const char *path, struct machine **out, struct machine_error *err);
bool machine_is_archive(const char *head, size_t len);
/* Checks that text is well-formed enough for hwloc's parser, which neither says where nor
 * limits its recursion. */
int machine_check_xml(const char *name, const char *text, size_t len, struct machine_error *err);

void machine_recording_free(struct machine_recording *r);

/* domains.c, levels.c and attach.c */
struct machine_domains *machine_domains_new(const struct machine *m);
bool machine_kernel_at_least(const struct machine_kernel *k, unsigned major, unsigned minor);

/*
 * A topology level: what the architectures' tables and sched_init_numa() hold.
 */
enum machine_mask {
	MACHINE_MASK_SMT,
	MACHINE_MASK_CLUSTER,
	MACHINE_MASK_MC,
	MACHINE_MASK_CACHE,
	MACHINE_MASK_NODE, /* cpu_cpu_mask() */
	MACHINE_MASK_NUMA, /* sd_numa_mask() */
};

struct machine_topo_level {
	const char *name;
	enum machine_mask mask;
	unsigned flags;	   /* what tl->sd_flags() returns */
	unsigned distance; /* NODE and NUMA */
};

#define MACHINE_DISTANCES_MAX 32 /* distinct ones; real machines have less than ten */
#define MACHINE_LEVELS_MAX    (8 + MACHINE_DISTANCES_MAX)

/* The levels kernel k has on m, bottom up; returns their number. */
unsigned machine_levels(const struct machine *m, const struct machine_kernel *k,
			struct machine_topo_level levels[MACHINE_LEVELS_MAX]);
/* tl->mask(cpu), not yet cut to a root domain. */
void machine_level_mask(const struct machine *m, const struct machine_kernel *k,
			const struct machine_topo_level *l, unsigned cpu, hwloc_bitmap_t out);
void machine_smt_mask(const struct machine *m, unsigned cpu, hwloc_bitmap_t out);
/* The mask 7.3 hands out LLC ids by. */
void machine_llc_mask(const struct machine *m, const struct machine_kernel *k, unsigned cpu,
		      hwloc_bitmap_t out);

/* How kernel k treats domains, one field a concept; see rules.c for the tables. */
struct machine_rules {
	unsigned imbalance_pct; /* of a level without shared caches */
	unsigned busy_factor;
	unsigned base_flags;   /* of every domain, before the level's own */
	unsigned needs_groups; /* flags that mean nothing with a single group */
	unsigned numa_drops;   /* what a single-group parent loses besides, on one-node machines */
	bool cluster_flag;     /* CLS has SD_CLUSTER */
	bool overlap_flag;     /* NUMA levels have SD_OVERLAP */
	bool asym_full;	       /* SD_ASYM_CPUCAPACITY_FULL, classified span by span */
	bool asym_clears_child;
	bool group_flags;      /* sched_group::flags exist */
	unsigned group_handover; /* what a removed domain leaves the group above: 0, a flag, ~0 */
	bool imb_numa;
	bool weight_of_span; /* intervals follow the span, not the level's mask */
	bool dense_llc_id;
	unsigned reclaim_distance;
};

void machine_rules(const struct machine *m, const struct machine_kernel *k,
		   struct machine_rules *r);

/* update_top_cache_domain() for every CPU, and the machine-wide keys. */
int machine_top_cache(const struct machine *m, const struct machine_kernel *k,
		      struct machine_domains *d);

/* A domain while its CPU's chain is built; groups: 1, or 2 for "at least two". */
struct machine_chain {
	struct machine_domain sd;
	unsigned groups;
};

/* cpu_attach_domain(): drop what does not contribute; returns how many remain at the front. */
unsigned machine_degenerate(struct machine_chain *chain, unsigned nr,
			    const struct machine_rules *r);

#endif
