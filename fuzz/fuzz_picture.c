/*
 * Folded stacks as an SVG and as a page: neither holds a control byte or a script but its own. The
 * first byte chooses options, the first line is the text of others.
 */
#include "formats/folded.h"
#include "fuzz.h"
#include "reader.h"
#include "render/embedded.h"
#include "render/flame.h"
#include "render/page.h"

#include <string.h>

static size_t scripts_in(struct hf_text text)
{
    static const char tag[] = "<script";
    size_t count = 0;
    for (const char *at = text.data; at != NULL; count++) {
        at = memmem(at, text.size - (size_t)(at - text.data), tag, strlen(tag));
        if (at == NULL)
            break;
        at++;
    }
    return count;
}

/* Checks what was written, and forgets it. */
static void check(struct hf_out *out, size_t scripts)
{
    struct hf_text text = hf_out_view(out);
    if (out->error.status != HF_OK || scripts_in(text) != scripts)
        abort();
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < 0x20 && text.data[i] != '\n')
            abort();
    }
    hf_out_done(out);
}

static void draw(const struct hf_profile *profile, unsigned choice, const char *words)
{
    static const char *const colors[] = {"hot", "chain", "java", "mem"};
    struct hf_error err;
    struct hf_out svg = {0}, html = {0};
    struct hf_flame_options options;
    hf_flame_options_init(&options);
    options.title = options.subtitle = options.notes = options.name_type = words;
    options.colors = colors[choice & 3];
    options.count_name = (choice & 4) != 0 ? words : NULL;
    options.is_inverted = (choice & 8) != 0;
    options.is_reversed = (choice & 16) != 0;
    options.colors_at_random = (choice & 32) != 0;
    options.box_width_px = (choice & 64) != 0 ? 0 : 300;
    options.min_width = (choice & 128) != 0 ? 0 : 1;
    options.base_type = profile->type_count == 2 ? 0 : HF_FLAME_NO_BASE;
    if (hf_flame_svg(profile, &options, &svg, &err) != HF_OK)
        abort();
    check(&svg, 1);
    const struct hf_page_options page = {
        .title = words, .subtitle = words, .colors = options.colors, .view = "flame"};
    if (hf_page_html(profile, &page, &html, &err) != HF_OK)
        abort();
    check(&html, scripts_in((struct hf_text){hf_viewer, hf_viewer_size}));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char words[64] = "";
    if (size == 0)
        return 0;
    struct hf_text rest = {(const char *)data + 1, size - 1};
    size_t line = hf_text_find(rest, '\n');
    memcpy(words, rest.data, line < sizeof words - 1 ? line : sizeof words - 1);
    struct hf_profile *profile = fuzz_read(&hf_format_folded, false,
        (const uint8_t *)hf_text_from(rest, line + 1).data, hf_text_from(rest, line + 1).size);
    if (profile != NULL)
        draw(profile, data[0], words);
    hf_profile_free(profile);
    return 0;
}
