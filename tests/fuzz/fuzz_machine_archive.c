// SPDX-License-Identifier: GPL-2.0-only
/* Slow: every input starts tar, and bzip2 or its like. */
#include <fcntl.h>
#include <unistd.h>
#include "fuzz_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/dev/shm/fuzz-machine-XXXXXX";
	struct machine_error err = { "", "" };
	struct machine *m = NULL;
	int fd = mkstemp(path), rc;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	rc = machine_load(path, &m, &err);
	check_machine(rc, m, &err);
	unlink(path);
	return 0;
}
