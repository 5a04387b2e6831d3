#include "formats/pprof/pprof_types.h"

#include "base/strings/out.h"
#include "formats/pprof/pprof_classes.h"
#include "profile/samples.h"

#include <stdlib.h>

struct mapper {
    struct hf_profile *profile;
    const struct hf_pprof_tables *tables;
    size_t *columns; /* by the file's value types: ours, or HF_PPROF_LEFT_OUT */
    struct hf_pprof_classes classes;
};

/* The types of heap profiles, as they are called there and in profile.h's order. */
static const struct {
    const char *name, *unit;
} heap_types[] = {
    [HF_INUSE_OBJECTS] = {"inuse_objects", "objects"},
    [HF_INUSE_SPACE] = {"inuse_space", "bytes"},
    [HF_ALLOC_OBJECTS] = {"alloc_objects", "objects"},
    [HF_ALLOC_SPACE] = {"alloc_space", "bytes"},
};

/* Names of values are C strings in a profile: the text up to the first NUL. */
static struct hf_text c_string(const struct hf_pprof_tables *tables, uint64_t index)
{
    struct hf_text text = hf_pprof_string(tables, index);
    return hf_text_first(text, hf_text_find(text, '\0'));
}

/* What the file calls its value number `index`, or what that means in a heap profile. */
static struct hf_text type_name(const struct mapper *m, size_t index)
{
    const struct hf_pprof_tables *t = m->tables;
    struct hf_text name = c_string(t, t->types[index].type);
    bool is_heap = t->type_count == 2 &&
                   hf_text_is(hf_pprof_string(t, t->types[0].type), "objects") &&
                   hf_text_is(hf_pprof_string(t, t->types[1].type), "space");
    return is_heap ? hf_text_of(heap_types[index].name) : name;
}

/* Counts of objects, as heapflame's own kinds of values are; NULL: as the file says. */
static const char *unit_of_objects(struct hf_text name)
{
    static const char *const kinds[] = {HF_START_OBJECTS, HF_PEAK_OBJECTS, HF_TEMPORARY_OBJECTS};
    for (size_t i = 0; i < HF_COUNT(kinds); i++) {
        if (hf_text_is(name, kinds[i]))
            return "objects";
    }
    return NULL;
}

static enum hf_status pprof_types_add_type(
    struct mapper *m, size_t index, const char *heap_unit, struct hf_error *err)
{
    uint32_t name, unit;
    struct hf_text file_unit = c_string(m->tables, m->tables->types[index].unit);
    enum hf_status status = hf_profile_string(m->profile, type_name(m, index), &name, err);
    if (status == HF_OK)
        status = hf_profile_string(m->profile, file_unit, &unit, err);
    if (status != HF_OK)
        return status;
    m->columns[index] = m->profile->type_count;
    return hf_profile_add_type(m->profile, hf_profile_text(m->profile, name).data,
        heap_unit != NULL ? heap_unit : hf_profile_text(m->profile, unit).data, err);
}

/* A name that comes twice, or one too many, has no column. */
static bool pprof_types_is_wanted(const struct mapper *m, size_t index)
{
    size_t known;
    return m->columns[index] == HF_PPROF_LEFT_OUT && m->profile->type_count < HF_VALUE_TYPES_MAX &&
           !hf_pprof_classes_have(&m->classes, type_name(m, index)) &&
           !hf_profile_find_type(m->profile, type_name(m, index), &known);
}

static enum hf_status pprof_types_add_types(struct mapper *m, struct hf_error *err)
{
    size_t count = m->tables->type_count;
    for (size_t i = 0; i < count; i++) {
        if (type_name(m, i).size == 0)
            return hf_error_set(err, HF_ERR_INPUT, "does not define its values: %s",
                m->tables->is_cut ? "it is cut before its string table"
                                  : "a sample_type has no name in the string table");
        m->columns[i] = HF_PPROF_LEFT_OUT;
    }
    for (size_t h = 0; h < HF_COUNT(heap_types); h++) {
        for (size_t i = 0; i < count; i++) {
            if (!hf_text_is(type_name(m, i), heap_types[h].name) || !pprof_types_is_wanted(m, i))
                continue;
            enum hf_status status = pprof_types_add_type(m, i, heap_types[h].unit, err);
            if (status != HF_OK)
                return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        enum hf_status status =
            pprof_types_is_wanted(m, i)
                ? pprof_types_add_type(m, i, unit_of_objects(type_name(m, i)), err)
                : HF_OK;
        if (status != HF_OK)
            return status;
    }
    if (m->profile->type_count == 0)
        return hf_error_set(err, HF_ERR_INPUT,
            "has no values of its stacks, only classes of their blocks (docs/formats/blocks.md)");
    return HF_OK;
}

/* default_sample_type, else what is in use, else the last, as profile.proto says. */
static void pprof_types_choose_default(struct mapper *m)
{
    size_t *type = &m->profile->default_type;
    size_t last = m->columns[m->tables->type_count - 1];
    struct hf_text wanted = c_string(m->tables, m->tables->default_type);
    if (wanted.size != 0 && hf_profile_find_type(m->profile, wanted, type))
        return;
    if (hf_profile_find_type(m->profile, HF_TEXT("inuse_space"), type))
        return;
    *type = last != HF_PPROF_LEFT_OUT ? last : 0;
}

/* Without bytes it is a profile of something else: there malloc is a function like any other. */
static bool has_bytes(const struct hf_profile *profile)
{
    for (size_t i = 0; i < profile->type_count; i++) {
        if (hf_text_is(hf_profile_text(profile, profile->types[i].unit), "bytes"))
            return true;
    }
    return false;
}

static void note_types(struct mapper *m, const char *name)
{
    struct hf_out names = {0};
    size_t left_out = 0;
    for (size_t i = 0; i < m->tables->type_count; i++) {
        if (m->columns[i] != HF_PPROF_LEFT_OUT ||
            hf_pprof_classes_have(&m->classes, type_name(m, i)))
            continue;
        left_out++;
        hf_out_string(&names, names.size != 0 ? ", " : "");
        hf_out_text(&names, type_name(m, i));
    }
    if (left_out == 0)
        return;
    hf_out_char(&names, '\0');
    hf_notes_add(&m->profile->notes, HF_NOTE_LOSS,
        "%s: values that occur twice, or beyond %d kinds (HF_VALUE_TYPES_MAX), are left out: %s",
        name, HF_VALUE_TYPES_MAX, names.data != NULL ? names.data : "");
    hf_out_done(&names);
}

enum hf_status hf_pprof_add_types(struct hf_profile *profile, const struct hf_pprof_tables *tables,
    const char *name, size_t **out_columns, struct hf_error *err)
{
    struct mapper m = {profile, tables, calloc(tables->type_count + 1, sizeof *m.columns),
        hf_pprof_classes_of(tables)};
    enum hf_status status =
        m.columns != NULL ? pprof_types_add_types(&m, err) : hf_error_memory(err);
    if (status != HF_OK) {
        free(m.columns);
        return status;
    }
    pprof_types_choose_default(&m);
    note_types(&m, name);
    profile->capture.is_no_heap = !has_bytes(profile);
    *out_columns = m.columns;
    return HF_OK;
}
