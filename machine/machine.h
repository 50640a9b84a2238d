/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware, and what Linux makes of it.
 *
 * A struct machine holds facts: which CPUs there are, what they share, how far nodes are apart.
 * A struct machine_domains holds what one kernel builds from these facts: the scheduling domains
 * that survive, and the per-CPU words the wake-up path reads.
 *
 * Index spaces. A CPU is its Linux number (the N of cpuN); arrays "by CPU id" have nr_cpu_ids
 * entries and may have holes (see possible). A node is named by its Linux id only in
 * machine_node.id and machine_cpu.node; the distance matrix is indexed by place in nodes[].
 * Sizes are bytes, capacities are in 1/1024 of the biggest CPU, distances are ACPI SLIT units.
 *
 * Functions return 0 or a negative errno: -ENOENT (no such file or preset), -EINVAL (it was read
 * and is wrong), -E2BIG (over a limit named in the text), -EOPNOTSUPP (right, but this reader
 * does not take it), -ENOPKG (a tool is needed and not installed), -ENOMEM, or what a system
 * call said. On failure *out is left alone and err, if not NULL, says where and what.
 */
#ifndef WAKELAB_MACHINE_H
#define WAKELAB_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hwloc.h>

#define MACHINE_CPUS_MAX    8192 /* CPU ids stay below */
#define MACHINE_NODES_MAX   1024 /* MAX_NUMNODES with NODES_SHIFT 10 */
#define MACHINE_DOMAINS_MAX 12	 /* domains of one CPU, after degeneration */
#define MACHINE_CACHES_MAX  16	 /* caches one CPU sees */

enum machine_arch { MACHINE_X86, MACHINE_ARM64, MACHINE_POWERPC, MACHINE_OTHER };

enum machine_vendor {
	MACHINE_VENDOR_OTHER,
	MACHINE_VENDOR_INTEL,
	MACHINE_VENDOR_AMD, /* AMD and Hygon: node_reclaim_distance is 32 from family 17h on */
};

/* Filled on failure: where (file:line, file and offset, or path in a tree) and what. */
struct machine_error {
	char place[256];
	char text[256];
};

struct machine_cache {
	unsigned level;
	char type;     /* 'D' data, 'I' instruction, 'U' unified */
	uint64_t size; /* bytes; 0: unknown */
	hwloc_bitmap_t cpus;
};

/*
 * One CPU. The sets contain the CPU itself and only online CPUs. They are facts of the hardware
 * (or what its kernel said of it in sysfs); what a scheduling domain makes of them depends on the
 * version and the architecture and is machine_domains()'s business. An offline CPU has empty
 * sets, and -1 for what is not known of it.
 */
struct machine_cpu {
	int package, die, core; /* firmware's ids: any number, unique in their parent; -1 unknown */
	int node;		/* Linux node id; -1: no NUMA information */
	unsigned capacity;	/* cpu_capacity; 1024 unless the machine is asymmetric */
	unsigned priority;	/* ITMT priority (highest_perf); 0: unknown */
	hwloc_bitmap_t smt;	/* threads of the core: thread_siblings */
	hwloc_bitmap_t cluster; /* cluster_cpus; the smt set where no cluster is known */
	hwloc_bitmap_t llc;	/* sharers of the last level cache; the package if none is known */
	hwloc_bitmap_t pkg;	/* core_siblings / package_cpus */
	unsigned nr_caches;
	struct machine_cache caches[MACHINE_CACHES_MAX]; /* by level, then type */
};

struct machine_node {
	int id;
	bool memory;	     /* has memory, as far as the source says */
	hwloc_bitmap_t cpus; /* online CPUs; empty: a node of memory only */
};

enum machine_source {
	MACHINE_FROM_XML,
	MACHINE_FROM_SYSFS,
	MACHINE_FROM_LSCPU,
	MACHINE_FROM_SYNTHETIC,
	MACHINE_FROM_RECORDING,
	MACHINE_FROM_PRESET,
};

