#include "store/batch.h"

#include "base/attr.h"
#include "base/checksum.h"

#define TIME_BYTES 8u

struct hf_cursor hf_batch_cursor_of(struct hf_text profiles)
{
    return hf_cursor_of(profiles.data, profiles.size, "batch");
}

enum hf_status hf_batch_put_profile(struct hf_out *profiles, int64_t ms,
    const struct hf_levels *before, const struct hf_levels *now, struct hf_error *err)
{
    struct hf_out blob = {0};
    enum hf_status status = hf_change_write(before, now, &blob, err);
    if (status == HF_OK)
        status = hf_out_finish(&blob, err);
    if (status == HF_OK) {
        uint32_t size = (uint32_t)blob.size; /* by HF_LIMIT_LEVELS it is below 2^26 */
        hf_out_bytes(profiles, (const char *)&ms, sizeof ms);
        hf_out_bytes(profiles, (const char *)&size, sizeof size);
        hf_out_text(profiles, hf_out_view(&blob));
    }
    hf_out_done(&blob);
    return status;
}

static struct hf_text next_blob(struct hf_cursor *c, int64_t *out_ms)
{
    *out_ms = (int64_t)hf_cursor_u64(c);
    uint32_t size = hf_cursor_u32(c);
    return hf_cursor_bytes(c, size);
}

enum hf_status hf_batch_next_profile(
    struct hf_batch_reader *reader, size_t stack_count, bool *out_is_one, struct hf_error *err)
{
    int64_t ms;
    struct hf_levels now;
    *out_is_one = hf_cursor_left(&reader->cursor) != 0;
    if (!*out_is_one)
        return HF_OK;
    struct hf_text blob = next_blob(&reader->cursor, &ms);
    if (hf_cursor_failed(&reader->cursor) || (reader->has_levels && ms <= reader->ms))
        return hf_error_set(
            err, HF_ERR_INPUT, "a batch of profiles is cut, or its times do not rise");
    enum hf_status status =
        hf_change_read(blob, reader->has_levels ? &reader->levels : NULL, &now, err);
    if (status != HF_OK)
        return status;
    hf_levels_done(&reader->levels);
    reader->levels = now;
    reader->has_levels = true;
    reader->ms = ms;
    if (now.count != 0 && now.items[now.count - 1].stack >= stack_count)
        return hf_error_set(
            err, HF_ERR_INPUT, "a batch of profiles holds a stack that is not in its list");
    return HF_OK;
}

static uint64_t sum_text(uint64_t sum, struct hf_text text)
{
    return hf_mix(sum ^ hf_checksum(text.data, text.size), HF_CHECKSUM_FACTOR);
}

static void set_batch_times(struct hf_text profiles, struct hf_batch_id *id)
{
    struct hf_cursor c = hf_batch_cursor_of(profiles);
    for (bool is_first = true; hf_cursor_left(&c) >= TIME_BYTES; is_first = false) {
        (void)next_blob(&c, &id->last_ms);
        if (is_first)
            id->first_ms = id->last_ms;
    }
    if (hf_cursor_failed(&c) || hf_cursor_left(&c) != 0)
        id->first_ms = id->last_ms = 0;
}

/* Frames are what a stack is called, not what it is: a resent one may have other names. */
struct hf_batch_id hf_batch_id_of(const struct hf_batch *batch)
{
    struct hf_batch_id id = {.checksum = 1};
    const struct hf_text texts[] = {
        batch->instance.service, batch->instance.build, batch->instance.node, batch->profiles};
    for (size_t i = 0; i < HF_COUNT(texts); i++)
        id.checksum = sum_text(id.checksum, texts[i]);
    for (size_t i = 0; i < batch->stack_count; i++) {
        const uint64_t *halves = batch->stacks[i].print.halves;
        id.checksum = sum_text(id.checksum, (struct hf_text){(const char *)halves, 16});
    }
    set_batch_times(batch->profiles, &id);
    return id;
}
