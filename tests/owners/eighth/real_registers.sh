# shellcheck shell=bash
# cc1: the registers of a family of chips as macros, of which the code writes to one.
seq 36000 | sed 's/.*/#define REGISTER_&(value, mask) (*(volatile unsigned *)(BASE + &) = ((value) \& (mask)))/' >registers.h
cat >boot.c <<'C'
#define BASE 4096
#include "registers.h"
int main(void)
{
    return REGISTER_7(1, 3);
}
C
$RUN "$(gcc -print-prog-name=cc1)" -E -quiet boot.c -o boot.i
