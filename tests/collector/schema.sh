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
# A stream of events has no end, so its events are compared with their schema here, before and after a batch.
"$podium" privatize --collection age.podium --codes --header no -o codes <<NUMBERS
$(seq 1 120)
NUMBERS
venv/bin/python - openapi.yaml "$address" <<'PYTHON'
import json, sys, urllib.request
import jsonschema_rs, yaml  # which Schemathesis brings
description = yaml.safe_load(open(sys.argv[1]))
age = sys.argv[2] + "/v1/collections/age"
validator = jsonschema_rs.validator_for({"$ref": "#/components/schemas/Event", "components": json.loads(json.dumps(description["components"]).replace(
    '"type": "number", "nullable": true', '"type": ["number", "null"]'))})
codes = [int(code) for code in open("codes")]
body = json.dumps({"codes": codes, "labels": {"region": "north"}}).encode()
counts = []
with urllib.request.urlopen(age + "/events", timeout=20) as stream:
    assert stream.headers["Content-Type"] == "text/event-stream"
    for line in stream:
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line[6:])
        validator.validate(event)
        counts.append(event["n"])
        if counts[-1] == len(codes):
            break
        urllib.request.urlopen(urllib.request.Request(age + "/reports", body, {"Content-Type": "application/json"}))
print("events are as described, with", counts, "reports")
PYTHON
venv/bin/schemathesis --config-file schemathesis.toml run --url "$address" --seed 18 --max-examples "$examples" \
    --exclude-path-regex '/events$' --checks all --exclude-checks positive_data_acceptance --phases examples,coverage,fuzzing --no-color openapi.yaml
