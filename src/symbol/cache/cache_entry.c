#include "symbol/cache/cache_entry.h"

#include "base/checksum.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "os/path.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the body has of each. */
#define ADDRESS_BYTES 8
#define ANSWER_BYTES sizeof(struct answer)
#define FRAME_BYTES sizeof(struct hf_cache_frame)
#define OFFSET_BYTES 4
#define NUMBER_BYTES 4

/* As in the body. */
struct answer {
    uint64_t start;
    uint32_t first_frame, symbol, file, line;
    struct hf_dwarf_detail detail;
    uint32_t twins;
};

static struct hf_text text(struct hf_cursor *c)
{
    return hf_cursor_bytes(c, hf_cursor_u32(c));
}

static bool skip_sightings(struct hf_cursor *c, struct hf_text *out_sightings)
{
    const uint8_t *start = c->at;
    uint32_t count = hf_cursor_u32(c);
    for (uint32_t i = 0; i < count && !hf_cursor_failed(c); i++) {
        hf_cursor_skip(c, 1);
        (void)text(c);
        hf_cursor_skip(c, sizeof(struct hf_file_stamp));
    }
    *out_sightings = (struct hf_text){(const char *)start, (size_t)(c->at - start)};
    return !hf_cursor_failed(c);
}

/* Finds the parts of the body, which must fill it. */
static bool lay_out(struct hf_cache_entry *e, uint64_t text_bytes)
{
    if (e->answer_count >= UINT32_MAX || e->frame_count >= UINT32_MAX ||
        e->string_count >= UINT32_MAX || text_bytes > UINT32_MAX || e->string_count == 0)
        return false;
    e->answers = e->answer_count * ADDRESS_BYTES;
    e->frames = e->answers + (e->answer_count + 1) * ANSWER_BYTES;
    e->strings = e->frames + e->frame_count * FRAME_BYTES;
    e->readables = e->strings + (e->string_count + 1) * OFFSET_BYTES;
    e->texts = e->readables + e->string_count * NUMBER_BYTES;
    return e->texts + text_bytes == e->body.size;
}

static bool cache_entry_open_any(struct hf_cache_entry *e, struct hf_text bytes)
{
    *e = (struct hf_cache_entry){0};
    struct hf_cursor c = hf_cursor_of(bytes.data, bytes.size, "entry");
    bool is_magic = hf_text_is(hf_cursor_bytes(&c, sizeof HF_CACHE_MAGIC - 1), HF_CACHE_MAGIC);
    uint32_t version = hf_cursor_u32(&c), head_size = hf_cursor_u32(&c);
    uint64_t checksum = hf_cursor_u64(&c);
    if (!is_magic || version != HF_CACHE_VERSION || head_size < HF_CACHE_HEAD_CHECKED ||
        head_size > bytes.size || head_size % 8 != 0 ||
        hf_checksum(bytes.data + HF_CACHE_HEAD_CHECKED, head_size - HF_CACHE_HEAD_CHECKED) !=
            checksum)
        return false;
    c.end = c.start + head_size;
    e->body = hf_text_from(bytes, head_size);
    e->answer_count = hf_cursor_u64(&c);
    e->frame_count = hf_cursor_u64(&c);
    e->string_count = hf_cursor_u64(&c);
    uint64_t text_bytes = hf_cursor_u64(&c);
    e->context = text(&c);
    e->why = text(&c);
    size_t block_count = (e->body.size + HF_CACHE_BLOCK - 1) / HF_CACHE_BLOCK;
    bool is_whole = skip_sightings(&c, &e->sightings);
    hf_cursor_skip(&c, -hf_cursor_offset(&c) % sizeof(uint64_t));
    e->checksums = hf_cursor_bytes(&c, block_count * sizeof(uint64_t));
    return is_whole && !hf_cursor_failed(&c) && hf_cursor_left(&c) == 0 && lay_out(e, text_bytes);
}

bool hf_cache_entry_open(struct hf_cache_entry *e, struct hf_text bytes, struct hf_text context)
{
    if (!cache_entry_open_any(e, bytes) || !hf_text_equal(e->context, context))
        return false;
    e->is_checked = calloc((e->body.size + HF_CACHE_BLOCK - 1) / HF_CACHE_BLOCK, 1);
    return e->is_checked != NULL;
}

