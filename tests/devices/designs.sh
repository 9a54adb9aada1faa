# shellcheck shell=sh
# For scripts that compare the program of another machine with this one's, $here, by a function `same`: a design of every
# mechanism, with a spread for those that are not designed without.
mechanisms=$("$here" compare --range 1:120 --epsilon 1 --format csv | awk -F, 'NR > 1 && $2 != "bound" { print $2 }')
[ "$(echo "$mechanisms" | wc -l)" -ge 9 ]
for mechanism in $mechanisms; do
    set -- --range 1:120 --epsilon 1 --mechanism "$mechanism"
    "$here" design "$@" >/dev/null 2>&1 || set -- "$@" --spread 0.05
    same design "$@"
done
