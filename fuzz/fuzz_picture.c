/*
 * Folded stacks as an SVG and as a page: neither holds a control byte or a script but its own. The
 * first three bytes choose options, the rest of the first line is the text of others.
 *
 * The script and the viewer that go into each are small ones of this target's own: the real ones,
 * which no input changes, would be nine tenths of what is written and looked through.
 */
#include "analysis/owner.h"
#include "formats/folded/folded.h"
#include "fuzz.h"
#include "reader.h"
#include "render/embedded.h"
#include "render/flame/flame.h"
#include "render/flame/name_attributes.h"
#include "render/flame/palette_map.h"
#include "render/page/page.h"

#include <string.h>

#define VIEWER "<title>@TITLE@</title><script>@HEAD@</script><script>@DATA@</script>\n"
#define VIEWER_SCRIPTS 2
#define SVG_SCRIPT "/* none */\n"

/* Instead of those of render/, whose objects are not linked then. */
const char hf_viewer[] = VIEWER;
const size_t hf_viewer_size = sizeof VIEWER - 1;
const char hf_svg_script[] = SVG_SCRIPT;
const size_t hf_svg_script_size = sizeof SVG_SCRIPT - 1;

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

/* Bits of the second byte and of the third. */
enum {
    IS_CHART = 1,
    IS_NEGATED = 2,
    IS_OF_MORE = 4,
    IS_SCALED = 8,
    IS_IN_PERCENT = 16,
    HAS_TOTALS = 32,
    IS_NARROW = 64,
    IS_LOW = 128
};
enum {
    HAS_COLUMNS = 1,
    BY_HASH = 2,
    HAS_ATTRIBUTES = 4,
    HAS_MAP = 8,
    HAS_SOURCES = 16,
    HAS_BACKGROUND = 32,
    IS_FLAWED = 64,
    HAS_ITS_OWN_TITLE = 128
};

/* What difference it makes how the input was read is in `data`, too. */
static struct hf_profile *read_stacks(const uint8_t *data, struct hf_text text)
{
    const struct hf_folded_how how = {
        .is_chart = (data[1] & IS_CHART) != 0, .is_reversed = (data[0] & 16) != 0};
    if ((data[1] & IS_CHART) == 0 && (data[2] & HAS_COLUMNS) == 0)
        return fuzz_read(&hf_format_folded, false, (const uint8_t *)text.data, text.size);
    return fuzz_read_folded(text, &how);
}

static void choose_more(struct hf_flame_options *options, const uint8_t *data, const char *words)
{
    static const char *const backgrounds[] = {"blue", "#123456"};
    options->is_chart = (data[1] & IS_CHART) != 0;
    options->is_negated = (data[1] & IS_NEGATED) != 0;
    options->total = (data[1] & IS_OF_MORE) != 0 ? 1000000 : 0;
    options->factor = (data[1] & IS_SCALED) != 0 ? 0.001 : 1;
    options->min_width_is_percent = (data[1] & IS_IN_PERCENT) != 0;
    options->has_totals = (data[1] & HAS_TOTALS) != 0;
    options->base_total = data[1];
    options->current_total = data[2];
    if ((data[1] & IS_NARROW) != 0)
        options->width_px = 100;
    if ((data[1] & IS_LOW) != 0)
        options->frame_height_px = 4;
    options->colors_by_hash = (data[2] & BY_HASH) != 0;
    options->folds_rows = options->shows_numbers = ((data[0] ^ data[2]) & 3) == 1;
    options->colors_by_group = ((data[0] ^ data[1]) & 1) != 0;
    if ((data[2] & HAS_BACKGROUND) != 0)
        options->bgcolors = backgrounds[data[0] & 1];
    if ((data[2] & HAS_ITS_OWN_TITLE) != 0)
        options->title = options->subtitle = NULL;
    if ((data[2] & IS_FLAWED) != 0)
        options->font_type = words;
}

/* Learned of the stacks, if the bits for it are set; nothing is written then of what is reversed.
 */
static struct hf_owners *learn_owners(
    struct hf_owners *owners, const struct hf_profile *profile, const uint8_t *data)
{
    struct hf_error err;
    *owners = (struct hf_owners){0};
    if ((data[2] & HAS_SOURCES) == 0 || (data[0] & 16) != 0)
        return NULL;
    if (hf_owners_init(owners, NULL, "^(read|alloc)", NULL, &err) != HF_OK ||
        hf_owners_learn(owners, profile, profile, HF_BY_FUNCTION, &err) != HF_OK)
        abort();
    return owners;
}

/* Line by line. */
static void fuzz_tell_picture(struct hf_text text)
{
    while (fuzz_is_told() && text.size != 0) {
        struct hf_text line = hf_text_first(text, hf_text_find(text, '\n'));
        fuzz_tell_long("|", line);
        text = hf_text_from(text, line.size + 1);
    }
}

static void draw(const struct hf_profile *profile, const uint8_t *data, const char *words)
{
    struct hf_owners owners;
    unsigned choice = data[0];
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
    choose_more(&options, data, words);
    struct hf_name_attributes attributes = {0};
    struct hf_palette_map map = {0};
    if ((data[2] & HAS_ATTRIBUTES) != 0 &&
        hf_name_attributes_read(
            &attributes, hf_text_of("main\thref=#a\ttitle=b\nread\tid=c\n"), &err) == HF_OK)
        options.attributes = &attributes;
    options.owners = learn_owners(&owners, profile, data);
    options.palette_map = (data[2] & HAS_MAP) != 0 ? &map : NULL;
    if (hf_flame_svg(profile, &options, &svg, &err) == HF_OK) {
        fuzz_tell_picture(hf_out_view(&svg));
        check(&svg, profile->sample_count != 0 || scripts_in(hf_out_view(&svg)) != 0);
    } else {
        if (err.status != HF_ERR_USAGE || (data[2] & IS_FLAWED) == 0)
            abort();
        hf_flame_put_error(&options, &svg);
        fuzz_tell_picture(hf_out_view(&svg));
        check(&svg, 0);
    }
    hf_name_attributes_done(&attributes);
    hf_palette_map_done(&map);
    const struct hf_page_options page = {.title = options.title,
        .subtitle = options.subtitle,
        .colors = options.colors,
        .view = "flame",
        .sources = &words,
        .source_count = (data[2] & HAS_SOURCES) != 0,
        .owners = options.owners,
        .has_totals = options.has_totals,
        .base_total = data[1],
        .current_total = data[2]};
    if (hf_page_html(profile, &page, &html, &err) != HF_OK)
        abort();
    fuzz_tell_picture(hf_out_view(&html));
    check(&html, VIEWER_SCRIPTS);
    hf_owners_done(&owners);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char words[64] = "";
    if (size < 3)
        return 0;
    struct hf_text rest = {(const char *)data + 3, size - 3};
    size_t line = hf_text_find(rest, '\n');
    memcpy(words, rest.data, line < sizeof words - 1 ? line : sizeof words - 1);
    struct hf_profile *profile = read_stacks(data, hf_text_from(rest, line + 1));
    if (profile != NULL)
        draw(profile, data, words);
    hf_profile_free(profile);
    return 0;
}
