# Functions that the cases share.
set -u

# try COMMAND...: runs it, with standard error on standard output, and prints its exit status
try() {
    "$@" 2>&1 && echo "exit 0" || echo "exit $?"
}

# near TRUTH: is the estimate on standard input, as CSV, within 6 standard errors? (A false alarm occurs once in 5e8.)
near() {
    awk -F, -v truth="$1" 'NR == 2 { z = ($2 - truth) / $3; print (z < 6 && z > -6 ? "near" : "far: " $0) }'
}

# others COLUMN SEPARATOR FILE: prints the file with "number" in one column, if that is a number
others() {
    awk -v column="$1" -v FS="$2" -v OFS="$2" '{ $column = $column ~ /^-?[0-9.e+-]+$/ ? "number" : "kept:" $column; print }' "$3"
}

# until_true COMMAND...: waits until it succeeds, for at most a minute
until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || { echo "never: $*"; return 1; }
        sleep 0.1
    done
}
