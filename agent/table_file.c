#include "table_file.h"

#include "base/attr.h"
#include "base/gate.h"
#include "base/mutant.h"
#include "digits.h"
#include "message.h"
#include "pages.h"
#include "room.h"
#include "tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define NAME_MAX_BYTES 64

/* The C library's own of these are cancellation points. */
static int table_file_open_at(int folder, const char *path, int flags, unsigned mode)
{
    return (int)HF_CALL(SYS_openat, folder, path, flags | O_CLOEXEC, mode);
}

static void close_file(int file)
{
    if (!HF_MUTANT(CLOSE))
        (void)HF_CALL(SYS_close, file);
}

/* The beginning of a file, without what does not fit. */
static size_t table_file_read_file(const char *path, char *out, size_t size)
{
    int file = table_file_open_at(AT_FDCWD, path, O_RDONLY, 0);
    if (file < 0)
        return 0;
    long got = HF_CALL(SYS_read, file, out, size);
    close_file(file);
    return got > 0 ? (size_t)got : 0;
}

static size_t table_file_put(char *at, struct hf_text text)
{
    memcpy(at, text.data, text.size);
    return text.size;
}

/* "2f8e7b3c-...\n" */
static void read_boot_id(uint8_t out[16])
{
    char text[40];
    size_t size = table_file_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text),
           digits = 0;
    for (size_t i = 0; i < size && digits < 32; i++) {
        char c = text[i];
        bool is_decimal = c >= '0' && c <= '9';
        if (!is_decimal && (c < 'a' || c > 'f'))
            continue;
        int value = is_decimal ? c - '0' : c - 'a' + 10;
        out[digits / 2] = (uint8_t)(out[digits / 2] << 4 | value);
        digits++;
    }
}

