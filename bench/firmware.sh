#!/bin/sh
# What one report costs on a microcontroller, for each processor and mechanism: bytes of flash (code and constants of
# Podium with one collection, and what it needs of the compiler's libraries, at -Os), bytes of memory that are not stack,
# bytes of stack, and instructions, both at -Os and without the random source. Instructions are counted by an emulator,
# and are the same for all values and random words. Prints a table for docs/devices.md.
#
#   firmware.sh SOURCE-DIR PROGRAM WORK-DIR
set -eu
source=$1 podium=$2 work=$3 compiler=gcc
mkdir -p "$work"
work=$(cd "$work" && pwd)

measure() {
    cpu=$1
    rm -f "$work"/*
    . "$source/tests/devices/firmware/lib.sh"
    make_collections
    build_board check.elf -Os "$here/check.c" "$work"/of_*.c
    emulate check.elf >"$work/check.out"
    build_board trace.elf -Os -DTRACE "$here/check.c" "$work"/of_*.c
    trace trace.elf | awk '{ print $1 }' >"$work/counts"
    k=0
    for mechanism in $mechanisms; do
        name=of_$(echo "$mechanism" | tr - _)
        bytes=$(flash "$name")
        memory=$(arm-none-eabi-size "$work/size.elf" | awk 'NR == 2 { print $2 + $3 }')
        stack=$(awk -v name="$name" '$1 == "stack" && $2 == name { print $3 }' "$work/check.out")
        instructions=$(sed -n $((12 * k + 1))p "$work/counts")
        echo "| $cpu | $mechanism | $bytes | $memory | $stack | $instructions |"
        k=$((k + 1))
    done
}

echo "| processor | mechanism | flash | memory | stack | instructions |"
echo "|---|---|---|---|---|---|"
for cpu in cortex-m0plus cortex-m3 cortex-m4; do
    measure $cpu
done
