# shellcheck shell=bash
# gm: the pictures between two others, all of which are held until they are written.
gm convert -size 420x420 xc:red first.miff
gm convert -size 420x420 xc:blue second.miff
$RUN gm convert first.miff second.miff -morph 24 morph.miff
