// SPDX-License-Identifier: GPL-2.0-only
/* Loads that are wrong: a message that says where and what, and no load. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "workload_test.h"

/* Objects for bodies, all on the first line; the body is on the second. */
#define BODY(text)                                                                             \
	"load x; param n = 3; param w a|b|c = a; param p = \"0-1\"; let d = 2s; channel c pipe;" \
	"channel e[2] unix; lock l; lock m percpu; semaphore s; list w; barrier b of 1; flag f;" \
	"group g; metric r rate; metric y latency; metric k makespan; task o { send c 1;recv c;" \
	"post s; release w; raise f; run $d; if $w == a { run 1us * $n }; count r; mark q;"      \
	"sample y since q; start k; send e[0] 1; recv e[0]; send e[1] 1; recv e[1]; pin $p }\n"  \
	"task t { " text " }\n"

static const struct {
	const char *text, *place, *why;
} bad[] = {
	/* the text */
	{ "", "x:1", "expected \"load NAME\" first, found the end of the file" },
	{ "\n\n# only a comment\n", "x:4", "expected \"load NAME\" first" },
	{ "task t { }\n", "x:1", "expected \"load NAME\" first, found \"task\"" },
	{ "load\n", "x:1", "expected the load's name, found the end of the line" },
	{ "load x y\n", "x:1", "expected the end of the statement, found \"y\"" },
	{ "load x\n\ntask t { @ }\n", "x:3", "a character that means nothing" },
	{ "load x\ntask t { run 1us & }\n", "x:2", "an & that is alone" },
	{ "load x \"about\n", "x:1", "without its closing \"" },
	{ "load x \"about", "x:1", "without its closing \"" },
	{ "load x\ntask t { run $ }\n", "x:2", "expected a name behind $" },
	{ "load x\ntask t {\n\n\n", "x:2", "a { without its }" },
	{ "load x\ntask t nice \\\n 3 { } }\n", "x:3", "a } without its {" },
	{ "load x\ntask t { run (1us }\n", "x:2", "a ( without its )" },
	{ "load x\nfoo bar\n", "x:2", "\"foo\" is no statement" },
	{ "load x\nif 0 { foo }\ntask t { }\n", "x:2", "\"foo\" is no statement" },
	{ "load x\nrun 1us\n", "x:2", "expected param, let, time, channel" },
	{ "load x\ntask t { channel c pipe }\n", "x:2", "\"channel\" is no statement of a task" },
	{ "load x\nelse { }\n", "x:2", "an else without its if" },
	{ "load x\ntask t { if 0 { } else { } else { } }\n", "x:2", "an else without its if" },
	{ "load x\ntask t { for i in 0..1 { }\n\nelse { } }\n", "x:4", "an else without its if" },
	{ "load x\ntime 1s\ntime 1s\ntask t { }\n", "x:3", "a second time" },
	{ "load x\ntime 0s\ntask t { }\n", "x:2", "the measured time is from 1ns" },
	{ "load x\ntask t { run 1us run 2us }\n", "x:2", "expected the end of the statement" },
	{ "load x\ntask t { } task u { }\n", "x:2", "expected the end of the statement" },
	/* names */
	{ BODY("run $x * 1us"), "x:2", "\"$x\" is no parameter, let or loop variable" },
	{ BODY("if 0 { run $x * 1us }"), "x:2", "\"$x\" is no parameter" },
	{ BODY("send x 1"), "x:2", "\"x\" is no channel; there are: c, e" },
	{ BODY("send l 1"), "x:2", "\"l\" is no channel" },
	{ BODY("count y"), "x:2", "\"y\" is a latency, not a rate" },
	{ BODY("start r"), "x:2", "\"r\" is a rate, not a makespan" },
	{ BODY("sample k since q"), "x:2", "\"k\" is a makespan, not a latency" },
	{ BODY("fork u"), "x:2", "\"u\" is no task; there are: o, t" },
	{ BODY("send e 1"), "x:2", "expected [: it is an array" },
	{ BODY("send c[0] 1"), "x:2", "c is no array" },
	{ BODY("send e[2] 1"), "x:2", "e has the elements 0 to 1, not 2" },
	{ BODY("send e[-1] 1"), "x:2", "not -1" },
	{ BODY("send e[1ns] 1"), "x:2", "e has the elements 0 to 1" },
	{ BODY("send e[1 1"), "x:2", "expected ]" },
	{ "load x\nchannel c pipe\nlock c\ntask t { }\n", "x:3", "\"c\" is there already" },
	{ "load x\nparam n = 1\nlet n = 2\ntask t { repeat $n { yield } }\n", "x:3",
	  "$n is there already" },
	{ "load x\nlet cpus = 2\ntask t { }\n", "x:2", "$cpus is there already" },
	{ "load x\nlet a-b = 2\ntask t { }\n", "x:2", "$a-b is a difference" },
	{ "load x\ntask t { for a-b in 0..2 { } }\n", "x:2", "$a-b is a difference" },
	{ "load x\ntask t { run $i * 1us; for i in 0..2 { } }\n", "x:2", "inside its for" },
	{ "load x\ntask t { for i in 0..2 { for i in 0..2 { } } }\n", "x:2",
	  "$i is there already" },
	{ "load x\nlet n = $self\ntask t { run 1us * $n }\n", "x:2",
	  "only known in a task or an array" },
	{ "load x\nlist l[2]\nlet n = $self\ntask t { run 1us * $n }\n", "x:3",
	  "only known in a task or an array" },
	{ "load x\nparam n = $k\nparam k = 1\ntask t { run 1us * $n }\n", "x:2",
	  "\"$k\" is not known here" },
	{ "load x\nlist a012345678901234567890123456789012345678901234567890123456789012\n",
	  "x:2", "63 at most" },
	/* parameters */
	{ "load x\nparam n = 1\ntask t { }\n", "x:2", "parameter n is never used" },
	{ "load x\nparam n 5 = 1\ntask t { run $n * 1us }\n", "x:2", "expected = and a default" },
	{ "load x\nparam n\ntask t { run $n * 1us }\n", "x:2", "expected = and a default" },
	{ "load x\nparam n min 2 = 1\ntask t { run $n * 1us }\n", "x:2", "1 is less than 2" },
	{ "load x\nparam n max 1ms = 1s\ntask t { run $n }\n", "x:2", "1s is more than 1ms" },
	{ "load x\nparam n max 1ms = 1\ntask t { run $n }\n", "x:2",
	  "1: expected a value like 1ms, with a unit" },
	{ "load x\nparam n a|b = c\ntask t { if $n == a { } }\n", "x:2",
	  "expected one of a, b, found \"c\"" },
	{ "load x\nparam n a|b = 1\ntask t { if $n == a { } }\n", "x:2", "expected one of a, b" },
	{ "load x\nparam n = a\ntask t { run $n }\n", "x:2", "expected a number, found \"a\"" },
	{ "load x\nparam n a| = a\ntask t { run $n }\n", "x:2", "expected a word" },
	{ "load x\nparam p = \"0,7\"\ntask t pin $p { }\n", "x:2",
	  "CPU 7 is none of the 8 that tasks may use (0 to 11)" },
	{ "load x\nparam p = \"0-\"\ntask t pin $p { }\n", "x:2", "expected CPUs like 0-3,8" },
	{ "load x\nparam p = \"\"\ntask t pin $p { }\n", "x:2", "expected CPUs like 0-3,8" },
	{ "load x\nparam p = \"0,\"\ntask t pin $p { }\n", "x:2", "expected CPUs like 0-3,8" },
	{ "load x\nparam p = \"0x\"\ntask t pin $p { }\n", "x:2", "expected CPUs like 0-3,8" },
	{ "load x\nparam p = \"3-1\"\ntask t pin $p { }\n", "x:2", "expected CPUs like 0-3,8" },
	{ "load x\nparam p = \"99999999999999\"\ntask t pin $p { }\n", "x:2", "CPU 99999" },
	/* expressions */
	{ BODY("repeat 1 / 0 { yield }"), "x:2", "division by zero" },
	{ BODY("repeat 1 % ($n - 3) { yield }"), "x:2", "division by zero" },
	{ BODY("repeat 5 - { yield }"), "x:2", "expected a value, found \"{\"" },
	{ BODY("repeat 9223372036854775807 + 1 { yield }"), "x:2", "the result is too large" },
	{ BODY("repeat -9223372036854775807 - 2 { yield }"), "x:2", "the result is too large" },
	{ BODY("repeat (-9223372036854775807 - 1) / -1 { yield }"), "x:2", "too large" },
	{ BODY("repeat -(-9223372036854775807 - 1) { yield }"), "x:2", "too large" },
	{ BODY("repeat 4294967296 * 4294967296 { yield }"), "x:2", "the result is too large" },
	{ BODY("repeat 9223372036854775808 { yield }"), "x:2", "is too large" },
	{ BODY("repeat 99999999999999999999 { yield }"), "x:2", "is too large" },
	{ BODY("run 10000000000s"), "x:2", "\"10000000000s\" is too large" },
	{ BODY("run 0.5ns"), "x:2", "\"0.5ns\" is no whole number" },
	{ BODY("repeat 1.5 { yield }"), "x:2", "\"1.5\" is no whole number" },
	{ BODY("run 5m"), "x:2", "\"m\" is no unit; there are ns, us, ms, s" },
	{ BODY("run 1us + 1"), "x:2", "a time and a plain number don't go together" },
	{ BODY("run 1us * 1us"), "x:2", "don't go together" },
	{ BODY("run 1 / 1us"), "x:2", "don't go together" },
	{ BODY("if 1us < 5 { }"), "x:2", "don't go together" },
	{ BODY("if 1us && 1 { }"), "x:2", "don't go together" },
	{ BODY("if !1us { }"), "x:2", "! needs a number" },
	{ BODY("if 1us { }"), "x:2", "if needs a comparison" },
	{ BODY("if a { }"), "x:2", "if needs a comparison" },
	{ BODY("if -a == a { }"), "x:2", "- needs a number" },
	{ BODY("if $w == d { }"), "x:2", "$w is never d" },
	{ BODY("if d != $w { }"), "x:2", "$w is never d" },
	{ BODY("if $w < a { }"), "x:2", "a word can only be compared with a word" },
	{ BODY("if $w == 1 { }"), "x:2", "a word can only be compared with a word" },
	{ BODY("if $p == 1 { }"), "x:2", "a list of CPUs is no number" },
	{ BODY("repeat $p { yield }"), "x:2", "a plain number, not a list" },
	{ BODY("repeat min(1) { yield }"), "x:2", "take two values" },
	{ BODY("repeat min(1, 2, 3) { yield }"), "x:2", "a , where none belongs" },
	{ BODY("repeat (1, 2) { yield }"), "x:2", "a , where none belongs" },
	/* amounts */
	{ BODY("run 100"), "x:2", "a duration needs a unit (ns, us, ms, s): 100" },
	{ BODY("run $n"), "x:2", "a duration needs a unit" },
	{ BODY("run -1us"), "x:2", "a duration is from 0ns to 1000000s, not -1us" },
	{ BODY("run 1000001s"), "x:2", "a duration is from 0ns to 1000000s" },
	{ BODY("run 1us memory 101"), "x:2", "a percentage is from 0 to 100, not 101" },
	{ BODY("every 0"), "x:2", "a period is from 1ns" },
	{ BODY("every exp 1us"), "x:2", "a period needs a unit" },
	{ BODY("send c 0"), "x:2", "a size is from 1 to 1073741824, not 0" },
	{ BODY("send c 1us"), "x:2", "a size is a plain number, not 1us" },
	{ BODY("send c exp 1Mi * 33"), "x:2", "a mean of more than 33554432" },
	{ BODY("repeat -1 { yield }"), "x:2", "a number of rounds is from 0" },
	{ BODY("run uniform 2us 1us"), "x:2", "the second value is less than the first" },
	{ BODY("run uniform 2us"), "x:2", "expected a value" },
	{ BODY("run normal 2us 1us"), "x:2", "expected sd, found \"1us\"" },
	{ BODY("run lognormal 2us 3us"), "x:2", "expected median, found \"2us\"" },
	{ BODY("run lognormal median 2us 3us"), "x:2", "expected p90" },
	{ BODY("run lognormal median 0us p90 3us"), "x:2", "which is not 0" },
	{ BODY("run lognormal median 1us p90 2ms"), "x:2", "at most 1000 times the median" },
	{ BODY("run mix { 0: 1us }"), "x:2", "a weight is from 1" },
	{ BODY("run mix { 1 1us }"), "x:2", "expected : behind the weight" },
	{ BODY("run mix { 1: 1us 2: 3us }"), "x:2", "expected , or }" },
	{ BODY("run mix { 1: mix { 1: 1us } }"), "x:2", "a duration needs a unit" },
	{ BODY("run mix { 1: 1us, }"), "x:2", "expected a value" },
	{ BODY("run mix { 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us,"
	       "1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us, 1: 1us }"), "x:2",
	  "a mix of more than 16 parts" },
	/* statements */
	{ BODY("forever { count r }"), "x:2", "the loop takes no time" },
	{ BODY("forever { }"), "x:2", "the loop takes no time" },
	{ BODY("repeat 2 { run 0 }"), "x:2", "the loop takes no time" },
	{ BODY("repeat 2 { forever { post s; clear s } }"), "x:2", "the loop takes no time" },
	{ BODY("forever { yield }; run 1us"), "x:2",
	  "never reached: the forever before it (line 2) does not end" },
	{ BODY("repeat 2 { forever { yield } }"), "x:2", "never reached" },
	{ BODY("for i in 0..2 { forever { yield } }"), "x:2", "never reached" },
	{ BODY("lock l; lock l"), "x:2", "\"l\": the task already holds this lock" },
	{ BODY("unlock l"), "x:2", "\"l\" is not held here" },
	{ BODY("lock l"), "x:2", "the task ends with a lock held" },
	{ BODY("forever { lock l; yield }"), "x:2", "a round of the loop ends with other locks" },
	{ BODY("lock l; repeat 2 { unlock l; yield }"), "x:2", "a round of the loop" },
	{ BODY("lock m; lock m"), "x:2", "already holds a per-CPU lock" },
	{ BODY("lock m[1]; unlock m"), "x:2", "expected the end of the statement" },
	{ BODY("sample y since wake"), "x:2", "no wait or park before it" },
	{ "load x\nmetric m latency\nsemaphore s\ntask a { wait s; sample m since wake }\n"
	  "task b { post s; sample m since wake }\n", "x:5", "no wait or park before it" },
	{ BODY("sample y since q"), "x:2", "no \"mark q\" before it" },
	{ BODY("sample y since z"), "x:2", "no \"mark z\" before it" },
	{ BODY("sample y z"), "x:2", "expected since" },
	{ BODY("mark wake"), "x:2", "wake is the mark of what wakes" },
	{ BODY("mark a; mark b; mark e; mark d; mark f"), "x:2", "more than 4 marks" },
	{ BODY("repeat 2 { fork t }"), "x:2", "a task is forked once, not in a loop" },
	{ BODY("fork t[1]"), "x:2", "the first element is from 0 to 0, not 1" },
	{ BODY("fork t[0..2]"), "x:2", "the element behind the last is from 1 to 1, not 2" },
	{ BODY("fork t[0..0]"), "x:2", "the element behind the last" },
	{ BODY("pin cpu 8"), "x:2", "is from 0 to 7, not 8" },
	{ BODY("pin node 2"), "x:2", "the number among the nodes is from 0 to 1, not 2" },
	{ BODY("pin \"4\""), "x:2", "CPU 4 is none of the 8" },
	{ BODY("pin 4"), "x:2", "expected cpu N, node N" },
	{ BODY("pin $n"), "x:2", "\"$n\" is no list of CPUs" },
	{ BODY("pin $p[2]"), "x:2", "the element of the list is from 0 to 1" },
	{ BODY("for i in 0 { }"), "x:2", "expected .." },
	{ BODY("for i 0..2 { }"), "x:2", "expected in" },
	{ BODY("for 2 in 0..2 { }"), "x:2", "expected a name" },
	{ BODY("if 1 run 1us"), "x:2", "expected {" },
	{ BODY("repeat 2"), "x:2", "expected {" },
	{ BODY("repeat 0"), "x:2", "expected {" },
	{ BODY("repeat 1 { repeat 1 { repeat 1 { repeat 1 { repeat 1 { yield } } } } }"), "x:2",
	  "nested more than 4 deep" },
	{ BODY("if 0 { } else run 1us"), "x:2", "expected { or if" },
	{ BODY("if 1 { } else run 1us"), "x:2", "expected { or if" },
	/* objects */
	{ "load x\nchannel c file\ntask t { }\n", "x:2",
	  "expected a kind of channel (pipe, unix, tcp, udp), found \"file\"" },
	{ "load x\nchannel c pipe wake 5\ntask t { }\n", "x:2", "wait for a page" },
	{ "load x\nchannel c[0] pipe\ntask t { }\n", "x:2", "the number of elements is from 1" },
	{ "load x\nchannel c[-1] pipe\ntask t { }\n", "x:2", "the number of elements is from 1" },
	{ "load x\nchannel c[2000000] pipe\ntask t { }\n", "x:2", "to 1048576, not 2000000" },
	{ "load x\nlist c[1000000]\nlist d[1000000]\ntask t { }\n", "x:3", "of a kind" },
	{ "load x\nlock l[2] percpu\ntask t { }\n", "x:2", "an array for each CPU" },
	{ "load x\nsemaphore s count 3 max 2\ntask t { }\n", "x:2", "above its maximum" },
	{ "load x\nsemaphore s max 0\ntask t { }\n", "x:2", "a maximum is from 1" },
	{ "load x\nbarrier b\ntask t { }\n", "x:2", "expected \"of\" and the number" },
	{ "load x\nbarrier b of 0\ntask t { }\n", "x:2", "is from 1" },
	{ "load x\ngroup g in g\ntask t { }\n", "x:2", "a group in itself" },
	{ "load x\ngroup g in h\ntask t { }\n", "x:2", "\"h\" is no group; there are: g" },
	{ "load x\ngroup g shares 1\ntask t { }\n", "x:2", "shares is from 2 to 262144" },
	{ "load x\ngroup a123456789012345\ntask t { }\n", "x:2", "at most 15 characters" },
	{ "load x\nmetric m speed\ntask t { }\n", "x:2", "expected a kind of metric" },
	{ "load x\nmetric m[2] rate\ntask t { }\n", "x:2", "a metric is no array" },
	{ "load x\nmetric m rate \"a unit of 24 characters.\"\ntask t { }\n", "x:2",
	  "at most 23 characters" },
	{ "load x\nmetric m rate \"u\" * 0\ntask t { }\n", "x:2", "a factor is a number from 1" },
	{ "load x\nmetric m rate \"u\" / pipe\ntask t { }\n", "x:2", "expected a number" },
	{ "load x\nmetric m latency us 0\ntask t { }\n", "x:2", "above 0, at most 100" },
	{ "load x\nmetric m latency us 100.1\ntask t { }\n", "x:2", "above 0, at most 100" },
	{ "load x\nmetric m latency us 1 2 3 4 5 6 7 8 9\ntask t { }\n", "x:2",
	  "more than 8 percentiles" },
	{ "load x\nmetric m latency us * mean\ntask t { }\n", "x:2", "expected a percentile" },
	{ "load x\nmetric m latency us bits 13\ntask t { }\n", "x:2", "from 1 to 12" },
	{ "load x\nmetric m latency us bucket 5\ntask t { }\n", "x:2", "needs a unit" },
	{ "load x\nmetric m latency us drop\ntask t { }\n", "x:2", "expected zero" },
	/* tasks */
	{ "load x\n", "x:2", "the load has no task" },
	{ "load x\ntask t\n{ }\n", "x:2", "expected {" },
	{ "load x\ntask t nice 20 { }\n", "x:2", "nice is from -20 to 19, not 20" },
	{ "load x\ntask t policy fifo { }\n", "x:2", "expected a policy (normal, batch, idle)" },
	{ "load x\ntask t fast { }\n", "x:2", "expected in process, in group, nice" },
	{ "load x\ntask t in pool { }\n", "x:2", "expected process or group" },
	{ "load x\ntask t in process p[-1] { }\n", "x:2", "a process' number is from 0" },
	{ "load x\ntask t[65536] { }\n", "x:2", "more than 65535 tasks" },
	{ "load x\ntask a[60000] { }\ntask b[60000] { }\n", "x:3", "more than 65535 tasks" },
	{ "load x\ntask a123456789012345 { }\n", "x:2", "at most 15 characters" },
	{ "load x\ntask main[2] { }\n", "x:2", "there is one main" },
	{ "load x\ngroup g\ntask t kthread in group g { }\n", "x:3",
	  "a kthread belongs to the root group" },
	{ "load x\nlock l percpu\ntask t kthread { lock l; unlock l }\n", "x:3",
	  "a kthread may run where there is no lock" },
	{ "load x\ntask t footprint 5000000000 { }\n", "x:2", "a footprint is from 0" },
	/* who starts whom */
	{ "load x\ntask main { }\ntask t { }\n", "x:3", "t is never started" },
	{ "load x\ntask main { fork t[0] }\ntask t[3] { }\n", "x:3", "t.1 is never started" },
	{ "load x\ntask a { fork b }\ntask b { fork a }\n", "x:2", "a is never started" },
	{ "load x\ntask a { fork a }\n", "x:2", "a is never started" },
	{ "load x\ntask a { fork c }\ntask b { fork c }\ntask c { }\n", "x:4",
	  "c is forked twice" },
	{ "load x\ntask a[2] { fork b }\ntask b { }\n", "x:3", "b is forked twice" },
	{ "load x\ntask a { fork b }\ntask b starts { }\n", "x:3",
	  "b starts by itself and is forked" },
	/* what would block for ever */
	{ "load x\nchannel c pipe\ntask t { recv c }\n", "x:2", "c: a task receives, but none" },
	{ "load x\nchannel c[2] pipe\ntask t { send c[1] 1 }\n", "x:2",
	  "c[1]: a task sends, but none receives" },
	{ "load x\nsemaphore s\ntask t { wait s }\n", "x:2", "s: a task waits, but none posts" },
	{ "load x\nlist l\ntask t { park l }\n", "x:2", "l: a task parks, but none releases" },
	{ "load x\nflag f\ntask t { await f }\n", "x:2", "f: a task awaits it, but none" },
	{ "load x\nbarrier b of 3\ntask t[2] { barrier b }\n", "x:2", "fewer tasks come" },
	{ "load x\nbarrier b of 2\ntask t { barrier b; barrier b }\n", "x:2", "fewer tasks come" },
	{ "load x\nmetric m rate\ntask t { }\n", "x:2", "m: no task counts it" },
	{ "load x\nmetric m latency\ntask t { }\n", "x:2", "m: no task samples it" },
	{ "load x\nmetric m makespan\ntask t { forever { yield } }\n", "x:2",
	  "m: no task ever ends" },
	{ "load x\nchannel c unix overhead 0 capacity 1000Mi\ntask t { send c 1; recv c }\n", "x:2",
	  "it holds more than 2^20 messages" },
};