void hf_cache_entry_name(struct hf_out *out, struct hf_text build_id, struct hf_text context)
{
    hf_out_hex_bytes(out, build_id);
    hf_out_printf(out, "-%016" PRIx64, hf_checksum(context.data, context.size));
}

bool hf_cache_entry_is_sound(struct hf_text name, struct hf_text bytes)
{
    struct hf_cache_entry entry;
    struct hf_out end = {0};
    if (bytes.size > HF_LIMIT_CACHE_ENTRY_BYTES || !cache_entry_open_any(&entry, bytes))
        return false;
    hf_cache_entry_name(&end, HF_TEXT(""), entry.context);
    struct hf_text build_id = hf_text_first(name, hf_text_find(name, '-'));
    bool is_sound = hf_out_finish(&end, NULL) == HF_OK &&
                    hf_text_equal(hf_text_from(name, build_id.size), hf_out_view(&end)) &&
                    strspn(build_id.data, "0123456789abcdef") == build_id.size;
    hf_out_done(&end);
    return is_sound;
}

void hf_cache_entry_close(struct hf_cache_entry *e)
{
    free(e->is_checked);
    *e = (struct hf_cache_entry){0};
}

/* The next of the sightings, of which the first is behind their count; false at the end. */
static bool next_sighting(struct hf_cursor *c, char path[PATH_MAX], struct hf_sighting *out)
{
    out->is_there = hf_cursor_u8(c) != 0;
    struct hf_text name = text(c);
    out->stamp.device = hf_cursor_u64(c);
    out->stamp.inode = hf_cursor_u64(c);
    out->stamp.size = hf_cursor_u64(c);
    out->stamp.modified_ns = (int64_t)hf_cursor_u64(c);
    if (hf_cursor_failed(c))
        return false;
    out->path = path;
    return hf_path_format(path, "%.*s", (int)name.size, name.data);
}

bool hf_cache_entry_holds(const struct hf_cache_entry *e, struct hf_sightings *sightings)
{
    struct hf_cursor c = hf_cursor_of(e->sightings.data, e->sightings.size, "sightings");
    uint32_t count = hf_cursor_u32(&c);
    for (uint32_t i = 0; i < count; i++) {
        char path[PATH_MAX];
        struct hf_sighting s;
        if (!next_sighting(&c, path, &s) || !hf_sighting_holds(s.path, &s.stamp, s.is_there))
            return false;
        hf_sightings_add(sightings, s.path, s.is_there ? &s.stamp : NULL);
    }
    return true;
}

/* Bytes of the body, if the blocks they are in are sound; else NULL, and the entry is damaged. */
static const char *cache_entry_part(struct hf_cache_entry *e, uint64_t offset, size_t size)
{
    e->is_damaged =
        e->is_damaged || size == 0 || offset > e->body.size || size > e->body.size - offset;
    if (e->is_damaged)
        return NULL;
    size_t last = (size_t)((offset + size - 1) / HF_CACHE_BLOCK);
    for (size_t block = (size_t)(offset / HF_CACHE_BLOCK); block <= last; block++) {
        if (HF_LIKELY(e->is_checked[block] != 0))
            continue;
        struct hf_text bytes =
            hf_text_first(hf_text_from(e->body, block * HF_CACHE_BLOCK), HF_CACHE_BLOCK);
        uint64_t expected;
        memcpy(&expected, e->checksums.data + block * sizeof expected, sizeof expected);
        e->is_damaged = hf_checksum(bytes.data, bytes.size) != expected;
        if (e->is_damaged)
            return NULL;
        e->is_checked[block] = 1;
    }
    return e->body.data + offset;
}

static bool cache_entry_copy_part(struct hf_cache_entry *e, uint64_t offset, void *out, size_t size)
{
    const char *bytes = cache_entry_part(e, offset, size);
    if (bytes != NULL)
        memcpy(out, bytes, size);
    return bytes != NULL;
}

uint64_t hf_cache_entry_address(struct hf_cache_entry *e, size_t answer)
{
    uint64_t address = 0;
    (void)cache_entry_copy_part(e, answer * ADDRESS_BYTES, &address, sizeof address);
    return address;
}

