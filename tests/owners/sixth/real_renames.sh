# shellcheck shell=bash
# objcopy: 150,000 names that are to be others, of which the object file has few.
seq 150000 | sed 's/.*/the_name_of_function_& the_new_name_of_function_&_in_the_library/' >renames.txt
{
    seq -f '.globl the_name_of_function_%.0f' 40
    echo '.text'
    seq -f 'the_name_of_function_%.0f: nop' 40
} >few.s
as few.s -o few.o
$RUN objcopy --redefine-syms=renames.txt few.o renamed.o
