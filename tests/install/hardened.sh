#!/bin/sh
# Checks that each file was linked with read-only relocations that are all resolved at the start, and compiled with stack
# protectors and glibc's checked functions; and that a program among them is position-independent.
#
#   hardened.sh FILE...
set -eu

for file in "$@"; do
    lacks() { echo "hardened.sh: $file lacks $1" >&2; exit 1; }
    readelf -lW "$file" | grep -q GNU_RELRO || lacks "read-only relocations"
    readelf -dW "$file" | grep -q BIND_NOW || lacks "resolution at the start"
    nm -D --undefined-only "$file" | grep -q ' __stack_chk_fail' || lacks "stack protectors"
    nm -D --undefined-only "$file" | grep -q ' __[a-z]*printf_chk' || lacks "checked functions"
    case $(readelf -hW "$file" | awk '$1 == "Type:" { print $2 }') in
    DYN) ;;
    *) lacks "position-independent code" ;;
    esac
done
echo "hardened: $# files"
