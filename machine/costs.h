/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine's card: what things cost on it, each value with where it comes from.
 *
 * No value is chosen by looking at a patched kernel's figure. "measured": somebody
 * measured this quantity (source says who). "pinned fit": fitted to measurements with
 * pinned tasks, where no placement happens. "base fit": one scalar for a benchmark on
 * a machine, from one row of the unpatched kernel. "assumed": nobody measured it; low
 * and high are the range in which every verdict has to hold. "identified": read from a
 * published difference; the experiment that gave it is never scored.
 */
#ifndef MACHINE_COSTS_H
#define MACHINE_COSTS_H

#include "machine/machine.h"

enum machine_class {
	MACHINE_MEASURED,
	MACHINE_PINNED_FIT,
	MACHINE_BASE_FIT,
	MACHINE_ASSUMED,
	MACHINE_IDENTIFIED,
	MACHINE_NR_CLASSES
};

/*
 * How near two CPUs are to each other, by the hardware they share (domains play no
 * part). A level's costs are those of the nearest thing shared.
 */
enum machine_level {
	MACHINE_SAME_CPU,
	MACHINE_SAME_CORE,
	MACHINE_SAME_CLUSTER,
	MACHINE_SAME_LLC,
	MACHINE_SAME_PACKAGE,
	MACHINE_REMOTE,
	MACHINE_NR_LEVELS
};

/*
 * X(field, unit, what). The unit is how a card writes the value: "ns" (up to three
 * decimals; kept in ps), "lines", "bytes" or "%".
 *
 * Hardware. line_*: a word that CPUs hand over (a lock, nr_running, a mask), one way,
 * from the CPU that wrote it last. fetch_*: a line among many that a message or a task
 * drags along; such misses overlap partly, and go through other queues than one hot
 * word. fill_*: a line of a working set that streams into the private cache.
 */
#define MACHINE_COSTS(X) \
	X(line_core, "ns", "hot word, written by a sibling thread") \
	X(line_cluster, "ns", "hot word, written in the cluster") \
	X(line_llc, "ns", "hot word, written in the LLC") \
	X(line_package, "ns", "hot word, written in another LLC of the package") \
	X(line_remote, "ns", "hot word, written in another package") \
	X(line_home, "ns", "more for a line between LLCs of a package if its memory is another package's") \
	X(fetch_core, "ns", "line of a message or task, last used by a sibling thread") \
	X(fetch_cluster, "ns", "the same in the cluster") \
	X(fetch_llc, "ns", "the same in the LLC") \
	X(fetch_package, "ns", "the same in another LLC of the package") \
	X(fetch_remote, "ns", "the same in another package") \
	X(fill_llc, "ns", "line of a working set from the own LLC") \
	X(fill_package, "ns", "the same from another LLC of the package") \
	X(fill_remote, "ns", "the same from another package") \
	X(fill_memory, "ns", "the same from the own node's memory") \
	X(fill_memory_remote, "ns", "the same from another node's memory") \
	X(memory_remote, "%", "time of memory accesses if the pages are another package's, own = 100") \
	X(copy, "ns", "copying a byte") \
	X(smt_2, "%", "throughput of a core with 2 busy threads, one = 100") \
	X(smt_4, "%", "the same with 3 or 4") \
	X(smt_8, "%", "the same with 5 to 8") \
	X(smt_spin, "%", "speed of a thread beside one that spins with pause, alone = 100") \
	X(pause, "ns", "one turn of a spin loop with pause, yield or or-27") \
	X(ipi_send, "ns", "sending an IPI, on the sender") \
	X(ipi, "ns", "from sending to the handler's first instruction, same package") \
	X(ipi_remote, "ns", "the same, another package") \
	/* Software, on one CPU with warm caches. */ \
	X(syscall, "ns", "entry and exit of a system call") \
	X(schedule, "ns", "taking a task off its queue and picking the next") \
	X(context_switch, "ns", "switching contexts within a process, or to and from idle") \
	X(context_switch_mm, "ns", "more for another process") \
	X(wake, "ns", "try_to_wake_up() without selection and enqueue") \
	X(probe, "ns", "looking at one more CPU whose lines are cached") \
	X(enqueue, "ns", "enqueue on a run queue and the preemption check") \
	X(irq, "ns", "entry and exit of an interrupt") \
	X(softirq, "ns", "entry and exit of softirq processing") \
	X(tick, "ns", "tick handler of a busy CPU") \
	X(timer, "ns", "an expired hrtimer's handler, without the wake-up") \
	X(timer_set, "ns", "arming an hrtimer") \
	X(timer_slack, "ns", "how much later a sleep ends than asked") \
	X(balance, "ns", "load balancing, for each run queue looked at") \
	X(fork, "ns", "fork() or clone(), on the parent") \
	X(futex_wake, "ns", "FUTEX_WAKE, without the wake-ups") \
	X(futex_wait, "ns", "FUTEX_WAIT, without switching") \
	X(pipe_send, "ns", "write() of a pipe, without syscall, copy and wake-up") \
	X(pipe_recv, "ns", "read() of a pipe") \
	X(unix_send, "ns", "send() on AF_UNIX") \
	X(unix_recv, "ns", "recv() on AF_UNIX") \
	X(tcp_send, "ns", "send() on TCP, up to the loopback device") \
	X(tcp_rx, "ns", "the softirq that receives it, without the wake-up") \
	X(tcp_recv, "ns", "recv() on TCP") \
	X(udp_send, "ns", "send() on UDP, up to the loopback device") \
	X(udp_rx, "ns", "the softirq that receives it") \
	X(udp_recv, "ns", "recv() on UDP") \
	/* Lines and bytes that software touches. */ \
	X(wake_lines, "lines", "a wakee's task, entity and queue lines that a remote wake-up moves") \
	X(switch_lines, "lines", "lines of a task that its next CPU fetches when it runs") \
	X(futex_lines, "lines", "hash bucket and word of a futex") \
	X(pipe_lines, "lines", "lines a pipe message moves, payload apart") \
	X(unix_lines, "lines", "the same for AF_UNIX") \
	X(tcp_lines, "lines", "the same for TCP loopback") \
	X(udp_lines, "lines", "the same for UDP loopback")

