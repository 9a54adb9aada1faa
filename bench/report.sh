#!/bin/sh
# Prints what `make bench` has measured as one table, or writes it into docs/benchmarks.md.
#
#   report.sh BENCH-DIR             the table, from bench.csv there
#   report.sh BENCH-DIR docs        docs/benchmarks.md between its markers, and docs/benchmarks.svg
#   report.sh machine               what it was measured on, in one line
set -eu
docs=$(cd "$(dirname "$0")/../docs" && pwd)

# A target is rate or ratio, >= or <, and a number. Functions for awk.
functions='
function met(rate, ratio, target,   x, limit) {
    x = target ~ /^rate/ ? rate : ratio
    limit = target
    sub(/^[a-z]+(>=|<)/, "", limit)
    return target ~ />=/ ? x + 0 >= limit + 0 : x + 0 < limit + 0
}
function words(target) {
    sub(/^rate/, "", target)
    sub(/^ratio/, "", target)
    sub(/>=/, "at least ", target)
    sub(/</, "below ", target)
    return target
}
function power(n,   digits) { # of ten, where it is one
    digits = length(n) - 1
    return n ~ /^10*$/ && digits > 2 ? "10^" digits : n
}
function title(part) {
    if (part == "arrays") return "Arrays: n values in one call, epsilon 1"
    if (part == "sizes") return "Sizes: n values in one call, the same array in and out"
    if (part == "calls") return "Calls: n values in each of many calls"
    if (part == "epsilons") return "Epsilons: n values in one call"
    if (part == "aggregates") return "Aggregates: n reports in one call"
    if (part == "files") return "Files: n rows, one thread if not said otherwise, to a file"
    if (part == "memory") return "Memory: the most at a time, n rows"
    if (part == "growth") return "Growth: n rows"
    return part
}
function plain(x) { return x >= 1000 ? sprintf("%.0f", x) : sprintf("%.3g", x) }'

table() {
    awk -F, "$functions"'
        NR == 1 { printf "%-46s %6s %16s %8s  %-36s %s\n", "job", "n", "rate", "ratio", "against", "target"; next }
        $1 != part { part = $1; print "\n" title(part) }
        { printf "%-46s %6s %16s %8s  %-36s %s\n", $2, power($3), plain($4) " " $5, ($6 == "" ? "" : plain($6)), $7,
            ($8 == "" ? "" : words($8) (met($4, $6, $8) ? ": met" : ": MISSED")) }' "$1" | sed 's/ *$//'
}

targets() {
    awk -F, "$functions"'
        BEGIN { print "| part | job | n | measured | target | |"; print "|---|---|---|---|---|---|" }
        NR > 1 && $8 != "" { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, power($3),
            ($8 ~ /^rate/ ? plain($4) " " $5 : plain($6) " of " $7), words($8),
            (met($4, $6, $8) ? "met" : "**missed**") }' "$1"
}

machine() {
    model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    # shellcheck source=/dev/null
    printf '%s cores of %s; %s; %s; OpenSSL %s\n' "$(nproc)" "${model:-an unnamed processor}" \
        "$(. /etc/os-release && echo "$PRETTY_NAME")" "$(cc --version | head -n 1)" \
        "$(pkg-config --modversion libcrypto)"
}

measured() { # BENCH-DIR
    printf '\n%s\n\n' "$(cat "$1/machine.txt")"
    targets "$1/bench.csv"
    printf '\n```\n%s\n```\n\n' "$(table "$1/bench.csv")"
}

# What stands between the markers is replaced.
write_docs() { # BENCH-DIR
    page=$docs/benchmarks.md
    { sed '/<!-- measured -->/q' "$page" && measured "$1" && sed -n '/<!-- end -->/,$p' "$page"; } >"$1/benchmarks.md"
    cp "$1/benchmarks.md" "$page"
    cp "$1/bench.svg" "$docs/benchmarks.svg"
}

case ${2:-}$1 in
machine) machine ;;
docs*) write_docs "$1" ;;
*) table "$1/bench.csv" ;;
esac
