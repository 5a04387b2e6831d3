#include "cli/process/heap/heap_report.h"

#include "base/plural.h"
#include "base/strings/escape.h"
#include "render/amount.h"

#include <inttypes.h>
#include <string.h>

/* What a holder is called, before its name. */
static const char *const holder_words[HF_ROOT_KINDS] = {
    [HF_ROOT_DATA] = "data of ",
    [HF_ROOT_THREAD_LOCAL] = "thread-local storage of thread ",
    [HF_ROOT_STACK] = "stack of thread ",
    [HF_ROOT_REGISTER] = "registers of thread ",
    [HF_ROOT_MAPPING] = "",
};
static const char *const holder_keys[HF_ROOT_KINDS] = {
    [HF_ROOT_DATA] = "data",
    [HF_ROOT_THREAD_LOCAL] = "thread_local",
    [HF_ROOT_STACK] = "stack",
    [HF_ROOT_REGISTER] = "register",
    [HF_ROOT_MAPPING] = "mapping",
};

/* Of all regions of a kind. */
struct part {
    const char *allocator, *name;
    struct hf_heap_sum in_use, free, cached;
    uint64_t regions, unknown_bytes;
};

#define PARTS_MAX 16

static size_t add_up_parts(const struct hf_heap *heap, struct part parts[PARTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < heap->region_count; i++) {
        const struct hf_heap_region *region = &heap->regions[i];
        size_t at = 0;
        while (at < count && (strcmp(parts[at].name, region->part) != 0 ||
                                 strcmp(parts[at].allocator, region->allocator) != 0))
            at++;
        if (at == PARTS_MAX)
            continue;
        if (at == count)
            parts[count++] = (struct part){.allocator = region->allocator, .name = region->part};
        parts[at].regions++;
        parts[at].in_use.bytes += region->in_use_bytes;
        parts[at].in_use.count += region->in_use_count;
        parts[at].free.bytes += region->free_bytes;
        parts[at].free.count += region->free_count;
        parts[at].cached.bytes += region->cached_bytes;
        parts[at].cached.count += region->cached_count;
        parts[at].unknown_bytes += region->unknown_bytes;
    }
    return count;
}

static struct hf_heap_sum sum_blocks(const struct hf_heap *heap)
{
    struct hf_heap_sum sum = {.count = heap->count};
    for (size_t i = 0; i < heap->count; i++)
        sum.bytes += heap->blocks[i].bytes;
    return sum;
}

static void heap_put_bytes(struct hf_out *out, uint64_t bytes, int width)
{
    char text[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, true};
    hf_out_printf(out, "%*s", width, hf_amount(style, bytes, text));
}

static void put_count(struct hf_out *out, uint64_t count, int width)
{
    char text[HF_AMOUNT_MAX];
    const struct hf_amount_style style = {HF_AMOUNT_HUMAN, false};
    hf_out_printf(out, "%*s", width, hf_amount(style, count, text));
}

static void heap_put_parts(const struct hf_heap *heap, struct hf_out *out)
{
    struct part parts[PARTS_MAX];
    size_t count = add_up_parts(heap, parts);
    bool is_one = true;
    for (size_t i = 1; i < count; i++)
        is_one = is_one && strcmp(parts[i].allocator, parts[0].allocator) == 0;
    hf_out_printf(out, "\n%11s  %11s  %11s  heaps%s%s\n", "in use", "free", "not read",
        is_one && count != 0 ? " of " : "", is_one && count != 0 ? parts[0].allocator : "");
    for (size_t i = 0; i < count; i++) {
        heap_put_bytes(out, parts[i].in_use.bytes, 11);
        heap_put_bytes(out, parts[i].free.bytes, 13);
        heap_put_bytes(out, parts[i].unknown_bytes, 13);
        hf_out_printf(
            out, "  %s%s%s", is_one ? "" : parts[i].allocator, is_one ? "" : ": ", parts[i].name);
        if (parts[i].regions > 1)
            hf_out_printf(out, " (%" PRIu64 ")", parts[i].regions);
        hf_out_char(out, '\n');
    }
}

static void heap_put_part(struct hf_out *out, uint64_t bytes, uint64_t all)
{
    heap_put_bytes(out, bytes, 11);
    hf_out_printf(out, "  %5.1f %%  ", all != 0 ? (double)bytes * 100 / (double)all : 0);
}

/* ---- What is resident ---- */

