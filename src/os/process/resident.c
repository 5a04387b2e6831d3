#include "os/process/resident.h"

#include "base/strings/num.h"
#include "os/path.h"
#include "os/process/map_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define GUARD_MAX (UINT64_C(1) << 20)

struct resident_reader {
    hf_resident_visit *visit;
    void *context;
    struct hf_mapped_file program;  /* it is mapped below all others */
    struct hf_resident_place place; /* that the fields are of */
    uint64_t guard_end;             /* of the guard that was last; 0: there was none */
};

static bool is_file(struct hf_mapped_file a, struct hf_mapped_file b)
{
    return a.inode != 0 && a.inode == b.inode && a.device == b.device;
}

/* Where data that begin as zeroes end the program, the kernel has a mapping of no file. */
static bool is_zeroed_data(const struct resident_reader *reader, const struct hf_map_line *map)
{
    return map->path.size == 0 && map->start == reader->place.end &&
           is_file(reader->place.file, reader->program);
}

/* Memory shared by processes has a file that nobody can open, or one in memory. */
static bool is_shared(struct hf_text path)
{
    static const char *const names[] = {
        "/dev/zero", "/dev/shm/", "/memfd:", "/SYSV", "[anon_shmem:"};
    bool is_one = false;
    for (size_t i = 0; i < HF_COUNT(names); i++)
        is_one |= hf_text_starts(path, names[i]);
    return is_one;
}

static enum hf_resident_kind kind_of(
    const struct resident_reader *reader, const struct hf_map_line *map)
{
    if (hf_text_is(map->path, "[heap]"))
        return HF_RESIDENT_HEAP;
    if (hf_text_is(map->path, "[stack]"))
        return HF_RESIDENT_STACK;
    if (is_shared(map->path))
        return HF_RESIDENT_SHARED;
    return map->path.size == 0 && !is_zeroed_data(reader, map) ? HF_RESIDENT_MAPPED
                                                               : HF_RESIDENT_FILE;
}

static void begin_place(struct resident_reader *reader, const struct hf_map_line *map)
{
    bool is_behind_file =
        map->path.size == 0 && map->start == reader->place.end && reader->place.file.inode != 0;
    reader->place = (struct hf_resident_place){
        .start = map->start,
        .end = map->end,
        .kind = kind_of(reader, map),
        .file = {map->device, map->inode},
        .is_behind_file = is_behind_file,
        .is_behind_guard = map->start == reader->guard_end,
    };
    if (reader->program.inode == 0)
        reader->program = reader->place.file;
    reader->guard_end = map->is_guard && map->end - map->start <= GUARD_MAX ? map->end : 0;
}

/* Fields before the first mapping are of none. */
static enum hf_status end_place(struct resident_reader *reader, struct hf_error *err)
{
    struct hf_resident_place *place = &reader->place;
    if (place->anonymous_bytes > place->resident_bytes)
        place->anonymous_bytes = place->resident_bytes;
    return place->end != 0 && place->resident_bytes != 0
               ? reader->visit(reader->context, place, err)
               : HF_OK;
}

/* "Rss:                 132 kB" */
static bool take_field(struct hf_text line, const char *name, uint64_t *out_bytes)
{
    uint64_t kilobytes;
    if (!hf_text_take(&line, name))
        return false;
    line = hf_text_trim_start(line, " ");
    if (hf_num_take_u64(&line, &kilobytes) && hf_text_is(line, " kB") &&
        kilobytes <= UINT64_MAX >> 10)
        *out_bytes = kilobytes << 10;
    return true;
}

enum hf_status hf_resident_read(
    struct hf_input *smaps, hf_resident_visit *visit, void *context, struct hf_error *err)
{
    struct hf_text line;
    struct hf_map_line map;
    struct resident_reader reader = {.visit = visit, .context = context};
    enum hf_status status = HF_OK;
    while (status == HF_OK && hf_input_next(smaps, &line, &status, err)) {
        if (take_field(line, "Rss:", &reader.place.resident_bytes) ||
            take_field(line, "Anonymous:", &reader.place.anonymous_bytes) ||
            !hf_map_line_parse(line, &map))
            continue;
        status = end_place(&reader, err);
        begin_place(&reader, &map);
    }
    return status == HF_OK ? end_place(&reader, err) : status;
}

enum hf_status hf_resident_read_process(
    uint32_t pid, hf_resident_visit *visit, void *context, struct hf_error *err)
{
    char path[64];
    struct hf_input smaps;
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/smaps", pid);
    enum hf_status status = hf_input_open(&smaps, path, err);
    if (status != HF_OK)
        return status;
    status = hf_resident_read(&smaps, visit, context, err);
    hf_input_close(&smaps);
    return status;
}
