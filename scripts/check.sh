#!/bin/sh
# Every test, with every compiler and sanitizer. Called by `make check`, which has installed what this needs.
#
#   check.sh [JOBS]
set -eu
jobs=${1:-2}
cd "$(dirname "$0")/.."
mkdir -p build

quietly() {
    "$@" >build/check.log 2>&1 || { cat build/check.log; exit 1; }
}

# release runs everything; the others run again what another compiler or a sanitizer might see differently
for preset in release debug clang plain asan msan fuzz; do
    printf '\n== %s\n' "$preset"
    quietly cmake --preset "$preset"
    quietly cmake --build --preset "$preset" -j"$jobs"
    ctest --preset "$preset" -j"$jobs" --no-tests=error
done
