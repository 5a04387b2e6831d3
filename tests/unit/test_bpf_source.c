/* The bpf backend with a model of the kernel: what it is told, which stacks come from it, and what
 * becomes of its maps in the end. libbpf and the keeper are this test's own; addresses are those
 * of this process. */
#include "attach/bpf/bpf_source.h"

#include "attach/bpf/bpf_blocks.h"
#include "attach/bpf/bpf_stack_log.h"
#include "attach/keeper/keeper_line.h"
#include "base/library.h"
#include "check.h"
#include "formats/heap/live.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define PROCESSORS 3
#define ENTRIES 4
#define TABLE_BYTES (UINT64_C(1) << 28)

struct ring_buffer;
typedef int take_record(void *context, void *record, size_t size);

/* What the kernel has. Entries of the maps that are read whole come in two parts. */
static struct {
    int files[HF_BPF_MAPS];
    struct hf_bpf_options options;
    struct hf_bpf_probe probes[4];
    uint64_t gaps[HF_BPF_GAPS];
    size_t probe_count, gap_count, context_count;
    uint64_t context_keys[ENTRIES];
    struct hf_bpf_context contexts[ENTRIES];
    size_t block_count, call_count, total_count;
    uint64_t block_keys[ENTRIES];
    struct hf_bpf_block blocks[ENTRIES];
    struct hf_bpf_open_call calls[ENTRIES];
    struct hf_bpf_total_key total_keys[ENTRIES];
    struct hf_bpf_total totals[ENTRIES];
    struct hf_bpf_followed followed;
    struct hf_bpf_processor processors[PROCESSORS];
    take_record *take;
    void *context;
    struct hf_bpf_stack *records[4];
    size_t record_sizes[4], record_count;
    int read_error, write_error;
} kernel;

/* What the keeper was asked for. */
static struct {
    struct hf_bpf_wish wish;
    unsigned loads, refused_loads, attached, detached, paused, unloaded;
    struct hf_bpf_place places[4];
    size_t place_count;
} keeper;

static int map_of(int file)
{
    for (int i = 0; i < HF_BPF_MAPS; i++) {
        if (kernel.files[i] == file)
            return i;
    }
    fail_msg("no map");
    return -1;
}

static struct ring_buffer *ring_new(int file, take_record *take, void *context, const void *options)
{
    assert_null(options);
    assert_int_equal(map_of(file), HF_BPF_MAP_STACKS);
    kernel.take = take;
    kernel.context = context;
    return (struct ring_buffer *)&kernel;
}

static int ring_poll(struct ring_buffer *ring, int wait_ms)
{
    (void)ring;
    (void)wait_ms;
    for (size_t i = 0; i < kernel.record_count; i++)
        assert_int_equal(kernel.take(kernel.context, kernel.records[i], kernel.record_sizes[i]), 0);
    kernel.record_count = 0;
    return 0;
}

static void ring_free(struct ring_buffer *ring)
{
    assert_ptr_equal(ring, &kernel);
}

static int map_update(int file, const void *key, const void *value, unsigned long long flags)
{
    uint32_t index;
    memcpy(&index, key, sizeof index);
    assert_int_equal(flags, 0);
    switch (map_of(file)) {
    case HF_BPF_MAP_OPTIONS:
        assert_int_equal(index, 0);
        memcpy(&kernel.options, value, sizeof kernel.options);
        break;
    case HF_BPF_MAP_PROBES:
        assert_int_equal(index, kernel.probe_count++);
        memcpy(&kernel.probes[index], value, sizeof kernel.probes[0]);
        break;
    case HF_BPF_MAP_GAPS:
        assert_int_equal(index, kernel.gap_count++);
        memcpy(&kernel.gaps[index], value, sizeof kernel.gaps[0]);
        break;
    case HF_BPF_MAP_CONTEXTS:
        memcpy(&kernel.context_keys[kernel.context_count], key, sizeof(uint64_t));
        memcpy(&kernel.contexts[kernel.context_count++], value, sizeof kernel.contexts[0]);
        break;
    default: fail_msg("another map");
    }
    return -kernel.write_error;
}

