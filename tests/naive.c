// SPDX-License-Identifier: GPL-2.0-only
#include "tests/naive.h"

#include <string.h>

#define MAX 1024
#define NOBODY 100000

/* Everything copied out of the state into one flag a CPU. */
struct naive {
	const struct wake_rules *rules;
	const struct sched_state *state;
	int nr;				/* CPUs */
	int idle[MAX], free[MAX], allowed[MAX], llc[MAX], cluster[MAX], recorded[MAX];
	int this_cpu, prev, target;
	int smt, has_core, budget, stopped, flag;
};

static int in(const wake_u64 *mask, int cpu)
{
	return mask[cpu / 64] >> (cpu % 64) & 1;
}

static int siblings(const struct naive *n, int a, int b)
{
	return n->state->topo->cpus[a].smt[0] == n->state->topo->cpus[b].smt[0];
}

static int share_llc(const struct naive *n, int a, int b)
{
	return n->state->topo->cpus[a].llc_id == n->state->topo->cpus[b].llc_id;
}

static int share_cluster(const struct naive *n, int a, int b)
{
	return n->state->topo->cpus[a].share_id == n->state->topo->cpus[b].share_id;
}

static void start(struct naive *n, const struct sched_state *state, const struct wake_rules *rules,
		  const struct sched_wake *wake, int target)
{
	const struct sched_topology *topo = state->topo;
	const struct wake_llc *llc = sched_llc(state, (wake_u32)target);

	memset(n, 0, sizeof(*n));
	n->rules = rules;
	n->state = state;
	n->nr = (int)topo->nr_cpus;
	n->this_cpu = (int)wake->cpu;
	n->prev = (int)wake->prev;
	n->target = target;
	n->smt = (int)topo->smt_active;
	n->has_core = llc && llc->has_idle_cores;
	n->budget = NOBODY;
	n->flag = state->cpu[target].scan_sibling;
	for (int cpu = 0; cpu < n->nr; cpu++) {
		const struct sched_rq *rq = &state->rq[cpu];
		int only_idle_policy = rq->nr_running && rq->nr_running == rq->nr_idle_policy;
		wake_u16 group = topo->cpus[target].llc_group;

		if (rules->sched_idle == WAKE_SCHED_IDLE_NOT_FOR_IDLE && wake->wakee->idle_policy)
			only_idle_policy = 0;
		n->idle[cpu] = in(state->idle, cpu) && !rq->preempted;
		n->free[cpu] = n->idle[cpu] || only_idle_policy;
		n->allowed[cpu] = in(wake->wakee->allowed, cpu);
		n->llc[cpu] = llc && in(topo->spans[topo->cpus[target].llc].bits, cpu);
		n->cluster[cpu] = group != SCHED_NO_SPAN && in(topo->spans[group].bits, cpu);
		n->recorded[cpu] = llc && in(llc->icpus, cpu);
	}
}

/* The CPUs of the LLC in the order of for_each_cpu_wrap(first). */
static int order(const struct naive *n, int first, int *list)
{
	int nr = 0;

	for (int i = 0; i < n->nr; i++) {
		int cpu = (first + i) % n->nr;

		if (n->llc[cpu])
			list[nr++] = cpu;
	}
	return nr;
}

static int core_is_idle(const struct naive *n, int core)
{
	for (int cpu = 0; cpu < n->nr; cpu++) {
		if (siblings(n, core, cpu) && !n->idle[cpu])
			return 0;
	}
	return 1;
}

/* What a partly idle core leaves behind for the end of a merged core scan. */
static int thread_of_core(const struct naive *n, int core, const int *candidate)
{
	for (int cpu = 0; cpu < n->nr; cpu++) {
		int ok = n->rules->core_threads == WAKE_CORE_MASK ? candidate[cpu] : n->allowed[cpu];

		if (siblings(n, core, cpu) && n->free[cpu] && ok)
			return cpu;
	}
	return -1;
}

static int prop_budget(const struct naive *n)
{
	const struct wake_cpu *cpu = &n->state->cpu[n->this_cpu];
	wake_u64 cost = cpu->avg_scan_cost + 1, idle = cpu->wake_avg_idle, weight = 0;

	if (n->rules->avg_idle == WAKE_AVG_IDLE_512TH)
		idle = n->state->rq[n->this_cpu].avg_idle / 512;
	else
		for (wake_u64 j = cpu->wake_stamp; j < n->state->jiffies; j++)
			idle /= 2;
	for (int i = 0; i < n->nr; i++)
		weight += (wake_u64)n->llc[i];
	return weight * idle > 4 * cost ? (int)(weight * idle / cost) : 4;
}

