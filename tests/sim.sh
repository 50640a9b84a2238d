#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# wakelab sim: the same bytes from one thread and two, from every compiler (the golden
# digest), twice; arguments that are wrong; a trace.
# usage: sim.sh WAKELAB TESTS-FOLDER
set -u
wakelab=$1
golden=$2/golden/sim.sums
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
	echo "$*"
	failed=1
}

# Everything after the header is the simulation's.
records() {
	"$wakelab" sim --format json "$@" | tail -n +2
}

cases() {
	cat <<'END'
-m kunpeng920 -w pipe --time 20ms v5.17 v5.17+cluster-scan=v2 v6.1
-m kunpeng920 -w messaging:groups=4,loops=5,kind=pipe -w noise v5.17 v6.1
-m epyc-7003-2s-nps2 -w messaging:groups=2,loops=10 --warmup 0 v5.10 v6.0+sis-core=v6
-m power9-lpar -w schbench --time 1s v5.4 v5.4+dedicated-vcpu=v3
-m power9-lpar -w schbench --time 1s --lpar shared v5.9
-m xeon-e7-8870v4 -w hog:n=200 -w noise:kworker=4ms --time 300ms v5.9 v5.4
-m xeon-4s24c -w pipe:kind=tcp -w pipe:kind=udp -w pipe:kind=unix --time 20ms v5.12 v6.1.192
-m xeon-4s24c -w schbench-request --time 100ms v5.19+SIS_PROP
END
}

cases >"$work/cases"
: >"$work/sums"
while read -r line; do
	# shellcheck disable=SC2086
	records $line --runs 2 -j 1 >"$work/one" || complain "failed: $line"
	# shellcheck disable=SC2086
	records $line --runs 2 -j 2 >"$work/two"
	cmp -s "$work/one" "$work/two" || complain "differs at -j 2: $line"
	[ -s "$work/one" ] || complain "no result: $line"
	echo "$(sha256sum <"$work/one" | cut -d' ' -f1) $line" >>"$work/sums"
done <"$work/cases"
if [ -n "${GOLDEN_UPDATE:-}" ]; then
	cp "$work/sums" "$golden"
elif ! diff "$golden" "$work/sums"; then
	complain 'other results than in golden/sim.sums: another compiler, or a change of the model'
fi

# expect STATUS ARGUMENTS...
expect() {
	status=$1
	shift
	"$wakelab" sim "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "$status" ] || complain "exit status $got, not $status: sim $*"
	[ "$status" = 0 ] || [ -s "$work/err" ] || complain "no message: sim $*"
}

expect 129 v5.17
expect 129 -m kunpeng920 -w pipe
expect 129 -m kunpeng920 -w pipe --time 1x v5.17
expect 129 -m kunpeng920 -w pipe --hz 50 v5.17
expect 129 -m kunpeng920 -w pipe -j 0 v5.17
expect 129 -m kunpeng920 -w pipe v5.99
expect 129 -m kunpeng920 -w pipe --trace "$work/t" v5.17 v6.1
expect 1 -m kunpeng920 -w nosuchload v5.17
expect 1 -m nosuchmachine -w pipe v5.17
expect 1 -m kunpeng920 -w pipe --costs nosuchcard v5.17
expect 1 -m kunpeng920 -w pipe --cpus 500 v5.17
expect 1 -m kunpeng920 -w pipe:pin=500 v5.17
expect 1 -m kunpeng920 -w pipe --time 1ms -o "$work/no/such" v5.17
expect 4 -m kunpeng920 -w pipe v6.12
expect 0 -m kunpeng920 -w pipe --cpus 0-3 --time 1ms --trace "$work/t" -o "$work/o" v5.17
[ -s "$work/t" ] || complain 'no trace'
[ "$(wc -l <"$work/o")" = 2 ] || complain 'not a header and a record'
# What is no regular file is written to, and never replaced.
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/o" &
expect 0 -m kunpeng920 -w pipe --time 1ms -o "$work/fifo" v5.17
wait
[ -p "$work/fifo" ] || complain 'a FIFO was replaced by a file'
[ "$(wc -l <"$work/o")" = 2 ] || complain 'not a header and a record in the FIFO'
exit $failed