static void check(const char *text, const char *parameters, const char *place, const char *why)
{
	struct work_error err = { "", "" };
	struct workload *w = NULL;
	int rc = compile_with(text, parameters, &w, &err);

	if (rc >= 0 || w || strcmp(err.place, place) || !strstr(err.text, why))
		fail_msg("%s\n%s gave %d, \"%s: %s\"; expected \"%s: ... %s ...\"", text,
			 parameters ? parameters : "", rc, err.place, err.text, place, why);
	assert_int_equal(compile_with(text, parameters, &w, NULL), rc);
}

static void texts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(bad[i].text, NULL, bad[i].place, bad[i].why);
}

static void given(void **state)
{
	static const char text[] =
		"load x\nparam kind pipe|unix = pipe\nparam n min 1 max 9 = 2\nparam t = 1ms\n"
		"param p = -\nchannel c $kind\ntask a pin $p { repeat $n { run $t }; send c 1 }\n"
		"task b { recv c }\n";

	(void)state;
	check(text, "m=1", "x", "no parameter m; there are: kind, n, t, p");
	check("load x\ntask t { }\n", "m=1", "x", "no parameter m; there are: none");
	check(text, "n", "x", "expected PARAMETER=VALUE, found \"n\"");
	check(text, "=1", "x", "expected PARAMETER=VALUE, found \"=1\"");
	check(text, "n=1,n=2", "x", "parameter n is given twice");
	check(text, "n=", "parameter n", "expected a value, found its end");
	check(text, "n=0", "parameter n", "0 is less than 1");
	check(text, "n=10", "parameter n", "10 is more than 9");
	check(text, "n=x", "parameter n", "expected a number, found \"x\"");
	check(text, "n=1s", "parameter n", "a plain number is expected");
	check(text, "n=1 2", "parameter n", "expected the end of the statement, found \"2\"");
	check(text, "n=1;2", "parameter n", "expected its end, found \";\"");
	check(text, "n={", "parameter n", "a { without its }");
	check(text, "n=\"", "parameter n", "closing");
	check(text, "n=$x", "parameter n", "\"$x\" is not known here");
	check(text, "t=5", "parameter t", "\"5\" needs a unit");
	check(text, "t=5xs", "parameter t", "\"xs\" is no unit");
	check(text, "kind=tcp", "parameter kind", "expected one of pipe, unix, found \"tcp\"");
	check(text, "kind=", "parameter kind", "expected a value");
	check(text, "p=0,4", "parameter p", "CPU 4 is none of the 8");
	check(text, "p=", "parameter p", "expected CPUs like 0-3,8 or -");
	check(text, "p=a", "parameter p", "expected CPUs like 0-3,8 or -, found \"a\"");
	check(text, "n=\033[1m", "parameter n", "means nothing");
	check(text, "\033=1", "x", "no parameter ?;");
}

