#include "symbol/names/naming.h"

#include "base/containers/vec.h"
#include "base/limits.h"
#include "symbol/names/demangle.h"
#include "symbol/names/shortname.h"

#include <stdlib.h>
#include <string.h>

void hf_naming_done(struct hf_naming *naming)
{
    hf_intern_done(&naming->mangled);
    free(naming->readable);
    hf_out_done(&naming->joined);
    hf_map_done(&naming->shortened);
    *naming = (struct hf_naming){0};
}

/* Remembers the language of a name that stayed as it is. */
static void note_foreign(struct hf_naming *n, struct hf_text name)
{
    const char *language = hf_foreign_language(name);
    for (size_t i = 0; i < HF_COUNT(n->foreign) && language != NULL; i++) {
        if (n->foreign[i] == NULL)
            n->foreign[i] = language;
        if (n->foreign[i] == language)
            return;
    }
}

/* The profile's string for a name as the image has it; each is demangled once. */
static enum hf_status readable_name(
    struct hf_naming *n, struct hf_text name, uint32_t *out_string, struct hf_error *err)
{
    uint32_t known_before = n->mangled.count, id;
    if (name.size > HF_LIMIT_STRING_BYTES) /* not to be kept, not even mangled */
        return hf_profile_string(n->profile, name, out_string, err);
    if (!hf_intern_put(&n->mangled, name.data, name.size, &id) ||
        !hf_vec_reserve(&n->readable, &n->readable_capacity, (size_t)id + 1, sizeof *n->readable))
        return hf_error_memory(err);
    if (id < known_before) {
        *out_string = n->readable[id];
        return HF_OK;
    }
    struct hf_out text = {0};
    hf_demangle(name, n->is_full, &text);
    enum hf_status status = hf_out_finish(&text, err);
    if (hf_text_equal(hf_out_view(&text), name))
        note_foreign(n, name);
    if (status == HF_OK)
        status = hf_profile_string(n->profile, hf_out_view(&text), &n->readable[id], err);
    if (status == HF_OK)
        *out_string = n->readable[id];
    hf_out_done(&text);
    return status;
}

static const char *why_mangled(const char *language)
{
    if (strcmp(language, "D") == 0)
        return "heapflame demangles them only without --no-sandbox, and not if they are too long "
               "or "
               "too costly";
    if (strcmp(language, HF_FOREIGN_CONSTRAINTS) == 0)
        return "the demangler of this build does not support these yet";
    return "heapflame demangles only names of C++, Rust and D";
}

void hf_naming_tell(const struct hf_naming *n)
{
    for (size_t i = 0; i < HF_COUNT(n->foreign) && n->foreign[i] != NULL; i++)
        hf_notes_add(&n->profile->notes, HF_NOTE_INFO, "names of %s are shown mangled: %s",
            n->foreign[i], why_mangled(n->foreign[i]));
}

static bool naming_is_mangled(struct hf_text name)
{
    return hf_text_starts(name, "_Z") || hf_text_starts(name, "_R") || hf_foreign_is_d(name);
}

/* A thunk adjusts `this` and goes on to a virtual function (Itanium C++ ABI, 5.1.4.2). */
static bool is_thunk(struct hf_text name)
{
    return hf_text_starts(name, "_ZTh") || hf_text_starts(name, "_ZTv") ||
           hf_text_starts(name, "_ZTc");
}

struct hf_text hf_naming_choose(const struct hf_dwarf_frame *call, struct hf_text symbol)
{
    if (is_thunk(symbol))
        return symbol;
    if (call->linkage.size != 0)
        return call->linkage;
    if (naming_is_mangled(symbol) || call->name.size == 0)
        return symbol;
    return call->name;
}

struct hf_text hf_naming_choose_whole(
    const struct hf_dwarf_frame *call, struct hf_text symbol, struct hf_out *joined)
{
    struct hf_text name = hf_naming_choose(call, symbol);
    if (call->scope.size == 0 || !hf_text_equal(name, call->name))
        return name;
    joined->size = 0;
    hf_out_text(joined, call->scope);
    hf_out_string(joined, "::");
    hf_out_text(joined, name);
    return hf_out_view(joined);
}

static enum hf_status naming_add_frame(struct hf_naming *n, struct hf_frame *frame,
    struct hf_text name, struct hf_text file, uint32_t *out_frame, struct hf_error *err)
{
    if (n->is_linkage)
        frame->flags |= HF_FRAME_IS_LINKAGE;
    enum hf_status status = n->is_linkage ? hf_profile_string(n->profile, name, &frame->name, err)
                                          : readable_name(n, name, &frame->name, err);
    if (status == HF_OK)
        status = hf_profile_string(n->profile, file, &frame->file, err);
    if (status == HF_OK)
        status = hf_profile_frame(n->profile, frame, out_frame, err);
    return status;
}

static uint32_t near_flag(struct hf_dwarf_detail detail)
{
    return detail.is_near != 0 ? HF_FRAME_IS_NEAR : 0;
}

static uint32_t twins_flag(const struct hf_finding *finding)
{
    uint32_t twins = finding->twins < HF_FRAME_TWINS_MAX ? finding->twins : HF_FRAME_TWINS_MAX;
    return twins << HF_FRAME_TWINS_SHIFT;
}

enum hf_status hf_naming_expand(struct hf_naming *n, uint32_t frame_id, uint64_t address,
    const struct hf_finding *finding, bool *out_is_named, struct hf_error *err)
{
    uint32_t module = hf_profile_frame_at(n->profile, frame_id)->module;
    uint32_t is_return = hf_profile_frame_at(n->profile, frame_id)->flags & HF_FRAME_RETURN;
    uint32_t named[HF_LIMIT_INLINE_DEPTH + 1];
    size_t count = 0;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < finding->place.count && status == HF_OK; i++) {
        const struct hf_dwarf_frame *call = &finding->place.frames[i];
        bool is_function = i + 1 == finding->place.count;
        struct hf_text symbol = is_function ? finding->symbol : HF_TEXT("");
        struct hf_text name = hf_naming_choose_whole(call, symbol, &n->joined);
        if (name.size == 0)
            continue;
        struct hf_frame frame = {.module = module, .line = call->line};
        frame.flags =
            HF_FRAME_NAMED | (is_function ? 0u : HF_FRAME_INLINED) | near_flag(call->detail);
        frame.flags |= call->detail.is_helper ? HF_FRAME_IS_HELPER : 0u;
        frame.flags |= call->detail.may_keep ? HF_FRAME_MAY_KEEP : 0u;
        frame.flags |= is_function ? twins_flag(finding) : 0;
        if (count == 0) {
            frame.offset = address;
            frame.flags |= HF_FRAME_HAS_OFFSET | is_return;
        }
        status = naming_add_frame(n, &frame, name, call->file, &named[count++], err);
    }
    if (status == HF_OK && count == 0 && finding->symbol.size != 0) {
        struct hf_frame frame = {.module = module,
            .line = finding->place.line,
            .offset = address,
            .flags = HF_FRAME_NAMED | HF_FRAME_HAS_OFFSET | is_return |
                     near_flag(finding->place.detail) | twins_flag(finding)};
        status =
            naming_add_frame(n, &frame, finding->symbol, finding->place.file, &named[count++], err);
    }
    *out_is_named = count != 0;
    if (status == HF_OK && count == 0) {
        struct hf_frame frame = {
            .module = module, .offset = address, .flags = HF_FRAME_HAS_OFFSET | is_return};
        if (finding->start != 0 && address - finding->start <= UINT32_MAX)
            frame.past_start = (uint32_t)(address - finding->start);
        status = hf_profile_frame(n->profile, &frame, &named[count++], err);
    }
    if (status == HF_OK)
        status = hf_profile_expand(n->profile, frame_id, named, count, err);
    return status;
}

