#!/bin/sh
# Podium on a microcontroller, in an emulator: the example and a program with collections of every mechanism must print
# the codes that the library draws on this machine from the same random bytes. Then: flash and stack are within their
# limits; there is no heap and no floating point; no division, and on processors on which it takes a variable time no wide
# multiplication; and the instructions that run are the same, one by one, for all values and random words.
#
#   firmware.sh SOURCE-DIR PROGRAM NATIVE WORK-DIR CPU COMPILER LEVEL
set -eu
source=$1 podium=$2 native=$3 work=$4 cpu=$5 compiler=$6 level=$7
flash_most=6144 stack_most=512

rm -rf "$work"
mkdir -p "$work"
. "$source/tests/devices/firmware/lib.sh"

fail() {
    echo "firmware ($cpu $compiler $level): $*" >&2
    exit 1
}

# ---- The example, as a stranger builds it
make -s -C "$firmware" CPU="$cpu" CFLAGS="$level" PODIUM="$podium" ROOT="$source" BUILD="$work/example" >"$work/make.out"
make -s -C "$firmware" CPU="$cpu" BUILD="$work/example" PODIUM="$podium" ROOT="$source" run >"$work/example.out"
"$native" 0.1 215,198,224,-31,305,187,212,651,-400,0 - 'minimax epsilon=1 range=-40:60' | diff - "$work/example.out" ||
    fail "the example does not print the library's codes"

# ---- Every mechanism
make_collections
build_board check.elf "$level" "$here/check.c" "$work"/of_*.c
emulate check.elf >"$work/check.out" || { tail -3 "$work/check.out"; fail "the check fails"; }
set --
for mechanism in $mechanisms; do
    set -- "$@" "of_$(echo "$mechanism" | tr - _)" "$mechanism epsilon=1 range=$range"
done
"$native" $unit -2147483648,-401,-400,-399,-127,-1,0,1,99,100,101,333,599,600,601,2147483647 "$@" >"$work/native.out"
grep -v -E '^(stack|traces) ' "$work/check.out" | diff "$work/native.out" - || fail "a code is not the library's"

# ---- Stack, heap, floating point, flash
[ "$level" != -O0 ] || stack_most=1024 # the promise is for optimised builds
awk -v most=$stack_most '/^stack/ && $3 > most { print; bad = 1 } END { exit bad }' "$work/check.out" ||
    fail "more than $stack_most bytes of stack"
[ "$(grep -c '^stack' "$work/check.out")" -eq "$(echo "$mechanisms" | wc -w)" ]
[ "$level" = -O0 ] || grep -q -x 'traces 0' "$work/check.out" || fail "secrets stay on the stack: $(grep traces "$work/check.out")"
for name in of_minimax of_podium of_hybrid of_laplace; do
    bytes=$(flash $name)
    [ "$bytes" -le $flash_most ] || fail "$name takes $bytes bytes of flash"
    [ "$name" != of_minimax ] || minimax=$bytes
    build size.elf "$level" "$work/$name.c" -Wl,-e,podium_firmware_codes -Wl,-u,"$name"
    arm-none-eabi-nm "$work/size.elf" >"$work/names"
    grep -q podium_firmware_codes "$work/names"
    if grep -E 'alloc|sbrk| free$|_aeabi_(c?[df]|u?[il]2[df])|_aeabi_.*(div|mod|mul)|div|sqrt|printf' "$work/names"; then
        fail "$name needs the functions above"
    fi
    # ---- Instructions whose time depends on what they compute with
    slow='[us]div|vdiv|vsqrt'
    case $cpu in cortex-m0plus | cortex-m3) slow="$slow|[us]ml?al|[us]mull|umaal" ;; esac
    if arm-none-eabi-objdump -d --no-show-raw-insn "$work/size.elf" | grep -E "	($slow)"; then
        fail "$name has the instructions above"
    fi
done

# ---- The same instructions for all values and words
build_board trace.elf "$level" -DTRACE "$here/check.c" "$work"/of_*.c
trace trace.elf >"$work/paths"
draws=$(wc -l <"$work/paths") each=12
[ "$draws" -eq $((each * $(echo "$mechanisms" | wc -w))) ] || fail "$draws draws were traced"
paths=$(awk -v each=$each '{ print int((NR - 1) / each), $2 }' "$work/paths" | sort -u | wc -l)
[ "$paths" -eq "$(echo "$mechanisms" | wc -w)" ] || fail "$paths ways to run for $(echo "$mechanisms" | wc -w) collections"

echo "firmware ($cpu $compiler $level): the library's codes for $(echo "$mechanisms" | wc -w) mechanisms; minimax takes $minimax bytes of flash;" \
    "stack of at most $(awk '/^stack/ && $3 > m { m = $3 } END { print m }' "$work/check.out") bytes; $draws draws traced"
