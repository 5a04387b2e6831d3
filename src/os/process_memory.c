#include "os/process_memory.h"

#include <errno.h>
#include <sys/uio.h>

#define PAGE_BYTES 4096u /* or a divisor of the page's size: no piece may lie in two pages */
#define PIECES 64u

/*
 * Of a piece that is not all there nothing may be copied, so each lies in one page.
 */
static size_t read_process(void *context, uint64_t address, void *out, size_t size)
{
    const uint32_t *pid = context;
    uint8_t *to = out;
    size_t done = 0;
    while (done != size) {
        struct iovec pieces[PIECES];
        size_t asked = 0, count = 0;
        for (; count < PIECES && done + asked != size; count++) {
            uint64_t from = address + done + asked;
            size_t room = PAGE_BYTES - (size_t)(from % PAGE_BYTES), left = size - done - asked;
            pieces[count] = (struct iovec){(void *)(uintptr_t)from, room < left ? room : left};
            asked += pieces[count].iov_len;
        }
        struct iovec here = {to + done, asked};
        ssize_t got = process_vm_readv((pid_t)*pid, &here, 1, pieces, count, 0);
        done += got > 0 ? (size_t)got : 0;
        if (got < 0 || (size_t)got != asked)
            break;
    }
    return done;
}

struct hf_memory hf_memory_of_process(const uint32_t *pid)
{
    return (struct hf_memory){read_process, (void *)(uintptr_t)pid};
}

enum hf_status hf_memory_check_process(uint32_t pid, uint64_t address, struct hf_error *err)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
    if (process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == 1)
        return HF_OK;
    if (errno == EPERM)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "the memory of process %u may not be read: ask as root", pid);
    return hf_error_system(err, errno, "cannot read the memory of process %u", pid);
}

bool hf_memory_text(const struct hf_memory *memory, uint64_t address, char *out, size_t size,
    struct hf_text *out_text)
{
    struct hf_text read = {out, memory->read(memory->context, address, out, size)};
    *out_text = hf_text_first(read, hf_text_find(read, '\0'));
    return out_text->size != read.size;
}
