#!/bin/sh
# Builds the library and ctime.c with one compiler at one optimisation level, runs it under valgrind with every secret
# undefined, and looks at the machine code of the hot path for divisions and square roots, whose time depends on
# their operands.
#
#   run.sh SOURCE-DIR WORK-DIR COMPILER LEVEL
set -eu
source=$1 work=$2 compiler=$3 level=$4

rm -rf "$work"
mkdir -p "$work"
cd "$work"
for file in "$source"/src/*/*.c "$source"/src/*/*/*.c "$source/tests/ctime/ctime.c"; do
    "$compiler" -std=c11 -gdwarf-4 "$level" -ffp-contract=off -I"$source/include" -I"$source/src" -c "$file"
done
"$compiler" ./*.o -o ctime -lm

slow=$(objdump -d --no-show-raw-insn draw.o privatize.o firmware.o vector.o vector_avx2.o report.o | awk '$2 ~ /div|sqrt/ || / <__.*div/')
if [ -n "$slow" ]; then
    echo "ctime: division or square root in the hot path ($compiler $level):" >&2
    echo "$slow" >&2
    exit 1
fi
valgrind --quiet --error-exitcode=9 ./ctime
