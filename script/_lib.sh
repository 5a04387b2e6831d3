# shellcheck shell=bash
# What the scripts share: go to the top of the source tree, print the header comment as help, fail in one sentence.

SELF=$(readlink -f "$0")
ROOT=$(dirname "$(dirname "$SELF")")
cd "$ROOT" || exit

usage() {
    sed -n '2,/^$/{/^#/!q;s/^# \{0,1\}//p}' "$SELF"
}

die() {
    echo "script/$(basename "$SELF"): $*" >&2
    exit 2
}

# Packages are missing, a build stands beside another one: whoever comes second waits.
lock() {
    mkdir -p "$1"
    exec 9>"$1/.lock"
    flock 9
}
