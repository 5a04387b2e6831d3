/* Attributes by name: nothing that runs comes out, whatever goes in. */
#include "fuzz.h"
#include "render/flame/name_attributes.h"
#include "tell.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Outside of quotes no attribute is a handler; no link runs. */
static void check(struct hf_text text)
{
    bool is_quoted = false;
    for (size_t i = 0; i + 3 < text.size; i++) {
        is_quoted = is_quoted != (text.data[i] == '"');
        if (!is_quoted && text.data[i] == ' ' && strncasecmp(text.data + i + 1, "on", 2) == 0)
            abort();
    }
    if (text.size != 0 && memmem(text.data, text.size, "xlink:href=\"javascript:", 23) != NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_name_attributes attributes = {0};
    struct hf_out out = {0};
    if (hf_name_attributes_read(&attributes, (struct hf_text){(const char *)data, size}, &err) !=
        HF_OK)
        abort();
    for (size_t i = 0; i < attributes.count; i++) {
        const struct hf_name_line *line =
            hf_name_attributes_find(&attributes, attributes.lines[i].name);
        if (line == NULL)
            abort();
        hf_name_attributes_put(line, &out);
        (void)hf_name_attributes_put_link(line, &out);
    }
    fuzz_tell_long("attributes", hf_out_view(&out));
    check(hf_out_view(&out));
    hf_out_done(&out);
    hf_name_attributes_done(&attributes);
    return 0;
}
