# shellcheck shell=bash
# clang: 50,000 macros with a long body.
seq 50000 | sed 's/.*/#define MACRO_&(a, b) ((a) * & + (b) - (a) \/ (b) + other_&((a), (b)))/' >macros.h
echo 'int main(void) { return 0; }' >main.c
$RUN "$(readlink -f "$(command -v clang)")" -cc1 -fsyntax-only -include macros.h main.c
