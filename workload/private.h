/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the compiler of loads. Text becomes tokens with matching braces (lex.c); the
 * declarations are walked once (declare.c), then each task's body is walked for each of
 * its instances and emits operations (body.c, statement.c). Nothing recurses: loops and
 * branches have a stack of frames, expressions one of values and one of operators.
 */
#ifndef WORKLOAD_PRIVATE_H
#define WORKLOAD_PRIVATE_H

#include "workload/words.h"
#include "workload/workload.h"

#define WORK_TEXT_MAX		(1u << 20)
#define WORK_STEPS_MAX		(1u << 24)	/* tokens evaluated while unrolling */
#define WORK_OBJECTS_MAX	(1u << 20)	/* of a kind */
#define WORK_DISTS_MAX		1024
#define WORK_PARTS_MAX		16
#define WORK_VARIABLES_MAX	256
#define WORK_METRICS_MAX	64
#define WORK_FRAMES_MAX		32
#define WORK_LIST_MAX		8192
#define WORK_WORDS		1024	/* of 64 bits: all numbers of CPUs and nodes */

/* Tokens; one character's kind is that character. */
enum work_token_kind {
	TOKEN_END = 256,
	TOKEN_LINE,		/* end of a statement: a newline or ; */
	TOKEN_WORD,
	TOKEN_VARIABLE,		/* $name */
	TOKEN_NUMBER,
	TOKEN_TEXT,		/* "..." */
	TOKEN_EQUAL,		/* == */
	TOKEN_DIFFER,		/* != */
	TOKEN_AT_MOST,		/* <= */
	TOKEN_AT_LEAST,		/* >= */
	TOKEN_AND,		/* && */
	TOKEN_OR,		/* || */
	TOKEN_RANGE,		/* .. */
};

struct work_token {
	uint16_t kind;
	uint16_t given;		/* which given parameter, where line is 0 */
	uint32_t line;
	uint32_t at, len;	/* in its text, without quotes or $ */
	uint32_t ref;		/* a word's or variable's name, a brace's other one */
};

struct work_slot {
	uint32_t hash, item;
};

/* From hashes to numbers of items, which the caller compares. */
struct work_index {
	struct work_slot *slots;
	uint32_t size, nr;	/* size: a power of two */
};

uint32_t work_hash(uint32_t hash, const void *data, size_t len);
/* The next item of that hash after *cursor (0 at first), WORK_NONE past the last. */
uint32_t work_index_next(const struct work_index *index, uint32_t hash, uint32_t *cursor);
int work_index_add(struct work_index *index, uint32_t hash, uint32_t item);

struct work_name {
	const char *text;
	uint32_t len;
	uint32_t variable;	/* of variables[], or WORK_NONE */
	uint32_t symbol;	/* of symbols[], or WORK_NONE */
	uint8_t used;		/* as $name somewhere */
	uint8_t declared;	/* by a param or let, perhaps in a branch not taken */
};

enum work_type { VALUE_NUMBER, VALUE_TIME, VALUE_WORD, VALUE_LIST };

struct work_value {
	enum work_type type;
	int64_t n;		/* ns, a number, or a word's name */
	uint32_t variable;	/* of a word or list: where it came from, or WORK_NONE */
};

struct work_variable {
	uint32_t name;
	uint8_t is_parameter, bound;
	struct work_value value;
	uint32_t choices;	/* token of the first, or WORK_NONE */
	uint16_t *list;
	uint32_t nr;		/* of list */
};

enum work_symbol_kind {
	SYMBOL_CHANNEL,
	SYMBOL_LOCK,
	SYMBOL_SEMAPHORE,
	SYMBOL_LIST,
	SYMBOL_BARRIER,
	SYMBOL_FLAG,
	SYMBOL_GROUP,
	SYMBOL_METRIC,
	SYMBOL_TASK,
	SYMBOL_NR
};

struct work_symbol {
	enum work_symbol_kind kind;
	uint32_t name, token;
	uint32_t first, nr;	/* elements of its kind's table */
	uint8_t is_array, per_cpu;
	uint32_t body;		/* a task's {; its attributes start behind its name */
	uint32_t attributes;
};

/* A parameter as given by the user: NAME=VALUE. */
struct work_given {
	const char *name, *value;
	uint32_t name_len, value_len;
	uint8_t used;
};

enum work_frame_kind { FRAME_BRANCH, FRAME_FOR, FRAME_LOOP };

