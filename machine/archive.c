// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tar archive of a sysfs tree, as hwloc-gather-topology packs it.
 *
 * The archive may be anybody's. tar unpacks it (it refuses names with "..", and makes links
 * that lead outside only when nothing more is written through them) into a folder only we can
 * read; the unpacked stream goes through our hands and is cut at BYTES_MAX; both children have
 * a limit on file sizes and all of it one on time; what is unpacked is read beneath its folder
 * only (tree.c), and is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "machine/tree.h"

#define BYTES_MAX   (256ul << 20) /* of the unpacked stream: 16 times the largest tree known */
#define FILE_MAX    (8ul << 20)
#define SECONDS_MAX 120

static const struct packing {
	const char *magic;
	size_t len, offset;
	const char *tool; /* NULL: not compressed */
} packings[] = {
	{ "BZh", 3, 0, "bzip2" },
	{ "\x1f\x8b", 2, 0, "gzip" },
	{ "\xfd" "7zXZ", 6, 0, "xz" },
	{ "\x28\xb5\x2f\xfd", 4, 0, "zstd" },
	{ "ustar", 5, 257, NULL },
};

static const struct packing *packing_of(const char *head, size_t len)
{
	unsigned i;

	for (i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		const struct packing *p = &packings[i];

		if (len >= p->offset + p->len && !memcmp(head + p->offset, p->magic, p->len))
			return p;
	}
	return NULL;
}

bool machine_is_archive(const char *head, size_t len)
{
	return packing_of(head, len) != NULL;
}

struct unpack {
	const char *path;
	struct machine_error *err;
	char dir[256];
	pid_t packer, tar;
	int from, to; /* packer's output, tar's input */
	struct timespec deadline;
};

/* In the child: stdin and stdout as given, no output to see, limits, and never back. */
static void child(const char *const argv[], int in, int out)
{
	struct rlimit size = { FILE_MAX, FILE_MAX }, cpu = { SECONDS_MAX, SECONDS_MAX };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(in, 0) < 0 || dup2(out < 0 ? null : out, 1) < 0 || dup2(null, 2) < 0)
		_exit(126);
	setrlimit(RLIMIT_FSIZE, &size);
	setrlimit(RLIMIT_CPU, &cpu);
	unsetenv("TAR_OPTIONS");
	unsetenv("BZIP2");
	unsetenv("BZIP");
	unsetenv("GZIP");
	unsetenv("XZ_OPT");
	unsetenv("XZ_DEFAULTS");
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static pid_t spawn(const char *const argv[], int in, int out)
{
	pid_t pid = fork();

	if (!pid)
		child(argv, in, out);
	return pid;
}

static int start_packer(struct unpack *u, const struct packing *p)
{
	const char *const argv[] = { p->tool, "-dc", NULL };
	int pipefd[2], in = open(u->path, O_RDONLY | O_CLOEXEC);

	if (in < 0)
		return machine_fail(u->err, -errno, u->path, "%s", strerror(errno));
	if (!p->tool) {
		u->from = in;
		return 0;
	}
	if (pipe2(pipefd, O_CLOEXEC)) {
		close(in);
		return machine_fail(u->err, -errno, u->path, "pipe: %s", strerror(errno));
	}
	u->packer = spawn(argv, in, pipefd[1]);
	close(in);
	close(pipefd[1]);
	u->from = pipefd[0];
	return u->packer < 0 ? machine_fail(u->err, -EAGAIN, u->path, "cannot fork") : 0;
}

