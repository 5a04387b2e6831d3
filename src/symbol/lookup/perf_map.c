#include "symbol/lookup/perf_map.h"

#include "base/checked.h"
#include "base/containers/sorted.h"
#include "base/limits.h"
#include "base/strings/num.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <inttypes.h>
#include <stdio.h>

struct range {
    uint64_t start, end;
    struct hf_text name;
};

static bool perf_map_take_number(struct hf_text *line, uint64_t *out_number)
{
    *line = hf_text_trim_start(*line, " ");
    (void)hf_text_take(line, "0x");
    return hf_num_take_hex(line, out_number) && (line->size == 0 || line->data[0] == ' ');
}

static bool perf_map_parse(struct hf_text line, struct range *out)
{
    uint64_t size;
    if (!perf_map_take_number(&line, &out->start) || !perf_map_take_number(&line, &size) ||
        !hf_add_u64(out->start, size, &out->end))
        return false;
    out->name = hf_text_trim_end(hf_text_trim_start(line, " "), " \r");
    return true;
}

/* The first query from `i` on that has no answer yet; shortens the way for those that come later.
 */
static size_t skip_answered(struct hf_perf_map_query *queries, size_t count, size_t i)
{
    while (i < count && queries[i].next != i) {
        size_t next = queries[i].next;
        if (next < count)
            queries[i].next = queries[next].next;
        i = queries[i].next;
    }
    return i;
}

void hf_perf_map_find(struct hf_text text, struct hf_perf_map_query *queries, size_t count)
{
    size_t end = hf_text_find_last(text, '\n');
    struct hf_text rest = hf_text_first(text, end < text.size ? end : 0);
    for (size_t i = 0; i < count; i++) {
        queries[i].name = HF_TEXT("");
        queries[i].next = i;
    }
    while (rest.size != 0) {
        struct range range;
        size_t feed = hf_text_find_last(rest, '\n');
        bool is_first = feed == rest.size;
        bool is_range = perf_map_parse(is_first ? rest : hf_text_from(rest, feed + 1), &range);
        rest = hf_text_first(rest, is_first ? 0 : feed);
        if (!is_range)
            continue;
        size_t i =
            skip_answered(queries, count, HF_FIRST_FROM(queries, count, address, range.start));
        while (i < count && queries[i].address < range.end) {
            queries[i].name = range.name;
            queries[i].next = i + 1;
            i = skip_answered(queries, count, i);
        }
    }
}

bool hf_perf_map_read(struct hf_perf_map *map, int64_t oldest_ns)
{
    struct hf_error err;
    struct hf_file_stamp stamp;
    if (!hf_file_stamp_of(map->path, &stamp))
        return false;
    if (stamp.modified_ns < oldest_ns) {
        (void)snprintf(map->why, sizeof map->why,
            "%s is stale: it belongs to an earlier process with this PID", map->path);
        return false;
    }
    enum hf_status status = hf_input_open_trusted(&map->input, map->path, &err);
    if (status == HF_OK)
        status = hf_input_peek(&map->input, (size_t)HF_LIMIT_PERF_MAP_BYTES + 1, &map->text, &err);
    if (status == HF_OK && map->text.size > HF_LIMIT_PERF_MAP_BYTES)
        status =
            hf_error_set(&err, HF_ERR_LIMIT, "%s is longer than %u bytes (HF_LIMIT_PERF_MAP_BYTES)",
                map->path, HF_LIMIT_PERF_MAP_BYTES);
    if (status != HF_OK)
        hf_error_format(&err, map->why, sizeof map->why);
    return status == HF_OK;
}

/* Why there is no map, and what would help. */
static void perf_map_explain(struct hf_perf_map *map, uint32_t id, bool is_live)
{
    if (id == 0)
        (void)snprintf(map->why, sizeof map->why,
            "it is code generated at run time; to find its perf map, the PID is needed, which is "
            "part "
            "of the name that jemalloc gave the dump");
    else if (is_live)
        (void)snprintf(map->why, sizeof map->why,
            "it is code generated at run time, and its process has no /tmp/perf-%" PRIu32
            ".map; let the JIT write one (node: --perf-basic-prof)",
            id);
    else
        (void)snprintf(map->why, sizeof map->why,
            "it is code generated at run time, and its process has ended; if /tmp/perf-%" PRIu32
            ".map belongs to that process, not to a later one, give --symdir /tmp",
            id);
}

bool hf_perf_map_open(struct hf_perf_map *map, const struct hf_profile *profile,
    const struct hf_live_process *process, const struct hf_symbol_options *options)
{
    uint32_t id = profile->capture.process_id;
    map->input = (struct hf_input){.fd = -1};
    map->why[0] = '\0';
    for (size_t i = 0; id != 0 && i < options->symdir_count && map->why[0] == '\0'; i++) {
        if (hf_path_format(map->path, "%s/perf-%" PRIu32 ".map", options->symdirs[i], id) &&
            hf_perf_map_read(map, INT64_MIN))
            return true;
    }
    uint32_t inner = process->id != 0 ? hf_proc_inner_id(process->id) : 0;
    if (inner != 0 && map->why[0] == '\0' &&
        hf_path_format(map->path, "/proc/%" PRIu32 "/root/tmp/perf-%" PRIu32 ".map", id, inner) &&
        hf_perf_map_read(map, process->started_ns))
        return true;
    if (process->has_just_ended && map->why[0] == '\0' &&
        hf_path_format(map->path, "/tmp/perf-%" PRIu32 ".map", id) &&
        hf_perf_map_read(map, process->started_ns))
        return true;
    if (map->why[0] == '\0')
        perf_map_explain(map, inner != 0 ? inner : id, process->id != 0);
    return false;
}

void hf_perf_map_close(struct hf_perf_map *map)
{
    hf_input_close(&map->input);
}
