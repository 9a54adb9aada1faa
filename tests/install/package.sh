#!/bin/sh
# Installs into an empty directory, moves that, and builds another project with find_package(podium) there: shared and
# static, and without OpenSSL, which only the static library needs.
#
#   package.sh SOURCE-DIR BUILD-DIR WORK-DIR
set -eu
source=$1 build=$2 work=$3
fail() { echo "package.sh: $*" >&2; cat "$work/log" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work"
cd "$work"
cmake --install "$build" --prefix "$work/first" >log
mv first prefix
version=$("$build/cli/podium" --version | cut -d ' ' -f 2)
minor=${version%.*}

# configure WHERE OPTION...: says in $work/log what CMake says
configure() {
    where=$1
    shift
    cmake -S "$source/tests/install/consumer" -B "$where" -DCMAKE_PREFIX_PATH="$work/prefix" "$@" >log 2>&1
}
refuses() {
    if configure refused "$@"; then fail "it takes $*"; fi
    rm -rf refused
}

configure both -DPODIUM_FIND="$minor" || fail "find_package(podium $minor)"
grep -qx -e "-- podium $version" log || fail "the package is not of version $version"
cmake --build both >log 2>&1 || fail "building"
for name in podium static; do
    [ "$(both/use_$name)" = "$version" ] || fail "use_$name does not work"
done
ldd both/use_podium | grep -q "$work/prefix/.*libpodium" || fail "podium::podium is not the shared library"
if ldd both/use_static | grep libpodium; then fail "podium::static is not the static library"; fi

refuses -DPODIUM_FIND="${version%%.*}.$((${minor#*.} + 1))"
refuses -DPODIUM_FIND="$version.1"
refuses -DPODIUM_FIND="COMPONENTS;dynamic"

hidden=-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON
if grep -q '^PODIUM_WITH_OPENSSL:BOOL=ON' "$build/CMakeCache.txt"; then
    refuses $hidden -DPODIUM_FIND="COMPONENTS;static"
    refuses $hidden -DPODIUM_USE=static
else
    configure static $hidden -DPODIUM_FIND="COMPONENTS;static" || fail "the static library needs OpenSSL"
fi
configure shared $hidden -DPODIUM_USE=podium || fail "the shared library needs OpenSSL"
cmake --build shared >log 2>&1 || fail "building without OpenSSL"
[ "$(shared/use_podium)" = "$version" ] || fail "use_podium does not work without OpenSSL"
echo "package: podium::podium and podium::static $version work"
