#include "attach/bpf_source.h"

#include "attach/bpf_program.h"
#include "attach/bpf_values.h"
#include "attach/saved_stack.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "os/process_memory.h"
#include "profile/unbias.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_BYTES 256

/* Blocks in use of one stack and context: a part of what was ever recorded of them. */
struct put {
    uint64_t count, bytes;
};

struct hf_bpf_source {
    struct hf_bpf_source_options options;
    struct hf_bpf_program *program;
    struct hf_saved_stack *stack;
    struct hf_map stacks;  /* hash -> number in the tracker */
    uint64_t code_read_ns; /* of the images that the kernel was told of */
    bool has_failed;       /* no memory for a stack */
    /* Of the end. */
    struct hf_map contexts; /* address -> index in `states` */
    struct hf_bpf_context *states;
    size_t state_count, state_capacity;
    struct hf_map name_ids; /* address of a context's name -> id in `names` */
    struct hf_intern names;
    struct hf_map put_ids; /* hash of a stack and a context -> index in `puts` */
    struct put *puts;
    size_t put_count, put_capacity;
};

/* A stack that the kernel had not seen before: unwound, and remembered by its hash. */
static void add_stack(void *context, const struct hf_bpf_stack *seen)
{
    struct hf_bpf_source *s = context;
    struct hf_live_table *table = hf_tracker_table(s->options.tracker);
    if (hf_map_find(&s->stacks, seen->hash) != NULL)
        return;
    size_t skipped = seen->sp % HF_BPF_PAGE_BYTES;
    size_t size = (size_t)seen->pages * HF_BPF_PAGE_BYTES;
    struct hf_text bytes = {
        (const char *)seen->bytes + (size != 0 ? skipped : 0), size != 0 ? size - skipped : 0};
    struct hf_registers registers = {.ip = seen->ip, .sp = seen->sp, .bp = seen->bp};
    hf_saved_stack_walk(s->stack, s->options.images, &registers, bytes);
    /* The innermost is the probe itself, in the function that allocates: hf_call has its frame. */
    for (size_t i = 0; i < s->stack->count; i++)
        s->stack->addresses[i] = hf_images_frame(s->options.images, table, s->stack->addresses[i]);
    unsigned flags =
        (s->stack->is_cut ? HF_LIVE_IS_CUT : 0u) | (s->stack->is_guessed ? HF_LIVE_IS_GUESSED : 0u);
    uint32_t number;
    if (!hf_tracker_stack(
            s->options.tracker, s->stack->addresses, s->stack->count, flags, &number) ||
        hf_map_put(&s->stacks, seen->hash, number, NULL) == NULL)
        s->has_failed = true;
}

/* The executable parts of the process as few ranges: the largest gaps between them are left out. */
static void code_ranges(const struct hf_images *images, struct hf_bpf_options *options)
{
    size_t cuts[HF_BPF_CODE_RANGES] = {0}; /* a range begins at each of these segments */
    size_t count = images->segment_count != 0;
    for (; count < HF_BPF_CODE_RANGES && count < images->segment_count; count++) {
        uint64_t widest = 0;
        for (size_t i = 1; i < images->segment_count; i++) {
            uint64_t gap = images->segments[i].start - images->segments[i - 1].end;
            bool is_taken = false;
            for (size_t c = 0; c < count; c++)
                is_taken = is_taken || cuts[c] == i;
            if (!is_taken && gap >= widest) {
                widest = gap;
                cuts[count] = i;
            }
        }
    }
    for (size_t c = 0; c < count; c++) {
        size_t last = cuts[c];
        bool is_next = false;
        while (!is_next && last + 1 < images->segment_count) {
            for (size_t other = 0; other < count; other++)
                is_next = is_next || cuts[other] == last + 1;
            last += !is_next;
        }
        options->code_start[c] = images->segments[cuts[c]].start;
        options->code_end[c] = images->segments[last].end;
    }
}

