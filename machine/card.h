/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cards as text, wakelab-machine(5): "cost", "idle", "hz" and "card" lines, in a machine's own
 * text or in a file of their own.
 *
 * While a card is read it is a struct machine_costs with gaps: a cost without source, no idle
 * states, a hz of 0 were not said.
 */
#ifndef MACHINE_CARD_H
#define MACHINE_CARD_H

#include "machine/costs.h"
#include "machine/private.h"

/* Where a card is read from, and what it says so far; costs is made by the first line. */
struct machine_card {
	const char *name;
	unsigned line;
	struct machine_error *err;
	struct machine_costs *costs;
	struct machine_costs *base; /* the card named by "card"; its gaps are not filled */
	bool own; /* says something besides "card" */
};

/* True for the keywords above; such a line is given whole, as its source may hold a '#'. */
bool machine_card_keyword(struct machine_span word);
int machine_card_line(struct machine_card *card, struct machine_span line);
/*
 * The end of the text: takes over what "card" named. *out is NULL if the text has no card;
 * title is the name of a card that says something itself.
 */
int machine_card_finish(struct machine_card *card, const char *title, struct machine_costs **out);
void machine_card_drop(struct machine_card *card);

/* An embedded card, or a preset's; gaps stay. -ENOENT: neither. */
int machine_card_read(const char *name, struct machine_costs **out, struct machine_error *err);
struct machine_costs *machine_costs_new(void);
/* Copies what to has not said. */
int machine_costs_fill(struct machine_costs *to, const struct machine_costs *from);

/* Embedded files NAME.card, without those of presets; NULL past the last. */
const char *machine_card_name(unsigned i);
const char *machine_card_text(unsigned i, size_t *len);

#endif
