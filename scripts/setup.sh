#!/bin/sh
# Installs the Debian packages that are missing for the parts named: build, demo, sqlite, postgres, check, fuzz, bench,
# bench-postgres, instructions, shape, amalgamation, devices, python, spark, web, site, collector, live, bench-collector. With
# --check it installs nothing: if something is missing it says what, and how to get it, and fails.
#
#   setup.sh [--check] PART...
set -eu
check_only=""
[ "${1:-}" != --check ] || { check_only=yes; shift; }

build="gcc libc6-dev make cmake pkg-config libssl-dev"
amalgamation="python3"
demo="gnuplot-nox"
sqlite="libsqlite3-dev sqlite3"
bench_collector="wrk python3 libjansson-dev"
live="python3"
collector="libmicrohttpd-dev libsqlite3-dev libpq-dev zlib1g-dev libcurl4-openssl-dev libgnutls28-dev"
fuzz="clang libclang-rt-dev check libsubunit-dev libmpfr-dev libgmp-dev zlib1g-dev"
bench="gnuplot-nox"
bench_postgres="postgresql-15 postgresql-server-dev-15"
instructions="valgrind"
postgres="postgresql-server-dev-15"
python="python3 python3-venv python3-dev"
spark="bash default-jre-headless procps"
web="clang lld wasi-libc binaryen esbuild nodejs npm"
site="$web python3"
shape="check libsubunit-dev libmpfr-dev libgmp-dev python3 python3-numpy"
check="$fuzz $python $collector $spark $site python3-pytest python3-hypothesis python3-pandas
    clang-format clang-tidy g++ valgrind binutils patch mandoc openssl curl systemd strace prometheus nginx libjansson-dev gnuplot-nox bash python3 python3-numpy procps locales chromium chromium-driver
    $bench_postgres postgresql-15-plproxy
    qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm
    gcc-mingw-w64-x86-64 mingw-w64-x86-64-dev wine wine64 wasi-libc"
devices="clang check libsubunit-dev libmpfr-dev libgmp-dev locales python3
    qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
    gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-arm-linux-gnueabi libc6-dev-armel-cross
    gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm musl-tools gcc-mingw-w64-x86-64 wine wine64"

command -v apt-get >/dev/null || exit 0 # not Debian: whatever is missing, the build will say

wanted=""
for part in "$@"; do
    case $part in
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $demo" ;;
    sqlite) wanted="$wanted $sqlite" ;;
    postgres) wanted="$wanted $postgres" ;;
    check) wanted="$wanted $check" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    bench) wanted="$wanted $bench" ;;
    bench-postgres) wanted="$wanted $bench_postgres" ;;
    instructions) wanted="$wanted $instructions" ;;
    shape) wanted="$wanted $shape" ;;
    devices) wanted="$wanted $devices" ;;
    amalgamation) wanted="$wanted $amalgamation" ;;
    python) wanted="$wanted $python" ;;
    spark) wanted="$wanted $spark" ;;
    web) wanted="$wanted $web" ;;
    site) wanted="$wanted $site" ;;
    collector) wanted="$wanted $collector" ;;
    live) wanted="$wanted $live" ;;
    bench-collector) wanted="$wanted $bench_collector" ;;
    *) echo "setup.sh: no part is called '$part'" >&2; exit 2 ;;
    esac
done

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Not a package, but what it would bring: whoever built it for themselves needs no package to build Podium.
header() { printf '#include <%s>\n' "$1" | cc -E -; }
there() {
    case $1 in
    gcc) command -v cc ;;
    libc6-dev) header stdio.h ;;
    libssl-dev) header openssl/evp.h ;;
    libsqlite3-dev) header sqlite3.h ;;
    libmicrohttpd-dev) header microhttpd.h ;;
    libpq-dev) pkg-config --exists libpq ;;
    zlib1g-dev) header zlib.h ;;
    libjansson-dev) header jansson.h ;;
    libcurl4-openssl-dev) header curl/curl.h ;;
    libgnutls28-dev) header gnutls/gnutls.h ;;
    gnuplot-nox) command -v gnuplot ;;
    default-jre-headless) command -v java ;;
    procps) command -v ps ;;
    python3-venv) python3 -c 'import ensurepip' ;;
    python3-dev) python3 -c 'import os, sysconfig; open(os.path.join(sysconfig.get_path("include"), "Python.h"))' ;;
    python3-numpy) /usr/bin/python3 -c 'import numpy' ;;
    nodejs) command -v node ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# Whoever has Node.js from elsewhere has npm with it, and Debian's npm would not go together with that.
may_be_elsewhere() {
    case $1 in
    nodejs | npm) true ;;
    *) [ -n "$check_only" ] ;;
    esac
}

missing=""
for package in $wanted; do
    installed "$package" || { may_be_elsewhere "$package" && there "$package"; } || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ -n "$check_only" ]; then
    echo "Missing, by the names of Debian's packages:$missing" >&2
    echo "To install them: make setup PARTS=\"$*\"" >&2
    exit 1
fi

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
