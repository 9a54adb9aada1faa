#!/bin/sh
# How many instructions 64-bit ARM takes from a value to its report, in arrays, with NEON and with the portable code. qemu
# runs both, and a plugin of ours counts. Each is run at two lengths, and the difference counts, so that what it takes
# to start cancels. Random bytes come from the kernel, whose instructions are not counted.
#
#   neon.sh SOURCE-DIR PROGRAM WORK-DIR
#
# PROGRAM is this machine's, which knows the mechanisms.
set -eu
export LC_ALL=C
source=$1 podium=$2 work=$3
rm -rf "$work"
mkdir -p "$work"

# build NAME [FLAG...]
build() {
    name=$1
    shift
    mkdir "$work/$name"
    for file in "$source"/src/*/*.c "$source"/src/*/*/*.c "$source/bench/hot.c"; do
        aarch64-linux-gnu-gcc -std=c11 -O3 -ffp-contract=off "$@" -I"$source/include" -I"$source/src" \
            -c "$file" -o "$work/$name/$(basename "$file" .c).o"
    done
    aarch64-linux-gnu-gcc -static "$work/$name"/*.o -o "$work/$name/hot" -lm
}
build neon
build portable -DPODIUM_WITHOUT_VECTORS
gcc -std=c11 -O2 -shared -fPIC "$source/tests/devices/qemu_trace.c" -o "$work/trace.so"

# count NAME MECHANISM CALLS: instructions of that many calls with 10,000 values each
count() {
    qemu-aarch64 -plugin "$work/trace.so,out=$work/count" "$work/$1/hot" privatize "$2" 10000 "$3"
    cut -d' ' -f1 "$work/count"
}
each() { # NAME MECHANISM: instructions for a value
    few=$(count "$1" "$2" 1)
    many=$(count "$1" "$2" 3)
    echo "$few $many" | awk '{ printf "%.1f", ($2 - $1) / 20000 }'
}

printf '%-20s %8s %8s %6s\n' "instructions a value" portable NEON ratio
for mechanism in $("$podium" compare --epsilon 1 --format csv | awk -F, 'NR > 1 && $2 != "bound" { print $2 }'); do
    echo "$mechanism $(each portable "$mechanism") $(each neon "$mechanism")"
done | awk '{ printf "%-20s %8.1f %8.1f %6.1f\n", $1, $2, $3, $2 / $3; low += $2 < 2 * $3 }
    END { if (low > 0) { print "NEON should take at most half of the instructions"; exit 1 } }'
