/*
 * pprof_types.h: the value types of a profile.proto as those of a profile.
 */
#ifndef HF_FORMATS_PPROF_TYPES_H
#define HF_FORMATS_PPROF_TYPES_H

#include "formats/pprof/pprof_tables.h"
#include "profile/profile.h"

#define HF_PPROF_LEFT_OUT SIZE_MAX

/*
 * Makes value types of those of the file, and says which is the default. *out_columns is theirs by
 * the file's, or HF_PPROF_LEFT_OUT: free it. HF_ERR_INPUT: one has no name. `name` is for notes.
 */
HF_MUST_CHECK enum hf_status hf_pprof_add_types(struct hf_profile *profile,
    const struct hf_pprof_tables *tables, const char *name, size_t **out_columns,
    struct hf_error *err);

#endif