static int start_tar(struct unpack *u)
{
	const char *const argv[] = { "tar",	      "-x",		      "-f",
				     "-",	      "-C",		      u->dir,
				     "--no-same-owner", "--no-same-permissions", "--no-xattrs",
				     "--delay-directory-restore", NULL };
	int sock[2];

	/* A socket, for send() can do without SIGPIPE when tar has had enough. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock))
		return machine_fail(u->err, -errno, u->path, "socketpair: %s", strerror(errno));
	u->tar = spawn(argv, sock[0], -1);
	close(sock[0]);
	u->to = sock[1];
	return u->tar < 0 ? machine_fail(u->err, -EAGAIN, u->path, "cannot fork") : 0;
}

static int ms_left(const struct unpack *u)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (u->deadline.tv_sec - now.tv_sec) * 1000 +
	     (u->deadline.tv_nsec - now.tv_nsec) / 1000000;
	return ms < 0 ? 0 : (int)ms;
}

static int send_all(struct unpack *u, const char *buf, size_t len)
{
	struct pollfd pfd = { .fd = u->to, .events = POLLOUT };
	ssize_t n;

	while (len) {
		if (poll(&pfd, 1, ms_left(u)) <= 0)
			return -ETIMEDOUT;
		n = send(u->to, buf, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return -EPIPE;
		buf += n;
		len -= (size_t)n;
	}
	return 0;
}

/*
 * Carries the stream from one child to the other. When tar has had enough, the rest is read all
 * the same, for only at the end can the packer say whether the stream was sound.
 */
static int relay(struct unpack *u)
{
	struct pollfd pfd = { .fd = u->from, .events = POLLIN };
	size_t total = 0;
	char buf[65536];
	ssize_t n;
	int rc = 0;

	for (;;) {
		if (poll(&pfd, 1, ms_left(u)) <= 0)
			return machine_fail(u->err, -ETIMEDOUT, u->path,
					    "not unpacked within %d seconds", SECONDS_MAX);
		n = read(u->from, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return machine_fail(u->err, -errno, u->path, "%s", strerror(errno));
		if (!n)
			return 0;
		total += (size_t)n;
		if (total > BYTES_MAX)
			return machine_fail(u->err, -E2BIG, u->path,
					    "more than %lu bytes unpacked", BYTES_MAX);
		if (rc != -EPIPE)
			rc = send_all(u, buf, (size_t)n);
		if (rc == -ETIMEDOUT)
			return machine_fail(u->err, rc, u->path, "not unpacked within %d seconds",
					    SECONDS_MAX);
	}
}

static int reap(pid_t *pid, bool kill_first)
{
	int status;

	if (*pid <= 0)
		return 0;
	if (kill_first)
		kill(*pid, SIGKILL);
	while (waitpid(*pid, &status, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int unpack(struct unpack *u, const struct packing *p)
{
	int rc, packer, tar;

	rc = start_packer(u, p);
	if (!rc)
		rc = start_tar(u);
	if (!rc)
		rc = relay(u);
	if (u->from >= 0)
		close(u->from);
	if (u->to >= 0)
		close(u->to);
	packer = reap(&u->packer, rc != 0);
	tar = reap(&u->tar, rc != 0);
	if (rc)
		return rc;
	if (packer == 127 || tar == 127)
		return machine_fail(u->err, -ENOPKG, u->path, "%s is needed and not installed",
				    packer == 127 ? p->tool : "tar");
	if (packer)
		return machine_fail(u->err, -EINVAL, u->path,
				    "%s finds it corrupt or cut off", p->tool);
	if (tar)
		return machine_fail(u->err, -EINVAL, u->path,
				    "tar cannot unpack it (exit status %d)", tar);
	return 0;
}

/* Folders from an archive may lack the right to empty them. */
static void remove_tree(int at, const char *name, unsigned depth)
{
	struct dirent *e;
	struct stat st;
	DIR *dir;
	int fd;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (!S_ISDIR(st.st_mode)) {
		unlinkat(at, name, 0);
		return;
	}
	fchmodat(at, name, 0700, 0);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir) {
		while ((e = readdir(dir)))
			if (depth && strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
				remove_tree(fd, e->d_name, depth - 1);
		closedir(dir);
	} else if (fd >= 0) {
		close(fd);
	}
	unlinkat(at, name, AT_REMOVEDIR);
}

#define DEPTH_MAX 256 /* an open folder each */

/* A tree is thousands of tiny files, which memory takes a hundred times faster than a disk. */
static int make_dir(struct unpack *u)
{
	const char *const where[] = { getenv("TMPDIR"), "/dev/shm", "/tmp" };
	unsigned i;

	for (i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		if (!where[i] || snprintf(u->dir, sizeof(u->dir), "%s/wakelab-XXXXXX", where[i]) >=
					 (int)sizeof(u->dir))
			continue;
		if (mkdtemp(u->dir))
			return 0;
	}
	return machine_fail(u->err, -errno, u->path,
			    "no temporary folder to unpack it in: %s", strerror(errno));
}

int machine_read_archive(const char *path, struct machine **out, struct machine_error *err)
{
	struct unpack u = { .path = path, .err = err, .from = -1, .to = -1 };
	const struct packing *p;
	char head[512];
	ssize_t n;
	int fd, rc;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, head, sizeof(head));
	if (fd >= 0)
		close(fd);
	p = n < 0 ? NULL : packing_of(head, (size_t)n);
	if (!p)
		return machine_fail(err, -EINVAL, path, "expected a tar archive");
	rc = make_dir(&u);
	if (rc)
		return rc;
	clock_gettime(CLOCK_MONOTONIC, &u.deadline);
	u.deadline.tv_sec += SECONDS_MAX;
	rc = unpack(&u, p);
	if (!rc)
		rc = machine_read_folder(path, u.dir, out, err);
	remove_tree(AT_FDCWD, u.dir, DEPTH_MAX);
	return rc;
}

/* lstat(): a link would lead the reading out of the archive before it is fenced in. */
static bool is_folder(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has_cpus(const char *dir, const char *below)
{
	struct stat st;
	char *path;
	bool yes;

	if (asprintf(&path, "%s/%s", dir, below) < 0)
		return false;
	yes = !stat(path, &st) && S_ISDIR(st.st_mode);
	free(path);
	return yes;
}

static bool is_tree(const char *dir)
{
	return has_cpus(dir, "sys/devices/system/cpu") || has_cpus(dir, "devices/system/cpu");
}

/* The one subfolder that is a tree; NULL. */
static char *find_tree(const char *dir)
{
	char *path, *found = NULL;
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && !found && (e = readdir(d))) {
		if (*e->d_name == '.' || asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			continue;
		if (is_folder(path) && is_tree(path))
			found = path;
		else
			free(path);
	}
	if (d)
		closedir(d);
	return found;
}

int machine_read_folder(const char *name, const char *dir, struct machine **out,
			struct machine_error *err)
{
	char *inner;
	int rc;

	if (is_tree(dir))
		return machine_read_sysfs(name, dir, out, err);
	inner = find_tree(dir);
	if (!inner)
		return machine_fail(err, -EINVAL, name,
				    "expected sys/devices/system/cpu in it or in its subfolder");
	rc = machine_read_sysfs(name, inner, out, err);
	free(inner);
	return rc;
}
