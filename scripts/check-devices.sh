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

# The test vectors, on every machine that there is a compiler and an emulator for. It goes on after a failure, so that the
# table at the end is whole.
vectors() {
    : >"$work/vectors"
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -O3 -Os; do
            vectors_on "x86-64" $compiler $level
        done
        # With instructions that multiply and add at once, if this machine has them
        if grep -q ' fma .* avx2 ' /proc/cpuinfo; then vectors_on "x86-64" $compiler -O3 -march=haswell; fi
    done
    vectors_on "x86-64" gcc -O2 -flto=auto
    vectors_on "x86-64 without AVX" nehalem
    vectors_on "i386, flags for x87" i686 -march=pentium -mfpmath=387
    vectors_on "i386, flags for SSE2" i686 -msse2 -mfpmath=sse
    for level in -O0 -O2 -O3; do
        vectors_on "aarch64" aarch64 $level
    done
    for level in -O0 -O2 -O3; do
        vectors_on "s390x (big-endian)" s390x $level
    done
    vectors_on "armhf" armhf
    vectors_on "armel (soft float)" armel
    vectors_on "riscv64" riscv64
    vectors_on "musl, static" musl -static
    vectors_on "Windows" windows
    printf '\n%-22s %-42s %s\n' machine build "same bytes"
    cat "$work/vectors"
    if grep -q 'no$' "$work/vectors"; then return 1; fi
}

# vectors_on NAME MACHINE [FLAG...]: one row of the table
vectors_on() {
    name=$1
    shift
    if tests/devices/vectors.sh "$source" "$work/vectors-$1" "$@"; then same="yes"; else same="no"; fi
    case $1 in
    gcc | clang) build="$*" ;;
    *) shift; build="gcc${*:+ $*}" ;;
    esac
    printf '%-22s %-42s %s\n' "$name" "$build" "$same" >>"$work/vectors"
}

# This machine's library and program, with which other machines are compared
native() {
    cmake -S . -B "$work/native" -DPODIUM_WITH_OPENSSL=OFF >/dev/null
    cmake --build "$work/native" -j2 --target podium podium_static
}

# Microcontrollers: the library's codes, sizes, stacks and constant time, with every compiler and level.
firmware() {
    native
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

# Windows, by wine: all unit tests and all cases of the program that make sense there.
windows() {
    native
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

# x86-64 without AVX: the unit tests that do not take too long by emulation.
nehalem() {
    cmake -S . -B "$work/nehalem" -DCMAKE_BUILD_TYPE=Release -DPODIUM_TESTS=ON -DPODIUM_TEST_NEHALEM=ON >/dev/null
    cmake --build "$work/nehalem" -j2
    ctest --test-dir "$work/nehalem" -j2 -R '^devices/nehalem_' --no-tests=error --output-on-failure
}

[ $# -gt 0 ] || set -- vectors firmware neon windows sources nehalem
for part in "$@"; do
    printf '\n== %s\n' "$part"
    "$part"
done
