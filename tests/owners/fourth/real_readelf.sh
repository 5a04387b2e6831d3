# shellcheck shell=bash
# readelf: the table of 500,000 names of one object file.
{
    echo '.text'
    seq -f 'name_%.0f: nop' 500000
} >names.s
as names.s -o names.o
$RUN readelf -s -W names.o >names.txt
