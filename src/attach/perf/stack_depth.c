#include "attach/perf/stack_depth.h"

#include "attach/saved_stack.h"

#include <stdlib.h>
#include <time.h>

#define LOOK_MS 100
#define ONE_IN 31u /* no number that a loop is likely to have */
#define ENOUGH 100u
#define REST 2u /* stacks that were not seen may be so many times as deep */
#define GRAIN 1024u

struct look {
    struct hf_images *images; /* borrowed, as these */
    const struct hf_probe *probes;
    struct hf_saved_stack walked;
    size_t count;
    uint64_t deepest; /* bytes from the stack pointer to the outermost frame */
};

static enum hf_status stack_depth_take(
    void *context, const struct hf_half *half, struct hf_error *err)
{
    struct look *look = context;
    (void)err;
    if (half->stack_size == 0)
        return HF_OK;
    hf_saved_stack_walk(&look->walked, look->images, &half->registers,
        (struct hf_text){half->stack, half->stack_size}, !look->probes[half->probe].is_system_call,
        NULL);
    uint64_t depth = look->walked.is_short ? HF_STACK_BYTES_MOST
                                           : look->walked.outermost_sp - half->registers.sp;
    look->count++;
    look->deepest = depth > look->deepest ? depth : look->deepest;
    return HF_OK;
}

static uint32_t bytes_for(const struct look *look)
{
    uint64_t bytes = (look->deepest * REST + GRAIN - 1) / GRAIN * GRAIN;
    if (look->count < ENOUGH || bytes > HF_STACK_BYTES_MOST)
        return HF_STACK_BYTES_MOST;
    return bytes < HF_STACK_BYTES_LEAST ? HF_STACK_BYTES_LEAST : (uint32_t)bytes;
}

enum hf_status hf_stack_depth_learn(const struct hf_perf_source_options *options,
    struct hf_images *images, uint32_t *out_stack_bytes, struct hf_error *err)
{
    struct hf_perf_source_options how = *options;
    struct timespec wait = {.tv_nsec = LOOK_MS * 1000000L};
    struct hf_perf_source *source = NULL;
    struct look *look = calloc(1, sizeof *look);
    if (look == NULL)
        return hf_error_memory(err);
    look->images = images;
    look->probes = options->probes;
    how.with_faults = false;
    how.stack_bytes = HF_STACK_BYTES_MOST;
    how.one_in = ONE_IN;
    enum hf_status status = hf_perf_source_open(&how, &source, err);
    if (status == HF_OK) {
        nanosleep(&wait, NULL);
        status = hf_perf_source_stop(source, (struct hf_half_sink){stack_depth_take, look}, err);
    }
    hf_perf_source_close(source);
    if (status == HF_OK)
        *out_stack_bytes = bytes_for(look);
    free(look);
    return status;
}
