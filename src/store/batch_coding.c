#include "store/batch_coding.h"

#include "base/attr.h"
#include "base/limits.h"

#include <stdlib.h>

#define STACK_BYTES_MIN 24u /* a fingerprint and two sizes */

static void batch_put_u32(struct hf_out *out, size_t number)
{
    uint32_t value = (uint32_t)number;
    hf_out_bytes(out, (const char *)&value, sizeof value);
}

static void put_batch_text(struct hf_out *out, struct hf_text text)
{
    batch_put_u32(out, text.size);
    hf_out_text(out, text);
}

static enum hf_status refuse_large_batch(uint64_t bytes, struct hf_error *err)
{
    if (bytes <= HF_LIMIT_BATCH_BYTES)
        return HF_OK;
    return hf_error_set(err, HF_ERR_LIMIT,
        "the profiles of a batch and the names in their stacks take more than %u bytes "
        "(HF_LIMIT_BATCH_BYTES)",
        (unsigned)HF_LIMIT_BATCH_BYTES);
}

static uint64_t batch_size(const struct hf_batch *batch)
{
    const struct hf_batch_instance *is = &batch->instance;
    uint64_t bytes = batch->profiles.size + is->name.size + is->service.size + is->build.size +
                     is->node.size + batch->stack_count * (uint64_t)STACK_BYTES_MIN;
    for (size_t i = 0; i < batch->stack_count; i++)
        bytes += batch->stacks[i].place.size + batch->stacks[i].frames.size;
    return bytes;
}

enum hf_status hf_batch_write(
    const struct hf_batch *batch, struct hf_out *out, struct hf_error *err)
{
    const struct hf_text texts[] = {
        batch->instance.name, batch->instance.service, batch->instance.build, batch->instance.node};
    enum hf_status status = refuse_large_batch(batch_size(batch), err);
    if (status != HF_OK)
        return status;
    for (size_t i = 0; i < HF_COUNT(texts); i++)
        put_batch_text(out, texts[i]);
    batch_put_u32(out, batch->stack_count);
    for (size_t i = 0; i < batch->stack_count; i++) {
        const struct hf_batch_stack *stack = &batch->stacks[i];
        hf_out_bytes(out, (const char *)stack->print.halves, sizeof stack->print.halves);
        put_batch_text(out, stack->place);
        put_batch_text(out, stack->frames);
    }
    put_batch_text(out, batch->profiles);
    return hf_out_finish(out, err);
}

static struct hf_text next_text(struct hf_cursor *c)
{
    uint32_t size = hf_cursor_u32(c);
    return hf_cursor_bytes(c, size);
}

enum hf_status hf_batch_read(
    struct hf_batch_coding *coding, struct hf_text bytes, struct hf_error *err)
{
    struct hf_cursor c = hf_cursor_of(bytes.data, bytes.size, "batch");
    struct hf_batch *batch = &coding->batch;
    *coding = (struct hf_batch_coding){0};
    struct hf_text *texts[] = {&batch->instance.name, &batch->instance.service,
        &batch->instance.build, &batch->instance.node};
    for (size_t i = 0; i < HF_COUNT(texts); i++)
        *texts[i] = next_text(&c);
    uint32_t count = hf_cursor_u32(&c);
    if (hf_cursor_failed(&c) || count > hf_cursor_left(&c) / STACK_BYTES_MIN)
        return hf_error_set(err, HF_ERR_INPUT, "a batch of profiles is cut");
    coding->stacks = calloc((size_t)count + 1, sizeof *coding->stacks);
    if (coding->stacks == NULL)
        return hf_error_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        struct hf_batch_stack *stack = &coding->stacks[i];
        for (size_t half = 0; half < HF_COUNT(stack->print.halves); half++)
            stack->print.halves[half] = hf_cursor_u64(&c);
        stack->place = next_text(&c);
        stack->frames = next_text(&c);
    }
    batch->stacks = coding->stacks;
    batch->stack_count = count;
    batch->profiles = next_text(&c);
    if (hf_cursor_failed(&c) || hf_cursor_left(&c) != 0)
        return hf_error_set(err, HF_ERR_INPUT, "a batch of profiles is cut");
    return HF_OK;
}

void hf_batch_coding_done(struct hf_batch_coding *coding)
{
    free(coding->stacks);
    *coding = (struct hf_batch_coding){0};
}
