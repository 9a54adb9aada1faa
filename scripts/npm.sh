#!/bin/sh
# Packages of npm in a directory of the build directory. Nothing of the system's Node is changed.
#
#   npm.sh DIRECTORY PACKAGE...   installs these packages into DIRECTORY/node_modules, unless it has them; exits with 77
#                                 if npm is missing or cannot be reached
set -eu
directory=$1
shift
mkdir -p "$directory"
cd "$directory"
[ "$(cat wanted 2>/dev/null)" != "$*" ] || exit 0
rm -rf node_modules package-lock.json wanted
echo '{"private": true}' >package.json
command -v npm >/dev/null || { echo "npm.sh: skipped, because npm is not installed" >&2; exit 77; }
npm install --no-audit --no-fund --loglevel=error "$@" >npm.log 2>&1 || {
    echo "npm.sh: skipped, because npm cannot install $*:" >&2
    tail -n 3 npm.log >&2
    exit 77
}
echo "$*" >wanted
