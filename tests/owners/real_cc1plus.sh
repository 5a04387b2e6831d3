# shellcheck shell=bash
# The C++ compiler itself: 300,000 declarations.
seq 300000 | sed 's/.*/int function_&(int first, int second);/' >functions.cc
$RUN "$(gcc -print-prog-name=cc1plus)" -quiet functions.cc -o functions.s
