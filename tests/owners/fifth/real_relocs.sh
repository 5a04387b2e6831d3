# shellcheck shell=bash
# readelf: 1,100,000 relocations of one section.
printf '.data\n.rept 1100000\n.quad other\n.endr\n' >relocs.s
as relocs.s -o relocs.o
$RUN readelf -r relocs.o >relocs.txt
