#!/bin/sh
# Prints how large the library in one file is: lines and bytes of the sources, then the bytes of code and constants that
# each compiler found here makes of the device's half at -Os. `make sizes` calls it after amalgamate.py.
#
#   sizes.sh AMALGAMATION-DIR
set -eu
cd "$1"
object=$(mktemp)
trap 'rm -f "$object"' EXIT

printf '| file | lines | bytes |\n|---|---:|---:|\n'
for file in podium.c podium.h full/podium.c full/podium_analysis.h; do
    printf '| `%s` | %d | %d |\n' "$file" "$(wc -l <"$file")" "$(wc -c <"$file")"
done

# row NAME COMPILER FLAG...: what a whole device's half takes, then the same without text, heap and vectors
row() {
    name=$1 compiler=$2
    shift 2
    command -v "$compiler" >/dev/null || return 0
    case $compiler in
    arm-none-eabi-*) all=- ;; # there is no random source, and text needs a C library with files
    *) all=$(bytes "$@") ;;
    esac
    least=$(bytes "$@" -DPODIUM_WITHOUT_TEXT -DPODIUM_WITHOUT_HEAP -DPODIUM_WITHOUT_VECTORS)
    printf '| %s | %s | %s | %s |\n' "$name" "$("$compiler" -dumpversion)" "$all" "$least"
}
# Code and constants, with those that are relocated; no variable is ever written.
bytes() {
    "$compiler" -std=c11 -Os "$@" -c podium.c -o "$object"
    size "$object" | awk 'NR == 2 { print $1 + $2 }'
}
printf '\n| compiler | version | device half | without text, heap and vectors |\n|---|---|---:|---:|\n'
row 'gcc, x86-64' gcc
row 'clang, x86-64' clang
row 'gcc, aarch64' aarch64-linux-gnu-gcc
row 'gcc, 32-bit ARM (hard float)' arm-linux-gnueabihf-gcc
row 'gcc, riscv64' riscv64-linux-gnu-gcc
row 'gcc, Cortex-M4 (Thumb-2)' arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16
row 'gcc, Cortex-M0+ (Thumb)' arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb
