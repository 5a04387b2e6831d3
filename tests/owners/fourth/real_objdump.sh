# shellcheck shell=bash
# objdump: 500,000 relocations of one section, all against one name.
{
    echo '.data'
    echo '.rept 500000'
    echo '.quad elsewhere'
    echo '.endr'
} >numbers.s
as numbers.s -o numbers.o
$RUN objdump -r numbers.o >relocations.txt
