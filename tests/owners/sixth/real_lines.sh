# shellcheck shell=bash
# as: the lines of 150,000 instructions, for a debugger.
seq -f 'add $%.0f, %%eax' 150000 >code.s
$RUN as -g code.s -o code.o
