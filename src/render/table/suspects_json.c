#include "render/table/suspects_json.h"

#include "base/strings/json.h"

void hf_suspect_json(const struct hf_suspect *suspect, size_t points, struct hf_out *out)
{
    hf_json_member(out, "{", "name", suspect->name);
    if (suspect->via.size != 0)
        hf_json_member(out, ", ", "via", suspect->via);
    hf_out_string(out, ", \"value\": ");
    hf_out_u64(out, suspect->value);
    hf_out_printf(out, ", \"percent\": %.1f", suspect->percent);
    hf_json_member(out, ", ", "sentence", suspect->sentence);
    hf_json_member(out, ", ", "suppression", suspect->suppression);
    for (size_t i = 0; suspect->points != NULL && i < points; i++) {
        hf_out_string(out, i == 0 ? ", \"points\": [" : ", ");
        hf_out_u64(out, suspect->points[i]);
        hf_out_string(out, i + 1 == points ? "]" : "");
    }
}
