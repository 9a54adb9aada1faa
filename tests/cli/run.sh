#!/bin/sh
# Runs the program as people do. Every case is a directory with a shell script, cmd, and with its expected stdout,
# stderr and status; a missing file stands for no output or status 0. A case runs in a fresh copy of its directory.
#
# The environment variable CASES is the directory of the cases; the default is tests/cli/cases.
#
#   run.sh SOURCE-DIR PROGRAM WORK-DIR [CASE...]
set -eu
source=$1 program=$2 work=$3
shift 3

rm -rf "$work"
mkdir -p "$work"
CASES=${CASES:-$source/tests/cli/cases}
TESTS=$source/tests
PATH=$(cd "$(dirname "$program")" && pwd):$PATH
LC_ALL=C
export TESTS PATH LC_ALL

# compare CASE WHAT: compares what was printed with what is expected
compare() {
    expected=$CASES/$1/$2
    [ -f "$expected" ] || expected=$work/$1.none
    diff -u --label "$1/$2 expected" --label "$1/$2" "$expected" "$work/$1.$2"
}

run_case() {
    cp -R "$CASES/$1" "$work/$1"
    rm -f "$work/$1/stdout" "$work/$1/stderr" "$work/$1/status"
    status=0
    (cd "$work/$1" && exec sh ./cmd) </dev/null >"$work/$1.stdout" 2>"$work/$1.stderr" || status=$?
    [ "$status" -eq 0 ] || echo "$status" >"$work/$1.status"
    touch "$work/$1.none" "$work/$1.status"
    ok=0
    for what in stdout stderr status; do
        compare "$1" "$what" || ok=1
    done
    return $ok
}

[ $# -gt 0 ] || for case in "$CASES"/*/; do set -- "$@" "$(basename "$case")"; done
passed=0 failed=0
for case in "$@"; do
    if run_case "$case"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $case"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
