#include "map_file.h"

#include "base/gate.h"
#include "base/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

bool hf_map_file_open(struct hf_map_file *file, const char *path)
{
    file->fd = HF_MUTANT(CANCEL) ? open(path, O_RDONLY | O_CLOEXEC)
                                 : (int)HF_CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    file->at = file->end = 0;
    file->is_skipping = false;
    file->is_open = file->fd >= 0;
    return file->is_open;
}

void hf_map_file_close(struct hf_map_file *file)
{
    bool is_open = file->is_open;
    file->is_open = false;
    atomic_signal_fence(memory_order_release);
    if (is_open)
        (void)HF_CALL(SYS_close, file->fd);
}

/* Moves what is left to the front and reads more behind it. */
static bool map_file_fill(struct hf_map_file *file)
{
    if (file->at == 0 && file->end == sizeof file->buffer) {
        file->end = 0;
        file->is_skipping = true;
    }
    memmove(file->buffer, file->buffer + file->at, file->end - file->at);
    file->end -= file->at;
    file->at = 0;
    long got;
    do
        got =
            HF_CALL(SYS_read, file->fd, file->buffer + file->end, sizeof file->buffer - file->end);
    while (got < 0 && errno == EINTR);
    file->end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

bool hf_map_file_next(struct hf_map_file *file, struct hf_map_line *out_line)
{
    for (;;) {
        struct hf_text rest = {file->buffer + file->at, file->end - file->at};
        size_t size = hf_text_find(rest, '\n');
        if (size == rest.size) {
            if (!map_file_fill(file))
                return false;
            continue;
        }
        file->at += size + 1;
        bool is_whole = !file->is_skipping;
        file->is_skipping = false;
        if (is_whole && hf_map_line_parse(hf_text_first(rest, size), out_line))
            return true;
    }
}
