/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU masks as words, spans that know their first and last word, and the
 * kernel's for_each_cpu_wrap() over a mask that shrinks while it is walked.
 */
#ifndef WAKE_MASK_H
#define WAKE_MASK_H

#include "wake/types.h"

/* A fixed set of CPUs. All its bits lie in words first..last. */
struct wake_span {
	wake_u16 first;		/* word */
	wake_u16 last;		/* word */
	wake_u32 weight;	/* CPUs */
	wake_u64 bits[WAKE_WORDS];
};

WAKE_FN wake_u32 wake_word(wake_u32 cpu)
{
	return (cpu / 64) & (WAKE_WORDS - 1);
}

WAKE_FN wake_u64 wake_bit(wake_u32 cpu)
{
	return 1ULL << (cpu & 63);
}

WAKE_FN int wake_mask_has(const wake_u64 *mask, wake_u32 cpu)
{
	return cpu < WAKE_NR_CPUS && (mask[wake_word(cpu)] & wake_bit(cpu));
}

WAKE_FN void wake_mask_set(wake_u64 *mask, wake_u32 cpu)
{
	mask[wake_word(cpu)] |= wake_bit(cpu);
}

WAKE_FN void wake_mask_clear(wake_u64 *mask, wake_u32 cpu)
{
	mask[wake_word(cpu)] &= ~wake_bit(cpu);
}

/*
 * Index of the lowest set bit, of a word that has one. Branch-free: BPF has no
 * such instruction, and branches here multiply what its verifier must walk.
 */
WAKE_FN wake_u32 wake_ctz(wake_u64 word)
{
#ifdef __bpf__
	static const wake_u8 table[64] = {
		0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28,
		62, 5,  39, 46, 44, 42, 22, 9,  24, 35, 59, 56, 49, 18, 29, 11,
		63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21, 23, 58, 17, 10,
		51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12,
	};

	return table[((word & -word) * 0x022fdd63cc95386dULL) >> 58];
#else
	return (wake_u32)__builtin_ctzll(word);
#endif
}

/* out := span & mask, in the words of span; the other words are left alone. */
WAKE_FN void wake_mask_and(wake_u64 *out, const struct wake_span *span, const wake_u64 *mask)
{
	wake_for(w, span->first, span->last + 1u) {
		if (w >= WAKE_WORDS)
			break;
		out[w] = span->bits[w] & mask[w];
	}
}

/* mask := mask without span. */
WAKE_FN void wake_mask_andnot(wake_u64 *mask, const struct wake_span *span)
{
	wake_for(w, span->first, span->last + 1u) {
		if (w >= WAKE_WORDS)
			break;
		mask[w] &= ~span->bits[w];
	}
}

/* mask := nothing, in the words of span. */
WAKE_FN void wake_mask_zero(wake_u64 *mask, const struct wake_span *span)
{
	wake_for(w, span->first, span->last + 1u) {
		if (w >= WAKE_WORDS)
			break;
		mask[w] = 0;
	}
}

/*
 * for_each_cpu_wrap(): CPUs of a mask from start upwards, then from the first up
 * to start - 1. The mask is read live: a bit cleared ahead of the walk is not
 * visited. start may lie beyond the mask; then the walk begins at its first word.
 */
struct wake_walk {
	wake_u64 keep;		/* bits of this step's word still to visit */
	wake_u64 before;	/* bits of the start's word that come last */
	wake_u32 word;		/* of step 0 */
	wake_u32 step;		/* words entered; the start's is entered twice */
};

WAKE_FN void wake_walk_start(struct wake_walk *walk, const struct wake_span *span, wake_u32 start)
{
	wake_u32 word = start / 64;

	walk->word = span->first;
	walk->keep = ~0ULL;
	walk->before = 0;
	walk->step = 0;
	if (word < span->first || word > span->last)
		return;
	walk->word = word;
	walk->keep <<= start & 63;
	walk->before = ~walk->keep;
}

/* The next CPU of mask & span on this walk, or WAKE_NONE when there is none left. */
WAKE_FN wake_u32 wake_walk_next(struct wake_walk *walk, const wake_u64 *mask,
				const struct wake_span *span)
{
	wake_u32 words = span->last - span->first + 1u;
	wake_u64 keep = walk->keep;

	wake_for(step, walk->step, WAKE_WORDS + 1) {
		wake_u32 word = walk->word + step;
		wake_u64 bits;

		if (step > words)
			break;
		if (word > span->last)
			word -= words;
		word &= WAKE_WORDS - 1;
		bits = mask[word] & span->bits[word] & keep;
		if (bits) {
			walk->step = step;
			walk->keep = keep & ~(bits ^ (bits - 1));
			return word * 64 + wake_ctz(bits);
		}
		keep = step + 1 == words ? walk->before : ~0ULL;
	}
	return WAKE_NONE;
}

#endif