/* A field of proc(5)'s stat, counted behind the last ')': the name before it may hold anything. */
static uint64_t field_of(struct hf_text stat, unsigned wanted)
{
    struct hf_text rest = hf_text_from(stat, hf_text_find_last(stat, ')') + 1);
    for (unsigned field = 3; field <= wanted; field++)
        rest = hf_text_from(rest, hf_text_find(rest, ' ') + 1);
    uint64_t number = 0;
    for (size_t i = 0; i < rest.size && rest.data[i] >= '0' && rest.data[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(rest.data[i] - '0');
    return number;
}

/* Which process this is. */
static void table_file_identify(struct hf_live_head *head)
{
    char text[1024];
    struct hf_text stat = {text, table_file_read_file("/proc/self/stat", text, sizeof text)};
    head->pid = (uint32_t)HF_CALL(SYS_getpid);
    head->parent_pid = (uint32_t)field_of(stat, 4);
    head->start_ticks = field_of(stat, 22);
    head->pid_namespace = hf_tidy_namespace();
    read_boot_id(head->boot_id);
}

static uint64_t table_file_now_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void table_file_describe(
    struct hf_live_head *head, uint64_t period_bytes, uint64_t table_bytes)
{
    *head = (struct hf_live_head){
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .period_bytes = period_bytes,
        .monotonic_ns = table_file_now_ns(CLOCK_MONOTONIC),
        .realtime_ns = table_file_now_ns(CLOCK_REALTIME),
    };
    table_file_identify(head);
    size_t size =
        table_file_read_file("/proc/self/cmdline", head->command, sizeof head->command - 1);
    for (size_t i = 0; i + 1 < size; i++) {
        if (head->command[i] == '\0')
            head->command[i] = ' ';
    }
    hf_live_plan(head, table_bytes);
}

static bool populate(void *at, size_t bytes)
{
    return HF_MUTANT(COMMIT) || HF_CALL(SYS_madvise, at, bytes, MADV_POPULATE_WRITE) == 0;
}

/* Before Linux 5.14: fallocate has made all pages. */
static bool is_populated(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

/* Maps a table of this size; false, with errno, without room. */
static bool map(
    struct hf_live_table *table, int file, const struct hf_agent_conf *conf, uint64_t bytes)
{
    if (HF_CALL(SYS_ftruncate, file, bytes) != 0)
        return false;
    int sharing = HF_MUTANT(SHARED) ? MAP_PRIVATE : MAP_SHARED;
    void *memory = (void *)(uintptr_t)HF_CALL(
        SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        return false;
    hf_live_commit *commit = populate;
    if (!populate(memory, HF_LIVE_PAGE_BYTES) && errno == EINVAL) {
        commit = is_populated;
        if (HF_CALL(SYS_fallocate, file, 0, 0, bytes) != 0)
            goto failed;
    }
    static struct hf_live_head head;
    table_file_describe(&head, conf->period_bytes, bytes);
    if (!hf_live_begin(table, memory, &head, commit))
        goto failed;
    table->control->is_paused = !conf->prof_active;
    return true;
failed:;
    int error = errno;
    (void)HF_CALL(SYS_munmap, memory, bytes);
    errno = error;
    return false;
}

/* Where the table is, or is to be. */
static struct {
    char path[PATH_MAX];
    size_t folder_size;
} made;

/* The folder of our own in `path`, made if it is missing; -1, with errno. */
static int open_folder(struct hf_text path)
{
    char *name = made.path;
    if (path.size == 0 || path.size > sizeof made.path - 2 * NAME_MAX_BYTES) {
        errno = ENOENT;
        return -1;
    }
    char digits[HF_DIGITS_MAX];
    size_t size = table_file_put(name, path);
    size += table_file_put(name + size, HF_TEXT("/heapflame-"));
    size += table_file_put(name + size, hf_digits((uint64_t)HF_CALL(SYS_geteuid), 10, digits));
    name[size] = '\0';
    made.folder_size = size;
    if (HF_CALL(SYS_mkdirat, AT_FDCWD, name, 0700) != 0 && errno != EEXIST)
        return -1;
    int folder = table_file_open_at(AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    struct stat status;
    if (folder < 0)
        return -1;
    if (HF_CALL(SYS_fstat, folder, &status) != 0 || status.st_uid != (uid_t)HF_CALL(SYS_geteuid) ||
        (status.st_mode & 077) != 0) {
        close_file(folder);
        errno = EPERM;
        return -1;
    }
    return folder;
}

/* "4711-e6b9d0a8.live", or with a family "4711-99-e6b9d0a8.live" */
static int create(int folder, const struct hf_agent_conf *conf, char name[NAME_MAX_BYTES])
{
    for (unsigned tries = 0; tries < 8; tries++) {
        uint64_t number = table_file_now_ns(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15);
        (void)HF_CALL(SYS_getrandom, &number, sizeof number, GRND_NONBLOCK);
        char digits[HF_DIGITS_MAX];
        size_t size = table_file_put(name, hf_digits((uint64_t)HF_CALL(SYS_getpid), 10, digits));
        size += table_file_put(name + size, HF_TEXT("-"));
        if (conf->family != 0) {
            size += table_file_put(name + size, hf_digits(conf->family, 10, digits));
            size += table_file_put(name + size, HF_TEXT("-"));
        }
        size += table_file_put(name + size, hf_digits(number, 16, digits));
        size += table_file_put(name + size, HF_TEXT(".live"));
        name[size] = '\0';
        int file = table_file_open_at(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* Makes *bytes at most `most`, which is for the reason `why`. */
static void bound(uint64_t *bytes, uint64_t most, int why, int *out_why)
{
    if (most >= *bytes)
        return;
    *bytes = most;
    *out_why = why;
}

/* Of what is asked for: what a file may have, and what there is room for now. *out_why: an errno
 * value, of what bounded it; 0: nothing did. */
static uint64_t table_file_size_of(const struct hf_agent_conf *conf, int file, int *out_why)
{
    uint64_t bytes = conf->budget_bytes, room = hf_room_left();
    struct rlimit limit;
    struct statfs system;
    *out_why = 0;
    if (HF_CALL(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0)
        bound(&bytes, limit.rlim_cur, EFBIG, out_why);
    if (HF_CALL(SYS_fstatfs, file, &system) == 0)
        bound(&bytes,
            system.f_bavail < bytes / (uint64_t)system.f_bsize
                ? system.f_bavail * (uint64_t)system.f_bsize
                : bytes,
            ENOSPC, out_why);
    uint64_t share = room / HF_ROOM_SHARE;
    if (share < HF_LIVE_TABLE_MIN && room >= 4 * HF_LIVE_TABLE_MIN)
        share = HF_LIVE_TABLE_MIN;
    if (room != HF_ROOM_UNLIMITED)
        bound(&bytes, share, ENOMEM, out_why);
    return bytes - bytes % HF_LIVE_PAGE_BYTES;
}

static bool make_in(
    struct hf_live_table *table, const struct hf_agent_conf *conf, struct hf_text path)
{
    int folder = open_folder(path);
    if (folder < 0)
        return false;
    char name[NAME_MAX_BYTES];
    int file = create(folder, conf, name), error = errno;
    bool is_made = false;
    if (file >= 0) {
        int why;
        uint64_t bytes = table_file_size_of(conf, file, &why);
        error = why;
        for (; !is_made && bytes >= HF_LIVE_TABLE_MIN; bytes = bytes / 2 & ~UINT64_C(4095)) {
            is_made = map(table, file, conf, bytes);
            error = errno;
        }
        if (is_made && why == ENOMEM)
            atomic_store(&table->state->bounds, HF_LIVE_BOUND_ADDRESS_SPACE);
        if (!is_made)
            (void)HF_CALL(SYS_unlinkat, folder, name, 0);
        close_file(file);
        if (is_made) {
            size_t size =
                made.folder_size + table_file_put(made.path + made.folder_size, HF_TEXT("/"));
            made.path[size + table_file_put(made.path + size, hf_text_of(name))] = '\0';
            hf_tidy(folder);
        }
    }
    close_file(folder);
    errno = error;
    return is_made;
}

static struct hf_text reason(int error)
{
    switch (error) {
    case EACCES:
    case EPERM: return HF_TEXT("no permission, or the folder in it belongs to another user");
    case EROFS: return HF_TEXT("it is read-only");
    case ENOENT:
    case ENOTDIR:
    case ELOOP: return HF_TEXT("it is not a folder");
    case ENOSPC:
    case EFAULT: return HF_TEXT("it has less than 1 MiB free");
    case ENOMEM: return HF_TEXT("there is no memory or address space for it (ulimit -v)");
    case EFBIG: return HF_TEXT("files may not be that large (ulimit -f)");
    case EMFILE:
    case ENFILE: return HF_TEXT("no more files can be opened (ulimit -n)");
    default: return HF_TEXT("the system refused it");
    }
}

bool hf_table_file_make(struct hf_live_table *table, const struct hf_agent_conf *conf)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    struct hf_text folders[] = {
        hf_text_of(runtime != NULL ? runtime : ""),
        HF_TEXT("/dev/shm"),
        HF_TEXT("/tmp"),
    };
    size_t count = HF_COUNT(folders);
    if (conf->dir.size != 0) {
        folders[0] = conf->dir;
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (folders[i].size != 0 && make_in(table, conf, folders[i]))
            return true;
    }
    struct hf_text last = folders[count - 1];
    HF_MESSAGE(HF_TEXT("cannot create a live table in "), last, HF_TEXT(": "), reason(errno),
        HF_TEXT(
            "; the program runs unprofiled; choose another folder with HEAPFLAME_CONF=dir:PATH"));
    return false;
}

void hf_table_file_remove(void)
{
    (void)HF_CALL(SYS_unlinkat, AT_FDCWD, made.path, 0);
}

void hf_table_file_forget(struct hf_live_table *table)
{
    /* By pieces: what was given up may be somebody else's by now. */
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS; kind++)
        hf_pages_unmap(table->regions[kind], table->limits[kind]);
    hf_pages_unmap(table->head, 3 * HF_LIVE_PAGE_BYTES);
}
