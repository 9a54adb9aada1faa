#!/bin/sh
# Installs into an empty directory and uses the library from there as a stranger would: with pkg-config, with the
# README's own program, in C and in C++, shared and static.
#
#   run.sh SOURCE-DIR BUILD-DIR WORK-DIR
set -eu
source=$1 build=$2 work=$3

rm -rf "$work"
mkdir -p "$work"
cd "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name podium.pc)")
export PKG_CONFIG_PATH
flags() { pkg-config --define-variable=prefix="$work/prefix" "$@" podium; }
libraries=$(flags --variable=libdir)
export LD_LIBRARY_PATH="$libraries"

# The README's quick start, to the letter
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '/^```/d' >readme.c
tail -n +2 "$source/examples/quickstart.c" | diff - readme.c
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Werror readme.c -o shared $(flags --cflags --libs)
# shellcheck disable=SC2046
gcc -std=c11 readme.c -o static $(flags --cflags) "$libraries/libpodium.a" $(flags --static --libs | sed 's/-lpodium//')
for program in shared static; do
    ./$program >out
    [ "$(wc -l <out)" -eq 3 ] || { echo "$program printed:"; cat out; exit 1; }
done
ldd shared | grep -q libpodium
if ldd static | grep libpodium; then exit 1; fi

# The headers in C++
cat >header.cpp <<'END'
#include <podium_analysis.h>
int main() {
    podium_spec spec = {PODIUM_MECHANISM_PODIUM, 1, 0, 1, 0, 0, {}};
    podium_collection collection;
    podium_aggregate aggregate;
    if (podium_collection_init(&collection, &spec) != PODIUM_OK)
        return 1;
    podium_aggregate_init(&collection, &aggregate);
    return podium_aggregate_count(&aggregate) == 0 ? 0 : 1;
}
END
# shellcheck disable=SC2046
g++ -Wall -Wextra -Wpedantic -Werror header.cpp -o header $(flags --cflags --libs)
./header

# What the shared library exports is what the headers declare
nm -D --defined-only "$libraries/libpodium.so" | awk '{ print $3 }' | sort >exported
cat "$source"/include/*.h | grep -v '^#' | tr '\n' ' ' | grep -o 'PODIUM_API [^;]*;' | grep -o 'podium_[a-z_]*[(;]' | tr -d '(;' |
    sort >declared
[ "$(uniq -d declared | wc -l)" -eq 0 ]
diff declared exported

# A C compiler and libc are enough: the README's own line, without fused arithmetic, which would give other results
grep '^cc ' "$source/README.md" >compile.sh
grep -q -e -ffp-contract=off compile.sh
mkdir bare
cd bare
ln -s "$source/include" "$source/src" .
sh -eu ../compile.sh
gcc -std=c11 -Iinclude "$source/examples/quickstart.c" ./*.o -o bare -lm
./bare >/dev/null
echo "install: shared, static, C++, exports and the bare build work"
