#include "os/process/resident.h"

#include "base/checked.h"
#include "base/strings/num.h"
#include "os/process/map_line.h"

#include <inttypes.h>
#include <stdio.h>

/* The mapping that the fields are of. */
struct resident_place {
    enum hf_resident_part changed, other; /* of its pages, those of no file, and the others */
    uint64_t end, rss_bytes, anonymous_bytes;
    struct hf_mapped_file file;
};

struct resident_adder {
    struct hf_resident *sum;
    struct hf_mapped_file table, program; /* the program is mapped below all others */
    struct resident_place place;
};

static bool is_file(struct hf_mapped_file a, struct hf_mapped_file b)
{
    return a.inode != 0 && a.inode == b.inode && a.device == b.device;
}

/* Where data that begin as zeroes end the program, the kernel has a mapping of no file. */
static bool is_zeroed_data(const struct resident_adder *adder, const struct hf_map_line *map)
{
    return map->path.size == 0 && map->start == adder->place.end &&
           is_file(adder->place.file, adder->program);
}

/* Fields before the first mapping are of none; a sum that is more than a number can hold is not
 * made. */
static void end_place(struct resident_adder *adder)
{
    const struct resident_place *place = &adder->place;
    uint64_t *parts = adder->sum->parts, rss = place->rss_bytes;
    uint64_t changed = place->anonymous_bytes < rss ? place->anonymous_bytes : rss;
    if (place->end == 0 || !hf_add_u64(adder->sum->total_bytes, rss, &adder->sum->total_bytes))
        return;
    parts[place->changed] += changed;
    parts[place->other] += rss - changed;
}

static void begin_place(struct resident_adder *adder, const struct hf_map_line *map)
{
    struct resident_place place = {
        HF_RESIDENT_DATA, HF_RESIDENT_FILES, .end = map->end, .file = {map->device, map->inode}};
    if (is_file(place.file, adder->table))
        place.changed = place.other = HF_RESIDENT_TABLE;
    else if (hf_text_is(map->path, "[heap]"))
        place.changed = HF_RESIDENT_HEAP;
    else if (hf_text_is(map->path, "[stack]"))
        place.changed = HF_RESIDENT_STACK;
    else if (map->path.size == 0 && !is_zeroed_data(adder, map))
        place.changed = HF_RESIDENT_MAPPED;
    if (adder->program.inode == 0)
        adder->program = place.file;
    adder->place = place;
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

enum hf_status hf_resident_read(struct hf_input *smaps, struct hf_mapped_file table,
    struct hf_resident *out_resident, struct hf_error *err)
{
    struct hf_text line;
    struct hf_map_line map;
    struct hf_resident sum = {0};
    struct resident_adder adder = {.sum = &sum, .table = table};
    enum hf_status status = HF_OK;
    while (hf_input_next(smaps, &line, &status, err)) {
        if (take_field(line, "Rss:", &adder.place.rss_bytes) ||
            take_field(line, "Anonymous:", &adder.place.anonymous_bytes) ||
            !hf_map_line_parse(line, &map))
            continue;
        end_place(&adder);
        begin_place(&adder, &map);
    }
    end_place(&adder);
    if (status == HF_OK)
        *out_resident = sum;
    return status;
}

bool hf_resident_of(uint32_t pid, struct hf_mapped_file table, struct hf_resident *out_resident)
{
    char path[64];
    struct hf_input smaps;
    struct hf_resident sum;
    (void)snprintf(path, sizeof path, "/proc/%" PRIu32 "/smaps", pid);
    if (hf_input_open(&smaps, path, NULL) != HF_OK)
        return false;
    bool is_known = hf_resident_read(&smaps, table, &sum, NULL) == HF_OK && sum.total_bytes != 0;
    hf_input_close(&smaps);
    if (is_known)
        *out_resident = sum;
    return is_known;
}
