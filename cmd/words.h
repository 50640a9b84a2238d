/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of wake/note.h by number. */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include "wake/note.h"

extern const char *const cmd_reason_text[WAKE_NR_REASONS];
extern const char *const cmd_reason_function[WAKE_NR_REASONS];
extern const char *const cmd_affine_text[WAKE_NR_AFFINES];
extern const char *const cmd_step_text[WAKE_NR_STEPS];
extern const char *const cmd_step_function[WAKE_NR_STEPS];
extern const char *const cmd_verdict_text[WAKE_NR_VERDICTS];

#endif
