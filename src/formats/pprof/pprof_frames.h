/*
 * pprof_frames.h: the locations of a profile.proto as frames of a profile, cut where its
 * drop_frames says.
 */
#ifndef HF_FORMATS_PPROF_FRAMES_H
#define HF_FORMATS_PPROF_FRAMES_H

#include "base/strings/regex.h"
#include "formats/pprof/pprof_tables.h"
#include "profile/profile.h"

/* Locations as frames of a profile. */
struct hf_pprof_frames {
    struct hf_profile *profile;
    struct hf_pprof_tables *tables;
    struct hf_regex *drop, *keep;
    uint32_t *items; /* frame ids of locations */
    size_t count, capacity;
    size_t tried_names;          /* against drop and keep */
    uint64_t damaged, cut_lines; /* lines that make no sense; locations with too many */
    uint64_t folded;             /* locations of code that several functions share */
};

/* Gives the mappings their modules and compiles drop_frames; what is unusable there is noted. */
HF_MUST_CHECK enum hf_status hf_pprof_frames_init(struct hf_pprof_frames *frames,
    struct hf_profile *profile, struct hf_pprof_tables *tables, const char *name,
    struct hf_error *err);
void hf_pprof_frames_done(struct hf_pprof_frames *frames);

/* The location with this id, its frames made on first use; *out_location is NULL if unknown. */
HF_MUST_CHECK enum hf_status hf_pprof_place(struct hf_pprof_frames *frames, uint64_t id,
    const struct hf_pprof_location **out_location, struct hf_error *err);

#endif
