#!/bin/sh
# Builds Podium as a subdirectory of another project, which checks that its settings stay as they are and that nothing
# but the library is built. That project has no build type, and asks for what could break a library that has not thought
# of it.
#
#   subdirectory.sh SOURCE-DIR WORK-DIR
set -eu
source=$1 work=$2
fail() { echo "subdirectory.sh: $*" >&2; cat "$work/log" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work"
cd "$work"
configure() { cmake -S "$source/tests/install/consumer" -B build -DPODIUM_SOURCE="$source" "$@" >log 2>&1; }
configure -DPODIUM_WERROR=ON -DBUILD_SHARED_LIBS=ON -DCMAKE_UNITY_BUILD=ON || fail "configuring"
cmake --build build >log 2>&1 || fail "building"
if grep -i warning log; then fail "it warns"; fi
[ ! -e build/compile_commands.json ] || fail "it writes compile_commands.json"
[ "$(find build/podium -type f -perm -u=x ! -name '*.so*')" = "" ] || fail "it builds programs"
version=$(build/use_podium)
[ "$version" = "$(build/use_static)" ] || fail "use_static does not work"
ldd build/use_podium | grep -q libpodium || fail "podium::podium is not the shared library"
if ldd build/use_static | grep libpodium; then fail "podium::static is not the static library"; fi

# Installed is what the other project asks for: nothing, as a rule
cmake --install build --prefix nothing >log
[ ! -e nothing ] || fail "it installs"
configure -DPODIUM_INSTALL=ON || fail "configuring to install"
cmake --install build --prefix library >log
find library -type f -o -type l | sed 's/.*\///' | LC_ALL=C sort >installed
# shellcheck disable=SC2046
printf '%s\n' libpodium.a libpodium.so "libpodium.so.${version%.*}" "libpodium.so.$version" $(ls "$source/include") podium.pc \
    podiumConfig.cmake podiumConfigVersion.cmake podiumStaticTargets-noconfig.cmake podiumStaticTargets.cmake \
    podiumTargets-noconfig.cmake podiumTargets.cmake | LC_ALL=C sort | diff - installed || fail "it installs other files"
echo "subdirectory: the library alone, and the parent's settings as they were"
