#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The README's console blocks show what the commands print; GOLDEN_UPDATE=1 puts
# it there.
# usage: readme.sh WAKELAB SOURCE
set -u
wakelab=$(realpath "$1")
cd "$2" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A block is its command, then the output, made anew.
awk -v wakelab="$wakelab" '
	/^```console$/ { print; getline; print
		command = $0; sub(/^\$ wakelab /, "", command)
		fflush(); system("\"" wakelab "\" " command " 2>&1")
		skip = 1; next }
	/^```$/ { skip = 0 }
	!skip { print }' README.md >"$work/README.md"
if [ "${GOLDEN_UPDATE:-0}" = 1 ]; then
	cp "$work/README.md" README.md
	exit 0
fi
diff -u README.md "$work/README.md"
