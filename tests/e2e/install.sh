#!/usr/bin/env bash
# sanitized: no, what is installed is not
# What meson installs works from any prefix, also after the whole prefix was moved.

set -euo pipefail

fail() {
    echo "install: $*" >&2
    exit 1
}

command -v meson >/dev/null || { echo "meson is missing" && exit 77; }
command -v scdoc >/dev/null || { echo "scdoc is missing" && exit 77; }

meson install -C "$BUILD" --no-rebuild --quiet --destdir "$PWD/stage" >log 2>&1 || { cat log && fail "meson install"; }
bin=$(find stage -path '*/bin/heapflame')
[ -n "$bin" ] || fail "no bin/heapflame was installed"
mv "${bin%/bin/heapflame}" moved
installed=$PWD/moved/bin/heapflame

[[ "$("$installed" --version)" == "heapflame "* ]] || fail "--version"
[ "$(printf 'main;parse 7\nmain;parse 11\n' | "$installed" fold -)" = 'main;parse 18' ] || fail "fold"

# A page for every command, and one for the whole; each can be formatted.
pages=$("$installed" --help | sed -n '/^Commands:/,/^$/s/^  *\([^ ]*\)  .*/heapflame-\1/p')
[ -n "$pages" ] || fail "--help lists no command"
for page in heapflame $pages; do
    file=moved/share/man/man1/$page.1
    [ -s "$file" ] || fail "$file is missing"
    grep -q '^\.SH NAME' "$file" || fail "$file is no manual page"
done

# Completions: where the shells look, and they load.
bash_completion=moved/share/bash-completion/completions/heapflame
zsh_completion=moved/share/zsh/site-functions/_heapflame
fish_completion=moved/share/fish/vendor_completions.d/heapflame.fish
for file in "$bash_completion" "$zsh_completion" "$fish_completion"; do
    [ -s "$file" ] || fail "$file is missing"
done
bash -n "$bash_completion"
! command -v zsh >/dev/null || zsh -n "$zsh_completion"
! command -v fish >/dev/null || fish --no-execute "$fish_completion"

# The completions of bash for "heapflame WORD..." up to the cursor, on one line.
complete_bash() {
    bash --norc -c '
        source "$1" && shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _heapflame
        echo "${COMPREPLY[*]}"
    ' - "$bash_completion" "$@"
}
[ "$(complete_bash heapflame conv)" = convert ] || fail "bash does not complete the command"
[ "$(complete_bash heapflame fold --alloc_s)" = --alloc_space ] || fail "bash does not complete an option"
[ -z "$(complete_bash heapflame fold some)" ] || fail "bash completes a file name with options"

for file in LICENSE NOTICE; do
    cmp "$HEAPFLAME_SRC/$file" "moved/share/doc/heapflame/$file"
done

# For programs: headers, and a library that pkg-config finds wherever the prefix is.
library=$(cd moved && find . -name libheapflame-ctl.so -printf '%P')
[ -n "$library" ] || fail "no libheapflame-ctl.so was installed"
if command -v pkg-config >/dev/null; then
    read -ra flags <<<"$(PKG_CONFIG_PATH="$PWD/moved/${library%/*}/pkgconfig" pkg-config --define-variable=prefix="$PWD/moved" --cflags --libs heapflame-ctl)"
    gcc -o program "$HEAPFLAME_SRC/examples/pool/pool.c" "${flags[@]}" || fail "a program cannot be built on the installed files"
    LD_LIBRARY_PATH="$PWD/moved/${library%/*}" ./program p.heap | grep -q 'not profiled' || fail "libheapflame-ctl"
fi

# Only what belongs to the command is installed; the example service and the tests are not.
others=$(cd moved && find . ! -type d ! -path './share/man/man1/heapflame*.1' ! -path './share/doc/heapflame/*' ! -path ./bin/heapflame \
    ! -path "./${library%/*}/libheapflame-ctl.so*" ! -path "./${library%/*}/pkgconfig/heapflame-ctl.pc" \
    ! -path "./${library%/*}/heapflame/libheapflame.so" ! -path './include/heapflame/heapflame.h' ! -path './include/heapflame/mallctl.h' \
    ! -path "./${bash_completion#moved/}" ! -path "./${zsh_completion#moved/}" ! -path "./${fish_completion#moved/}")
[ -z "$others" ] || fail "installs more than its own: $others"
