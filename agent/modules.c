#include "modules.h"

#include "base/checksum.h"
#include "base/gate.h"
#include "base/mutant.h"
#include "clock.h"
#include "image.h"
#include "map_file.h"
#include "pages.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#define FILES 8192 /* modules that are recognised when they come back */
#define SHARE 64   /* of the time that passes, one part for reading the map */

struct segment {
    uint64_t start, end, file_offset;
    uint32_t module; /* 1 + its number in the table; 0: none */
    bool is_gone;
    struct hf_callframes callframes;
};

struct modules_list {
    struct segment items[HF_MODULES_SEGMENTS]; /* sorted, disjoint */
    size_t count;
};

struct modules_file {
    uint64_t print; /* a hash of path, device, inode and build-id */
    uint32_t module;
};

struct hf_modules_memory {
    struct hf_map_file map;
    struct modules_list lists[2];
    unsigned current; /* of the lists */
    struct modules_file files[FILES];
    size_t file_count;
    struct hf_callframes_copy copy;
};

/* The next list in the making. */
struct modules_reading {
    struct hf_modules *modules;
    const struct modules_list *old;
    struct modules_list *list;
    size_t at;                    /* in the old list */
    uint64_t from;                /* the end of the last new segment */
    bool is_changed, is_replaced; /* there is other code than before; where there was code */
    bool is_repeated;             /* a byte of a file is, or was, at another address, too */
    struct hf_map_line first;     /* the last line of a file's start ... */
    uint64_t first_print;         /* ... and a hash of its path */
    struct hf_modules_hosts hosts;
};

static int64_t modules_now_ns(void)
{
    return (int64_t)hf_clock_now(CLOCK_MONOTONIC);
}

static void modules_append(struct modules_reading *r, const struct segment *segment)
{
    if (r->list->count < HF_MODULES_SEGMENTS)
        r->list->items[r->list->count++] = *segment;
    else if (segment->is_gone)
        r->is_replaced = true; /* nobody will remember */
}

/* Where a byte of the segment is, whatever part of the code's file is mapped. */
static bool is_same_code(const struct segment *a, const struct segment *b)
{
    return a->module == b->module && a->start - a->file_offset == b->start - b->file_offset;
}

/* What was known of addresses below `to`, and is not there any more. */
static void keep_gone(struct modules_reading *r, uint64_t to)
{
    for (; r->at < r->old->count && r->old->items[r->at].start < to; r->at++) {
        struct segment gone = r->old->items[r->at];
        uint64_t start = gone.start > r->from ? gone.start : r->from;
        uint64_t end = gone.end < to ? gone.end : to;
        if (start < end) {
            r->is_changed |= !gone.is_gone;
            gone.is_gone = true;
            gone.file_offset += start - gone.start;
            gone.start = start;
            gone.end = end;
            modules_append(r, &gone);
        }
        if (r->old->items[r->at].end > to)
            break;
    }
}

static void modules_add_to_table(struct hf_modules *modules, const struct segment *segment)
{
    if (segment->module == 0 || !hf_live_lock(modules->table))
        return;
    (void)hf_live_add_segment(modules->table, &(struct hf_live_segment){
                                                  .start = segment->start,
                                                  .end = segment->end,
                                                  .file_offset = segment->file_offset,
                                                  .module = segment->module - 1,
                                                  .is_executable = 1,
                                              });
    hf_live_unlock(modules->table);
}

/* True if bytes of the segment are in one of a list, at another address. */
static bool repeats(const struct modules_list *list, const struct segment *segment)
{
    uint64_t bytes = segment->end - segment->start;
    for (size_t i = 0; i < list->count && segment->module != 0; i++) {
        const struct segment *other = &list->items[i];
        if (other->module == segment->module && !is_same_code(other, segment) &&
            other->file_offset < segment->file_offset + bytes &&
            segment->file_offset < other->file_offset + (other->end - other->start))
            return true;
    }
    return false;
}

