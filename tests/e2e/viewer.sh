#!/usr/bin/env bash
# web/viewer.html and web/svg_script.js are what their sources make, byte for byte, and they pass the type checker.

set -euo pipefail

tools=$HEAPFLAME_SRC/web/node_modules
[ -d "$tools" ] || { echo "esbuild and typescript are missing (script/bootstrap test installs them)" && exit 77; }
"$tools/.bin/tsc" --noEmit -p "$HEAPFLAME_SRC/web"
node "$HEAPFLAME_SRC/web/build.mjs" "$PWD"
for bundle in viewer.html svg_script.js; do
    cmp "$PWD/$bundle" "$HEAPFLAME_SRC/web/$bundle" ||
        { echo "viewer: web/$bundle is older than its sources: run npm run build in web/" && exit 1; }
done