static const char *const part_words[HF_PART_KINDS] = {
    [HF_PART_BLOCKS] = "blocks in use",
    [HF_PART_FREE] = "free memory, heads of blocks and tables",
    [HF_PART_UNREAD] = "not read",
    [HF_PART_GLOBALS] = "globals of modules",
    [HF_PART_STACKS] = "stacks and storage of threads",
    [HF_PART_FILES] = "code and files",
    [HF_PART_SHARED] = "shared memory",
    [HF_PART_RECORDER] = "memory of heapflame's recorder",
    [HF_PART_UNKNOWN] = "anonymous memory that is not understood",
};
static const char *const part_keys[HF_PART_KINDS] = {
    [HF_PART_BLOCKS] = "blocks",
    [HF_PART_FREE] = "free",
    [HF_PART_UNREAD] = "not_read",
    [HF_PART_GLOBALS] = "globals",
    [HF_PART_STACKS] = "stacks",
    [HF_PART_FILES] = "files",
    [HF_PART_SHARED] = "shared",
    [HF_PART_RECORDER] = "recorder",
    [HF_PART_UNKNOWN] = "unknown",
};

/* Whose it may be. */
static void put_unread_libraries(const struct hf_heap *heap, struct hf_out *out)
{
    for (size_t i = 0; i < heap->unread_count; i++) {
        hf_out_string(out, i != 0 ? ", " : ": with all of ");
        hf_escape_terminal(out, hf_text_basename(hf_text_of(heap->unread[i].library)));
    }
}

static void put_resident(const struct hf_heap_report *report, struct hf_out *out)
{
    const struct hf_resident_parts *parts = report->resident;
    if (parts->count == 0)
        return;
    hf_out_printf(out, "\n%11s  %7s  what it is, of ", "resident", "share");
    heap_put_bytes(out, parts->bytes, 0);
    hf_out_char(out, '\n');
    for (size_t i = 0; i < parts->count; i++) {
        const struct hf_resident_part *part = &parts->items[i];
        heap_put_part(out, part->bytes, parts->bytes);
        if (part->allocator != NULL)
            hf_out_printf(out, "%s: ", part->allocator);
        hf_out_string(out, part_words[part->kind]);
        if (part->mappings > 1 && part->allocator == NULL)
            hf_out_printf(out, " (%" PRIu64 ")", part->mappings);
        if (part->kind == HF_PART_UNKNOWN)
            put_unread_libraries(report->heap, out);
        hf_out_char(out, '\n');
    }
}

/* ---- Who holds what ---- */

static struct hf_text holder_name(const struct hf_holder *holder)
{
    struct hf_text path = hf_text_of(holder->path);
    return holder->kind == HF_ROOT_DATA ? hf_text_basename(path)
           : path.size != 0             ? path
                                        : HF_TEXT("anonymous memory");
}

static void put_holder(const struct hf_holder *holder, struct hf_out *out)
{
    hf_out_string(out, holder_words[holder->kind]);
    if (holder->thread != 0)
        hf_out_printf(out, "%d", (int)holder->thread);
    else
        hf_escape_terminal(out, holder_name(holder));
    hf_out_char(out, '\n');
}

static void put_lost(
    struct hf_out *out, struct hf_heap_sum lost, uint64_t all, const char *by, const char *what)
{
    heap_put_part(out, lost.bytes, all);
    hf_out_printf(out, "%s: ", by);
    put_count(out, lost.count, 0);
    hf_out_printf(out, " %s%s\n", what, hf_plural(lost.count, "block", "blocks"));
}

/* Of many threads each is one row too many: what is not shown, by its kind. */
static void put_rest(const struct hf_heap_report *report, uint64_t all, struct hf_out *out)
{
    static const char *const before[HF_ROOT_KINDS] = {
        [HF_ROOT_DATA] = "data of ",
        [HF_ROOT_THREAD_LOCAL] = "thread-local storage of ",
        [HF_ROOT_STACK] = "stacks of ",
        [HF_ROOT_REGISTER] = "registers of ",
        [HF_ROOT_MAPPING] = "",
    };
    struct hf_heap_sum rest[HF_ROOT_KINDS] = {{0}};
    for (size_t i = report->rows; i < report->holders->count; i++) {
        const struct hf_holder_row *row = &report->holders->rows[i];
        rest[row->holder->kind].bytes += row->bytes;
        rest[row->holder->kind].count++;
    }
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        if (rest[kind].count == 0)
            continue;
        heap_put_part(out, rest[kind].bytes, all);
        hf_out_string(out, before[kind]);
        put_count(out, rest[kind].count, 0);
        hf_out_printf(out, " more %s\n",
            kind == HF_ROOT_DATA      ? hf_plural(rest[kind].count, "module", "modules")
            : kind == HF_ROOT_MAPPING ? hf_plural(rest[kind].count, "mapping", "mappings")
                                      : hf_plural(rest[kind].count, "thread", "threads"));
    }
}