/* Too much of anything, quickly. */
static void limits(void **state)
{
	(void)state;
	check("load x\ntask t { for i in 0..1000000000 { } }\n", NULL, "x:2",
	      "too much is unrolled");
	check("load x\ntask t[60000] { for i in 0..10000 { run 1us * $self } }\n", NULL, "x:2",
	      "too much is unrolled");
	check("load x\ntask t { for i in 0..5000000 { yield } }\n", NULL, "x:2",
	      "more than 4194304 operations");
	check("load x\ntask t[2000] { run exp 1us * (1 + $self) }\n", NULL, "x:2",
	      "more than 1024 tables of distributions");
	check("load x\ntask t[2000] { run lognormal median 1us p90 (2us + $self * 1ns) }\n", NULL,
	      "x:2", "more than 1024 tables of distributions");
}

static void depths(void **state)
{
	static char text[10000];
	size_t len = (size_t)sprintf(text, "load x\ntask t { run ");
	struct workload *w;

	(void)state;
	for (int i = 0; i < 100; i++)
		len += (size_t)sprintf(text + len, "(");
	sprintf(text + len, " }");
	check(text, NULL, "x:2", "an expression too deep");
	len = (size_t)sprintf(text, "load x\ntask t { run ");
	for (int i = 0; i < 100; i++)
		len += (size_t)sprintf(text + len, "1 < 1 + 1 * (");
	sprintf(text + len, " }");
	check(text, NULL, "x:2", "an expression too deep");
	len = (size_t)sprintf(text, "load x\ntask t { ");
	for (int i = 0; i < 40; i++)
		len += (size_t)sprintf(text + len, "if 1 { ");
	for (int i = 0; i < 41; i++)
		len += (size_t)sprintf(text + len, "} ");
	check(text, NULL, "x:2", "blocks nested more than 32 deep");
	len = (size_t)sprintf(text, "load x\ntask t { ");
	for (int i = 0; i < 31; i++)
		len += (size_t)sprintf(text + len, "if 1 { ");
	for (int i = 0; i < 32; i++)
		len += (size_t)sprintf(text + len, "} ");
	assert_int_equal(compile_with(text, NULL, &w, NULL), 0);
	workload_free(w);
	len = (size_t)sprintf(text, "load x\n");
	for (int i = 0; i < 300; i++)
		len += (size_t)sprintf(text + len, "let a%d = 1\n", i);
	check(text, NULL, "x:255", "more than 256 variables");
	len = (size_t)sprintf(text, "load x\ngroup g0\n");
	for (int i = 1; i < 20; i++)
		len += (size_t)sprintf(text + len, "group g%d in g%d\n", i, i - 1);
	check(text, NULL, "x:10", "groups nested more than 8 deep");
}

