#include "os/process/proc.h"

#include "base/containers/hash.h"
#include "base/strings/num.h"
#include "os/input.h"
#include "os/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define AUXV_BYTES 4096u
#define STAT_BYTES 2048u /* 52 fields, 20 digits at most */

static bool proc_open_file(
    struct hf_input *input, uint32_t pid, const char *name, char out_path[64])
{
    (void)snprintf(out_path, 64, "/proc/%u/%s", pid, name);
    return hf_input_open(input, out_path, NULL) == HF_OK;
}

/*
 * Opens stat. Field 2 is the program's name in parentheses, and may hold anything, also a line's
 * end; *out_rest is what follows it.
 */
static bool proc_open_stat(struct hf_input *stat, uint32_t pid, struct hf_text *out_rest)
{
    char path[64];
    struct hf_text bytes;
    if (!proc_open_file(stat, pid, "stat", path))
        return false;
    if (hf_input_peek(stat, STAT_BYTES, &bytes, NULL) != HF_OK)
        bytes.size = 0;
    *out_rest = hf_text_from(bytes, hf_text_find_last(bytes, ')') + 2);
    return true;
}

/* The fields of stat from `first` on; field 3 is the state. False if there is no such process, or
 * it has ended. */
static bool read_stat(uint32_t pid, int first, uint64_t *out_fields, int count)
{
    struct hf_input stat;
    struct hf_text rest;
    if (!proc_open_stat(&stat, pid, &rest))
        return false;
    bool is_known = rest.size != 0 && !hf_text_starts(rest, "Z") && !hf_text_starts(rest, "X");
    for (int field = 3; field < first + count && is_known; field++) {
        if (field >= first)
            is_known = hf_num_take_u64(&rest, &out_fields[field - first]);
        rest = hf_text_from(rest, hf_text_find(rest, ' ') + 1);
    }
    hf_input_close(&stat);
    return is_known;
}

bool hf_proc_start_ticks(uint32_t pid, uint64_t *out_ticks)
{
    return read_stat(pid, 22, out_ticks, 1);
}

bool hf_proc_program(uint32_t pid, uint64_t *out_program)
{
    char path[64];
    struct hf_input auxv;
    struct hf_text bytes = {0};
    if (!proc_open_file(&auxv, pid, "auxv", path))
        return false;
    bool is_known = hf_input_peek(&auxv, AUXV_BYTES, &bytes, NULL) == HF_OK && bytes.size != 0;
    if (is_known)
        *out_program = hf_hash_bytes(bytes.data, bytes.size);
    hf_input_close(&auxv);
    return is_known;
}

/* Field 23 is the size of its address space. */
bool hf_proc_is_ending(uint32_t pid)
{
    uint64_t size_bytes;
    return !read_stat(pid, 23, &size_bytes, 1) || size_bytes == 0;
}

/* Field 38, 35 behind the state. */
bool hf_proc_has_no_signal(uint32_t pid, bool *out_has_ended)
{
    struct hf_input stat;
    struct hf_text rest;
    if (!proc_open_stat(&stat, pid, &rest))
        return false;
    *out_has_ended = hf_text_starts(rest, "Z");
    for (int field = 3; field < 38; field++)
        rest = hf_text_from(rest, hf_text_find(rest, ' ') + 1);
    bool has_none = hf_text_starts(rest, "0 ");
    hf_input_close(&stat);
    return has_none;
}

bool hf_proc_is_running(uint32_t tid)
{
    struct hf_input stat;
    struct hf_text rest;
    if (!proc_open_stat(&stat, tid, &rest))
        return false;
    bool is_running = hf_text_starts(rest, "R");
    hf_input_close(&stat);
    return is_running;
}

