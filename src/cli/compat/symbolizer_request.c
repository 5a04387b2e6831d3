#include "cli/compat/symbolizer_request.h"

#include "base/strings/num.h"

#include <string.h>

#define BLANKS " \n\r"

bool hf_symbolizer_number(struct hf_text text, uint64_t *out_value)
{
    unsigned bits = 0;
    if (hf_text_take(&text, "0x") || hf_text_take(&text, "0X"))
        return hf_num_hex(text, out_value);
    if (hf_text_take(&text, "0b") || hf_text_take(&text, "0B"))
        bits = 1;
    else if (hf_text_take(&text, "0o") || (text.size > 1 && hf_text_take(&text, "0")))
        bits = 3;
    else
        return hf_num_u64(text, out_value);
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)(text.data[i] - '0');
        if (digit >> bits != 0 || value >> (64 - bits) != 0)
            return false;
        value = value << bits | digit;
    }
    *out_value = value;
    return text.size != 0;
}

/* The file that a request names, taken off it. False: a quote is not closed. */
static bool symbolizer_take_module(struct hf_text *request, struct hf_text *out_module)
{
    *request = hf_text_trim_start(*request, BLANKS);
    char quote = request->size != 0 ? request->data[0] : 0;
    if (quote == '"' || quote == '\'') {
        struct hf_text rest = hf_text_from(*request, 1);
        size_t end = hf_text_find(rest, quote);
        *out_module = hf_text_first(rest, end);
        *request = hf_text_from(rest, end + 1);
        return end != rest.size;
    }
    size_t end = 0;
    while (end < request->size && strchr(BLANKS, request->data[end]) == NULL)
        end++;
    *out_module = hf_text_first(*request, end);
    *request = hf_text_from(*request, end);
    return true;
}

bool hf_symbolizer_read(struct hf_text text, const char *module, struct hf_symbolizer_request *out)
{
    *out = (struct hf_symbolizer_request){.kind = HF_SYMBOLIZER_CODE, .module = HF_TEXT("")};
    if (hf_text_take(&text, "DATA "))
        out->kind = HF_SYMBOLIZER_DATA;
    else if (hf_text_take(&text, "FRAME "))
        out->kind = HF_SYMBOLIZER_FRAME;
    else
        (void)hf_text_take(&text, "CODE ");
    if (module != NULL)
        out->module = hf_text_of(module);
    else if (!symbolizer_take_module(&text, &out->module))
        return false;
    text = hf_text_trim_start(text, BLANKS);
    size_t end = 0;
    while (end < text.size && strchr(BLANKS, text.data[end]) == NULL)
        end++;
    return hf_symbolizer_number(hf_text_first(text, end), &out->address);
}
