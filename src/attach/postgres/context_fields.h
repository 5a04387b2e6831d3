/*
 * context_fields.h: where the fields lie that contexts of some versions have (context_layout.h):
 * what is the same in all contexts of a tree that was read without them.
 */
#ifndef HF_ATTACH_CONTEXT_FIELDS_H
#define HF_ATTACH_CONTEXT_FIELDS_H

#include "attach/postgres/contexts.h"

/* Contexts that are gone since they were read are left out. */
void hf_context_fields_find(struct hf_context_layout *layout,
    const struct hf_context_source *source, const struct hf_contexts *contexts);

#endif
