// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wake path as BPF programs, one for each of its operations. They attach to
 * nothing: the verifier's word is what counts, and a test run's answer.
 */
#include "tests/bpf/host.bpf.h"
#include "wake/wake.h"

char _license[] SEC("license") = "GPL";

/* Set before loading; the map is frozen then, and the verifier reads it as constants. */
const volatile struct wake_rules rules SEC(".rodata.rules") = {};

/* Without this the compiler would take the rules for the zeros they are in the object. */
static __always_inline const struct wake_rules *loaded_rules(void)
{
	const struct wake_rules *loaded = (const struct wake_rules *)&rules;

	host_hide(loaded);
	return loaded;
}

SEC("syscall")
int select(struct call *call)
{
	struct wake_request request = {
		.cpu = call->cpu & (WAKE_NR_CPUS - 1),
		.prev = call->prev & (WAKE_NR_CPUS - 1),
		.flags = call->flags,
		.fair_only = call->fair_only,
	};
	struct wake_decision *decision = &state_out[host_index(call->cpu)];

	wake_ops_select(loaded_rules(), NULL, &request, decision);
	call->out = *decision;
	return (int)decision->cpu;
}

SEC("syscall")
int pick_idle(struct call *call)
{
	wake_ops_pick_idle(loaded_rules(), NULL, call->cpu & (WAKE_NR_CPUS - 1));
	return 0;
}

SEC("syscall")
int idle_enter(struct call *call)
{
	wake_ops_idle_enter(loaded_rules(), NULL, call->cpu & (WAKE_NR_CPUS - 1), call->flags);
	return 0;
}

SEC("syscall")
int idle_exit(struct call *call)
{
	wake_ops_idle_exit(loaded_rules(), NULL, call->cpu & (WAKE_NR_CPUS - 1), call->value);
	return 0;
}

SEC("syscall")
int tick(struct call *call)
{
	wake_ops_tick(loaded_rules(), NULL, call->cpu & (WAKE_NR_CPUS - 1));
	return 0;
}

SEC("syscall")
int llc_balance(struct call *call)
{
	struct wake_llc *llc = host_llc(NULL, call->cpu);

	if (llc)
		wake_llc_balance(loaded_rules(), llc, call->value, call->weight, call->pct);
	return 0;
}

SEC("syscall")
int fork(struct call *call)
{
	wake_ops_fork(host_wakee(NULL), host_waker(NULL), call->value,
		      call->cpu & (WAKE_NR_CPUS - 1));
	return 0;
}

SEC("syscall")
int domains_built(struct call *call)
{
	struct wake_llc *llc = host_llc(NULL, call->cpu);
	const struct wake_span *span = host_llc_span(NULL, call->cpu);

	if (llc && span)
		wake_ops_domains_built(llc, span);
	return 0;
}
