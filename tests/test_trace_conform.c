// SPDX-License-Identifier: GPL-2.0-only
/*
 * State conformance on recordings of real kernels: everything agrees, and one number
 * changed in one record is noticed where it has to be. What may not be judged isn't.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/trace_sample.h"
#include "trace/conform.h"

#define NR_RECORDS	1000	/* no file of tests/state has more */

/* A recording in memory. */
struct copy {
	struct trace_head head;
	struct trace_reader *reader;	/* owns what head points to */
	struct trace_record *records;
	size_t nr;
};

static struct copy read_copy(const char *name)
{
	const char *source = getenv("WAKELAB_SOURCE");
	struct trace_error err = { "", "" };
	const struct trace_record *rec;
	struct copy copy = { .nr = 0 };
	char *path;

	assert_non_null(source);
	copy.records = calloc(NR_RECORDS, sizeof(*copy.records));
	assert_non_null(copy.records);
	assert_true(asprintf(&path, "%s/tests/state/%s.wlr", source, name) > 0);
	if (trace_open(path, &copy.reader, &err))
		fail_msg("%s: %s", err.place, err.text);
	copy.head = *trace_head(copy.reader);
	while (trace_next(copy.reader, &rec, &err) > 0) {
		assert_true(copy.nr < NR_RECORDS);
		copy.records[copy.nr++] = *rec;
	}
	assert_true(copy.nr > 100);
	free(path);
	return copy;
}

static void free_copy(struct copy *copy)
{
	trace_close(copy->reader);
	free(copy->records);
}

/* Writes the records but for one, SIZE_MAX: all, and judges the file. */
static void conform_without(const struct copy *copy, size_t without, struct trace_conformed *out)
{
	char *folder = make_folder(), *path = path_in(folder, "x.wlr");
	struct trace_error err = { "", "" };
	struct trace_writer *w;

	assert_int_equal(trace_create(path, &copy->head, &w, NULL), 0);
	for (size_t i = 0; i < copy->nr; i++) {
		if (i != without)
			assert_int_equal(trace_write(w, &copy->records[i], NULL), 0);
	}
	assert_int_equal(trace_commit(w, NULL), 0);
	if (trace_conform(path, NULL, out, &err))
		fail_msg("%s: %s", err.place, err.text);
	free(path);
	remove_folder(folder);
}

static void conform(const struct copy *copy, struct trace_conformed *out)
{
	conform_without(copy, SIZE_MAX, out);
}

static uint64_t nr_differ(const struct trace_conformed *out)
{
	uint64_t nr = 0;

	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++)
		nr += out->implied[what].differ;
	return nr;
}

static uint64_t nr_unjudged(const struct trace_conformed *out, enum trace_implication what)
{
	uint64_t nr = 0;

	for (int why = 0; why < TRACE_NR_UNJUDGED; why++)
		nr += out->implied[what].unjudged[why];
	return nr;
}

static void all_agree(void **state)
{
	static const char *const names[] = {
		"5.10-stock-2s4c2t/kworkers", "6.1-2s4c2t/messages",
		"6.1-prop-2s4c2t/messages-busy", "6.1-siscore-v6s-2s4c2t/timer-interrupts-busy",
		"6.12arm64-cluster-1s4cl4c/kworkers", "7.3-2s4c2t/messages-light",
	};
	uint64_t agree[TRACE_NR_IMPLICATIONS] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct copy copy = read_copy(names[i]);
		struct trace_conformed out;

		conform(&copy, &out);
		assert_int_equal(nr_differ(&out), 0);
		assert_int_equal(out.records, copy.nr);
		for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++)
			agree[what] += out.implied[what].agree;
		free_copy(&copy);
	}
	for (int what = 0; what < TRACE_NR_IMPLICATIONS; what++) {
		if (!agree[what])
			fail_msg("nothing judged of %s", trace_implication_text[what]);
	}
}

/* One number of one record, changed; returns 0 where that says nothing. */
typedef int (*change)(struct trace_record *rec);

static int waker_flips(struct trace_record *rec)
{
	rec->waker.wakee_flips ^= 1;
	return 1;
}

static int waker_decay(struct trace_record *rec)
{
	rec->waker.decay_ts++;
	return 1;
}

static int wakee_flips(struct trace_record *rec)
{
	rec->wakee.wakee_flips += 3;
	return 1;
}

