# shellcheck shell=bash
# ar: the index of an archive, of one object file that defines 110,000 names.
{
    seq -f '.globl the_function_%.0f' 110000
    echo '.text'
    seq -f 'the_function_%.0f: nop' 110000
} >names.s
as names.s -o names.o
rm -f names.a
$RUN ar rcs names.a names.o
