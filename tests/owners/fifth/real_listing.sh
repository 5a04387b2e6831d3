# shellcheck shell=bash
# as, with a listing: what belongs to each of 100,000 lines is kept until the listing is written.
seq -f 'nop # %.0f' 100000 >lines.s
$RUN as -aln=lines.lst lines.s -o lines.o
