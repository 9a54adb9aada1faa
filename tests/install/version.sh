#!/bin/sh
# Changes the version in a copy's podium.h, and there only: everything that has a version has the new one.
#
#   version.sh SOURCE-DIR WORK-DIR
set -eu
source=$1 work=$2 version=12.34.56
PG_CONFIG=${PG_CONFIG:-pg_config}

rm -rf "$work"
mkdir -p "$work/copy"
cd "$work"
for part in CMakeLists.txt cmake include src cli collector adapters examples man completion; do
    cp -R "$source/$part" copy
done
sed -i 's/\(define PODIUM_VERSION_MAJOR\) .*/\1 12/; s/\(define PODIUM_VERSION_MINOR\) .*/\1 34/
    s/\(define PODIUM_VERSION_PATCH\) .*/\1 56/' copy/include/podium.h
{
    cmake -S copy -B build -DCMAKE_BUILD_TYPE=Debug -DPODIUM_SQLITE=ON
    cmake --build build
    cmake --install build --prefix "$work/prefix"
    make -f "$work/copy/adapters/postgres/Makefile" PODIUM_BUILD="$work/build" PG_CONFIG="$PG_CONFIG" "$work/podium.control" \
        "$work/podium--$version.sql"
} >log 2>&1 || { cat log; exit 1; }

# is WHAT VERSION
is() { [ "$2" = $version ] || { echo "version.sh: the version of $1 is '$2', and not $version" >&2; exit 1; }; }
is "the program" "$(prefix/bin/podium --version | sed 's/^podium //')"
is "the shared library" "$(find prefix -name 'libpodium.so.*.*.*' | sed 's/.*\.so\.//')"
is "its name, with .56," "$(readelf -d "$(find prefix -name libpodium.so)" | sed -n 's/.*SONAME.*libpodium\.so\.\(.*\)\]/\1/p').56"
PKG_CONFIG_PATH=$(dirname "$(find prefix -name podium.pc)")
is "pkg-config" "$(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --modversion podium)"
is "the CMake package" "$(find prefix -name podiumConfigVersion.cmake -exec sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' {} +)"
is "the SQLite extension" "$(sqlite3 :memory: '.load build/sqlite/podium' 'SELECT podium_version()')"
is "PostgreSQL's control file" "$(sed -n "s/^default_version = '\(.*\)'$/\1/p" podium.control)"
cmp "podium--$version.sql" "$source/adapters/postgres/podium.sql"
manuals=0
for manual in "$source"/man/*.1; do
    name=${manual##*/}
    [ "$name" != podiumd.1 ] || continue # is installed with podiumd, which is not built here
    is "$name" "$(sed -n 's/^\.Os Podium //p' "prefix/share/man/man1/$name")"
    sed 's/^\.Os Podium .*/.Os Podium/' "prefix/share/man/man1/$name" | cmp - "$manual"
    manuals=$((manuals + 1))
done
mandoc -T lint -W warning prefix/share/man/man1/*.1
[ $manuals -gt 5 ]
echo "version: everything takes it from podium.h, $manuals manuals too"
