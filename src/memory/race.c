#include "memory/race.h"

#include "base/containers/vec.h"
#include "base/strings/num.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096u
#define RED_ZONE 128u /* below a stack pointer: System V ABI for x86-64, 3.2.2 */

/* struct pthread of glibc for x86-64 (nptl/descr.h; sysdeps/x86_64/nptl/tls.h): its own address
 * twice, and the number of the thread in its namespace. */
#define SELF_AT 0x10u
#define TID_AT 0x2d0u
#define ALIGNMENT 64u

/* System V ABI for x86-64, 3.2.1: rbx, rbp, r12 to r15; all but the stack pointer. */
#define KEPT_BY_CALLS 6u
#define GENERAL 15u

/* ---- What the kernel tells ---- */

static enum hf_status race_open_file(pid_t pid, const char *name, int *out_fd, struct hf_error *err)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%u/%s", hf_proc_living_thread((uint32_t)pid), name);
    *out_fd = hf_path_open(path, 0);
    return *out_fd >= 0 ? HF_OK : hf_error_system(err, errno, "cannot open %s", path);
}

/* proc(5), /proc/PID/syscall: number, six arguments, stack pointer and program counter; -1 and the
 * last two outside of a call; one word while the thread runs. */
static void read_waiting(pid_t pid, pid_t tid, struct user_regs_struct *out)
{
    char path[64];
    struct hf_input input;
    struct hf_text line = {0};
    enum hf_status status = HF_OK;
    uint64_t words[8] = {0};
    size_t count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    if (hf_input_open(&input, path, NULL) != HF_OK)
        return;
    if (hf_input_next(&input, &line, &status, NULL))
        line = hf_text_from(line, hf_text_find(line, ' '));
    while (count < HF_COUNT(words) && hf_text_take(&line, " 0x") &&
           hf_num_take_hex(&line, &words[count]))
        count++;
    hf_input_close(&input);
    if (count >= 2) {
        out->rsp = words[count - 2];
        out->rip = words[count - 1];
    }
    if (count == HF_COUNT(words)) {
        out->rdi = words[0];
        out->rsi = words[1];
        out->rdx = words[2];
        out->r10 = words[3];
        out->r8 = words[4];
        out->r9 = words[5];
        out->rcx = out->rip; /* as the call itself does */
    }
}

size_t hf_race_unread_registers(const struct hf_stopped_thread *threads, size_t count)
{
    size_t registers = 0;
    for (size_t i = 0; i < count; i++) {
        const struct user_regs_struct *r = &threads[i].registers;
        registers += r->rip != 0 && r->rcx == r->rip ? KEPT_BY_CALLS : GENERAL;
    }
    return registers;
}

static enum hf_status race_add_thread(
    struct hf_snapshot *look, size_t *capacity, pid_t pid, pid_t tid, struct hf_error *err)
{
    if (!hf_vec_reserve(&look->threads, capacity, look->thread_count + 1, sizeof *look->threads))
        return hf_error_memory(err);
    struct hf_stopped_thread *thread = &look->threads[look->thread_count++];
    *thread =
        (struct hf_stopped_thread){.tid = tid, .inner = (pid_t)hf_proc_inner_id((uint32_t)tid)};
    read_waiting(pid, tid, &thread->registers);
    return HF_OK;
}

static enum hf_status list_threads(struct hf_snapshot *look, pid_t pid, struct hf_error *err)
{
    char path[64];
    size_t capacity = 0;
    struct hf_folder_names names;
    enum hf_status status = HF_OK;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    int folder = hf_path_open(path, O_DIRECTORY);
    if (folder < 0)
        return hf_error_set(err, HF_ERR_SYSTEM, "there is no process %d", (int)pid);
    if (hf_folder_names_read(&names, folder)) {
        for (size_t i = 0; i < names.count && status == HF_OK; i++) {
            uint64_t tid;
            if (hf_num_u64(hf_text_of(names.items[i]), &tid))
                status = race_add_thread(look, &capacity, pid, (pid_t)tid, err);
        }
        hf_folder_names_done(&names);
    }
    (void)close(folder);
    return status;
}

