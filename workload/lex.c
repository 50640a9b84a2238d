// SPDX-License-Identifier: GPL-2.0-only
/* Text into tokens; words into names; braces know each other. */
#include "workload/private.h"

#include <errno.h>
#include <string.h>

struct lexer {
	struct work_compile *c;
	const char *text;
	size_t len, at;
	uint32_t line;
	uint16_t given;
	uint32_t inside;	/* parentheses and brackets: newlines don't count there */
	uint32_t open;		/* the innermost {, which remembers the one around it */
};

static int is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static int is_letter(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static char peek(const struct lexer *l, size_t ahead)
{
	return l->at + ahead < l->len ? l->text[l->at + ahead] : '\0';
}

int work_name(struct work_compile *c, const char *text, uint32_t len, uint32_t *name)
{
	uint32_t hash = work_hash(2166136261u, text, len), cursor = 0, i;
	int rc;

	while ((i = work_index_next(&c->name_index, hash, &cursor)) != WORK_NONE) {
		if (c->names[i].len == len && !memcmp(c->names[i].text, text, len)) {
			*name = i;
			return 0;
		}
	}
	rc = work_grow(c, &c->names, &c->room_names, c->nr_names, sizeof(*c->names));
	if (rc)
		return rc;
	if (work_index_add(&c->name_index, hash, c->nr_names))
		return work_nomem(c);
	c->names[c->nr_names] = (struct work_name){ .text = text, .len = len, .variable = WORK_NONE,
						    .symbol = WORK_NONE };
	*name = c->nr_names++;
	return 0;
}

static int push(struct lexer *l, uint16_t kind, size_t at, size_t len)
{
	struct work_compile *c = l->c;
	int rc = work_grow(c, &c->tokens, &c->room_tokens, c->nr_tokens, sizeof(*c->tokens));
	struct work_token *t;

	if (rc)
		return rc;
	t = &c->tokens[c->nr_tokens++];
	*t = (struct work_token){ kind, l->given, l->line, (uint32_t)at, (uint32_t)len, 0 };
	if (kind != TOKEN_WORD && kind != TOKEN_VARIABLE)
		return 0;
	if (len > 63)
		return work_fail(c, -EINVAL, c->nr_tokens - 1,
				 "a name of %zu characters; 63 at most", len);
	rc = work_name(c, l->text + at, (uint32_t)len, &c->tokens[c->nr_tokens - 1].ref);
	if (!rc && kind == TOKEN_VARIABLE)
		c->names[c->tokens[c->nr_tokens - 1].ref].used = 1;
	return rc;
}

/* At the end of what has been lexed, for messages. */
static int fail_here(struct lexer *l, const char *what)
{
	int rc = push(l, TOKEN_END, l->at, 0);

	return rc ? rc : work_fail(l->c, -EINVAL, l->c->nr_tokens - 1, "%s", what);
}

/* Words may have hyphens inside; variables not: $a-b subtracts. */
static int lex_word(struct lexer *l, uint16_t kind)
{
	size_t start = l->at;

	while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)) ||
	       (kind == TOKEN_WORD && peek(l, 0) == '-' &&
		(is_letter(peek(l, 1)) || is_digit(peek(l, 1)))))
		l->at++;
	return push(l, kind, start, l->at - start);
}

static int lex_variable(struct lexer *l)
{
	l->at++;
	if (!is_letter(peek(l, 0)))
		return fail_here(l, "expected a name behind $");
	return lex_word(l, TOKEN_VARIABLE);
}

/* Digits, perhaps a fraction, perhaps a unit; "0..4" is two of them. */
static int lex_number(struct lexer *l)
{
	size_t start = l->at;

	while (is_digit(peek(l, 0)))
		l->at++;
	if (peek(l, 0) == '.' && is_digit(peek(l, 1))) {
		l->at++;
		while (is_digit(peek(l, 0)))
			l->at++;
	}
	while (is_letter(peek(l, 0)) || is_digit(peek(l, 0)))
		l->at++;
	return push(l, TOKEN_NUMBER, start, l->at - start);
}

static int lex_text(struct lexer *l)
{
	size_t start = ++l->at;

	while (l->at < l->len && l->text[l->at] != '"') {
		if ((unsigned char)l->text[l->at] < ' ' || l->text[l->at] == 0x7f)
			return fail_here(l, "a text without its closing \" on the same line");
		l->at++;
	}
	if (l->at == l->len)
		return fail_here(l, "a text without its closing \"");
	l->at++;
	return push(l, TOKEN_TEXT, start, l->at - 1 - start);
}

static int lex_pair(struct lexer *l)
{
	static const struct { char text[3]; uint16_t kind; } pairs[] = {
		{ "==", TOKEN_EQUAL }, { "!=", TOKEN_DIFFER }, { "<=", TOKEN_AT_MOST },
		{ ">=", TOKEN_AT_LEAST }, { "&&", TOKEN_AND }, { "||", TOKEN_OR },
		{ "..", TOKEN_RANGE },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (peek(l, 0) != pairs[i].text[0] || peek(l, 1) != pairs[i].text[1])
			continue;
		l->at += 2;
		return push(l, pairs[i].kind, l->at - 2, 2);
	}
	return 1;
}

static int brace(struct lexer *l, char ch)
{
	struct work_compile *c = l->c;
	uint32_t this = c->nr_tokens - 1, open = l->open;

	if (ch == '{') {
		c->tokens[this].ref = open;
		l->open = this;
		return 0;
	}
	if (open == WORK_NONE)
		return work_fail(c, -EINVAL, this, "a } without its {");
	l->open = c->tokens[open].ref;
	c->tokens[open].ref = this;
	c->tokens[this].ref = open;
	return 0;
}

