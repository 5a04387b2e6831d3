#include "attach/bpf/bpf_maps.h"

#include "os/broker_line.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* What is used of libbpf. */
struct bpf_maps_libbpf {
    struct ring_buffer *(*ring_new)(
        int, ring_buffer_sample_fn, void *, const struct ring_buffer_opts *);
    int (*ring_poll)(struct ring_buffer *, int);
    void (*ring_free)(struct ring_buffer *);
    int (*map_update)(int, const void *, const void *, __u64);
    int (*map_lookup)(int, const void *, void *);
    int (*map_lookup_batch)(
        int, void *, void *, void *, void *, __u32 *, const struct bpf_map_batch_opts *);
};

static const struct hf_library_function functions[] = {
    {"ring_buffer__new", offsetof(struct bpf_maps_libbpf, ring_new)},
    {"ring_buffer__poll", offsetof(struct bpf_maps_libbpf, ring_poll)},
    {"ring_buffer__free", offsetof(struct bpf_maps_libbpf, ring_free)},
    {"bpf_map_update_elem", offsetof(struct bpf_maps_libbpf, map_update)},
    {"bpf_map_lookup_elem", offsetof(struct bpf_maps_libbpf, map_lookup)},
    {"bpf_map_lookup_batch", offsetof(struct bpf_maps_libbpf, map_lookup_batch)},
};

static const struct hf_library library = HF_BPF_LIBRARY(functions);

static const struct {
    size_t key_bytes, value_bytes;
} sizes[HF_BPF_MAPS] = {
    [HF_BPF_MAP_OPTIONS] = {sizeof(__u32), sizeof(struct hf_bpf_options)},
    [HF_BPF_MAP_FOLLOWED] = {sizeof(__u32), sizeof(struct hf_bpf_followed)},
    [HF_BPF_MAP_PROBES] = {sizeof(__u32), sizeof(struct hf_bpf_probe)},
    [HF_BPF_MAP_GAPS] = {sizeof(__u32), sizeof(__u64)},
    [HF_BPF_MAP_PROCESSORS] = {sizeof(__u32), sizeof(struct hf_bpf_processor)},
    [HF_BPF_MAP_OPEN_CALLS] = {sizeof(__u32), sizeof(struct hf_bpf_open_call)},
    [HF_BPF_MAP_BLOCKS] = {sizeof(__u64), sizeof(struct hf_bpf_block)},
    [HF_BPF_MAP_CONTEXTS] = {sizeof(__u64), sizeof(struct hf_bpf_context)},
    [HF_BPF_MAP_TOTALS] = {sizeof(struct hf_bpf_total_key), sizeof(struct hf_bpf_total)},
    [HF_BPF_MAP_STACKS] = {0, 0},
};

struct hf_bpf_maps {
    struct bpf_maps_libbpf bpf;
    int files[HF_BPF_MAPS];
    uint32_t processors;
    struct ring_buffer *ring;
    hf_bpf_on_stack *on_stack;
    void *context;
};

static enum hf_status bpf_maps_fail(const char *what, int error, struct hf_error *err)
{
    if (error == EPERM && hf_broker_is_there())
        return hf_error_set(err, HF_ERR_SYSTEM,
            "before Linux 5.19, a process without rights may not %s: use --no-sandbox", what);
    return hf_error_system(err, error, "cannot %s", what);
}

static int on_record(void *context, void *record, size_t size)
{
    struct hf_bpf_maps *maps = context;
    const struct hf_bpf_stack *stack = record;
    if (size >= HF_BPF_STACK_BYTES(0) && stack->pages <= HF_BPF_STACK_PAGES &&
        size >= HF_BPF_STACK_BYTES(stack->pages))
        maps->on_stack(maps->context, stack);
    return 0;
}

static enum hf_status open_ring(struct hf_bpf_maps *maps, struct hf_error *err)
{
    enum hf_status status = hf_library_load(&library, &maps->bpf, err);
    if (status != HF_OK)
        return status;
    maps->ring = maps->bpf.ring_new(maps->files[HF_BPF_MAP_STACKS], on_record, maps, NULL);
    return maps->ring != NULL ? HF_OK
                              : bpf_maps_fail("map a ring buffer of the kernel", errno, err);
}