static int map_lookup(int file, const void *key, void *value)
{
    bool is_followed = map_of(file) == HF_BPF_MAP_FOLLOWED;
    assert_int_equal(*(const uint32_t *)key, 0);
    if (is_followed)
        memcpy(value, &kernel.followed, sizeof kernel.followed);
    else
        memcpy(value, kernel.processors, sizeof kernel.processors);
    return 0;
}

static int map_lookup_batch(int file, const void *from, uint64_t *to, char *keys, char *values,
    uint32_t *count, const void *options)
{
    static const uint32_t numbers[ENTRIES] = {0, 1, 2, 3};
    const struct {
        size_t count, key_bytes, value_bytes;
        const void *keys, *values;
    } maps[HF_BPF_MAPS] = {
        [HF_BPF_MAP_OPEN_CALLS] = {kernel.call_count, 4, sizeof kernel.calls[0], numbers,
            kernel.calls},
        [HF_BPF_MAP_BLOCKS] = {kernel.block_count, 8, sizeof kernel.blocks[0], kernel.block_keys,
            kernel.blocks},
        [HF_BPF_MAP_CONTEXTS] = {kernel.context_count, 8, sizeof kernel.contexts[0],
            kernel.context_keys, kernel.contexts},
        [HF_BPF_MAP_TOTALS] = {kernel.total_count, sizeof kernel.total_keys[0],
            sizeof kernel.totals[0], kernel.total_keys, kernel.totals},
    };
    int map = map_of(file);
    size_t half = maps[map].count / 2, at = from != NULL ? half : 0;
    assert_null(options);
    assert_true(*count >= ENTRIES);
    if (kernel.read_error != 0)
        return -kernel.read_error;
    if (from != NULL)
        assert_int_equal(*(const uint64_t *)from, half); /* as it was left */
    memset(keys, 0xff, *count * maps[map].key_bytes); /* there is room for as many as asked for */
    memset(values, 0xff, *count * maps[map].value_bytes);
    *to = half;
    *count = (uint32_t)(from != NULL ? maps[map].count - half : half);
    memcpy(keys, (const char *)maps[map].keys + at * maps[map].key_bytes,
        *count * maps[map].key_bytes);
    memcpy(values, (const char *)maps[map].values + at * maps[map].value_bytes,
        *count * maps[map].value_bytes);
    return from != NULL ? -ENOENT : 0;
}

enum hf_status hf_library_load(const struct hf_library *library, void *table, struct hf_error *err)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } model[] = {
        {"ring_buffer__new", (void (*)(void))ring_new},
        {"ring_buffer__poll", (void (*)(void))ring_poll},
        {"ring_buffer__free", (void (*)(void))ring_free},
        {"bpf_map_update_elem", (void (*)(void))map_update},
        {"bpf_map_lookup_elem", (void (*)(void))map_lookup},
        {"bpf_map_lookup_batch", (void (*)(void))map_lookup_batch},
    };
    (void)err;
    assert_int_equal(library->function_count, HF_COUNT(model));
    for (size_t i = 0; i < HF_COUNT(model); i++) {
        assert_string_equal(library->functions[i].name, model[i].name);
        memcpy((char *)table + library->functions[i].offset, &model[i].function, sizeof(void *));
    }
    return HF_OK;
}

