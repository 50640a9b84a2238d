// SPDX-License-Identifier: GPL-2.0-only
/* Runs a fuzz target over files and the files of folders, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *buf;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		perror(path);
		return 1;
	}
	rewind(f);
	buf = malloc((size_t)size + 1);
	if (!buf || fread(buf, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		return 1;
	}
	fclose(f);
	LLVMFuzzerTestOneInput(buf, (size_t)size);
	free(buf);
	return 0;
}

static int run(const char *path)
{
	struct stat st;
	struct dirent *e;
	char inner[4096];
	int rc = 0;
	DIR *dir;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return run_file(path);
	dir = opendir(path);
	while (dir && !rc && (e = readdir(dir))) {
		if (*e->d_name == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		rc = run_file(inner);
	}
	if (dir)
		closedir(dir);
	return rc;
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++)
		rc = run(argv[i]);
	return rc;
}
