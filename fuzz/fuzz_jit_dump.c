/* Jitdump files: each answer is a name of the file, which ends there, and what has one keeps it. */
#include "fuzz.h"
#include "perf_queries.h"
#include "symbol/lookup/jit_dump.h"
#include "tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_perf_queries queries;
    struct hf_text bytes = fuzz_take_perf_queries(&queries, data, size);
    queries.items[0].name = HF_TEXT("known");
    hf_jit_dump_find(bytes, queries.items, queries.count);
    if (!hf_text_is(queries.items[0].name, "known"))
        abort();
    for (size_t i = 1; i < queries.count; i++) {
        struct hf_text name = queries.items[i].name;
        bool is_inside = name.data >= bytes.data && name.data + name.size < bytes.data + bytes.size;
        if (name.size != 0)
            fuzz_tell_named("name", name);
        if (name.size != 0 && (!is_inside || name.data[name.size] != '\0'))
            abort();
    }
    fuzz_free_part(bytes);
    return 0;
}
