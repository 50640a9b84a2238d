// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/words.h"

#define TEXT(name, text, ...) text,
#define FUNCTION(name, text, function) function,

const char *const cmd_reason_text[WAKE_NR_REASONS] = { WAKE_REASONS(TEXT) };
const char *const cmd_reason_function[WAKE_NR_REASONS] = { WAKE_REASONS(FUNCTION) };
const char *const cmd_affine_text[WAKE_NR_AFFINES] = { WAKE_AFFINES(TEXT) };
const char *const cmd_step_text[WAKE_NR_STEPS] = { WAKE_STEPS(TEXT) };
const char *const cmd_step_function[WAKE_NR_STEPS] = { WAKE_STEPS(FUNCTION) };
const char *const cmd_verdict_text[WAKE_NR_VERDICTS] = { WAKE_VERDICTS(TEXT) };
