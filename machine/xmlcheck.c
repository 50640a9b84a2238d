// SPDX-License-Identifier: GPL-2.0-only
/*
 * A look at an XML text before hwloc's own parser gets it.
 *
 * That parser says neither where nor what it did not like, and follows nested elements by
 * recursion. So tags are counted here: they must close in order and nest at most DEPTH_MAX
 * deep, attributes must be quoted, and the one outer element must be hwloc's "topology".
 */
#include <errno.h>
#include <string.h>
#include "machine/private.h"

#define DEPTH_MAX 64

struct scan {
	const char *name;
	struct machine_error *err;
	const char *p, *end;
	unsigned line;
	unsigned depth;
	struct machine_span open[DEPTH_MAX];
	unsigned roots;
};

#define BAD(s, ...) machine_fail_line((s)->err, -EINVAL, (s)->name, (s)->line, __VA_ARGS__)

static bool at_end(const struct scan *s)
{
	return s->p >= s->end;
}

static void step(struct scan *s)
{
	if (*s->p == '\n')
		s->line++;
	s->p++;
}

static bool starts(const struct scan *s, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(s->end - s->p) >= n && !memcmp(s->p, what, n);
}

static int skip_past(struct scan *s, const char *what)
{
	while (!at_end(s) && !starts(s, what))
		step(s);
	if (at_end(s))
		return BAD(s, "expected \"%s\", found the end of the file", what);
	s->p += strlen(what);
	return 0;
}

static void skip_space(struct scan *s)
{
	while (!at_end(s) && strchr(" \t\r\n", *s->p) && *s->p)
		step(s);
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == ':' || c == '.';
}

static struct machine_span take_name(struct scan *s)
{
	struct machine_span n = { s->p, 0 };

	while (!at_end(s) && name_char(*s->p))
		s->p++;
	n.len = (size_t)(s->p - n.p);
	return n;
}

static int attribute(struct scan *s)
{
	struct machine_span n = take_name(s);
	char quote;

	if (!n.len)
		return BAD(s, "expected an attribute, \">\" or \"/>\"");
	if (at_end(s) || *s->p != '=')
		return BAD(s, "expected \"=\" after attribute %.*s", (int)(n.len > 40 ? 40 : n.len),
			   n.p);
	s->p++;
	if (at_end(s) || (*s->p != '"' && *s->p != '\''))
		return BAD(s, "expected a quoted value of attribute %.*s",
			   (int)(n.len > 40 ? 40 : n.len), n.p);
	quote = *s->p++;
	while (!at_end(s) && *s->p != quote && *s->p != '<')
		step(s);
	if (at_end(s) || *s->p != quote)
		return BAD(s, "the value of attribute %.*s has no end",
			   (int)(n.len > 40 ? 40 : n.len), n.p);
	s->p++;
	return 0;
}

static int close_tag(struct scan *s)
{
	struct machine_span n, open;

	s->p += 2;
	n = take_name(s);
	skip_space(s);
	if (at_end(s) || *s->p != '>')
		return BAD(s, "expected \">\"");
	s->p++;
	if (!s->depth)
		return BAD(s, "</%.*s> closes nothing", (int)(n.len > 40 ? 40 : n.len), n.p);
	open = s->open[--s->depth];
	if (open.len != n.len || memcmp(open.p, n.p, n.len))
		return BAD(s, "expected </%.*s>, found </%.*s>",
			   (int)(open.len > 40 ? 40 : open.len), open.p,
			   (int)(n.len > 40 ? 40 : n.len), n.p);
	return 0;
}

static int open_tag(struct scan *s)
{
	struct machine_span n;
	int rc = 0;

	s->p++;
	n = take_name(s);
	if (!n.len)
		return BAD(s, "expected the name of an element after \"<\"");
	if (!s->depth && (s->roots++ || !machine_span_is(n, "topology")))
		return BAD(s, "expected one element \"topology\" of hwloc, found \"%.*s\"",
			   (int)(n.len > 40 ? 40 : n.len), n.p);
	for (skip_space(s); !rc && !at_end(s) && *s->p != '>' && *s->p != '/'; skip_space(s))
		rc = attribute(s);
	if (rc)
		return rc;
	if (starts(s, "/>")) {
		s->p += 2;
		return 0;
	}
	if (at_end(s) || *s->p != '>')
		return BAD(s, "element %.*s has no \">\"", (int)(n.len > 40 ? 40 : n.len), n.p);
	s->p++;
	if (s->depth == DEPTH_MAX)
		return BAD(s, "elements nest more than %d deep", DEPTH_MAX);
	s->open[s->depth++] = n;
	return 0;
}

int machine_check_xml(const char *name, const char *text, size_t len, struct machine_error *err)
{
	struct scan s = { .name = name, .err = err, .p = text, .end = text + len, .line = 1 };
	int rc = 0;

	while (!rc) {
		while (!at_end(&s) && *s.p != '<') {
			if (!*s.p)
				return BAD(&s, "a zero byte; expected text");
			step(&s);
		}
		if (at_end(&s))
			break;
		if (starts(&s, "<?"))
			rc = skip_past(&s, "?>");
		else if (starts(&s, "<!--"))
			rc = skip_past(&s, "-->");
		else if (starts(&s, "<!"))
			rc = skip_past(&s, ">");
		else if (starts(&s, "</"))
			rc = close_tag(&s);
		else
			rc = open_tag(&s);
	}
	if (rc)
		return rc;
	if (s.depth)
		return BAD(&s, "expected </%.*s>, found the end of the file",
			   (int)(s.open[s.depth - 1].len > 40 ? 40 : s.open[s.depth - 1].len),
			   s.open[s.depth - 1].p);
	return s.roots ? 0 : BAD(&s, "expected an element \"topology\" of hwloc");
}
