/*
 * pprof_fields.h: profile.proto, the profile that Go, pprof, Pyroscope, Parca and others exchange.
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
 *   - classes of blocks, as heapflame writes them (docs/formats/blocks.md).
 * Not read: other comments, time, duration.
 *
 * A record that makes no sense is left out and counted in a loss note; so is what is missing when
 * the file is cut. The names of functions are taken as they are; system_name where there is none.
 */
#ifndef HF_FORMATS_PPROF_FIELDS_H
#define HF_FORMATS_PPROF_FIELDS_H

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
    HF_PPROF_COMMENT = 13,
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
    HF_PPROF_LABEL_NUM_UNIT = 4,
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

/*
 * Classes of blocks (profile/lifetimes.h): a sample has one label, by which it is of one class, and
 * only these values. The last two are of births.
 */
enum hf_pprof_class_value {
    HF_PPROF_LIFETIME_OBJECTS,
    HF_PPROF_LIFETIME_SPACE,
    HF_PPROF_SIZE_OBJECTS,
    HF_PPROF_BIRTH_SPACE,
    HF_PPROF_BIRTH_INUSE_SPACE,
    HF_PPROF_CLASS_VALUES,
};
#define HF_PPROF_CLASS_NAMES                                                                       \
    {                                                                                              \
        "lifetime_objects", "lifetime_space", "size_objects", "birth_space", "birth_inuse_space"   \
    }
#define HF_PPROF_CLASS_LABELS                                                                      \
    {                                                                                              \
        "lifetime", "size", "birth"                                                                \
    }
#define HF_PPROF_CLASS_COMMENT "heapflame: "

/* After the path of a file that is gone, as in /proc/PID/maps. */
#define HF_PPROF_DELETED " (deleted)"

#endif
