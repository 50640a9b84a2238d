#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Turns the loads given as arguments into a C file on stdout, so that they are found from
# anywhere. The names come from the files' names; the order is the arguments'.
set -eu
echo '/* Made by workload/loads/embed.sh. */'
echo '#include "workload/workload.h"'
echo
echo 'static const struct { const char *name, *text; size_t len; } loads[] = {'
for file do
	name=$(basename "$file" .load)
	printf '{ "%s",\n' "$name"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g; s/^/"/; s/$/\\n"/' "$file"
	printf ', %s },\n' "$(wc -c < "$file")"
done
cat <<'END'
};

#define NR_LOADS (sizeof(loads) / sizeof(loads[0]))

const char *workload_builtin_name(unsigned i)
{
	return i < NR_LOADS ? loads[i].name : NULL;
}

const char *workload_builtin_text(unsigned i, size_t *len)
{
	if (i >= NR_LOADS)
		return NULL;
	*len = loads[i].len;
	return loads[i].text;
}
END
