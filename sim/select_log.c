// SPDX-License-Identifier: GPL-2.0-only
/* The same selections with their candidate log. */
#include "sched/log.h"
#include "sim/select.h"

uint64_t sim_select_log(struct sim *s, uint32_t cpu, const struct sched_wake *wake,
			struct wake_decision *out)
{
	sched_current_log = s->log;
	s->log->nr = 0;
	return sim_decide(s, cpu, wake, out);
}
