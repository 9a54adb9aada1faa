#!/bin/sh
# Draws docs/mechanisms.svg: the worst-case variance of every mechanism, divided by Laplace's, as `podium compare` prints
# it. Needs gnuplot.
#
#   mechanisms-picture.sh PROGRAM PICTURE.svg
set -eu
podium=$1 picture=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# 61 epsilons, evenly spaced on a logarithmic scale, and those of tests/data/minimax.csv, for which the bound is known
epsilons=$(awk 'BEGIN { for (i = 0; i <= 60; i++) printf "%s%.6g", (i > 0 ? "," : ""), 10 ^ (i / 30 - 1) }')
known=0.25,0.5,0.75,1.0986122886681098,1.5,2,2.5,3,4,5,6,8
"$podium" compare --epsilon "$epsilons,$known" --format csv >"$work/compare.csv"

# One file for each mechanism and one for the bound, sorted by epsilon
awk -F, -v work="$work" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { print $column["epsilon"], $column["to_laplace"] > (work "/" $column["mechanism"]) }' "$work/compare.csv"
rm "$work/compare.csv"
for file in "$work"/*; do
    sort -g -o "$file" "$file"
done

cd "$work"
gnuplot >picture.svg <<'END'
set terminal svg size 800,480 dynamic font 'sans,14' background '#ffffff'
set encoding utf8
set border 3
set tics nomirror out
set grid y lc '#dddddd' lt 1
set logscale x
set xrange [0.1:10]
set yrange [0:1.1]
set xtics (0.1, 0.2, 0.5, 1, 2, 5, 10)
set xlabel 'ε'
set ylabel 'worst-case variance, Laplace = 1'
set key at graph 0.02, graph 0.03 left bottom Left reverse maxrows 6 samplen 2.5 width 1 spacing 0.95
plot 'laplace' with lines lw 2 lc '#d55e00' title 'laplace', \
     'staircase' with lines lw 2 lc '#e69f00' title 'staircase', \
     'piecewise' with lines lw 2 lc '#cc79a7' title 'piecewise', \
     'square-wave' with lines lw 2 dt (6, 3) lc '#a6761d' title 'square-wave', \
     'podium' with lines lw 2.5 lc '#0072b2' title 'podium', \
     'podium-approximate' with lines lw 2 dt (8, 6) lc '#56b4e9' title 'podium-approximate', \
     'podium-tuned' with lines lw 2 dt (3, 9) lc '#6a3d9a' title 'podium-tuned', \
     'hybrid' with lines lw 2 lc '#7f7f7f' title 'hybrid', \
     'duchi' with lines lw 2 dt (10, 5) lc '#009e73' title 'duchi', \
     'minimax' with lines lw 4 lc '#000000' title 'minimax', \
     'bound' with points pt 4 ps 0.9 lw 1.5 lc '#000000' title 'bound on all mechanisms'
END
cd "$OLDPWD"
mv "$work/picture.svg" "$picture"
