# shellcheck shell=bash
# eu-addr2line: asks for a few addresses of a program with a long table of lines.
{
    printf '.file 1 "server.c"\n.text\n.globl _start\n_start:\n'
    seq 400000 | sed 's/.*/.loc 1 &\nnop/'
    echo 'ret'
} >server.s
as -g server.s -o server.o
ld server.o -o server
seq -f 0x401%03.0f 100 40 900 >addresses
$RUN eu-addr2line -e server <addresses >lines
