#include "capture/table_control.h"

#include "os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CONTROL_AT (2 * HF_LIVE_PAGE_BYTES)

enum hf_status hf_table_control_is_active(
    const struct hf_found_table *table, bool *out_is_active, struct hf_error *err)
{
    struct hf_live_control control;
    if (pread(table->fd, &control, sizeof control, CONTROL_AT) != sizeof control)
        return hf_error_set(err, HF_ERR_INPUT, "%s is cut short", table->path);
    *out_is_active = atomic_load(&control.is_paused) == 0;
    return HF_OK;
}

/* errno says why not. The very file that is open for reading, whatever its name leads to now. */
static bool table_control_put(const struct hf_found_table *table, size_t offset, uint64_t word)
{
    char path[PATH_MAX];
    int fd = hf_path_format(path, "/proc/self/fd/%d", table->fd)
                 ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                 : -1;
    if (fd < 0)
        return false;
    bool is_put = pwrite(fd, &word, sizeof word, (off_t)(CONTROL_AT + offset)) == sizeof word;
    int error = errno;
    close(fd);
    errno = error;
    return is_put;
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
