#include "render/table/used_suppressions.h"

#include "base/strings/escape.h"

#include <inttypes.h>

void hf_used_suppressions_text(const struct hf_suppressions *suppressions, struct hf_out *out)
{
    for (size_t i = 0; i < suppressions->count; i++) {
        const struct hf_suppression *used = &suppressions->items[i];
        if (used->hits == 0)
            continue;
        hf_out_printf(out, "suppressed %" PRIu64 ": leak:", used->hits);
        hf_escape_terminal(out, hf_text_of(used->pattern));
        hf_out_char(out, '\n');
    }
}

void hf_used_suppressions_json(const struct hf_suppressions *suppressions, struct hf_out *out)
{
    hf_out_string(out, "\"suppressions\": [");
    for (size_t i = 0; i < suppressions->count; i++) {
        const struct hf_suppression *item = &suppressions->items[i];
        hf_out_printf(out, "%s\n    {\"pattern\": \"", i == 0 ? "" : ",");
        hf_escape_json(out, hf_text_of(item->pattern));
        hf_out_printf(out, "\", \"hits\": %" PRIu64 "}", item->hits);
    }
    hf_out_char(out, ']');
}