struct work_frame {
	enum work_frame_kind kind;
	uint32_t begin, end;	/* tokens: the first inside, and the } */
	uint32_t variable;	/* for: counts from next to last - 1 */
	int64_t next, last;
	uint32_t op;		/* loop: its first operation */
	uint8_t for_ever;
	uint32_t locks;		/* held when it began */
};

#define WORK_HELD_MAX	16

/* What a task's program is being made of. */
struct work_body {
	struct work_frame frames[WORK_FRAMES_MAX];
	uint32_t nr_frames, nr_loops;
	uint32_t first;			/* operation */
	uint32_t marks[WORK_LOOPS_MAX], nr_marks;
	uint32_t held[WORK_HELD_MAX], nr_held;	/* locks; top bit: per CPU */
	uint8_t endless;		/* what follows is never reached */
	uint32_t endless_line;
	uint8_t sleeps;			/* something stamps a wake-up */
};

struct work_normal;

struct work_compile {
	const char *file, *text;
	size_t len;
	const struct work_machine *machine;
	struct work_error *err;
	char found[96];
	uint64_t cpus[WORK_WORDS], nodes[WORK_WORDS];	/* which there are */
	uint32_t nr_nodes;
	uint32_t *node_masks;		/* mask of the n-th node, WORK_NONE: not yet made */

	struct work_token *tokens;
	uint32_t nr_tokens, room_tokens;
	uint32_t pos;
	uint32_t steps;

	struct work_name *names;
	uint32_t nr_names, room_names;
	struct work_index name_index;

	struct work_given *given;
	uint32_t nr_given;

	struct work_variable variables[WORK_VARIABLES_MAX];
	uint32_t nr_variables;
	uint32_t self;			/* variable: an instance's number */
	uint8_t kthread;		/* the task being compiled is one */

	struct work_symbol *symbols;
	uint32_t nr_symbols, room_symbols;
	uint32_t main;			/* symbol of a task main, or WORK_NONE */

	struct work_body body;

	struct workload *w;
	struct work_index program_index, mask_index, process_index, dist_index;
	uint32_t room_ops, room_programs, room_dists, room_masks, room_processes, room[SYMBOL_NR];
	struct work_process *processes;
	struct work_dist_key *dist_keys;
	uint32_t room_dist_keys, nr_dist_keys;
	struct work_normal *normal;	/* quantiles, once they are needed */
	uint8_t timed;			/* a time statement was there */
	uint8_t *forks;			/* which programs fork */
	uint8_t *started;		/* which tasks are forked */
};

