#!/bin/sh
# Compiles the device's half for machines without an operating system: no random source, no OpenSSL, no libc but the
# string.h and math.h beside this script, and the headers that every C11 compiler brings. What the object files want from
# others is then known by name.
#
#   freestanding.sh SOURCE-DIR WORK-DIR COMPILER [FLAG...]
set -eu
source=$1 work=$2 compiler=$3
shift 3
files="src/collection/*.c src/collection/mechanisms/*.c src/device/*.c"
# What the two headers declare, and what compilers call by themselves: their own library has names with __.
declared=$(sed -n 's/^[a-z].*[ *]\([a-z0-9]*\)(.*/\1/p' "$source"/tests/devices/freestanding/*.h | paste -s -d '|')
known="^(podium_.*|$declared|memmove|memcmp|__.*|_GLOBAL_OFFSET_TABLE_)\$"

rm -rf "$work"
mkdir -p "$work"
cd "$source"
own=$("$compiler" -print-file-name=include) # clang has its own headers there, too
for level in -O0 -O2; do
    for file in $files; do
        "$compiler" "$@" -std=c11 $level -ffreestanding -nostdinc -isystem "$own" -isystem tests/devices/freestanding \
            -Iinclude -Isrc -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
            -DPODIUM_WITHOUT_HEAP -DPODIUM_RANDOM=PODIUM_RANDOM_NONE -DPODIUM_WIPE=PODIUM_WIPE_VOLATILE \
            -c "$file" -o "$work/$(basename "$file" .c)$level.o"
    done
done
cd "$work"
[ "$(find . -name '*.o' | wc -l)" -gt 20 ]
nm -u ./*.o >undefined
grep -q ' U podium_stream_fill$' undefined
strange=$(awk '$1 == "U" { print $2 }' undefined | sort -u | grep -Ev "$known" || true)
[ -z "$strange" ] || { echo "freestanding ($compiler $*): these are missing there: $strange" >&2; exit 1; }
echo "freestanding: $compiler $* needs string.h and math.h only"
