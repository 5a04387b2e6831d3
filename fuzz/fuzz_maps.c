/* Lines of /proc/PID/maps, and the addresses around each mapping. */
#include "base/cursor.h"
#include "formats/heap/maps.h"
#include "fuzz.h"
#include "reader.h"

#include <stdlib.h>

static void look_around(struct hf_maps *maps)
{
    for (size_t i = 0; i < maps->count; i++) {
        uint64_t start = maps->items[i].start, end = maps->items[i].end;
        struct hf_frame frame = hf_maps_frame(maps, end - 1);
        fuzz_tell("0x%llx to 0x%llx is module %u+0x%llx\n", (unsigned long long)start,
            (unsigned long long)end, frame.module, (unsigned long long)frame.offset);
        if (start < end && frame.module == HF_NO_MODULE && maps->count == 1)
            abort();
        fuzz_tell("before it module %u, after it %u\n", hf_maps_frame(maps, start - 1).module,
            hf_maps_frame(maps, end).module);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_maps maps = {0};
    if (hf_profile_new(&profile, &err) != HF_OK)
        abort();
    struct hf_text rest = {(const char *)data, size};
    while (rest.size != 0) {
        struct hf_text line = hf_text_first(rest, hf_text_find(rest, '\n'));
        rest = hf_text_from(rest, line.size + 1);
        bool is_mapping;
        enum hf_status status = hf_maps_line(&maps, profile, line, &is_mapping, &err);
        fuzz_tell_error(status, &err);
        if (status != HF_OK)
            break;
        fuzz_tell_named(is_mapping ? "mapping" : "something else", line);
    }
    look_around(&maps);
    fuzz_tell_modules(profile);
    hf_maps_done(&maps);
    hf_profile_free(profile);
    return 0;
}
