/*
 * cache.h: answers of earlier look-ups, kept in files, so that the same addresses of the same image
 * need neither its debug information nor the debug file.
 *
 * There is an entry (cache_entry.h) for each image and way of asking: its build-id, size, time of
 * change and path, the folders given by --symdir, and this version of heapflame. It is used only if
 * all that is the same and every file that was looked for is as it was (sightings.h); among them
 * this program, and the image if it has no build-id. Answers are kept as the files have them, so no
 * option on how names are shown matters. Those that came with a note are not kept: the note would
 * be lost.
 *
 * An entry is replaced as a whole, so those who read and write it at the same time do not meet; if
 * two add to it, the answers of one are lost. The folder is private (os/private_folder.h) and holds
 * at most HF_LIMIT_CACHE_BYTES: the entries used longest ago are removed. Whatever goes wrong is no
 * error and no note: there is no cache then.
 */
#ifndef HF_SYMBOL_CACHE_H
#define HF_SYMBOL_CACHE_H

#include "elf/image.h"
#include "os/file.h"
#include "symbol/cache/cache_entry.h"
#include "symbol/options.h"

#include <limits.h>

/* The cache of one image. All-zero is none. */
struct hf_symbol_cache {
    char *folder;            /* NULL: there is none */
    char name[NAME_MAX + 1]; /* of the entry in it */
    struct hf_out context;
    struct hf_sightings sightings; /* of this program, the image, and those of the entry */
    struct hf_file_map map;
    struct hf_cache_entry entry; /* all-zero: there is none yet, or it cannot be used */
    struct hf_cache_draft fresh; /* what was looked up since */
};

/* Opens the entry for the image at `path`, if options->cache_folder allows. */
void hf_symbol_cache_open(struct hf_symbol_cache *cache, const struct hf_elf *image,
    const char *path, const struct hf_file_stamp *stamp, const struct hf_symbol_options *options);

/* The answer for `address`, or false. Texts borrow from the cache, frames are of `arena`. */
HF_MUST_CHECK bool hf_symbol_cache_find(struct hf_symbol_cache *cache, uint64_t address,
    struct hf_arena *arena, struct hf_finding *out_finding);

/* `name`, which a finding of the cache has, in full and demangled, if that is known. */
HF_MUST_CHECK bool hf_symbol_cache_readable(
    struct hf_symbol_cache *cache, struct hf_text name, struct hf_text *out_readable);

/* Whether all that was found since is to be believed; if not, it was the last of the entry. */
HF_MUST_CHECK bool hf_symbol_cache_is_sound(struct hf_symbol_cache *cache);

/* Keeps the answer for an address that was not found. */
void hf_symbol_cache_add(
    struct hf_symbol_cache *cache, uint64_t address, const struct hf_finding *finding);

/* Keeps nothing of what was added: it is not to be believed. */
void hf_symbol_cache_forget(struct hf_symbol_cache *cache);

/* Writes the entry if there is something new. `why` and `sightings`: of the search for the files.
 */
void hf_symbol_cache_save(
    struct hf_symbol_cache *cache, const char *why, const struct hf_sightings *sightings);
void hf_symbol_cache_close(struct hf_symbol_cache *cache);

#endif
