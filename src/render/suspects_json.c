#include "render/suspects_json.h"

#include "base/escape.h"

static void put_text(struct hf_out *out, const char *before, struct hf_text text)
{
    hf_out_string(out, before);
    hf_escape_json(out, text);
    hf_out_char(out, '"');
}

void hf_suspect_json(const struct hf_suspect *suspect, size_t points, struct hf_out *out)
{
    put_text(out, "{\"name\": \"", suspect->name);
    hf_out_string(out, ", \"value\": ");
    hf_out_u64(out, suspect->value);
    hf_out_printf(out, ", \"percent\": %.1f", suspect->percent);
    put_text(out, ", \"sentence\": \"", suspect->sentence);
    put_text(out, ", \"suppression\": \"", suspect->suppression);
    for (size_t i = 0; suspect->points != NULL && i < points; i++) {
        hf_out_string(out, i == 0 ? ", \"points\": [" : ", ");
        hf_out_u64(out, suspect->points[i]);
        hf_out_string(out, i + 1 == points ? "]" : "");
    }
}
