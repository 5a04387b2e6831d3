#include "attach/bpf/bpf_blocks.h"

#include "base/containers/intern.h"
#include "base/containers/vec.h"
#include "profile/unbias.h"

#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256

/* Blocks in use of one stack and context: a part of what was ever recorded of them. */
struct put {
    uint64_t count, bytes;
};

struct collector {
    const struct hf_bpf_blocks *blocks;
    bool has_failed;        /* no memory */
    bool puts_contexts;     /* as blocks; before those that lie in them */
    struct hf_map contexts; /* address -> index in `states` */
    struct hf_bpf_context *states;
    size_t state_count, state_capacity;
    struct hf_map name_ids; /* address of a context's name -> id in `names` */
    struct hf_intern names;
    struct hf_map put_ids; /* hash of a stack and a context -> index in `puts` */
    struct put *puts;
    size_t put_count, put_capacity;
};

static void remember_context(void *context, const void *key, const void *value)
{
    struct collector *c = context;
    uint64_t address;
    memcpy(&address, key, sizeof address);
    if (!hf_vec_reserve(&c->states, &c->state_capacity, c->state_count + 1, sizeof *c->states) ||
        hf_map_put(&c->contexts, address, (uint32_t)c->state_count, NULL) == NULL) {
        c->has_failed = true;
        return;
    }
    memcpy(&c->states[c->state_count++], value, sizeof *c->states);
}

/* What is known of a context; NULL if nothing is, as of address 0. */
static const struct hf_bpf_context *bpf_blocks_context_at(
    const struct collector *c, uint64_t address)
{
    const uint32_t *index = address != 0 ? hf_map_find(&c->contexts, address) : NULL;
    return index != NULL ? &c->states[*index] : NULL;
}

/* False: its context was reset or deleted since. */
static bool is_alive(const struct collector *c, const struct hf_bpf_block *block)
{
    const struct hf_bpf_context *context = bpf_blocks_context_at(c, block->context);
    return block->context == 0 || (context != NULL && context->generation == block->generation);
}

/* The name of a context, as its class has it; borrowed. Empty if it cannot be read. */
static struct hf_text name_at(struct collector *c, uint64_t address)
{
    const uint32_t *known = hf_map_find(&c->name_ids, address);
    if (known != NULL)
        return hf_intern_at(&c->names, *known);
    char bytes[NAME_BYTES];
    struct hf_text name = {0};
    uint32_t id;
    if (!hf_memory_text(c->blocks->memory, address, bytes, sizeof bytes, &name))
        name = HF_TEXT("");
    if (!hf_intern_put(&c->names, name.data, name.size, &id) ||
        hf_map_put(&c->name_ids, address, id, NULL) == NULL) {
        c->has_failed = true;
        return HF_TEXT("");
    }
    return hf_intern_at(&c->names, id);
}

static uint32_t bpf_blocks_stack_of(const struct collector *c, uint64_t hash)
{
    const uint32_t *number = hf_map_find(c->blocks->stacks, hash);
    return number != NULL ? *number : HF_TRACKER_NO_STACK;
}

/* The sums of what was put of a stack in a context. NULL: no memory. */
static struct put *put_of(struct collector *c, uint64_t stack, uint64_t context)
{
    bool is_new;
    uint64_t key = stack ^ context * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *index = hf_map_put(&c->put_ids, key, (uint32_t)c->put_count, &is_new);
    if (index == NULL ||
        !hf_vec_reserve(&c->puts, &c->put_capacity, c->put_count + 1, sizeof *c->puts)) {
        c->has_failed = true;
        return NULL;
    }
    if (is_new)
        c->puts[c->put_count++] = (struct put){0};
    return &c->puts[*index];
}

static void put_block(void *context, const void *key, const void *value)
{
    struct collector *c = context;
    const struct hf_bpf_block *block = value;
    uint32_t stack = bpf_blocks_stack_of(c, block->stack);
    bool is_context = block->role == HF_ROLE_CTXNEW;
    uint64_t address;
    memcpy(&address, key, sizeof address);
    uint64_t context_address = is_context ? address : block->context;
    const struct hf_bpf_context *state = bpf_blocks_context_at(c, context_address);
    if (is_context != c->puts_contexts || !is_alive(c, block) || stack == HF_BPF_INNER_STACK)
        return;
    struct hf_traced_call call = {
        .role = (enum hf_role)block->role,
        .tid = block->tid,
        .stack = stack,
        .time_ns = block->birth_ns,
        .context = context_address,
        .address = address,
        .size = block->size,
        .name = state != NULL ? name_at(c, state->name) : HF_TEXT(""),
    };
    hf_tracker_put(c->blocks->tracker, &call);
    struct put *put = put_of(c, block->stack, block->context);
    if (put != NULL) {
        put->count++;
        put->bytes += block->size;
    }
}

