#include "base/strings/json.h"

#include "base/strings/escape.h"

#include <math.h>

void hf_json_string(struct hf_out *out, const char *before, struct hf_text text)
{
    hf_out_string(out, before);
    hf_out_char(out, '"');
    hf_escape_json(out, text);
    hf_out_char(out, '"');
}

void hf_json_member(struct hf_out *out, const char *before, const char *name, struct hf_text text)
{
    hf_out_printf(out, "%s\"%s\"", before, name);
    hf_json_string(out, ": ", text);
}

void hf_json_number(struct hf_out *out, const char *before, double number)
{
    hf_out_string(out, before);
    if (isfinite(number))
        hf_out_printf(out, "%.12g", number);
    else
        hf_out_string(out, "null");
}
