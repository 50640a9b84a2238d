#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compares what "wakelab machine" says of each tree in tests/machines, and of each preset, with
# golden/machine-NAME.txt; GOLDEN_UPDATE=1 rewrites these.
# usage: machine.sh WAKELAB TESTS-FOLDER
set -u
wakelab=$(realpath "$1")
tests=$(realpath "$2")
# Messages name files as they were given.
cd "$tests/machines" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The first, the last and one CPU in between, in full, under v6.12; summaries of other versions.
describe() {
	echo "# SPDX-License-Identifier: GPL-2.0-only"
	for version in v5.4 v5.17 v6.12 v7.3; do
		echo "\$ wakelab machine --summary --kernel $version $2"
		"$wakelab" machine --summary --kernel $version "$1" 2>&1
		echo "= $?"
	done
	for cpu in 0 10 127; do
		"$wakelab" machine --cpu $cpu "$1" >"$work/cpu" 2>/dev/null || continue
		echo "\$ wakelab machine --cpu $cpu $2"
		cat "$work/cpu"
	done
}

# What a preset's machine costs, and what the common card makes of the same machine.
costs() {
	echo "# SPDX-License-Identifier: GPL-2.0-only"
	for options in --costs '--card common' '--card nobody'; do
		echo "\$ wakelab machine $options $2"
		# shellcheck disable=SC2086 # two words
		"$wakelab" machine $options "$1" 2>&1
		echo "= $?"
	done
	echo "\$ wakelab machine --costs --format json $2 | head -n 50"
	"$wakelab" machine --costs --format json "$1" | head -n 50
}

# check MACHINE NAME FILE [FUNCTION]
check() {
	golden=$tests/golden/machine-$3.txt
	"${4:-describe}" "$1" "$2" >"$work/$3"
	if [ "${GOLDEN_UPDATE:-0}" = 1 ]; then
		cp "$work/$3" "$golden"
	elif ! diff -u "$golden" "$work/$3"; then
		failed=1
	fi
}

for file in *.tar.bz2 *.xml; do
	name=${file%.tar.bz2}
	check "$file" "$file" "${name%.xml}"
done
for name in $("$wakelab" machine --list); do
	check "preset:$name" "$name" "$name"
done
check preset:kunpeng920 kunpeng920 costs-kunpeng920 costs
exit $failed
