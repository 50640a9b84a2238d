/* SPDX-License-Identifier: GPL-2.0-only */
/* wakelab machine --costs: what things cost on a machine, and who says so. */
#ifndef CMD_MACHINE_COSTS_H
#define CMD_MACHINE_COSTS_H

#include "cmd/cmd.h"
#include "machine/costs.h"

/* Prints the card, of the machine's own or of that name; returns an exit status. */
int cmd_machine_costs(const struct machine *m, const char *card, enum cmd_format format);

#endif
