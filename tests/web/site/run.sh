#!/bin/sh
# Builds the page, and tests it: its settings and code in Node, and the rest in Debian's Chromium.
#
#   run.sh SOURCE-DIR PROGRAM STATIC-LIBRARY EXTENSION-OR-NOTHING PACKAGE-DIR WORK-DIR
#
# Exits with 77 if there is no Node or npm cannot be reached.
set -eu
source=$1 program=$2 library=$3 extension=$4 package=$5 work=$6
command -v node >/dev/null || { echo "web/site: skipped, because node is not installed"; exit 77; }
mkdir -p "$work"
work=$(cd "$work" && pwd)
"$source/scripts/web.sh" npm "$work/npm" playwright-core@1.65.1 axe-core@4.14.0
"$source/scripts/site.sh" build "$package" "$work/site"
export PODIUM_SOURCE="$source" PODIUM_PROGRAM="$program" PODIUM_LIBRARY="$library" PODIUM_EXTENSION="$extension"
# The environment of python/package, if that test has made it
python=$work/../python/venv/bin/python
! "$python" -c 'import podium' 2>/dev/null || export PODIUM_PYTHON="$python"
export PODIUM_PACKAGE="$package" PODIUM_WORK="$work"
exec node --test --test-reporter=spec "$source/tests/web/site/code.test.mjs" "$source/tests/web/site/page.test.mjs"
