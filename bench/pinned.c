// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: pinned RUNS COMMAND...
 *
 * Runs a command several times, all on one CPU, its output thrown away. Prints one
 * line: best and median wall-clock time, best and median CPU time, in microseconds.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS_MAX 100

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* Where it starts, which is where the scheduler sees room. */
static int pin(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return -1;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static int run(char **command, uint64_t *wall, uint64_t *cpu)
{
	uint64_t start = now_us();
	struct rusage usage;
	pid_t child = fork();
	int status;

	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0)
			dup2(null, STDOUT_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return -1;
	*wall = now_us() - start;
	*cpu = us(&usage.ru_utime) + us(&usage.ru_stime);
	return status;
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[1]) : 0;
	uint64_t wall[RUNS_MAX], cpu[RUNS_MAX];

	if (runs < 1 || runs > RUNS_MAX) {
		fprintf(stderr, "usage: pinned RUNS COMMAND...\n");
		return 129;
	}
	if (pin()) {
		perror("pinned");
		return 1;
	}
	for (int i = 0; i < runs; i++) {
		if (run(argv + 2, &wall[i], &cpu[i])) {
			fprintf(stderr, "pinned: %s failed\n", argv[2]);
			return 1;
		}
	}
	qsort(wall, (size_t)runs, sizeof(wall[0]), by_value);
	qsort(cpu, (size_t)runs, sizeof(cpu[0]), by_value);
	printf("%llu %llu %llu %llu\n", (unsigned long long)wall[0],
	       (unsigned long long)wall[runs / 2], (unsigned long long)cpu[0],
	       (unsigned long long)cpu[runs / 2]);
	return 0;
}
