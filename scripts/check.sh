#!/bin/sh
# Every test, with every compiler and sanitizer; with --quick the fast tests of one build, and at the end what was left
# out; with --long two tests that try ten times as much as otherwise, and bugs that take long to be caught. Called by
# `make check`, `make check-quick` and `make check-long`, which have installed what this needs.
#
#   check.sh [--quick | --long] [JOBS]
set -eu
kind=""
case ${1:-} in --*) kind=$1; shift ;; esac
jobs=${1:-2}
cd "$(dirname "$0")/.."
mkdir -p build

quietly() {
    "$@" >build/check.log 2>&1 || { cat build/check.log; exit 1; }
}

# check BUILD-PRESET TEST-PRESET
check() {
    printf '\n== %s\n' "$2"
    quietly cmake --preset "$1"
    quietly cmake --build --preset "$1" -j"$jobs"
    ctest --preset "$2" -j"$jobs" --no-tests=error
}

if [ "$kind" = --long ]; then
    check long long
    check release planted
    exit
fi
if [ "$kind" = --quick ]; then
    check release quick
    printf '\nLeft out, and run by make check: the presets debug, clang, plain, asan, msan and fuzz, and of release\n'
    ctest --preset release --label-regex slow --show-only | sed -n 's/^ *Test *#[0-9]*: //p' | paste -sd' ' | fold -sw 110
    exit
fi

# release runs everything but what is long; the others run again what another compiler or a sanitizer might see differently
for preset in release debug clang plain asan msan fuzz; do
    check "$preset" "$preset"
done
