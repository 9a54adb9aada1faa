#!/bin/sh
# Builds library, program and examples for another kind of machine, without a warning, and runs them there, by emulation:
# designs, states and estimates of the mean are those of this machine, byte for byte. The distribution is so to nine
# digits, because it comes from exp and log, whose last bit differs between machines.
#
#   cross.sh SOURCE-DIR PROGRAM WORK-DIR MACHINE
#
# PROGRAM is this machine's; MACHINE is what gcc calls the other one, such as s390x.
set -eu
source=$1 here=$2 work=$3 machine=$4
triplet=$machine-linux-gnu
case $machine in
i686) emulator=qemu-i386 ;;
*) emulator=qemu-$machine ;;
esac

rm -rf "$work"
mkdir -p "$work"
cmake -S "$source" -B "$work/build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" \
    -DCMAKE_C_COMPILER="$triplet-gcc" -DPODIUM_WITH_OPENSSL=OFF -DPODIUM_WERROR=ON >"$work/log"
cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cd "$work"
there() {
    program=$1
    shift
    "$emulator" -L "/usr/$triplet" "$work/build/$program" "$@"
}

for example in quickstart own_random; do
    there examples/$example >/dev/null
done

# same COMMAND...: the program there prints what it prints here
same() {
    "$here" "$@" >expected
    there cli/podium "$@" >got
    cmp expected got || { echo "$machine: podium $*" >&2; exit 1; }
}
. "$source/tests/devices/designs.sh"
# In one thread: Debian's qemu-i386 hangs in pthread_create, where a real machine does not.
data=$source/tests/cli/data
same aggregate --threads 1 --collection "$data/age.podium" --column age "$data/reports.csv"
same estimate "$data/aggregate" --format json
"$here" estimate "$data/aggregate" --quantiles 0.25,0.5 --histogram 5 --format json >expected
there cli/podium estimate "$data/aggregate" --quantiles 0.25,0.5 --histogram 5 --format json >got
python3 - <<'END' || { echo "$machine: another distribution" >&2; exit 1; }
import json, math, sys
def close(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if isinstance(a, float) else a == b
sys.exit(not close(json.load(open("expected")), json.load(open("got"))))
END
awk 'BEGIN { for (i = 0; i < 1000; i++) print 20 + i % 50 }' >ages
there cli/podium privatize --threads 1 --range 1:120 --epsilon 1 --header no ages >reports
there cli/podium aggregate --threads 1 --range 1:120 --epsilon 1 --header no reports >state
[ "$(wc -l <reports)" -eq 1000 ]
"$here" estimate state --format json | grep -q '"n": 1000,'
echo "$machine: the same bytes as here"