static void add_segment(struct modules_reading *r, const struct segment *segment)
{
    keep_gone(r, segment->start);
    bool is_known = false, was_there = false;
    for (size_t i = r->at; i < r->old->count && r->old->items[i].start < segment->end; i++) {
        const struct segment *old = &r->old->items[i];
        if (old->end <= segment->start)
            continue;
        bool is_same = is_same_code(old, segment);
        is_known |= is_same && old->start == segment->start && old->end == segment->end;
        was_there |= is_known && !old->is_gone;
        r->is_replaced |= !is_same;
    }
    r->is_changed |= !was_there;
    if (!is_known) {
        if (!hf_modules_repeats(r->modules))
            r->is_repeated |= repeats(r->old, segment) || repeats(r->list, segment);
        modules_add_to_table(r->modules, segment);
    }
    modules_append(r, segment);
    r->from = segment->end;
}

/* The module of a file, known or new; 0 if the table has no room, or its lock was not to be had. */
static uint32_t modules_module_of(
    struct hf_modules *modules, const struct hf_map_line *line, const struct hf_image *image)
{
    struct hf_modules_memory *memory = modules->memory;
    uint64_t parts[] = {hf_checksum(line->path.data, line->path.size), line->device, line->inode,
        hf_checksum(image->build_id, image->build_id_bytes)};
    uint64_t print = hf_checksum(parts, sizeof parts);
    for (size_t i = 0; i < memory->file_count; i++) {
        if (memory->files[i].print == print)
            return memory->files[i].module;
    }
    if (memory->file_count == FILES || !hf_live_lock(modules->table))
        return 0;
    char *path = memory->map.buffer + (line->path.data - memory->map.buffer);
    size_t path_bytes = hf_map_line_unescape(path, line->path.size);
    uint32_t number = hf_live_add_module(modules->table, path, path_bytes,
        (const uint8_t *)image->build_id, image->build_id_bytes, line->device, line->inode);
    hf_live_unlock(modules->table);
    if (number == HF_LIVE_NONE)
        return 0;
    memory->files[memory->file_count++] = (struct modules_file){print, number + 1};
    return number + 1;
}

static bool modules_is_file(const struct hf_map_line *line)
{
    return hf_text_starts(line->path, "/") || hf_text_is(line->path, "[vdso]");
}

/*
 * The start of a file's image: it may be that of an interpreter. The program need not be the first
 * one: PHP's opcache maps /dev/zero below it.
 */
static void add_host(struct modules_reading *r, const struct hf_map_line *line)
{
    struct hf_modules_hosts *hosts = &r->hosts;
    uint64_t headers = getauxval(AT_PHDR);
    bool is_program = headers >= line->start && headers < line->end;
    struct hf_text name = hf_text_from(line->path, hf_text_find_last(line->path, '/'));
    /* liblua5.4.so.0, but none of its modules, of which there may be many: liblua5.4-socket.so */
    bool is_lua = hf_text_starts(name, "/liblua") && hf_text_find(name, '-') == name.size;
    if (hosts->count < HF_MODULES_HOSTS && modules_is_file(line) &&
        (is_program || hf_text_starts(name, "/libpython") || hf_text_starts(name, "/libperl") ||
            hf_text_starts(name, "/libruby") || hf_text_starts(name, "/libnode") ||
            hf_text_is(name, "/libjvm.so") || is_lua))
        hosts->starts[hosts->count++] = line->start;
}

static bool was_first(const struct hf_modules_hosts *hosts, uint64_t start)
{
    bool was = false;
    for (uint32_t i = 0; i < hosts->count; i++)
        was |= hosts->starts[i] == start && hosts->is_first[i];
    return was;
}

static void modules_settle_hosts(struct hf_modules *modules, struct hf_modules_hosts *hosts)
{
    uint32_t version = hf_modules_hosts_version(modules);
    for (uint32_t i = 0; i < hosts->count; i++)
        hosts->is_first[i] = version == 0 || was_first(&modules->hosts, hosts->starts[i]);
    if (version != 0 && memcmp(&modules->hosts, hosts, sizeof *hosts) == 0)
        return;
    modules->hosts = *hosts;
    atomic_store_explicit(&modules->hosts_version, version + 1, memory_order_release);
}

