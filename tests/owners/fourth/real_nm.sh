# shellcheck shell=bash
# nm: the list of 250,000 names of one object file, which is sorted before it is printed.
{
    seq -f '.globl name_%.0f' 250000
    echo '.text'
    seq -f 'name_%.0f: nop' 250000
} >names.s
as names.s -o names.o
$RUN nm names.o >names.txt