enum hf_status hf_bpf_maps_open(struct hf_bpf_maps **out_maps, const int files[HF_BPF_MAPS],
    uint32_t processors, hf_bpf_on_stack *on_stack, void *context, struct hf_error *err)
{
    struct hf_bpf_maps *maps = calloc(1, sizeof *maps);
    if (maps == NULL) {
        for (size_t i = 0; i < HF_BPF_MAPS; i++)
            close(files[i]);
        return hf_error_memory(err);
    }
    for (size_t i = 0; i < HF_BPF_MAPS; i++)
        maps->files[i] = files[i];
    maps->processors = processors;
    maps->on_stack = on_stack;
    maps->context = context;
    enum hf_status status = open_ring(maps, err);
    if (status != HF_OK)
        hf_bpf_maps_close(maps);
    else
        *out_maps = maps;
    return status;
}

void hf_bpf_maps_close(struct hf_bpf_maps *maps)
{
    if (maps == NULL)
        return;
    if (maps->ring != NULL)
        maps->bpf.ring_free(maps->ring);
    for (size_t i = 0; i < HF_BPF_MAPS; i++)
        close(maps->files[i]);
    free(maps);
}

enum hf_status hf_bpf_map_put(struct hf_bpf_maps *maps, enum hf_bpf_map map, const void *key,
    const void *value, struct hf_error *err)
{
    int error = maps->bpf.map_update(maps->files[map], key, value, BPF_ANY);
    return error == 0 ? HF_OK : bpf_maps_fail("write to a map of the kernel", -error, err);
}

bool hf_bpf_has_ended(struct hf_bpf_maps *maps)
{
    struct hf_bpf_followed followed;
    uint32_t zero = 0;
    return maps->bpf.map_lookup(maps->files[HF_BPF_MAP_FOLLOWED], &zero, &followed) == 0 &&
           followed.has_ended != 0;
}

uint64_t hf_bpf_counted(struct hf_bpf_maps *maps, enum hf_bpf_count what)
{
    struct hf_bpf_processor *each = calloc((size_t)maps->processors + 1, sizeof *each);
    uint32_t zero = 0;
    uint64_t sum = 0;
    if (each != NULL && maps->processors != 0 &&
        maps->bpf.map_lookup(maps->files[HF_BPF_MAP_PROCESSORS], &zero, each) == 0) {
        for (uint32_t i = 0; i < maps->processors; i++)
            sum += each[i].counts[what];
    }
    free(each);
    return sum;
}

#define BATCH 4096u

/* Hands out entry by entry what the kernel gives in batches (Linux 5.6). */
static enum hf_status each_of(struct hf_bpf_maps *maps, enum hf_bpf_map map, char *keys,
    char *values, hf_bpf_on_entry *on_entry, void *context, struct hf_error *err)
{
    uint64_t position[2]; /* as large as a key; the kernel's */
    bool is_first = true;
    for (;;) {
        uint32_t count = BATCH;
        int error = maps->bpf.map_lookup_batch(
            maps->files[map], is_first ? NULL : position, position, keys, values, &count, NULL);
        if (error != 0 && error != -ENOENT)
            return bpf_maps_fail("read a map of the kernel", -error, err);
        for (uint32_t i = 0; i < count; i++)
            on_entry(context, keys + i * sizes[map].key_bytes, values + i * sizes[map].value_bytes);
        if (error == -ENOENT)
            return HF_OK;
        is_first = false;
    }
}

enum hf_status hf_bpf_map_each(struct hf_bpf_maps *maps, enum hf_bpf_map map,
    hf_bpf_on_entry *on_entry, void *context, struct hf_error *err)
{
    char *keys = malloc(BATCH * sizes[map].key_bytes);
    char *values = malloc(BATCH * sizes[map].value_bytes);
    enum hf_status status = keys != NULL && values != NULL
                                ? each_of(maps, map, keys, values, on_entry, context, err)
                                : hf_error_memory(err);
    free(values);
    free(keys);
    return status;
}

void hf_bpf_maps_poll(struct hf_bpf_maps *maps, int wait_ms)
{
    maps->bpf.ring_poll(maps->ring, wait_ms);
}
