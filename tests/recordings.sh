#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All stable decisions and all hint writes agree: in the sample of the repository,
# and where WAKELAB_DATA names a folder with decisions/, in all of them. There,
# v7.3's recordings under v6.12 differ by two rules only.
# usage: recordings.sh WAKELAB TESTS-FOLDER
set -u
wakelab=$1
tests=$2
failed=0

check() {
	if "$wakelab" verify "$1" >"$work/verify"; then
		tail -n 1 "$work/verify"
	else
		cat "$work/verify"
		failed=1
	fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check "$tests/records"
# The check can fail: the kernel of one patch under the rules of another.
if "$wakelab" verify "$tests/records/6.1-cluster-v2-2s8c1t-cl4" \
	v6.1.192+cluster-scan=v7+SIS_PROP+NO_SIS_UTIL >"$work/verify"; then
	echo "verify does not tell cluster-scan v2 from v7"
	failed=1
fi
[ -n "${WAKELAB_DATA:-}" ] || exit $failed

check "$WAKELAB_DATA/decisions"
rules=$("$wakelab" whatif --list "$WAKELAB_DATA"/decisions/7.3-* v6.12 |
	awk -F, 'NR > 1 { n[$8]++ } END { for (r in n) print r, n[r] }' | sort | tr '\n' ' ')
echo "v7.3 as v6.12: $rules"
[ "$rules" = "sched_idle 71 sync_nr 23 " ] || failed=1
exit $failed
