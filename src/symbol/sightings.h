/*
 * sightings.h: the files that were looked for while finding an answer, and what was found.
 *
 * While every sighting holds, the same search would find the same files. So whoever looks for a
 * file that names come from adds it here, also where there is none: that is how the cache
 * (cache.h) notices a debug file that was installed since.
 *
 * Example:
 *
 *     struct hf_sightings sightings = {0};
 *     struct hf_file_stamp stamp;
 *     bool is_there = hf_file_stamp_of("/usr/lib/debug/env.debug", &stamp);
 *     hf_sightings_add(&sightings, "/usr/lib/debug/env.debug", is_there ? &stamp : NULL);
 *     hf_sightings_done(&sightings);
 */
#ifndef HF_SYMBOL_SIGHTINGS_H
#define HF_SYMBOL_SIGHTINGS_H

#include "os/file.h"

struct hf_sighting {
    char *path;
    bool is_there; /* as a regular file that may be read */
    struct hf_file_stamp stamp;
};

/* All-zero is empty. */
struct hf_sightings {
    struct hf_sighting *items;
    size_t count, capacity;
    bool is_incomplete; /* for want of memory, or a server did not answer */
};

/* `stamp`: of the file that was opened; NULL if there was none. */
void hf_sightings_add(
    struct hf_sightings *sightings, const char *path, const struct hf_file_stamp *stamp);
void hf_sightings_done(struct hf_sightings *sightings);

/* True if at `path` there is still what was there. */
bool hf_sighting_holds(const char *path, const struct hf_file_stamp *stamp, bool is_there);

/* Drops what was added twice. False if something was there in two states. */
HF_MUST_CHECK bool hf_sightings_unite(struct hf_sightings *sightings);

/*
 * True if a later change of any file will show in its stamp: none was changed a moment before it
 * was looked at, when the next change may have the same time.
 */
bool hf_sightings_are_settled(const struct hf_sightings *sightings);

#endif
