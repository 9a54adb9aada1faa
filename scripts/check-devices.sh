#!/bin/sh
# Tests of other machines that take too long for `make check`, which has a quick part of each. Called by `make
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

# Microcontrollers: the library's codes, sizes, stacks and constant time, with every compiler and level.
firmware() {
    cmake -S . -B "$work/native" -DPODIUM_WITH_OPENSSL=OFF >/dev/null
    cmake --build "$work/native" -j2 --target podium podium_static
    cc -std=c11 -Iinclude tests/devices/firmware/native.c "$work/native/libpodium.a" -lm -o "$work/firmware-native"
    for cpu in cortex-m0plus cortex-m3 cortex-m4; do
        for compiler in gcc clang; do
            for level in -O0 -O1 -O2 -O3 -Os; do
                tests/devices/firmware.sh "$source" "$work/native/cli/podium" "$work/firmware-native" "$work/firmware" \
                    $cpu $compiler $level
            done
        done
    done
}

[ $# -gt 0 ] || set -- firmware
for part in "$@"; do
    printf '\n== %s\n' "$part"
    "$part"
done