static void put_holders(const struct hf_heap_report *report, struct hf_out *out)
{
    uint64_t all = sum_blocks(report->heap).bytes;
    const struct hf_holders *holders = report->holders;
    hf_out_printf(out, "\n%11s  %7s  held by\n", "bytes", "share");
    for (size_t i = 0; i < holders->count && i < report->rows; i++) {
        heap_put_part(out, holders->rows[i].bytes, all);
        put_holder(holders->rows[i].holder, out);
    }
    put_rest(report, all, out);
    put_lost(out, report->graph->lost, all, "nothing", "lost ");
    put_lost(out, report->graph->lost_with, all, "lost blocks only", "");
}

static void put_sizes(const struct hf_heap_report *report, struct hf_out *out)
{
    const struct hf_heap_census *census = report->census;
    if (census->count == 0)
        return;
    hf_out_printf(out, "\n%11s  %11s  %11s  size of a block\n", "bytes", "blocks", "lost");
    for (size_t i = 0; i < census->count && i < report->rows; i++) {
        const struct hf_heap_size *row = &census->rows[i];
        heap_put_bytes(out, row->all.bytes, 11);
        put_count(out, row->all.count, 13);
        put_count(out, row->lost.count, 13);
        hf_out_string(out, "  ");
        put_count(out, row->size, 0);
        hf_out_string(out, " B\n");
    }
}

static void heap_put_classes(const struct hf_heap_report *report, struct hf_out *out)
{
    const struct hf_class_census *census = report->classes;
    if (census->count == 0)
        return;
    hf_out_printf(out, "\n%11s  %11s  %11s  %11s  class\n", "retains", "bytes", "blocks", "lost");
    for (size_t i = 0; i < census->count && i < report->rows; i++) {
        const struct hf_class_row *row = &census->rows[i];
        heap_put_bytes(out, row->retained_bytes, 11);
        heap_put_bytes(out, row->all.bytes, 13);
        put_count(out, row->all.count, 13);
        put_count(out, row->lost.count, 13);
        hf_out_string(out, "  ");
        hf_escape_terminal(out, hf_object_class_name(&census->classes, row->class));
        hf_out_char(out, '\n');
    }
}

void hf_heap_put_stop(uint64_t stopped_ns, struct hf_out *out)
{
    if (stopped_ns != 0)
        hf_out_printf(out, "its threads stood still for %.1f ms", (double)stopped_ns / 1e6);
    else
        hf_out_string(out, "it was read while it ran");
}

void hf_heap_text(const struct hf_heap_report *report, struct hf_out *out)
{
    struct hf_heap_sum all = sum_blocks(report->heap);
    hf_out_printf(out, "process %" PRIu32 ": ", report->pid);
    heap_put_bytes(out, all.bytes, 0);
    hf_out_string(out, " in ");
    put_count(out, all.count, 0);
    hf_out_printf(out, " %s; ", hf_plural(all.count, "block", "blocks"));
    hf_heap_put_stop(report->stopped_ns, out);
    hf_out_char(out, '\n');
    if (report->heap->region_count != 0)
        heap_put_parts(report->heap, out);
    put_resident(report, out);
    put_holders(report, out);
    heap_put_classes(report, out);
    put_sizes(report, out);
}

static void put_json_sum(struct hf_out *out, const char *key, struct hf_heap_sum sum)
{
    hf_out_printf(out, "\"%s\": {\"bytes\": %" PRIu64 ", \"blocks\": %" PRIu64 "}", key, sum.bytes,
        sum.count);
}

static void put_json_parts(const struct hf_heap *heap, struct hf_out *out)
{
    struct part parts[PARTS_MAX];
    size_t count = add_up_parts(heap, parts);
    hf_out_string(out, "  \"heaps\": [");
    for (size_t i = 0; i < count; i++) {
        hf_out_printf(out, "%s\n    {\"allocator\": \"%s\", \"part\": \"%s\", \"count\": %" PRIu64,
            i != 0 ? "," : "", parts[i].allocator, parts[i].name, parts[i].regions);
        hf_out_string(out, ", ");
        put_json_sum(out, "in_use", parts[i].in_use);
        hf_out_string(out, ", ");
        put_json_sum(out, "free", parts[i].free);
        hf_out_string(out, ", ");
        put_json_sum(out, "cached", parts[i].cached);
        hf_out_printf(out, ", \"unknown\": %" PRIu64 "}", parts[i].unknown_bytes);
    }
    hf_out_string(out, "],\n");
}

