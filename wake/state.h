/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the wake path itself writes. The host allocates it, zeroed, one
 * struct a task, a CPU and an LLC domain; only wake/ writes it.
 *
 * Each field names the kernel's own and who writes it. "waker" is the CPU that
 * runs the wake-up, "owner" the CPU that the struct belongs to. Everything is
 * read by other CPUs without a lock.
 */
#ifndef WAKE_STATE_H
#define WAKE_STATE_H

#include "wake/mask.h"

/* Of task_struct. Line: the task's own. */
struct wake_task {
	wake_u64 id;			/* never 0 for a real task; the host's */
	wake_u64 last_wakee;		/* id; waker, record_wakee() */
	wake_u64 wakee_flip_decay_ts;	/* jiffies; waker */
	wake_u32 wakee_flips;		/* waker */
	wake_u32 recent_used_cpu;	/* waker, of its wakee or (<= v5.14) of itself */
};

/* Of struct rq and of the CPU's own object of its LLC domain. Line: the owner's. */
struct wake_cpu {
	wake_u64 avg_scan_cost;		/* ns; sd_llc's; owner, as waker */
	wake_u64 wake_avg_idle;		/* ns; owner, as waker and as wakee's CPU */
	wake_u64 wake_stamp;		/* jiffies; the same */
	wake_u8 scan_sibling;		/* sis-core's sis_scan_sibling; any waker with this target */
	wake_u8 last_idle_state;	/* idle-cpumask's; owner */
	wake_u8 pad[38];
};

/* sched_domain_shared of an LLC domain. One line, the masks in the next ones. */
struct wake_llc {
	wake_u32 has_idle_cores;	/* set: idle entry; cleared: any waker's failed scan */
	wake_u32 nr_idle_scan;		/* SIS_UTIL; the CPU that balances the domain */
	wake_u64 pad[7];
	wake_u64 icpus[WAKE_WORDS];	/* sis-core; idle entry sets, failed scans clear */
	wake_u64 idle_cpus[WAKE_WORDS];	/* idle-cpumask's idle_cpus_span; idle entry and tick */
};

/*
 * A decision in flight, one a CPU as the kernel's select_rq_mask: wake-ups run with
 * interrupts off. All that loops change is here, in the host's memory, and not in
 * locals: BPF's verifier walks a loop until it has seen the state before, and what
 * is in a map is no part of that state.
 */
struct wake_scan {
	wake_u32 prev_far;		/* idle but in another cluster, or WAKE_NONE */
	wake_u32 recent_far;
	wake_u32 nr;			/* scan budget left */
	wake_u32 seen;			/* idle thread of a partly idle core, or WAKE_NONE */
	struct wake_walk walk;
	wake_u64 mask[WAKE_WORDS];	/* CPUs to scan */
};

_Static_assert(sizeof(struct wake_task) == 32, "half a line");
_Static_assert(sizeof(struct wake_cpu) == 64, "a line of its own");
_Static_assert(__builtin_offsetof(struct wake_llc, icpus) == 64, "the masks have their own");

#endif
