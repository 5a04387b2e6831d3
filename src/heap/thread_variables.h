/*
 * thread_variables.h: where the program's thread-local variables (`thread_local`, `__thread`) lie
 * in the storage of a thread.
 *
 * Those of the program come first, right below the thread's fs_base: System V ABI for x86-64 and
 * Drepper 2013, "ELF handling for thread-local storage", variant II. Those of libraries lie below
 * them, in an order that only the dynamic linker knows; heapflame has no names for them.
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

/* Whether a file is a program, not a library. */
bool hf_thread_variables_is_program(const struct hf_elf *elf);

/* How many bytes below fs_base the program's variables begin; 0: it has none. */
uint64_t hf_thread_variables_below(const struct hf_elf *elf);

#endif
