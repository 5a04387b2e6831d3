# shellcheck shell=bash
# gcc: a driver that has the firmware of its device as an array of bytes in C.
{
    echo '#include <stddef.h>'
    echo 'const unsigned char firmware[] = {'
    seq 1 75000 | od -An -v -tx1 | sed 's/ \(..\)/0x\1, /g'
    echo '};'
    echo 'const size_t firmware_size = sizeof(firmware);'
} >firmware.c
$RUN "$(gcc -print-prog-name=cc1)" -quiet -O2 firmware.c -o firmware.s
