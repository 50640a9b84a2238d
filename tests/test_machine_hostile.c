// SPDX-License-Identifier: GPL-2.0-only
/* Damaged, foreign and malicious input: a message that says where and what, and no machine. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "machine_test.h"

#define RECORDING "kernel 6.1.0\nhz 250\ndomain0 MC flags: SD_WAKE_AFFINE imb 117\n"

static const struct {
	const char *text, *place, *why;
} bad_texts[] = {
	/* none of ours */
	{ "hello\n", "x:1", "expected hwloc XML" },
	{ "\n\n# only a comment\n", "x:1", "only blank lines" },
	/* recordings */
	{ "kernel abc\n", "x:1", "expected a kernel release" },
	{ "kernel 6.1.0\nkernel 6.2\n", "x:2", "a second kernel line" },
	{ "kernel 6.1.0\nhz many\n", "x:2", "expected \"hz NUMBER\"" },
	{ "kernel 6.1.0\n", "x:2", "expected TOPO lines" },
	{ "kernel 6.1.0\ndomain0 MC flags: SD_FOO imb 1\n", "x:2", "\"SD_FOO\"" },
	{ "kernel 6.1.0\nTOPO 0 0 MC:1:117:xL\n", "x:2", "no line \"domainN MC" },
	{ RECORDING "TOPO 0 0 MC:zz:117:xL\n", "x:4", "expected a hex mask" },
	{ RECORDING "TOPO 0 0 MC:2:117:xL\n", "x:4", "is without it" },
	{ RECORDING "TOPO 0 1 MC:1:117:xL\n", "x:4", "SMT siblings" },
	{ RECORDING "TOPO 0 0 MC:1:117:q\n", "x:4", "letters of x, L and C" },
	{ RECORDING "TOPO 0 0 MC:1:117:xL\nTOPO 0 0 MC:1:117:x\n", "x:5", "a second TOPO line" },
	{ RECORDING "TOPO 9999 0 MC:1:117:xL\n", "x:4", "below 8192" },
	{ RECORDING "TOPO 0 0 MC:3:117:xL\n", "x", "without a TOPO line" },
	{ RECORDING "TOPO 0 0 MC:1:117:xL\nnode0: 0 dist 10 20\n", "x", "2 distances" },
	{ RECORDING "TOPO 0 0 MC:1:117:xL\nnode0: 0 dist 11\n", "x", "expected 10" },
	{ RECORDING "TOPO 0 0 MC:1:117:xL\nnode0: 0 dist\n", "x", "0 distances" },
	{ RECORDING "what is this\n", "x:4", "found \"what\"" },
	{ "kernel 4.19.0\ndomain0 MC flags: imb 1\nTOPO 0 0\nTOPO 1 1\n", "x", "v4.19" },
	/* lscpu -p */
	{ "0,0,0\n", "x:1", "naming the columns" },
	{ "# CPU,Core\n0\n", "x:2", "expected 2 columns, found 1" },
	{ "# CPU,Core\n0,0,0\n", "x:2", "more than the 2 columns" },
	{ "# CPU,Core\n0,x\n", "x:2", "column Core: expected a number" },
	{ "# CPU,Core\n0,0\n0,1\n", "x:3", "a second line for CPU 0" },
	{ "# CPU,Core,Core\n0,0,0\n", "x:1", "named twice" },
	{ "# CPU,Socket\n0,0\n", "x:3", "expected a column Core" },
	{ "# CPU,Core\n99999,0\n", "x:2", "column CPU" },
	{ "# CPU,Core,Online\n0,0,maybe\n", "x:2", "expected Y or N" },
	{ "# CPU,Core,Online\n0,0,N\n", "x", "no CPU is online" },
	/* presets */
	{ "machine\n", "x:1", "expected \"machine NAME\"" },
	{ "machine m\n", "x:2", "found the end" },
	{ "machine m\narch x86\n", "x:2", "expected \"cpus LIST\"" },
	{ "machine m\ncpus 0-8192\n", "x:2", "below 8192" },
	{ "machine m\ncpus 0-3\ncolour red\n", "x:3", "\"colour\" is no keyword" },
	{ "machine m\ncpus 0-3\ncore 0-4\n", "x:3", "are not all among" },
	{ "machine m\ncpus 0-3\ncore 0-1 1-2\n", "x:3", "CPU 1 is in two cores" },
	{ "machine m\ncpus 0-3\ncore 0 x5 +1\n", "x:3", "are not all among" },
	{ "machine m\ncpus 0-3\ncore 0 x4\n", "x:3", "expected \"+STEP\"" },
	{ "machine m\ncpus 0-3\ncore\n", "x:3", "expected sets" },
	{ "machine m\ncpus 0-3\narch vax\n", "x:3", "expected x86" },
	{ "machine m\ncpus 0-3\ncache L3 big 0-3\n", "x:3", "the size of the cache" },
	{ "machine m\ncpus 0-3\ncache L0 1K 0-3\n", "x:3", "expected L1d" },
	{ "machine m\ncpus 0-3\ndistance 10\n", "x:3", "expected nodes before" },
	{ "machine m\ncpus 0-3\nnode 0-1 2-3\ndistance 10\n", "x:4", "expected 2 distances" },
	{ "machine m\ncpus 0-3\nnode 0-1 2-3\ndistance 10 20\n", "x:5", "expected 2 rows" },
	{ "machine m\ncpus 0-3\nnode 0-1\n", "x", "CPU 2 is online and in no node" },
	{ "machine m\ncpus 0-3\nnode 0-3 3\n", "x", "expected one node a CPU" },
	{ "machine m\ncpus 0-3\nnode 0-1 2-3\ndistance 10 5\ndistance 5 10\n", "x", "is 5" },
	{ "machine m\ncpus 0-3\ncapacity 2000 0\n", "x:3", "from 1 to 1024" },
	{ "machine m\ncpus 0-3\nonline 0\npresent 1\n", "x", "not all present" },
	{ "machine m\ncpus 0-3\n\033[2J\n", "x:3", "\"?[2J\" is no keyword" },
	/* hwloc XML */
	{ "<html></html>\n", "x:1", "expected one element \"topology\"" },
	{ "<topology>\n<object>\n</topology>\n", "x:3", "expected </object>" },
	{ "<topology>\n<object>\n", "x:3", "expected </object>, found the end" },
	{ "<topology version=2.0></topology>", "x:1", "expected a quoted value" },
	{ "<topology version></topology>", "x:1", "expected \"=\"" },
	{ "<topology version=\"2.0\n", "x:2", "has no end" },
	{ "<topology version=\"2.0\">\n<!-- \n", "x:3", "expected \"-->\"" },
	{ "<topology version=\"2.0\"></topology>\n", "x", "hwloc refuses it" },
	{ "<topology version=\"9.0\"></topology>\n", "x", "hwloc refuses it" },
};

