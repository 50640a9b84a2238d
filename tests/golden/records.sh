#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compares what verify, whatif, explain and variants print about the recordings in
# tests/records, and how they exit, with golden/records-NAME.txt; GOLDEN_UPDATE=1
# rewrites these.
# usage: records.sh WAKELAB TESTS-FOLDER
set -u
wakelab=$(realpath "$1")
tests=$(realpath "$2")
# Messages name files as they were given.
cd "$tests" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# run FILE ARGUMENTS...: appends the command, what it prints, and its status
run() {
	out=$work/$1
	shift
	{
		echo "\$ wakelab $*"
		"$wakelab" "$@" 2>&1
		echo "= $?"
	} >>"$out"
}

# A kernel with one rule changed, under its own name, and under the wrong one.
run verify verify records/5.10-previdle-merged-dm-2s4c2t
run verify verify records/5.10-previdle-merged-dm-2s4c2t v5.10.262
run verify verify records/6.1-siscore-v6-2s4c2t/writers.wlr
run verify verify records/6.1-siscore-v6-2s4c2t/writers.wlr v6.1.192
run verify verify records/7.3-1s8c2t/messages.wlr v5.99
run verify verify records/none
run verify verify
run verify verify --format xml records
run json verify --format json records/7.3-1s8c2t/messages.wlr v5.17
run json whatif --format json records/7.3-1s8c2t/messages-mixed.wlr v5.4
run json explain --format json 'records/6.1-2s4c2t/messages.wlr#3' v5.17

# v7.3 and v6.12 differ in what is SCHED_IDLE's and in the sync rule, and in nothing else here.
run whatif whatif records/7.3-changes v6.12
run whatif whatif --list records/7.3-changes v6.12
run whatif whatif records/5.10-stock-2s4c2t v6.0+sis-core=v6 v5.4
run whatif whatif records/5.10-stock-2s4c2t
run whatif whatif records/5.10-stock-2s4c2t v6.12+sis-core=v6

run explain explain 'records/6.1-2s4c2t/messages.wlr#3'
run explain explain 'records/6.1-2s4c2t/messages.wlr#3' v5.4 v6.12
run explain explain 'records/6.1-cluster-v2-2s8c1t-cl4/messages-busy.wlr#9' v5.17
run explain explain 'records/6.1-siscore-v6-2s4c2t/messages-busy.wlr#9' v6.1.192
run explain explain 'records/6.1-2s4c2t/messages.wlr#100000'
run explain explain records/6.1-2s4c2t/messages.wlr
run explain explain 'records/6.1-base-2s4c2t/writers.wlr#0'

run variants variants
run variants variants --matrix
run variants variants tip-5.19+sis-core=v6
for wrong in v6.12+dedicated-vcpu v5.10+sis-core=v6 v6.7+sis-core=v6 v5.17+idle-cpumask=v4 \
	v6.12+cluster-scan=v11 v6.0+cluster-scan=v7+sis-core=v6 v6.0+sis-core=v6+cluster-scan=v7 \
	v5.10+prev-idle=none v5.11+prev-idle=merged v5.4+idle-cpumask=v4 v5.17+SIS_UTIL \
	v6.12+SIS_PROP v5.10+core-threads=mask v6.1+core-threads=allowed v5.15+cluster-scan=v2 \
	v6.1+cluster-scan=none v6.1+cluster-scan=v3 v6.1+colour=red v6.1++ v0; do
	run variants variants $wrong
done

for out in "$work"/*; do
	golden=golden/records-$(basename "$out").txt
	if [ "${GOLDEN_UPDATE:-0}" = 1 ]; then
		cp "$out" "$golden"
	elif ! diff -u "$golden" "$out"; then
		failed=1
	fi
done
exit $failed
