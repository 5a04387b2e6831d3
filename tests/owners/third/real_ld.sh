# shellcheck shell=bash
# The linker: an object file with 200,000 names, of which the output keeps none.
{
    seq -f '.globl the_name_of_function_number_%.0f' 200000
    echo '.text'
    seq -f 'the_name_of_function_number_%.0f: ret' 200000
} >names.s
as names.s -o names.o
$RUN ld -s -e the_name_of_function_number_1 names.o -o names