static void each_damaged_text_is_refused_with_place_and_reason(void **state)
{
	struct machine_error err;
	struct machine *m;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++) {
		const char *t = bad_texts[i].text;
		int rc;

		memset(&err, 0, sizeof(err));
		m = NULL;
		rc = machine_load_text("x", t, strlen(t), &m, &err);
		if (rc >= 0 || m || strcmp(err.place, bad_texts[i].place) ||
		    !strstr(err.text, bad_texts[i].why))
			fail_msg("%s\n gave %d, %s: %s", t, rc, err.place, err.text);
	}
}

static void bad_synthetic_strings_are_refused(void **state)
{
	static const char *const bad[] = {
		"synthetic:", "synthetic:pu:0", "synthetic:pack:4 core:9999 pu:1",
		"synthetic:pack:100 core:100 pu:2", "synthetic:99999999999999999999",
		"synthetic:pu:4(indexes=4294967295,1,2,3)", "synthetic:nonsense:3",
		"synthetic:pack:8192 l3:8192",
	};
	struct machine_error err;
	struct machine *m = NULL;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(machine_load(bad[i], &m, &err) < 0);
		assert_null(m);
		assert_string_equal(err.place, "synthetic string");
	}
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *buf;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	buf = malloc(*len);
	assert_int_equal(fread(buf, 1, *len, f), *len);
	fclose(f);
	return buf;
}

