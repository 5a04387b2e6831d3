#include "attach/bpf/bpf_source.h"

#include "attach/bpf/bpf_blocks.h"
#include "attach/bpf/bpf_values.h"
#include "attach/keeper/keeper_line.h"
#include "base/containers/map.h"
#include "os/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS UINT64_C(50000000)
#define LOOK_SHARE 50
#define LOOK_SHARE_OF_STACKS 4

struct hf_bpf_source {
    struct hf_bpf_source_options options;
    struct hf_bpf_maps *maps; /* of the program, which the keeper has */
    struct hf_saved_stack *stack;
    struct hf_map stacks;        /* hash -> number in the tracker */
    uint64_t code_read_ns;       /* of the images that the kernel was told of */
    uint64_t looked_ns, look_ns; /* at what is mapped; what that took */
    bool is_open;                /* all probes are in place: what they see counts */
    uint32_t turn;               /* as of struct hf_bpf_options */
    bool has_failed;             /* no memory for a stack */
};

static uint64_t bpf_source_time_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Code may lie where other code was, so what is mapped is read again before stacks that are new are
 * walked, and every now and then: the kernel sends no stack that it has seen, of whatever code.
 * `share`: a look takes at most such a part of its processor time.
 */
static void bpf_source_look_at_code(struct hf_bpf_source *s, uint64_t least_wait_ns, uint64_t share)
{
    uint64_t now = bpf_source_time_ns(CLOCK_MONOTONIC), wait = s->look_ns * share;
    if (now - s->looked_ns < (wait > least_wait_ns ? wait : least_wait_ns))
        return;
    uint64_t begin = bpf_source_time_ns(CLOCK_THREAD_CPUTIME_ID);
    (void)!hf_images_refresh(s->options.images, NULL); /* it may have ended */
    s->look_ns = bpf_source_time_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    s->looked_ns = now;
}

/*
 * True if a function of the spec called the one that was probed, as realloc(NULL) calls malloc. The
 * kernel sees that only if the outer call is open; of samples it seldom is, and the inner call
 * would be the block's second chance to be sampled.
 */
static bool bpf_source_is_inner(struct hf_bpf_source *s)
{
    for (size_t i = 1; i < s->stack->count; i++) {
        uint64_t function = hf_images_function(s->options.images, s->stack->addresses[i]);
        for (size_t p = 0; p < s->options.probe_count; p++) {
            const struct hf_probe *probe = &s->options.probes[p];
            bool allocates = probe->entry->values[HF_SPEC_NEW].count != 0;
            if (allocates && function == probe->address - (probe->offset - probe->entry_offset))
                return true;
        }
    }
    return false;
}

/* Gives the tracker the stack that was walked last. */
static bool tell_tracker(struct hf_bpf_source *s, uint64_t hash, uint32_t *out_number)
{
    struct hf_saved_stack *stack = s->stack;
    struct hf_live_table *table = hf_tracker_table(s->options.tracker);
    size_t first = stack->count > 1; /* the innermost is the function that was probed */
    for (size_t i = first; i < stack->count; i++)
        stack->addresses[i] = hf_images_frame(s->options.images, table, stack->addresses[i]);
    unsigned flags =
        (stack->is_cut ? HF_LIVE_IS_CUT : 0u) | (stack->is_guessed ? HF_LIVE_IS_GUESSED : 0u);
    const struct hf_bpf_logged_stack logged = {
        hash, &stack->addresses[first], (uint32_t)(stack->count - first), flags};
    hf_bpf_stack_log_add(s->options.log, &logged);
    return hf_tracker_stack(s->options.tracker, logged.frames, logged.count, flags, out_number);
}

static void bpf_source_skip_inner(struct hf_bpf_source *s, uint64_t hash)
{
    const struct hf_bpf_logged_stack logged = {.hash = hash, .flags = HF_BPF_LOGGED_INNER};
    hf_bpf_stack_log_add(s->options.log, &logged);
}

