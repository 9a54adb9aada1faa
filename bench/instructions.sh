#!/bin/sh
# How many instructions the hot paths take for a value or a row, counted by valgrind's callgrind: the same whatever else
# the machine does, so that a regression shows. Each is run at two lengths, and the difference counts: what it takes to
# start cancels. libcrypto is counted apart, for OpenSSL goes by the processor. Other compilers give other counts.
#
#   instructions.sh PROGRAM TOOLS-DIR [--record|--check]
#
# Prints them beside those of docs/instructions.csv. --record writes that file; --check fails if one has grown by more
# than 2%.
set -eu
export LC_ALL=C
podium=$1 tools=$2 mode=${3:-}
recorded=$(dirname "$0")/../docs/instructions.csv
work=$tools/instructions
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

# count COMMAND...: instructions outside of libcrypto, and in it. In callgrind's file a line of numbers after "calls="
# is what the callee took, and counted there.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/counts" --compress-strings=no --compress-pos=no "$@" \
        >"$work/printed" 2>"$work/errors" || { cat "$work/errors" >&2; exit 1; }
    awk '/^ob=/ { crypto = /libcrypto/ } /^calls=/ { getline; next } /^[0-9]/ { if (crypto) c += $2; else o += $2 }
        END { printf "%d %d\n", o, c }' "$work/counts"
}

# line NAME N COUNTS-OF-N COUNTS-OF-2N: a line of CSV
line() {
    echo "$3 $4" | awk -v name="$1" -v n="$2" '{ printf "%s,%.1f,%.1f\n", name, ($3 - $1) / n, ($4 - $2) / n }'
    echo "instructions: $1" >&2
}

array() { # NAME privatize|aggregate MECHANISM VALUES CALLS
    line "$1" $(($4 * $5)) "$(count "$tools/hot" "$2" "$3" "$4" "$5")" \
        "$(count "$tools/hot" "$2" "$3" "$4" $((2 * $5)))"
}

file() { # NAME COMMAND KIND [OPTION...]
    name=$1 command=$2 kind=$3
    shift 3
    for n in $rows $((2 * rows)); do
        count "$podium" "$command" --range 1:120 --epsilon 1 --threads 1 "$@" "$work/$kind$n.csv" >"$work/counted$n"
    done
    line "$name" $rows "$(cat "$work/counted$rows")" "$(cat "$work/counted$((2 * rows))")"
}

rows=50000
make_inputs() {
    for n in $rows $((2 * rows)); do
        for kind in short long wide; do
            "$tools/rows" $kind "$n" >"$work/$kind$n.csv"
        done
        "$podium" privatize --range 1:120 --epsilon 1 "$work/short$n.csv" -o "$work/reports$n.csv"
    done
}

all() {
    echo "path,instructions,libcrypto"
    for mechanism in $("$podium" compare --epsilon 1 --format csv | awk -F, 'NR > 1 && $2 != "bound" { print $2 }'); do
        array "podium_privatize $mechanism" privatize $mechanism 10000 5
    done
    array "podium_privatize podium 1 value a call" privatize podium 1 10000
    array "podium_aggregate_add podium" aggregate podium 10000 5
    array "podium_aggregate_add minimax" aggregate minimax 10000 5
    make_inputs
    file "podium privatize 6 digits" privatize short
    file "podium privatize 17 digits" privatize long
    file "podium privatize one of 10 columns" privatize wide --column age
    file "podium estimate" estimate reports --format csv
}

# The new beside the recorded; status 1 if one has grown
compare() {
    awk -F, -v recorded="$recorded" '
        BEGIN { while ((getline < recorded) > 0) old[$1] = $2 }
        NR == 1 {
            printf "%-40s %12s %12s %9s\n", "for a value, or a row", "instructions", "in libcrypto", "recorded"
            next
        }
        {
            change = old[$1] > 0 ? 100 * ($2 / old[$1] - 1) : 0
            printf "%-40s %12s %12s %9s %+6.1f%%%s\n", $1, $2, $3, old[$1], change, (change > 2 ? "  grown" : "")
            grown += change > 2
        }
        END { exit grown > 0 }' "$1"
}

all >"$tools/instructions.csv"
compare "$tools/instructions.csv" || [ "$mode" != --check ]
[ "$mode" != --record ] || cp "$tools/instructions.csv" "$recorded"
