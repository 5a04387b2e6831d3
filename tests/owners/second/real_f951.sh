# shellcheck shell=bash
# The Fortran compiler itself: 20,000 subroutines with a variable each.
seq 20000 | sed 's/.*/subroutine sub_&(argument_&)\ninteger :: argument_&\nend subroutine/' >many.f90
$RUN "$(gcc -print-prog-name=f951)" many.f90 -quiet -fsyntax-only -o many.s
