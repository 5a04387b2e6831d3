/*
 * A batch as one process hands it to another (store/batch_coding.h), and the profiles in it
 * (store/batch.h). What was read is written again, and is the same.
 */
#include "fuzz.h"
#include "store/batch_coding.h"
#include "tell.h"

#include <stdlib.h>

#define PROFILES_MAX 64

static void tell_text(const char *what, struct hf_text text)
{
    fuzz_tell("%s: %.*s\n", what, (int)(text.size < 200 ? text.size : 200), text.data);
}

static void read_profiles(const struct hf_batch *batch)
{
    struct hf_error err;
    struct hf_batch_reader reader = {.cursor = hf_batch_cursor_of(batch->profiles)};
    struct hf_batch_id id = hf_batch_id_of(batch);
    bool is_one = true;
    enum hf_status status = HF_OK;
    fuzz_tell("id %lld %lld %016llx\n", (long long)id.first_ms, (long long)id.last_ms,
        (unsigned long long)id.checksum);
    for (int i = 0; i < PROFILES_MAX && status == HF_OK && is_one; i++) {
        status = hf_batch_next_profile(&reader, batch->stack_count, &is_one, &err);
        if (status == HF_OK && is_one)
            fuzz_tell("%lld: %zu levels\n", (long long)reader.ms, reader.levels.count);
        for (size_t l = 0; status == HF_OK && is_one && l < reader.levels.count; l++) {
            if (reader.levels.items[l].stack >= batch->stack_count)
                abort();
        }
    }
    fuzz_tell_error(status, &err);
    hf_levels_done(&reader.levels);
}

static void write_batch_again(const struct hf_batch *batch, struct hf_text bytes)
{
    struct hf_error err;
    struct hf_out out = {0};
    if (hf_batch_write(batch, &out, &err) != HF_OK || !hf_text_equal(hf_out_view(&out), bytes))
        abort();
    hf_out_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_text bytes = {(const char *)data, size};
    struct hf_batch_coding coding;
    enum hf_status status = hf_batch_read(&coding, bytes, &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        const struct hf_batch *batch = &coding.batch;
        tell_text("instance", batch->instance.name);
        for (size_t i = 0; i < batch->stack_count; i++)
            tell_text("place", batch->stacks[i].place);
        write_batch_again(batch, bytes);
        read_profiles(batch);
    }
    hf_batch_coding_done(&coding);
    return 0;
}
