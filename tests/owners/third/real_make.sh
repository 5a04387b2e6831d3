# shellcheck shell=bash
# make: 150,000 targets.
{
    echo 'all: ; @:'
    seq -f 'folder/target-%.0f.o:' 150000
} >targets.mk
$RUN make -r -R -f targets.mk all
