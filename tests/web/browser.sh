#!/bin/sh
# Tests the package that package.sh has installed in Chromium.
#
#   browser.sh SOURCE-DIR PROGRAM WORK-DIR
#
# Exits with 77 if npm cannot be reached.
set -eu
source=$1 work=$3
"$source/scripts/web.sh" npm "$work/browser" playwright-core@1
[ -d "$work/project/node_modules/podium-privacy" ] || { echo "browser.sh: skipped, as package.sh was" >&2; exit 77; }
cd "$work/project"
cp "$source"/tests/web/*.mjs .
PODIUM_VECTORS=$source/tests/data/vectors.txt node browser.mjs "$work/project" "$work/browser"
