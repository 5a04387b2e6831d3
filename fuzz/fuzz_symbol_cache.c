/* Entries of the symbol cache, as they are and with their checksums put right: all their answers.
 */
#include "base/checksum.h"
#include "fuzz.h"
#include "input.h"
#include "symbol/cache/cache_entry.h"
#include "tell.h"

#define ANSWERS_MOST 4096

static uint64_t touch(struct hf_text text)
{
    return hf_checksum(text.data, text.size);
}

/* Reads all answers into a draft; its entry must be good. */
static void tell_frame(const struct hf_dwarf_frame *frame)
{
    fuzz_tell("  ");
    fuzz_tell_text(frame->name);
    fuzz_tell(" = ");
    fuzz_tell_text(frame->linkage);
    fuzz_tell(" in ");
    fuzz_tell_text(frame->scope);
    fuzz_tell(" (");
    fuzz_tell_text(frame->file);
    fuzz_tell(":%u)%s\n", frame->line, frame->detail.is_near ? " near" : "");
}

static void rewrite(struct hf_cache_entry *entry, const struct hf_sightings *sightings)
{
    struct hf_arena arena = {0};
    struct hf_cache_draft draft = {0};
    struct hf_out out = {0};
    uint64_t sum = touch(entry->why);
    for (size_t i = 0; i < entry->answer_count && i < ANSWERS_MOST && !entry->is_damaged; i++) {
        struct hf_finding found;
        uint64_t address = hf_cache_entry_address(entry, i);
        if (!hf_cache_entry_find(entry, address, &arena, &found))
            continue;
        struct hf_text readable;
        sum += touch(found.symbol) + touch(found.place.file);
        fuzz_tell("0x%llx: start 0x%llx, %u twins, line %u ", (unsigned long long)address,
            (unsigned long long)found.start, found.twins, found.place.line);
        fuzz_tell_text(found.place.file);
        fuzz_tell(" ");
        fuzz_tell_named("symbol", found.symbol);
        if (hf_cache_entry_readable(entry, found.symbol, &readable))
            sum += touch(readable);
        for (size_t f = 0; f < found.place.count; f++)
            tell_frame(&found.place.frames[f]);
        for (size_t f = 0; f < found.place.count; f++)
            sum += touch(found.place.frames[f].name) + touch(found.place.frames[f].linkage) +
                   touch(found.place.frames[f].scope) + touch(found.place.frames[f].file);
        hf_cache_draft_add(&draft, address, &found);
    }
    hf_cache_draft_write(&draft, entry->context, entry->why, sightings, &out);
    struct hf_cache_entry again;
    if (draft.answer_count != 0 && !hf_cache_entry_open(&again, hf_out_view(&out), entry->context))
        abort();
    if (draft.answer_count != 0)
        hf_cache_entry_close(&again);
    volatile uint64_t used = sum;
    (void)used;
    hf_out_done(&out);
    hf_cache_draft_done(&draft);
    hf_arena_done(&arena);
}

/* What opens may be kept under its own name, and under no other. */
static void check_name(struct hf_text bytes, bool opens)
{
    static const char *const contexts[] = {"fuzz", "other"};
    for (size_t i = 0; i < HF_COUNT(contexts); i++) {
        struct hf_out name = {0};
        hf_cache_entry_name(&name, HF_TEXT("\xab\xcd"), hf_text_of(contexts[i]));
        bool is_sound = hf_cache_entry_is_sound(hf_out_view(&name), bytes);
        if (opens && is_sound != (i == 0))
            abort();
        hf_out_done(&name);
    }
}

static void read_entry(struct hf_text bytes)
{
    struct hf_cache_entry entry;
    bool opens = hf_cache_entry_open(&entry, bytes, HF_TEXT("fuzz"));
    if (opens) {
        fuzz_tell("%zu answers%s ", entry.answer_count, entry.is_damaged ? ", damaged" : "");
        fuzz_tell_named("why", entry.why);
    }
    check_name(bytes, opens);
    if (opens) {
        struct hf_sightings sightings = {0};
        fuzz_tell(hf_cache_entry_holds(&entry, &sightings) ? "holds\n" : "does not hold\n");
        (void)hf_sightings_are_settled(&sightings);
        (void)!hf_sightings_unite(&sightings);
        rewrite(&entry, &sightings);
        hf_sightings_done(&sightings);
    }
    hf_cache_entry_close(&entry);
}

static void put_checksum(char *to, const char *data, size_t size)
{
    uint64_t sum = hf_checksum(data, size);
    memcpy(to, &sum, sizeof sum);
}

static void repair(char *data, size_t size)
{
    uint32_t head_size;
    if (size < HF_CACHE_HEAD_CHECKED)
        return;
    memcpy(&head_size, data + 12, sizeof head_size);
    if (head_size < HF_CACHE_HEAD_CHECKED || head_size > size)
        return;
    size_t blocks = (size - head_size + HF_CACHE_BLOCK - 1) / HF_CACHE_BLOCK;
    if (blocks * sizeof(uint64_t) > head_size - HF_CACHE_HEAD_CHECKED)
        return;
    char *sums = data + head_size - blocks * sizeof(uint64_t);
    for (size_t i = 0; i < blocks; i++) {
        size_t from = head_size + i * HF_CACHE_BLOCK;
        size_t left = size - from;
        put_checksum(sums + i * sizeof(uint64_t), data + from,
            left < HF_CACHE_BLOCK ? left : HF_CACHE_BLOCK);
    }
    put_checksum(data + HF_CACHE_HEAD_CHECKED - sizeof(uint64_t), data + HF_CACHE_HEAD_CHECKED,
        head_size - HF_CACHE_HEAD_CHECKED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_text copy = fuzz_take_part(&c, size);
    read_entry(copy);
    repair((char *)(uintptr_t)copy.data, copy.size);
    read_entry(copy);
    fuzz_free_part(copy);
    return 0;
}
