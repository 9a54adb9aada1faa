#!/bin/sh
# Copies into docs/ what it shows of what `podium paper` writes: errata.md, and figures 2 and 5 with their data. Needs
# gnuplot.
#
#   paper-figures.sh PROGRAM
set -eu
podium=$1
docs=$(cd "$(dirname "$0")/../docs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$podium" paper -o "$work/paper" >/dev/null
mkdir -p "$docs/figures"
for figure in figure2 figure5; do
    cp "$work/paper/$figure.svg" "$work/paper/$figure.csv" "$docs/figures"
done
cp "$work/paper/errata.md" "$docs"
