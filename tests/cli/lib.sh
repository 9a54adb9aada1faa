# What the cases share.
set -u

# A command with what it says, standard error too, and how it ends
try() {
    "$@" 2>&1 && echo "exit 0" || echo "exit $?"
}

# near TRUTH: the estimate on standard input, as CSV, is within 6 standard errors (wrong by chance once in 5e8)
near() {
    awk -F, -v truth="$1" 'NR == 2 { z = ($2 - truth) / $3; print (z < 6 && z > -6 ? "near" : "far: " $0) }'
}

# others COLUMN SEPARATOR FILE: all columns but one, which has become a number
others() {
    awk -v column="$1" -v FS="$2" -v OFS="$2" '{ $column = $column ~ /^-?[0-9.e+-]+$/ ? "number" : "kept:" $column; print }' "$3"
}

# until_true COMMAND...: waits for it to succeed, a minute at the most
until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || { echo "never: $*"; return 1; }
        sleep 0.1
    done
}
