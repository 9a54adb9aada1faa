#!/bin/sh
# Builds the library and tests/devices/vectors.c for another kind of machine, as somebody would who copies the sources into
# a project and gives the compiler no flags but the FLAGs, and runs the test vectors there, by emulation where that is
# needed.
#
#   vectors.sh SOURCE-DIR WORK-DIR MACHINE [FLAG...]
set -eu
source=$1 work=$2 machine=$3
shift 3
libraries=-lm run="" suffix="" quiet=""
case $machine in
gcc | clang) compiler=$machine run="" ;; # this machine, with whatever its processor has
nehalem) compiler=gcc run="qemu-x86_64 -cpu Nehalem" ;;
i686) compiler=i686-linux-gnu-gcc run="qemu-i386 -L /usr/i686-linux-gnu" ;;
aarch64 | riscv64 | s390x) compiler=$machine-linux-gnu-gcc run="qemu-$machine -L /usr/$machine-linux-gnu" ;;
armhf) compiler=arm-linux-gnueabihf-gcc run="qemu-arm -L /usr/arm-linux-gnueabihf" ;;
armel) compiler=arm-linux-gnueabi-gcc run="qemu-arm -L /usr/arm-linux-gnueabi" ;;
musl) compiler=musl-gcc ;;
# The isnan of its header narrows a double in a branch that is not taken.
windows) compiler=x86_64-w64-mingw32-gcc libraries=-lbcrypt run=wine suffix=.exe quiet=-Wno-float-conversion ;;
*) echo "vectors.sh: no machine is called '$machine'" >&2; exit 2 ;;
esac
build=$(basename "$compiler")${*:+ $*}

rm -rf "$work/objects"
mkdir -p "$work/objects"
cd "$source"
# Of the collector's half only what the vectors use: sums, their bytes, and closed forms
files="src/collection/*.c src/collection/mechanisms/*.c src/device/*.c src/text/*.c
    src/analysis/add.c src/analysis/add_avx2.c src/analysis/aggregate.c src/analysis/encode.c src/analysis/possible.c
    src/analysis/shape.c tests/devices/vectors.c"
for file in $files; do
    "$compiler" -std=c11 -O2 "$@" -Iinclude -Isrc -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror $quiet \
        -c "$file" -o "$work/objects/$(basename "$file" .c).o"
done
"$compiler" "$@" "$work"/objects/*.o -o "$work/vectors$suffix" $libraries

if [ "$run" = wine ]; then
    WINEDEBUG=-all WINEPREFIX=$work/wine
    export WINEDEBUG WINEPREFIX
    wine wineboot --init >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
fi
# shellcheck disable=SC2086
$run "$work/vectors$suffix" check tests/data/vectors.txt >"$work/said" || { echo "$machine ($build): other bytes" >&2; exit 1; }
lines=$(tr -d '\r' <"$work/said" | sed -n 's/^vectors: \([0-9]*\) lines, the same bytes$/\1/p')
[ -n "$lines" ] || { cat "$work/said"; exit 1; }
echo "$machine ($build): $lines lines, the same bytes"
