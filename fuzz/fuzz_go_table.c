/*
 * Go's .gopclntab: an ELF image, in which a sweep of addresses is looked for.
 */
#include "elf/go_table.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#define ADDRESSES 64

/* Text of the table lies in the image and ends there. */
static void check_go_text(struct hf_text text)
{
    if (text.size != 0 && text.data[text.size] != '\0')
        abort();
}

static void tell_calls(uint64_t address, const struct hf_go_call *calls, size_t count)
{
    fuzz_tell("0x%llx:", (unsigned long long)address);
    for (size_t i = 0; i < count; i++) {
        fuzz_tell(" ");
        fuzz_tell_text(calls[i].name);
        fuzz_tell(" (");
        fuzz_tell_text(calls[i].file);
        fuzz_tell(":%u)", calls[i].line);
    }
    fuzz_tell("\n");
}

static void look_up_calls(struct hf_go_table *table, const struct hf_elf_segment *segment)
{
    uint64_t addresses[ADDRESSES];
    struct hf_go_call calls[HF_GO_CALLS];
    struct hf_text before = {"", 0};
    size_t told = 0, count = fuzz_sweep(addresses, ADDRESSES, segment->address,
                         segment->memory_size / ADDRESSES + 1);
    for (size_t i = 0; i < count; i++) {
        size_t found = hf_go_table_find(table, addresses[i], calls);
        if (found > HF_GO_CALLS)
            abort();
        for (size_t at = 0; at < found; at++) {
            if (calls[at].name.size == 0)
                abort();
            check_go_text(calls[at].name);
            check_go_text(calls[at].file);
        }
        struct hf_text name = hf_go_table_function(table, addresses[i]);
        if (found != told || !hf_text_equal(name, before))
            tell_calls(addresses[i], calls, found);
        told = found;
        before = name;
        check_go_text(name);
        if (found != 0 && !hf_text_equal(name, calls[found - 1].name))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_elf elf;
    struct hf_go_table table;
    if (hf_elf_open(&elf, (struct hf_text){(const char *)data, size}, "input", &err) != HF_OK)
        return 0;
    if (hf_go_table_read(&table, &elf)) {
        for (size_t i = 0; i < elf.segment_count && i < 4; i++)
            look_up_calls(&table, &elf.segments[i]);
        fuzz_tell_error(hf_go_table_check(&table, &err), &err);
    }
    hf_elf_close(&elf);
    return 0;
}