/* A pass for one CPU; -1: none, with n->stopped where the budget ended it. */
static int cpu_pass(struct naive *n, const int *list, int nr, const int *candidate)
{
	for (int i = 0; i < nr; i++) {
		if (!candidate[list[i]])
			continue;
		if (--n->budget == 0) {
			n->stopped = 1;
			return -1;
		}
		if (n->free[list[i]])
			return list[i];
	}
	return -1;
}

static int split_scan(struct naive *n)
{
	int list[MAX], nr = order(n, n->target, list), candidate[MAX];

	if (n->smt && n->has_core) {
		for (int i = 0; i < nr; i++) {
			if (n->allowed[list[i]] && core_is_idle(n, list[i]))
				return list[i];
		}
		n->has_core = 0;
	}
	for (int cpu = 0; cpu < n->nr; cpu++)
		candidate[cpu] = n->allowed[cpu];
	n->budget = prop_budget(n);
	if (n->rules->affinity_late) {
		int remembered = -1;

		for (int i = 0; i < nr; i++) {
			if (--n->budget == 0) {
				if (remembered >= 0)
					return remembered;
				break;
			}
			if (n->allowed[list[i]] && n->idle[list[i]])
				return list[i];
			if (n->allowed[list[i]] && n->free[list[i]] && remembered < 0)
				remembered = list[i];
		}
	} else {
		int cpu = cpu_pass(n, list, nr, candidate);

		if (cpu >= 0)
			return cpu;
	}
	if (!n->smt)
		return -1;
	for (int want_idle = 1; want_idle >= 0; want_idle--) {
		for (int cpu = 0; cpu < n->nr; cpu++) {
			if (!siblings(n, cpu, n->target) || !n->allowed[cpu] || !n->free[cpu])
				continue;
			/* Only v5.4 prefers an idle sibling to a sched-idle one. */
			if (n->rules->affinity_late && want_idle && !n->idle[cpu])
				continue;
			return cpu;
		}
	}
	return -1;
}

/* sis-core's fourth patch. */
static int pruning_scan(struct naive *n, const int *list, int nr, const int *candidate)
{
	int siblings_too = n->flag, seen = -1, stopped = 0;

	n->flag = 0;
	for (int i = 0; i < nr; i++) {
		int cpu = list[i], found = -1;

		if (!candidate[cpu])
			continue;
		if (--n->budget == 0) {
			stopped = 1;
			break;
		}
		if (n->has_core && core_is_idle(n, cpu))
			return cpu;
		if (n->has_core) {
			seen = seen < 0 ? thread_of_core(n, cpu, candidate) : seen;
			continue;
		}
		if (!siblings_too && n->free[cpu])
			return cpu;
		for (int other = 0; siblings_too && other < n->nr && found < 0; other++) {
			if (siblings(n, cpu, other) && n->allowed[other] && n->free[other])
				found = other;
		}
		if (found >= 0)
			return found;
		if (siblings_too)
			n->recorded[cpu] = 0;
	}
	if (seen < 0 && !stopped && n->has_core)
		memset(n->recorded, 0, sizeof(n->recorded));
	else if (seen < 0 && (stopped || !siblings_too))
		n->flag = 1;
	n->has_core = 0;
	return seen;
}

static int merged_pass(struct naive *n, const int *list, int nr, const int *candidate, int *seen)
{
	if (!n->has_core)
		return cpu_pass(n, list, nr, candidate);
	for (int i = 0; i < nr; i++) {
		if (!candidate[list[i]])
			continue;
		if (core_is_idle(n, list[i]))
			return list[i];
		if (*seen < 0)
			*seen = thread_of_core(n, list[i], candidate);
	}
	return -1;
}

/* The cluster of target in wrap order, then what is left of the LLC. */
static int two_passes(struct naive *n, const int *list, int nr, int *candidate, int *seen)
{
	int cluster[MAX], cpu;

	if (n->rules->cluster == WAKE_CLUSTER_MERGED) {
		for (int c = 0; c < n->nr; c++)
			cluster[c] = candidate[c] && n->cluster[c];
		cpu = merged_pass(n, list, nr, cluster, seen);
		if (cpu >= 0 || n->stopped)
			return cpu;
		for (int c = 0; c < n->nr; c++)
			candidate[c] &= !n->cluster[c];
	}
	return merged_pass(n, list, nr, candidate, seen);
}

