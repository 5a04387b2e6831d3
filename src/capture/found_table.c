#include "capture/found_table.h"

#include "base/attr.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "capture/mark.h"
#include "formats/format.h"
#include "live/residency.h"
#include "os/broker_line.h"
#include "os/file.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/map_line.h"
#include "os/process/proc.h"
#include "symbol/debug_paths.h"
#include "symbol/jemalloc_build.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FOLDER_NAME "heapflame-"

/* Takes over `fd`. */
static enum hf_status found_table_take(
    struct hf_found_table *table, int fd, const char *path, struct hf_error *err)
{
    table->fd = fd;
    enum hf_status status = HF_OK;
    if (!hf_path_format(table->path, "%s", path))
        status = hf_error_set(err, HF_ERR_SYSTEM, "the path of the live table is too long");
    else
        status = hf_live_read_head(hf_live_source_of(&table->fd, table->path), &table->head, err);
    if (status != HF_OK)
        hf_found_table_close(table);
    return status;
}

enum hf_status hf_found_table_open(
    struct hf_found_table *table, const char *path, struct hf_error *err)
{
    int fd;
    table->fd = -1;
    enum hf_status status = hf_file_open_regular_itself(path, &fd, err);
    return status == HF_OK ? found_table_take(table, fd, path, err) : status;
}

void hf_found_table_close(struct hf_found_table *table)
{
    if (table->fd >= 0)
        close(table->fd);
    table->fd = -1;
}

/* Keeps the better of two tables: the newer one. */
static void keep_newer(struct hf_found_table *kept, struct hf_found_table *other)
{
    bool is_better = kept->fd < 0 || other->head.realtime_ns > kept->head.realtime_ns;
    if (is_better) {
        hf_found_table_close(kept);
        *kept = *other;
    } else {
        hf_found_table_close(other);
    }
}

static bool found_table_is_table(const struct hf_map_line *line)
{
    return hf_text_ends(line->path, HF_FOUND_TABLE_ENDING) &&
           hf_text_has(line->path, "/" FOLDER_NAME);
}

/* A file of ours, of root, or of the process's own user, whom it may have become since. */
static bool is_trusted(const struct stat *info, uint32_t pid)
{
    char path[PATH_MAX];
    struct stat process;
    uid_t own = hf_broker_user();
    return own == 0 || info->st_uid == own || info->st_uid == 0 ||
           (hf_path_format(path, "/proc/%u", pid) && hf_path_stat(path, 0, &process) &&
               info->st_uid == process.st_uid);
}

/* Opens `path` if that is the file that is mapped. */
static int open_if_mapped(const char *path, uint32_t pid, const struct hf_map_line *m)
{
    struct stat info;
    int fd;
    if (hf_file_open_regular_itself(path, &fd, NULL) != HF_OK)
        return -1;
    if (fstat(fd, &info) == 0 && info.st_dev == m->device && info.st_ino == m->inode &&
        is_trusted(&info, pid))
        return fd;
    close(fd);
    return -1;
}

/* By its plain name, which outlives the process, or else through the process. */
static int open_mapping(uint32_t pid, const struct hf_map_line *m, char out_path[PATH_MAX])
{
    int fd = -1;
    if (hf_path_format(out_path, "%.*s", (int)m->path.size, m->path.data))
        fd = open_if_mapped(out_path, pid, m);
    if (fd < 0 &&
        hf_path_format(out_path, "/proc/%u/root%.*s", pid, (int)m->path.size, m->path.data))
        fd = open_if_mapped(out_path, pid, m);
    /* A link of the kernel's own: to the mapped file, and never to another. */
    if (fd < 0 &&
        hf_path_format(
            out_path, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, m->start, m->end) &&
        hf_file_open_regular(out_path, &fd, NULL) != HF_OK)
        fd = -1;
    return fd;
}

/* What was found among the mappings of a process. */
struct found_table_search {
    struct hf_found_table *table;
    uint32_t pid, inner_pid;
    uint32_t parent;      /* whose table it has mapped; 0: no other's */
    bool is_out_of_reach; /* it has a table that cannot be opened */
    bool has_agent;       /* the agent is in the process */
};

static void look_at_mapping(struct found_table_search *search, const struct hf_map_line *m)
{
    char path[PATH_MAX];
    struct hf_found_table found;
    int fd = open_mapping(search->pid, m, path);
    if (fd < 0 || found_table_take(&found, fd, path, NULL) != HF_OK)
        search->is_out_of_reach = true;
    else if (found.head.pid == search->inner_pid) {
        keep_newer(search->table, &found);
    } else {
        search->parent = found.head.pid;
        hf_found_table_close(&found);
    }
}

