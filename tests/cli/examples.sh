#!/bin/sh
# Runs every example of the program's manual pages and of the README: the lines that begin with "$ " in the EXAMPLES of
# each page, and in the README's blocks fenced as console. Each page runs in a directory of its own, which contains only the
# EXTENSION that the environment may name.
#
#   examples.sh SOURCE-DIR PROGRAM WORK-DIR [PAGE...]
set -eu
source=$(cd "$1" && pwd) program=$2 work=$3
shift 3
if [ $# -eq 0 ]; then
    set -- "$source"/man/podium.1 "$source/README.md"
    for page in "$source"/man/podium-*.1; do
        case $page in */podium-send.1) ;; *) set -- "$@" "$page" ;; esac # needs a podiumd: see collector/examples
    done
fi

PATH=$(cd "$(dirname "$program")" && pwd):$PATH
export PATH
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)

# Prints the lines of the examples as a reader sees them, each after its line number and a tab.
lines_of() {
    case $1 in
    *.1)
        awk '/^\.Sh/ { on = /^\.Sh EXAMPLES/ } /^\.Bd -literal/ { block = on; next } /^\.Ed/ { block = 0 }
             block { print NR "\t" $0 }' "$1" |
            sed "s/\\\\(aq/'/g; s/\\\\(dq/\"/g; s/\\\\-/-/g; s/\\\\&//g; s/\\\\e/\\\\/g"
        ;;
    *) awk '/^```/ { on = /^```console/; next } on { print NR "\t" $0 }' "$1" ;;
    esac
}

# Prints a script of those lines, which remembers its line number and prints it on failure.
script_of() {
    cat <<'END'
set -eu
trap 'status=$?; [ $status -eq 0 ] || echo "examples.sh: $page, line $line: exit status $status" >&2
      [ -z "${!:-}" ] || kill "$!" 2>/dev/null || true' EXIT # a server that an example has started
END
    lines_of "$1" | awk -F '\t' '{
        text = substr($0, length($1) + 2)
        if (!more && text !~ /^\$ /)
            next # what a command prints
        if (!more) {
            text = substr(text, 3)
            skip = text ~ /(^|[^a-z_-])(sudo|make)([^a-z_-]|$)/
            if (!skip)
                print "line=" $1
        }
        if (!skip)
            print text
        more = text ~ /\\$/
    }'
}

ran=0
for page in "$@"; do
    name=$(basename "$page")
    mkdir "$work/$name"
    [ -z "${EXTENSION:-}" ] || cp "$EXTENSION" "$work/$name"
    script_of "$page" >"$work/$name.sh"
    lines=$(grep -c '^line=' "$work/$name.sh" || true)
    if [ "$lines" -eq 0 ] && [ "$name" != README.md ]; then
        echo "examples.sh: $name has no examples" >&2
        exit 1
    fi
    (cd "$work/$name" && page=$name line=0 sh "$work/$name.sh" >"$work/$name.out" 2>"$work/$name.err") || {
        cat "$work/$name.err" >&2
        exit 1
    }
    ran=$((ran + lines))
done

# The README's example ends with an estimate of the mean, which must be within 6 standard errors of the truth. A false
# alarm occurs once in 5e8 runs.
if [ -d "$work/README.md" ]; then
    cd "$work/README.md"
    truth=$(awk -F, 'NR > 1 { n++; sum += $2 } END { printf "%d %.17g", n, sum / n }' people.csv)
    podium estimate both.aggregate --format csv | awk -F, -v truth="$truth" '
        NR == 2 { split(truth, t, " "); d = ($2 - t[2]) / $3; ok = $1 == t[1] && $1 >= 1000 && d * d < 36 }
        END { exit !ok }' || { echo "examples.sh: the README's people and their estimate differ" >&2; exit 1; }
fi
echo "examples: $ran commands ran"
