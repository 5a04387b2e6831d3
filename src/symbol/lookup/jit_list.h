/*
 * jit_list.h: names of code that a JIT made, from the list that it keeps in memory for GDB.
 *
 *     __jit_debug_descriptor   version (u32, 1), what was done last (u32), entry that it was done
 *                              to, first entry (addresses)
 *     entry                    next, previous, start of an ELF object (addresses), its size (u64)
 *
 * Source: GDB manual, "JIT Compilation Interface". Filled by LLVM's listener for GDB (PostgreSQL:
 * jit_debugging_support), V8 (--gdbjit) and others. Of the objects, symbols of functions that have
 * a size are taken; their lines are not.
 *
 * The list is read from outside while the process runs: what does not fit together ends the
 * reading, and the next look reads again. Entries go when their code does, so whoever wants to know
 * what ran looks again and again: what was seen is kept, as the lines of a perf map (perf_map.h),
 * of which the last one counts.
 *
 * A struct hf_jit_list holds no pointers: it may lie in memory that is shared with a process which
 * was taken over, and is input as any other. All-zero: nothing was seen.
 *
 * Limits: HF_LIMIT_JIT_OBJECTS, HF_LIMIT_JIT_OBJECT_BYTES, HF_LIMIT_JIT_NAME_BYTES. Which of them
 * was hit is a note.
 */
#ifndef HF_SYMBOL_JIT_LIST_H
#define HF_SYMBOL_JIT_LIST_H

#include "base/limits.h"
#include "elf/image.h"
#include "os/process/process_memory.h"
#include "profile/notes.h"

struct hf_jit_list {
    uint64_t descriptor; /* its address; 0: not found */
    uint64_t head[3];    /* of the descriptor, as it was read last */
    uint32_t count, size;
    bool has_more_objects, has_larger_objects, has_more_names;
    uint64_t seen[HF_LIMIT_JIT_OBJECTS]; /* checksums of the objects of the last reading */
    char text[HF_LIMIT_JIT_NAME_BYTES];
};

/* Where the descriptor is in a process, by the files that it executes; 0: in none of them, or the
 * process has no code that is in no file. */
uint64_t hf_jit_list_descriptor(uint32_t pid);

/* Looks at the list once: adds the names of objects that were not there at the last look. */
void hf_jit_list_look(struct hf_jit_list *list, const struct hf_memory *memory);

/* What was seen so far, as a perf map has it; borrowed. */
struct hf_text hf_jit_list_names(const struct hf_jit_list *list);

/* Says which limits were hit. */
void hf_jit_list_note(const struct hf_jit_list *list, struct hf_notes *notes);

/* All of it, of a process that runs: what it has now. *list is new, for the caller to free; NULL:
 * it keeps no list, or may not be read. */
HF_MUST_CHECK enum hf_status hf_jit_list_of(
    uint32_t pid, struct hf_jit_list **out_list, struct hf_error *err);

#endif
