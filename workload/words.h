/* SPDX-License-Identifier: GPL-2.0-only */
/* The language's words: those that begin a statement first. */
#ifndef WORKLOAD_WORDS_H
#define WORKLOAD_WORDS_H

/* What a statement may begin with. */
#define WORK_STATEMENTS(W) \
	W(load) W(param) W(time) W(let) W(channel) W(lock) W(semaphore) W(list) W(barrier) \
	W(flag) W(group) W(metric) W(task) W(if) W(else) W(for) W(repeat) W(forever) W(run) \
	W(spin) W(sleep) W(every) W(send) W(recv) W(unlock) W(post) W(wait) W(clear) W(park) \
	W(release) W(raise) W(await) W(yield) W(count) W(start) W(mark) W(sample) W(fork) W(pin)

#define WORK_OTHER_WORDS(W) \
	W(in) W(process) W(min) W(max) W(memory) W(warmup) W(capacity) W(overhead) W(page) \
	W(wake) W(percpu) W(of) W(shares) W(idle) W(normal) W(batch) W(nice) W(policy) \
	W(footprint) W(kthread) W(starts) W(cpu) W(node) W(all) W(since) W(rate) W(latency) \
	W(makespan) W(ns) W(us) W(ms) W(s) W(mean) W(bucket) W(bits) W(drop) W(zero) W(lower) \
	W(higher) W(exp) W(uniform) W(sd) W(lognormal) W(median) W(p90) W(mix) W(pipe) W(unix) \
	W(tcp) W(udp) W(main) W(cpus) W(nodes) W(self)

#define WORK_WORD_ENUM(word) WORD_##word,
enum work_word {
	WORK_STATEMENTS(WORK_WORD_ENUM) WORD_NR_STATEMENTS,
	WORD_before_others = WORD_NR_STATEMENTS - 1,
	WORK_OTHER_WORDS(WORK_WORD_ENUM) WORD_NR
};
#undef WORK_WORD_ENUM

#endif