static void put_json_resident(const struct hf_heap_report *report, struct hf_out *out)
{
    const struct hf_resident_parts *parts = report->resident;
    hf_out_printf(out, "  \"resident\": {\"bytes\": %" PRIu64 ", \"parts\": [", parts->bytes);
    for (size_t i = 0; i < parts->count; i++)
        hf_out_printf(out,
            "%s\n    {\"part\": \"%s\", \"allocator\": \"%s\", \"bytes\": %" PRIu64
            ", \"mappings\": %" PRIu64 "}",
            i != 0 ? "," : "", part_keys[parts->items[i].kind],
            parts->items[i].allocator != NULL ? parts->items[i].allocator : "",
            parts->items[i].bytes, parts->items[i].mappings);
    hf_out_string(out, "]},\n");
}

/* What a library has that cannot be read is somewhere in what is not understood. */
static void put_json_unread(const struct hf_heap_report *report, struct hf_out *out)
{
    const struct hf_heap *heap = report->heap;
    uint64_t bytes = hf_resident_parts_bytes(report->resident, HF_PART_UNKNOWN);
    hf_out_string(out, "  \"not_read\": [");
    for (size_t i = 0; i < heap->unread_count; i++) {
        hf_out_printf(out, "%s\n    {\"library\": \"", i != 0 ? "," : "");
        hf_escape_json(out, hf_text_of(heap->unread[i].library));
        hf_out_printf(
            out, "\", \"why\": \"%s\", \"most_bytes\": %" PRIu64 "}", heap->unread[i].why, bytes);
    }
    hf_out_string(out, "],\n");
}

static void put_json_sizes(const struct hf_heap_report *report, struct hf_out *out)
{
    hf_out_string(out, "  \"sizes\": [");
    for (size_t i = 0; i < report->census->count && i < report->rows; i++) {
        const struct hf_heap_size *row = &report->census->rows[i];
        hf_out_printf(out, "%s\n    {\"size\": %" PRIu64 ", ", i != 0 ? "," : "", row->size);
        put_json_sum(out, "all", row->all);
        hf_out_string(out, ", ");
        put_json_sum(out, "lost", row->lost);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "],\n");
}

static void put_json_classes(const struct hf_heap_report *report, struct hf_out *out)
{
    const struct hf_class_census *census = report->classes;
    hf_out_string(out, "  \"classes\": [");
    for (size_t i = 0; i < census->count && i < report->rows; i++) {
        const struct hf_class_row *row = &census->rows[i];
        hf_out_printf(out, "%s\n    {\"name\": \"", i != 0 ? "," : "");
        hf_escape_json(out, hf_object_class_name(&census->classes, row->class));
        hf_out_printf(out, "\", \"retained_bytes\": %" PRIu64 ", ", row->retained_bytes);
        put_json_sum(out, "all", row->all);
        hf_out_string(out, ", ");
        put_json_sum(out, "lost", row->lost);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]\n");
}

static void put_json_holder(struct hf_out *out, const struct hf_holder_row *row, size_t index)
{
    const struct hf_holder *holder = row->holder;
    hf_out_printf(out, "%s\n    {\"kind\": \"%s\", \"path\": \"", index != 0 ? "," : "",
        holder_keys[holder->kind]);
    hf_escape_json(out, hf_text_of(holder->path));
    hf_out_printf(
        out, "\", \"thread\": %d, \"bytes\": %" PRIu64 "}", (int)holder->thread, row->bytes);
}

void hf_heap_json(const struct hf_heap_report *report, struct hf_out *out)
{
    hf_out_printf(out,
        "{\n  \"schema\": \"heapflame.heap/1\",\n  \"pid\": %" PRIu32
        ",\n  \"stopped_ns\": %" PRIu64 ",\n  ",
        report->pid, report->stopped_ns);
    put_json_sum(out, "blocks", sum_blocks(report->heap));
    hf_out_string(out, ",\n");
    put_json_parts(report->heap, out);
    put_json_resident(report, out);
    put_json_unread(report, out);
    hf_out_string(out, "  \"holders\": [");
    for (size_t i = 0; i < report->holders->count && i < report->rows; i++)
        put_json_holder(out, &report->holders->rows[i], i);
    hf_out_string(out, "],\n  ");
    put_json_sum(out, "lost", report->graph->lost);
    hf_out_string(out, ",\n  ");
    put_json_sum(out, "lost_with", report->graph->lost_with);
    hf_out_string(out, ",\n");
    put_json_sizes(report, out);
    put_json_classes(report, out);
    hf_out_string(out, "}\n");
}