/* A realloc that runs: its old block is still there. */
static void put_held(void *context, const void *key, const void *value)
{
    const struct hf_bpf_open_call *call = value;
    (void)key;
    if (call->has_old)
        put_block(context, &call->pointer, &call->old);
}

/* What was recorded of a stack and is freed by now: of samples, an estimate by their mean size. */
static void count_total(void *context, const void *key, const void *value)
{
    struct collector *c = context;
    const struct hf_bpf_total_key *of = key;
    const struct hf_bpf_total *total = value;
    const struct put *put = put_of(c, of->stack, of->context);
    uint32_t stack = bpf_blocks_stack_of(c, of->stack);
    if (put == NULL || stack == HF_BPF_INNER_STACK || total->count <= put->count ||
        total->bytes < put->bytes)
        return;
    uint64_t objects = total->count - put->count, bytes = total->bytes - put->bytes;
    double weight = hf_unbias_weight(c->blocks->period_bytes, bytes / objects);
    struct hf_traced_call call = {
        .role = HF_ROLE_ALLOC,
        .stack = stack,
        .context = of->context,
        .name = of->context != 0 ? name_at(c, total->name) : HF_TEXT(""),
    };
    hf_tracker_count(c->blocks->tracker, &call, hf_unbias_round(weight * (double)objects),
        hf_unbias_round(weight * (double)bytes));
}

static void add_counts(const struct hf_bpf_blocks *blocks)
{
    struct hf_bpf_maps *maps = blocks->maps;
    struct hf_tracker_counts counts = {
        .allocs = hf_bpf_counted(maps, HF_BPF_COUNT_ALLOCS),
        .frees = hf_bpf_counted(maps, HF_BPF_COUNT_FREES),
        .unknown_frees = hf_bpf_counted(maps, HF_BPF_COUNT_UNKNOWN_FREES),
        .overwritten = hf_bpf_counted(maps, HF_BPF_COUNT_OVERWRITTEN),
        .unpaired_entries = hf_bpf_counted(maps, HF_BPF_COUNT_UNPAIRED_ENTRIES),
        .skipped = hf_bpf_counted(maps, HF_BPF_COUNT_SKIPPED),
    };
    hf_tracker_add_counts(blocks->tracker, &counts);
    static const struct {
        enum hf_bpf_count what;
        enum hf_tracker_loss loss;
    } losses[] = {
        {HF_BPF_COUNT_LOST_BLOCKS, HF_TRACKER_LOST_ALLOCS},
        {HF_BPF_COUNT_LOST_CALLS, HF_TRACKER_LOST_ALLOCS},
        {HF_BPF_COUNT_LOST_CONTEXTS, HF_TRACKER_LOST_EVENTS},
        {HF_BPF_COUNT_LOST_STACKS, HF_TRACKER_LOST_STACKS},
    };
    for (size_t i = 0; i < HF_COUNT(losses); i++)
        hf_tracker_lose(
            blocks->tracker, losses[i].loss, hf_bpf_counted(maps, losses[i].what), UINT64_MAX);
}

enum hf_status hf_bpf_blocks_put(const struct hf_bpf_blocks *blocks, struct hf_error *err)
{
    struct collector c = {.blocks = blocks};
    struct hf_bpf_maps *maps = blocks->maps;
    hf_tracker_clear(blocks->tracker); /* of what an earlier look put */
    enum hf_status status = hf_bpf_map_each(maps, HF_BPF_MAP_CONTEXTS, remember_context, &c, err);
    for (int pass = 0; status == HF_OK && pass < 2; pass++) {
        c.puts_contexts = pass == 0;
        status = hf_bpf_map_each(maps, HF_BPF_MAP_OPEN_CALLS, put_held, &c, err);
        if (status == HF_OK)
            status = hf_bpf_map_each(maps, HF_BPF_MAP_BLOCKS, put_block, &c, err);
    }
    if (status == HF_OK)
        status = hf_bpf_map_each(maps, HF_BPF_MAP_TOTALS, count_total, &c, err);
    add_counts(blocks);
    hf_map_done(&c.contexts);
    hf_map_done(&c.name_ids);
    hf_map_done(&c.put_ids);
    hf_intern_done(&c.names);
    free(c.states);
    free(c.puts);
    return status == HF_OK && c.has_failed ? hf_error_memory(err) : status;
}
