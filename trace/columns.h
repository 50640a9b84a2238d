/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of a recording, once: CSV reader, native reader, native writer,
 * CSV writer and `wakelab convert --columns` are all made from these lists.
 *
 * C(id, name, field, type, flags), in the order of a normalised CSV:
 *
 *   id		TRACE_COL_id or TRACE_ECOL_id
 *   name	in the CSV's first line and in the native header
 *   field	of struct trace_record or struct trace_event
 *   type	UINT, INT: as wide as the field; CPU: a UINT below head.nr_cpus;
 *		MASK: head.nr_cpus bits; TEXT: a word, padded with NUL, at least one
 *   flags	TRACE_NEEDED: no recording without it, a wake path reads it or it is
 *		the answer. TRACE_LIST: one number a CPU. TRACE_HEX: a mask that CSV
 *		files write in hex; without it only where decimal can't say it.
 */
#ifndef TRACE_COLUMNS_H
#define TRACE_COLUMNS_H

#define TRACE_NEEDED	0x1
#define TRACE_LIST	0x2
#define TRACE_HEX	0x4

#define TRACE_RECORD_COLUMNS_HEAD(C) \
	C(SEQ, "seq", seq, UINT, TRACE_NEEDED) \
	C(T_IN, "t_in", t_in, UINT, TRACE_NEEDED) \
	C(T_OUT, "t_out", t_out, UINT, TRACE_NEEDED) \
	C(JIFFIES, "jiffies", jiffies, UINT, TRACE_NEEDED) \
	C(WAKER_CPU, "waker_cpu", waker_cpu, CPU, TRACE_NEEDED) \
	C(PREV_CPU, "prev_cpu", prev_cpu, CPU, TRACE_NEEDED) \
	C(WAKE_FLAGS, "wake_flags", wake_flags, UINT, TRACE_NEEDED) \
	C(RET, "ret", ret, CPU, TRACE_NEEDED) \
	C(AFFINE_ATTEMPT, "affine_attempt", affine_attempt, INT, TRACE_NEEDED) \
	C(AFFINE_THIS, "affine_this", affine_this, INT, TRACE_NEEDED) \
	C(HAS_IDLE_IN_W, "has_idle_in_w", has_idle[TRACE_W], INT, TRACE_NEEDED) \
	C(HAS_IDLE_OUT_W, "has_idle_out_w", has_idle_out[TRACE_W], INT, 0) \
	C(HAS_IDLE_IN_P, "has_idle_in_p", has_idle[TRACE_P], INT, TRACE_NEEDED) \
	C(HAS_IDLE_OUT_P, "has_idle_out_p", has_idle_out[TRACE_P], INT, 0) \
	C(SCAN_W, "scan_w", scan[TRACE_W], INT, TRACE_NEEDED) \
	C(SCAN_P, "scan_p", scan[TRACE_P], INT, TRACE_NEEDED) \
	C(RECENT_OUT, "recent_out", recent_out, CPU, 0) \
	C(WAKER_FLIPS_OUT, "waker_flips_out", waker_flips_out, UINT, 0) \
	C(PREEMPT_COUNT, "preempt_count", preempt_count, UINT, TRACE_NEEDED)

