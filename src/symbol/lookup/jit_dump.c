#include "symbol/lookup/jit_dump.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "base/cursor.h"
#include "base/strings/num.h"
#include "os/path.h"

#define JIT_DUMP_MAGIC 0x4a695444u
#define RECORD_HEAD_BYTES 16

/* The number in "/somewhere/jit-4711.dump". */
static bool jit_dump_number(struct hf_text path, uint64_t *out_number)
{
    struct hf_text name = hf_text_basename(path);
    return hf_text_take(&name, "jit-") && hf_num_take_u64(&name, out_number) &&
           hf_text_is(name, ".dump");
}

/* Behind the header; false if this is no such file of process `number`. */
static bool take_header(struct hf_cursor *c, uint64_t number)
{
    bool is_one = hf_cursor_u32(c) == JIT_DUMP_MAGIC && hf_cursor_u32(c) == 1;
    uint32_t size = hf_cursor_u32(c);
    hf_cursor_skip(c, 8);
    bool is_of_it = hf_cursor_u32(c) == number;
    hf_cursor_seek(c, size);
    return is_one && is_of_it && !hf_cursor_failed(c);
}

static bool read_if_of(struct hf_perf_map *map, int64_t oldest_ns, uint64_t number)
{
    if (!hf_perf_map_read(map, oldest_ns))
        return false;
    struct hf_cursor c = hf_cursor_of(map->text.data, map->text.size, map->path);
    if (take_header(&c, number))
        return true;
    hf_input_close(&map->input);
    map->input.fd = -1;
    return false;
}

/* The file of one module, wherever it may be. */
static bool open_dump_of(struct hf_perf_map *map, const char *path, uint64_t number,
    const struct hf_live_process *process, const struct hf_symbol_options *options)
{
    const char *name = hf_text_basename(hf_text_of(path)).data;
    for (size_t i = 0; i < options->symdir_count; i++) {
        if (hf_path_format(map->path, "%s/%s", options->symdirs[i], name) &&
            read_if_of(map, INT64_MIN, number))
            return true;
    }
    if (process->id != 0 && hf_path_format(map->path, "/proc/%u/root%s", process->id, path) &&
        read_if_of(map, process->started_ns, number))
        return true;
    return process->has_just_ended && hf_path_format(map->path, "%s", path) &&
           read_if_of(map, process->started_ns, number);
}

bool hf_jit_dump_open(struct hf_perf_map *map, const struct hf_profile *profile,
    const struct hf_live_process *process, const struct hf_symbol_options *options)
{
    map->input = (struct hf_input){.fd = -1};
    map->why[0] = '\0';
    for (size_t i = 1; i < profile->module_count; i++) {
        struct hf_text path = hf_profile_text(profile, profile->modules[i].path);
        uint64_t number;
        if (hf_text_starts(path, "/") && jit_dump_number(path, &number) &&
            open_dump_of(map, path.data, number, process, options))
            return true;
    }
    return false;
}

/* Code that was made: its record without the head. */
static void read_load(struct hf_cursor *c, struct hf_perf_map_query *queries, size_t count)
{
    hf_cursor_skip(c, 16); /* PID, TID, and the address once more */
    uint64_t start = hf_cursor_u64(c), size = hf_cursor_u64(c);
    hf_cursor_skip(c, 8);
    struct hf_text name = hf_cursor_string(c);
    if (hf_cursor_failed(c) || start + size < start)
        return;
    size_t i = HF_FIRST_FROM(queries, count, address, start);
    for (; i < count && queries[i].address - start < size && hf_budget_step(8); i++) {
        if (queries[i].next != 0)
            queries[i].name = name;
    }
}

void hf_jit_dump_find(struct hf_text bytes, struct hf_perf_map_query *queries, size_t count)
{
    struct hf_cursor c = hf_cursor_of(bytes.data, bytes.size, "jitdump");
    for (size_t i = 0; i < count; i++)
        queries[i].next = queries[i].name.size == 0; /* to be answered here */
    hf_cursor_skip(&c, 8);
    hf_cursor_seek(&c, hf_cursor_u32(&c));
    while (hf_cursor_left(&c) >= RECORD_HEAD_BYTES && hf_budget_step(RECORD_HEAD_BYTES)) {
        uint32_t kind = hf_cursor_u32(&c), size = hf_cursor_u32(&c);
        hf_cursor_skip(&c, 8);
        if (size < RECORD_HEAD_BYTES)
            return;
        struct hf_cursor record = hf_cursor_sub(&c, size - RECORD_HEAD_BYTES, "jitdump");
        if (kind == 0 && !hf_cursor_failed(&c))
            read_load(&record, queries, count);
    }
}
