/*
 * Rules and walks. Input: address of the code (u64), pc, sp, fp, end of the stack (u64 each), size
 * of .eh_frame_hdr (u16), size of that and .eh_frame (u16), number of changes (u8); those bytes,
 * the stack; the changes, each an offset in the stack (u16) and a byte.
 *
 * The stack is walked, then changed and walked again, with the memo of the first walk and without.
 */
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/walk.h"

#define CHANGES 4

static bool copy_bytes(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return true;
}

/* The same of the call frame information as of a copy. */
static struct hf_unwind_rule find(void *context, uint64_t address, bool is_guess)
{
    static struct hf_callframes_copy copy;
    struct hf_unwind_rule rule = hf_unwind_rule_at(context, address), copied = {0};
    struct hf_callframes one;
    (void)is_guess;
    if (hf_callframes_copy_one(context, address, copy_bytes, &copy, &one))
        copied = hf_unwind_rule_at(&one, address);
    if (copied.bits != rule.bits)
        abort();
    return rule;
}

static void check_same(const struct hf_unwind_frame *a, const struct hf_unwind_frame *b)
{
    for (; a != NULL && b != NULL; a = a->caller, b = b->caller)
        if (a->pc != b->pc || a->hash != b->hash || a->count != b->count || a->traits != b->traits)
            abort();
    if (a != b)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_unwind_cache cache;
    static struct hf_unwind_memo memo, plain;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    uint64_t address = hf_cursor_u64(&c);
    struct hf_unwind_registers at;
    at.pc = hf_cursor_u64(&c);
    at.sp = hf_cursor_u64(&c);
    at.fp = hf_cursor_u64(&c);
    uint64_t high = hf_cursor_u64(&c);
    size_t header_size = hf_cursor_u16(&c), frames_size = hf_cursor_u16(&c);
    struct hf_cursor changes = hf_cursor_sub(&c, CHANGES * 3, "changes");
    struct hf_text bytes = fuzz_take_part(&c, frames_size);
    struct hf_text words = fuzz_take_part(&c, hf_cursor_left(&c));
    struct hf_text header = hf_text_first(bytes, header_size);
    struct hf_callframes frames;
    if (hf_callframes_read_header(&frames, header, header, address))
        frames.frames = hf_text_from(bytes, frames.frames_address - address);
    struct hf_unwind_code code = {find, &frames};
    struct hf_unwind_stack stack = {
        high - words.size, high, (uintptr_t)words.data - (high - words.size)};
    hf_unwind_cache_clear(&cache);
    memo.count = 0;
    const struct hf_unwind_frame *walked = hf_unwind_walk(&memo, &at, &stack, &cache, &code);
    for (; walked != NULL && fuzz_is_told(); walked = walked->caller)
        fuzz_tell("0x%llx at 0x%llx, rule 0x%x, %u frames, traits 0x%x\n",
            (unsigned long long)walked->pc, (unsigned long long)walked->sp, walked->rule.bits,
            walked->count, walked->traits);
    for (int i = 0; i < CHANGES; i++) {
        uint16_t offset = hf_cursor_u16(&changes);
        uint8_t change = hf_cursor_u8(&changes);
        if (offset < words.size)
            ((char *)(uintptr_t)words.data)[offset] = (char)(words.data[offset] ^ change);
    }
    plain.count = 0;
    check_same(hf_unwind_walk(&memo, &at, &stack, &cache, &code),
        hf_unwind_walk(&plain, &at, &stack, &cache, &code));
    fuzz_free_part(bytes);
    fuzz_free_part(words);
    return 0;
}
