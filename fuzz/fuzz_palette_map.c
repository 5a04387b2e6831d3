/* Colours by name: what is read is written, and read again, as the same. */
#include "fuzz.h"
#include "render/flame/palette_map.h"
#include "tell.h"

#include <stdlib.h>

static void write_map(struct hf_palette_map *map, struct hf_text text, struct hf_out *out)
{
    struct hf_error err;
    if (hf_palette_map_read(map, text, &err) != HF_OK ||
        hf_palette_map_write(map, out, &err) != HF_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_palette_map first = {0}, second = {0};
    struct hf_out once = {0}, twice = {0};
    write_map(&first, (struct hf_text){(const char *)data, size}, &once);
    write_map(&second, hf_out_view(&once), &twice);
    struct hf_error err;
    struct hf_color color, again;
    struct hf_text name = hf_text_first((struct hf_text){(const char *)data, size}, 8);
    if (hf_palette_map_color(&first, name, (struct hf_color){1, 2, 3}, &color, &err) != HF_OK ||
        hf_palette_map_color(&first, name, (struct hf_color){3, 2, 1}, &again, &err) != HF_OK ||
        color.red != again.red || color.green != again.green || color.blue != again.blue)
        abort();
    fuzz_tell_long("written", hf_out_view(&once));
    fuzz_tell("color %d %d %d\n", color.red, color.green, color.blue);
    if (!hf_text_equal(hf_out_view(&once), hf_out_view(&twice)))
        abort();
    hf_palette_map_done(&first);
    hf_palette_map_done(&second);
    hf_out_done(&once);
    hf_out_done(&twice);
    return 0;
}
