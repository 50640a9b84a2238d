#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Turns the presets and cards given as arguments into a C file on stdout, so that they are found
# from anywhere. The names come from the files' names; the order is the arguments'.
set -eu

# table NAME SUFFIX FILE...
table() {
	printf 'static const struct { const char *name, *text; size_t len; } %s[] = {\n' "$1"
	suffix=$2
	shift 2
	for file do
		case $file in
		*"$suffix") ;;
		*) continue ;;
		esac
		name=$(basename "$file" "$suffix")
		printf '{ "%s",\n' "$name"
		sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g; s/^/"/; s/$/\\n"/' "$file"
		printf ', %s },\n' "$(wc -c < "$file")"
	done
	echo '};'
	echo
}

echo '/* Made by machine/presets/embed.sh. */'
echo '#include <stddef.h>'
echo '#include "machine/card.h"'
echo
table presets .machine "$@"
table cards .card "$@"
cat <<'END'
#define NR(table) (sizeof(table) / sizeof((table)[0]))

const char *machine_preset_name(unsigned i)
{
	return i < NR(presets) ? presets[i].name : NULL;
}

const char *machine_preset_text(unsigned i, size_t *len)
{
	if (i >= NR(presets))
		return NULL;
	*len = presets[i].len;
	return presets[i].text;
}

const char *machine_card_name(unsigned i)
{
	return i < NR(cards) ? cards[i].name : NULL;
}

const char *machine_card_text(unsigned i, size_t *len)
{
	if (i >= NR(cards))
		return NULL;
	*len = cards[i].len;
	return cards[i].text;
}
END
