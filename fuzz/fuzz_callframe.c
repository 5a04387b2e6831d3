/*
 * Call frame information. Input: address of the rest (u64), first address asked for (u64), step
 * (u16), size of .eh_frame_hdr (u16); the bytes of .eh_frame_hdr and of .eh_frame behind it.
 */
#include "dwarf/callframe.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"
#include "unwind/rule.h"

#define ADDRESSES 64

static bool copy_bytes(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return true;
}

/* What a copy of the one entry says is what all of them say. */
static void check_copy(const struct hf_callframes *callframes, uint64_t address)
{
    static struct hf_callframes_copy copy;
    struct hf_callframes one;
    struct hf_fde copied, found;
    if (!hf_callframes_copy_one(callframes, address, copy_bytes, &copy, &one))
        return;
    if (hf_callframes_find(&one, address, &copied) &&
        (!hf_callframes_find(callframes, address, &found) || found.start != copied.start ||
            found.end != copied.end))
        abort();
}

static void tell_fde(const struct hf_fde *fde)
{
    fuzz_tell("0x%llx to 0x%llx, instructions at 0x%llx: ", (unsigned long long)fde->start,
        (unsigned long long)fde->end, (unsigned long long)fde->instructions_address);
    fuzz_tell_text(fde->instructions);
    fuzz_tell(" of ");
    fuzz_tell_text(fde->cie.instructions);
    fuzz_tell("\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_error err;
    uint64_t address = hf_cursor_u64(&c), low = hf_cursor_u64(&c), step = hf_cursor_u16(&c);
    uint64_t header = hf_cursor_u16(&c);
    struct hf_text bytes = fuzz_take_part(&c, hf_cursor_left(&c));
    if (header > bytes.size)
        header = bytes.size;
    struct hf_elf_segment segments[] = {
        {.type = PT_LOAD, .address = address, .file_size = bytes.size},
        {.type = PT_GNU_EH_FRAME, .address = address, .file_size = header}};
    struct hf_elf_section section = {.name = HF_TEXT(".eh_frame"),
        .type = SHT_PROGBITS,
        .address = address + header,
        .offset = header,
        .size = bytes.size - header};
    struct hf_elf elf = {.name = "input",
        .bytes = bytes,
        .segments = segments,
        .segment_count = header != 0 ? 2 : 1,
        .sections = &section,
        .section_count = 1};
    struct hf_callframes callframes;
    uint64_t before = 0;
    if (hf_callframes_open(&callframes, &elf, &err) != HF_OK)
        abort();
    uint64_t addresses[ADDRESSES];
    size_t count = fuzz_sweep(addresses, ADDRESSES, low, step + 1);
    for (size_t i = 0; i < count; i++) {
        struct hf_fde fde;
        bool is_found = hf_callframes_find(&callframes, addresses[i], &fde);
        if (is_found && (addresses[i] < fde.start || addresses[i] >= fde.end))
            abort();
        if (is_found && fde.start != before)
            tell_fde(&fde);
        before = is_found ? fde.start : 0;
        uint32_t rule = hf_unwind_rule_at(&callframes, addresses[i]).bits;
        if (rule != 0)
            fuzz_tell("  0x%llx: rule 0x%x\n", (unsigned long long)addresses[i], rule);
        check_copy(&callframes, addresses[i]);
    }
    hf_callframes_close(&callframes);
    fuzz_free_part(bytes);
    return 0;
}
