/* SPDX-License-Identifier: GPL-2.0-only */
/* Building a simulation: what create.c, load.c and run.c call of each other. */
#ifndef SIM_LOAD_H
#define SIM_LOAD_H

#include "sim/private.h"

/* Fills err and returns code. */
int sim_fail(struct sim_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Zeroed, in lines of its own, counted; NULL without memory. */
void *sim_alloc(struct sim *s, size_t nr, size_t size);

/* sim/load.c: tasks and objects of all loads */
int sim_loads_create(struct sim *s, struct sim_error *err);
void sim_loads_free(struct sim *s);

/* sim/run.c: CPUs idle at time 0, first tasks queued */
void sim_start(struct sim *s);

#endif
