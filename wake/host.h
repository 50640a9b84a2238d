/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a host supplies. A translation unit defines struct wake_host and these
 * functions (static inline, or macros), then includes wake/wake.h once.
 *
 * "Racy": another CPU may write it meanwhile, as in the kernel, where the wake
 * path holds no run queue lock. All CPU arguments are < WAKE_NR_CPUS.
 *
 * Run queues
 *   u32 host_idle_cpu(h, cpu)      idle_cpu(): idle task current, nothing queued, nothing
 *                                  pending. Racy; written by cpu and by its wakers.
 *   u32 host_sched_idle_cpu(h, cpu) only SCHED_IDLE tasks queued, at least one. Racy.
 *   u32 host_nr_running(h, cpu)    rq->nr_running, all classes. Racy.
 *   u32 host_nr_delayed(h, cpu)    of these, delayed dequeues. Racy.
 *   u32 host_ttwu_pending(h, cpu)  a wake-up is on its way to cpu. Racy.
 *   u64 host_load(h, cpu, kind)    load of the root cfs_rq, nice 0 = 1024, as of its last
 *                                  update; kind is an enum wake_load. Racy.
 *   u64 host_capacity(h, cpu)      capacity_of(): 1024 scale, without interrupts. Racy.
 *   u64 host_capacity_orig(h, cpu) arch_scale_cpu_capacity().
 *   u64 host_avg_idle(h, cpu)      rq->avg_idle, ns. Asked of the waker's CPU only.
 *
 * vCPUs
 *   u32 host_vcpu_preempted(h, cpu) what the architecture says where it isn't powerpc
 *                                  (KVM's steal time flag); 0 on bare metal. Racy.
 *   u32 host_lpar(h)               0, or the partition: WAKE_LPAR | WAKE_LPAR_SHARED
 *                                  | WAKE_LPAR_KVM
 *   u32 host_yield_count(h, cpu)   lppaca.yield_count. Racy; the hypervisor's.
 *   u32 host_lppaca_idle(h, cpu)   lppaca.idle: the OS asked for idle. Racy.
 *
 * Topology, constant until domains are rebuilt
 *   u32 host_smt_active(h)         sched_smt_active()
 *   u32 host_nr_smt(h, cpu), host_smt(h, cpu, i)  cpu_smt_mask(), ascending, cpu included
 *   u32 host_nr_domains(h, cpu)    domains of cpu, bottom-up:
 *   const struct wake_span *host_domain_span(h, cpu, i)
 *   u32 host_domain_affine(h, cpu, i)   SD_WAKE_AFFINE
 *   u32 host_domain_pct(h, cpu, i)      imbalance_pct
 *   const struct wake_span *host_llc_span(h, cpu)   sd_llc; NULL where there is none
 *   u32 host_llc_size(h, cpu)      sd_llc_size (1 where there is none)
 *   u32 host_share_cache(h, a, b)  cpus_share_cache()
 *   u32 host_share_cluster(h, a, b) cpus_share_resources()
 *   const struct wake_span *host_cluster_span(h, cpu)   lowest SD_CLUSTER domain or NULL
 *   const struct wake_span *host_llc_group(h, cpu)      first group of sd_llc if that is a
 *                                  cluster (its domain is the one below), else NULL
 *   const struct wake_span *host_asym_span(h, cpu)      sd_asym_cpucapacity or NULL
 *   u64 host_max_capacity(h)       largest capacity_orig of the root domain
 *   const struct wake_span *host_node_span(h, cpu)      cpumask_of_node()
 *   u32 host_active(h, cpu)        may run user tasks
 *
 * State (wake/state.h)
 *   struct wake_cpu *host_cpu(h, cpu)
 *   struct wake_llc *host_llc(h, cpu)   sd_llc_shared; NULL where there is none
 *   struct wake_task *host_waker(h), *host_wakee(h)
 *   struct wake_scan *host_scan(h, cpu)   cpu's own; what it holds needn't be kept
 *
 * The two tasks
 *   u32 host_waker_exiting(h), host_waker_kthread(h)    PF_EXITING, PF_KTHREAD
 *   u32 host_waker_nr_allowed(h)
 *   u32 host_waker_in_task(h)      in_task(): no interrupt on top of the waker
 *   u64 host_waker_load(h), host_wakee_load(h)          task_h_load(), nice 0 = 1024
 *   const u64 *host_allowed(h)     wakee's cpus_ptr, WAKE_WORDS words
 *   u32 host_nr_allowed(h)         wakee's
 *   u32 host_wakee_idle_policy(h)  wakee is SCHED_IDLE
 *   u32 host_on_cpu(h)             wakee's old CPU still switches away from it
 *   u32 host_delayed(h)            wakee is a delayed dequeue, still queued
 *   u32 host_migration_disabled(h) wakee's
 *   u64 host_wakee_util(h), host_uclamp_min(h), host_uclamp_max(h)   1024 scale
 *
 * Time
 *   u64 host_jiffies(h)
 *   u32 host_hz(h)
 *   u64 w_clock(h, cpu)            ns; local_clock()
 *
 * A host that explains defines wake_note(ctx, step, cpu, verdict): see wake/note.h.
 */
#ifndef WAKE_HOST_H
#define WAKE_HOST_H

#define WAKE_LPAR		1u
#define WAKE_LPAR_SHARED	2u
#define WAKE_LPAR_KVM		4u

/* Wake flags: the values of v5.11 on. */
#define WAKE_WF_EXEC		0x02u
#define WAKE_WF_FORK		0x04u
#define WAKE_WF_TTWU		0x08u
#define WAKE_WF_SYNC		0x10u
#define WAKE_WF_MIGRATED	0x20u
#define WAKE_WF_CURRENT_CPU	0x40u

#endif