static void spill(const char *path, const char *buf, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(buf, 1, len, f), len);
	fclose(f);
}

/* Every prefix of the good texts, and every byte of them flipped: no crash, no leak. */
static void every_cut_and_every_flipped_byte_is_survived(void **state)
{
	static const char *const files[] = { MACHINES "/recordings/6.12-cluster-2s8c1t-cl4.txt" };
	struct machine *m;
	size_t len, plen;
	const char *preset = machine_preset_text(3, &plen);
	char *buf = slurp(files[0], &len);

	(void)state;
	for (size_t cut = 0; cut < len; cut++) {
		m = NULL;
		if (!machine_load_text("cut", buf, cut, &m, NULL))
			machine_free(m);
		else
			assert_null(m);
	}
	for (size_t i = 0; i < len; i++) {
		buf[i] ^= 0x11;
		if (!machine_load_text("flip", buf, len, &m, NULL))
			machine_free(m);
		buf[i] ^= 0x11;
	}
	free(buf);
	for (size_t cut = 0; cut < plen; cut++)
		if (!machine_load_text("cut", preset, cut, &m, NULL))
			machine_free(m);
}

static void a_cut_xml_file_is_refused_at_its_end(void **state)
{
	struct machine_error err;
	struct machine *m = NULL;
	size_t len;
	char *buf = slurp(MACHINES "/AMD-19h-Zen3-2xEpyc-7763.xml", &len);

	(void)state;
	for (size_t cut = 1; cut < len - 12; cut += 1009) {
		assert_true(machine_load_text("x", buf, cut, &m, &err) < 0);
		assert_true(!strncmp(err.place, "x:", 2));
	}
	free(buf);
}

static void deeply_nested_xml_is_refused(void **state)
{
	char *buf = malloc(11 * 100000 + 32), *p = buf;
	struct machine_error err;
	struct machine *m;

	(void)state;
	p += sprintf(p, "<topology>");
	for (int i = 0; i < 100000; i++)
		p += sprintf(p, "<object>\n");
	assert_true(machine_load_text("x", buf, (size_t)(p - buf), &m, &err) < 0);
	assert_non_null(strstr(err.text, "nest more than"));
	assert_string_equal(err.place, "x:64");
	free(buf);
}

static char tmp[] = "/tmp/wakelab-test-XXXXXX";

static const char *in_tmp(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", tmp, name);
	return path;
}

static void sh(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	assert_int_equal(system(cmd), 0);
}

static void assert_refused(const char *path, const char *place, const char *why)
{
	struct machine_error err = { "", "" };
	struct machine *m = NULL;
	int rc = machine_load(path, &m, &err);

	if (rc >= 0 || m || !strstr(err.place, place) || !strstr(err.text, why))
		fail_msg("%s gave %d, %s: %s", path, rc, err.place, err.text);
}

static void odd_files_are_refused(void **state)
{
	int fd;

	(void)state;
	assert_refused(in_tmp("missing"), "missing", "no such file, folder or preset");
	spill(in_tmp("empty"), "", 0);
	assert_refused(in_tmp("empty"), "empty", "the file is empty");
	assert_int_equal(mkfifo(in_tmp("fifo"), 0600), 0);
	assert_refused(in_tmp("fifo"), "fifo", "expected a file or a folder");
	assert_refused("/dev/zero", "/dev/zero", "expected a file or a folder");
	assert_refused(tmp, tmp, "expected sys/devices/system/cpu");
	fd = open(in_tmp("huge"), O_CREAT | O_WRONLY, 0600);
	assert_int_equal(ftruncate(fd, 1ll << 33), 0);
	close(fd);
	assert_refused(in_tmp("huge"), "huge", "at most");
	assert_refused("preset:nothing", "nothing", "no such preset");
}

