# shellcheck shell=bash
# xz: the encoder is as large as its dictionary asks for, not as its input is.
seq 800000 >numbers.txt
$RUN xz -k -f -T1 --lzma2=preset=0,dict=4MiB numbers.txt
