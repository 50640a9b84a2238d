#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Rules that a compiler doesn't check: which folder may include which, the licence
# line first in every file, file lengths, and no float or libc in wake/.
# usage: lint.sh SOURCE
set -u
cd "$1" || exit 1
failed=0

complain() {
	echo "$*"
	failed=1
}

# The arrows of the design; what a folder includes besides itself.
allowed() {
	case $1 in
	wake) echo '' ;;
	machine | report | stats | workload) echo '' ;;
	sched) echo 'wake machine' ;;
	sim) echo 'sched machine wake workload stats' ;;
	trace) echo 'sched machine wake' ;;
	cmd) echo 'trace sched machine wake report sim workload stats' ;;
	*) echo any ;;
	esac
}

for folder in wake machine stats workload sched sim trace report cmd; do
	may=" $folder $(allowed $folder) "
	for file in "$folder"/*.[ch]; do
		for include in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file"); do
			case $may in
			*" $include "*) ;;
			*) complain "$file includes from $include/" ;;
			esac
		done
		if sed -n 's/^#include "\(.*\)"/\1/p' "$file" | grep -qv /; then
			complain "$file: an include that does not start from the top"
		fi
	done
done

if grep -n '^#include <' wake/*.h; then
	complain 'wake/ is freestanding: no system headers'
fi
if grep -nwE 'float|double|malloc|printf' wake/*.h; then
	complain 'wake/ is freestanding: no floating point, no libc'
fi

# In a clone git knows the files; in a tarball all of them count.
files=$(git ls-files 2>/dev/null || true)
[ -n "$files" ] || files=$(find . -name .git -prune -o -type f -print)
for file in $files; do
	case $file in
	*.c | *.h | *.sh | *.bpf.c | */meson.build | meson.build | meson_options.txt | Makefile | \
		scripts/* | *.machine | docs/man/* | .ci/run)
		head -n 2 "$file" | grep -q SPDX-License-Identifier || complain "$file: no SPDX line"
		;;
	esac
	case $file in
	*.c | *.h)
		[ "$(wc -l <"$file")" -le 700 ] || echo "question: $file is longer than 700 lines"
		;;
	esac
done
exit $failed
