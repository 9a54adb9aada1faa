#!/bin/sh
# Packs the npm package, installs it into an empty project, and tests it there: the types with tsc, then everything in
# Node, and a few calls in every other runtime that npm has.
#
#   package.sh SOURCE-DIR PROGRAM WORK-DIR
#
# Exits with 77 if npm cannot be reached.
set -eu
source=$1 program=$2 work=$3
"$source/scripts/web.sh" build "$work"
work=$(cd "$work" && pwd)
project=$work/project
tarball=$(ls "$work"/podium-privacy-*.tgz)

"$source/scripts/web.sh" npm "$work/tools" typescript@5.9 @types/node@18 deno@2 node@18
rm -rf "$project"
mkdir -p "$project"
cd "$project"
echo '{ "name": "empty", "private": true, "type": "module" }' >package.json
npm install --offline --no-audit --no-fund --silent "$tarball" # nothing else is needed, so nothing else is fetched
cp "$source"/tests/web/*.mjs "$source/tests/web/types.ts" .

"$work/tools/node_modules/.bin/tsc" --noEmit --strict --target es2022 --module nodenext --lib es2022,dom types.ts
"$work/tools/node_modules/.bin/tsc" --noEmit --strict --target es2022 --module nodenext --lib es2022 --types node \
    --typeRoots "$work/tools/node_modules/@types" types.ts
echo "web: tsc accepts the types"

export PODIUM_VECTORS="$source/tests/data/vectors.txt" PODIUM_PROGRAM="$program"
export PODIUM_PACKAGE="$project/node_modules/podium-privacy/package.json"
node --test --test-reporter=spec >"$work/node.log" 2>&1 || { cat "$work/node.log"; exit 1; }
sed -n 's/^ℹ \(tests\|pass\|fail\) /web: \1 /p; s/^.*\(vectors: .*\)/web: \1/p' "$work/node.log"
npx --offline podium-privacy 'minimax epsilon=1 range=1:120' | grep -q '^minimax epsilon=1 range=1:120 design=0'
! npx --offline podium-privacy nonsense 2>/dev/null

# Every example of docs/web.md that runs in Node
awk '/^```js$/ { file = sprintf("example-%d.mjs", ++n); next } /^```/ { file = "" } file { print > file }' "$source/docs/web.md"
for example in example-*.mjs; do
    node "$example" >/dev/null
done
[ -e example-4.mjs ]

for runtime in "node" "$work/tools/node_modules/node/bin/node" "$work/tools/node_modules/.bin/deno run --allow-all"; do
    # shellcheck disable=SC2086
    DENO_NO_UPDATE_CHECK=1 $runtime smoke.mjs | grep -q 'the package works' || { echo "it fails in $runtime" >&2; exit 1; }
done
echo "web: works in Node $(node -v), Node $("$work/tools/node_modules/node/bin/node" -v) and" \
    "$("$work/tools/node_modules/.bin/deno" --version | head -n 1)"
