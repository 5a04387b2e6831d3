/*
 * cmd_heap.c: every block of a running process's heaps, what holds them, and what nothing holds
 * any more.
 */
#include "answer/operand.h"
#include "base/budget.h"
#include "base/strings/units.h"
#include "capture/memory_group.h"
#include "cli/process/heap/heap_reader.h"
#include "os/process/proc.h"

#define ROOM_PART 4 /* of what is resident: so much the process may write while it is read */

#define AT(field) struct hf_heap_reader_options, field

static const struct hf_option heap_options[] = {
    {"lost", 0, HF_OPT_FLAG(AT(wants_lost)), "show only sizes of which blocks are lost"},
    {"rows", 'n', HF_OPT_COUNT(AT(rows), "N"),
        "print at most N holders and N sizes; 0: all (default: 20)"},
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {"input-budget", 0, HF_OPT_REAL(AT(input_budget), "N"),
        "multiply the limits on memory and work for the process by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", heap_options},
    {"Help", hf_common_options},
    {0},
};

static void heap_defaults(void *options)
{
    ((struct hf_heap_reader_options *)options)->rows = 20;
}

/* A page that the process writes while there is a copy of it is there twice. */
static enum hf_status check_room(uint32_t pid, struct hf_error *err)
{
    struct hf_proc_memory memory;
    char room[HF_UNITS_MAX], needed[HF_UNITS_MAX];
    struct hf_memory_group group = hf_memory_group_of(pid, NULL);
    struct hf_memory_reading reading = hf_memory_read(&group);
    uint64_t left = UINT64_MAX, available;
    if (!hf_proc_memory(pid, &memory))
        return hf_error_set(err, HF_ERR_SYSTEM, "there is no process %u", pid);
    if (reading.limit_bytes != 0)
        left = reading.limit_bytes > reading.current_bytes
                   ? reading.limit_bytes - reading.current_bytes
                   : 0;
    if (hf_proc_available(&available) && available < left)
        left = available;
    if (left >= memory.anonymous_bytes / ROOM_PART)
        return HF_OK;
    return hf_error_set(err, HF_ERR_SYSTEM,
        "process %u cannot be copied: it may need %s more memory meanwhile, and %s is left", pid,
        hf_units_bytes(memory.anonymous_bytes / ROOM_PART, needed), hf_units_bytes(left, room));
}

static enum hf_status heap_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_heap_reader_options *options = all;
    struct hf_snapshot snapshot;
    uint32_t pid;
    if (options->input_budget != 0)
        hf_budget_set_factor(options->input_budget);
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE, "expected one PID; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    enum hf_status status = check_room(pid, err);
    if (status != HF_OK)
        return status;
    status = hf_snapshot_take(&snapshot, (pid_t)pid, err);
    if (status != HF_OK)
        return status;
    status = hf_heap_reader_report(options, &snapshot, pid, err);
    hf_snapshot_end(&snapshot);
    return status;
}

const struct hf_command hf_cmd_heap = {
    .name = "heap",
    .summary = "Report what holds the memory of a running process, and what is lost.",
    .operands = "PID",
    .details =
        "Reads every block of the heaps of glibc and jemalloc 5.3 from outside, and follows all\n"
        "pointers to them: from globals, thread-local storage, stacks, registers and other\n"
        "mappings. What none of these reaches is lost: a leak that is proven. The process needs "
        "no\n"
        "preparation; its threads stand still for some milliseconds, while the kernel makes a "
        "copy\n"
        "of it.",
    .groups = groups,
    .options_size = sizeof(struct hf_heap_reader_options),
    .defaults = heap_defaults,
    .run = heap_run,
};
