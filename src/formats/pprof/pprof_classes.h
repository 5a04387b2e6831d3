/*
 * pprof_classes.h: classes of blocks (profile/lifetimes.h) in a profile.proto, read and written
 * (docs/formats/blocks.md).
 *
 * The epochs' length and the time at which the recording began are in a comment.
 */
#ifndef HF_FORMATS_PPROF_CLASSES_H
#define HF_FORMATS_PPROF_CLASSES_H

#include "base/strings/out.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_tables.h"
#include "profile/lifetimes.h"

/* Which value of a sample is which; read of a file that has them all. */
struct hf_pprof_classes {
    bool are_there;
    size_t columns[HF_PPROF_CLASS_VALUES]; /* of the file */
};

/* What a label or a sample says: of one class. */
struct hf_pprof_class {
    bool is_known;
    enum hf_lifetimes_class kind;
    size_t index;
    uint64_t values[2];
};

struct hf_pprof_classes hf_pprof_classes_of(const struct hf_pprof_tables *tables);

/* True if values of this name are of classes, where there are classes. */
bool hf_pprof_classes_have(const struct hf_pprof_classes *classes, struct hf_text type);

/* Gives the profile what the comment says. */
void hf_pprof_classes_take_comment(
    const struct hf_pprof_tables *tables, struct hf_capture_facts *capture);

/* A label with this key and number makes a sample one of a class; false: it is another label. */
bool hf_pprof_class_by_label(struct hf_text key, uint64_t number,
    const struct hf_capture_facts *capture, struct hf_pprof_class *out_class);

/* The first value of a kind, among those of classes; the second follows, but of sizes. */
size_t hf_pprof_class_value(enum hf_lifetimes_class kind);
static inline size_t hf_pprof_class_value_count(enum hf_lifetimes_class kind)
{
    return kind == HF_CLASS_SIZE ? 1 : 2;
}

/* The number of the label of a class: all that is in it lived less, or is at most so large, or was
 * born before. */
uint64_t hf_pprof_class_bound(
    enum hf_lifetimes_class kind, size_t index, const struct hf_capture_facts *capture);

/* "heapflame: began_ms=1764041782000 epoch_shift=28", " in_use_only=1" if has_no_freed,
 * " weight_per_mille=60000" if there is one. */
void hf_pprof_classes_put_comment(const struct hf_capture_facts *capture, struct hf_out *out);

#endif