static enum hf_status tell_options(struct hf_bpf_source *s, struct hf_error *err)
{
    const struct hf_bpf_source_options *o = &s->options;
    struct stat space;
    if (stat("/proc/self/ns/pid", &space) != 0)
        return hf_error_set(err, HF_ERR_SYSTEM, "cannot look at /proc/self/ns/pid");
    struct hf_bpf_options options = {
        .pid_namespace_device = space.st_dev,
        .pid_namespace_inode = space.st_ino,
        .period_bytes = o->period_bytes,
        .name_offset = o->name_offset,
        .has_contexts = o->has_contexts,
        .skips_short_lived = o->skips_short_lived,
    };
    code_ranges(o->images, &options);
    s->code_read_ns = o->images->read_ns;
    uint32_t zero = 0;
    return hf_bpf_map_put(s->program, HF_BPF_MAP_OPTIONS, &zero, &options, err);
}

/*
 * Distances between samples, exponential with the mean of the period: the kernel has no logarithm,
 * and takes them one after the other. They are scaled so that their mean is the period.
 */
static enum hf_status tell_gaps(struct hf_bpf_source *s, struct hf_error *err)
{
    double *gaps = calloc(HF_BPF_GAPS, sizeof *gaps);
    if (gaps == NULL)
        return hf_error_memory(err);
    uint64_t random = s->options.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    double sum = 0;
    for (uint32_t i = 0; i < HF_BPF_GAPS; i++) {
        random ^= random >> 12; /* xorshift64*: G. Marsaglia (2003), S. Vigna (2016) */
        random ^= random << 25;
        random ^= random >> 27;
        uint64_t drawn = (random * UINT64_C(0x2545f4914f6cdd1d)) >> 11;
        gaps[i] = -log(((double)drawn + 0.5) / 9007199254740992.0);
        sum += gaps[i];
    }
    enum hf_status status = HF_OK;
    double scale = (double)s->options.period_bytes * HF_BPF_GAPS / sum;
    for (uint32_t i = 0; i < HF_BPF_GAPS && status == HF_OK; i++) {
        uint64_t gap = (uint64_t)(gaps[i] * scale) + 1;
        status = hf_bpf_map_put(s->program, HF_BPF_MAP_GAPS, &i, &gap, err);
    }
    free(gaps);
    return status;
}

static enum hf_status tell_contexts(struct hf_bpf_source *s, struct hf_error *err)
{
    const struct hf_memory memory = hf_memory_of_process(&s->options.pid);
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < s->options.context_count && status == HF_OK; i++) {
        uint64_t address = s->options.contexts[i];
        struct hf_bpf_context context = {.is_kept = 1};
        if (hf_memory_copy(
                &memory, address + s->options.name_offset, &context.name, sizeof context.name))
            status = hf_bpf_map_put(s->program, HF_BPF_MAP_CONTEXTS, &address, &context, err);
    }
    return status;
}

static enum hf_status tell_probes(struct hf_bpf_source *s, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (uint32_t i = 0; i < s->options.probe_count && status == HF_OK; i++) {
        struct hf_bpf_probe probe;
        status = hf_bpf_probe_of(&s->options.probes[i], &probe, err);
        if (status == HF_OK)
            status = hf_bpf_map_put(s->program, HF_BPF_MAP_PROBES, &i, &probe, err);
    }
    return status;
}

enum hf_status hf_bpf_source_check(
    const struct hf_probe *probes, size_t probe_count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < probe_count && status == HF_OK; i++) {
        struct hf_bpf_probe ignored;
        status = hf_bpf_probe_of(&probes[i], &ignored, err);
    }
    return status;
}

/* With sessions where the kernel has them. */
static enum hf_status load(struct hf_bpf_source *s, struct hf_error *err)
{
    enum hf_status status = HF_ERR_SYSTEM;
    if (!s->options.without_sessions)
        status = hf_bpf_program_load(&s->program, true, add_stack, s, err);
    if (status == HF_ERR_SYSTEM)
        status = hf_bpf_program_load(&s->program, false, add_stack, s, err);
    return status;
}

