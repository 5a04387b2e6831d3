/*
 * thread_variables.h: where the variables of the program that each thread has for itself
 * (`thread_local`, `__thread`) lie in its storage.
 *
 * Those of the program come first, right below the thread's fs_base: System V ABI for x86-64 and
 * Drepper 2013, "ELF handling for thread-local storage", variant II. Those of libraries lie behind
 * them in an order that the dynamic linker alone knows; they have no name.
 *
 * Example:
 *
 *     struct hf_elf elf = {0}; // of the program
 *     if (hf_thread_variables_is_program(&elf))
 *         hf_out_u64(out, hf_thread_variables_below(&elf));
 */
#ifndef HF_HEAP_THREAD_VARIABLES_H
#define HF_HEAP_THREAD_VARIABLES_H

#include "elf/image.h"

/* Whether a file is a program's, not a library's. */
bool hf_thread_variables_is_program(const struct hf_elf *elf);

/* So many bytes below fs_base the variables of the program begin; 0: it has none. */
uint64_t hf_thread_variables_below(const struct hf_elf *elf);

#endif
