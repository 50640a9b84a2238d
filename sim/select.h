/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wake path in the simulator: the host of sched/host.h, which here charges the
 * waker for each line that it reads. A file includes this and gives sim_select() a name.
 */
#ifndef SIM_SELECT_H
#define SIM_SELECT_H

#include "sim/private.h"

/* The waker's CPU, and its ns since the selection began. */
struct sim_charge {
	struct sim *s;
	uint32_t cpu;
	uint64_t ns;
};

static inline void sim_charge_line(struct sim_charge *c, struct sim_line *line)
{
	c->ns += sim_line_read(&c->s->fabric, line, c->cpu, c->s->now + c->ns);
}

static inline void sim_charge_probe(struct sim_charge *c, uint32_t cpu)
{
	if (cpu == c->cpu)
		return;
	c->ns += c->s->cost.probe;
	sim_charge_line(c, &c->s->lines[cpu].rq);
}

static inline void sim_charge_hints(struct sim_charge *c, uint32_t cpu)
{
	uint16_t span = c->s->topo->cpus[cpu].llc;

	if (span == SCHED_NO_SPAN)
		return;
	sim_charge_line(c, &c->s->llc_lines[span].hints);
	if (c->s->rules->sis_core)
		sim_charge_line(c, &c->s->llc_lines[span].icpus);
	if (c->s->rules->idle_mask)
		sim_charge_line(c, &c->s->llc_lines[span].idle_cpus);
}

#define SCHED_PROBE(h, cpu) sim_charge_probe((h)->charge, cpu)
#define SCHED_LOAD(h, cpu) sim_charge_line((h)->charge, &(h)->charge->s->lines[cpu].load)
#define SCHED_HINTS(h, cpu) sim_charge_hints((h)->charge, cpu)
#define SCHED_CLOCK(h) ((h)->clock + (h)->charge->ns)

#include "sched/host.h"

/* One selection on cpu at s->now; returns its ns. */
static inline uint64_t sim_decide(struct sim *s, uint32_t cpu, const struct sched_wake *wake,
				  struct wake_decision *out)
{
	struct sim_charge charge = { s, cpu, 0 };

	s->state->charge = &charge;
	s->state->clock = s->now;
	s->state->jiffies = sim_jiffies(s);
	sched_decide(s->state, s->rules, wake, out);
	s->state->charge = NULL;
	return charge.ns;
}

#endif
