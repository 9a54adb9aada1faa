#!/bin/sh
# No source file names a mechanism, except its own, the registry and the public enum; whoever needs one walks the registry.
# The paper's reproduction may, because it is about particular mechanisms.
#
#   names.sh SOURCE-DIR
set -eu
cd "$1"

enumerators=$(sed -n 's/^ *PODIUM_MECHANISM_\([A-Z_]*\) = [0-9]*.*/\1/p' include/podium.h | grep -v -x DEFAULT)
[ "$(echo "$enumerators" | wc -l)" -ge 9 ] || { echo "names: podium.h has no enum of mechanisms" >&2; exit 1; }

# "podium" is the library's name too, so only its enumerator counts.
words=$(echo "$enumerators" | grep -v -x PODIUM | tr 'A-Z\n' 'a-z|' | sed 's/|$//; s/_/[-_ ]/g')
pattern="(?<![a-z])($words)(?![a-z])|PODIUM_MECHANISM_(?!DEFAULT\\b|[A-Z_]*\\()[A-Z]"

found=$(find src cli collector adapters include -name '*.[ch]' \
    ! -path 'src/collection/mechanisms/*' ! -path src/collection/registry.c ! -path include/podium.h \
    ! -path 'cli/commands/paper/*' ! -path cli/commands/params.c -print0 |
    xargs -0 grep -n -i -P "$pattern" || true)
if [ -n "$found" ]; then
    echo "names: these lines name a mechanism:" >&2
    echo "$found" >&2
    exit 1
fi
echo "names: $(echo "$enumerators" | wc -l) mechanisms, each named in its own file alone"
