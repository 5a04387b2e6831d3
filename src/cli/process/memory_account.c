#include "cli/process/memory_account.h"

#include "base/strings/out.h"
#include "base/strings/units.h"
#include "cli/say.h"

static const char *const names[HF_RESIDENT_PARTS] = {
    [HF_RESIDENT_MAPPED] = "mapped",
    [HF_RESIDENT_HEAP] = "heap",
    [HF_RESIDENT_DATA] = "data",
    [HF_RESIDENT_STACK] = "stack",
    [HF_RESIDENT_FILES] = "files",
    [HF_RESIDENT_TABLE] = "live table",
};

void hf_memory_account_say(const struct hf_watcher *watcher)
{
    const struct hf_resident *resident = &watcher->unexplained.resident;
    char bytes[HF_UNITS_MAX], in_use[HF_UNITS_MAX];
    struct hf_out parts = {0};
    if (resident->total_bytes == 0)
        return;
    for (size_t i = 0; i < HF_RESIDENT_PARTS; i++) {
        if (resident->parts[i] != 0)
            hf_out_printf(&parts, "%s%s %s", parts.size != 0 ? ", " : "", names[i],
                hf_units_bytes(resident->parts[i], bytes));
    }
    hf_say("resident %s, of which malloc has %s in use: %.*s",
        hf_units_bytes(resident->total_bytes, bytes),
        hf_units_bytes(watcher->unexplained.in_use_bytes, in_use), (int)parts.size, parts.data);
    hf_out_done(&parts);
}