static void too_long(void **state)
{
	static char text[(1 << 21) + 1];
	struct work_error err;
	struct workload *w;

	(void)state;
	memset(text, '\n', sizeof(text) - 1);
	assert_int_equal(workload_load_text("x", text, 1 << 21, "", &test_machine, &w, &err),
			 -E2BIG);
	assert_string_equal(err.text, "2097152 bytes; at most 1048576 are read");
}

/* The most that is allowed does compile. */
static void not_too_much(void **state)
{
	struct work_error err;
	struct workload *w;

	(void)state;
	assert_int_equal(compile_with("load x\ntask t[65535] { yield }\n", NULL, &w, &err), 0);
	assert_int_equal(w->nr_tasks, 65536);
	assert_int_equal(w->nr_programs, 2);
	assert_null(check_workload(w));
	workload_free(w);
	assert_int_equal(compile_with("load x\ntask t[65535] { run 1us * $self }\n", NULL, &w,
				      &err), 0);
	assert_int_equal(w->nr_programs, 65536);
	assert_null(check_workload(w));
	workload_free(w);
	assert_int_equal(compile_with("load x\ntask t { for i in 0..4000000 { yield } }\n", NULL,
				      &w, &err), 0);
	assert_int_equal(w->nr_ops, 4000001 + 2);
	workload_free(w);
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void fails(const char *spec, int rc, const char *place, const char *why)
{
	struct work_error err = { "", "" };
	struct workload *w = NULL;

	assert_int_equal(workload_load(spec, &test_machine, &w, &err), rc);
	assert_null(w);
	assert_string_equal(err.place, place);
	if (!strstr(err.text, why))
		fail_msg("%s: %s", spec, err.text);
}

static void files(void **state)
{
	char folder[] = "/tmp/wakelab-test-XXXXXX";
	struct work_error err;
	struct workload *w;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	write_file("a.load", "load a\nparam n = 1\ntask t { run $n * 1us }\n", 42);
	assert_int_equal(workload_load("a.load:n=2", &test_machine, &w, &err), 0);
	assert_string_equal(w->name, "a.load:n=2");
	workload_free(w);
	assert_int_equal(workload_load("./a.load", &test_machine, &w, &err), 0);
	workload_free(w);
	fails("a.load:k=2", -EINVAL, "a.load", "no parameter k; there are: n");
	fails("a.load:n=x", -EINVAL, "parameter n", "expected a number");
	write_file("pipe", "load a\ntask t { }\n", 18);
	assert_int_equal(workload_load("pipe", &test_machine, &w, &err), 0);
	assert_int_equal(w->nr_channels, 2);	/* the built-in one */
	workload_free(w);
	assert_int_equal(workload_load("./pipe", &test_machine, &w, &err), 0);
	assert_int_equal(w->nr_channels, 0);
	workload_free(w);
	write_file("b.load", "load b\ntask t { foo }\n", 22);
	fails("b.load", -EINVAL, "b.load:2", "\"foo\" is no statement");
	fails("c.load", -ENOENT, "c.load", "No such file");
	fails("./pip", -ENOENT, "./pip", "No such file");
	fails("pip", -ENOENT, "pip", "no such load; there are hog, messaging, noise, pipe, "
	      "schbench-request, schbench");
	fails("", -ENOENT, "", "no such load");
	fails("pipe:kind=file", -EINVAL, "parameter kind", "expected one of pipe, unix, tcp, udp");
	fails("pipe:pin=0,4", -EINVAL, "parameter pin", "CPU 4 is none");
	fails("./", -EINVAL, "./", "expected a file");
	assert_int_equal(mkfifo("d.load", 0600), 0);
	fails("d.load", -EINVAL, "d.load", "expected a file");
	assert_int_equal(truncate("a.load", 3000000), 0);
	fails("a.load", -E2BIG, "a.load", "1048577 bytes; at most 1048576 are read");
	assert_int_equal(unlink("a.load") | unlink("b.load") | unlink("d.load") |
			 unlink("pipe"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(given),
		cmocka_unit_test(limits),
		cmocka_unit_test(depths),
		cmocka_unit_test(too_long),
		cmocka_unit_test(not_too_much),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