static void modules_read_line(struct modules_reading *r, const struct hf_map_line *line)
{
    uint64_t print = hf_checksum(line->path.data, line->path.size);
    if (line->file_offset == 0) {
        r->first = *line;
        r->first_print = print;
        add_host(r, line);
    }
    if (!line->is_executable)
        return;
    struct segment segment = {.start = line->start, .end = line->end};
    if (modules_is_file(line)) {
        struct hf_image image = {0};
        if (r->first_print == print && r->first.device == line->device &&
            r->first.inode == line->inode)
            hf_image_read(&image, r->first.start);
        segment.file_offset = line->file_offset;
        segment.module = modules_module_of(r->modules, line, &image);
        segment.callframes = image.callframes;
    }
    if (segment.module == 0)
        segment.file_offset = segment.start;
    add_segment(r, &segment);
}

/* Reads the map; true if there is other code than before. */
static bool modules_read_map(struct hf_modules *modules)
{
    struct hf_modules_memory *memory = modules->memory;
    int64_t start = modules_now_ns();
    struct modules_reading r = {
        .modules = modules,
        .old = &memory->lists[memory->current],
        .list = &memory->lists[1 - memory->current],
    };
    struct hf_map_line line;
    if (!hf_map_file_open(&memory->map, modules->map_path))
        return false;
    r.list->count = 0;
    while (hf_map_file_next(&memory->map, &line))
        modules_read_line(&r, &line);
    hf_map_file_close(&memory->map);
    keep_gone(&r, UINT64_MAX);
    modules_settle_hosts(modules, &r.hosts);
    if (r.is_replaced || r.is_repeated)
        atomic_store_explicit(&modules->repeats, true, memory_order_relaxed);
    if (r.is_replaced)
        atomic_fetch_add_explicit(&modules->generation, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_release);
    memory->current = 1 - memory->current;
    modules->credit_ns -= modules_now_ns() - start;
    return r.is_changed;
}

static bool may_read(struct hf_modules *modules)
{
    if (HF_UNLIKELY(hf_gate_is_shut()))
        return false;
    int64_t now = modules_now_ns();
    modules->credit_ns += (now - modules->earned_ns) / SHARE;
    if (modules->credit_ns > HF_MODULES_CREDIT_NS)
        modules->credit_ns = HF_MODULES_CREDIT_NS;
    modules->earned_ns = now;
    return modules->credit_ns > 0;
}

/* `why`: of enum hf_modules_doubt. */
static void doubt(struct hf_modules *modules, uint32_t why)
{
    atomic_fetch_or_explicit(&modules->doubts, why, memory_order_release);
}

void hf_modules_unloading(struct hf_modules *modules)
{
    atomic_fetch_add(&modules->unloading, 1);
}

void hf_modules_unloaded(struct hf_modules *modules)
{
    doubt(modules, HF_MODULES_UNLOADED);
    atomic_fetch_sub(&modules->unloading, 1);
}

/* With the lock. */
static void settle(struct hf_modules *modules)
{
    uint32_t doubts = atomic_exchange_explicit(&modules->doubts, 0, memory_order_acquire);
    bool is_changed = (doubts & HF_MODULES_UNHEARD) != 0;
    if (HF_UNLIKELY(hf_gate_is_shut()))
        doubt(modules, doubts & (HF_MODULES_UNLOADED | HF_MODULES_OWED)); /* it stays */
    else if ((doubts & HF_MODULES_UNLOADED) != 0 ||
             ((doubts & HF_MODULES_OWED) != 0 && may_read(modules)))
        is_changed |= modules_read_map(modules);
    else if ((doubts & HF_MODULES_OWED) != 0)
        doubt(modules, HF_MODULES_OWED);
    if (is_changed)
        hf_unwind_cache_clear(modules->cache);
}

void hf_modules_look_again(struct hf_modules *modules)
{
    if (!hf_spinlock_take(&modules->lock))
        return;
    settle(modules);
    hf_spinlock_release(&modules->lock);
}

void hf_modules_reread(struct hf_modules *modules)
{
    if (!hf_spinlock_take(&modules->lock))
        return;
    if (modules_read_map(modules))
        hf_unwind_cache_clear(modules->cache);
    hf_spinlock_release(&modules->lock);
}

void hf_modules_mend(struct hf_modules *modules)
{
    if (!hf_spinlock_is_mine(&modules->lock))
        return;
    hf_map_file_close(&modules->memory->map);
    doubt(modules, HF_MODULES_UNLOADED | HF_MODULES_UNHEARD);
    hf_spinlock_release(&modules->lock);
}

