#!/bin/sh
# Calls podiumd as docs/openapi.yaml says, and as it does not say, with Schemathesis from PyPI in an environment of the
# build directory. Skipped (77) if PyPI cannot be reached.
#
#   schema.sh SOURCE-DIR PODIUMD PODIUM WORK-DIR [EXAMPLES]
set -eu
source=$1 podiumd=$2 podium=$3 work=$4 examples=${5:-8}
mkdir -p "$work"
"$source/scripts/python.sh" venv "$work" schemathesis==4.32.5
rm -rf "$work/data" "$work/.hypothesis" "$work/started"
"$podium" design --range 1:120 --epsilon 1 --mechanism minimax --name age -o "$work/age.podium"
"$podiumd" --data "$work/data" --collection "$work/age.podium" --label age:region=north,south --open \
    --listen 127.0.0.1:0 >"$work/started" &
server=$!
trap 'kill $server; wait $server || true' EXIT
tries=0
until grep -q listens "$work/started" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || exit 1
    sleep 0.1
done
address=$(sed -n 's/^podiumd listens at //p' "$work/started")

# The name of the collection is given, because a random one exists almost never. The server runs with --open, so that the
# description may not ask for tokens. Which labels a collection declares no schema can say, so that a request that fits the
# schema may be refused (positive_data_acceptance).
cat >"$work/schemathesis.toml" <<'TOML'
[parameters]
"path.name" = "age"
by = "region"
TOML
sed '/^security:/,/^tags:/{/^tags:/!d}; /^ *security: \[\]/d' "$source/docs/openapi.yaml" >"$work/openapi.yaml"
cd "$work"
venv/bin/schemathesis --config-file schemathesis.toml run --url "$address" --seed 18 --max-examples "$examples" \
    --checks all --exclude-checks positive_data_acceptance --phases examples,coverage,fuzzing --no-color openapi.yaml
