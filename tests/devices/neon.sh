#!/bin/sh
# Builds the device's half for 64-bit ARM with one compiler at one optimisation level, without a warning, and runs two
# unit tests there, by emulation. unit/vector compares what NEON does with what the portable code does. unit/stack
# measures the stack, and looks for what is left on it.
#
#   neon.sh SOURCE-DIR WORK-DIR COMPILER LEVEL [STRIDE]
#
# With a STRIDE the tests try one in so many combinations, and unit/stack is left out; it needs an optimised build.
set -eu
source=$1 work=$2 compiler=$3 level=$4 stride=${5:-}
case $compiler in
gcc) cross=aarch64-linux-gnu-gcc ;;
clang) cross="clang --target=aarch64-linux-gnu" ;;
esac

rm -rf "$work"
mkdir -p "$work"
cd "$work"
compile() {
    # shellcheck disable=SC2086
    $cross -std=c11 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$source/include" \
        -I"$source/src" "$@"
}
for file in "$source"/src/collection/*.c "$source"/src/collection/*/*.c "$source"/src/device/*.c; do
    compile "$level" -c "$file"
done
aarch64-linux-gnu-nm vector_neon.o | grep -q ' T podium_neon_privatize$' || { echo "neon: not compiled" >&2; exit 1; }

# run NAME: builds a unit test with what stands in for Check, and runs it.
run() {
    compile -O2 -D_DEFAULT_SOURCE -DTEST_STRIDE="${stride:-1}" -I"$source/tests" -I"$source/tests/devices/stub" \
        "$source/tests/unit/$1.c" ./*.o -static -o "$1" -lm
    qemu-aarch64 "./$1" >"$1.txt" || { grep '^not ok' "$1.txt" || cat "$1.txt"; exit 1; }
    ! grep 'nothing to compare' "$1.txt" || exit 1
    rm "$1"
    echo "neon: $1, $(grep -c '^ok' "$1.txt") tests ($compiler $level)"
}
run vector
# The limits of the stack are for optimised builds.
[ -n "$stride" ] || [ "$level" = -O0 ] || run stack
