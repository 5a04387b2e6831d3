/*
 * module_files.h: the files that can name a module's addresses: its image, and the debug file that
 * belongs to it.
 *
 * The debug file is found, in this order: the image itself; by build-id as
 * DIR/.build-id/ab/cdef....debug in each --symdir and in /usr/lib/debug; by .gnu_debuglink beside
 * the image, in .debug/ beside it, in each --symdir, and in /usr/lib/debug under the image's
 * folder; by debuginfod (debuginfod.h). One found by name must have the build-id of the image, or
 * the CRC-32 that the link says. Without one, the symbols of a stripped image may be in the image
 * itself: .gnu_debugdata is an ELF image in the xz format. What the debug information shares with
 * others: see supplement.h; what is in files apart: see split_files.h. Source: GDB manual,
 * "Debugging Information in Separate Files" and "MiniDebugInfo".
 */
#ifndef HF_SYMBOL_MODULE_FILES_H
#define HF_SYMBOL_MODULE_FILES_H

#include "dwarf/callframe.h"
#include "dwarf/helpers.h"
#include "elf/symbol_index.h"
#include "os/file.h"
#include "profile/profile.h"
#include "symbol/cache/cache.h"
#include "symbol/files/debug_sections.h"
#include "symbol/files/split_files.h"
#include "symbol/files/supplement.h"
#include "symbol/options.h"
#include "symbol/sightings.h"

enum hf_debug_verdict {
    HF_DEBUG_MISSING, /* no file that may be read */
    HF_DEBUG_ANOTHER, /* a file that does not belong to the image */
    HF_DEBUG_TAKEN,
};

/* A path where the debug file was looked for. */
struct hf_debug_place {
    char *path;
    enum hf_debug_verdict verdict;
};

struct hf_module_files {
    char *path, *debug_path; /* of the two files; debug_path may be NULL */
    char *build_id;          /* of the image: a copy of its bytes */
    struct hf_file_map image_map, debug_map;
    struct hf_elf image, debug;      /* debug may be from .gnu_debugdata, or all-zero: none found */
    struct hf_callframes callframes; /* of the image */
    struct hf_dwarf_sections sections; /* of the debug file, or of the image; may be empty */
    struct hf_inflated inflated;       /* of them, or the image of .gnu_debugdata */
    struct hf_debug_file supplement;   /* what the sections have in common with others */
    struct hf_split_files split;       /* what is not in them (split DWARF) */
    struct hf_resolver *resolver;      /* of them, from the first look-up on */
    struct hf_helpers helpers;         /* of them, from the first look-up on that asks for it */
    struct hf_dwarf_damage told;       /* what the notes of look-ups have said */
    struct hf_symbol_index image_symbols, debug_symbols; /* from the second one on */
    struct hf_intern symbol_names;                       /* that were found in them */
    uint32_t names_generation, look_ups;
    struct hf_debug_place *tried; /* in their order, as far as there was memory for them */
    size_t tried_count, tried_capacity;
    bool is_searched;              /* find_debug was called */
    struct hf_sightings sightings; /* then: of all the files looked for */
    struct hf_symbol_cache cache;  /* of look-ups */
    bool has_cache;                /* open_cache was called */
    bool expects_more;             /* set by who looks up: many more addresses will come */
    char unfetched[1024]; /* why what a server has, or may have, is missing; "" if nothing is */
    char why[1024];       /* sentence for the user when something is missing; "" if all is there */
};

/* Opens the file at `path`. False with the reason in files->why if not. Call close in either case.
 */
HF_MUST_CHECK bool hf_module_files_open(struct hf_module_files *files, const char *path);

/*
 * True if the file fits the mappings of `module`: each executable mapping must be what the kernel
 * makes of one of its segments. False with the reason in files->why if not.
 */
HF_MUST_CHECK bool hf_module_files_fit(
    struct hf_module_files *files, const struct hf_module *module);

/* As _open, with the reason as error. HF_ERR_SYSTEM: cannot be read; HF_ERR_INPUT: no ELF. */
HF_MUST_CHECK enum hf_status hf_module_files_open_any(
    struct hf_module_files *files, const char *path, struct hf_error *err);

/* The same for an image in memory, which outlives the files; `path` is what it is called. */
HF_MUST_CHECK enum hf_status hf_module_files_open_memory(
    struct hf_module_files *files, const char *path, struct hf_text bytes, struct hf_error *err);

/*
 * False if one of the files was cut short or written to while it was read: what was read so far is
 * not to be believed, files->why says so, and nothing of it will be kept.
 */
HF_MUST_CHECK bool hf_module_files_are_sound(struct hf_module_files *files);

/* Looks for the debug information, if it was not yet, and decompresses what is needed of it. */
void hf_module_files_find_debug(
    struct hf_module_files *files, const struct hf_symbol_options *options);

/* Opens the cache of look-ups in these files, if there is to be one and that was not done yet. */
void hf_module_files_open_cache(
    struct hf_module_files *files, const struct hf_symbol_options *options);

/* Keeps what was looked up, if there is a cache; the next look-up opens it again. */
void hf_module_files_close_cache(struct hf_module_files *files);

/* Also closes the cache. */
void hf_module_files_close(struct hf_module_files *files);

#endif
