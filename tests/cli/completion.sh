#!/bin/bash
# Tests what the completion for bash offers, and that the program, its help and the completion agree. manual.py tests
# the manual pages.
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

# Prints what is offered for the last of these words, on one line.
offered() {
    COMP_WORDS=("$program" "${@:2}")
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
expect 'estimate explain' podium help e
expect '' podium help estimate e
expect 'laplace' podium design --mechanism l
expect 'json' podium estimate --format j
expect 'json' podium estimate --format = j
expect 'text json csv' podium estimate --format =
expect '--header --histogram --help' podium estimate -o x --h
expect 'reports.csv' podium aggregate r
expect 'reports.csv' podium estimate --collection r
expect 'reports.csv' podium estimate --collection = r
expect 'reports.csv' podium merge -o r
expect 'reports.csv' podium merge -o x r
expect '' podium estimate --quantiles ''
expect '' podium estimate --column r
expect 'tab' podium estimate --separator ''
expect 'minimax' podium design --mechanism m
expect 'middle' podium privatize --objective m
expect 'distribution' podium design --objective d
expect 'error drop clamp keep' podium privatize --invalid ''
expect 'error drop' podium estimate --invalid ''
expect '' podium design --coll
expect '' podium design r
expect '' podium plan r
expect '' podium nonsense r

# With an older program, or without one, nothing is offered and nothing is printed.
for other in /bin/false "$work/missing"; do
    said=$(COMP_WORDS=("$other" '') COMP_CWORD=1 && _podium 2>&1 && echo "${COMPREPLY[*]}")
    [[ -z $said ]] || wrong "$other offers '$said'"
done

# The program may be called as ~/podium.
ln -s "$program" podium
# shellcheck disable=SC2088
said=$(HOME=$work && COMP_WORDS=('~/podium' des) COMP_CWORD=1 && _podium && echo "${COMPREPLY[*]}")
[[ $said == design ]] || wrong "~/podium offers '$said'"

# ---- The program and its help ----

for command in $("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    [[ " $(offered podium '') " == *" $command "* ]] || wrong "$command is not offered"
    read -ra offers <<<"$(offered podium "$command" -)"
    mapfile -t helped < <("$program" help "$command" | grep -oE -- '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '-+[a-z][a-z-]*' | sort)
    mapfile -t sorted < <(printf '%s\n' "${offers[@]}" | sort)
    ((${#offers[@]} > 3)) || wrong "$command: options were not found"
    [[ -z $(printf '%s\n' "${sorted[@]}" | uniq -d) ]] || wrong "$command has an option twice: ${sorted[*]}"
    for option in $("$program" help "$command" | sed -n 's/^Usage: //p' | grep -oE -- '-+[a-z]+'); do
        [[ " ${offers[*]} " == *" $option "* ]] || wrong "$command: the usage line has $option, which is not offered"
    done
    [[ ${helped[*]} == "${sorted[*]}" ]] || wrong "$command: the help has ${helped[*]}, but ${sorted[*]} are offered"

    for option in "${offers[@]}"; do
        "$program" "$command" "$option" >said 2>&1 </dev/null || true
        if grep -q 'unrecognized option\|invalid option' said; then wrong "$command does not know $option"; fi

        # A wrong argument makes the program print the possible ones. No command gets further than its operand, which
        # does not exist or is unexpected.
        for argument in '?' -1 -1,-1; do
            "$program" "$command" "$option" "$argument" missing >said 2>&1 </dev/null || true
            if grep -q '(null)' said; then wrong "$command $option $argument: $(cat said)"; fi
            words=$(sed -n "s/^podium: $option must be one of \(.*\), not '$argument'\$/\1/p" said | tr -d ,)
            [[ -z $words ]] || expect "$words" podium "$command" "$option" ''
        done
    done
done
echo "completion: the program, its help and the completion agree"