/* Flags of a scheduling domain; the names are the kernel's (include/linux/sched/sd_flags.h). */
enum machine_sd_flags {
	MACHINE_SD_BALANCE_NEWIDLE = 1u << 0,
	MACHINE_SD_BALANCE_EXEC = 1u << 1,
	MACHINE_SD_BALANCE_FORK = 1u << 2,
	MACHINE_SD_BALANCE_WAKE = 1u << 3,
	MACHINE_SD_WAKE_AFFINE = 1u << 4,
	MACHINE_SD_ASYM_CPUCAPACITY = 1u << 5,
	MACHINE_SD_ASYM_CPUCAPACITY_FULL = 1u << 6, /* v5.14+ */
	MACHINE_SD_SHARE_CPUCAPACITY = 1u << 7,
	MACHINE_SD_CLUSTER = 1u << 8,	/* v6.7+ */
	MACHINE_SD_SHARE_LLC = 1u << 9, /* SD_SHARE_PKG_RESOURCES before v6.9 */
	MACHINE_SD_SERIALIZE = 1u << 10,
	MACHINE_SD_ASYM_PACKING = 1u << 11,
	MACHINE_SD_PREFER_SIBLING = 1u << 12,
	MACHINE_SD_OVERLAP = 1u << 13,
	MACHINE_SD_NUMA = 1u << 14,
	MACHINE_SD_LOAD_BALANCE = 1u << 15, /* before v5.8 */
};

/* One scheduling domain of one CPU. */
struct machine_domain {
	char name[8]; /* SMT CLS CACHE MC DIE PKG NODE NUMA */
	unsigned flags;
	unsigned imbalance_pct;
	unsigned cache_nice_tries;
	unsigned busy_factor;
	unsigned min_interval, max_interval; /* ms */
	unsigned imb_numa_nr;		     /* 0 before v5.18 and below the LLC */
	unsigned groups_flags;		     /* of the CPU's own group: the child's flags, 0 without */
	hwloc_bitmap_t span;
};

/* The per-CPU words of kernel/sched/topology.c (update_top_cache_domain) and the domains. */
struct machine_cpu_domains {
	unsigned nr;
	struct machine_domain sd[MACHINE_DOMAINS_MAX]; /* bottom up, after degeneration */
	int sd_llc;					/* index into sd; -1: NULL */
	int sd_numa, sd_asym_packing, sd_asym;		/* likewise; sd_asym is sd_asym_cpucapacity */
	unsigned sd_llc_size;
	int sd_llc_id;	 /* v7.3: dense, -1 without domains */
	int sd_share_id; /* before v6.7 no such word: the lowest SD_CLUSTER's or the LLC's first CPU */
	int node;	 /* cpu_to_node(); 0 without NUMA */
	hwloc_bitmap_t smt; /* cpu_smt_mask(): online threads, isolated or not */
};

struct machine_domains {
	unsigned nr_cpu_ids;
	struct machine_cpu_domains *cpus; /* by CPU id; nr == 0: offline, isolated or no such CPU */
	hwloc_bitmap_t cpu_map;		  /* online minus isolated: the one root domain */
	bool sched_smt_active;
	bool sched_cluster_active; /* some CPU has an SD_CLUSTER domain */
	unsigned levels_max;	   /* most domains a CPU has */
	bool recorded;		   /* taken from TOPO lines, not derived */
};

/* What machine.txt of a recording says beyond the hardware. */
struct machine_recording {
	char *release; /* the kernel line */
	unsigned major, minor;
	char *variant;	/* the variant line without the word "variant"; NULL in stock folders */
	char *toggles;	/* "-" and boot parameters included as written; NULL */
	unsigned hz;	/* 0: not said */
	char *features; /* sched feature words, separated by blanks; NULL */
	bool cluster;	/* some domain carries SD_CLUSTER */
	/* As recorded. Intervals, tries and imb_numa_nr are not recorded and follow the rules. */
	struct machine_domains *domains;
};

struct machine_costs; /* machine/costs.h */

struct machine {
	char *name;
	enum machine_source source;
	enum machine_arch arch;
	enum machine_vendor vendor;
	unsigned family; /* x86 family, or the N of POWERn; 0: unknown */
	bool hybrid;	 /* x86: cores of several types */
	unsigned nr_cpu_ids; /* highest possible id + 1, at least 1 */
	hwloc_bitmap_t possible, present, online, isolated;
	struct machine_cpu *cpus; /* by CPU id */
	unsigned nr_nodes;	  /* at least 1 */
	struct machine_node *nodes;
	unsigned *distance;		     /* [from * nr_nodes + to], places in nodes[] */
	struct machine_recording *recording; /* NULL unless source is MACHINE_FROM_RECORDING */
	struct machine_costs *costs; /* its own text's card, with gaps, for machine_costs(); NULL */
	unsigned nr_notes; /* what was odd and how it was read, one sentence each */
	char **notes;
};

