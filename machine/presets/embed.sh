#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Turns the presets given as arguments into a C file on stdout, so that they are found from
# anywhere. The names come from the files' names; the order is the arguments'.
set -eu
echo '/* Made by machine/presets/embed.sh. */'
echo '#include <stddef.h>'
echo '#include "machine/machine.h"'
echo
echo 'static const struct { const char *name, *text; size_t len; } presets[] = {'
for file do
	name=$(basename "$file" .machine)
	printf '{ "%s",\n' "$name"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g; s/^/"/; s/$/\\n"/' "$file"
	printf ', %s },\n' "$(wc -c < "$file")"
done
cat <<'END'
};

#define NR_PRESETS (sizeof(presets) / sizeof(presets[0]))

const char *machine_preset_name(unsigned i)
{
	return i < NR_PRESETS ? presets[i].name : NULL;
}

const char *machine_preset_text(unsigned i, size_t *len)
{
	if (i >= NR_PRESETS)
		return NULL;
	*len = presets[i].len;
	return presets[i].text;
}
END