static int wakee_last(struct trace_record *rec)
{
	rec->wakee.last_wakee_pid++;
	return 1;
}

static int wakee_recent(struct trace_record *rec)
{
	rec->wakee.recent_used_cpu ^= 1;
	return 1;
}

static int child_flips(struct trace_record *rec)
{
	rec->wakee.wakee_flips += 100;
	return !!(rec->wake_flags & WAKE_WF_FORK);
}

/* A CPU that was idle at entry and return was neither. */
static int idle_map(struct trace_record *rec)
{
	rec->idle[0] ^= 1;
	rec->idle_out[0] ^= 1;
	return !(rec->idle_out[0] & 1) == !(rec->idle[0] & 1) && rec->idle[0] & 1;
}

static int one_task_less(struct trace_record *rec)
{
	if (!rec->cpu[rec->waker_cpu].nr_running)
		return 0;
	rec->cpu[rec->waker_cpu].nr_running--;
	return 1;
}

static int not_pending(struct trace_record *rec)
{
	for (unsigned int cpu = 0; cpu < 16; cpu++)
		rec->cpu[cpu].flags &= ~TRACE_CPU_TTWU_PENDING;
	return 1;
}

static int hint(struct trace_record *rec)
{
	rec->has_idle[TRACE_W] ^= 1;
	rec->has_idle_out[TRACE_W] ^= 1;
	return 1;
}

static int scan_cost(struct trace_record *rec)
{
	rec->scan_cost++;
	return 1;
}

static int wakee_load(struct trace_record *rec)
{
	rec->wakee.load_avg = rec->wakee.load_avg > 600 ? rec->wakee.load_avg - 300 :
							  rec->wakee.load_avg + 300;
	return 1;
}

static const struct {
	const char *name;
	change change;
	enum trace_implication what;
	size_t step;			/* each step-th record is changed */
} changes[] = {
	{ "6.1-2s4c2t/messages", waker_flips, TRACE_IMPLIES_FLIPS, 37 },
	{ "6.1-2s4c2t/messages", waker_decay, TRACE_IMPLIES_FLIPS, 37 },
	{ "7.3-2s4c2t/messages-light", wakee_flips, TRACE_IMPLIES_FLIPS, 37 },
	{ "7.3-2s4c2t/messages-light", wakee_last, TRACE_IMPLIES_LAST_WAKEE, 37 },
	{ "5.10-stock-2s4c2t/kworkers", wakee_recent, TRACE_IMPLIES_RECENT, 37 },
	{ "6.1-2s4c2t/messages", child_flips, TRACE_IMPLIES_FORK, 1 },
	{ "6.1-2s4c2t/messages", idle_map, TRACE_IMPLIES_IDLE, 37 },
	{ "5.10-stock-2s4c2t/kworkers", one_task_less, TRACE_IMPLIES_QUEUE, 5 },
	{ "6.12arm64-cluster-1s4cl4c/kworkers", not_pending, TRACE_IMPLIES_QUEUE, 3 },
	{ "6.1-2s4c2t/messages", hint, TRACE_IMPLIES_HAS_IDLE, 17 },
	{ "5.10-stock-2s4c2t/kworkers", hint, TRACE_IMPLIES_HAS_IDLE, 17 },
	{ "5.10-stock-2s4c2t/kworkers", scan_cost, TRACE_IMPLIES_SCAN_COST, 37 },
	{ "7.3-2s4c2t/messages-light", wakee_load, TRACE_IMPLIES_LOAD, 37 },
};

/* A change is noticed where its record is one of a judged pair. */
static void changes_are_noticed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct copy copy = read_copy(changes[i].name);
		size_t noticed = 0, changed = 0;
		struct trace_conformed out;

		for (size_t k = 0; k < copy.nr; k += changes[i].step) {
			struct trace_record kept = copy.records[k];

			if (changes[i].change(&copy.records[k])) {
				conform(&copy, &out);
				changed++;
				noticed += out.implied[changes[i].what].differ > 0;
			}
			copy.records[k] = kept;
		}
		printf("%-36s %-16s %3zu of %3zu noticed\n", changes[i].name,
		       trace_implication_text[changes[i].what], noticed, changed);
		assert_true(noticed > 0);
		free_copy(&copy);
	}
}

