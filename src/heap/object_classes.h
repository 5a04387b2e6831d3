/*
 * object_classes.h: of which class a block is, if it is an object of C++ with virtual functions, or
 * one of CPython. No symbols are needed, so stripped programs have classes, too.
 *
 * The first word of an object of C++ points to a table of functions, which leads to the name of the
 * class; what was compiled with -fno-rtti has none.
 *
 *     block:  vtable, ...
 *     vtable: 0 (offset to the top), type_info, first virtual function   at -16, -8, 0
 *     type_info:  vtable of its own, name                                at 0, 8
 *
 * An object of Python says its type; the type of all types is its own. It is looked for where the
 * heap has CPython's arenas (allocators/pymalloc.h).
 *
 *     block:  0 to 4 words (the collector's links, the dict), references, type, ...
 *     type:   references, type of its own, number of items, name         at 0, 8, 16, 24
 *
 * Source: Itanium C++ ABI, 2.5.2 "Virtual Table Components and Order" and 2.9.4 "RTTI Layout";
 * Include/object.h and Include/cpython/object.h of CPython 3.11.
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
 *     struct hf_heap heap = {0};
 *     struct hf_object_classes classes;
 *     status = hf_object_classes_init(&classes, &heap, &image, err);
 *     if (status == HF_OK) {
 *         uint32_t class = hf_object_class_find(
 *             &classes, &(struct hf_heap_block){0x55d000000010, 64});
 *         hf_out_text(out, hf_object_class_name(&classes, class)); // "Session"
 *     }
 *     hf_object_classes_done(&classes);
 */
#ifndef HF_HEAP_OBJECT_CLASSES_H
#define HF_HEAP_OBJECT_CLASSES_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "heap/heap.h"
#include "memory/process_image.h"

#define HF_CLASS_NONE UINT32_MAX

struct hf_object_classes {
    struct hf_process_reader *blocks, *tables; /* apart: each reads on where it was */
    struct hf_map by_vtable, by_type;          /* also of words that point to none */
    bool has_python;
    struct hf_intern names; /* by class */
};

/* Borrows the image. HF_ERR_MEMORY. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_object_classes_init(struct hf_object_classes *classes,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_object_classes_done(struct hf_object_classes *classes);

/* The number of the class of a block; HF_CLASS_NONE: it is none that is known, or there is no
 * memory for it. */
uint32_t hf_object_class_find(struct hf_object_classes *classes, const struct hf_heap_block *block);

/* "": that of HF_CLASS_NONE. Borrowed until done. */
static inline struct hf_text hf_object_class_name(
    const struct hf_object_classes *classes, uint32_t class)
{
    return class != HF_CLASS_NONE ? hf_intern_at(&classes->names, class) : HF_TEXT("");
}

#endif
