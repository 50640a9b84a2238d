#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What follows from one recorded call to the next agrees: in the series of the repository
# and in its sample of records, and where WAKELAB_DATA names a folder with decisions/, in
# all of them. It can fail: under the rules of another version it does.
# usage: state.sh WAKELAB TESTS-FOLDER
set -u
wakelab=$1
tests=$2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

agrees() {
	if "$wakelab" verify --state "$1" >"$work/state"; then
		tail -n 1 "$work/state"
	else
		cat "$work/state"
		failed=1
	fi
}

# differs WHAT RECORDS VARIANT
differs() {
	"$wakelab" verify --state "$2" "$3" >"$work/state"
	status=$?
	if [ $status != 2 ] || ! grep -q "^$1: .* differ" "$work/state"; then
		echo "$2 under $3: exit status $status, and no $1 differ"
		failed=1
	fi
}

# exits STATUS ARGUMENTS...
exits() {
	expected=$1
	shift
	"$wakelab" verify "$@" >"$work/state" 2>&1
	status=$?
	[ $status = "$expected" ] || {
		echo "verify $*: exit status $status, not $expected"
		cat "$work/state"
		failed=1
	}
}

agrees "$tests/state"
agrees "$tests/records"
# v5.15 stopped writing the waker's recent_used_cpu; v6.0 queues to idle CPUs of the LLC.
differs recent_used_cpu "$tests/state/5.10-stock-2s4c2t" v6.12
differs 'run queues' "$tests/state/6.12arm64-cluster-1s4cl4c" v5.17
differs has_idle_cores "$tests/state/6.1-2s4c2t" v5.10
exits 3 --state "$tests/records/6.1-siscore-v6-2s4c2t/writers.wlr"
exits 1 --state "$tests/state" "$tests/state.sh"
exits 129 --state --list "$tests/state"
exits 129 --state
exits 129 --state --format xml "$tests/state"

if command -v python3 >/dev/null; then
	"$wakelab" verify --state --format json "$tests/state" |
		python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["status"])' || {
		echo "--format json is no JSON, or its status not 0"
		failed=1
	}
fi
[ -n "${WAKELAB_DATA:-}" ] || exit $failed

agrees "$WAKELAB_DATA/decisions"
exit $failed
