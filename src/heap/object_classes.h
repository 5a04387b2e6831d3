/*
 * object_classes.h: of which class a block is, if it is an object of C++ with virtual functions:
 * its first word then points to a table of them, which leads to the name of the class. No symbols
 * are needed, so stripped programs have classes, too; what was compiled with -fno-rtti has none.
 *
 *     block:  vtable, ...
 *     vtable: 0 (offset to the top), type_info, first virtual function   at -16, -8, 0
 *     type_info:  vtable of its own, name                                at 0, 8
 *
 * Source: Itanium C++ ABI, 2.5.2 "Virtual Table Components and Order" and 2.9.4 "RTTI Layout".
 *
 * A class whose name is long has no template arguments. An object of std::make_shared lies in the
 * block of its counters: such a block is called "std::make_shared<T>".
 *
 * Limits: objects that are not at the start of a block, as those of an array, are not found. A
 * process that makes up tables gets the names that it makes up, VTABLES_MAX of them.
 *
 * Example:
 *
 *     struct hf_process_image image = {0};
 *     struct hf_object_classes classes;
 *     status = hf_object_classes_init(&classes, &image, err);
 *     if (status == HF_OK) {
 *         uint32_t class = hf_object_class_find(&classes, 0x55d000000010);
 *         hf_out_text(out, hf_object_class_name(&classes, class)); // "Session"
 *     }
 *     hf_object_classes_done(&classes);
 */
#ifndef HF_HEAP_OBJECT_CLASSES_H
#define HF_HEAP_OBJECT_CLASSES_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "memory/process_image.h"

#define HF_CLASS_NONE UINT32_MAX

struct hf_object_classes {
    struct hf_process_reader *blocks, *tables; /* apart: each reads on where it was */
    struct hf_map by_vtable;                   /* also of words that point to none */
    struct hf_intern names;                    /* by class */
};

/* Borrows the image. HF_ERR_MEMORY. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_object_classes_init(
    struct hf_object_classes *classes, const struct hf_process_image *image, struct hf_error *err);
void hf_object_classes_done(struct hf_object_classes *classes);

/* The number of the class of the block at this address; HF_CLASS_NONE: it is none that is known, or
 * there is no memory for it. */
uint32_t hf_object_class_find(struct hf_object_classes *classes, uint64_t address);

/* "": that of HF_CLASS_NONE. Borrowed until done. */
static inline struct hf_text hf_object_class_name(
    const struct hf_object_classes *classes, uint32_t class)
{
    return class != HF_CLASS_NONE ? hf_intern_at(&classes->names, class) : HF_TEXT("");
}

#endif
