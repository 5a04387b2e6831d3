/*
 * Profiles as changes (store/change_coding.h), one after the other. Input: a byte, then parts of 16
 * bits of size and so many bytes. If the byte is odd, each part is a blob; else it is a body, which
 * has no sum. What was read is written and read again as the same.
 */
#include "fuzz.h"
#include "input.h"
#include "store/change_coding.h"
#include "tell.h"

#define PARTS_MAX 16

static void check_levels(const struct hf_levels *levels)
{
    for (size_t i = 0; i < levels->count; i++) {
        const struct hf_level *level = &levels->items[i];
        if (level->stack > UINT32_MAX || (i != 0 && level->stack <= level[-1].stack) ||
            (level->bytes == 0 && level->objects == 0))
            abort();
        fuzz_tell("%llu: %llu, %llu\n", (unsigned long long)level->stack,
            (unsigned long long)level->bytes, (unsigned long long)level->objects);
    }
}

static void write_again(const struct hf_levels *before, const struct hf_levels *now)
{
    struct hf_error err;
    struct hf_out out = {0};
    struct hf_levels read;
    if (hf_change_write(before, now, &out, &err) != HF_OK ||
        hf_change_read(hf_out_view(&out), before, &read, &err) != HF_OK)
        abort();
    if (read.count != now->count ||
        (now->count != 0 && memcmp(read.items, now->items, now->count * sizeof *now->items) != 0))
        abort();
    hf_levels_done(&read);
    hf_out_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_levels before = {0}, now;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    bool are_blobs = hf_cursor_u8(&c) % 2 != 0;
    for (int i = 0; i < PARTS_MAX && hf_cursor_left(&c) != 0; i++) {
        struct hf_text part = fuzz_take_part(&c, hf_cursor_u16(&c));
        const struct hf_levels *base = i == 0 ? NULL : &before;
        enum hf_status status = are_blobs ? hf_change_read(part, base, &now, &err)
                                          : hf_change_apply(part, &before, &now, &err);
        fuzz_tell(
            "%s of %zu bytes\n", hf_change_is_keyframe(part) ? "keyframe" : "change", part.size);
        fuzz_tell_error(status, &err);
        fuzz_free_part(part);
        if (status != HF_OK)
            continue;
        check_levels(&now);
        write_again(base, &now);
        write_again(NULL, &now);
        hf_levels_done(&before);
        before = now;
    }
    hf_levels_done(&before);
    return 0;
}