/* util.c */
int work_fail(struct work_compile *c, int rc, uint32_t token, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int work_fail_place(struct work_error *err, int rc, const char *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int work_nomem(struct work_compile *c);
/* Room for one more of *array; the new room is zeroed. */
int work_grow(struct work_compile *c, void *array, uint32_t *room, uint32_t nr, size_t size);
int work_name(struct work_compile *c, const char *text, uint32_t len, uint32_t *name);
int work_step(struct work_compile *c, uint32_t nr);

/* For messages: "%.*s" */
#define WORK_NAME(c, name)	(int)(c)->names[name].len, (c)->names[name].text
/* The token as a message quotes it, until the next call. */
const char *work_found(struct work_compile *c, uint32_t token);

/* lex.c: text becomes tokens, keywords become names */
int work_lex(struct work_compile *c);
int work_lex_given(struct work_compile *c, uint32_t given, uint32_t *token);

/* cursor.c: the token at pos */
static inline const struct work_token *work_at(const struct work_compile *c)
{
	return &c->tokens[c->pos];
}

static inline int work_is(const struct work_compile *c, uint16_t kind)
{
	return work_at(c)->kind == kind;
}

static inline int work_is_word(const struct work_compile *c, enum work_word word)
{
	return work_is(c, TOKEN_WORD) && work_at(c)->ref == (uint32_t)word;
}

/* Goes on if it is that word. */
static inline int work_takes(struct work_compile *c, enum work_word word)
{
	return work_is_word(c, word) ? (c->pos++, 1) : 0;
}

static inline int work_statement_ends(const struct work_compile *c)
{
	return work_is(c, TOKEN_LINE) || work_is(c, TOKEN_END) || work_is(c, '}');
}

int work_expect(struct work_compile *c, uint16_t kind, const char *what);
int work_expect_name(struct work_compile *c, const char *what, uint32_t *name);
int work_expect_end(struct work_compile *c);
void work_skip_lines(struct work_compile *c);
/* At "else" behind a branch that was taken: goes behind all of them. */
int work_skip_else(struct work_compile *c);
/* At "if": evaluates; pos is then the first inside, or behind a branch not taken. */
int work_branch(struct work_compile *c, uint32_t *end);

/* number.c: 12, 1.5us, 4k */
int work_number(struct work_compile *c, uint32_t token, uint32_t scale, struct work_value *out);
void work_value_text(const struct work_compile *c, const struct work_value *v, char *buf,
		     size_t size);

/* expression.c */
int work_expression(struct work_compile *c, struct work_value *out);
int work_factor(struct work_compile *c, struct work_value *out);
/* A number, or a time, from least to most. */
int work_count(struct work_compile *c, const char *what, int64_t least, int64_t most,
	       int64_t *out);
int work_time(struct work_compile *c, const char *what, int64_t least, uint64_t *out);
/* One of the words, a zero-terminated list; or its variable. */
int work_choice(struct work_compile *c, const char *what, const uint16_t *words, unsigned *out);
uint32_t work_variable_add(struct work_compile *c, uint32_t name);

/* parameter.c */
int work_split_given(struct work_compile *c, const char *parameters);
int work_parameter(struct work_compile *c);
int work_let(struct work_compile *c);
int work_check_given(struct work_compile *c);

/* list.c: "0-3,8" */
int work_learn_machine(struct work_compile *c);
int work_parse_list(struct work_compile *c, uint32_t token, const char *text, uint32_t len,
		    uint16_t **list, uint32_t *nr);
int work_pin(struct work_compile *c, uint32_t *mask);

/* declare.c, object.c, metric.c, task.c */
int work_declarations(struct work_compile *c);
int work_declare(struct work_compile *c, enum work_symbol_kind kind, struct work_symbol **out);
int work_object_statement(struct work_compile *c, enum work_symbol_kind kind);
int work_metric_statement(struct work_compile *c);
int work_task_statement(struct work_compile *c);
int work_tasks(struct work_compile *c);
const char *work_symbol_text(enum work_symbol_kind kind);
/* A reference like "name" or "name[EXPR]": an index of its kind's table. */
int work_object(struct work_compile *c, enum work_symbol_kind kind, uint32_t *index,
		const struct work_symbol **symbol);
int work_find(struct work_compile *c, enum work_symbol_kind kind, const struct work_symbol **out);
/* "[EXPR]" behind the name of an array, nothing behind another's. */
int work_subscript(struct work_compile *c, const struct work_symbol *symbol, uint32_t *element);

/* body.c, statement.c */
int work_compile_body(struct work_compile *c, uint32_t begin, uint32_t end);
int work_statement(struct work_compile *c);
int work_emit(struct work_compile *c, struct work_op op);
int work_push_frame(struct work_compile *c, const struct work_frame *frame);

/* value.c: a constant or a distribution */
enum work_amount { AMOUNT_TIME, AMOUNT_BYTES, AMOUNT_LOOPS, AMOUNT_NUMBER };
int work_amount(struct work_compile *c, enum work_amount what, struct work_op *op);

/* dist.c */
enum work_shape { SHAPE_CONSTANT, SHAPE_UNIFORM, SHAPE_EXP, SHAPE_NORMAL, SHAPE_LOGNORMAL };

struct work_dist_spec {
	uint64_t weight;
	uint64_t a, b;
	uint32_t shape;
	uint32_t least;		/* draws below become it */
};

struct work_dist_key {
	struct work_dist_spec spec[WORK_PARTS_MAX];
	uint32_t nr, dist;
};

int work_dist_make(struct work_compile *c, uint32_t token, const struct work_dist_key *key,
		   uint32_t *dist);

/* math.c: by + - * / only, the same bytes from every compiler */
double work_log(double x);		/* x > 0, normal */
double work_exp(double x);		/* |x| < 700 */
double work_normal_quantile(double u);	/* 0 < u < 1 */

/* check.c: what would block for ever, who starts whom; ring sizes */
int work_check(struct work_compile *c);

/* start.c: a task main that forks what nobody else does */
int work_starter(struct work_compile *c);

/* build.c */
int work_program_end(struct work_compile *c, uint32_t first, uint32_t *program);
int work_process(struct work_compile *c, uint32_t name, uint32_t element, uint32_t *process);
int work_mask_add(struct work_compile *c, const uint16_t *cpus, uint32_t nr, uint32_t *mask);

/* element: from 2^31 on of a task that has one for itself */
struct work_process {
	uint32_t name, element;
};

#endif
