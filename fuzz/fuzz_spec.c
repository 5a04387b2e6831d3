/* Probe specs: what is read can be evaluated. */
#include "fuzz.h"
#include "spec/spec.h"
#include "tell.h"

#include <stdlib.h>

static bool load(void *context, uint64_t address, uint64_t *out_word)
{
    (void)context;
    *out_word = ~address;
    return address % 3 != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_specs specs;
    struct hf_error err;
    struct hf_spec_call call = {.result = 1, .load = load};
    uint64_t number;
    enum hf_status status =
        hf_specs_parse(&specs, (struct hf_text){(const char *)data, size}, "fuzz", &err);
    fuzz_tell_error(status, &err);
    if (status == HF_OK) {
        for (size_t i = 0; i < specs.count; i++) {
            for (size_t j = 0; j < specs.items[i].entry_count; j++) {
                const struct hf_spec_entry *entry = &specs.items[i].entries[j];
                fuzz_tell("%s%s, line %u, arguments 0x%x%s%s:", hf_role_name(entry->role),
                    entry->is_optional ? ", optional" : "", entry->line,
                    hf_spec_entry_arguments(entry), hf_spec_entry_returns(entry) ? ", returns" : "",
                    hf_spec_succeeded(entry, &call) ? ", succeeded" : "");
                for (size_t key = 0; key < HF_SPEC_KEYS; key++) {
                    number = 0;
                    bool is_known = hf_spec_evaluate(&entry->values[key], &call, &number);
                    fuzz_tell(is_known ? " %llx" : " -", (unsigned long long)number);
                }
                fuzz_tell(" ");
                fuzz_tell_named("symbol", entry->locator.symbol);
                if (!hf_spec_entries_agree(entry, entry))
                    abort();
            }
        }
    }
    hf_specs_done(&specs);
    return 0;
}
