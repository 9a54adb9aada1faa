#!/bin/sh
# Who installs packages, and who only says what is missing: on a machine that seems to have no package and no header, and
# whose apt-get and sudo write down that they were called.
#
#   setup.sh SOURCE-DIR WORK-DIR
set -eu
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work/bin"
for tool in dpkg-query cc apt-get sudo; do
    printf '#!/bin/sh\necho %s >>"%s/called"\nexit 1\n' $tool "$work" >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done
PATH=$work/bin:$PATH
export PATH

fail() { echo "setup.sh: $*" >&2; cat "$work/said" >&2; exit 1; }
# run TARGET...: make stops there, and what it says is in $work/said
run() {
    : >"$work/called"
    if make -C "$source" "$@" >"$work/said" 2>&1; then fail "make $* goes on"; fi
}
for target in all build sqlite collector fuzz bench bench-instructions bench-neon bench-postgres shape-table python-wheel \
    bench-python bench-collector install; do
    run $target
    grep -q 'Missing.* libssl-dev' "$work/said" || fail "make $target does not say what is missing"
    grep -q 'make setup PARTS="build' "$work/said" || fail "make $target does not say how to get it"
    if grep -q 'apt-get\|sudo' "$work/called"; then fail "make $target installs"; fi
done
for target in setup demo check check-devices check-collector; do
    run $target
    grep -q 'apt-get\|sudo' "$work/called" || fail "make $target does not install"
done
run setup PARTS="build sqlite"
grep -q libsqlite3-dev "$work/said" || fail "PARTS is not heard"
echo "setup: demo, the checks and setup install; nothing else does"
