/*
 * flame_driver.c: hf_flame_svg for the browser test: folded stacks on standard input, SVG on
 * standard output.
 *
 * Each option is the name of a field: title=T subtitle=T notes=T colors=C bgcolors=C count_name=N
 * name_type=N font_type=F min_width=PX width_px=N base_total=N current_total=N, and the switches
 * inverted, reversed, negated, by_hash.
 */
#include "base/num.h"
#include "formats/format.h"
#include "render/flame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool set_text(struct hf_flame_options *options, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **field;
    } texts[] = {{"title", &options->title}, {"subtitle", &options->subtitle},
        {"notes", &options->notes}, {"colors", &options->colors}, {"bgcolors", &options->bgcolors},
        {"count_name", &options->count_name}, {"name_type", &options->name_type},
        {"font_type", &options->font_type}};
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        if (strcmp(texts[i].name, name) == 0) {
            *texts[i].field = value;
            return true;
        }
    }
    return false;
}

static bool set_number(struct hf_flame_options *options, const char *name, const char *value)
{
    double number;
    if (!hf_num_real(hf_text_of(value), &number))
        return false;
    if (strcmp(name, "min_width") == 0)
        options->min_width = number;
    else if (strcmp(name, "width_px") == 0)
        options->width_px = (unsigned)number;
    else if (strcmp(name, "base_total") == 0)
        options->base_total = (uint64_t)number;
    else if (strcmp(name, "current_total") == 0)
        options->current_total = (uint64_t)number;
    else
        return false;
    options->has_totals = options->base_total != 0 || options->current_total != 0;
    return true;
}

static bool set_option(struct hf_flame_options *options, char *argument)
{
    char *value = strchr(argument, '=');
    if (value != NULL) {
        *value++ = '\0';
        return set_text(options, argument, value) || set_number(options, argument, value);
    }
    options->is_inverted |= strcmp(argument, "inverted") == 0;
    options->is_reversed |= strcmp(argument, "reversed") == 0;
    options->is_negated |= strcmp(argument, "negated") == 0;
    options->colors_by_hash |= strcmp(argument, "by_hash") == 0;
    return true;
}

static enum hf_status to_stdout(void *context, const char *data, size_t size, struct hf_error *err)
{
    (void)context;
    if (fwrite(data, 1, size, stdout) != size)
        return hf_error_set(err, HF_ERR_SYSTEM, "standard output is closed");
    return HF_OK;
}

int main(int argc, char **argv)
{
    struct hf_flame_options options;
    struct hf_input input;
    struct hf_profile *profile = NULL;
    struct hf_error err = {0};
    struct hf_out out = {.flush = to_stdout};
    hf_flame_options_init(&options);
    for (int i = 1; i < argc; i++) {
        if (!set_option(&options, argv[i])) {
            fprintf(stderr, "flame_driver: what is '%s'?\n", argv[i]);
            return 2;
        }
    }
    enum hf_status status = hf_input_open(&input, "-", &err);
    if (status == HF_OK)
        status = hf_format_read(&input, &profile, &err);
    if (status == HF_OK)
        status = hf_flame_svg(profile, &options, &out, &err);
    if (status == HF_OK)
        status = hf_out_finish(&out, &err);
    if (status != HF_OK)
        fprintf(stderr, "flame_driver: %s\n", err.text);
    hf_out_done(&out);
    hf_profile_free(profile);
    hf_input_close(&input);
    return status == HF_OK ? 0 : 1;
}
