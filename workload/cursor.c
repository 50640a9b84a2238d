// SPDX-License-Identifier: GPL-2.0-only
/* Going through the tokens: what is expected next, and branches. */
#include "workload/private.h"

#include <errno.h>

int work_expect(struct work_compile *c, uint16_t kind, const char *what)
{
	if (!work_is(c, kind))
		return work_fail(c, -EINVAL, c->pos, "expected %s, found %s", what,
				 work_found(c, c->pos));
	c->pos++;
	return 0;
}

int work_expect_name(struct work_compile *c, const char *what, uint32_t *name)
{
	*name = work_at(c)->ref;
	return work_expect(c, TOKEN_WORD, what);
}

int work_expect_end(struct work_compile *c)
{
	if (work_statement_ends(c))
		return 0;
	return work_fail(c, -EINVAL, c->pos, "expected the end of the statement, found %s",
			 work_found(c, c->pos));
}

void work_skip_lines(struct work_compile *c)
{
	while (work_is(c, TOKEN_LINE))
		c->pos++;
}

/* Goes behind "else" if it is next, lines between notwithstanding. */
static int takes_else(struct work_compile *c)
{
	uint32_t pos = c->pos;

	work_skip_lines(c);
	if (work_takes(c, WORD_else))
		return 1;
	c->pos = pos;
	return 0;
}

/* To the { that the statement at pos has to have. */
static int find_brace(struct work_compile *c)
{
	while (!work_is(c, '{') && !work_statement_ends(c))
		c->pos++;
	if (work_is(c, '{'))
		return 0;
	return work_fail(c, -EINVAL, c->pos, "expected {, found %s", work_found(c, c->pos));
}

int work_skip_else(struct work_compile *c)
{
	int rc = 0;

	while (!rc && takes_else(c)) {
		rc = work_step(c, 1);
		if (!rc && work_is_word(c, WORD_if))
			rc = find_brace(c);
		else if (!rc && !work_is(c, '{'))
			rc = work_expect(c, '{', "{ or if");
		if (!rc)
			c->pos = work_at(c)->ref + 1;
	}
	return rc;
}

/* Behind a branch not taken: into its else, if there is one. *end stays WORK_NONE if not. */
static int else_branch(struct work_compile *c, uint32_t *end)
{
	int rc;

	if (!takes_else(c))
		return 0;
	if (work_is_word(c, WORD_if))
		return 1;
	*end = work_at(c)->ref;
	rc = work_expect(c, '{', "{ or if");
	return rc;
}

int work_branch(struct work_compile *c, uint32_t *end)
{
	struct work_value v;
	uint32_t open;
	int rc;

	*end = WORK_NONE;
	do {
		c->pos++;
		rc = work_expression(c, &v);
		if (rc)
			return rc;
		if (v.type != VALUE_NUMBER)
			return work_fail(c, -EINVAL, c->pos, "if needs a comparison");
		open = c->pos;
		rc = work_expect(c, '{', "{");
		if (rc)
			return rc;
		if (v.n) {
			*end = c->tokens[open].ref;
			return 0;
		}
		c->pos = c->tokens[open].ref + 1;
		rc = else_branch(c, end);
	} while (rc > 0);
	return rc;
}
