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

# Windows, by wine: all unit tests and all cases of the program that make sense there.
windows() {
    cmake -S . -B "$work/native" -DPODIUM_WITH_OPENSSL=OFF >/dev/null
    cmake --build "$work/native" -j2 --target podium
    tests/devices/windows.sh "$source" "$work/native/cli/podium" "$work/windows" all
}

# What Apple's systems and the BSDs use, where glibc has it: the whole library with each source and each way to wipe.
sources() {
    for random in arc4random getentropy; do
        for wipe in explicit_bzero volatile; do
            echo "$random, $wipe"
            cmake -S . -B "$work/sources" -DPODIUM_TESTS=ON -DPODIUM_WERROR=ON -DPODIUM_WITH_OPENSSL=OFF \
                -DPODIUM_RANDOM=$random -DPODIUM_WIPE=$wipe >/dev/null
            cmake --build "$work/sources" -j2 --target unit_random unit_privatize unit_collection unit_stack
            ctest --test-dir "$work/sources" -R '^unit/(random|privatize|collection|stack)$' --no-tests=error --output-on-failure
        done
    done
}

[ $# -gt 0 ] || set -- windows sources
for part in "$@"; do
    printf '\n== %s\n' "$part"
    "$part"
done
