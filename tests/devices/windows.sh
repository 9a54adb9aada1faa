#!/bin/sh
# Builds everything for Windows with mingw-w64, without a warning, and runs it by wine: the library as a DLL and as a
# static library, unit tests, and the program beside this machine's. With "all", every unit test and every case of
# tests/cli that makes sense there; windows-skip says which do not.
#
#   windows.sh SOURCE-DIR PROGRAM WORK-DIR [all]
#
# PROGRAM is this machine's.
set -eu
source=$1 here=$2 work=$3 all=${4:-}
fail() { echo "windows.sh: $*" >&2; exit 1; }
# wine needs some addresses for itself. Once in about a thousand starts the kernel has put something else there, and the
# program ends with status 1. Where addresses are not random, that does not happen.
if [ -z "${FIXED_ADDRESSES:-}" ] && setarch -R true 2>/dev/null; then
    FIXED_ADDRESSES=yes exec setarch -R "$0" "$@"
fi
for tool in x86_64-w64-mingw32-gcc wine wineserver; do
    command -v $tool >/dev/null && continue
    ! command -v apt-get >/dev/null || fail "$tool is missing: make setup PARTS=check"
    echo "windows.sh: skipped, because there is no $tool here"
    exit 77
done

rm -rf "$work"
mkdir -p "$work/wrapped" "$work/wine"
cmake -S "$source" -B "$work/build" --toolchain "$source/cmake/mingw-w64.cmake" -DPODIUM_WITH_OPENSSL=OFF \
    -DPODIUM_WERROR=ON -DPODIUM_TESTS=ON >"$work/log"
targets="podium podium_shared podium_static dll_quickstart gnuplot unit_privatize unit_sql_spec unit_siphash unit_random_none"
[ -z "$all" ] || targets=all
# shellcheck disable=SC2086
cmake --build "$work/build" -j2 --target $targets >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# One server for all programs: to start one takes longer than most of them run. Nobody has a display.
export WINEPREFIX="$work/wine" WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= WINEPATH="Z:$work/build/tests"
unset DISPLAY
wineserver -p
trap 'wineserver -k || true' EXIT
wineboot --init >>"$work/log" 2>&1 || fail "wine does not start"
printf '#!/bin/sh\nexec wine "%s" "$@"\n' "$work/build/cli/podium.exe" >"$work/wrapped/podium"
chmod +x "$work/wrapped/podium"
there() { "$work/wrapped/podium" "$@"; }
cd "$work"

# What the DLL exports is what the headers declare, and nothing needs a file that Windows does not have.
imports() { x86_64-w64-mingw32-objdump -p "$1" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]' | sort; }
x86_64-w64-mingw32-objdump -p build/libpodium-*.dll |
    awk '/Ordinal\/Name Pointer/ { on = 1; next } /^$/ { on = 0 } on { print $NF }' | sort >exported
cat "$source"/include/*.h | grep -v '^#' | tr '\n' ' ' | grep -o 'PODIUM_API [^;]*;' | grep -o 'podium_[a-z_]*[(;]' | tr -d '(;' |
    sort >declared
diff declared exported || fail "the DLL exports other names than the headers declare"
for file in build/libpodium-*.dll build/cli/podium.exe; do
    strange=$(imports "$file" | grep -Evx '(kernel32|msvcrt|advapi32|bcrypt|shell32)\.dll' || true)
    [ -z "$strange" ] || fail "$file needs $strange"
done
imports build/dll_quickstart.exe | grep -q '^libpodium-' || fail "dll_quickstart does not use the DLL"
[ "$(wine build/dll_quickstart.exe | wc -l)" -eq 3 ] || fail "the DLL does not work"

# same COMMAND...: the program there prints what it prints here
same() {
    "$here" "$@" >expected
    there "$@" >got
    cmp expected got || fail "podium $*"
}
data=$source/tests/cli/data
. "$source/tests/devices/designs.sh"
same aggregate --collection "$data/age.podium" --column age "$data/reports.csv"
same estimate "$data/aggregate" --format json
same help privatize

# A whole collection there, of enough rows for several pieces, and of line ends that Windows has: none is lost, in files
# and in pipes. The name of the file is in no code page.
name='Größe 数 №1.csv'
awk 'BEGIN { printf "person,age,town\r\n"; for (i = 0; i < 60000; i++) printf "%d,%d,\"Zug\r\n\"\r\n", i, 20 + i % 50 }' >people.csv
there design --range 1:120 --epsilon 1 --name Größe -o age.podium
there privatize --collection age.podium --column age people.csv -o "$name"
[ "$(wc -l <"$name")" -eq "$(wc -l <people.csv)" ] || fail "rows are missing"
there privatize --collection age.podium --column age <people.csv | cat >piped.csv
for file in people.csv "$name" piped.csv; do
    awk -F, -v OFS=, '/^[0-9]/ { $2 = "number" } 1' "$file" | cksum
done | sort -u | wc -l | grep -qx 1 || fail "other bytes than the reports have changed"
there aggregate --collection age.podium --column age "$name" | cat >state
"$here" aggregate --collection age.podium --column age "$name" | cmp - state || fail "another aggregate than here"
"$here" estimate state --format json | grep -q '"n": 60000,' || fail "another number of reports"
there show "$name" | grep -q '^Größe' || there show "$name" | grep -qF "$name" || fail "show does not know the file's name"

# Files are replaced only when complete. Ctrl-C removes the temporary one; wine makes it of SIGINT, which the jobs of a
# script ignore until Python restores it.
echo old >kept
status=0
printf '5\nx\n' | there privatize --range 0:100 --epsilon 1 -o kept 2>message || status=$?
[ "$status" -eq 1 ] && [ "$(cat kept)" = old ] || fail "bad data replaced a file"
mkfifo in
python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$work/wrapped/podium" privatize --range 0:100 --epsilon 1 -o kept <in &
exec 3>in
echo 5 >&3
tries=0
until ls kept.* >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || fail "there is no temporary file"
    sleep 0.1
done
kill -INT $!
status=0
wait $! || status=$?
exec 3>&-
[ "$status" -ne 0 ] && [ "$(cat kept)" = old ] && [ "$(ls -d kept*)" = kept ] || fail "Ctrl-C leaves: $(ls -d kept*)"

# A picture, by a stand-in for gnuplot
there estimate "$data/aggregate" --plot shape.svg >/dev/null
grep -q 'estimated shares.*' shape.svg && grep -q '</svg>$' shape.svg || fail "gnuplot did not get the script"

if [ -z "$all" ]; then
    for test in privatize sql_spec siphash random_none; do
        wine "build/tests/unit_$test.exe" >test.log || { cat test.log; fail "unit/$test"; }
    done
    echo "windows: builds, and gives the same bytes as here"
    exit
fi
(cd build && ctest -j2 --no-tests=error --output-on-failure) || fail "unit tests"
# shellcheck disable=SC2046
"$source/tests/cli/run.sh" "$source" "$work/wrapped/podium" "$work/cases" $(ls "$source/tests/cli/cases" |
    awk 'NR == FNR { if (!/^#/) skip[$1]; next } !($1 in skip)' "$source/tests/devices/windows-skip" -)
