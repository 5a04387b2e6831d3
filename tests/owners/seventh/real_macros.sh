# shellcheck shell=bash
# as: macros for the registers of a family of chips, of which the code writes to a few.
for ((i = 1; i <= 26000; i++)); do
    printf '.macro write_register_%d value:req, unit=0, mask=0xffff\n' "$i"
    printf '    mov $\\value & \\mask, %%eax\n    mov %%eax, %d(, %%rbx, 8)\n.endm\n' $((i * 4))
done >chips.inc
{
    echo '.include "chips.inc"'
    echo '.text'
    for i in {1..40}; do
        echo "write_register_$((i * 9)) $i"
    done
} >boot.s
$RUN as boot.s -o boot.o
