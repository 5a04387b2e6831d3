/*
 * maps.h: the memory map at the end of a heap profile: /proc/PID/maps as it was at capture.
 *
 *     start-end perms offset dev inode   path      as os/process/map_line.h reads it
 *     start-end: path                              as gperftools shortens it, and macOS
 *
 * Kept are mappings of files, [vdso], and anonymous executable memory (code made at run time) as
 * module HF_ANONYMOUS, also if its program gave it a name; the offset there is the address.
 */
#ifndef HF_FORMATS_MAPS_H
#define HF_FORMATS_MAPS_H

#include "profile/modules.h"
#include "profile/profile.h"

struct hf_mapping {
    uint64_t start, end, file_offset;
    uint32_t module;
};

struct hf_maps {
    struct hf_mapping *items;
    size_t count, capacity;
    bool is_sorted;
};

/* An all-zero map is empty and ready. */
void hf_maps_done(struct hf_maps *maps);

/*
 * Reads one line; module and segment go into the profile. *out_is_mapping is false, and nothing is
 * changed, if the line has another form.
 */
HF_MUST_CHECK enum hf_status hf_maps_line(struct hf_maps *maps, struct hf_profile *profile,
    struct hf_text line, bool *out_is_mapping, struct hf_error *err);

/* The frame of an address: (module, file offset), or (none, address) outside every mapping. */
struct hf_frame hf_maps_frame(struct hf_maps *maps, uint64_t address);

#endif
