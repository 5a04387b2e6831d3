/*
 * writers.h: turns a profile into bytes: the table of all formats that are written.
 *
 * `convert`, its help and docs/formats/README.md share it. A format that shows named stacks takes a
 * *folded* profile (profile/fold.h); one that keeps addresses and mappings takes the profile as it
 * was read, with the names of its frames (hf_profile_expand). Equal profiles give equal bytes: no
 * time, no address of ours, no order of a hash. What a format has no place for is a note.
 *
 * Example:
 *
 *     struct hf_profile *profile;
 *     struct hf_notes notes = {0};
 *     status = hf_profile_new(&profile, err);
 *     if (status != HF_OK)
 *         return status;
 *     const struct hf_writer *writer = hf_writer_of_path("heap.pb.gz");
 *     if (writer != NULL)
 *         status = writer->write(profile, profile->default_type, &notes, out, err);
 *     hf_notes_done(&notes);
 *     hf_profile_free(profile);
 */
#ifndef HF_FORMATS_WRITERS_H
#define HF_FORMATS_WRITERS_H

#include "base/error.h"
#include "base/strings/out.h"
#include "profile/profile.h"

#define HF_WRITER_ENDINGS_MAX 3

struct hf_writer {
    const char *name;                           /* of --to: "folded" */
    const char *what;                           /* for help: "folded stacks" */
    const char *endings[HF_WRITER_ENDINGS_MAX]; /* ".folded"; the rest is NULL */
    bool takes_folded;
    bool takes_all;     /* the allocator's frames, and names as their files have them */
    bool takes_classes; /* of blocks, where the profile has them: profile/lifetimes.h */
    bool is_binary;     /* would garble a terminal */
    /* `type` is the value to show first, or the only one that is written. */
    enum hf_status (*write)(const struct hf_profile *profile, size_t type, struct hf_notes *notes,
        struct hf_out *out, struct hf_error *err);
};

/*
 * Every format that is written, in the order of --help. `script/lint complete` holds what belongs
 * to each: `script/new writer NAME` makes it.
 */
#define HF_WRITERS(USE)                                                                            \
    USE(folded)                                                                                    \
    USE(heap_v2)                                                                                   \
    USE(pprof)                                                                                     \
    USE(pb)                                                                                        \
    USE(speedscope)                                                                                \
    USE(bundle)                                                                                    \
    USE(stap)

#define HF_WRITER_DECLARE(name) extern const struct hf_writer hf_writer_##name;
HF_WRITERS(HF_WRITER_DECLARE)
#undef HF_WRITER_DECLARE

extern const struct hf_writer *const hf_writers[]; /* ends with NULL */

/* The writer called `name`, or with that ending, as "pb.gz"; NULL if there is none. */
const struct hf_writer *hf_writer_named(const char *name);

/* The writer whose ending `path` has, the longest if there are several; NULL if there is none. */
const struct hf_writer *hf_writer_of_path(const char *path);

/* Writes "folded (.folded), ...": what may be asked for. */
void hf_writers_list(struct hf_out *out);

#endif