static enum hf_status start(struct hf_bpf_source *s, struct hf_error *err)
{
    s->stack = calloc(1, sizeof *s->stack);
    enum hf_status status = s->stack != NULL ? load(s, err) : hf_error_memory(err);
    if (status == HF_OK)
        status = tell_options(s, err);
    if (status == HF_OK && s->options.period_bytes > 1)
        status = tell_gaps(s, err);
    if (status == HF_OK)
        status = tell_contexts(s, err);
    if (status == HF_OK)
        status = tell_probes(s, err);
    return status == HF_OK ? hf_bpf_program_attach(s->program, s->options.pid, s->options.probes,
                                 s->options.probe_count, err)
                           : status;
}

enum hf_status hf_bpf_source_open(const struct hf_bpf_source_options *options,
    struct hf_bpf_source **out_source, struct hf_error *err)
{
    struct hf_bpf_source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return hf_error_memory(err);
    s->options = *options;
    enum hf_status status = start(s, err);
    if (status != HF_OK) {
        hf_bpf_source_close(s);
        return status;
    }
    *out_source = s;
    return HF_OK;
}

void hf_bpf_source_close(struct hf_bpf_source *source)
{
    if (source == NULL)
        return;
    hf_bpf_program_free(source->program);
    hf_map_done(&source->stacks);
    hf_map_done(&source->contexts);
    hf_map_done(&source->name_ids);
    hf_map_done(&source->put_ids);
    hf_intern_done(&source->names);
    free(source->stack);
    free(source->states);
    free(source->puts);
    free(source);
}

static void remember_context(void *context, const void *key, const void *value)
{
    struct hf_bpf_source *s = context;
    uint64_t address;
    memcpy(&address, key, sizeof address);
    if (!hf_vec_reserve(&s->states, &s->state_capacity, s->state_count + 1, sizeof *s->states) ||
        hf_map_put(&s->contexts, address, (uint32_t)s->state_count, NULL) == NULL) {
        s->has_failed = true;
        return;
    }
    memcpy(&s->states[s->state_count++], value, sizeof *s->states);
}

/* That of a block; NULL if it has none. */
static const struct hf_bpf_context *context_of(
    const struct hf_bpf_source *s, const struct hf_bpf_block *block)
{
    const uint32_t *index = block->context != 0 ? hf_map_find(&s->contexts, block->context) : NULL;
    return index != NULL ? &s->states[*index] : NULL;
}

/* False: its context was reset or deleted since. */
static bool is_alive(const struct hf_bpf_source *s, const struct hf_bpf_block *block)
{
    const struct hf_bpf_context *context = context_of(s, block);
    return block->context == 0 || (context != NULL && context->generation == block->generation);
}

enum hf_status hf_bpf_source_poll(struct hf_bpf_source *source, int wait_ms, struct hf_error *err)
{
    hf_bpf_program_poll(source->program, wait_ms);
    if (source->has_failed)
        return hf_error_memory(err);
    bool is_code_new = source->options.images->read_ns != source->code_read_ns;
    return is_code_new ? tell_options(source, err) : HF_OK;
}

/* The name of a context, as its class has it; borrowed. Empty if it cannot be read. */
static struct hf_text name_at(struct hf_bpf_source *s, uint64_t address)
{
    const uint32_t *known = hf_map_find(&s->name_ids, address);
    if (known != NULL)
        return hf_intern_at(&s->names, *known);
    const struct hf_memory memory = hf_memory_of_process(&s->options.pid);
    char bytes[NAME_BYTES];
    struct hf_text name = {0};
    uint32_t id;
    if (!hf_memory_text(&memory, address, bytes, sizeof bytes, &name))
        name = HF_TEXT("");
    if (!hf_intern_put(&s->names, name.data, name.size, &id) ||
        hf_map_put(&s->name_ids, address, id, NULL) == NULL) {
        s->has_failed = true;
        return HF_TEXT("");
    }
    return hf_intern_at(&s->names, id);
}

