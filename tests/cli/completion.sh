#!/bin/bash
# Options, in four places that must agree: the program, its help, its manual pages, the completion.
#
#   completion.sh SOURCE-DIR PROGRAM WORK-DIR
set -eu
source=$1 program=$2 work=$3

rm -rf "$work"
mkdir -p "$work"
source=$(cd "$source" && pwd)
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
cd "$work"
: >reports.csv
# shellcheck source=/dev/null
. "$source/completion/podium.bash"

wrong() {
    echo "completion.sh: $*" >&2
    exit 1
}

# What is offered for the last of these words, on one line
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _podium || true
    echo "${COMPREPLY[*]}"
}

expect() {
    local wanted=$1 got
    shift
    got=$(offered "$@")
    [[ $got == "$wanted" ]] || wrong "'$*' offers '$got', not '$wanted'"
}

complete -p podium >/dev/null || wrong "podium is not completed"
expect 'design' podium des
expect 'privatize plan params paper' podium p
expect 'help' podium he
expect 'estimate' podium help e
expect 'laplace' podium design --mechanism l
expect 'json' podium estimate --format j
expect 'json' podium estimate --format = j
expect 'text json csv' podium estimate --format =
expect '--header --histogram --help' podium estimate -o x --h
expect 'reports.csv' podium aggregate r
expect 'reports.csv' podium estimate --collection r
expect 'reports.csv' podium merge -o x r
expect '' podium estimate --quantiles ''
expect '' podium estimate --column r
expect 'minimax' podium design --mechanism m
expect 'middle' podium privatize --objective m
expect '' podium design r
expect '' podium plan r
expect '' podium nonsense r

# ---- The program, its help, its manual pages ----

for command in $("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    page=$source/man/podium-$command.1
    [[ " $(offered podium '') " == *" $command "* ]] || wrong "$command is not offered"
    [[ -f $page ]] || wrong "$command has no manual page"
    read -ra offers <<<"$(offered podium "$command" -)"
    mapfile -t helped < <("$program" help "$command" | grep -oE -- '(^|[^a-z-])(--[a-z]+|-[a-z]\b)' | sed 's/^[^-]*//' | sort -u)
    mapfile -t documented < <(grep '^\.It.*Fl ' "$page" | grep -o 'Fl [a-z-]*' | sed 's/Fl /-/' | sort -u)
    ((${#offers[@]} > 2 && ${#helped[@]} > 1 && ${#documented[@]} > 2)) || wrong "$command: options were not found"

    for option in "${helped[@]}"; do
        [[ " ${offers[*]} " == *" $option "* ]] || wrong "$command $option is in the help, but not offered"
    done
    for option in "${helped[@]}" "${offers[@]}"; do
        [[ " ${documented[*]} " == *" $option "* ]] || wrong "$command $option is not in the manual page"
    done
    for option in "${documented[@]}"; do
        [[ " ${offers[*]} " == *" $option "* ]] || wrong "$command $option is in the manual page, but not offered"
    done
    for option in "${offers[@]}"; do
        "$program" "$command" "$option" >said 2>&1 </dev/null || true
        if grep -q 'unrecognized option\|invalid option' said; then wrong "$command does not know $option"; fi

        # An argument that cannot be right makes the program name those that can
        "$program" "$command" "$option" '?' >said 2>&1 </dev/null || true
        words=$(sed -n "s/^podium: $option is one of \(.*\), not '?'\$/\1/p" said | tr -d ,)
        [[ -z $words ]] || expect "$words" podium "$command" "$option" ''
        rm -rf '?'
    done
done
echo "completion: the program, its help, its manual pages and the completion agree"
