#include "capture/leftover_tables.h"

#include "base/strings/num.h"
#include "base/text.h"
#include "capture/found_table.h"
#include "os/file.h"
#include "os/input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define UNBORN_NS (UINT64_C(10) * 1000000000) /* younger ones may be about to be born */

static uint64_t leftover_tables_now_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* "PID-RANDOM.live" or "PID-FAMILY-RANDOM.live"; *out_family is 0 in the first. */
static bool leftover_tables_read_name(const char *path, uint64_t *out_pid, uint64_t *out_family)
{
    struct hf_text name = hf_text_basename(hf_text_of(path));
    *out_family = 0;
    if (!hf_num_take_u64(&name, out_pid) || !hf_text_take(&name, "-"))
        return false;
    uint64_t number;
    if (hf_num_take_u64(&name, &number) && hf_text_starts(name, "-"))
        *out_family = number;
    return *out_pid != 0 && *out_pid <= INT32_MAX && *out_family <= INT32_MAX;
}

static bool leftover_tables_is_running(uint64_t pid)
{
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

static bool is_of_this_boot(const struct hf_live_head *head)
{
    uint8_t id[sizeof head->boot_id] = {0};
    struct hf_input input;
    struct hf_text line;
    enum hf_status status = HF_OK;
    size_t digits = 0;
    if (hf_input_open(&input, "/proc/sys/kernel/random/boot_id", NULL) != HF_OK)
        return true;
    if (hf_input_next(&input, &line, &status, NULL)) {
        for (size_t i = 0; i < line.size && digits < 2 * sizeof id; i++) {
            uint64_t digit;
            if (hf_num_hex((struct hf_text){line.data + i, 1}, &digit)) {
                id[digits / 2] = (uint8_t)((unsigned)id[digits / 2] << 4 | (unsigned)digit);
                digits++;
            }
        }
    }
    hf_input_close(&input);
    return digits == 0 || memcmp(id, head->boot_id, sizeof id) == 0;
}

/* Its writer has numbers of its own: whether it runs cannot be seen. */
static bool is_elsewhere(const struct hf_live_head *head)
{
    struct stat info;
    return head->pid_namespace != 0 && stat("/proc/self/ns/pid", &info) == 0 &&
           info.st_ino != head->pid_namespace;
}

static bool leftover_tables_is_watched(const struct hf_found_table *table)
{
    struct hf_live_control control;
    size_t at = 2 * (size_t)HF_LIVE_PAGE_BYTES;
    return pread(table->fd, &control, sizeof control, (off_t)at) == sizeof control &&
           atomic_load(&control.watched_until_ns) > leftover_tables_now_ns(CLOCK_MONOTONIC);
}

static bool leftover_tables_is_left(const struct hf_found_table *table, uint64_t family)
{
    if (!is_of_this_boot(&table->head))
        return true;
    return !is_elsewhere(&table->head) && hf_found_table_writer(table) == 0 &&
           !leftover_tables_is_watched(table) &&
           (family == 0 || !leftover_tables_is_running(family));
}

/* A file that never became a table, or stays one. */
static bool leftover_tables_is_unborn(int fd)
{
    char magic[8] = {0};
    static const char nothing[sizeof magic];
    return pread(fd, magic, sizeof magic, 0) >= 0 && memcmp(magic, nothing, sizeof magic) == 0;
}

static void leftover_tables_measure(int fd, struct hf_leftover_table *out)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return;
    uint64_t written = (uint64_t)info.st_mtim.tv_sec * 1000000000 + (uint64_t)info.st_mtim.tv_nsec;
    uint64_t now = leftover_tables_now_ns(CLOCK_REALTIME);
    out->bytes = (uint64_t)info.st_blocks * 512;
    out->age_ns = now > written ? now - written : 0;
}

bool hf_leftover_table_at(const char *path, struct hf_leftover_table *out)
{
    uint64_t pid, family;
    struct hf_found_table table;
    *out = (struct hf_leftover_table){0};
    if (!leftover_tables_read_name(path, &pid, &family))
        return false;
    out->pid = (uint32_t)pid;
    if (hf_found_table_open(&table, path, NULL) == HF_OK) {
        leftover_tables_measure(table.fd, out);
        memcpy(out->command, table.head.command, sizeof out->command - 1);
        bool is_one = leftover_tables_is_left(&table, family);
        hf_found_table_close(&table);
        return is_one;
    }
    int fd;
    if (leftover_tables_is_running(pid) || hf_file_open_regular_itself(path, &fd, NULL) != HF_OK)
        return false;
    leftover_tables_measure(fd, out);
    out->is_unborn = leftover_tables_is_unborn(fd) && out->age_ns >= UNBORN_NS;
    close(fd);
    return out->is_unborn;
}

enum hf_status hf_leftover_table_remove(const char *path, struct hf_error *err)
{
    struct hf_leftover_table leftover;
    struct hf_found_table table;
    if (!hf_leftover_table_at(path, &leftover))
        return hf_error_set(err, HF_ERR_SYSTEM, "%s is in use again, or was removed", path);
    if (!leftover.is_unborn && hf_found_table_open(&table, path, err) == HF_OK) {
        enum hf_status status = hf_found_table_remove(&table, err);
        hf_found_table_close(&table);
        return status;
    }
    return unlink(path) == 0 ? HF_OK : hf_error_system(err, errno, "cannot remove %s", path);
}
