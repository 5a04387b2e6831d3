#include "os/process/process_memory.h"

#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

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

enum hf_status hf_memory_open(uint32_t pid, int *out_fd, struct hf_error *err)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/mem", pid);
    *out_fd = hf_path_open(path, 0);
    if (*out_fd >= 0)
        return HF_OK;
    if (errno == EACCES || errno == EPERM)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "the memory of process %u may not be read: ask as root", pid);
    return hf_error_system(err, errno, "cannot read the memory of process %u", pid);
}

/* proc(5): it copies up to the first page that is not there. */
static size_t read_file(void *context, uint64_t address, void *out, size_t size)
{
    const int *fd = context;
    size_t done = 0;
    while (done != size && address + done <= INT64_MAX) {
        ssize_t got = pread(*fd, (uint8_t *)out + done, size - done, (off_t)(address + done));
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

struct hf_memory hf_memory_of_file(const int *fd)
{
    return (struct hf_memory){read_file, (void *)(uintptr_t)fd};
}

bool hf_memory_text(const struct hf_memory *memory, uint64_t address, char *out, size_t size,
    struct hf_text *out_text)
{
    struct hf_text read = {out, memory->read(memory->context, address, out, size)};
    *out_text = hf_text_first(read, hf_text_find(read, '\0'));
    return out_text->size != read.size;
}