static void damaged_archives_are_refused(void **state)
{
	size_t len;
	char *buf = slurp(MACHINES "/16em64t-4s2c2t-offlines.tar.bz2", &len);

	(void)state;
	spill(in_tmp("cut.tar.bz2"), buf, len / 2);
	assert_refused(in_tmp("cut.tar.bz2"), "cut.tar.bz2", "bzip2 finds it corrupt or cut off");
	buf[len / 2] ^= 0xff;
	spill(in_tmp("flip.tar.bz2"), buf, len);
	assert_refused(in_tmp("flip.tar.bz2"), "flip.tar.bz2", "bzip2 finds it corrupt");
	free(buf);
	sh("cd %s && echo hello | bzip2 > text.tar.bz2", tmp);
	assert_refused(in_tmp("text.tar.bz2"), "text.tar.bz2", "tar cannot unpack it");
	sh("cd %s && mkdir -p other && echo 1 > other/file && tar cf other.tar other", tmp);
	assert_refused(in_tmp("other.tar"), "other.tar", "expected sys/devices/system/cpu");
}

/* What hwloc-gather-topology would never pack. */
static void archives_that_lead_outside_are_refused(void **state)
{
	(void)state;
	/* a link as the top folder, and links inside */
	sh("cd %s && rm -rf top && ln -s / top && tar cf link.tar top && rm top", tmp);
	assert_refused(in_tmp("link.tar"), "link.tar", "expected sys/devices/system/cpu");
	sh("cd %s && mkdir top && ln -s /sys top/sys && tar cf links.tar top && rm -r top", tmp);
	assert_refused(in_tmp("links.tar"), "links.tar", "");
	sh("cd %s && mkdir -p top/sys/devices/system/cpu/cpu0 && "
	   "ln -s /etc/passwd top/sys/devices/system/cpu/online && "
	   "tar cf file.tar top && rm -r top",
	   tmp);
	assert_refused(in_tmp("file.tar"), "sys/devices/system/cpu/online", "");
	sh("cd %s && mkdir -p top/sys/devices/system/cpu/cpu0 && "
	   "mkfifo top/sys/devices/system/cpu/online && tar cf fifo.tar top && rm -r top",
	   tmp);
	assert_refused(in_tmp("fifo.tar"), "sys/devices/system/cpu/online",
		       "expected a regular file");
	sh("cd %s && mkdir -p a/b && echo 1 > evil && cd a/b && tar cPf ../../up.tar ../../evil",
	   tmp);
	assert_refused(in_tmp("up.tar"), "up.tar", "");
}

static void an_archive_that_grows_is_cut(void **state)
{
	(void)state;
	/* 300 MB of zeros in files of 1 MB are 300 bytes each once compressed */
	sh("cd %s && mkdir -p top && for i in $(seq 300); do truncate -s 1M top/$i; done && "
	   "tar cjf bomb.tar.bz2 top && rm -r top",
	   tmp);
	assert_refused(in_tmp("bomb.tar.bz2"), "bomb.tar.bz2", "bytes unpacked");
	sh("test -z \"$(ls -d %s/wakelab-?????? 2>/dev/null)\"", tmp);
}

