#!/bin/sh
# `make installcheck` in a server of its own.
#
#   regress.sh SOURCE-DIR BUILD-DIR
source=$1 build=$2
. "$(dirname "$0")/lib.sh"

install_privately
start one
mkdir "$work/regress"
cd "$work/regress"
unset PGOPTIONS # pg_regress has its own
make -s -f "$source/adapters/postgres/Makefile" PODIUM_BUILD="$build" PG_CONFIG="$PG_CONFIG" installcheck ||
    { cat regression.diffs; fail "installcheck"; }