enum hf_status hf_naming_demangle(struct hf_naming *n, uint32_t frame_id, struct hf_error *err)
{
    struct hf_frame frame = *hf_profile_frame_at(n->profile, frame_id);
    bool is_named = frame.name != HF_NO_STRING;
    struct hf_text symbol = hf_profile_text(n->profile, frame.symbol);
    if (!naming_is_mangled(symbol))
        return HF_OK;
    uint32_t named;
    enum hf_status status = readable_name(n, symbol, is_named ? &frame.name : &frame.symbol, err);
    if (status == HF_OK)
        status = hf_profile_frame(n->profile, &frame, &named, err);
    if (status == HF_OK && named != frame_id)
        status = hf_profile_expand(n->profile, frame_id, &named, 1, err);
    return status;
}

#define UNREADABLE (HF_FRAME_IS_LONG | HF_FRAME_IS_LINKAGE)

/* Shortens a string of the profile; each once, however many frames have it. */
static enum hf_status short_name(struct hf_naming *n, uint32_t *string, struct hf_error *err)
{
    uint32_t long_name = *string;
    const uint32_t *known = hf_map_find(&n->shortened, long_name);
    if (known != NULL) {
        *string = *known;
        return HF_OK;
    }
    struct hf_out text = {0};
    hf_short_name(hf_profile_text(n->profile, long_name), &text);
    enum hf_status status = hf_out_finish(&text, err);
    if (status == HF_OK)
        status = hf_profile_string(n->profile, hf_out_view(&text), string, err);
    hf_out_done(&text);
    if (status == HF_OK && hf_map_put(&n->shortened, long_name, *string, NULL) == NULL)
        status = hf_error_memory(err);
    return status;
}

/* Makes the name of a frame readable: one that may be demangled already is shortened. */
static enum hf_status naming_read_name(
    struct hf_naming *n, struct hf_frame *frame, struct hf_error *err)
{
    struct hf_text name = hf_profile_text(n->profile, frame->name);
    bool is_linkage = (frame->flags & HF_FRAME_IS_LINKAGE) != 0;
    frame->flags &= ~(uint32_t)UNREADABLE;
    if (n->is_full || is_linkage || naming_is_mangled(name))
        return readable_name(n, name, &frame->name, err);
    return short_name(n, &frame->name, err);
}

/* A named frame of a stack is expanded to the one with the short name, if that is another. */
static enum hf_status shorten_frame(struct hf_naming *n, uint32_t frame_id, struct hf_error *err)
{
    struct hf_frame frame = *hf_profile_frame_at(n->profile, frame_id);
    uint32_t long_name = frame.name, named;
    enum hf_status status = naming_read_name(n, &frame, err);
    if (status != HF_OK || frame.name == long_name)
        return status;
    status = hf_profile_frame(n->profile, &frame, &named, err);
    return status == HF_OK ? hf_profile_expand(n->profile, frame_id, &named, 1, err) : status;
}

enum hf_status hf_naming_shorten(struct hf_naming *n, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint32_t count = n->profile->frames.count;
    for (uint32_t i = 0; i < count && status == HF_OK; i++) {
        if ((hf_profile_frame_at(n->profile, i)->flags & UNREADABLE) != 0 &&
            !hf_profile_is_expanded(n->profile, i))
            status = shorten_frame(n, i, err);
    }
    for (size_t i = 0; i < n->profile->names.frame_count && status == HF_OK; i++) {
        struct hf_frame frame = *hf_profile_frame_at(n->profile, n->profile->names.frames[i]);
        if ((frame.flags & UNREADABLE) == 0)
            continue;
        status = naming_read_name(n, &frame, err);
        if (status == HF_OK)
            status = hf_profile_frame(n->profile, &frame, &n->profile->names.frames[i], err);
    }
    return status;
}
