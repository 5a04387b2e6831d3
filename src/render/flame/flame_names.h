/*
 * flame_names.h: names as hover texts begin with them, escaped once for each frame.
 *
 * A picture has many boxes of few names. Up to HF_FLAME_NAMES_KEPT bytes are kept; what comes after
 * them is escaped each time.
 */
#ifndef HF_RENDER_FLAME_NAMES_H
#define HF_RENDER_FLAME_NAMES_H

#include "base/strings/out.h"

#define HF_FLAME_NAMES_KEPT ((size_t)4 << 20)

struct hf_flame_name_place;

struct hf_flame_names {
    struct hf_out texts; /* its error says that memory ran out */
    size_t kept;         /* bytes of them */
    struct hf_flame_name_place *of_frame;
};

/* For frames below `frame_count`. `*names` needs hf_flame_names_done in any case. */
HF_MUST_CHECK enum hf_status hf_flame_names_init(
    struct hf_flame_names *names, size_t frame_count, struct hf_error *err);
void hf_flame_names_done(struct hf_flame_names *names);

/* Of the frame with this label, as hf_flame_put_name writes it. Borrowed until the next call. */
struct hf_text hf_flame_names_at(
    struct hf_flame_names *names, uint32_t frame, struct hf_text label);

#endif