static int merged_scan(struct naive *n)
{
	int list[MAX], candidate[MAX], seen = -1, cpu, had_core;
	int nr = order(n, n->target + (n->rules->scan_start == WAKE_START_NEXT), list);
	int masked = n->rules->sis_core >= WAKE_SIS_CORE_P123;

	if (!n->smt)
		n->has_core = 0;
	if (n->smt && n->rules->smt == WAKE_SMT_PREV && !n->has_core &&
	    share_llc(n, n->prev, n->target)) {
		for (cpu = 0; cpu < n->nr; cpu++) {
			if (siblings(n, cpu, n->prev) && n->allowed[cpu] && n->free[cpu] &&
			    !(n->rules->smt_skips_prev && cpu == n->prev))
				return cpu;
		}
	}
	if (n->rules->sis_prop && !n->has_core)
		n->budget = prop_budget(n);
	if (n->rules->sis_util && !(n->rules->sis_core && n->has_core)) {
		wake_u32 scan = sched_llc(n->state, (wake_u32)n->target)->nr_idle_scan;

		if (!scan)
			return -1;
		n->budget = n->has_core ? NOBODY : (int)scan + 1;
	}
	for (cpu = 0; cpu < n->nr; cpu++)
		candidate[cpu] = n->allowed[cpu] && (!masked || n->recorded[cpu]);
	if (n->rules->sis_core == WAKE_SIS_CORE_V6)
		return pruning_scan(n, list, nr, candidate);
	had_core = n->has_core;
	cpu = two_passes(n, list, nr, candidate, &seen);
	if (cpu >= 0 || n->stopped)
		return cpu;
	n->has_core = 0;
	if (masked && seen < 0)
		memset(n->recorded, 0, sizeof(n->recorded));
	return had_core ? seen : -1;
}

/* What may be tried before a scan: 0 no, 1 take it, 2 remember it. */
static int early(const struct naive *n, int cpu)
{
	if (!share_llc(n, cpu, n->target) || !n->free[cpu])
		return 0;
	if (n->rules->cluster == WAKE_CLUSTER_MERGED && !share_cluster(n, cpu, n->target))
		return 2;
	return 1;
}

static int select_cpu(struct naive *n, const struct sched_wake *wake, struct naive_result *out)
{
	int recent = (int)wake->wakee->wake.recent_used_cpu, prev_is, recent_is = 0, cpu;

	if (n->free[n->target])
		return n->target;
	prev_is = n->prev != n->target ? early(n, n->prev) : 0;
	if (prev_is == 1)
		return n->prev;
	if (n->rules->recent == WAKE_RECENT_ALWAYS)
		out->recent = (wake_u32)n->prev;
	if (recent != n->prev && recent != n->target &&
	    n->allowed[n->rules->recent_asks_prev ? n->prev : recent])
		recent_is = early(n, recent);
	if (recent_is == 1) {
		out->recent = (wake_u32)n->prev;
		return recent;
	}
	cpu = n->rules->skeleton == WAKE_SPLIT ? split_scan(n) : merged_scan(n);
	if (cpu >= 0)
		return cpu;
	if (prev_is == 2)
		return n->prev;
	return recent_is == 2 ? recent : n->target;
}

void naive_select_idle_sibling(const struct sched_state *state, const struct wake_rules *rules,
			       const struct sched_wake *wake, wake_u32 target,
			       struct naive_result *out)
{
	static struct naive n;
	int core_hint;

	memset(out, 0, sizeof(*out));
	out->recent = wake->wakee->wake.recent_used_cpu;
	start(&n, state, rules, wake, (int)target);
	core_hint = n.has_core;
	out->cpu = (wake_u32)select_cpu(&n, wake, out);
	/* Without SMT the flag is never looked at, so never cleared. */
	out->has_idle_cores = (wake_u32)(n.smt ? n.has_core : core_hint);
	/* v5.12 clears the hint of the waker's LLC instead. */
	if (rules->clears_waker_hint && !share_llc(&n, n.this_cpu, n.target))
		out->has_idle_cores = (wake_u32)core_hint;
	for (int cpu = 0; cpu < n.nr; cpu++) {
		if (n.recorded[cpu])
			out->icpus[cpu / 64] |= 1ULL << (cpu % 64);
	}
	out->scan_sibling = (wake_u32)n.flag;
}
