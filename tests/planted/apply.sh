#!/bin/sh
# Every planted bug can still be planted, also those that only `make check-long` plants.
#
#   apply.sh SOURCE-DIR
set -eu
failed=0
for file in "$1"/tests/planted/*.patch; do
    patch --dry-run --force --silent --fuzz 0 --strip 1 --directory "$1" <"$file" >/dev/null || {
        echo "$(basename "$file") does not apply" >&2
        failed=1
    }
done
exit $failed
