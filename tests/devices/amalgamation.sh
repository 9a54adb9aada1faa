#!/bin/sh
# The library in one file: written anew, compiled by one compiler without a warning, and compared with the library as it
# is built otherwise. It exports what its headers declare and nothing else; callers in C and C++ get the same bytes, with
# and without optimisation; it needs no operating system if told so; and what holds of the library's time and stack holds
# of this file, although a compiler sees all of it at once.
#
#   amalgamation.sh SOURCE-DIR WORK-DIR PROGRAM C-COMPILER C++-COMPILER
#
# PROGRAM is tests/devices/same_bytes.c, linked with the ordinary library.
set -eu
source=$1 work=$2 program=$3 cc=$4 cxx=$5
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
caller=$source/tests/devices/same_bytes.c

rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$source/scripts/amalgamate.py" one >log
"$program" >full.expected
grep -Ev '^(aggregate|mean|limits) ' full.expected >device.expected
[ "$(grep -c '^reports ' device.expected)" -ge 100 ]

fail() {
    echo "amalgamation ($cc): $*" >&2
    exit 1
}

# half NAME: choose the device's half, or everything
half() {
    name=$1 directory=one analysis=""
    [ "$name" = device ] || { directory=one/full analysis=-DWITH_ANALYSIS; }
    headers=$(cd $directory && echo *.h)
}
# same WHAT: the caller prints what it prints with the ordinary library
same() {
    ./caller >"$name.got"
    cmp -s "$name.expected" "$name.got" || fail "$name: $1: other bytes than those of the library"
}

[ -e one/podium.h ] && [ ! -e one/podium_analysis.h ] && [ -e one/full/podium_analysis.h ]
for name in device full; do
    half $name
    for header in $headers; do
        cmp "$source/include/$header" "$directory/$header" || fail "$header is not the public one"
    done
    for level in -O0 -O2; do
        "$cc" -std=c11 $level $warnings -c $directory/podium.c -o $name$level.o
        "$cc" -std=c11 $level $warnings $analysis -I$directory "$caller" $name$level.o -lm -o caller
        same "C $level"
    done
    "$cxx" $warnings $analysis -I$directory -x c++ "$caller" -x none $name-O2.o -lm -o caller
    same "C++"

    # Every name that the headers declare, and no other
    (cd $directory && cat $headers) | grep -v '^ \*' | grep -oE '\bpodium_[a-z0-9_]+\(' | tr -d '(' | sort -u >declared
    nm -g --defined-only $name-O2.o | awk '{ print $3 }' | sort -u >exported
    grep -xFf exported declared >both || true
    cmp -s exported both || fail "$name exports what its headers do not declare: $(grep -vxFf declared exported | tr '\n' ' ')"
    sed -n 's/^PODIUM_API .*[ *]\(podium_[a-z0-9_]*\)(.*/\1/p' $directory/*.h | sort -u >wanted
    [ "$(wc -l <wanted)" -gt 30 ]
    missing=$(grep -vxFf exported wanted || true)
    [ -z "$missing" ] || fail "$name does not define $missing"
done

# Without an operating system
own=$("$cc" -print-file-name=include)
for level in -O0 -O2; do
    "$cc" -std=c11 $level $warnings -ffreestanding -nostdinc -isystem "$own" -isystem "$source/tests/devices/freestanding" \
        -DPODIUM_WITHOUT_HEAP -DPODIUM_WITHOUT_TEXT -DPODIUM_RANDOM=PODIUM_RANDOM_NONE -DPODIUM_WIPE=PODIUM_WIPE_VOLATILE \
        -c one/podium.c -o freestanding$level.o
done
known=$(sed -n 's/^[a-z].*[ *]\([a-z0-9]*\)(.*/\1/p' "$source"/tests/devices/freestanding/*.h | paste -s -d '|')
strange=$(nm -u freestanding-O?.o | awk '$1 == "U" { print $2 }' | sort -u |
    grep -Ev "^($known|memmove|memcmp|__.*|_GLOBAL_OFFSET_TABLE_)\$" || true)
[ -z "$strange" ] || fail "without an operating system these are missing: $strange"

# A processor that can fuse a product and a sum must not: the C dialect of the compiler's own choice would allow it.
half device
if grep -qw fma /proc/cpuinfo && grep -qw avx2 /proc/cpuinfo; then
    "$cc" -O2 -march=haswell $warnings -c one/podium.c -o fused.o
    "$cc" -Ione "$caller" fused.o -lm -o caller
    same "-march=haswell"
fi

# Nothing of a value on the stack, and no branch on it. The tests ask a few internal functions for what they look for. The
# program is linked so that every address is known before it starts, because a call that looks one up saves registers.
objcopy --globalize-symbol=podium_row_of --globalize-symbol=podium_place device-O2.o stack.o
"$cc" -std=c11 -O2 -D_DEFAULT_SOURCE -I"$source/tests" -I"$source/src" -I"$source/include" "$source/tests/unit/stack.c" \
    stack.o -Wl,-z,now -o stack $(pkg-config --cflags --libs check) -lm
./stack >stack.log || { cat stack.log; fail "what unit/stack promises does not hold"; }
objcopy --globalize-symbol=podium_firmware_make full-O2.o ctime.o
"$cc" -std=c11 -gdwarf-4 -O2 -I"$source/include" -I"$source/src" "$source/tests/ctime/ctime.c" ctime.o -lm -o ctime
valgrind --quiet --error-exitcode=9 ./ctime >ctime.log 2>&1 || { cat ctime.log; fail "the time depends on a secret"; }
echo "amalgamation: $cc and $cxx see the same library"