/* A stack that the kernel had not seen before: unwound, and remembered by its hash. */
static void bpf_source_add_stack(void *context, const struct hf_bpf_stack *seen)
{
    struct hf_bpf_source *s = context;
    if (hf_map_find(&s->stacks, seen->hash) != NULL)
        return;
    bpf_source_look_at_code(s, 0, LOOK_SHARE_OF_STACKS);
    size_t skipped = seen->sp % HF_BPF_PAGE_BYTES;
    size_t size = (size_t)seen->pages * HF_BPF_PAGE_BYTES;
    struct hf_text bytes = {
        (const char *)seen->bytes + (size != 0 ? skipped : 0), size != 0 ? size - skipped : 0};
    struct hf_registers registers = {.ip = seen->ip, .sp = seen->sp, .bp = seen->bp};
    hf_saved_stack_walk(s->stack, s->options.images, &registers, bytes, true, NULL);
    uint32_t number = HF_BPF_INNER_STACK;
    bool is_inner = bpf_source_is_inner(s), is_known = is_inner;
    if (is_inner)
        bpf_source_skip_inner(s, seen->hash);
    else
        is_known = tell_tracker(s, seen->hash, &number);
    if (!is_known || hf_map_put(&s->stacks, seen->hash, number, NULL) == NULL)
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

static bool knows_contexts(const struct hf_bpf_source_options *o)
{
    bool knows = false;
    for (size_t i = 0; i < o->probe_count; i++)
        knows |= o->probes[i].entry->values[HF_SPEC_CONTEXT].count != 0;
    return knows;
}

static enum hf_status tell_options(struct hf_bpf_source *s, struct hf_error *err)
{
    const struct hf_bpf_source_options *o = &s->options;
    struct stat space;
    if (!hf_path_stat("/proc/self/ns/pid", 0, &space))
        return hf_error_set(err, HF_ERR_SYSTEM, "cannot look at /proc/self/ns/pid");
    struct hf_bpf_options options = {
        .pid_namespace_device = space.st_dev,
        .pid_namespace_inode = space.st_ino,
        .period_bytes = o->period_bytes,
        .name_offset = o->name_offset,
        .has_contexts = knows_contexts(o),
        .has_names = o->has_contexts,
        .skips_short_lived = o->has_contexts && o->skips_short_lived,
        .is_open = s->is_open,
        .process = o->pid,
        .turn = s->turn,
        .is_part_of_time = o->is_part_of_time,
        .code_turn = o->images->replaced_count,
    };
    code_ranges(o->images, &options);
    s->code_read_ns = o->images->read_ns;
    uint32_t zero = 0;
    return hf_bpf_map_put(s->maps, HF_BPF_MAP_OPTIONS, &zero, &options, err);
}

/*
 * Probes go in and out one by one, so some calls would be seen to be entered and not to return, and
 * frees would be missed of allocations that were seen. Between this and that all of them are there.
 */
static enum hf_status bpf_source_gate(struct hf_bpf_source *s, bool is_open, struct hf_error *err)
{
    s->is_open = is_open;
    return tell_options(s, err);
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
        status = hf_bpf_map_put(s->maps, HF_BPF_MAP_GAPS, &i, &gap, err);
    }
    free(gaps);
    return status;
}

