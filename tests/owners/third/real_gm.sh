# shellcheck shell=bash
# GraphicsMagick: 600 pictures between two, which are all kept until the last is made.
gm convert -size 80x80 xc:red from.ppm
gm convert -size 80x80 xc:blue to.ppm
OMP_NUM_THREADS=1 $RUN gm convert from.ppm to.ppm -morph 600 null:
