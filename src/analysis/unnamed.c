#include "analysis/unnamed.h"

#include "base/checked.h"
#include "base/plural.h"
#include "base/strings/out.h"
#include "base/strings/units.h"
#include "profile/modules.h"

#include <stdlib.h>

/* What gets a line of its own; the others are counted. */
#define LINES_MAX 3
#define WORTH_A_LINE_PERCENT 1
#define FILES_NAMED 3 /* in the line of those that lack debug information */

struct share {
    uint64_t value;     /* of the stacks that pass an unnamed frame of the module */
    size_t last_sample; /* + 1: a stack counts once */
};

/* By module; the last one is of all that lack debug information together. */
struct unnamed_shares {
    struct share *items;
    bool *lacks_debug; /* by module */
    size_t modules, lacking;
    uint64_t all;
};

static bool is_unnamed(const struct hf_profile *profile, uint32_t id)
{
    const struct hf_frame *frame = hf_profile_frame_at(profile, id);
    return frame->module != HF_NO_MODULE &&
           ((frame->flags & (HF_FRAME_HAS_OFFSET | HF_FRAME_IS_MODULE)) != 0 ||
               frame->symbol != HF_NO_STRING) &&
           (frame->flags & HF_FRAME_NAMED) == 0 && !hf_profile_is_expanded(profile, id);
}

static void unnamed_count(struct share *share, size_t sample, uint64_t value)
{
    bool ignored = false;
    if (share->last_sample == sample + 1)
        return;
    share->last_sample = sample + 1;
    share->value = hf_add_saturating(share->value, value, &ignored);
}

static void unnamed_measure_stack(const struct hf_profile *profile,
    const struct unnamed_shares *shares, size_t sample, uint64_t value)
{
    for (uint32_t node = profile->samples[sample].node; node != HF_STACK_ROOT;
         node = profile->stacks.nodes[node].parent) {
        uint32_t frame = profile->stacks.nodes[node].frame;
        if (!is_unnamed(profile, frame))
            continue;
        uint32_t module = hf_profile_frame_at(profile, frame)->module;
        unnamed_count(&shares->items[module], sample, value);
        if (shares->lacks_debug[module])
            unnamed_count(&shares->items[shares->modules], sample, value);
    }
}

static void unnamed_measure(
    const struct hf_profile *profile, size_t type, struct unnamed_shares *shares)
{
    bool ignored = false;
    for (size_t i = 0; i < profile->sample_count; i++) {
        uint64_t value = hf_add_saturating(
            hf_profile_value(profile, i, type), hf_profile_released(profile, i, type), &ignored);
        if (profile->samples[i].thread != HF_THREAD_ALL)
            continue;
        shares->all = hf_add_saturating(shares->all, value, &ignored);
        if (value != 0)
            unnamed_measure_stack(profile, shares, i, value);
    }
}

static struct hf_text unnamed_why(const struct hf_profile *profile, size_t module)
{
    return hf_profile_text(profile, profile->modules[module].why_unnamed);
}

static struct hf_text unnamed_path(const struct hf_profile *profile, size_t module)
{
    return hf_profile_text(profile, profile->modules[module].path);
}

static const char *unnamed_amount(
    const struct hf_profile *profile, size_t type, uint64_t value, char out_text[HF_UNITS_MAX])
{
    bool is_bytes = hf_text_is(hf_profile_text(profile, profile->types[type].unit), "bytes");
    return is_bytes ? hf_units_bytes(value, out_text) : hf_units_grouped(value, out_text);
}

/* The module of those with `lacks_debug` that has the largest share; 0: none has any. */
static size_t unnamed_largest(
    const struct hf_profile *profile, const struct unnamed_shares *shares, bool lacks_debug)
{
    size_t largest = 0;
    for (size_t m = 1; m < shares->modules; m++) {
        if (shares->lacks_debug[m] == lacks_debug && unnamed_why(profile, m).size != 0 &&
            shares->items[m].value > (largest != 0 ? shares->items[largest].value : 0))
            largest = m;
    }
    return largest;
}

static void note_module(
    struct hf_profile *profile, size_t type, const struct unnamed_shares *shares, size_t module)
{
    char amount[HF_UNITS_MAX];
    uint64_t value = shares->items[module].value;
    hf_notes_add(&profile->notes, HF_NOTE_INFO,
        "%s (%.1f %%) of the total passes through addresses of %s without a name: %s",
        unnamed_amount(profile, type, value, amount), hf_units_percent(value, shares->all),
        unnamed_path(profile, module).data, unnamed_why(profile, module).data);
}

/* What a server of debug files said of a module. */
static struct hf_text unnamed_server_words(const struct hf_profile *profile, size_t module)
{
    struct hf_text why = unnamed_why(profile, module);
    while (why.size != 0 && !hf_text_take(&why, HF_WHY_INSTALL))
        why = hf_text_from(why, 1);
    return why;
}

/* "libpython3.so, gdb and 12 more files" */
static void note_lacking(struct hf_profile *profile, size_t type, struct unnamed_shares *shares)
{
    char amount[HF_UNITS_MAX];
    struct hf_out files = {0};
    size_t first = unnamed_largest(profile, shares, true);
    size_t shown = shares->lacking > FILES_NAMED ? FILES_NAMED : shares->lacking;
    uint64_t value = shares->items[shares->modules].value;
    for (size_t i = 0; i < shown; i++) {
        size_t module = unnamed_largest(profile, shares, true);
        bool is_last = i + 1 == shares->lacking;
        hf_out_string(&files, i == 0 ? "" : is_last ? " and " : ", ");
        hf_out_text(&files, hf_text_basename(unnamed_path(profile, module)));
        shares->items[module].value = 0;
    }
    if (shown < shares->lacking)
        hf_out_printf(&files, " and %zu more %s", shares->lacking - shown,
            hf_plural(shares->lacking - shown, "file", "files"));
    hf_notes_add(&profile->notes, HF_NOTE_INFO,
        "%s (%.1f %%) of the total passes through addresses without a name, because %.*s have no "
        "debug information; install their " HF_WHY_INSTALL "%s",
        unnamed_amount(profile, type, value, amount), hf_units_percent(value, shares->all),
        (int)files.size, files.data, unnamed_server_words(profile, first).data);
    hf_out_done(&files);
}

/* How many files have a share. */
static size_t unnamed_count_files(const struct hf_profile *profile, struct unnamed_shares *shares)
{
    size_t others = 0;
    for (size_t m = 1; m < shares->modules; m++) {
        bool has_share = shares->items[m].value != 0 && unnamed_why(profile, m).size != 0;
        shares->lacking += has_share && shares->lacks_debug[m];
        others += has_share && !shares->lacks_debug[m];
    }
    return others;
}

/* Says it of the largest; false: what is left is not worth a line. */
static bool note_largest(
    struct hf_profile *profile, size_t type, struct unnamed_shares *shares, size_t *others)
{
    size_t module = unnamed_largest(profile, shares, false);
    uint64_t value = module != 0 ? shares->items[module].value : 0;
    uint64_t lacking = shares->lacking != 0 ? shares->items[shares->modules].value : 0;
    bool is_lacking = lacking != 0 && lacking >= value;
    if (is_lacking)
        value = lacking;
    if (value == 0 || hf_units_percent(value, shares->all) < WORTH_A_LINE_PERCENT)
        return false;
    if (is_lacking && shares->lacking > 1)
        note_lacking(profile, type, shares);
    else
        note_module(
            profile, type, shares, is_lacking ? unnamed_largest(profile, shares, true) : module);
    if (is_lacking)
        shares->lacking = 0;
    else
        shares->items[module].value = 0, --*others;
    return true;
}

static void unnamed_tell(struct hf_profile *profile, size_t type, struct unnamed_shares *shares)
{
    for (size_t m = 1; m < shares->modules; m++)
        shares->lacks_debug[m] = hf_text_starts(unnamed_why(profile, m), HF_WHY_NO_DEBUG);
    unnamed_measure(profile, type, shares);
    size_t others = unnamed_count_files(profile, shares), lines = 0;
    while (lines < LINES_MAX && note_largest(profile, type, shares, &others))
        lines++;
    others += shares->lacking;
    if (others != 0 && lines != 0)
        hf_notes_add(&profile->notes, HF_NOTE_INFO,
            "%zu more %s addresses without a name; each accounts for less than those above", others,
            hf_plural(others, "file has", "files have"));
}

void hf_note_unnamed(struct hf_profile *profile, size_t type)
{
    if (profile->module_count == 1)
        return; /* "none": every frame came with its name */
    struct unnamed_shares shares = {
        .items = calloc(profile->module_count + 1, sizeof *shares.items),
        .lacks_debug = calloc(profile->module_count, sizeof *shares.lacks_debug),
        .modules = profile->module_count,
    };
    if (shares.items != NULL && shares.lacks_debug != NULL)
        unnamed_tell(profile, type, &shares); /* else a note less */
    free(shares.items);
    free(shares.lacks_debug);
}
