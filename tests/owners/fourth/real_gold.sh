# shellcheck shell=bash
# gold, the other linker: 150,000 names that are defined, in one object file, and not written to the output.
{
    seq -f '.globl the_function_%.0f' 150000
    echo '.text'
    seq -f 'the_function_%.0f: ret' 150000
} >names.s
as names.s -o names.o
$RUN ld.gold -s -e the_function_1 names.o -o names