static void give_maps(int out_maps[HF_BPF_MAPS], uint32_t *out_processors)
{
    for (size_t i = 0; i < HF_BPF_MAPS; i++) {
        out_maps[i] = kernel.files[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        assert_true(out_maps[i] >= 0);
    }
    *out_processors = PROCESSORS;
}

enum hf_status hf_keeper_line_load(struct hf_keeper *own, const struct hf_bpf_wish *wish,
    int out_maps[HF_BPF_MAPS], uint32_t *out_processors, struct hf_error *err)
{
    assert_null(own);
    keeper.wish = *wish;
    if (keeper.loads++ < keeper.refused_loads)
        return hf_error_set(err, HF_ERR_SYSTEM, "this kernel is too old");
    give_maps(out_maps, out_processors);
    return HF_OK;
}

enum hf_status hf_keeper_line_maps(struct hf_keeper *own, int out_maps[HF_BPF_MAPS],
    uint32_t *out_processors, struct hf_error *err)
{
    (void)own;
    (void)err;
    give_maps(out_maps, out_processors);
    return HF_OK;
}

enum hf_status hf_keeper_line_place(
    struct hf_keeper *own, const struct hf_bpf_place *place, struct hf_error *err)
{
    (void)own;
    (void)err;
    keeper.places[keeper.place_count++] = *place;
    return HF_OK;
}

enum hf_status hf_keeper_line_attach(struct hf_keeper *own, struct hf_error *err)
{
    (void)own;
    (void)err;
    keeper.attached++;
    return HF_OK;
}

void hf_keeper_line_detach(struct hf_keeper *own)
{
    (void)own;
    assert_int_equal(kernel.options.is_open, 0); /* first it counts no more */
    keeper.detached++;
}

void hf_keeper_line_pause(struct hf_keeper *own)
{
    (void)own;
    assert_int_equal(kernel.options.turn % 2, 1);
    keeper.paused++;
}

void hf_keeper_line_unload(struct hf_keeper *own)
{
    (void)own;
    keeper.unloaded++;
}

/* Code of this test, at whose first instructions stacks are. */
static __attribute__((noinline)) int probed(int value)
{
    __asm__ volatile("" : "+r"(value));
    return value + 1;
}

static __attribute__((noinline)) int other(int value)
{
    __asm__ volatile("" : "+r"(value));
    return value * 3 + probed(value);
}

static uint64_t address_of(int (*function)(int))
{
    return (uint64_t)(uintptr_t)function;
}

struct scene {
    void *table;
    struct hf_bpf_stack_log *log;
    struct hf_tracker *tracker;
    struct hf_images images;
    struct hf_specs specs;
    struct hf_probe probes[2];
    struct hf_bpf_source_options options;
    struct hf_bpf_source *source;
};

static char context_names[2][16] = {"CacheContext", "TopContext"};
static const char *const name_slots[2] = {context_names[0], context_names[1]};

static void *map_memory(size_t bytes)
{
    void *memory = mmap(
        NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static void begin(struct scene *s, uint64_t period_bytes)
{
    static const char spec[] = "spec own\nobject exe\nlabel ctx.name\n"
                               "alloc sym:own ctx=arg0 size=arg1 new=ret\n"
                               "free sym:own ptr=arg0\n";
    struct hf_error err;
    memset(s, 0, sizeof *s);
    memset(&kernel, 0, sizeof kernel);
    memset(&keeper, 0, sizeof keeper);
    s->table = map_memory(TABLE_BYTES);
    s->log = map_memory(sizeof *s->log);
    check_ok(hf_images_open(&s->images, (uint32_t)getpid(), &err), &err);
    check_ok(hf_specs_parse(&s->specs, HF_TEXT(spec), "own.spec", &err), &err);
    const struct hf_spec_entry *entries = s->specs.items[0].entries;
    s->probes[0] = (struct hf_probe){.path = "/a",
        .function = "own",
        .entry = &entries[0],
        .address = address_of(probed) + 4, /* the breakpoint is behind its first instruction */
        .entry_offset = 0x100,
        .offset = 0x104,
        .returns = true};
    s->probes[1] =
        (struct hf_probe){.path = "/b", .function = "own", .entry = &entries[1], .offset = 7};
    struct hf_tracker_options options = {.pid = 7,
        .period_bytes = period_bytes,
        .table_bytes = TABLE_BYTES,
        .table = s->table,
        .command = HF_TEXT("program")};
    check_ok(hf_tracker_new(&options, &s->tracker, &err), &err);
    s->options = (struct hf_bpf_source_options){.pid = 77,
        .probes = s->probes,
        .probe_count = 2,
        .images = &s->images,
        .tracker = s->tracker,
        .log = s->log,
        .period_bytes = period_bytes,
        .seed = 5};
}

static void open_source(struct scene *s)
{
    struct hf_error err;
    check_ok(hf_bpf_source_open(&s->options, &s->source, &err), &err);
}

static void end(struct scene *s)
{
    hf_bpf_source_close(s->source);
    hf_tracker_free(s->tracker);
    hf_specs_done(&s->specs);
    hf_images_close(&s->images);
    munmap(s->table, TABLE_BYTES);
    munmap(s->log, sizeof *s->log);
}

/* A call at the start of `function`, which `caller` called; 0: the copy of the stack has nothing.
 */
static void put_record(uint64_t hash, uint64_t function, uint64_t caller, size_t missing_bytes)
{
    uint32_t pages = caller != 0;
    struct hf_bpf_stack *record = calloc(1, sizeof *record);
    assert_non_null(record);
    *record = (struct hf_bpf_stack){
        .hash = hash, .ip = function, .sp = 0x7000000000f8, .pages = pages, .tid = 1};
    memcpy(record->bytes + 0xf8, &caller, sizeof caller);
    kernel.record_sizes[kernel.record_count] = HF_BPF_STACK_BYTES(pages) - missing_bytes;
    kernel.records[kernel.record_count++] = record;
}

static void poll_source(struct scene *s)
{
    struct hf_error err;
    struct hf_bpf_stack *records[HF_COUNT(kernel.records)];
    size_t count = kernel.record_count;
    memcpy(records, kernel.records, sizeof records);
    check_ok(hf_bpf_source_poll(s->source, 0, &err), &err);
    for (size_t i = 0; i < count; i++)
        free(records[i]);
}

static void test_told(void **state)
{
    static struct scene s;
    (void)state;
    begin(&s, 1);
    const uint64_t contexts[] = {(uint64_t)(uintptr_t)&name_slots[0] - 8,
        (uint64_t)(uintptr_t)&name_slots[1] - 8, 64 /* not there */};
    s.options.contexts = contexts;
    s.options.context_count = HF_COUNT(contexts);
    s.options.name_offset = 8;
    s.options.skips_short_lived = true; /* of contexts without names none is */
    s.options.is_one_of_many = true;
    open_source(&s);
    struct stat space;
    assert_int_equal(stat("/proc/self/ns/pid", &space), 0);
    const struct hf_bpf_options *told = &kernel.options;
    assert_int_equal(told->pid_namespace_device, space.st_dev);
    assert_int_equal(told->pid_namespace_inode, space.st_ino);
    assert_int_equal(told->period_bytes, 1);
    assert_int_equal(told->name_offset, 8);
    assert_int_equal(told->has_contexts, 1);
    assert_int_equal(told->has_names, 0);
    assert_int_equal(told->skips_short_lived, 0);
    assert_int_equal(told->is_open, 1);
    assert_int_equal(told->process, 77);
    assert_int_equal(told->turn, 0);
    assert_int_equal(told->code_turn, s.images.replaced_count);
    assert_int_equal(keeper.loads, 1);
    assert_true(keeper.wish.is_session && keeper.wish.has_contexts && keeper.wish.is_one_of_many);
    assert_int_equal(keeper.wish.period_bytes, 1);
    assert_int_equal(keeper.wish.context_count, 3);
    assert_int_equal(keeper.attached, 1);
    assert_int_equal(keeper.place_count, 2);
    assert_string_equal(keeper.places[0].path, "/a");
    assert_int_equal(keeper.places[0].offset, 0x104);
    assert_true(keeper.places[0].returns && keeper.places[0].is_birth);
    assert_string_equal(keeper.places[1].path, "/b");
    assert_int_equal(keeper.places[1].offset, 7);
    assert_false(keeper.places[1].returns || keeper.places[1].is_birth);
    assert_int_equal(kernel.probe_count, 2);
    assert_int_equal(kernel.probes[0].role, HF_ROLE_ALLOC);
    assert_int_equal(kernel.probes[1].role, HF_ROLE_FREE);
    assert_int_equal(kernel.gap_count, 0); /* everything is recorded */
    assert_int_equal(kernel.context_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kernel.context_keys[i], contexts[i]);
        assert_int_equal(kernel.contexts[i].name, (uintptr_t)context_names[i]);
        assert_int_equal(kernel.contexts[i].is_kept, 1);
    }
    end(&s);
    assert_int_equal(keeper.unloaded, 1);
}

/* All code is in the ranges, which are in no order and do not overlap. */
static void test_code_ranges(void **state)
{
    static struct scene s;
    (void)state;
    begin(&s, 1);
    open_source(&s);
    const struct hf_bpf_options *told = &kernel.options;
    uint64_t inside = 0, all = 0;
    for (size_t i = 0; i < s.images.segment_count; i++) {
        unsigned in = 0;
        for (size_t c = 0; c < HF_BPF_CODE_RANGES; c++)
            in += told->code_start[c] <= s.images.segments[i].start &&
                  s.images.segments[i].end <= told->code_end[c];
        assert_int_equal(in, 1);
    }
    for (size_t c = 0; c < HF_BPF_CODE_RANGES; c++)
        inside += told->code_end[c] - told->code_start[c];
    for (size_t i = 1; i < s.images.segment_count; i++)
        all += s.images.segments[i].start - s.images.segments[i - 1].end;
    assert_true(s.images.segment_count > HF_BPF_CODE_RANGES);
    assert_true(inside < all / 16); /* the largest gap is between the program and its libraries */
    end(&s);
}

static void test_gaps_and_kernels(void **state)
{
    static struct scene s;
    uint64_t sum = 0, least = UINT64_MAX, most = 0;
    struct hf_error err;
    (void)state;
    begin(&s, 4096);
    s.options.has_contexts = s.options.skips_short_lived = true;
    keeper.refused_loads = 1; /* a kernel without sessions */
    open_source(&s);
    assert_int_equal(keeper.loads, 2);
    assert_false(keeper.wish.is_session);
    assert_true(kernel.options.has_names && kernel.options.skips_short_lived);
    assert_int_equal(kernel.options.period_bytes, 4096);
    assert_int_equal(kernel.gap_count, HF_BPF_GAPS);
    for (size_t i = 0; i < HF_BPF_GAPS; i++) {
        sum += kernel.gaps[i];
        least = kernel.gaps[i] < least ? kernel.gaps[i] : least;
        most = kernel.gaps[i] > most ? kernel.gaps[i] : most;
    }
    assert_in_range(sum / HF_BPF_GAPS, 4095, 4097); /* the mean is the period, */
    assert_true(least >= 1 && most > 8 * 4096);     /* and they are exponential */
    size_t below = 0;
    for (size_t i = 0; i < HF_BPF_GAPS; i++)
        below += kernel.gaps[i] < 2839; /* half are below its ln 2 */
    assert_in_range(below, HF_BPF_GAPS * 49 / 100, HF_BPF_GAPS * 51 / 100);
    end(&s);
    begin(&s, 1);
    keeper.refused_loads = 2;
    assert_int_equal(hf_bpf_source_open(&s.options, &s.source, &err), HF_ERR_SYSTEM);
    check_error(&err, "this kernel is too old");
    end(&s);
    begin(&s, 1);
    kernel.write_error = EPERM;
    assert_int_equal(hf_bpf_source_open(&s.options, &s.source, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot write to a map of the kernel: Operation not permitted");
    assert_int_equal(keeper.attached, 0);
    assert_int_equal(keeper.unloaded, 1);
    end(&s);
}

static void test_births(void **state)
{
    static struct scene s;
    struct hf_error err;
    uint64_t births;
    (void)state;
    begin(&s, 1);
    open_source(&s);
    check_ok(hf_bpf_source_follow_births(s.source, true, &err), &err); /* as it does */
    assert_int_equal(keeper.attached, 1);
    check_ok(hf_bpf_source_follow_births(s.source, false, &err), &err);
    assert_int_equal(keeper.paused, 1);
    assert_int_equal(kernel.options.turn, 1);
    check_ok(hf_bpf_source_follow_births(s.source, false, &err), &err);
    assert_int_equal(keeper.paused, 1);
    check_ok(hf_bpf_source_follow_births(s.source, true, &err), &err);
    assert_int_equal(keeper.attached, 2);
    assert_int_equal(kernel.options.turn, 2);
    assert_int_equal(keeper.paused, 1);
    for (size_t i = 0; i < PROCESSORS; i++) {
        kernel.processors[i].counts[HF_BPF_COUNT_STOPS] = 10 + i;
        kernel.processors[i].counts[HF_BPF_COUNT_BIRTH_STOPS] = 3;
    }
    assert_int_equal(hf_bpf_source_stops(s.source, &births), 33);
    assert_int_equal(births, 9);
    assert_false(hf_bpf_source_has_ended(s.source));
    kernel.followed.has_ended = 1;
    assert_true(hf_bpf_source_has_ended(s.source));
    end(&s);
}

static uint64_t total_of(const struct hf_profile *profile, const char *name)
{
    size_t type;
    assert_true(hf_profile_find_type(profile, hf_text_of(name), &type));
    return hf_profile_total(profile, type, HF_THREAD_ALL).value;
}

enum { PLAIN = 11, INNER = 12, CUT = 13 };

/* One block of each kind, and what was freed. */
static void fill_maps(void)
{
    const uint64_t cache = 0xc000, top = 0xd000;
    kernel.context_count = 2;
    kernel.context_keys[0] = cache;
    kernel.contexts[0] =
        (struct hf_bpf_context){.name = (uintptr_t)context_names[0], .generation = 2};
    kernel.context_keys[1] = top;
    kernel.contexts[1] = (struct hf_bpf_context){.name = 64};
    kernel.block_count = 4;
    for (size_t i = 0; i < 4; i++) {
        kernel.block_keys[i] = 0x5000 + 0x100 * i;
        kernel.blocks[i] = (struct hf_bpf_block){.size = 100 + i,
            .context = cache,
            .stack = PLAIN,
            .birth_ns = 2 * SECOND,
            .generation = 2,
            .role = HF_ROLE_ALLOC};
    }
    kernel.blocks[1].generation = 1; /* its context was reset since */
    kernel.blocks[2].stack = INNER;
    kernel.blocks[3].context = 0;
    kernel.call_count = 2;
    kernel.calls[0] = (struct hf_bpf_open_call){.pointer = 0x6000, .old = kernel.blocks[3]};
    kernel.calls[1] = kernel.calls[0];
    kernel.calls[1].has_old = 1;
    kernel.calls[1].old.size = 1000;
    kernel.total_count = 4;
    kernel.total_keys[0] = (struct hf_bpf_total_key){PLAIN, cache};
    kernel.totals[0] = (struct hf_bpf_total){5, 500, (uintptr_t)context_names[0]};
    kernel.total_keys[1] = (struct hf_bpf_total_key){PLAIN, 0};
    kernel.totals[1] = (struct hf_bpf_total){2, 1103, 0}; /* all of it is in use */
    kernel.total_keys[2] = (struct hf_bpf_total_key){INNER, cache};
    kernel.totals[2] = (struct hf_bpf_total){50, 5000, 0};
    kernel.total_keys[3] = (struct hf_bpf_total_key){CUT, 0};
    kernel.totals[3] = (struct hf_bpf_total){3, 30, 0};
    static const uint64_t counts[] = {[HF_BPF_COUNT_ALLOCS] = 60,
        [HF_BPF_COUNT_FREES] = 50,
        [HF_BPF_COUNT_UNKNOWN_FREES] = 4,
        [HF_BPF_COUNT_OVERWRITTEN] = 5,
        [HF_BPF_COUNT_UNPAIRED_ENTRIES] = 6,
        [HF_BPF_COUNT_SKIPPED] = 7,
        [HF_BPF_COUNT_LOST_BLOCKS] = 8,
        [HF_BPF_COUNT_LOST_CALLS] = 16,
        [HF_BPF_COUNT_LOST_CONTEXTS] = 32,
        [HF_BPF_COUNT_LOST_STACKS] = 64};
    memcpy(kernel.processors[1].counts, counts, sizeof counts);
}

static void check_told_tracker(struct hf_tracker *tracker)
{
    struct hf_tracker_counts counts = hf_tracker_counts(tracker);
    assert_int_equal(counts.allocs, 60);
    assert_int_equal(counts.frees, 50);
    assert_int_equal(counts.unknown_frees, 4);
    assert_int_equal(counts.overwritten, 5);
    assert_int_equal(counts.unpaired_entries, 6);
    assert_int_equal(counts.skipped, 7);
    assert_int_equal(counts.lost[HF_TRACKER_LOST_ALLOCS], 24);
    assert_int_equal(counts.lost[HF_TRACKER_LOST_EVENTS], 32);
    assert_int_equal(counts.lost[HF_TRACKER_LOST_STACKS], 64);
}

static void check_profile(struct scene *s)
{
    struct hf_error err;
    struct hf_profile *profile;
    const struct hf_text bytes = {s->table, TABLE_BYTES};
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(
        hf_live_profile(hf_live_source_in(&bytes, "the table"), UINT64_MAX, 0, profile, NULL, &err),
        &err);
    assert_int_equal(total_of(profile, "inuse_objects"), 3);
    assert_int_equal(total_of(profile, "inuse_space"), 100 + 103 + 1000);
    assert_int_equal(total_of(profile, "alloc_objects"), 5 + 2 + 3);
    assert_int_equal(total_of(profile, "alloc_space"), 500 + 1103 + 30);
    size_t named = 0;
    for (uint32_t i = 0; i < profile->frames.count; i++)
        named += hf_text_is(
            hf_profile_text(profile, hf_profile_frame_at(profile, i)->name), "[CacheContext]");
    assert_int_equal(named, 1);
    hf_profile_free(profile);
}

static void test_stacks_and_blocks(void **state)
{
    static struct scene s;
    struct hf_error err;
    (void)state;
#ifndef __x86_64__
    print_message("skipped: return addresses are in a register here\n");
    skip();
#endif
    begin(&s, 1);
    open_source(&s);
    assert_int_equal(hf_bpf_source_stacks(s.source).all, 0);
    put_record(PLAIN, address_of(probed), address_of(other) + 2, 0);
    put_record(INNER, address_of(other), address_of(probed) + 2, 0); /* called by one of the spec */
    put_record(CUT, address_of(probed), 0, 0);
    put_record(14, address_of(probed), address_of(other) + 2, 1); /* it is not whole */
    poll_source(&s);
    assert_int_equal(hf_bpf_source_stacks(s.source).all, 3);
    put_record(PLAIN, address_of(other), 0, 0); /* known */
    put_record(15, address_of(probed), 0, 1);
    poll_source(&s);
    assert_int_equal(hf_bpf_source_stacks(s.source).all, 3);
    struct hf_bpf_logged_stack logged;
    uint64_t position = 0;
    assert_true(hf_bpf_stack_log_next(s.options.log, &position, &logged));
    assert_int_equal(logged.hash, PLAIN); /* without the function that was probed */
    assert_true(logged.count >= 1);
    assert_int_equal(logged.frames[0],
        hf_images_frame(&s.images, hf_tracker_table(s.tracker), address_of(other) + 2));
    assert_true(hf_bpf_stack_log_next(s.options.log, &position, &logged));
    assert_int_equal(logged.hash, INNER);
    assert_int_equal(logged.flags, HF_BPF_LOGGED_INNER);
    assert_int_equal(logged.count, 0);
    assert_true(hf_bpf_stack_log_next(s.options.log, &position, &logged));
    assert_int_equal(logged.hash, CUT);
    assert_int_equal(logged.count, 1);
    assert_int_equal(logged.frames[0],
        hf_images_frame(&s.images, hf_tracker_table(s.tracker), address_of(probed) + 1));
    assert_false(hf_bpf_stack_log_next(s.options.log, &position, &logged));
    fill_maps();
    check_ok(hf_bpf_source_stop(s.source, &err), &err);
    assert_int_equal(keeper.detached, 1);
    check_told_tracker(s.tracker);
    check_profile(&s);
    end(&s);
}

static void test_gathered(void **state)
{
    static struct scene s;
    struct hf_error err;
    (void)state;
    begin(&s, 1);
    static const struct {
        uint64_t hash;
        uint32_t flags;
    } stacks[] = {{PLAIN, 0}, {INNER, HF_BPF_LOGGED_INNER}, {CUT, HF_LIVE_IS_CUT}};
    for (size_t i = 0; i < HF_COUNT(stacks); i++) {
        const uint64_t frame = 0x1000 + i;
        const struct hf_bpf_logged_stack logged = {
            stacks[i].hash, &frame, stacks[i].flags != HF_BPF_LOGGED_INNER, stacks[i].flags};
        hf_bpf_stack_log_add(s.log, &logged);
    }
    fill_maps();
    const struct hf_bpf_gathering gathering = {
        .memory = &s.images.memory, .tracker = s.tracker, .log = s.log, .period_bytes = 1};
    check_ok(hf_bpf_source_gather(&gathering, &err), &err);
    check_told_tracker(s.tracker);
    check_profile(&s);
    kernel.read_error = EPERM;
    assert_int_equal(hf_bpf_source_gather(&gathering, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot read a map of the kernel: Operation not permitted");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_code_ranges),
        cmocka_unit_test(test_gaps_and_kernels),
        cmocka_unit_test(test_births),
        cmocka_unit_test(test_stacks_and_blocks),
        cmocka_unit_test(test_gathered),
    };
    return cmocka_run_group_tests_name("bpf_source", tests, NULL, NULL);
}