/* T: WAKER or WAKEE, t the same in small letters, s as a string. */
#define TRACE_RECORD_COLUMNS_TASK(C, T, t, s) \
	C(T##_PID, s ".pid", t.pid, INT, TRACE_NEEDED) \
	C(T##_TGID, s ".tgid", t.tgid, INT, 0) \
	C(T##_ON_CPU, s ".cpu", t.cpu, CPU, TRACE_NEEDED) \
	C(T##_FLAGS, s ".flags", t.flags, UINT, TRACE_NEEDED) \
	C(T##_WAKEE_FLIPS, s ".wakee_flips", t.wakee_flips, UINT, TRACE_NEEDED) \
	C(T##_POLICY, s ".policy", t.policy, UINT, TRACE_NEEDED) \
	C(T##_WEIGHT, s ".weight", t.weight, UINT, 0) \
	C(T##_ON_RQ_DELAYED, s ".on_rq_delayed", t.on_rq_delayed, UINT, 0) \
	C(T##_DECAY_TS, s ".decay_ts", t.decay_ts, UINT, TRACE_NEEDED) \
	C(T##_LAST_WAKEE_PID, s ".last_wakee_pid", t.last_wakee_pid, INT, TRACE_NEEDED) \
	C(T##_RECENT_USED_CPU, s ".recent_used_cpu", t.recent_used_cpu, CPU, TRACE_NEEDED) \
	C(T##_WAKE_CPU, s ".wake_cpu", t.wake_cpu, CPU, 0) \
	C(T##_NR_ALLOWED, s ".nr_allowed", t.nr_allowed, UINT, TRACE_NEEDED) \
	C(T##_LOAD_AVG, s ".load_avg", t.load_avg, UINT, TRACE_NEEDED) \
	C(T##_RUNNABLE_AVG, s ".runnable_avg", t.runnable_avg, UINT, 0) \
	C(T##_UTIL_AVG, s ".util_avg", t.util_avg, UINT, TRACE_NEEDED) \
	C(T##_UTIL_EST, s ".util_est", t.util_est, UINT, TRACE_NEEDED) \
	C(T##_H_LOAD, s ".h_load", t.h_load, UINT, 0) \
	C(T##_CFS_H_LOAD, s ".cfs_h_load", t.cfs_h_load, UINT, TRACE_NEEDED) \
	C(T##_CFS_H_LOAD_TS, s ".cfs_h_load_ts", t.cfs_h_load_ts, UINT, TRACE_NEEDED) \
	C(T##_CFS_LOAD_AVG, s ".cfs_load_avg", t.cfs_load_avg, UINT, TRACE_NEEDED) \
	C(T##_ALLOWED, s ".allowed", t.allowed, MASK, TRACE_NEEDED)

#define TRACE_RECORD_COLUMNS_X(C) \
	C(X_RAW_FLAGS, "x.raw_flags", raw_flags, UINT, 0) \
	C(X_WAKER_RECENT_OUT, "x.waker_recent_out", waker_recent_out, CPU, 0) \
	C(X_JIFFIES_OUT, "x.jiffies_out", jiffies_out, UINT, 0) \
	C(X_AVG_IDLE, "x.avg_idle", avg_idle, UINT, 0) \
	C(X_WAKE_AVG_IDLE, "x.wake_avg_idle", wake_avg_idle, UINT, 0) \
	C(X_WAKE_STAMP, "x.wake_stamp", wake_stamp, UINT, 0) \
	C(X_WAKE_AVG_IDLE_OUT, "x.wake_avg_idle_out", wake_avg_idle_out, UINT, 0) \
	C(X_WAKE_STAMP_OUT, "x.wake_stamp_out", wake_stamp_out, UINT, 0) \
	C(X_SCAN_COST, "x.scan_cost", scan_cost, UINT, 0) \
	C(X_SCAN_COST_OUT, "x.scan_cost_out", scan_cost_out, UINT, 0) \
	C(X_SPAN_W, "x.span_w", span_weight[TRACE_W], UINT, 0) \
	C(X_SPAN_P, "x.span_p", span_weight[TRACE_P], UINT, 0) \
	C(X_ICPUS_W, "x.icpus_w", icpus[TRACE_W], MASK, TRACE_HEX) \
	C(X_ICPUS_P, "x.icpus_p", icpus[TRACE_P], MASK, TRACE_HEX) \
	C(X_ICPUS_OUT_W, "x.icpus_out_w", icpus_out[TRACE_W], MASK, TRACE_HEX) \
	C(X_ICPUS_OUT_P, "x.icpus_out_p", icpus_out[TRACE_P], MASK, TRACE_HEX) \
	C(X_IMASK_W, "x.imask_w", imask[TRACE_W], MASK, TRACE_HEX) \
	C(X_IMASK_P, "x.imask_p", imask[TRACE_P], MASK, TRACE_HEX) \
	C(X_IMASK_OUT_W, "x.imask_out_w", imask_out[TRACE_W], MASK, TRACE_HEX) \
	C(X_IMASK_OUT_P, "x.imask_out_p", imask_out[TRACE_P], MASK, TRACE_HEX) \
	C(X_SIB_OUT, "x.sib_out", scan_sibling_out, MASK, TRACE_HEX) \
	C(X_NSW, "x.nsw", nr_switches, UINT, 0) \
	C(X_NSW_OUT, "x.nsw_out", nr_switches_out, UINT, 0) \
	C(X_CL_W, "x.cl_w", cluster[TRACE_W], INT, 0) \
	C(X_CL_P, "x.cl_p", cluster[TRACE_P], INT, 0)

#define TRACE_RECORD_COLUMNS_CPUS(C) \
	C(IDLE, "idle", idle, MASK, TRACE_NEEDED | TRACE_HEX) \
	C(IDLE_OUT, "idle_out", idle_out, MASK, TRACE_NEEDED | TRACE_HEX) \
	C(CPU_NR_RUNNING, "cpu.nr_running", cpu[0].nr_running, UINT, TRACE_NEEDED | TRACE_LIST) \
	C(CPU_H_NR_QUEUED, "cpu.h_nr_queued", cpu[0].h_nr_queued, UINT, TRACE_LIST) \
	C(CPU_H_NR_RUNNABLE, "cpu.h_nr_runnable", cpu[0].h_nr_runnable, UINT, TRACE_LIST) \
	C(CPU_H_NR_IDLE, "cpu.h_nr_idle", cpu[0].h_nr_idle, UINT, TRACE_NEEDED | TRACE_LIST) \
	C(CPU_FLAGS, "cpu.flags", cpu[0].flags, UINT, TRACE_NEEDED | TRACE_LIST) \
	C(CPU_CURR_PID, "cpu.curr_pid", cpu[0].curr_pid, INT, TRACE_LIST) \
	C(CPU_LOAD_AVG, "cpu.load_avg", cpu[0].load_avg, UINT, TRACE_NEEDED | TRACE_LIST) \
	C(CPU_RUNNABLE_AVG, "cpu.runnable_avg", cpu[0].runnable_avg, UINT, TRACE_LIST) \
	C(CPU_UTIL_AVG, "cpu.util_avg", cpu[0].util_avg, UINT, TRACE_NEEDED | TRACE_LIST) \
	C(CPU_CAPACITY, "cpu.capacity", cpu[0].capacity, UINT, TRACE_NEEDED | TRACE_LIST)

#define TRACE_RECORD_COLUMNS(C) \
	TRACE_RECORD_COLUMNS_HEAD(C) \
	TRACE_RECORD_COLUMNS_TASK(C, WAKER, waker, "waker") \
	TRACE_RECORD_COLUMNS_TASK(C, WAKEE, wakee, "wakee") \
	TRACE_RECORD_COLUMNS_X(C) \
	TRACE_RECORD_COLUMNS_CPUS(C)

#define TRACE_EVENT_COLUMNS(C) \
	C(LOAD, "load", load, TEXT, TRACE_NEEDED) \
	C(TYPE, "type", type, UINT, TRACE_NEEDED) \
	C(SET, "set", set, UINT, TRACE_NEEDED) \
	C(SEQ, "seq", seq, UINT, TRACE_NEEDED) \
	C(T, "t", t, UINT, TRACE_NEEDED) \
	C(CPU, "cpu", cpu, CPU, TRACE_NEEDED) \
	C(NR_RUNNING, "nr_running", nr_running, UINT, TRACE_NEEDED) \
	C(H_NR_IDLE, "h_nr_idle", h_nr_idle, UINT, TRACE_NEEDED) \
	C(FLAGS, "flags", flags, UINT, TRACE_NEEDED) \
	C(IDLE, "idle", idle, MASK, TRACE_NEEDED | TRACE_HEX) \
	C(HIC_IN, "hic_in", has_idle, INT, TRACE_NEEDED) \
	C(HIC_OUT, "hic_out", has_idle_out, INT, TRACE_NEEDED) \
	C(ICPUS_IN, "icpus_in", icpus, MASK, TRACE_HEX) \
	C(ICPUS_OUT, "icpus_out", icpus_out, MASK, TRACE_HEX) \
	C(IMASK_IN, "imask_in", imask, MASK, TRACE_HEX) \
	C(IMASK_OUT, "imask_out", imask_out, MASK, TRACE_HEX) \
	C(LAST_IN, "last_in", last_idle, UINT, 0) \
	C(LAST_OUT, "last_out", last_idle_out, UINT, 0) \
	C(NSW, "nsw", nr_switches, UINT, 0) \
	C(NSW_OUT, "nsw_out", nr_switches_out, UINT, 0) \
	C(T_OUT, "t_out", t_out, UINT, 0)

#define TRACE_COLUMN_ID(id, name, field, type, flags)	TRACE_COL_##id,
#define TRACE_ECOLUMN_ID(id, name, field, type, flags)	TRACE_ECOL_##id,

enum trace_column { TRACE_RECORD_COLUMNS(TRACE_COLUMN_ID) TRACE_COLS };
enum trace_ecolumn { TRACE_EVENT_COLUMNS(TRACE_ECOLUMN_ID) TRACE_ECOLS };

#undef TRACE_COLUMN_ID
#undef TRACE_ECOLUMN_ID

#endif