/* The answer for `address`: looked for near the last one first. */
static bool cache_entry_locate(struct hf_cache_entry *e, uint64_t address, size_t *out_answer)
{
    size_t low = e->last, high = (size_t)e->answer_count, step = 1;
    if (low >= high || hf_cache_entry_address(e, low) > address)
        low = 0;
    for (; step < high - low && hf_cache_entry_address(e, low + step) <= address; step *= 2)
        low += step;
    if (step < high - low)
        high = low + step;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hf_cache_entry_address(e, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    *out_answer = low;
    return low < e->answer_count && hf_cache_entry_address(e, low) == address && !e->is_damaged;
}

static struct hf_text string(struct hf_cache_entry *e, uint32_t number)
{
    const struct hf_text nothing = {NULL, 0};
    uint32_t ends[2];
    if (number == 0)
        return nothing;
    e->is_damaged = e->is_damaged || number >= e->string_count;
    if (e->is_damaged ||
        !cache_entry_copy_part(e, e->strings + (uint64_t)number * OFFSET_BYTES, ends, sizeof ends))
        return nothing;
    e->is_damaged = ends[0] >= ends[1];
    const char *bytes = cache_entry_part(e, e->texts + ends[0], ends[1] - ends[0]);
    return bytes != NULL ? (struct hf_text){bytes, ends[1] - ends[0]} : nothing;
}

bool hf_cache_entry_find(struct hf_cache_entry *e, uint64_t address, struct hf_arena *arena,
    struct hf_finding *out_finding)
{
    size_t found;
    struct answer answer[2]; /* it and the next */
    if (!cache_entry_locate(e, address, &found) ||
        !cache_entry_copy_part(e, e->answers + found * ANSWER_BYTES, answer, sizeof answer))
        return false;
    uint32_t from = answer[0].first_frame, to = answer[1].first_frame;
    e->is_damaged = from > to || to > e->frame_count || to - from > HF_LIMIT_INLINE_DEPTH + 1;
    if (e->is_damaged)
        return false;
    struct hf_dwarf_place place = {
        .count = to - from, .line = answer[0].line, .detail = answer[0].detail};
    place.file = string(e, answer[0].file);
    place.frames = hf_arena_alloc(arena, (place.count + 1) * sizeof *place.frames);
    if (place.frames == NULL)
        return false;
    for (uint32_t i = from; i < to; i++) {
        struct hf_cache_frame frame;
        if (!cache_entry_copy_part(e, e->frames + (uint64_t)i * FRAME_BYTES, &frame, sizeof frame))
            return false;
        place.frames[i - from] =
            (struct hf_dwarf_frame){string(e, frame.name), string(e, frame.linkage),
                string(e, frame.scope), string(e, frame.file), frame.line, frame.detail};
    }
    *out_finding =
        (struct hf_finding){place, string(e, answer[0].symbol), answer[0].start, answer[0].twins};
    e->last = found;
    return !e->is_damaged;
}

/* The number of the string that starts at this offset of the texts; 0 if none does. */
static uint32_t number_at(struct hf_cache_entry *e, uint64_t offset)
{
    uint64_t low = 1, high = e->string_count;
    uint32_t start;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (!cache_entry_copy_part(e, e->strings + middle * OFFSET_BYTES, &start, sizeof start))
            return 0;
        if (start < offset)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there =
        low < e->string_count &&
        cache_entry_copy_part(e, e->strings + low * OFFSET_BYTES, &start, sizeof start) &&
        start == offset;
    return is_there ? (uint32_t)low : 0;
}

bool hf_cache_entry_readable(
    struct hf_cache_entry *e, struct hf_text name, struct hf_text *out_readable)
{
    uintptr_t texts = (uintptr_t)e->body.data + e->texts, at = (uintptr_t)name.data;
    uint32_t readable;
    if (name.size == 0 || e->body.size == 0 || at < texts ||
        at >= (uintptr_t)e->body.data + e->body.size)
        return false;
    uint32_t number = number_at(e, at - texts);
    if (number == 0 || !cache_entry_copy_part(e, e->readables + (uint64_t)number * NUMBER_BYTES,
                           &readable, sizeof readable))
        return false;
    struct hf_text found = string(e, readable);
    if (found.size != 0)
        *out_readable = found;
    return found.size != 0;
}
