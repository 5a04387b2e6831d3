/* smaps: each place has some addresses, and no more that was changed than is resident. */
#include "fuzz.h"
#include "os/process/resident.h"
#include "tell.h"

#include <stdlib.h>

static enum hf_status fuzz_see_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    (void)context;
    (void)err;
    if (place->start >= place->end || place->resident_bytes == 0 ||
        place->anonymous_bytes > place->resident_bytes)
        abort();
    fuzz_tell("%#llx-%#llx: kind %d, %llu of %llu bytes\n", (unsigned long long)place->start,
        (unsigned long long)place->end, (int)place->kind,
        (unsigned long long)place->anonymous_bytes, (unsigned long long)place->resident_bytes);
    return HF_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_input smaps;
    hf_input_open_memory(&smaps, (struct hf_text){(const char *)data, size}, "input");
    (void)!hf_resident_read(&smaps, fuzz_see_place, NULL, &err);
    hf_input_close(&smaps);
    return 0;
}
