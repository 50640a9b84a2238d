/* SPDX-License-Identifier: GPL-2.0-only */
/* wakelab verify --state: what follows from one record to the next. */
#ifndef CMD_VERIFY_H
#define CMD_VERIFY_H

#include "cmd/args.h"

/* The exit status, after everything has been printed. */
int cmd_verify_state(const struct cmd_records *records);

#endif