/* True if jemalloc's options in the environment of a process switch its profiler on. */
static bool has_profiler_on(uint32_t pid, const struct hf_jemalloc_build *build)
{
    char path[PATH_MAX];
    struct hf_input environment;
    struct hf_text bytes;
    bool is_on = false;
    if (!hf_path_format(path, "/proc/%u/environ", pid) ||
        hf_input_open(&environment, path, NULL) != HF_OK)
        return false;
    if (hf_input_peek(&environment, HF_LIMIT_CONF_BYTES, &bytes, NULL) == HF_OK) {
        while (bytes.size != 0 && !is_on) {
            struct hf_text entry = hf_text_first(bytes, hf_text_find(bytes, '\0'));
            bytes = hf_text_from(bytes, entry.size + 1);
            is_on = hf_text_take(&entry, build->variable) && hf_text_take(&entry, "=") &&
                    hf_text_has(entry, "prof:true");
        }
    }
    hf_input_close(&environment);
    return is_on;
}

/* What can be done about it, by which profiler it has itself: that its program says. */
static enum hf_status say_without_table(uint32_t pid, struct hf_error *err)
{
    char path[PATH_MAX];
    struct hf_jemalloc_build build = {0};
    bool is_known = hf_path_format(path, "/proc/%u/exe", pid) &&
                    hf_jemalloc_build_find(&build, path, NULL) == HF_OK;
    bool has_profiler = is_known && build.has_profiling;
    bool is_on = has_profiler && has_profiler_on(pid, &build);
    hf_jemalloc_build_done(&build);
    if (is_on)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "process %u has no live table: its own jemalloc records it, and writes profiles when "
            "the program asks for one, by lg_prof_interval and at exit; if the program offers them "
            "over HTTP, give the URL instead of the PID",
            pid);
    return hf_error_set(err, HF_ERR_SYSTEM,
        "process %u has no live table: start it with heapflame run%s, or with the environment that "
        "heapflame env prints",
        pid, has_profiler ? " (--engine jemalloc uses the profiler that its jemalloc has)" : "");
}

/* The agent is there, and gave up. */
static enum hf_status say_without_malloc(uint32_t pid, struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "process %u has no live table: it was started under heapflame, but its program has its own "
        "malloc, which cannot be replaced; to see which code touches its memory first, use "
        "heapflame attach --what fault %u",
        pid, pid);
}

/* Which files a process has mapped is told to those who may trace it. */
static enum hf_status say_out_of_sight(uint32_t pid, struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM,
        "no permission to look for the live table of process %u: run as the user who started it, "
        "or as root with CAP_SYS_PTRACE, or give the table's file instead of the PID",
        pid);
}

static enum hf_status search_mappings(struct found_table_search *search, struct hf_error *err)
{
    char path[PATH_MAX];
    struct hf_input maps;
    struct hf_text line;
    struct hf_map_line mapping;
    enum hf_status status = HF_OK;
    if (!hf_path_format(path, "/proc/%u/maps", search->pid))
        return hf_error_memory(err);
    status = hf_input_open(&maps, path, err);
    if (status != HF_OK)
        return errno == EACCES || errno == EPERM ? say_out_of_sight(search->pid, err) : status;
    uint64_t seen = 0; /* a table may be mapped in several pieces, of which the first is enough */
    while (hf_input_next(&maps, &line, &status, err)) {
        if (!hf_map_line_parse(line, &mapping))
            continue;
        search->has_agent |= hf_text_is(hf_text_basename(mapping.path), HF_FOUND_TABLE_AGENT);
        if (!found_table_is_table(&mapping) || mapping.inode == seen)
            continue;
        seen = mapping.inode;
        look_at_mapping(search, &mapping);
    }
    hf_input_close(&maps);
    if (status != HF_OK || search->table->fd >= 0)
        return status;
    if (search->is_out_of_reach)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "no permission to open the live table of process %u: run as the user who started it, "
            "or as root",
            search->pid);
    if (search->parent != 0)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "process %u is a child of the recorded process %u, but not recorded itself: start the "
            "parent with heapflame run --follow-fork",
            search->pid, search->parent);
    if (err != NULL && search->has_agent)
        return say_without_malloc(search->pid, err);
    return err != NULL ? say_without_table(search->pid, err) : HF_ERR_SYSTEM;
}

/* In the order of their names, so that it is always the same. */
static void visit_folder(const char *folder, hf_found_table_visit *visit, void *context)
{
    struct hf_folder_names names;
    char path[PATH_MAX];
    int fd = hf_path_open(folder, O_DIRECTORY | O_NOFOLLOW);
    if (fd < 0)
        return;
    bool goes_on = hf_folder_names_read(&names, fd);
    close(fd);
    for (size_t i = 0; i < names.count && goes_on; i++) {
        if (hf_text_ends(hf_text_of(names.items[i]), HF_FOUND_TABLE_ENDING) &&
            hf_path_format(path, "%s/%s", folder, names.items[i]))
            goes_on = visit(context, path);
    }
    hf_folder_names_done(&names);
}

