#!/bin/sh
# How fast the program moves a column of numbers, beside other programs that do about the same, where they are
# installed. Inputs are in the page cache; outputs are files beside them, which nobody waits for to be on the disk. What
# is compared is run in turn, a few rounds, and the best round of each counts. Lines of CSV go to standard output, in the
# form of bench.c.
#
#   files.sh PROGRAM TOOLS-DIR      ROWS, ROUNDS and WORK (a directory) may be set
set -eu
export LC_ALL=C # the fastest for everybody
podium=$1 tools=$2
rows=${ROWS:-10000000} rounds=${ROUNDS:-3} work=${WORK:-$2}/files
collection="--range 1:120 --epsilon 1"
noise=119 # the scale of Laplace noise for that range and epsilon
rm -rf "$work"
mkdir -p "$work/times"
trap 'rm -rf "$work"' EXIT

has() { command -v "$1" >/dev/null; }
imports() { has python3 && python3 -c "import $1" 2>/dev/null; }
show() { printf 'files: %s\n' "$*" >&2; }

# ---- Measuring ----

# job NAME COMMAND...: runs the command once, and notes its time and memory under the name
job() {
    name=$1
    shift
    "$tools/run" "$work/times/$name" "$@" >"$work/printed"
}

# python NAME MODULE STATEMENT ARGUMENT: the same for Python, but for what it takes to start and to import
python() {
    POLARS_MAX_THREADS=1 python3 -c "import sys, time, $2
start = time.perf_counter()
$3
open(sys.argv[1], 'a').write(f'{time.perf_counter() - start:.6f} 0\n')" "$work/times/$1" "$4" >"$work/printed"
}

# in_turn ROUNDS GROUP [ARGUMENT]: the jobs of a group, round after round
in_turn() {
    turns=$1
    shift
    for turn in $(seq "$turns"); do
        show "$*: round $turn of $turns"
        "$@"
    done
}

# best JOB: its seconds in the best round; nothing if it has not been run
best() { [ ! -e "$work/times/$1" ] || sort -g "$work/times/$1" | awk 'NR == 1 { print $1 }'; }

# line PART JOB ROWS AMOUNT UNIT [AGAINST [TARGET]]: AMOUNT in the best time, and the ratio to the rate of another job;
# no line where either has not been run
line() {
    seconds=$(best "$2") other=$(best "${6:-$2}")
    [ -n "$seconds" ] && [ -n "$other" ] || return 0
    awk -v start="$1,$2,$3" -v amount="$4" -v unit="$5" -v against="${6:-}" -v target="${7:-}" -v t="$seconds" \
        -v other="$other" 'BEGIN { printf "%s,%.5g,%s,%s,%s,%s\n", start, amount / t, unit,
            (against == "" ? "" : sprintf("%.4g", other / t)), against, target }'
}
row_line() { line files "$1" "$rows" "$millions" "M rows/s" "${2:-}" "${3:-}"; } # JOB [AGAINST [TARGET]]

# ---- The jobs ----

privatize() { # NAME THREADS INPUT [OPTION...]
    as=$1 threads=$2 input=$3
    shift 3
    # shellcheck disable=SC2086
    job "$as" "$podium" privatize $collection --threads "$threads" "$work/$input.csv" "$@"
}

# What the machine's second core is good for: two programs of one thread each, that share nothing
two_at_once() { # NAME COMMAND...
    as=$1
    shift
    job "$as" sh -c '"$@" >/dev/null & "$@" >/dev/null; wait $!' sh "$podium" "$@" --threads 1
}

estimate() { # NAME THREADS INPUT [OPTION...]
    as=$1 threads=$2 input=$3
    shift 3
    # shellcheck disable=SC2086
    job "$as" "$podium" estimate $collection --threads "$threads" --format csv "$work/$input.csv" "$@"
}

# Its program if there is one, else its Python module
duckdb_job() { # NAME SQL
    sql="SET threads = 1; $2"
    if has duckdb; then
        job "$1" duckdb -csv -c "$sql"
    elif imports duckdb; then
        python "$1" duckdb 'print(duckdb.execute(sys.argv[2]).fetchall())' "$sql"
    fi
}

short_column() {
    privatize "podium privatize 6 digits" 1 short
    privatize "podium privatize 6 digits 2 threads" 2 short
    privatize "podium privatize 6 digits minimax" 1 short --mechanism minimax
    privatize "podium privatize 6 digits laplace" 1 short --mechanism laplace
    privatize "podium privatize 6 digits output thrown away" 1 short -o /dev/null
    privatize "podium privatize 6 digits output on the disk" 1 short -o "$work/out.csv"
    # shellcheck disable=SC2086
    two_at_once "two podium privatize 6 digits at once" privatize $collection "$work/short.csv"
    for awk in mawk gawk; do
        ! has $awk || job "$awk adding laplace noise" $awk -v b=$noise 'NR == 1 { print; next }
            { u = rand() - 0.5; print $1 + (u < 0 ? b * log(1 + 2 * u) : -b * log(1 - 2 * u)) }' "$work/short.csv"
    done
    ! has mlr || job "miller adding laplace noise" env GOMAXPROCS=1 mlr --csv put \
        "u = urand() - 0.5; \$age = \$age - $noise * sgn(u) * log(1 - 2 * abs(u))" "$work/short.csv"
    duckdb_job "duckdb adding laplace noise" "COPY (SELECT age - $noise * sign(u) * ln(1 - 2 * abs(u)) AS age
        FROM (SELECT age, random() - 0.5 AS u FROM read_csv_auto('$work/short.csv', header = true)))
        TO '$work/duckdb.csv' (HEADER, DELIMITER ',')"
}

