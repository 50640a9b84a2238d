/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words that wake/ is written in. No libc: the same text is compiled by gcc
 * and clang for user space and by clang for BPF.
 *
 * A host header may define, before it includes wake/:
 *   WAKE_NR_CPUS  how many CPU ids there are, a power of two (1024)
 *   WAKE_FN       storage class of every function (static inline)
 *   wake_for      the one loop macro, for verifiers that want another
 */
#ifndef WAKE_TYPES_H
#define WAKE_TYPES_H

typedef unsigned char		wake_u8;
typedef unsigned short		wake_u16;
typedef unsigned int		wake_u32;
typedef unsigned long long	wake_u64;
typedef long long		wake_s64;

#ifndef WAKE_NR_CPUS
#define WAKE_NR_CPUS	1024
#endif

_Static_assert(WAKE_NR_CPUS && !(WAKE_NR_CPUS & (WAKE_NR_CPUS - 1)) && WAKE_NR_CPUS <= 8192,
	       "WAKE_NR_CPUS is a power of two up to 8192");

#define WAKE_WORDS	((WAKE_NR_CPUS + 63) / 64)
#define WAKE_SMT_MAX	8	/* POWER's SMT8 */
#define WAKE_DOMAINS_MAX 12

/* The kernel's nr_cpumask_bits or -1: no CPU. */
#define WAKE_NONE	(~0u)

#ifndef WAKE_FN
#define WAKE_FN		static inline __attribute__((always_inline, unused))
#endif

/* i is read only in the body; break, continue and return are allowed there. */
#ifndef wake_for
#define wake_for(i, from, to) for (wake_u32 i = (from); i < (to); i++)
#endif

#endif