static enum hf_status tell_contexts(struct hf_bpf_source *s, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < s->options.context_count && status == HF_OK; i++) {
        uint64_t address = s->options.contexts[i];
        struct hf_bpf_context context = {.is_kept = 1};
        if (hf_memory_copy(&s->options.images->memory, address + s->options.name_offset,
                &context.name, sizeof context.name))
            status = hf_bpf_map_put(s->maps, HF_BPF_MAP_CONTEXTS, &address, &context, err);
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
            status = hf_bpf_map_put(s->maps, HF_BPF_MAP_PROBES, &i, &probe, err);
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
static enum hf_status bpf_source_load(struct hf_bpf_source *s, struct hf_error *err)
{
    int maps[HF_BPF_MAPS];
    uint32_t processors;
    struct hf_keeper *keeper = s->options.keeper;
    struct hf_bpf_wish wish = {
        .period_bytes = s->options.period_bytes,
        .context_count = s->options.context_count,
        .is_session = true,
        .has_contexts = knows_contexts(&s->options),
        .is_one_of_many = s->options.is_one_of_many,
    };
    enum hf_status status = hf_keeper_line_load(keeper, &wish, maps, &processors, err);
    wish.is_session = false;
    if (status == HF_ERR_SYSTEM)
        status = hf_keeper_line_load(keeper, &wish, maps, &processors, err);
    return status == HF_OK
               ? hf_bpf_maps_open(&s->maps, maps, processors, bpf_source_add_stack, s, err)
               : status;
}

static enum hf_status bpf_source_start(struct hf_bpf_source *s, struct hf_error *err)
{
    s->stack = calloc(1, sizeof *s->stack);
    enum hf_status status = s->stack != NULL ? bpf_source_load(s, err) : hf_error_memory(err);
    if (status == HF_OK)
        status = tell_options(s, err);
    if (status == HF_OK && s->options.period_bytes > 1)
        status = tell_gaps(s, err);
    if (status == HF_OK)
        status = tell_contexts(s, err);
    if (status == HF_OK)
        status = tell_probes(s, err);
    for (size_t i = 0; i < s->options.probe_count && status == HF_OK; i++) {
        const struct hf_probe *probe = &s->options.probes[i];
        const struct hf_bpf_place place = {.path = probe->path,
            .offset = probe->offset,
            .returns = probe->returns,
            .is_birth = hf_probe_is_birth(probe)};
        status = hf_keeper_line_place(s->options.keeper, &place, err);
    }
    if (status == HF_OK)
        status = hf_keeper_line_attach(s->options.keeper, err);
    return status == HF_OK ? bpf_source_gate(s, true, err) : status;
}

enum hf_status hf_bpf_source_open(const struct hf_bpf_source_options *options,
    struct hf_bpf_source **out_source, struct hf_error *err)
{
    struct hf_bpf_source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return hf_error_memory(err);
    s->options = *options;
    enum hf_status status = bpf_source_start(s, err);
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
    hf_keeper_line_unload(source->options.keeper);
    hf_bpf_maps_close(source->maps);
    hf_map_done(&source->stacks);
    free(source->stack);
    free(source);
}

enum hf_status hf_bpf_source_poll(struct hf_bpf_source *source, int wait_ms, struct hf_error *err)
{
    hf_bpf_maps_poll(source->maps, wait_ms);
    bpf_source_look_at_code(source, LOOK_NS, LOOK_SHARE);
    if (source->has_failed)
        return hf_error_memory(err);
    bool is_code_new = source->options.images->read_ns != source->code_read_ns;
    return is_code_new ? tell_options(source, err) : HF_OK;
}

bool hf_bpf_source_has_ended(const struct hf_bpf_source *source)
{
    return hf_bpf_has_ended(source->maps);
}

/* The program ignores births while their probes come or go, so none is half seen. */
enum hf_status hf_bpf_source_follow_births(
    struct hf_bpf_source *source, bool follows, struct hf_error *err)
{
    if ((source->turn % 2 == 0) == follows)
        return HF_OK;
    enum hf_status status = follows ? hf_keeper_line_attach(source->options.keeper, err) : HF_OK;
    source->turn++;
    if (status == HF_OK)
        status = tell_options(source, err);
    if (!follows)
        hf_keeper_line_pause(source->options.keeper);
    return status;
}

uint64_t hf_bpf_source_stops(const struct hf_bpf_source *source, uint64_t *out_births)
{
    *out_births = hf_bpf_counted(source->maps, HF_BPF_COUNT_BIRTH_STOPS);
    return hf_bpf_counted(source->maps, HF_BPF_COUNT_STOPS);
}

struct hf_stack_counts hf_bpf_source_stacks(const struct hf_bpf_source *source)
{
    return source->stack->counts;
}

enum hf_status hf_bpf_source_stop(struct hf_bpf_source *source, struct hf_error *err)
{
    enum hf_status status = bpf_source_gate(source, false, err);
    hf_keeper_line_detach(source->options.keeper);
    return status == HF_OK ? hf_bpf_source_look(source, err) : status;
}

enum hf_status hf_bpf_source_look(struct hf_bpf_source *source, struct hf_error *err)
{
    struct hf_bpf_source *s = source;
    enum hf_status status = hf_bpf_source_poll(s, 0, err);
    struct hf_bpf_blocks blocks = {
        .maps = s->maps,
        .memory = &s->options.images->memory,
        .period_bytes = s->options.period_bytes,
        .stacks = &s->stacks,
        .tracker = s->options.tracker,
    };
    return status == HF_OK ? hf_bpf_blocks_put(&blocks, err) : status;
}

/* By its hash, as whoever walked it had it. */
static bool gather_stack(const struct hf_bpf_gathering *gathering,
    const struct hf_bpf_logged_stack *logged, struct hf_map *stacks)
{
    uint32_t number = HF_BPF_INNER_STACK;
    return (logged->flags == HF_BPF_LOGGED_INNER ||
               hf_tracker_stack(
                   gathering->tracker, logged->frames, logged->count, logged->flags, &number)) &&
           hf_map_put(stacks, logged->hash, number, NULL) != NULL;
}

enum hf_status hf_bpf_source_gather(const struct hf_bpf_gathering *gathering, struct hf_error *err)
{
    struct hf_map stacks = {0};
    struct hf_bpf_maps *maps = NULL;
    struct hf_bpf_logged_stack logged;
    int files[HF_BPF_MAPS];
    uint32_t processors;
    uint64_t position = 0;
    enum hf_status status = hf_keeper_line_maps(gathering->keeper, files, &processors, err);
    if (status == HF_OK)
        status = hf_bpf_maps_open(&maps, files, processors, NULL, NULL, err);
    while (status == HF_OK && hf_bpf_stack_log_next(gathering->log, &position, &logged))
        status = gather_stack(gathering, &logged, &stacks) ? HF_OK : hf_error_memory(err);
    struct hf_bpf_blocks blocks = {
        .maps = maps,
        .memory = gathering->memory,
        .period_bytes = gathering->period_bytes,
        .stacks = &stacks,
        .tracker = gathering->tracker,
    };
    if (status == HF_OK)
        status = hf_bpf_blocks_put(&blocks, err);
    hf_bpf_maps_close(maps);
    hf_map_done(&stacks);
    return status;
}
