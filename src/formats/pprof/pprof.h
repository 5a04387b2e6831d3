/*
 * pprof.h: profile.proto, the profile that Go, pprof, Pyroscope, Parca and others exchange.
 *
 * Source: github.com/google/pprof, proto/profile.proto and doc/README.md; field numbers from there.
 * A Profile is one message; its strings, mappings, functions and locations refer to each other by
 * index or id and may come after what uses them, so the whole message is held in memory
 * (HF_LIMIT_PPROF_BYTES), indexed once, and its samples are read in a second pass.
 *
 * Read from it:
 *   - values: alloc_* and inuse_* in the order of heap profiles, then the others, at most
 *     HF_VALUE_TYPES_MAX; "objects" and "space" alone are what is in use. They are estimates
 *     already. A negative one makes the profile a difference.
 *   - addresses: Location.address is a byte of the call, as ours. With a mapping it becomes (file,
 *     offset); its lines become the names of the address, inlined calls first. A location without
 *     address is its lines; one with neither is [file] of its mapping.
 *   - threads: labels thread_id, tid, thread (a number) and thread, thread_name (a text). Other
 *     labels are summed over, and a note names them.
 *   - drop_frames and keep_frames: a stack is cut from the outermost frame that they name.
 *   - default_sample_type, period of a period_type in bytes, build ids.
 * Not read: comments, time, duration.
 *
 * A record that makes no sense is left out and counted in a loss note; so is what is missing when
 * the file is cut. The names of functions are taken as they are; system_name where there is none.
 */
#ifndef HF_FORMATS_PPROF_H
#define HF_FORMATS_PPROF_H

#include "base/containers/map.h"
#include "base/cursor.h"
#include "base/strings/regex.h"
#include "profile/profile.h"

/* Fields of the messages, by number. */
enum hf_pprof_profile_field {
    HF_PPROF_SAMPLE_TYPE = 1,
    HF_PPROF_SAMPLE = 2,
    HF_PPROF_MAPPING = 3,
    HF_PPROF_LOCATION = 4,
    HF_PPROF_FUNCTION = 5,
    HF_PPROF_STRING_TABLE = 6,
    HF_PPROF_DROP_FRAMES = 7,
    HF_PPROF_KEEP_FRAMES = 8,
    HF_PPROF_PERIOD_TYPE = 11,
    HF_PPROF_PERIOD = 12,
    HF_PPROF_DEFAULT_SAMPLE_TYPE = 14,
    HF_PPROF_LAST_FIELD = 15,
};
enum hf_pprof_value_type_field { HF_PPROF_TYPE_TYPE = 1, HF_PPROF_TYPE_UNIT = 2 };
enum hf_pprof_sample_field {
    HF_PPROF_SAMPLE_LOCATION_ID = 1,
    HF_PPROF_SAMPLE_VALUE = 2,
    HF_PPROF_SAMPLE_LABEL = 3,
};
enum hf_pprof_label_field {
    HF_PPROF_LABEL_KEY = 1,
    HF_PPROF_LABEL_STR = 2,
    HF_PPROF_LABEL_NUM = 3,
};
enum hf_pprof_mapping_field {
    HF_PPROF_MAPPING_ID = 1,
    HF_PPROF_MAPPING_START = 2,
    HF_PPROF_MAPPING_LIMIT = 3,
    HF_PPROF_MAPPING_OFFSET = 4,
    HF_PPROF_MAPPING_FILENAME = 5,
    HF_PPROF_MAPPING_BUILD_ID = 6,
    HF_PPROF_MAPPING_HAS_FUNCTIONS = 7,
    HF_PPROF_MAPPING_HAS_FILENAMES = 8,
    HF_PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
    HF_PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
};
enum hf_pprof_location_field {
    HF_PPROF_LOCATION_ID = 1,
    HF_PPROF_LOCATION_MAPPING_ID = 2,
    HF_PPROF_LOCATION_ADDRESS = 3,
    HF_PPROF_LOCATION_LINE = 4,
    HF_PPROF_LOCATION_IS_FOLDED = 5,
};
enum hf_pprof_line_field { HF_PPROF_LINE_FUNCTION_ID = 1, HF_PPROF_LINE_LINE = 2 };
enum hf_pprof_function_field {
    HF_PPROF_FUNCTION_ID = 1,
    HF_PPROF_FUNCTION_NAME = 2,
    HF_PPROF_FUNCTION_SYSTEM_NAME = 3,
    HF_PPROF_FUNCTION_FILENAME = 4,
};

/* After the path of a file that is gone, as in /proc/PID/maps. */
#define HF_PPROF_DELETED " (deleted)"

struct hf_pprof_value_type {
    uint64_t type, unit; /* strings */
};

struct hf_pprof_mapping {
    uint64_t start, limit, offset;
    uint64_t file, build_id; /* strings */
    uint32_t module;         /* of the profile */
};

struct hf_pprof_function {
    uint64_t name, system_name, file;                                 /* strings */
    enum { HF_PPROF_UNTRIED, HF_PPROF_SHOWN, HF_PPROF_DROPPED } fate; /* by drop_frames */
};

struct hf_pprof_location {
    uint64_t mapping_id, address;
    struct hf_text message; /* its lines are read when a sample uses it */
    bool is_folded, is_placed;
    bool ends_stack; /* some of it is dropped, so what it called is dropped, too */
    bool is_dropped; /* all of it is dropped, unless it is at the root */
    uint32_t first;  /* of its frames in hf_pprof_frames.items, leaf first */
    uint32_t count;
};

/* What samples refer to. Strings are borrowed from the bytes. */
struct hf_pprof_tables {
    struct hf_text *strings;
    struct hf_pprof_value_type *types;
    struct hf_pprof_mapping *mappings;
    struct hf_pprof_function *functions;
    struct hf_pprof_location *locations;
    size_t string_count, type_count, mapping_count, function_count, location_count;
    size_t string_room, type_room, mapping_room, function_room, location_room;
    struct hf_map mapping_index, function_index, location_index; /* id -> index */
    struct hf_pprof_value_type period_type;
    uint64_t period, default_type, drop_frames, keep_frames;
    uint64_t damaged;  /* records that make no sense */
    uint64_t end;      /* offset up to which the message could be read */
    bool is_cut;       /* there is more behind `end` */
    bool has_negative; /* some sample has a negative value */
};

/* Indexes a message. Free with hf_pprof_tables_done, also after an error. */
HF_MUST_CHECK enum hf_status hf_pprof_index(
    struct hf_pprof_tables *tables, struct hf_text message, struct hf_error *err);
void hf_pprof_tables_done(struct hf_pprof_tables *tables);

/* A string by its index; empty if there is none. */
struct hf_text hf_pprof_string(const struct hf_pprof_tables *tables, uint64_t index);

/* True for an index past the table. */
static inline bool hf_pprof_is_missing(const struct hf_pprof_tables *tables, uint64_t index)
{
    return index != 0 && index >= tables->string_count;
}

#define HF_PPROF_LEFT_OUT SIZE_MAX

/*
 * Makes value types of those of the file, and says which is the default. *out_columns is theirs by
 * the file's, or HF_PPROF_LEFT_OUT: free it. HF_ERR_INPUT: one has no name. `name` is for notes.
 */
HF_MUST_CHECK enum hf_status hf_pprof_add_types(struct hf_profile *profile,
    const struct hf_pprof_tables *tables, const char *name, size_t **out_columns,
    struct hf_error *err);

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
