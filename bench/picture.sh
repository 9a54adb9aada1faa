#!/bin/sh
# Draws how the cost grows, from what `make bench` has measured. Needs gnuplot.
#
#   picture.sh BENCH-DIR            bench.svg and bench.png there, from bench.csv
set -eu
cd "$1"
mkdir -p curves

# A file a curve: values in a call and nanoseconds a value; rows in a file and millions of them a second
awk -F, '$1 == "sizes" { print $3, 1000 / $4 > ("curves/" $2) }
    $1 == "growth" { print $3, $4 > ("curves/" $2) }' bench.csv

draw() { # TERMINAL OUTPUT
    gnuplot <<END
set terminal $1
set output '$2'
set border 3
set tics nomirror out
set grid y lc '#dddddd' lt 1
set logscale xy
set format x '10^{%L}'
set key reverse Left samplen 2 spacing 1.1
set multiplot layout 1,2 margins 0.08, 0.98, 0.15, 0.9 spacing 0.1
set title 'Arrays: one core'
set xlabel 'values in a call'
set ylabel 'nanoseconds a value'
set yrange [1:50]
set ytics (1, 2, 5, 10, 20, 50)
set key top right
plot 'curves/naive laplace on the keystream' with linespoints lw 2 pt 4 lc '#d55e00' title 'naive Laplace', \
     'curves/podium' with linespoints lw 2.5 pt 7 lc '#0072b2' title 'podium', \
     'curves/16 random bytes alone' with linespoints lw 2 pt 2 lc '#7f7f7f' title '16 random bytes alone'
set title 'Files: one column of numbers'
set xlabel 'rows in the file'
set ylabel 'million rows a second'
set yrange [0.01:100]
set ytics autofreq
set key bottom right
plot 'curves/podium estimate 2 threads' with linespoints lw 2 dt (6, 4) pt 6 lc '#009e73' title 'estimate, 2 threads', \
     'curves/podium estimate 1 thread' with linespoints lw 2 pt 7 lc '#009e73' title 'estimate, 1 thread', \
     'curves/podium privatize 2 threads' with linespoints lw 2 dt (6, 4) pt 6 lc '#0072b2' \
         title 'privatize, 2 threads', \
     'curves/podium privatize 1 thread' with linespoints lw 2 pt 7 lc '#0072b2' title 'privatize, 1 thread'
unset multiplot
END
}

draw "svg size 1000,420 dynamic font 'sans,14' background '#ffffff'" bench.svg
draw "pngcairo size 1000,420 font 'sans,11'" bench.png
