# shellcheck shell=bash
# llvm-symbolizer: where a few addresses are, in a program with a long table of lines.
{
    printf '.file 1 "server.c"\n.text\n.globl main\nmain:\n'
    seq 500000 | sed 's/.*/.loc 1 &\nnop/'
    echo 'ret'
} >server.s
as -g server.s -o server.o
$RUN llvm-symbolizer --obj=server.o 0x10 0x2000 0x30000 >lines
