# shellcheck shell=bash
# The assembler: 400,000 numbers that are known only as the file ends.
{
    echo '.data'
    yes '.long finish - begin' | head -n 400000
    echo 'begin: .long 1'
    echo 'finish: .long 2'
} >numbers.s
$RUN as numbers.s -o numbers.o
