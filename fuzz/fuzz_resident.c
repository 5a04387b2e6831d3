/* smaps: each resident page is in one part. */
#include "fuzz.h"
#include "os/process/resident.h"
#include "tell.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input smaps;
    struct hf_resident resident;
    uint64_t sum = 0;
    hf_input_open_memory(&smaps, (struct hf_text){(const char *)data, size}, "input");
    if (hf_resident_read(&smaps, (struct hf_mapped_file){0xfe01, 7}, &resident, &err) == HF_OK) {
        for (size_t i = 0; i < HF_RESIDENT_PARTS; i++)
            sum += resident.parts[i];
        for (size_t i = 0; i < HF_RESIDENT_PARTS; i++)
            fuzz_tell("part %zu: %llu bytes\n", i, (unsigned long long)resident.parts[i]);
        if (sum != resident.total_bytes)
            abort();
    }
    hf_input_close(&smaps);
    return 0;
}