/*
 * machine_load - read a machine
 * @path: a file, folder or tarball, "preset:NAME" or a preset's bare name (a file of that name
 *        wins), "synthetic:STRING" (hwloc's syntax), or "self"
 *
 * A file is told by what it holds, not by its name: hwloc XML, lscpu -p, machine.txt of a
 * recording, a preset, or a tarball of a sysfs tree. A folder holds sys/devices/system/cpu, at
 * its top or in a subfolder (as hwloc-gather-topology packs it), or is a copy of /sys itself.
 * Archives, XML and synthetic strings start child processes, which are gone on return; a caller
 * that reaps children it does not know must not do so meanwhile.
 */
int machine_load(const char *path, struct machine **out, struct machine_error *err);

/*
 * machine_load_text - read a machine.txt, lscpu -p, preset or XML text from memory
 * @name: what messages call it
 */
int machine_load_text(const char *name, const char *text, size_t len, struct machine **out,
		      struct machine_error *err);

void machine_free(struct machine *m); /* accepts NULL */

/* Which kernel builds the domains: v5.4 is {5, 4}; cluster: CONFIG_SCHED_CLUSTER. */
struct machine_kernel {
	unsigned major, minor;
	bool cluster;
};

/* Reads "v6.12", "6.12" or "6.12.117" (the third number is dropped); cluster becomes true. */
int machine_kernel_parse(const char *text, struct machine_kernel *k);

/* The kernel a machine was recorded under, or {6, 12, true}. */
void machine_kernel_of(const struct machine *m, struct machine_kernel *k);

/*
 * machine_domains - the scheduling domains this kernel builds on this machine
 *
 * Follows build_sched_domains(), sd_init(), cpu_attach_domain() and update_top_cache_domain()
 * of kernel/sched/topology.c, v5.4 to v7.3, and the architectures' topology tables. For a
 * recording and its own kernel version the recorded domains are returned; for another version
 * they are derived, and an imbalance_pct that was set by hand is kept.
 */
int machine_domains(const struct machine *m, const struct machine_kernel *k,
		    struct machine_domains **out, struct machine_error *err);

/* As machine_domains(), but never returns what was recorded, nor keeps an imbalance_pct. */
int machine_domains_derive(const struct machine *m, const struct machine_kernel *k,
			   struct machine_domains **out, struct machine_error *err);

void machine_domains_free(struct machine_domains *d); /* accepts NULL */

/*
 * machine_sd_flag_name - name of one flag as kernel k prints it
 * @flag: exactly one bit of enum machine_sd_flags
 * Returns NULL for anything else.
 */
const char *machine_sd_flag_name(unsigned flag, const struct machine_kernel *k);

/* The i-th preset's name and text, in alphabetical order; NULL past the last. */
const char *machine_preset_name(unsigned i);
const char *machine_preset_text(unsigned i, size_t *len);

const char *machine_arch_name(enum machine_arch arch);
const char *machine_source_name(enum machine_source source);

/* The place of a Linux node id in nodes[], or -1. */
int machine_node_index(const struct machine *m, int id);

/*
 * machine_offline - take CPUs offline, as writing 0 to cpuN/online does
 * @cpus: CPUs that are possible; those already offline are ignored
 *
 * Every set loses them, as the kernel's masks do. Isolating needs no function: set bits in
 * m->isolated. -EINVAL if a CPU is not possible or none would remain. The TOPO lines of a
 * recording no longer hold then, so m->recording->domains is dropped.
 */
int machine_offline(struct machine *m, hwloc_const_bitmap_t cpus, struct machine_error *err);

/*
 * machine_parse_list - read "0-3,8,10-11" (bitmap lists of the kernel) into set
 * @len: bytes of text; a CPU of MACHINE_CPUS_MAX or more is refused; empty text is an empty set
 * Returns 0, -EINVAL or -E2BIG.
 */
int machine_parse_list(const char *text, size_t len, hwloc_bitmap_t set);

#endif
