#include "tidy.h"

#include "base/gate.h"
#include "base/strings/num.h"
#include "base/text.h"
#include "live/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 64

/* As getdents64(2) gives it. */
struct tidy_entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

struct old {
    int64_t written_s;
    char name[NAME_MAX_BYTES];
};

/* Of the one thread that makes the table. */
static struct {
    _Alignas(8) char entries[16 << 10];
    struct old oldest[HF_TIDY_AT_ONCE];
    unsigned old_count;
} tidying;

static bool tidy_is_table(const char *name)
{
    struct hf_text text = hf_text_of(name);
    return text.size < NAME_MAX_BYTES && hf_text_ends(text, ".live");
}

uint64_t hf_tidy_namespace(void)
{
    struct stat info;
    return HF_CALL(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &info, 0) == 0 ? info.st_ino : 0;
}

/* "4711-99-e6b9d0a8.live", and process 99 runs: it records the family, and will read the table. */
static bool tidy_has_reader(const char *name)
{
    uint64_t pid, family;
    struct hf_text text = hf_text_of(name);
    return hf_num_take_u64(&text, &pid) && hf_text_take(&text, "-") &&
           hf_num_take_u64(&text, &family) && hf_text_starts(text, "-") && family != 0 &&
           family <= INT32_MAX && (HF_CALL(SYS_kill, family, 0) == 0 || errno != ESRCH);
}

/* Of a table whose process has its number here, and runs no more. */
static bool tidy_is_dead(int folder, const char *name)
{
    struct hf_live_head head;
    uint64_t pid;
    struct hf_text text = hf_text_of(name);
    if (!hf_num_take_u64(&text, &pid) || pid == 0 || pid > INT32_MAX ||
        HF_CALL(SYS_kill, pid, 0) == 0 || errno != ESRCH)
        return false;
    long file = HF_CALL(SYS_openat, folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    long got = file >= 0 ? HF_CALL(SYS_read, file, &head, sizeof head) : 0;
    if (file >= 0)
        (void)HF_CALL(SYS_close, file);
    return got == (long)sizeof head && memcmp(head.magic, HF_LIVE_MAGIC, sizeof head.magic) == 0 &&
           head.pid_namespace != 0 && head.pid_namespace == hf_tidy_namespace();
}

/* Keeps it if it is one of the oldest. */
static void tidy_weigh(int folder, const char *name)
{
    struct stat info;
    struct old *at = &tidying.oldest[0];
    if (HF_CALL(SYS_newfstatat, folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    for (unsigned i = 1; i < tidying.old_count; i++) /* the youngest of them */
        at = tidying.oldest[i].written_s > at->written_s ? &tidying.oldest[i] : at;
    bool has_room = tidying.old_count < HF_TIDY_AT_ONCE;
    if ((!has_room && info.st_mtim.tv_sec >= at->written_s) || !tidy_is_dead(folder, name))
        return;
    if (has_room)
        at = &tidying.oldest[tidying.old_count++];
    at->written_s = info.st_mtim.tv_sec;
    memcpy(at->name, name, strlen(name) + 1);
}

/* Tables in the folder; `weighs`: each is also weighed, but for those that are to be read. */
static unsigned tidy_walk(int folder, bool weighs, bool takes_all)
{
    unsigned count = 0;
    long got;
    (void)HF_CALL(SYS_lseek, folder, 0, SEEK_SET);
    while ((got = HF_CALL(SYS_getdents64, folder, tidying.entries, sizeof tidying.entries)) > 0) {
        for (long at = 0; at < got;) {
            const struct tidy_entry *entry =
                (const struct tidy_entry *)(void *)(tidying.entries + at);
            at += entry->bytes;
            if (!tidy_is_table(entry->name))
                continue;
            count++;
            if (weighs && (takes_all || !tidy_has_reader(entry->name)))
                tidy_weigh(folder, entry->name);
        }
    }
    return count;
}

void hf_tidy(int folder)
{
    unsigned count = tidy_walk(folder, false, false);
    if (count <= HF_TIDY_TABLES)
        return;
    tidying.old_count = 0;
    (void)tidy_walk(folder, true, count > HF_TIDY_FAMILY_TABLES);
    for (unsigned i = 0; i < tidying.old_count; i++)
        (void)HF_CALL(SYS_unlinkat, folder, tidying.oldest[i].name, 0);
}