long_column() {
    privatize "podium privatize 17 digits" 1 long
    privatize "podium privatize 17 digits 2 threads" 2 long
}

ten_columns() {
    privatize "podium privatize one of 10 columns" 1 wide --column age
    privatize "podium privatize one of 10 columns 2 threads" 2 wide --column age
}

means() {
    estimate "podium estimate" 1 reports
    estimate "podium estimate 2 threads" 2 reports
    # shellcheck disable=SC2086
    two_at_once "two podium estimate at once" estimate $collection --format csv "$work/reports.csv"
    estimate "podium estimate minimax" 1 minimax_reports --mechanism minimax
    for awk in mawk gawk; do
        ! has $awk || job "$awk mean" $awk 'NR > 1 { sum += $1 } END { print sum / (NR - 1) }' "$work/reports.csv"
    done
    ! has datamash || job "datamash mean" sh -c "exec datamash --header-in mean 1 <'$work/reports.csv'"
    ! has mlr || job "miller mean" env GOMAXPROCS=1 mlr --icsv --ojson stats1 -a mean -f age "$work/reports.csv"
    duckdb_job "duckdb mean" "SELECT avg(age) FROM read_csv_auto('$work/reports.csv', header = true)"
    ! imports polars || python "polars mean" polars \
        'print(polars.scan_csv(sys.argv[2]).select(polars.col("age").mean()).collect())' "$work/reports.csv"
}

growing() { # ROWS, to be shown
    for with in "1 thread" "2 threads"; do
        privatize "podium privatize $with" "${with% *}" growing
        estimate "podium estimate $with" "${with% *}" growing_reports
    done
}

# ---- What is shown ----

tool_lines() { # AGAINST WHAT-THEY-DO
    for tool in mawk gawk miller duckdb datamash polars; do
        row_line "$tool $2" "$1"
    done
}

memory_line() { # JOB
    sort -k2 -rg "$work/times/$1" | awk -v job="$1" -v rows="$rows" 'NR == 1 {
        printf "memory,%s,%s,%.4g,MiB,%.4g,64 MiB,ratio<1\n", job, rows, $2 / 1024, $2 / 1024 / 64 }'
}

make_inputs() {
    show "making $rows rows of each kind"
    for kind in short long wide; do
        "$tools/rows" $kind "$rows" >"$work/$kind.csv"
    done
    # shellcheck disable=SC2086
    "$podium" privatize $collection "$work/short.csv" -o "$work/reports.csv"
    # shellcheck disable=SC2086
    "$podium" privatize $collection --mechanism minimax "$work/short.csv" -o "$work/minimax_reports.csv"
    millions=$(awk -v n="$rows" 'BEGIN { print n / 1e6 }') twice=$(awk -v n="$rows" 'BEGIN { print 2 * n / 1e6 }')
    gigabytes=$(wc -c <"$work/wide.csv" | awk '{ print $1 / 1e9 }')
}

show_privatize() {
    row_line "podium privatize 6 digits" "" "rate>=18"
    row_line "podium privatize 6 digits" "duckdb adding laplace noise" "ratio>=6"
    row_line "podium privatize 6 digits" "mawk adding laplace noise" "ratio>=12"
    row_line "podium privatize 6 digits 2 threads" "podium privatize 6 digits" "ratio>=1.8"
    line files "two podium privatize 6 digits at once" "$rows" "$twice" "M rows/s"
    for variant in "output thrown away" "output on the disk" minimax laplace; do
        row_line "podium privatize 6 digits $variant" "podium privatize 6 digits"
    done
    tool_lines "podium privatize 6 digits" "adding laplace noise"
    row_line "podium privatize 17 digits" "" "rate>=18"
    row_line "podium privatize 17 digits 2 threads" "podium privatize 17 digits" "ratio>=1.8"
    wide="podium privatize one of 10 columns"
    row_line "$wide"
    line files "$wide" "$rows" "$gigabytes" "GB/s" "" "rate>=1"
    line files "$wide 2 threads" "$rows" "$gigabytes" "GB/s" "$wide" "ratio>=1.8"
}

show_estimate() {
    row_line "podium estimate" "" "rate>=30"
    row_line "podium estimate" "polars mean" "ratio>=1"
    row_line "podium estimate" "duckdb mean" "ratio>=1"
    row_line "podium estimate 2 threads" "podium estimate" "ratio>=1.8"
    line files "two podium estimate at once" "$rows" "$twice" "M rows/s"
    row_line "podium estimate minimax" "podium estimate"
    tool_lines "podium estimate" mean
}

# Seconds of a small file are those of starting the program, and vary the most.
grow() {
    n=100
    while [ "$n" -le "$rows" ]; do
        "$tools/rows" short "$n" >"$work/growing.csv"
        # shellcheck disable=SC2086
        "$podium" privatize $collection "$work/growing.csv" -o "$work/growing_reports.csv"
        in_turn $((n < 10000000 ? 10 : rounds)) growing "$n"
        for command in privatize estimate; do
            amount=$(awk -v n="$n" 'BEGIN { print n / 1e6 }')
            line growth "podium $command 1 thread" "$n" "$amount" "M rows/s"
            line growth "podium $command 2 threads" "$n" "$amount" "M rows/s" "podium $command 1 thread"
        done
        rm -f "$work/times"/*
        n=$((n * 10))
    done
}

make_inputs
in_turn "$rounds" short_column
in_turn "$rounds" long_column
in_turn "$rounds" ten_columns
show_privatize
in_turn "$rounds" means
show_estimate
for name in "podium privatize 6 digits" "podium privatize 6 digits 2 threads" "podium privatize one of 10 columns" \
    "podium estimate" "podium estimate 2 threads"; do
    memory_line "$name"
done
rm -f "$work"/times/*
grow