bool hf_proc_computed_ns(uint32_t pid, uint64_t *out_ns)
{
    struct timespec time;
    clockid_t clock;
    if (clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *out_ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return true;
}

bool hf_proc_times(uint32_t pid, struct hf_proc_times *out_times)
{
    uint64_t ticks[2];
    if (!read_stat(pid, 14, ticks, 2))
        return false;
    uint64_t ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t user_ns = ticks[0] * ns, system_ns = ticks[1] * ns, computed_ns;
    if (!hf_proc_computed_ns(pid, &computed_ns))
        computed_ns = user_ns + system_ns;
    *out_times = (struct hf_proc_times){computed_ns, user_ns, system_ns};
    return true;
}

struct hf_text hf_proc_thread_name(uint32_t pid, uint32_t tid, char name[HF_PROC_NAME_MAX])
{
    char path[64], file[32];
    struct hf_input comm;
    struct hf_text line;
    enum hf_status status = HF_OK;
    size_t size = 0;
    (void)snprintf(file, sizeof file, "task/%u/comm", tid);
    if (!proc_open_file(&comm, pid, file, path))
        return (struct hf_text){name, 0};
    if (hf_input_next(&comm, &line, &status, NULL)) {
        size = line.size < HF_PROC_NAME_MAX ? line.size : HF_PROC_NAME_MAX;
        memcpy(name, line.data, size);
    }
    hf_input_close(&comm);
    return (struct hf_text){name, size};
}

struct hf_text hf_proc_title(uint32_t pid, char title[HF_PROC_TITLE_MAX])
{
    char path[64];
    struct hf_input file;
    struct hf_text words = {0};
    size_t size = 0;
    if (!proc_open_file(&file, pid, "cmdline", path))
        return (struct hf_text){title, 0};
    if (hf_input_peek(&file, HF_PROC_TITLE_MAX, &words, NULL) == HF_OK) {
        size = hf_text_find(words, '\0');
        size = size < HF_PROC_TITLE_MAX ? size : HF_PROC_TITLE_MAX;
        if (size != 0) /* one that has ended has no words */
            memcpy(title, words.data, size);
    }
    hf_input_close(&file);
    return (struct hf_text){title, size};
}

/* The last number of a line of status, of a process: "NSpid: 4711 7"; 0: there is none. */
static uint32_t last_id_of(uint32_t pid, const char *key)
{
    char path[64];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    uint64_t id = 0;
    if (!proc_open_file(&file, pid, "status", path))
        return 0;
    while (hf_input_next(&file, &line, &status, NULL)) {
        if (!hf_text_take(&line, key))
            continue;
        line = hf_text_trim_end(line, " \t");
        size_t tab = hf_text_find_last(line, '\t');
        if (!hf_num_u64(hf_text_from(line, tab + 1), &id) || id > INT32_MAX)
            id = 0;
        break;
    }
    hf_input_close(&file);
    return (uint32_t)id;
}

/* The number in each namespace, its own last. */
uint32_t hf_proc_inner_id(uint32_t pid)
{
    return last_id_of(pid, "NSpid:");
}

uint32_t hf_proc_parent(uint32_t pid)
{
    return last_id_of(pid, "PPid:");
}

uint32_t hf_proc_tracer(uint32_t pid)
{
    return last_id_of(pid, "TracerPid:");
}

/* Fields 2 and 3 of statm, in pages: resident, and of that what is shared or of files. */
static bool take_memory(struct hf_text line, struct hf_proc_memory *out_memory)
{
    uint64_t size, resident, shared, page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!hf_num_take_u64(&line, &size) || !hf_text_take(&line, " ") ||
        !hf_num_take_u64(&line, &resident) || !hf_text_take(&line, " ") ||
        !hf_num_take_u64(&line, &shared) || resident >= UINT64_MAX >> 16)
        return false;
    uint64_t anonymous = resident > shared ? resident - shared : 0;
    *out_memory = (struct hf_proc_memory){resident * page, anonymous * page};
    return true;
}

bool hf_proc_memory(uint32_t pid, struct hf_proc_memory *out_memory)
{
    char path[64];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    if (!proc_open_file(&file, pid, "statm", path))
        return false;
    bool is_known = hf_input_next(&file, &line, &status, NULL) && take_memory(line, out_memory);
    hf_input_close(&file);
    return is_known;
}

/* "4712 4713 " */
void hf_proc_children(
    uint32_t pid, uint32_t tid, void (*take)(void *context, uint32_t child), void *context)
{
    char name[32], path[64];
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    uint64_t child;
    (void)snprintf(name, sizeof name, "task/%u/children", tid);
    if (!proc_open_file(&file, pid, name, path))
        return;
    if (hf_input_next(&file, &line, &status, NULL)) {
        while (hf_num_take_u64(&line, &child) && child <= INT32_MAX) {
            take(context, (uint32_t)child);
            line = hf_text_trim_start(line, " ");
        }
    }
    hf_input_close(&file);
}

uint32_t hf_proc_living_thread(uint32_t pid)
{
    char path[64];
    uint64_t ticks, tid;
    struct hf_folder_names threads;
    uint32_t living = pid;
    (void)snprintf(path, sizeof path, "/proc/%u/task", pid);
    int folder = hf_proc_start_ticks(pid, &ticks) ? -1 : hf_path_open(path, O_DIRECTORY);
    if (folder < 0)
        return pid;
    if (hf_folder_names_read(&threads, folder)) {
        for (size_t i = 0; i < threads.count && living == pid; i++) {
            if (hf_num_u64(hf_text_of(threads.items[i]), &tid) && tid <= INT32_MAX &&
                hf_proc_start_ticks((uint32_t)tid, &ticks))
                living = (uint32_t)tid;
        }
        hf_folder_names_done(&threads);
    }
    (void)close(folder);
    return living;
}

bool hf_proc_available(uint64_t *out_bytes)
{
    struct hf_input file;
    struct hf_text line;
    enum hf_status status = HF_OK;
    bool is_known = false;
    if (hf_input_open(&file, "/proc/meminfo", NULL) != HF_OK)
        return false;
    while (!is_known && hf_input_next(&file, &line, &status, NULL)) {
        if (!hf_text_take(&line, "MemAvailable:"))
            continue;
        line = hf_text_trim_start(line, " ");
        is_known = hf_num_take_u64(&line, out_bytes) && *out_bytes < UINT64_MAX >> 10;
        *out_bytes <<= 10;
    }
    hf_input_close(&file);
    return is_known;
}
