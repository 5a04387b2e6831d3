# shellcheck shell=bash
# addr2line: one address is looked up among the 500,000 lines of an object file.
{
    echo '.text'
    seq -f 'nop # %.0f' 500000
} >lines.s
as -g lines.s -o lines.o
$RUN addr2line -e lines.o 0x1000
