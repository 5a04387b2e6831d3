#include "capture/table_control.h"

#include "os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum hf_status hf_table_control_is_active(
    const struct hf_found_table *table, bool *out_is_active, struct hf_error *err)
{
    struct hf_live_control control;
    if (pread(table->fd, &control, sizeof control, HF_LIVE_CONTROL_AT) != sizeof control)
        return hf_error_set(err, HF_ERR_INPUT, "%s is cut short", table->path);
    *out_is_active = atomic_load(&control.is_paused) == 0;
    return HF_OK;
}

/* The very file that is open for reading, whatever its name leads to now. */
static bool table_control_write(
    const struct hf_found_table *table, uint64_t offset, const void *bytes, size_t size)
{
    char path[PATH_MAX];
    int fd = hf_path_format(path, "/proc/self/fd/%d", table->fd)
                 ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                 : -1;
    if (fd < 0)
        return false;
    bool is_put = size == 0 || pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size;
    int error = errno;
    close(fd);
    errno = error;
    return is_put;
}

static bool table_control_put(const struct hf_found_table *table, size_t offset, uint64_t word)
{
    return table_control_write(table, HF_LIVE_CONTROL_AT + offset, &word, sizeof word);
}

enum hf_status hf_table_control_set_active(
    const struct hf_found_table *table, bool is_active, struct hf_error *err)
{
    if (table_control_put(table, offsetof(struct hf_live_control, is_paused), !is_active))
        return HF_OK;
    return hf_error_system(err, errno, "cannot write to %s", table->path);
}

void hf_table_control_watch(const struct hf_found_table *table, uint64_t until_ns)
{
    (void)table_control_put(table, offsetof(struct hf_live_control, watched_until_ns), until_ns);
}

void hf_table_control_keep(const struct hf_found_table *table)
{
    (void)table_control_put(table, offsetof(struct hf_live_control, is_kept), 1);
}

/* The parts come last: with them there is something to read. */
void hf_table_control_note(
    const struct hf_found_table *table, const struct hf_live_resident_memory *memory)
{
    struct hf_live_control control = {0};
    struct timespec now = {0};
    size_t from = offsetof(struct hf_live_control, resident_ns);
    size_t count = memory->count < table->head.residents.capacity ? memory->count
                                                                  : table->head.residents.capacity;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    control.resident_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    control.resident_count = count;
    control.part_count = HF_LIVE_PARTS;
    for (size_t i = 0; i < HF_LIVE_PARTS; i++)
        control.parts[i] = memory->parts[i];
    if (table->head.minor < 6 ||
        table->head.residents.record_bytes != sizeof(struct hf_live_resident) ||
        !table_control_write(table, table->head.residents.offset, memory->residents,
            count * sizeof *memory->residents))
        return;
    (void)!table_control_write(
        table, HF_LIVE_CONTROL_AT + from, (const uint8_t *)&control + from, sizeof control - from);
}