static const struct segment *modules_find(const struct hf_modules *modules, uint64_t address)
{
    const struct modules_list *list = &modules->memory->lists[modules->memory->current];
    size_t low = 0, high = list->count; /* the last that starts at or before the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct segment *segment = low != 0 ? &list->items[low - 1] : NULL;
    return segment != NULL && address < segment->end && !segment->is_gone ? segment : NULL;
}

/* The segment of an address; the map is read again if there is none, and that is not too often. */
static const struct segment *modules_look_up(struct hf_modules *modules, uint64_t address)
{
    const struct segment *segment = modules_find(modules, address);
    if (HF_MUTANT(LOADER))
        (void)dlsym(NULL, ""); /* which takes the loader's lock */
    if (segment != NULL)
        return segment;
    if (!may_read(modules)) {
        doubt(modules, HF_MODULES_OWED);
        return NULL;
    }
    if (modules_read_map(modules))
        hf_unwind_cache_clear(modules->cache);
    return modules_find(modules, address);
}

/* The segment may be of what was there, and is not, or not for long. */
static bool may_go(struct hf_modules *modules)
{
    return !HF_MUTANT(CLOSING) && (atomic_load(&modules->unloading) != 0 ||
                                      (atomic_load(&modules->doubts) & HF_MODULES_UNLOADED) != 0);
}

static struct hf_unwind_rule rule_of_copy(
    struct hf_modules *modules, const struct hf_callframes *callframes, uint64_t address)
{
    struct hf_callframes one;
    if (hf_gate_is_shut()) /* nor can it be copied */
        return (struct hf_unwind_rule){HF_UNWIND_UNKNOWN};
    if (!hf_callframes_copy_one(callframes, address, hf_image_copy, &modules->memory->copy, &one))
        return (struct hf_unwind_rule){HF_UNWIND_UNKNOWN};
    return hf_unwind_rule_at(&one, address);
}

struct hf_unwind_rule hf_modules_rule(void *context, uint64_t address, bool is_guess)
{
    struct hf_modules *modules = context;
    struct hf_unwind_rule rule = {HF_UNWIND_UNKNOWN};
    if (!hf_spinlock_take(&modules->lock)) {
        doubt(modules, HF_MODULES_UNHEARD);
        return rule;
    }
    const struct segment *segment = modules_look_up(modules, address);
    if (segment != NULL && ((is_guess && !HF_MUTANT(GUESS)) || may_go(modules)))
        rule = rule_of_copy(modules, &segment->callframes, address);
    else if (segment != NULL)
        rule = hf_unwind_rule_at(&segment->callframes, address);
    hf_spinlock_release(&modules->lock);
    return rule;
}

bool hf_modules_frames(struct hf_modules *modules, uint64_t *pcs, size_t count)
{
    const struct segment *segment = NULL; /* that of the frame before: often of the next, too */
    if (!hf_spinlock_take(&modules->lock))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = pcs[i] - 1;
        if (segment == NULL || address - segment->start >= segment->end - segment->start)
            segment = modules_look_up(modules, address);
        pcs[i] = segment == NULL ? hf_live_frame(0, address)
                                 : hf_live_frame(segment->module,
                                       address - segment->start + segment->file_offset);
    }
    hf_spinlock_release(&modules->lock);
    return true;
}

bool hf_modules_hosts(struct hf_modules *modules, struct hf_modules_hosts *out_hosts)
{
    if (!hf_spinlock_take(&modules->lock))
        return false;
    *out_hosts = modules->hosts;
    hf_spinlock_release(&modules->lock);
    return true;
}

bool hf_modules_begin(struct hf_modules *modules, struct hf_live_table *table,
    struct hf_unwind_cache *cache, const char *map_path)
{
    *modules = (struct hf_modules){
        .table = table,
        .cache = cache,
        .map_path = map_path,
        .memory = hf_pages_map(sizeof *modules->memory),
        .credit_ns = HF_MODULES_CREDIT_NS,
        .earned_ns = modules_now_ns(),
    };
    if (modules->memory == NULL)
        return false;
    (void)modules_read_map(modules);
    hf_unwind_cache_clear(cache);
    return true;
}

void hf_modules_forget(struct hf_modules *modules)
{
    hf_pages_unmap(modules->memory, sizeof *modules->memory);
    *modules = (struct hf_modules){0};
}