static uint32_t stack_of(const struct hf_bpf_source *s, uint64_t hash)
{
    const uint32_t *number = hf_map_find(&s->stacks, hash);
    return number != NULL ? *number : HF_TRACKER_NO_STACK;
}

/* The sums of what was put of a stack in a context. NULL: no memory. */
static struct put *put_of(struct hf_bpf_source *s, uint64_t stack, uint64_t context)
{
    bool is_new;
    uint64_t key = stack ^ context * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *index = hf_map_put(&s->put_ids, key, (uint32_t)s->put_count, &is_new);
    if (index == NULL ||
        !hf_vec_reserve(&s->puts, &s->put_capacity, s->put_count + 1, sizeof *s->puts)) {
        s->has_failed = true;
        return NULL;
    }
    if (is_new)
        s->puts[s->put_count++] = (struct put){0};
    return &s->puts[*index];
}

static void put_block(void *context, const void *key, const void *value)
{
    struct hf_bpf_source *s = context;
    const struct hf_bpf_block *block = value;
    const struct hf_bpf_context *state = context_of(s, block);
    if (!is_alive(s, block))
        return;
    struct hf_call call = {
        .role = (enum hf_role)block->role,
        .tid = block->tid,
        .stack = stack_of(s, block->stack),
        .time_ns = block->birth_ns,
        .context = block->context,
        .size = block->size,
        .name = state != NULL ? name_at(s, state->name) : HF_TEXT(""),
    };
    memcpy(&call.address, key, sizeof call.address);
    if (call.role == HF_ROLE_CTXNEW)
        call.context = call.address;
    hf_tracker_put(s->options.tracker, &call);
    struct put *put = put_of(s, block->stack, block->context);
    if (put != NULL) {
        put->count++;
        put->bytes += block->size;
    }
}

/* What was recorded of a stack and is freed by now: of samples, an estimate by their mean size. */
static void count_total(void *context, const void *key, const void *value)
{
    struct hf_bpf_source *s = context;
    const struct hf_bpf_total_key *of = key;
    const struct hf_bpf_total *total = value;
    const struct put *put = put_of(s, of->stack, of->context);
    if (put == NULL || total->count <= put->count || total->bytes < put->bytes)
        return;
    uint64_t objects = total->count - put->count, bytes = total->bytes - put->bytes;
    double weight = hf_unbias_weight(s->options.period_bytes, bytes / objects);
    struct hf_call call = {
        .role = HF_ROLE_ALLOC,
        .stack = stack_of(s, of->stack),
        .context = of->context,
        .name = of->context != 0 ? name_at(s, total->name) : HF_TEXT(""),
    };
    hf_tracker_count(s->options.tracker, &call, hf_unbias_round(weight * (double)objects),
        hf_unbias_round(weight * (double)bytes));
}

static void count_losses(struct hf_bpf_source *s)
{
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
        hf_tracker_lose(s->options.tracker, losses[i].loss,
            hf_bpf_counted(s->program, losses[i].what), UINT64_MAX);
}

enum hf_status hf_bpf_source_stop(struct hf_bpf_source *source, struct hf_error *err)
{
    struct hf_bpf_source *s = source;
    hf_bpf_program_detach(s->program);
    enum hf_status status = hf_bpf_source_poll(s, 0, err);
    if (status == HF_OK)
        status = hf_bpf_map_each(s->program, HF_BPF_MAP_CONTEXTS, remember_context, s, err);
    if (status == HF_OK)
        status = hf_bpf_map_each(s->program, HF_BPF_MAP_BLOCKS, put_block, s, err);
    if (status == HF_OK)
        status = hf_bpf_map_each(s->program, HF_BPF_MAP_TOTALS, count_total, s, err);
    count_losses(s);
    return status == HF_OK && s->has_failed ? hf_error_memory(err) : status;
}