static const struct {
	const char *file, *text, *why;
} bad_trees[] = {
	{ "cpu/online", "0-", "expected CPUs as a list" },
	{ "cpu/online", "0-3", "has CPUs without folders" },
	{ "cpu/possible", "0", "leaves out CPUs that have folders" },
	{ "cpu/cpu1/topology/thread_siblings", "zz", "expected CPUs as a hex mask" },
	{ "cpu/cpu1/topology/thread_siblings", "1", "is not in its own set" },
	{ "cpu/cpu1/topology/core_id", "one", "expected a number" },
	{ "cpu/cpu0/cache/index0/level", "77", "cache level from 1 to 9" },
	{ "cpu/cpu0/cache/index0/type", "Purple", "expected Data" },
	{ "cpu/cpu0/cache/index0/size", "3 apples", "expected a size" },
	{ "cpu/cpu0/cache/index0/shared_cpu_list", "1", "not among the sharers" },
	{ "cpu/cpu0/cpu_capacity", "0", "expected a capacity" },
	{ "cpu/cpu1/online", "2", "expected 0 or 1" },
	{ "cpu/cpu99999/online", "1", "expected numbers up to 8191" },
	{ "node/node0/cpulist", "0-1-2", "expected CPUs as a list" },
	{ "node/node0/distance", "10 20", "expected 1 distances" },
	{ "node/node0/distance", "ten", "expected 1 distances" },
};

static void make_tree(void)
{
	sh("cd %s && rm -rf tree && mkdir -p tree/sys/devices/system && cd tree/sys/devices/system && "
	   "mkdir -p cpu/cpu0/topology cpu/cpu1/topology node/node0 && "
	   "mkdir -p cpu/cpu0/cache/index0 cpu/cpu1/cache/index0 && "
	   "echo 0-1 > node/node0/cpulist && echo 10 > node/node0/distance && "
	   "for i in 0 1; do echo 1 > cpu/cpu$i/cache/index0/level && "
	   "echo Data > cpu/cpu$i/cache/index0/type; done",
	   tmp);
}

static void damaged_trees_are_refused_with_the_path_in_the_tree(void **state)
{
	struct machine *m;

	(void)state;
	make_tree();
	m = machine_must(in_tmp("tree"));
	assert_set(m->online, "0-1");
	machine_free(m);
	for (unsigned i = 0; i < sizeof(bad_trees) / sizeof(bad_trees[0]); i++) {
		const char *file = bad_trees[i].file, *place = file;

		make_tree();
		sh("cd %s/tree/sys/devices/system && mkdir -p $(dirname %s) && echo '%s' > %s", tmp,
		   file, bad_trees[i].text, file);
		/* a folder of that name is the fault */
		if (strstr(file, "cpu99999"))
			place = "sys/devices/system/cpu";
		assert_refused(in_tmp("tree"), place, bad_trees[i].why);
	}
	make_tree();
	sh("cd %s/tree/sys/devices/system && echo 3 > cpu/cpu0/topology/thread_siblings && "
	   "echo 2 > cpu/cpu1/topology/thread_siblings",
	   tmp);
	assert_refused(in_tmp("tree"), "tree: cpu1", "its core (thread siblings) is 1");
	make_tree();
	sh("cd %s/tree/sys/devices/system && head -c 70000 /dev/zero | tr '\\0' 1 > cpu/online", tmp);
	assert_refused(in_tmp("tree"), "cpu/online", "more than");
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(tmp))
		return -1;
	/* so that what is left behind can be told from other tests' */
	return setenv("TMPDIR", tmp, 1);
}

static int tear_down(void **state)
{
	(void)state;
	sh("rm -rf %s", tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_damaged_text_is_refused_with_place_and_reason),
		cmocka_unit_test(bad_synthetic_strings_are_refused),
		cmocka_unit_test(every_cut_and_every_flipped_byte_is_survived),
		cmocka_unit_test(a_cut_xml_file_is_refused_at_its_end),
		cmocka_unit_test(deeply_nested_xml_is_refused),
		cmocka_unit_test(odd_files_are_refused),
		cmocka_unit_test(damaged_archives_are_refused),
		cmocka_unit_test(archives_that_lead_outside_are_refused),
		cmocka_unit_test(an_archive_that_grows_is_cut),
		cmocka_unit_test(damaged_trees_are_refused_with_the_path_in_the_tree),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
