#!/bin/sh
# Names the C files that are not as clang-format writes them, and fails if there are any. With --fix it formats them.
#
#   format.sh [--fix]
set -eu
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || { echo "format.sh: clang-format is missing" >&2; exit 2; }

failed=""
for file in $(find adapters bench cli collector examples include src tests -name '*.[ch]' | sort); do
    if [ "${1:-}" = --fix ]; then
        clang-format -i "$file"
    elif ! clang-format "$file" | cmp -s - "$file"; then
        echo "$file is not formatted" >&2
        failed=yes
    fi
done
[ -z "$failed" ] || { echo "To format them: scripts/format.sh --fix" >&2; exit 1; }