/* A call that is missing may have written anything. */
static void gaps(void **state)
{
	struct copy copy = read_copy("6.1-2s4c2t/messages");
	struct trace_conformed whole, out;
	uint64_t missing = 0;

	(void)state;
	conform(&copy, &whole);
	assert_true(whole.complete);
	for (size_t k = 1; k + 1 < copy.nr; k += 97) {
		conform_without(&copy, k, &out);
		assert_false(out.complete);
		assert_int_equal(nr_differ(&out), 0);
		assert_int_equal(out.implied[TRACE_IMPLIES_HAS_IDLE].agree, 0);
		missing += out.implied[TRACE_IMPLIES_RECENT].unjudged[TRACE_UNJUDGED_GAP];
	}
	assert_true(missing > 0);
	free_copy(&copy);
}

/* A call that took long proves nothing about the state that it left. */
static void long_calls(void **state)
{
	struct copy copy = read_copy("7.3-2s4c2t/messages-light");
	struct trace_conformed out;
	uint64_t before;

	(void)state;
	conform(&copy, &out);
	before = out.implied[TRACE_IMPLIES_RECENT].unjudged[TRACE_UNJUDGED_DISTURBED];
	for (size_t k = 50; k < copy.nr; k += 50) {
		struct trace_record kept = copy.records[k];

		copy.records[k].t_out += 1000000;
		conform(&copy, &out);
		assert_int_equal(nr_differ(&out), 0);
		assert_true(out.implied[TRACE_IMPLIES_RECENT].unjudged[TRACE_UNJUDGED_DISTURBED] >=
			    before);
		assert_int_equal(out.implied[TRACE_IMPLIES_HAS_IDLE].differ, 0);
		copy.records[k] = kept;
	}
	free_copy(&copy);
}

/* Every pair is counted: as many observations as records show tasks. */
static void nothing_is_lost(void **state)
{
	struct copy copy = read_copy("6.1-2s4c2t/messages");
	struct trace_conformed out;
	uint64_t wakes = 0, seen = 0;

	(void)state;
	for (size_t i = 0; i < copy.nr; i++) {
		const struct trace_record *rec = &copy.records[i];

		wakes += trace_is_wakeup(rec);
		seen += 1 + (rec->waker.pid != rec->wakee.pid);
	}
	conform(&copy, &out);
	for (int what = TRACE_IMPLIES_FLIPS; what <= TRACE_IMPLIES_RECENT; what++)
		assert_int_equal(out.implied[what].agree +
				 nr_unjudged(&out, (enum trace_implication)what), seen);
	assert_int_equal(out.implied[TRACE_IMPLIES_IDLE].agree +
			 nr_unjudged(&out, TRACE_IMPLIES_IDLE), copy.nr);
	assert_int_equal(out.implied[TRACE_IMPLIES_LOAD].agree +
			 nr_unjudged(&out, TRACE_IMPLIES_LOAD), wakes);
	assert_int_equal(out.implied[TRACE_IMPLIES_QUEUE].agree +
			 nr_unjudged(&out, TRACE_IMPLIES_QUEUE), copy.nr - 1);
	free_copy(&copy);
}

static void few_records(void **state)
{
	struct copy copy = read_copy("7.3-2s4c2t/messages-light");
	struct trace_conformed out;

	(void)state;
	for (copy.nr = 0; copy.nr < 4; copy.nr++) {
		conform(&copy, &out);
		assert_int_equal(out.records, copy.nr);
		assert_true(out.complete);
		assert_int_equal(nr_differ(&out), 0);
	}
	/* The same call twice: which came first? */
	copy.records[2] = copy.records[1];
	conform(&copy, &out);
	assert_false(out.complete);
	free_copy(&copy);
}

static void writers(void **state)
{
	struct bytes file = sample_recording(TRACE_NATIVE, TRACE_WRITERS, 4, 3);
	struct trace_error err = { "", "" };
	struct trace_conformed out;
	struct trace_reader *reader;

	(void)state;
	assert_int_equal(trace_open_memory("x.wlr", file.data, file.len, NULL, &reader, &err), 0);
	assert_true(trace_conform_reader(reader, NULL, &out, &err) < 0);
	assert_true(err.text[0]);
	trace_close(reader);
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_agree),	    cmocka_unit_test(changes_are_noticed),
		cmocka_unit_test(gaps),		    cmocka_unit_test(long_calls),
		cmocka_unit_test(nothing_is_lost),  cmocka_unit_test(few_records),
		cmocka_unit_test(writers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
