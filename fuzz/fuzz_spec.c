/* Probe specs: what is read can be evaluated. */
#include "fuzz.h"
#include "spec/spec.h"

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
    if (hf_specs_parse(&specs, (struct hf_text){(const char *)data, size}, "fuzz", &err) == HF_OK) {
        for (size_t i = 0; i < specs.count; i++) {
            for (size_t j = 0; j < specs.items[i].entry_count; j++) {
                const struct hf_spec_entry *entry = &specs.items[i].entries[j];
                for (size_t key = 0; key < HF_SPEC_KEYS; key++)
                    (void)!hf_spec_evaluate(&entry->values[key], &call, &number);
                (void)hf_spec_succeeded(entry, &call);
                (void)hf_spec_entry_arguments(entry);
                (void)hf_spec_entry_returns(entry);
                if (!hf_spec_entries_agree(entry, entry))
                    abort();
            }
        }
    }
    hf_specs_done(&specs);
    return 0;
}
