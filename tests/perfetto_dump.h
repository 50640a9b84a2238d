/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a Perfetto trace says, as lines of text: those of each CPU's bundles, and those of
 * everything else. Two readers write them, one by the library, one by hand.
 */
#ifndef PERFETTO_DUMP_H
#define PERFETTO_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DUMP_CPUS 8u

struct dump {
	FILE *cpu[DUMP_CPUS], *other;
	char *cpu_text[DUMP_CPUS], *other_text;
	size_t size[DUMP_CPUS + 1];
};

void dump_open(struct dump *d);
void dump_close(struct dump *d);	/* the texts are complete */
void dump_free(struct dump *d);

/* Both fail the test on what is no trace of ours. */
void dump_by_library(struct dump *d, const uint8_t *data, size_t len);
void dump_by_hand(struct dump *d, const uint8_t *data, size_t len);

struct dump_switch {
	const char *prev, *next;
	int prev_pid, prev_prio, next_pid, next_prio;
	int64_t state;
};

void dump_names(struct dump *d, const char *kind, uint64_t iid, const char *name);
void dump_clock(struct dump *d, uint64_t id, uint64_t time, uint64_t primary);
void dump_process(struct dump *d, int pid, const char *name);
void dump_thread(struct dump *d, int tid, int tgid, const char *name);
void dump_track(struct dump *d, uint64_t uuid, int pid, int tid, const char *name);
void dump_task_switch(FILE *to, uint64_t time, uint32_t pid, const struct dump_switch *s);
/* kind: waking or wakeup; last: target CPU. Or migrate, from and to. */
void dump_task(FILE *to, const char *kind, uint64_t time, uint32_t pid, const char *comm, int tid,
	       int prio, int first, int last);
void dump_idle(FILE *to, uint64_t time, uint32_t pid, uint32_t state, uint32_t cpu);
/* Then its arguments, then a newline. */
void dump_instant(struct dump *d, uint64_t time, uint64_t track, uint64_t category,
		  const char *name);

#endif
