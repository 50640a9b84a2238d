// SPDX-License-Identifier: GPL-2.0-only
/* The rules of struct wake_rules in words: what `wakelab variants --matrix` shows. */
#include "sched/variant.h"

#define RULE(field_, function_, ...) \
	{ #field_, function_, offsetof(struct wake_rules, field_), \
	  (const char *const[]){ __VA_ARGS__ } }
#define FLAG(field_, function_) \
	{ #field_, function_, offsetof(struct wake_rules, field_), NULL }

const struct sched_rule sched_rules[] = {
	RULE(skeleton, "select_idle_sibling", "split", "merged"),
	RULE(load, "wake_affine_weight", "runnable", "load_avg"),
	RULE(prev_idle, "wake_affine_idle", "none", "gated", "first", "merged"),
	RULE(sync_nr, "wake_affine_idle", "all", "runnable"),
	RULE(affine_count, "wake_affine", "decided", "this"),
	RULE(sched_idle, "sched_idle_cpu", "after", "equal", "not_for_idle"),
	RULE(kthread, "select_idle_sibling", "no", "stacks", "in_task"),
	RULE(recent, "select_idle_sibling", "on_hit", "always"),
	FLAG(recent_asks_prev, "select_idle_sibling"),
	FLAG(waker_recent, "select_task_rq_fair"),
	RULE(smt, "select_idle_smt", "none", "target", "prev"),
	FLAG(smt_in_span, "select_idle_smt"),
	FLAG(smt_skips_prev, "select_idle_smt"),
	FLAG(core_scans_on, "select_idle_core"),
	RULE(core_threads, "select_idle_core", "allowed", "mask"),
	FLAG(clears_waker_hint, "select_idle_cpu"),
	RULE(scan_start, "select_idle_cpu", "target", "next"),
	FLAG(affinity_late, "select_idle_cpu"),
	RULE(avg_idle, "select_idle_cpu", "512th", "aged"),
	FLAG(this_sd_always, "select_idle_cpu"),
	RULE(cluster, "select_idle_cpu", "none", "v2", "v7", "merged"),
	RULE(idle_mask, "select_idle_cpu", "none", "v4", "v6"),
	RULE(sis_core, "select_idle_cpu", "none", "p12", "p123", "v6"),
	RULE(vcpu, "vcpu_is_preempted", "yielded", "shared", "core", "hint"),
	RULE(capacity, "select_idle_capacity", "wake_cap", "first", "fits", "ranked", "cores"),
	RULE(on_cpu, "ttwu_queue_wakelist", "wait", "nr_1", "nr_0", "idle"),
	FLAG(current_cpu, "select_task_rq_fair"),
	FLAG(delay_dequeue, "ttwu_runnable"),
	FLAG(migration_disable, "select_task_rq"),
	FLAG(wa_idle, "wake_affine"),
	FLAG(wa_weight, "wake_affine"),
	FLAG(wa_bias, "wake_affine_weight"),
	FLAG(sis_avg_cpu, "select_idle_cpu"),
	FLAG(sis_prop, "select_idle_cpu"),
	FLAG(sis_util, "select_idle_cpu"),
	FLAG(ttwu_queue, "ttwu_queue_wakelist"),
};

const size_t sched_nr_rules = sizeof(sched_rules) / sizeof(sched_rules[0]);

_Static_assert(sizeof(sched_rules) / sizeof(sched_rules[0]) == sizeof(struct wake_rules),
	       "every rule is in the table");

const char *sched_rule_value(const struct sched_rule *rule, const struct wake_rules *rules)
{
	wake_u8 value = *((const wake_u8 *)rules + rule->field);

	if (!rule->values)
		return value ? "yes" : "no";
	return rule->values[value];
}