static int lex_sign(struct lexer *l)
{
	char ch = peek(l, 0);
	int rc = lex_pair(l);

	if (rc <= 0)
		return rc;
	if (!ch || !strchr("{}[]()=|,:+-*/%<>!", ch))
		return fail_here(l, ch == '&' ? "an & that is alone" :
						"a character that means nothing here");
	l->at++;
	rc = push(l, (uint16_t)ch, l->at - 1, 1);
	if (!rc && (ch == '{' || ch == '}'))
		rc = brace(l, ch);
	if (ch == '(' || ch == '[')
		l->inside++;
	else if ((ch == ')' || ch == ']') && l->inside)
		l->inside--;
	return rc;
}

/* Blanks, comments, ends of lines; a \ before one makes it a blank. 1: none of these. */
static int lex_blank(struct lexer *l)
{
	char ch = peek(l, 0);
	int rc = 0;

	if (ch == '#') {
		while (l->at < l->len && l->text[l->at] != '\n')
			l->at++;
	} else if (ch == '\n' || ch == ';') {
		if (!l->inside || ch == ';')
			rc = push(l, TOKEN_LINE, l->at, 1);
		l->at++;
		l->line += ch == '\n' && l->line;
	} else if (ch == '\\' && (peek(l, 1) == '\n' ||
				  (peek(l, 1) == '\r' && peek(l, 2) == '\n'))) {
		l->at += peek(l, 1) == '\n' ? 2 : 3;
		l->line += l->line > 0;
	} else if (ch == ' ' || ch == '\t' || ch == '\r') {
		l->at++;
	} else {
		return 1;
	}
	return rc;
}

static int lex_one(struct lexer *l)
{
	int rc = lex_blank(l);
	char ch = peek(l, 0);

	if (rc <= 0)
		return rc;
	if (ch == '$')
		return lex_variable(l);
	if (ch == '"')
		return lex_text(l);
	if (is_digit(ch))
		return lex_number(l);
	if (is_letter(ch))
		return lex_word(l, TOKEN_WORD);
	return lex_sign(l);
}

static int lex(struct lexer *l)
{
	int rc = 0;

	while (!rc && l->at < l->len)
		rc = lex_one(l);
	if (!rc)
		rc = push(l, TOKEN_END, l->len, 0);
	if (!rc && l->open != WORK_NONE)
		rc = work_fail(l->c, -EINVAL, l->open, "a { without its }");
	return rc;
}

/* Does the else at token end the branch of an if? */
static int follows_if(const struct work_compile *c, uint32_t token)
{
	uint32_t t = token;

	while (t && c->tokens[t - 1].kind == TOKEN_LINE)
		t--;
	if (!t || c->tokens[t - 1].kind != '}')
		return 0;
	t = c->tokens[t - 1].ref;
	while (t && c->tokens[t - 1].kind != TOKEN_LINE && c->tokens[t - 1].kind != '{' &&
	       c->tokens[t - 1].kind != '}')
		t--;
	if (c->tokens[t].kind == TOKEN_WORD && c->tokens[t].ref == WORD_else)
		t++;
	return c->tokens[t].kind == TOKEN_WORD && c->tokens[t].ref == WORD_if;
}

static int check_statement(struct work_compile *c, uint32_t token)
{
	uint32_t word = c->tokens[token].ref;

	if (word >= WORD_NR_STATEMENTS)
		return work_fail(c, -EINVAL, token, "%s is no statement", work_found(c, token));
	if (word == WORD_else && !follows_if(c, token))
		return work_fail(c, -EINVAL, token, "an else without its if");
	return 0;
}

/* A word at a statement's beginning has to be one of those, in branches not taken too. */
static int check_statements(struct work_compile *c)
{
	uint32_t mix = 0;	/* the } of the last mix */
	int rc;

	for (uint32_t i = 0; i < c->nr_tokens; i++) {
		const struct work_token *t = &c->tokens[i];
		uint16_t before = i ? c->tokens[i - 1].kind : TOKEN_LINE;

		if (t->kind == '{' && i && c->tokens[i - 1].kind == TOKEN_WORD &&
		    c->tokens[i - 1].ref == WORD_mix)
			mix = t->ref;
		if (i < mix || t->kind != TOKEN_WORD ||
		    (before != TOKEN_LINE && before != '{' && before != '}'))
			continue;
		rc = check_statement(c, i);
		if (rc)
			return rc;
	}
	return 0;
}

static int add_words(struct work_compile *c)
{
#define WORK_WORD_TEXT(word) #word,
	static const char *const words[] = { WORK_STATEMENTS(WORK_WORD_TEXT)
					     WORK_OTHER_WORDS(WORK_WORD_TEXT) };
#undef WORK_WORD_TEXT
	uint32_t name;
	int rc = 0;

	for (uint32_t i = 0; i < WORD_NR && !rc; i++)
		rc = work_name(c, words[i], (uint32_t)strlen(words[i]), &name);
	return rc;
}

int work_lex(struct work_compile *c)
{
	struct lexer l = { .c = c, .text = c->text, .len = c->len, .line = 1, .open = WORK_NONE };
	int rc = add_words(c);

	rc = rc ? rc : lex(&l);
	return rc ? rc : check_statements(c);
}

int work_lex_given(struct work_compile *c, uint32_t given, uint32_t *token)
{
	struct lexer l = { .c = c, .text = c->given[given].value,
			   .len = c->given[given].value_len, .given = (uint16_t)given,
			   .open = WORK_NONE };

	*token = c->nr_tokens;
	return lex(&l);
}
