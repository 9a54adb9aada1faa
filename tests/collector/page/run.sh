#!/bin/sh
# Tests the pages of podiumd and its browser client, in Node and in Debian's Chromium.
#
#   run.sh SOURCE-DIR PODIUMD PODIUM STATIC-LIBRARY PAGE-DIR WORK-DIR
#
# PAGE-DIR is where scripts/page.sh has built the pages. Exits with 77 if it could not, or if npm cannot be reached.
set -eu
source=$1 podiumd=$2 program=$3 library=$4 page=$5 work=$6
command -v node >/dev/null || { echo "collector/page: skipped, because node is not installed"; exit 77; }
[ -f "$page/files/join.html" ] || { echo "collector/page: skipped, because podiumd has no pages"; exit 77; }
mkdir -p "$work"
work=$(cd "$work" && pwd)
"$source/scripts/web.sh" npm "$work/npm" playwright-core@1.65.1 axe-core@4.14.0
# The environment of python/package, if that test has made it
python=$work/../python/venv/bin/python
! "$python" -c 'import podium' 2>/dev/null || export PODIUM_PYTHON="$python"
export PODIUM_SOURCE="$source" PODIUMD="$podiumd" PODIUM_PROGRAM="$program" PODIUM_LIBRARY="$library"
export PODIUM_PACKAGE="$page/web/package" PODIUM_WORK="$work"
exec node --test --test-reporter=spec "$source"/tests/collector/page/*.test.mjs
