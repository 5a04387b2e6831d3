/*
 * process_memory.h: reads the memory of a running process from outside.
 *
 * Nothing is stopped, so what is read together may not belong together, and what an address led to
 * may be gone: whoever follows pointers must expect any bytes behind them.
 *
 * To open it asks for the right to trace the process: being its user with the same capabilities, or
 * CAP_SYS_PTRACE.
 *
 * Example:
 *
 *     #include <unistd.h>
 *
 *     int fd;
 *     uint64_t word;
 *     status = hf_memory_open(4711, &fd, err);
 *     if (status != HF_OK)
 *         return status;
 *     struct hf_memory memory = hf_memory_of_file(&fd);
 *     if (hf_memory_copy(&memory, 0x400000, &word, sizeof word))
 *         hf_out_hex(out, word);
 *     close(fd);
 */
#ifndef HF_OS_PROCESS_MEMORY_H
#define HF_OS_PROCESS_MEMORY_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any memory with addresses: that of a process, or a model of it in a test. */
struct hf_memory {
    /* Copies from `address` on and returns how many bytes were there before the first that was not,
     * up to `size`. */
    size_t (*read)(void *context, uint64_t address, void *out, size_t size);
    void *context;
};

/*
 * Opens the memory of a process as a file, for the caller to close. Whoever has the descriptor
 * needs no right to read on, and it stays with the program that ran when it was opened: of one that
 * was executed since nothing is read. HF_ERR_SYSTEM, and what to do, if it may not be opened.
 */
HF_MUST_CHECK enum hf_status hf_memory_open(uint32_t pid, int *out_fd, struct hf_error *err);

/* Of such a file; the descriptor is borrowed. */
struct hf_memory hf_memory_of_file(const int *fd);

/* All the bytes or none. */
HF_MUST_CHECK static inline bool hf_memory_copy(
    const struct hf_memory *memory, uint64_t address, void *out, size_t size)
{
    return memory->read(memory->context, address, out, size) == size;
}

/*
 * The text at `address`, up to a NUL, put into `out`. False if there is no NUL among the first
 * `size` bytes, or before memory ends; *out_text is then what there is.
 */
bool hf_memory_text(const struct hf_memory *memory, uint64_t address, char *out, size_t size,
    struct hf_text *out_text);

#endif
