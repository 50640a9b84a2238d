// SPDX-License-Identifier: GPL-2.0-only
/* Selections, charged, without a log. */
#include "sim/select.h"

uint64_t sim_select(struct sim *s, uint32_t cpu, const struct sched_wake *wake,
		    struct wake_decision *out)
{
	return sim_decide(s, cpu, wake, out);
}

/* ttwu_queue_wakelist() before selection: may the wakee be left on its old CPU? */
uint32_t sim_leaves_on_cpu(struct sim *s, const struct sched_wake *wake)
{
	struct sim_charge charge = { s, wake->cpu, 0 };
	struct wake_decision unused = { 0 };
	struct wake_ctx ctx = {
		.rules = s->rules,
		.host = s->state,
		.d = &unused,
		.cpu = wake->cpu,
		.prev = wake->prev,
	};
	uint32_t leaves;

	s->state->charge = &charge;
	s->state->wakee = wake->wakee;
	leaves = wake_queued_on_cpu(&ctx);
	s->state->charge = NULL;
	return leaves;
}
