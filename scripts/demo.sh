#!/bin/sh
# Shows a whole collection on one screen: simulates people, privatises their ages with three mechanisms, and compares
# the estimates from the reports with the truth. `make demo` runs it after building the program and installing gnuplot.
#
#   demo.sh PROGRAM WORK-DIR
set -eu
podium=$1 work=$2
mkdir -p "$work"
work=$(cd "$work" && pwd)
people=100000 bins=12

# Simulates ages with two peaks, students and parents, from a fixed seed.
awk -v n=$people 'BEGIN {
    srand(7); print "person,age"
    for (i = 1; i <= n; i++) {
        z = rand() + rand() + rand() + rand() - 2
        age = rand() < 0.4 ? 24 + 9 * z : 58 + 22 * z
        printf "%d,%.1f\n", i, (age < 1 ? 1 : (age > 120 ? 120 : age))
    }
}' >"$work/people.csv"

# Writes the truth in the format of `podium estimate --format csv --histogram`, where the limits of each share follow it.
awk -F, -v bins=$bins 'NR > 1 { n++; s += $2; b = int(($2 - 1) / 119 * bins); h[b < bins ? b : bins - 1]++ }
    END { printf "the truth,%d,%.17g,,,,,,,", n, s / n; for (b = 0; b < bins; b++) printf ",%.17g,,", h[b] / n; print "" }' \
    "$work/people.csv" >"$work/results.csv"

for mechanism in podium minimax laplace; do
    "$podium" design --range 1:120 --epsilon 1 --mechanism $mechanism --name age -o "$work/$mechanism.podium"
    "$podium" privatize --collection "$work/$mechanism.podium" --column age "$work/people.csv" -o "$work/$mechanism.csv"
    printf '%s,' $mechanism >>"$work/results.csv"
    "$podium" estimate --collection "$work/$mechanism.podium" --column age "$work/$mechanism.csv" --format csv \
        --histogram $bins | tail -n 1 >>"$work/results.csv"
done

cat <<END
These are the ages of $people simulated people at epsilon 1. Only a report leaves each device, such as these three:

$(paste -d, "$work/people.csv" "$work/podium.csv" "$work/minimax.csv" "$work/laplace.csv" | awk -F, '
    NR == 1 { printf "  %-22s %12s %12s %12s %12s\n", "", "age", "podium", "minimax", "laplace" }
    NR > 1 && NR <= 4 { printf "  %-22s %12.1f %12.1f %12.1f %12.1f\n", "person " $1, $2, $4, $6, $8 }')

This is what a collector learns from all reports, without seeing a single age:

END
awk -F, -v bins=$bins '
    { for (i = 1; i <= NF; i++) field[NR, i] = $i }
    function line(name, i) {
        printf "  %-22s", name
        for (r = 1; r <= 4; r++) printf " %12s", field[r, i] == "" ? "" : sprintf("%.2f", field[r, i])
        print ""
    }
    function bar(x,  s) { s = ""; for (k = 0; k < int(x * 30 + 0.5); k++) s = s "#"; return s }
    END {
        printf "  %-22s", ""; for (r = 1; r <= 4; r++) printf " %12s", field[r, 1]; print ""
        line("mean age", 3); line("standard error", 4); line("95% interval, from", 7); line("                to", 8)
        print ""
        for (b = 0; b < bins; b++) {
            printf "  %-22s", sprintf("%3.0f to %3.0f years", 1 + 119 * b / bins, 1 + 119 * (b + 1) / bins)
            for (r = 1; r <= 4; r++) printf " %3.0f%% %-7s", 100 * field[r, 11 + 3 * b], bar(field[r, 11 + 3 * b])
            print ""
        }
    }' "$work/results.csv"

# Draws the picture, with one column for each mechanism.
awk -F, -v bins=$bins '{ for (b = 0; b < bins; b++) share[NR, b] = 100 * $(11 + 3 * b) }
    END { for (b = 0; b < bins; b++) {
        printf "%.0f", 1 + 119 * (b + 0.5) / bins
        for (r = 1; r <= 4; r++) printf " %.17g", share[r, b]
        print "" } }' "$work/results.csv" >"$work/shares.txt"
gnuplot <<END
set terminal svg size 900,420 dynamic font 'sans,14' background '#ffffff'
set output '$work/demo.svg'
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set border 3
set tics nomirror out
set grid y lc '#dddddd' lt 1
set xlabel 'age (middle of the bin)'
set ylabel 'share of people'
set format y '%g%%'
set yrange [0:*]
set key top right
set title '$people people: the truth, and what reports with epsilon 1 reveal'
plot '$work/shares.txt' using 2:xtic(1) title 'the truth' lc '#999999', '' using 3 title 'podium' lc '#0072b2', \
     '' using 4 title 'minimax' lc '#000000', '' using 5 title 'laplace' lc '#d55e00'
END
echo
echo "The picture $work/demo.svg shows the same. All files are in that directory."
