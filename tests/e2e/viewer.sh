#!/usr/bin/env bash
# web/viewer.html is what its sources make, byte for byte, and they pass the type checker.

set -euo pipefail

tools=$HEAPFLAME_SRC/web/node_modules
[ -d "$tools" ] || { echo "esbuild and typescript are missing (script/bootstrap test installs them)" && exit 77; }
"$tools/.bin/tsc" --noEmit -p "$HEAPFLAME_SRC/web"
node "$HEAPFLAME_SRC/web/build.mjs" "$PWD/viewer.html"
cmp "$PWD/viewer.html" "$HEAPFLAME_SRC/web/viewer.html" ||
    { echo "viewer: web/viewer.html is older than its sources: run npm run build in web/" && exit 1; }
