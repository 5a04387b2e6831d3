#include "os/process/process_memory.h"

#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum hf_status hf_memory_open(uint32_t pid, int *out_fd, struct hf_error *err)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/mem", pid);
    *out_fd = hf_path_open(path, 0);
    if (*out_fd >= 0)
        return HF_OK;
    if (errno == EACCES || errno == EPERM)
        return hf_error_set(
            err, HF_ERR_SYSTEM, "no permission to read the memory of process %u: run as root", pid);
    return hf_error_system(err, errno, "cannot read the memory of process %u", pid);
}

/* proc(5): it copies up to the first page that is not there. */
static size_t process_memory_read_file(void *context, uint64_t address, void *out, size_t size)
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
    return (struct hf_memory){process_memory_read_file, (void *)(uintptr_t)fd};
}

bool hf_memory_text(const struct hf_memory *memory, uint64_t address, char *out, size_t size,
    struct hf_text *out_text)
{
    struct hf_text read = {out, memory->read(memory->context, address, out, size)};
    *out_text = hf_text_first(read, hf_text_find(read, '\0'));
    return out_text->size != read.size;
}
