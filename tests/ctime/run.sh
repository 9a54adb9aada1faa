#!/bin/sh
# Builds the library and ctime.c with one compiler at one optimisation level, and looks at the machine code of the hot
# path for divisions and square roots, whose time depends on their operands. Then it runs the program under valgrind with
# every secret undefined.
#
#   run.sh SOURCE-DIR WORK-DIR COMPILER LEVEL [aarch64]
#
# For 64-bit ARM there is qemu and no valgrind. There the program runs four times, with secrets that have nothing in
# common, and must execute the same instructions and read and write the same addresses, in the same order.
set -eu
source=$1 work=$2 compiler=$3 level=$4 machine=${5:-}
case $machine$compiler in
aarch64gcc) compile=aarch64-linux-gnu-gcc ;;
aarch64clang) compile="clang --target=aarch64-linux-gnu" ;;
*) compile=$compiler ;;
esac
objdump=${machine:+aarch64-linux-gnu-}objdump

rm -rf "$work"
mkdir -p "$work"
cd "$work"
if [ -n "$machine" ]; then
    files="$source/src/collection/*.c $source/src/collection/*/*.c $source/src/device/*.c"
    stub="-static -I$source/tests/devices/stub"
else
    files="$source/src/*/*.c $source/src/*/*/*.c"
    stub=""
fi
# shellcheck disable=SC2086
for file in $files "$source/tests/ctime/ctime.c"; do
    $compile -std=c11 -gdwarf-4 "$level" -ffp-contract=off $stub -I"$source/include" -I"$source/src" -c "$file"
done
# shellcheck disable=SC2086
$compile $stub ./*.o -o ctime -lm

hot="draw.o privatize.o firmware.o vector.o vector_avx2.o vector_neon.o report.o"
# shellcheck disable=SC2086
slow=$($objdump -d --no-show-raw-insn $hot | awk '$2 ~ /div|sqrt/ || / <__.*div/')
if [ -n "$slow" ]; then
    echo "ctime: division or square root in the hot path ($compiler $level $machine):" >&2
    echo "$slow" >&2
    exit 1
fi
if [ -z "$machine" ]; then
    exec valgrind --quiet --error-exitcode=9 ./ctime
fi

# What a vector register holds is secret until a cell is drawn, and a jump or an address needs another register or a
# flag. Only a look-up by a cell may move something from one to the other; compilers inline it into these functions.
public="coarse_steps|steps|report_pieces|look_up.*"
leaks=$($objdump -d --no-show-raw-insn vector_neon.o | awk -v public="^<($public)>:\$" '
    /^[0-9a-f]+ <.*>:$/ { name = $2; known = name ~ public; functions++ }
    known { next }
    $2 ~ /^[us]mov$|^fcvt/ && $3 ~ /^[wx]/ || $2 ~ /^f?mov$/ && $3 ~ /^[wx]/ && $4 ~ /^[vds][0-9]/ || $2 ~ /^fcc?mp/ {
        print name, $0
    }
    END { if (functions < 3) print "no functions found" }')
if [ -n "$leaks" ]; then
    echo "ctime: these bring a vector register, which may be secret, to where jumps and addresses can use it:" >&2
    echo "$leaks" >&2
    exit 1
fi

gcc -std=c11 -O2 -Wall -Wextra -shared -fPIC "$source/tests/devices/qemu_trace.c" -o trace.so
address() { aarch64-linux-gnu-nm ctime | awk -v name="^$1" '$3 ~ name { print $1 }'; }
# trace SECRETS [PLUGIN-OPTION]: without randomised addresses, which would differ between any two runs
from=$(address stub_make_secret) to=$(address stub_make_public)
trace() {
    SECRETS=$1 setarch -R qemu-aarch64 -plugin "./trace.so,out=trace$1,from=$from,to=$to${2:-}" ./ctime >printed
}
for secrets in 0 1 2 3; do
    trace $secrets
    cmp -s trace0 trace$secrets && continue
    # Whatever comes first in one of the logs and not in the other is behind the instruction that depends on a secret.
    for run in 0 $secrets; do
        trace $run ,log=log$run
    done
    line=$(cmp log0 log$secrets | sed 's/.*line //')
    at=$(head -n "$((line - 1))" log0 | grep -v memory | tail -n 1)
    echo "ctime: secrets decide what is executed, or where memory is accessed, after ($compiler $level $machine):" >&2
    aarch64-linux-gnu-addr2line -f -e ctime "$at" >&2
    rm -f log*
    exit 1
done
[ "$(cut -d' ' -f1 trace0)" -gt 1000000 ] || { echo "ctime: the trace is too short" >&2; exit 1; }
cat printed
