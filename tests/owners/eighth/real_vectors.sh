# shellcheck shell=bash
# strip: takes the names from an object that has a very long table of functions, with a relocation for each.
{
    echo '.text'
    seq -f 'helper_%.0f: ret' 3000
    echo '.data'
    seq -f '.quad helper_1 + %.0f' 600000
} >library.s
as library.s -o library.o
$RUN strip --strip-unneeded library.o -o small.o
