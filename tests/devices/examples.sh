#!/bin/sh
# Builds one of the examples in other languages with the library in one file, as their readers would, and runs it twice.
# Each prints the codes of eight values, a byte each; two runs print different ones, because reports are random. (Equal
# ones would come up less than once in 10^9 pairs of runs.) Skipped, with status 77, if the compiler is not there.
#
#   examples.sh SOURCE-DIR WORK-DIR LANGUAGE
set -eu
source=$1 work=$2 language=$3
need() {
    for command in "$@"; do
        command -v "$command" >/dev/null || { echo "skipped: there is no $command here"; exit 77; }
    done
}

rm -rf "$work"
mkdir -p "$work"
cp -R "$source/examples/$language/." "$work"
cd "$work"
"$source/scripts/amalgamate.py" one >/dev/null
cp one/*.[ch] .

case $language in
cpp)
    need cc c++
    cc -O2 -c podium.c
    c++ -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror main.cpp podium.o -lm -o example
    set -- ./example
    ;;
rust)
    need cargo rustc cc ar
    export CARGO_HOME="$work/cargo" CARGO_TARGET_DIR="$work/target"
    cargo build --offline --quiet
    set -- ./target/debug/podium-example
    ;;
go)
    need go cc
    export GOCACHE="$work/cache" GOPATH="$work/go" GOTOOLCHAIN=local GOFLAGS=-mod=mod GOPROXY=off CGO_ENABLED=1
    go build -o example .
    set -- ./example
    ;;
jni)
    need javac java cmake cc
    export JAVA_HOME="${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}" # where jni.h is
    cmake -S . -B build >log 2>&1 && cmake --build build >>log 2>&1 || { cat log; exit 1; }
    javac -Xlint:all -Werror -d build Podium.java
    set -- java -Xcheck:jni -Djava.library.path=build -cp build Podium
    ;;
swift)
    # There is no Swift compiler in Debian 12. clang reads module maps as Swift's importer does, so what Report.swift
    # calls is called here from Objective-C.
    need clang
    cat >import.m <<'CALLS'
@import CPodium;
int code(unsigned char *sent, const char *question, size_t n, double value) {
    podium_collection made;
    uint32_t cell;
    if (podium_collection_parse(&made, NULL, 0, NULL, question, n) != PODIUM_OK ||
        podium_privatize_cells(&made, NULL, &cell, &value, 1) != PODIUM_OK ||
        podium_codes_encode(&made, sent, podium_code_bytes(&made), &cell, 1) != PODIUM_OK)
        return podium_status_message(PODIUM_ERROR_RANDOM_FAILED)[0];
    return 0;
}
CALLS
    clang -fmodules -fmodules-cache-path=cache -fmodule-map-file=module.modulemap -fsyntax-only -Wall -Werror import.m
    ls cache/*/CPodium-*.pcm >/dev/null # the module was really made
    for name in $(grep -oE '\bpodium_[a-z_]+' Report.swift | sort -u); do
        grep -q "\b$name\b" podium.h || { echo "Report.swift uses $name, which is not in podium.h" >&2; exit 1; }
    done
    echo "swift: clang imports the module; Report.swift itself is not compiled"
    exit
    ;;
esac

first=$("$@") second=$("$@")
for codes in "$first" "$second"; do
    echo "$codes" | grep -qxE '[0-9a-f]{16}' || { echo "$language: these are not eight codes: $codes" >&2; exit 1; }
done
[ "$first" != "$second" ] || { echo "$language: two runs sent the same codes" >&2; exit 1; }
echo "$language: eight codes, others in each run"
