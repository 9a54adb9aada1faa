#!/bin/sh
# How fast the program moves a column of numbers, one core.
#
#   files.sh PROGRAM WORK-DIR [ROWS]
set -eu
podium=$1 work=$2 rows=${3:-10000000}
mkdir -p "$work"
awk -v n="$rows" 'BEGIN { srand(3); print "age"; for (i = 0; i < n; i++) printf "%.3f\n", 1 + 119 * rand() }' >"$work/values.csv"

# seconds COMMAND...: how long it takes
seconds() {
    start=$(date +%s.%N)
    "$@"
    end=$(date +%s.%N)
    echo "$start $end" | awk '{ print $2 - $1 }'
}
say() { echo "$2" | awk -v what="$1" -v n="$rows" '{ printf "  %-34s %9.2f M rows/s\n", what, n / $1 / 1e6 }'; }

echo
echo "  a file of $rows numbers with three decimals"
say "podium privatize" "$(seconds "$podium" privatize --range 1:120 --epsilon 1 "$work/values.csv" -o "$work/reports.csv")"
say "podium estimate" "$(seconds "$podium" estimate --range 1:120 --epsilon 1 "$work/reports.csv" --format csv -o "$work/estimate.csv")"
rm -f "$work/values.csv" "$work/reports.csv" "$work/estimate.csv"