enum hf_status hf_race_open(struct hf_snapshot *look, pid_t pid, struct hf_error *err)
{
    *look = (struct hf_snapshot){.memory = -1, .maps = -1, .pages = -1, .channel = -1};
    enum hf_status status = list_threads(look, pid, err);
    if (status == HF_OK)
        status = race_open_file(pid, hf_process_image_maps_file(), &look->maps, err);
    if (status == HF_OK)
        status = race_open_file(pid, "pagemap", &look->pages, err);
    if (status == HF_OK)
        status = race_open_file(pid, "mem", &look->memory, err);
    if (status != HF_OK)
        hf_snapshot_end(look);
    return status;
}

/* ---- What lies in its memory ---- */

struct race_threads {
    const struct hf_process_image *image;
    struct hf_process_reader *reader;
    struct hf_stopped_thread *threads;
    size_t left; /* that are not found yet */
};

/* The stack of the first thread is the kernel's; that of each other one lies below its data, in the
 * same mapping. */
static uint64_t lowest_of_stack(const struct hf_process_image *image, uint64_t own, bool is_first)
{
    const struct hf_process_mapping *found = is_first ? NULL : hf_process_image_find(image, own);
    for (size_t i = 0; i < image->count && is_first; i++) {
        if (strcmp(image->mappings[i].path, "[stack]") == 0)
            found = &image->mappings[i];
    }
    return found != NULL ? found->start + RED_ZONE : 0;
}

static void race_take_thread(struct race_threads *r, uint64_t address)
{
    uint32_t tid;
    if (!hf_process_copy(r->reader, address + TID_AT, &tid, sizeof tid))
        return;
    for (size_t i = 0; i < r->image->thread_count; i++) {
        struct hf_stopped_thread *thread = &r->threads[i];
        if ((uint32_t)thread->inner != tid || thread->registers.fs_base != 0)
            continue;
        thread->registers.fs_base = address;
        if (thread->registers.rsp == 0)
            thread->registers.rsp = lowest_of_stack(r->image, address, i == 0);
        r->left--;
        return;
    }
}

static void race_look_at(struct race_threads *r, const struct hf_process_mapping *mapping)
{
    uint64_t word, self;
    for (uint64_t at = mapping->start; at < mapping->end && r->left != 0; at += ALIGNMENT) {
        if (at % PAGE == 0)
            at = hf_process_next_page(r->reader, at, mapping->end);
        if (at >= mapping->end)
            return;
        if (!hf_process_word(r->reader, at, &word))
            at |= PAGE - ALIGNMENT; /* nothing of this page is there */
        else if (word == at && hf_process_word(r->reader, at + SELF_AT, &self) && self == at)
            race_take_thread(r, at);
    }
}

enum hf_status hf_race_find_threads(
    const struct hf_process_image *image, struct hf_stopped_thread *threads, struct hf_error *err)
{
    struct race_threads r = {.image = image,
        .reader = hf_process_reader_new(image),
        .threads = threads,
        .left = image->thread_count};
    if (r.reader == NULL)
        return hf_error_memory(err);
    /* Of a program that is linked statically the first thread's lie in the heap: that comes last.
     */
    for (int heaps = 0; heaps < 2; heaps++) {
        for (size_t i = 0; i < image->count; i++) {
            const struct hf_process_mapping *mapping = &image->mappings[i];
            bool is_heap = strcmp(mapping->path, "[heap]") == 0;
            bool is_own = mapping->inode == 0 && mapping->is_writable && !mapping->is_shared;
            if (is_own && is_heap == (heaps == 1))
                race_look_at(&r, mapping);
        }
    }
    free(r.reader);
    return HF_OK;
}
