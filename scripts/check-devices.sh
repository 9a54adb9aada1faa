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

[ $# -gt 0 ] || set -- vectors
for part in "$@"; do
    printf '\n== %s\n' "$part"
    "$part"
done