void hf_found_tables_in(const char *folder, hf_found_table_visit *visit, void *context)
{
    char own[PATH_MAX];
    if (hf_text_starts(hf_text_basename(hf_text_of(folder)), FOLDER_NAME))
        visit_folder(folder, visit, context);
    else if (hf_path_format(own, "%s/" FOLDER_NAME "%u", folder, hf_broker_user()))
        visit_folder(own, visit, context);
}

static bool look_at_file(void *context, const char *path)
{
    struct found_table_search *search = context;
    struct hf_found_table found;
    uint64_t pid;
    struct hf_text name = hf_text_basename(hf_text_of(path));
    if (hf_num_take_u64(&name, &pid) && hf_text_starts(name, "-") && pid == search->pid &&
        hf_found_table_open(&found, path, NULL) == HF_OK) {
        if (found.head.pid == search->pid)
            keep_newer(search->table, &found);
        else
            hf_found_table_close(&found);
    }
    return true;
}

void hf_found_tables_everywhere(const char *folder, hf_found_table_visit *visit, void *context)
{
    const char *const folders[] = {folder, getenv("XDG_RUNTIME_DIR"), "/dev/shm", "/tmp"};
    for (size_t i = 0; i < HF_COUNT(folders); i++) {
        if (folders[i] != NULL && folders[i][0] != '\0')
            hf_found_tables_in(folders[i], visit, context);
    }
}

static enum hf_status search_folders(
    struct found_table_search *search, const char *folder, struct hf_error *err)
{
    hf_found_tables_everywhere(folder, look_at_file, search);
    if (search->table->fd >= 0)
        return HF_OK;
    return hf_error_set(err, HF_ERR_SYSTEM,
        "there is no process %u, and no live table of that PID in $XDG_RUNTIME_DIR, /dev/shm or "
        "/tmp (" FOLDER_NAME "%u): give the file, or the folder with --dir",
        search->pid, hf_broker_user());
}

enum hf_status hf_found_table_of(
    struct hf_found_table *table, uint32_t pid, const char *folder, struct hf_error *err)
{
    uint64_t start;
    table->fd = -1;
    struct found_table_search search = {
        .table = table, .pid = pid, .inner_pid = hf_proc_inner_id(pid)};
    return hf_proc_start_ticks(pid, &start) ? search_mappings(&search, err)
                                            : search_folders(&search, folder, err);
}

enum hf_status hf_found_table_read(const struct hf_found_table *table, uint32_t pid,
    struct hf_lifetimes *lifetimes, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_input input;
    struct hf_live_resident_memory resident = {0};
    hf_input_open_descriptor(&input, table->fd, table->path);
    input.lifetimes = lifetimes;
    /* Who wants lifetimes looks again and again. */
    if (lifetimes == NULL &&
        hf_residency_take(table->fd, table->path, pid, &resident, NULL) == HF_OK)
        input.resident = &resident;
    enum hf_status status = hf_format_read(&input, out_profile, err);
    if (status == HF_OK)
        (*out_profile)->capture.process_id =
            pid; /* in a container it has another number for itself */
    hf_input_close(&input);
    hf_live_resident_memory_done(&resident);
    return status;
}

/* Those that the agent makes: agent/trial.c. */
static const char *call_name(uint32_t number)
{
    static const struct {
        uint32_t number;
        const char *name;
    } calls[] = {
        {SYS_read, "read"},
        {SYS_write, "write"},
        {SYS_close, "close"},
        {SYS_fstat, "fstat"},
        {SYS_mmap, "mmap"},
        {SYS_munmap, "munmap"},
        {SYS_sched_yield, "sched_yield"},
        {SYS_madvise, "madvise"},
        {SYS_nanosleep, "nanosleep"},
        {SYS_getpid, "getpid"},
        {SYS_sigaltstack, "sigaltstack"},
        {SYS_prctl, "prctl"},
        {SYS_gettid, "gettid"},
        {SYS_openat, "openat"},
        {SYS_process_vm_readv, "process_vm_readv"},
        {SYS_prlimit64, "prlimit64"},
        {SYS_unlinkat, "unlinkat"},
    };
    for (size_t i = 0; i < HF_COUNT(calls); i++) {
        if (calls[i].number == number)
            return calls[i].name;
    }
    return "a system call";
}

