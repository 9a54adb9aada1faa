#!/bin/sh
# Installs the Debian packages that are missing for the parts named: build, demo, sqlite, postgres, check, bench,
# instructions.
set -eu

build="gcc libc6-dev make cmake pkg-config libssl-dev"
demo="gnuplot-nox"
sqlite="libsqlite3-dev sqlite3"
bench="gnuplot-nox"
instructions="valgrind"
postgres="postgresql-server-dev-15"
check="clang libclang-rt-dev g++ check libsubunit-dev libmpfr-dev libgmp-dev valgrind binutils patch mandoc gnuplot-nox
    bash python3 procps locales chromium chromium-driver postgresql-15 postgresql-server-dev-15 postgresql-15-plproxy
    qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross"

command -v apt-get >/dev/null || exit 0 # not Debian: whatever is missing, the build will say

wanted=""
for part in "$@"; do
    case $part in
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $demo" ;;
    sqlite) wanted="$wanted $sqlite" ;;
    postgres) wanted="$wanted $postgres" ;;
    check) wanted="$wanted $check" ;;
    bench) wanted="$wanted $bench" ;;
    instructions) wanted="$wanted $instructions" ;;
    *) echo "setup.sh: no part is called '$part'" >&2; exit 2 ;;
    esac
done

missing=""
for package in $wanted; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq

# With Debian's server comes a cluster that runs from then on. Nobody asked for one: the tests make their own.
no_cluster=/etc/postgresql-common/createcluster.d/podium-setup.conf
case "$missing " in
*" postgresql-15 "*)
    $sudo mkdir -p "$(dirname $no_cluster)"
    echo "create_main_cluster = false" | $sudo tee $no_cluster >/dev/null
    trap '$sudo rm -f $no_cluster' EXIT
    ;;
esac
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
