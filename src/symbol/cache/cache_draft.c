#include "base/checksum.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "symbol/cache/cache_entry.h"
#include "symbol/names/demangle.h"

#include <stdlib.h>

static void put_u32(struct hf_out *out, uint32_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void put_u64(struct hf_out *out, uint64_t value)
{
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void cache_draft_put_text(struct hf_out *out, struct hf_text text)
{
    put_u32(out, (uint32_t)text.size);
    hf_out_text(out, text);
}

/* The number of a string; that of the empty one is 0. */
static uint32_t cache_draft_number(struct hf_cache_draft *d, struct hf_text text)
{
    uint32_t id = 0;
    if (text.size != 0 && !hf_intern_put(&d->strings, text.data, text.size, &id))
        d->is_broken = true;
    return id;
}

static bool is_full(const struct hf_cache_draft *d)
{
    size_t bytes = d->answer_count * sizeof *d->answers + d->frame_count * sizeof *d->frames;
    return bytes + d->strings.arena.total_bytes > HF_LIMIT_CACHE_ENTRY_BYTES;
}

/* For one answer more. */
static bool cache_draft_make_room(struct hf_cache_draft *d, size_t frame_count)
{
    uint32_t empty;
    return (d->strings.count != 0 || hf_intern_put(&d->strings, "", 0, &empty)) &&
           hf_vec_reserve(
               &d->answers, &d->answer_capacity, d->answer_count + 1, sizeof *d->answers) &&
           hf_vec_reserve(
               &d->frames, &d->frame_capacity, d->frame_count + frame_count, sizeof *d->frames);
}

void hf_cache_draft_add(
    struct hf_cache_draft *d, uint64_t address, const struct hf_finding *finding)
{
    const struct hf_dwarf_place *place = &finding->place;
    bool is_new;
    if (d->is_broken || is_full(d))
        return;
    if (!cache_draft_make_room(d, place->count) ||
        hf_map_put(&d->index, address, 0, &is_new) == NULL) {
        d->is_broken = true;
        return;
    }
    if (!is_new)
        return;
    d->answers[d->answer_count++] = (struct hf_cache_answer){
        .address = address,
        .start = finding->start,
        .first_frame = (uint32_t)d->frame_count,
        .frame_count = (uint32_t)place->count,
        .symbol = cache_draft_number(d, finding->symbol),
        .file = cache_draft_number(d, place->file),
        .line = place->line,
        .twins = finding->twins,
        .detail = place->detail,
    };
    for (size_t i = 0; i < place->count; i++) {
        const struct hf_dwarf_frame *call = &place->frames[i];
        d->frames[d->frame_count++] = (struct hf_cache_frame){cache_draft_number(d, call->name),
            cache_draft_number(d, call->linkage), cache_draft_number(d, call->scope),
            cache_draft_number(d, call->file), call->line, call->detail};
    }
}

static int compare_addresses(const void *a, const void *b)
{
    const struct hf_cache_answer *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static bool cache_draft_is_mangled(struct hf_text name)
{
    return hf_text_starts(name, "_Z") || hf_text_starts(name, "_R");
}

/* Demangles the names, so that nobody who reads the entry has to. */
static void put_readables(struct hf_cache_draft *d, struct hf_out *out)
{
    struct hf_out readable = {0};
    uint32_t count = d->strings.count;
    for (uint32_t i = 0; i < count; i++) {
        struct hf_text name = hf_intern_at(&d->strings, i);
        readable.size = 0;
        if (cache_draft_is_mangled(name))
            hf_demangle(name, true, &readable);
        put_u32(out, cache_draft_number(d, hf_out_view(&readable)));
    }
    for (uint32_t i = count; i < d->strings.count; i++)
        put_u32(out, 0);
    d->is_broken = d->is_broken || readable.error.status != HF_OK;
    hf_out_done(&readable);
}

static void cache_draft_put_body(struct hf_cache_draft *d, struct hf_out *out)
{
    struct hf_out readables = {0};
    uint32_t frames = 0, text_bytes = 0;
    put_readables(d, &readables);
    if (d->answer_count != 0)
        qsort(d->answers, d->answer_count, sizeof *d->answers, compare_addresses);
    for (size_t i = 0; i < d->answer_count; i++)
        put_u64(out, d->answers[i].address);
    for (size_t i = 0; i <= d->answer_count; i++) {
        const struct hf_cache_answer none = {0};
        const struct hf_cache_answer *answer = i < d->answer_count ? &d->answers[i] : &none;
        put_u64(out, answer->start);
        put_u32(out, frames);
        put_u32(out, answer->symbol);
        put_u32(out, answer->file);
        put_u32(out, answer->line);
        hf_out_bytes(out, (const char *)&answer->detail, sizeof answer->detail);
        put_u32(out, answer->twins);
        frames += answer->frame_count;
    }
    for (size_t i = 0; i < d->answer_count && d->frame_count != 0; i++)
        hf_out_bytes(out, (const char *)&d->frames[d->answers[i].first_frame],
            d->answers[i].frame_count * sizeof *d->frames);
    for (uint32_t i = 0; i < d->strings.count; i++) {
        put_u32(out, text_bytes);
        text_bytes += (uint32_t)hf_intern_at(&d->strings, i).size;
    }
    put_u32(out, text_bytes);
    d->is_broken = d->is_broken || hf_out_finish(&readables, NULL) != HF_OK;
    hf_out_text(out, hf_out_view(&readables));
    hf_out_done(&readables);
    for (uint32_t i = 0; i < d->strings.count; i++)
        hf_out_text(out, hf_intern_at(&d->strings, i));
}

/* The head from behind its own checksum on. */
static void cache_draft_put_head(struct hf_out *out, const struct hf_cache_draft *d,
    struct hf_text context, struct hf_text why, const struct hf_sightings *sightings,
    struct hf_text body)
{
    size_t text_bytes = 0;
    for (uint32_t i = 0; i < d->strings.count; i++)
        text_bytes += hf_intern_at(&d->strings, i).size;
    put_u64(out, d->answer_count);
    put_u64(out, d->frame_count);
    put_u64(out, d->strings.count);
    put_u64(out, text_bytes);
    cache_draft_put_text(out, context);
    cache_draft_put_text(out, why);
    put_u32(out, (uint32_t)sightings->count);
    for (size_t i = 0; i < sightings->count; i++) {
        const struct hf_sighting *sighting = &sightings->items[i];
        hf_out_char(out, sighting->is_there ? 1 : 0);
        cache_draft_put_text(out, hf_text_of(sighting->path));
        put_u64(out, sighting->stamp.device);
        put_u64(out, sighting->stamp.inode);
        put_u64(out, sighting->stamp.size);
        put_u64(out, (uint64_t)sighting->stamp.modified_ns);
    }
    while (out->size % sizeof(uint64_t) != 0)
        hf_out_char(out, 0);
    for (size_t at = 0; at < body.size; at += HF_CACHE_BLOCK) {
        struct hf_text block = hf_text_first(hf_text_from(body, at), HF_CACHE_BLOCK);
        put_u64(out, hf_checksum(block.data, block.size));
    }
}

void hf_cache_draft_write(struct hf_cache_draft *d, struct hf_text context, struct hf_text why,
    const struct hf_sightings *sightings, struct hf_out *out)
{
    struct hf_out body = {0}, head = {0};
    cache_draft_put_body(d, &body);
    cache_draft_put_head(&head, d, context, why, sightings, hf_out_view(&body));
    if (hf_out_finish(&body, NULL) == HF_OK && hf_out_finish(&head, NULL) == HF_OK) {
        hf_out_string(out, HF_CACHE_MAGIC);
        put_u32(out, HF_CACHE_VERSION);
        put_u32(out, (uint32_t)(HF_CACHE_HEAD_CHECKED + head.size));
        put_u64(out, hf_checksum(head.data, head.size));
        hf_out_text(out, hf_out_view(&head));
        hf_out_text(out, hf_out_view(&body));
    }
    hf_out_done(&head);
    hf_out_done(&body);
}

void hf_cache_draft_done(struct hf_cache_draft *d)
{
    hf_intern_done(&d->strings);
    hf_map_done(&d->index);
    free(d->answers);
    free(d->frames);
    *d = (struct hf_cache_draft){0};
}