const char *hf_found_table_call(const struct hf_found_table *table)
{
    struct hf_live_state state;
    if (!hf_live_read_state(hf_live_source_of(&table->fd, table->path), &state))
        return NULL;
    for (size_t i = 0; i < HF_LIVE_CALLS; i++) {
        uint32_t call = atomic_load_explicit(&state.calls[i], memory_order_relaxed);
        if (call != 0)
            return call_name(call - 1);
    }
    return NULL;
}

bool hf_found_table_has_only_mappings(const struct hf_found_table *table)
{
    struct hf_live_state state;
    return hf_live_read_state(hf_live_source_of(&table->fd, table->path), &state) &&
           (atomic_load_explicit(&state.bounds, memory_order_relaxed) & HF_LIVE_BOUND_MALLOC) != 0;
}

bool hf_found_table_is_empty(const struct hf_found_table *table)
{
    struct hf_live_state state;
    if (!hf_live_read_state(hf_live_source_of(&table->fd, table->path), &state))
        return false;
    uint64_t records = atomic_load_explicit(&state.counts[HF_LIVE_STACKS], memory_order_relaxed) +
                       atomic_load_explicit(&state.counts[HF_LIVE_BLOCKS], memory_order_relaxed);
    for (size_t i = 0; i < HF_LIVE_LOSSES && records == 0; i++)
        records = atomic_load_explicit(&state.lost_objects[i], memory_order_relaxed) |
                  atomic_load_explicit(&state.lost_bytes[i], memory_order_relaxed);
    return records == 0;
}

bool hf_found_table_executed(
    const struct hf_found_table *table, char out_program[HF_LIVE_EXECUTED_BYTES])
{
    struct hf_live_state state;
    if (table->head.minor < 3 ||
        !hf_live_read_state(hf_live_source_of(&table->fd, table->path), &state))
        return false;
    memcpy(out_program, state.executed, HF_LIVE_EXECUTED_BYTES);
    out_program[HF_LIVE_EXECUTED_BYTES - 1] = '\0';
    return out_program[0] != '\0';
}

uint32_t hf_found_table_writer(const struct hf_found_table *table)
{
    uint64_t start;
    bool is_running =
        hf_proc_start_ticks(table->head.pid, &start) && start == table->head.start_ticks;
    return is_running ? table->head.pid : 0;
}

enum hf_status hf_found_table_remove(const struct hf_found_table *table, struct hf_error *err)
{
    struct stat opened, named;
    if (fstat(table->fd, &opened) != 0 || lstat(table->path, &named) != 0 ||
        opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        return hf_error_set(err, HF_ERR_SYSTEM, "%s was removed or replaced", table->path);
    hf_marks_remove(table);
    if (unlink(table->path) != 0)
        return hf_error_system(err, errno, "cannot remove %s", table->path);
    return HF_OK;
}

static bool remove_of_process(void *context, const char *path)
{
    const struct hf_found_table *last = context;
    struct hf_found_table found;
    uint64_t pid;
    struct hf_text name = hf_text_basename(hf_text_of(path));
    if (!hf_num_take_u64(&name, &pid) || pid != last->head.pid ||
        hf_found_table_open(&found, path, NULL) != HF_OK)
        return true;
    /* What cannot be removed stays, as a dead process's table does. */
    bool is_same =
        found.head.pid == last->head.pid && found.head.start_ticks == last->head.start_ticks;
    (void)!(is_same && hf_found_table_remove(&found, NULL) == HF_OK);
    hf_found_table_close(&found);
    return true;
}

/* Of a table that was not begun: its file, and whose it is. */
struct unborn {
    uint32_t pid;
    bool is_found;
};

static bool look_for_unborn(void *context, const char *path)
{
    struct unborn *unborn = context;
    uint8_t magic[sizeof((struct hf_live_head *)0)->magic] = {0};
    uint64_t pid;
    struct hf_text name = hf_text_basename(hf_text_of(path));
    if (!hf_num_take_u64(&name, &pid) || !hf_text_starts(name, "-") || pid != unborn->pid)
        return true;
    int fd;
    if (hf_file_open_regular_itself(path, &fd, NULL) != HF_OK)
        return true;
    static const uint8_t nothing[sizeof magic];
    if (pread(fd, magic, sizeof magic, 0) >= 0 && memcmp(magic, nothing, sizeof magic) == 0)
        unborn->is_found = unlink(path) == 0 || unborn->is_found;
    close(fd);
    return true;
}

bool hf_found_tables_unborn(uint32_t pid, const char *folder)
{
    struct unborn unborn = {.pid = pid};
    hf_found_tables_everywhere(folder, look_for_unborn, &unborn);
    return unborn.is_found;
}

void hf_found_tables_remove(const struct hf_found_table *last)
{
    char folder[PATH_MAX];
    struct hf_found_table copy = *last;
    if (hf_folder_of(last->path, folder))
        hf_found_tables_everywhere(folder, remove_of_process, &copy);
}
