/*
 * probe_site.h: from a function in a file to the place of its probe.
 *
 * The path is one by which the kernel finds that very file, also where it was replaced or lies in a
 * container. The breakpoint is where probe_offset.h moves it to. A function that only jumps to
 * another, perhaps through its procedure linkage table, says where: its calls are seen there, too.
 */
#ifndef HF_ATTACH_PROBE_SITE_H
#define HF_ATTACH_PROBE_SITE_H

#include "attach/images.h"
#include "attach/probe.h"
#include "attach/probes/probe_offset.h"
#include "base/containers/arena.h"

struct hf_site_finder {
    const struct hf_images *images;
    struct hf_arena *arena;                 /* of the texts of probes */
    struct hf_entry_decoder *entry_decoder; /* NULL: it is missing */
    const char **paths;                     /* by image: as of a probe; NULL: not asked yet */
};

/*
 * For a process; all that is given outlives it. HF_ERR_SYSTEM: the decoder is missing, so no probe
 * slides; only HF_ERR_MEMORY makes it useless. Free with done in any case.
 */
HF_MUST_CHECK enum hf_status hf_site_finder_init(struct hf_site_finder *finder,
    const struct hf_images *images, struct hf_arena *arena, struct hf_error *err);
void hf_site_finder_done(struct hf_site_finder *finder);

/*
 * The probe at the entry of the function at `offset` of the file of an image. False if no code is
 * mapped there. Its path is NULL if memory ran out; its names are not set.
 */
HF_MUST_CHECK bool hf_site_finder_find(struct hf_site_finder *finder,
    const struct hf_spec_entry *entry, uint32_t image, uint64_t offset, struct hf_probe *out_probe);

/*
 * False if the file of an image has another build-id than what the process has in its memory: it
 * was written over after it was loaded, and functions are elsewhere. True also where that cannot be
 * told.
 */
HF_MUST_CHECK bool hf_site_finder_trusts(const struct hf_site_finder *finder, uint32_t image);

/* Moves the probe from the entry, and says where its function jumps to. */
void hf_site_finder_move(struct hf_site_finder *finder, uint32_t image, struct hf_probe *probe);

#endif
