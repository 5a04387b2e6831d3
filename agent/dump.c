#include "dump.h"

#include "base/text.h"
#include "digits.h"
#include "pages.h"
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 u128;

static char text[16384]; /* what is to be written next, or was read of maps */
static size_t text_size;

/* True if all of it was written. System calls of their own are no points of cancellation. */
static bool dump_write_all(int fd, const char *data, size_t size)
{
    while (size != 0) {
        long written = HF_CALL(SYS_write, fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static bool dump_flush(int fd)
{
    bool is_written = dump_write_all(fd, text, text_size);
    text_size = 0;
    return is_written;
}

static void dump_put(struct hf_text part)
{
    memcpy(text + text_size, part.data, part.size);
    text_size += part.size;
}

static void dump_put_number(uint64_t number, unsigned base)
{
    char digits[HF_DIGITS_MAX];
    dump_put(hf_digits(number, base, digits));
}

/* Room for a line that does not grow with the input. */
#define LINE_BYTES 128

static bool dump_make_room(int fd)
{
    return sizeof text - text_size >= LINE_BYTES || dump_flush(fd);
}

/* What a reader corrects to this estimate. */
static struct hf_dump_sum as_sampled(uint64_t period_bytes, struct hf_dump_sum sum)
{
    if (sum.objects == 0)
        return (struct hf_dump_sum){0, 0};
    uint64_t mean = (uint64_t)(((u128)sum.bytes << 24) / sum.objects); /* in 1/256 bytes */
    uint64_t weight = period_bytes > 1 ? hf_sampler_weigh(period_bytes << 8, mean).objects
                                       : (uint64_t)HF_LIVE_OBJECT;
    uint64_t count = (sum.objects + weight / 2) / weight;
    if (count == 0)
        count = 1;
    u128 bytes = ((u128)count * HF_LIVE_OBJECT * sum.bytes + sum.objects / 2) / sum.objects;
    return (struct hf_dump_sum){count, (uint64_t)bytes};
}

static void put_counts(const struct hf_dump *dump, struct hf_dump_sum live, struct hf_dump_sum ever)
{
    live = as_sampled(dump->period_bytes, live);
    ever = as_sampled(dump->period_bytes, ever);
    dump_put(HF_TEXT("  t*: "));
    dump_put_number(live.objects, 10);
    dump_put(HF_TEXT(": "));
    dump_put_number(live.bytes, 10);
    dump_put(HF_TEXT(" ["));
    dump_put_number(ever.objects, 10);
    dump_put(HF_TEXT(": "));
    dump_put_number(ever.bytes, 10);
    dump_put(HF_TEXT("]\n"));
}

static uint64_t dump_count_of(const struct hf_live_table *table, enum hf_live_kind kind)
{
    return atomic_load_explicit(&table->state->counts[kind], memory_order_acquire);
}

static const struct hf_live_segment *segments_of(const struct hf_live_table *table)
{
    return (const struct hf_live_segment *)(const void *)table->regions[HF_LIVE_SEGMENTS];
}

static bool shows(const struct hf_live_segment *segment, uint64_t frame)
{
    uint64_t offset = hf_live_frame_offset(frame);
    return segment->module + 1 == hf_live_frame_module(frame) && offset >= segment->file_offset &&
           offset - segment->file_offset < segment->end - segment->start;
}

/* True if a file that was mapped later lies where this segment did. */
static bool is_covered(const struct hf_live_table *table, const struct hf_live_segment *segment)
{
    const struct hf_live_segment *end = segments_of(table) + dump_count_of(table, HF_LIVE_SEGMENTS);
    for (const struct hf_live_segment *later = segment + 1; later < end; later++) {
        if (later->module != segment->module && later->start < segment->end &&
            segment->start < later->end)
            return true;
    }
    return false;
}

/* Where the call of a frame returned to. */
static uint64_t dump_address_of(const struct hf_live_table *table, uint64_t frame)
{
    uint64_t offset = hf_live_frame_offset(frame);
    if (hf_live_frame_module(frame) == 0)
        return offset + 1;
    for (uint64_t i = dump_count_of(table, HF_LIVE_SEGMENTS); i-- != 0;) {
        const struct hf_live_segment *segment = &segments_of(table)[i];
        if (!shows(segment, frame))
            continue;
        uint64_t address = segment->start + (offset - segment->file_offset) + 1;
        return is_covered(table, segment) ? address | HF_DUMP_NOWHERE : address;
    }
    return (offset + 1) | HF_DUMP_NOWHERE;
}

static bool dump_put_stack(
    const struct hf_live_table *table, const struct hf_live_stack *stack, int fd)
{
    const uint64_t *frames = hf_live_frames(table, stack);
    dump_put(HF_TEXT("@"));
    for (uint32_t i = 0; i < stack->frame_count; i++) {
        if (hf_live_frame_module(frames[i]) == HF_LIVE_CODE)
            continue; /* it has no address */
        if (!dump_make_room(fd))
            return false;
        dump_put(HF_TEXT(" 0x"));
        dump_put_number(dump_address_of(table, frames[i]), 16);
    }
    dump_put(HF_TEXT("\n"));
    return dump_make_room(fd);
}

/* False if the slot is empty, changes, or has a block of the base. */
static bool dump_read_block(
    const struct hf_dump *dump, uint64_t slot, uint64_t *out_size, uint32_t *out_stack)
{
    const struct hf_live_block *block = hf_live_block(dump->table, slot);
    uint64_t word = atomic_load_explicit(&block->word, memory_order_acquire);
    /* The word is read again after these, and not before. */
    *out_size = atomic_load_explicit(&block->size, memory_order_acquire);
    *out_stack = atomic_load_explicit(&block->stack, memory_order_acquire);
    if (hf_live_word_address(word) == 0 ||
        word != atomic_load_explicit(&block->word, memory_order_relaxed))
        return false;
    return slot >= dump->base->word_count || word != dump->base->words[slot];
}

static void dump_add(struct hf_dump_sum *sum, struct hf_dump_sum more)
{
    sum->objects += more.objects;
    sum->bytes += more.bytes;
}

/* Sums up the live blocks by stack; those of stacks newer than the dump are not in it. */
static void dump_sum_blocks(
    const struct hf_dump *dump, struct hf_dump_sum *stacks, uint64_t stack_count)
{
    for (uint64_t i = 0, count = dump_count_of(dump->table, HF_LIVE_BLOCKS); i < count; i++) {
        uint64_t size;
        uint32_t stack;
        if (!dump_read_block(dump, i, &size, &stack) || stack >= stack_count)
            continue;
        struct hf_sampler_weight weight = hf_sampler_weigh(dump->period_bytes, size);
        dump_add(&stacks[stack], (struct hf_dump_sum){weight.objects, weight.bytes});
    }
}

static struct hf_dump_sum totals_of(const struct hf_live_table *table, uint64_t stack)
{
    const struct hf_live_stack *of = hf_live_stack(table, stack);
    return (struct hf_dump_sum){
        .objects = atomic_load_explicit(&of->objects, memory_order_relaxed),
        .bytes = atomic_load_explicit(&of->bytes, memory_order_relaxed),
    };
}

/* Since the base; nothing if the dump has no totals. */
static struct hf_dump_sum ever_of(const struct hf_dump *dump, uint64_t stack)
{
    if (!dump->has_totals)
        return (struct hf_dump_sum){0, 0};
    struct hf_dump_sum sum = totals_of(dump->table, stack);
    if (stack < dump->base->total_count) {
        sum.objects -= dump->base->totals[stack].objects;
        sum.bytes -= dump->base->totals[stack].bytes;
    }
    return sum;
}

static bool put_stacks(const struct hf_dump *dump, const struct hf_dump_sum *stacks,
    uint64_t stack_count, int fd, struct hf_dump_summary *summary)
{
    for (uint64_t i = 0; i < stack_count; i++) {
        struct hf_dump_sum ever = ever_of(dump, i);
        if (stacks[i].objects == 0 && ever.objects == 0)
            continue;
        summary->stacks += stacks[i].objects != 0;
        if (!dump_make_room(fd) || !dump_put_stack(dump->table, hf_live_stack(dump->table, i), fd))
            return false;
        put_counts(dump, stacks[i], ever);
    }
    return true;
}

static bool put_maps(int fd)
{
    dump_put(HF_TEXT("\nMAPPED_LIBRARIES:\n"));
    long maps = HF_CALL(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    long size = maps >= 0 ? 1 : 0; /* without /proc the addresses stay addresses */
    bool is_written = dump_flush(fd);
    while (is_written && size > 0) {
        size = HF_CALL(SYS_read, maps, text, sizeof text);
        is_written = size <= 0 || dump_write_all(fd, text, (size_t)size);
    }
    if (maps >= 0)
        (void)HF_CALL(SYS_close, maps);
    return is_written;
}

bool hf_dump_write(const struct hf_dump *dump, int fd, struct hf_dump_summary *out_summary)
{
    uint64_t count = dump_count_of(dump->table, HF_LIVE_STACKS);
    struct hf_dump_sum ever = {0, 0}, *stacks = hf_pages_map((count + 1) * sizeof *stacks);
    *out_summary = (struct hf_dump_summary){0};
    if (stacks == NULL)
        return false;
    dump_sum_blocks(dump, stacks, count);
    for (uint64_t i = 0; i < count; i++) {
        dump_add(&out_summary->live, stacks[i]);
        dump_add(&ever, ever_of(dump, i));
    }
    text_size = 0;
    dump_put(HF_TEXT("heap_v2/"));
    dump_put_number(dump->period_bytes, 10);
    dump_put(HF_TEXT("\n"));
    put_counts(dump, out_summary->live, ever);
    bool is_written = put_stacks(dump, stacks, count, fd, out_summary) && put_maps(fd);
    int error = errno;
    hf_pages_unmap(stacks, (count + 1) * sizeof *stacks);
    errno = error;
    return is_written;
}

void hf_dump_base_drop(struct hf_dump_base *base)
{
    hf_pages_unmap(base->words, (base->word_count + 1) * sizeof *base->words);
    hf_pages_unmap(base->totals, (base->total_count + 1) * sizeof *base->totals);
    *base = (struct hf_dump_base){0};
}

bool hf_dump_base_take(struct hf_dump_base *base, const struct hf_live_table *table)
{
    struct hf_dump_base taken = {
        .word_count = dump_count_of(table, HF_LIVE_BLOCKS),
        .total_count = dump_count_of(table, HF_LIVE_STACKS),
    };
    taken.words = hf_pages_map((taken.word_count + 1) * sizeof *taken.words);
    taken.totals = hf_pages_map((taken.total_count + 1) * sizeof *taken.totals);
    if (taken.words == NULL || taken.totals == NULL) {
        hf_dump_base_drop(&taken);
        return false;
    }
    for (uint64_t i = 0; i < taken.word_count; i++)
        taken.words[i] = atomic_load_explicit(&hf_live_block(table, i)->word, memory_order_relaxed);
    for (uint64_t i = 0; i < taken.total_count; i++)
        taken.totals[i] = totals_of(table, i);
    hf_dump_base_drop(base);
    *base = taken;
    return true;
}
