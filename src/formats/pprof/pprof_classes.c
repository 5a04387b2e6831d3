#include "formats/pprof/pprof_classes.h"

#include "base/strings/num.h"
#include "base/strings/out.h"

static const char *const value_names[HF_PPROF_CLASS_VALUES] = HF_PPROF_CLASS_NAMES;
static const char *const labels[HF_CLASS_KINDS] = HF_PPROF_CLASS_LABELS;

struct hf_pprof_classes hf_pprof_classes_of(const struct hf_pprof_tables *tables)
{
    struct hf_pprof_classes classes = {.are_there = true};
    for (size_t v = 0; v < HF_PPROF_CLASS_VALUES; v++) {
        size_t at = 0;
        while (at < tables->type_count &&
               !hf_text_is(hf_pprof_string(tables, tables->types[at].type), value_names[v]))
            at++;
        classes.are_there = classes.are_there && at < tables->type_count;
        classes.columns[v] = at;
    }
    return classes;
}

bool hf_pprof_classes_have(const struct hf_pprof_classes *classes, struct hf_text type)
{
    bool is_one = false;
    for (size_t v = 0; classes->are_there && v < HF_PPROF_CLASS_VALUES; v++)
        is_one = is_one || hf_text_is(type, value_names[v]);
    return is_one;
}

/* The number behind "NAME="; false: it does not say. */
static bool pprof_comment_number(struct hf_text comment, const char *name, uint64_t *out_number)
{
    for (size_t start = 0; start < comment.size;) {
        struct hf_text word = hf_text_from(comment, start);
        word = hf_text_first(word, hf_text_find(word, ' '));
        size_t equal = hf_text_find(word, '=');
        if (equal < word.size && hf_text_is(hf_text_first(word, equal), name))
            return hf_num_u64(hf_text_from(word, equal + 1), out_number);
        start += word.size + 1;
    }
    return false;
}

void hf_pprof_classes_take_comment(
    const struct hf_pprof_tables *tables, struct hf_capture_facts *capture)
{
    uint64_t number;
    struct hf_text comment = hf_pprof_string(tables, tables->own_comment);
    if (pprof_comment_number(comment, "began_ms", &number))
        capture->began_ms = number;
    if (pprof_comment_number(comment, "weight_per_mille", &number) && number <= UINT32_MAX)
        capture->weight_per_mille = (uint32_t)number;
    if (pprof_comment_number(comment, "in_use_only", &number))
        capture->has_no_freed = number != 0;
    if (pprof_comment_number(comment, "epoch_shift", &number) && number <= HF_CLASS_BIRTH_SHIFT_MAX)
        capture->epoch_shift = (uint32_t)number;
}

uint64_t hf_pprof_class_bound(
    enum hf_lifetimes_class kind, size_t index, const struct hf_capture_facts *capture)
{
    if (kind == HF_CLASS_BIRTH)
        return ((uint64_t)index + 1) << capture->epoch_shift;
    return UINT64_C(1) << ((kind == HF_CLASS_AGE ? HF_CLASS_AGE_SHIFT : HF_CLASS_SIZE_SHIFT) +
                           index);
}

bool hf_pprof_class_by_label(struct hf_text key, uint64_t number,
    const struct hf_capture_facts *capture, struct hf_pprof_class *out_class)
{
    for (size_t kind = 0; kind < HF_CLASS_KINDS; kind++) {
        if (!hf_text_is(key, labels[kind]))
            continue;
        out_class->kind = (enum hf_lifetimes_class)kind;
        for (size_t i = 0; i < hf_lifetimes_classes(out_class->kind); i++) {
            if (hf_pprof_class_bound(out_class->kind, i, capture) != number)
                continue;
            out_class->index = i;
            out_class->is_known = true;
            return true;
        }
    }
    return false;
}

size_t hf_pprof_class_value(enum hf_lifetimes_class kind)
{
    static const size_t first[HF_CLASS_KINDS] = {
        HF_PPROF_LIFETIME_OBJECTS, HF_PPROF_SIZE_OBJECTS, HF_PPROF_BIRTH_SPACE};
    return first[kind];
}

void hf_pprof_classes_put_comment(const struct hf_capture_facts *capture, struct hf_out *out)
{
    hf_out_string(out, HF_PPROF_CLASS_COMMENT "began_ms=");
    hf_out_u64(out, capture->began_ms);
    hf_out_printf(out, " epoch_shift=%u%s", capture->epoch_shift,
        capture->has_no_freed ? " in_use_only=1" : "");
    if (capture->weight_per_mille != 0)
        hf_out_printf(out, " weight_per_mille=%u", capture->weight_per_mille);
}
