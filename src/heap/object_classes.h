/*
 * object_classes.h: finds the class of a block that is an object of C++ with virtual functions, or
 * an object of CPython. No symbols are needed, so stripped programs have classes, too.
 *
 * The first word of an object of C++ points to a table of functions, which leads to the name of the
 * class. Code that was compiled with -fno-rtti has no such name.
 *
 *     block:  vtable, ...
 *     vtable: 0 (offset to the top), type_info, first virtual function   at -16, -8, 0
 *     type_info:  vtable of its own, name                                at 0, 8
 *
 * An object of Python points to its type. The types of types lead to `type`, which points to
 * itself. These objects are looked for in CPython's arenas (allocators/pymalloc.h).
 *
 *     block:  0 to 4 words (the collector's links, the dict), references, type, ...
 *     type:   references, type of its own, number of items, name         at 0, 8, 16, 24
 *
 * Source: Itanium C++ ABI, 2.5.2 "Virtual Table Components and Order" and 2.9.4 "RTTI Layout";
 * Include/object.h and Include/cpython/object.h of CPython 3.11.
 *
 * If the name of a class is long, its template arguments are left out. An object of
 * std::make_shared lies in one block with its counters: such a block is called
 * "std::make_shared<T>".
 *
 * Limits: objects that are not at the start of a block, e.g. in an array, are not found. A process
 * that makes up tables gets the names that it makes up, at most VTABLES_MAX.
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
    struct hf_process_reader *blocks, *tables; /* two, so that each reads on where it was */
    struct hf_map by_vtable, by_type;          /* includes words that lead to no class */
    bool has_python;
    struct hf_intern names; /* by class */
};

/* Borrows the image. HF_ERR_MEMORY. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_object_classes_init(struct hf_object_classes *classes,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_object_classes_done(struct hf_object_classes *classes);

/* The number of the class of a block; HF_CLASS_NONE: no class is known for it, or there is no
 * memory. */
uint32_t hf_object_class_find(struct hf_object_classes *classes, const struct hf_heap_block *block);

/* The name of a class, borrowed until done; "" for HF_CLASS_NONE. */
static inline struct hf_text hf_object_class_name(
    const struct hf_object_classes *classes, uint32_t class)
{
    return class != HF_CLASS_NONE ? hf_intern_at(&classes->names, class) : HF_TEXT("");
}

#endif
