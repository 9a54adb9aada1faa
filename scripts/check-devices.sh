#!/bin/sh
# Tests of other processors that take too long for `make check`, which has a quick part of each. Called by `make
# check-devices`, which has installed what this needs.
#
#   check-devices.sh [PART...]
#
# Without a PART, all of them.
set -eu
cd "$(dirname "$0")/.."
source=$PWD
work=$source/build/devices
mkdir -p "$work"

# 64-bit ARM: NEON gives the cells and reports of the portable code, in constant time, with every compiler and level.
# Code that is not optimised is so slow by emulation that one in five combinations is tried there.
neon() {
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -O3; do
            stride=""
            [ $level != -O0 ] || stride=5
            tests/devices/neon.sh "$source" "$work/neon" $compiler $level $stride
            tests/ctime/run.sh "$source" "$work/ctime" $compiler $level aarch64
        done
    done
}

[ $# -gt 0 ] || set -- neon
for part in "$@"; do
    printf '\n== %s\n' "$part"
    "$part"
done
