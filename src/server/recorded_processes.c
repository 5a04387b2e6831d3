#include "server/recorded_processes.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "live/reader.h"
#include "live/usage.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DELETED " (deleted)" /* behind the name of a program whose file was replaced */

static void forget_process(struct hf_recorded_process *process)
{
    hf_found_table_close(&process->table);
    free(process);
}

/* Runs, and the same program. */
static bool process_is_same(const struct hf_recorded_process *process)
{
    uint64_t ticks, program;
    return hf_proc_start_ticks(process->pid, &ticks) && ticks == process->start_ticks &&
           hf_proc_program(process->pid, &program) && program == process->program_number;
}

static void forget_ended(struct hf_recorded_processes *processes)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->count; i++) {
        if (process_is_same(processes->items[i]))
            processes->items[kept++] = processes->items[i];
        else
            forget_process(processes->items[i]);
    }
    processes->count = kept;
}

static void put_program_name(struct hf_recorded_process *process)
{
    char link[64], file[PATH_MAX], name[HF_PROC_NAME_MAX];
    (void)snprintf(link, sizeof link, "/proc/%u/exe", process->pid);
    struct hf_text program = hf_path_link(link, file)
                                 ? hf_text_basename(hf_text_of(file))
                                 : hf_proc_thread_name(process->pid, process->pid, name);
    if (hf_text_ends(program, DELETED))
        program.size -= strlen(DELETED);
    (void)snprintf(
        process->program, sizeof process->program, "%.*s", (int)program.size, program.data);
}

/* Its start is asked for before and after: so the table is of the process that was looked at. */
static struct hf_recorded_process *look_into_process(uint32_t pid)
{
    struct hf_recorded_process *process = calloc(1, sizeof *process);
    if (process == NULL)
        return NULL;
    process->pid = pid;
    process->table.fd = -1;
    if (hf_proc_start_ticks(pid, &process->start_ticks) &&
        hf_proc_program(pid, &process->program_number) &&
        hf_found_table_of(&process->table, pid, NULL, NULL) == HF_OK && process_is_same(process)) {
        put_program_name(process);
        return process;
    }
    forget_process(process);
    return NULL;
}

/* Where it is, or where it would be put. */
static size_t recorded_place(const struct hf_recorded_processes *processes, uint32_t pid)
{
    size_t from = 0, to = processes->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (processes->items[middle]->pid < pid)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool has_process(const struct hf_recorded_processes *processes, size_t place, uint32_t pid)
{
    return place < processes->count && processes->items[place]->pid == pid;
}

static void look_at_number(struct hf_recorded_processes *processes, uint32_t pid)
{
    size_t place = recorded_place(processes, pid);
    if (has_process(processes, place, pid))
        return;
    struct hf_recorded_process *process = look_into_process(pid);
    if (process == NULL)
        return;
    bool has_room = processes->count < HF_LIMIT_SERVED_PROCESSES;
    processes->left_out += !has_room;
    if (!has_room || !hf_vec_reserve(&processes->items, &processes->capacity, processes->count + 1,
                         sizeof(struct hf_recorded_process *))) {
        forget_process(process);
        return;
    }
    struct hf_recorded_process **at = processes->items + place;
    memmove(at + 1, at, (processes->count - place) * sizeof(struct hf_recorded_process *));
    *at = process;
    processes->count++;
}

void hf_recorded_processes_look(struct hf_recorded_processes *processes)
{
    struct hf_folder_names names;
    forget_ended(processes);
    processes->left_out = 0;
    int fd = hf_path_open("/proc", O_DIRECTORY);
    if (fd < 0)
        return;
    bool is_read = hf_folder_names_read(&names, fd);
    close(fd);
    if (!is_read)
        return;
    for (size_t i = 0; i < names.count; i++) {
        uint64_t pid;
        if (hf_num_u64(hf_text_of(names.items[i]), &pid) && pid <= INT32_MAX)
            look_at_number(processes, (uint32_t)pid);
    }
    hf_folder_names_done(&names);
}

const struct hf_recorded_process *hf_recorded_processes_find(
    const struct hf_recorded_processes *processes, uint32_t pid)
{
    size_t place = recorded_place(processes, pid);
    return has_process(processes, place, pid) && process_is_same(processes->items[place])
               ? processes->items[place]
               : NULL;
}

void hf_recorded_processes_done(struct hf_recorded_processes *processes)
{
    for (size_t i = 0; i < processes->count; i++)
        forget_process(processes->items[i]);
    free(processes->items);
    *processes = (struct hf_recorded_processes){0};
}

static uint64_t load(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

bool hf_recorded_process_usage(
    const struct hf_recorded_process *process, struct hf_recorded_usage *out_usage)
{
    struct hf_live_state state;
    const struct hf_found_table *table = &process->table;
    if (!hf_live_read_state(hf_live_source_of(&table->fd, table->path), &state))
        return false;
    bool has_halves = table->head.minor >= HF_LIVE_HALVES_SINCE && table->head.period_bytes > 1;
    *out_usage = (struct hf_recorded_usage){
        .has_usage = table->head.minor >= HF_LIVE_PEAKS_SINCE,
        .in_use_bytes = load(&state.usage.bytes),
        .allocated_bytes = load(&state.usage.allocated_bytes),
        .peak_bytes = has_halves ? hf_usage_peak(&state.usage) : load(&state.usage.peak_bytes),
        .lost_mappings = load(&state.lost_mappings),
    };
    for (size_t i = 0; i < HF_LIVE_LOSSES; i++) {
        out_usage->lost_objects += load(&state.lost_objects[i]);
        out_usage->lost_bytes += load(&state.lost_bytes[i]);
    }
    return true;
}