struct machine_cost {
	uint64_t value;		/* ps where the unit is ns; else the number */
	uint64_t low, high;	/* range, same unit; equal to value where it is no range */
	enum machine_class class;
	char *source;
};

/* How a CPU waits for an interrupt. */
enum machine_idle_kind {
	MACHINE_IDLE_POLL,	/* spins on need_resched: no IPI, no exit latency to speak of */
	MACHINE_IDLE_MWAIT,	/* watches need_resched's line: no IPI */
	MACHINE_IDLE_HALT,	/* needs an IPI: WFI, HLT, I/O port */
	MACHINE_IDLE_CEDE,	/* gives the vCPU back to the hypervisor; needs an IPI */
};

#define MACHINE_IDLE_MAX 8

struct machine_idle_state {
	char name[16];
	enum machine_idle_kind kind;
	struct machine_cost exit;	/* ps: latency from the wake event to the first instruction */
	struct machine_cost residency;	/* ps: the governor's target residency */
};

struct machine_costs {
#define X(field, unit, what) struct machine_cost field;
	MACHINE_COSTS(X)
#undef X
	unsigned nr_idle;
	struct machine_idle_state idle[MACHINE_IDLE_MAX];	/* shallow to deep */
	unsigned hz;		/* CONFIG_HZ of the published runs, or 250 */
	char *card;		/* whose card it is; "common": nobody's */
};

/*
 * The i-th cost by number: name as cards write it (the field's, "line_cluster"), unit, what; NULL
 * past the last.
 */
struct machine_cost_kind {
	const char *name, *unit, *what;
	size_t offset;		/* of a struct machine_cost in struct machine_costs */
};

const struct machine_cost_kind *machine_cost_kind(unsigned i);
const char *machine_class_name(enum machine_class class);
const char *machine_level_name(enum machine_level level);
const char *machine_idle_kind_name(enum machine_idle_kind kind);

/*
 * machine_costs - the card of a machine, complete: the common card fills its gaps
 * @card: a preset's or a card's name, or NULL: the card that came with the machine, and
 *        for a machine that has none the common one, all of it assumed
 * -ENOENT: no such card. Free with machine_costs_free().
 */
int machine_costs(const struct machine *m, const char *card, struct machine_costs **out,
		  struct machine_error *err);
void machine_costs_free(struct machine_costs *costs);	/* accepts NULL */

/*
 * What CPUs share, one number each, for machine_level_of(): equal numbers, same thing. It is
 * the lowest online CPU of the set. A CPU that is offline or doesn't exist has numbers of its
 * own. Of POWER's big cores, the core is the small one that shares an L1, as in Linux's SMT
 * domain; in a partition whose sockets are cores, a package is a node.
 */
struct machine_place {
	uint16_t core, cluster, llc, package, node, pad[3];
};

/* nr_cpu_ids places, allocated; NULL without memory. */
struct machine_place *machine_places(const struct machine *m);

static inline enum machine_level machine_level_of(const struct machine_place *a,
						  const struct machine_place *b)
{
	if (a == b)
		return MACHINE_SAME_CPU;
	if (a->core == b->core)
		return MACHINE_SAME_CORE;
	if (a->cluster == b->cluster)
		return MACHINE_SAME_CLUSTER;
	if (a->llc == b->llc)
		return MACHINE_SAME_LLC;
	return a->package == b->package ? MACHINE_SAME_PACKAGE : MACHINE_REMOTE;
}

#endif
