#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# wakelab convert: where its output goes, what it keeps, how it fails.
# usage: test_convert.sh WAKELAB RECORDING.wlr (of three records)
set -u

wakelab=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/wakelab-test-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/in/deep" && cp "$2" "$work/in/deep/wakeups.wlr" || exit 1
cd "$work" || exit 1
failed=0

# expect STATUS TEXT ARGUMENTS...: the exit status, and what standard error has to say
expect() {
	status=$1 text=$2
	shift 2
	"$wakelab" convert "$@" >out 2>err </dev/null
	got=$?
	if [ $got != "$status" ] || { [ "$text" ] && ! grep -qF -e "$text" err; }; then
		echo "FAIL: convert $*: $got instead of $status; \"$text\" expected:"
		cat err
		failed=1
	fi
}

check() {
	"$@" || { echo "FAIL: $*"; failed=1; }
}

expect 0 "" --csv -d csv in
check test -f csv/deep/wakeups.csv -a -f csv/deep/machine.txt
expect 0 "" csv/deep/wakeups.csv
check cmp csv/deep/wakeups.wlr in/deep/wakeups.wlr
expect 0 "" -o again.wlr csv/deep/wakeups.csv
check cmp again.wlr in/deep/wakeups.wlr

printf '2 the last\n# none\n\n0\n0\n' >list
expect 0 "" --csv --pick list -o - in/deep/wakeups.wlr
check test "$(sed 1d out)" = "$(sed -n '2p;4p' csv/deep/wakeups.csv)"
echo 3 >list
expect 1 "in/deep/wakeups.wlr: there is no record 3" --pick list -o beyond.wlr in/deep/wakeups.wlr
check test ! -e beyond.wlr
echo x >list
expect 1 "list:1: " --pick list -o beyond.wlr in/deep/wakeups.wlr
echo 0 >list
expect 1 "--pick is for one recording" --pick list -d d csv
expect 1 "-o is for one recording" -o one.wlr csv
check test ! -e one.wlr

expect 1 "would both become d/deep/wakeups.wlr" -d d csv in
check test ! -e d
expect 1 "would become its own output" in/deep/wakeups.wlr
echo other >csv/deep/machine.txt
expect 1 "another machine's text" --csv -o csv/deep/x.csv in/deep/wakeups.wlr
check test ! -e csv/deep/x.csv

head -c 500 in/deep/wakeups.wlr >cut.wlr
expect 1 "convert: cut.wlr: byte 500: " -o x.wlr cut.wlr
: >empty.csv
expect 1 "convert: empty.csv: an empty file" empty.csv
echo hello >foreign.csv
expect 1 "convert: foreign.csv:1: " foreign.csv
expect 1 "convert: none: No such file" none
expect 1 "convert: empty: no recording" "$(mkdir empty && echo empty)"
check test "$(find . -name '*.wlr.*')" = ""

expect 129 "which recording?"
expect 129 "either -o or -d" -o a -d b in
expect 129 "see: wakelab help convert" --nonsense
expect 0 "" --columns
check grep -q '^waker.util_est  *uint  *64  line yes$' out
exit $failed
