/*
 * bundle.h: heapflame's own file, *.hfb: a profile with its names, readable without the binaries.
 *
 *     file    = gzip(Bundle)         what is not compressed is read, too
 *     Bundle  = a message of protobuf.h; fields below; the magic first, the version second
 *
 * It is struct hf_profile as it is after symbolizing, record by record, so that every view of it is
 * the view that the machine with the binaries would give: the addresses with modules and build-ids,
 * for each of them the calls, files and lines, all values, threads, and the notes. Names are as the
 * files have them (HF_FRAME_IS_LINKAGE), so that --full-names still means something; the
 * allocator's frames are there, so that --keep-allocator does.
 *
 * Records refer to earlier ones by their number: strings and modules from 1 (0: none), threads and
 * frames from 0. Numbers that are 0 and texts that are empty may be left out. Head fields come
 * before the first sample.
 *
 * A version that is greater is refused. A field of an unknown number is skipped: a writer may add
 * fields under the same version if a reader that skips them still says nothing wrong.
 *
 * A record that makes no sense is left out and counted in a loss note; so is what is missing when
 * the file is cut, which the last field tells.
 */
#ifndef HF_FORMATS_BUNDLE_H
#define HF_FORMATS_BUNDLE_H

#include "base/strings/out.h"
#include "profile/profile.h"

#define HF_BUNDLE_MAGIC "heapflame bundle"
#define HF_BUNDLE_VERSION 1

enum hf_bundle_field {
    HF_BUNDLE_FIELD_MAGIC = 1,
    HF_BUNDLE_FIELD_VERSION = 2,
    HF_BUNDLE_STRING = 3, /* bytes */
    HF_BUNDLE_TYPE = 4,   /* struct hf_value_type; not after a sample */
    HF_BUNDLE_MODULE = 5,
    HF_BUNDLE_THREAD = 6,
    HF_BUNDLE_FRAME = 7,
    HF_BUNDLE_NAMES = 8, /* of an address frame */
    HF_BUNDLE_SAMPLE = 9,
    HF_BUNDLE_NOTE = 10,
    HF_BUNDLE_SAMPLE_COUNT = 11, /* the last field */
    /* The head: of struct hf_profile what is called so there. */
    HF_BUNDLE_DEFAULT_TYPE = 12,
    HF_BUNDLE_IS_DIFFERENCE = 13,
    HF_BUNDLE_PERIOD_BYTES = 14,
    HF_BUNDLE_SAMPLED_OBJECTS = 15,
    HF_BUNDLE_HAS_ADDRESSES = 16,
    HF_BUNDLE_IS_NO_HEAP = 17,
    HF_BUNDLE_IS_SATURATED = 18,
    HF_BUNDLE_NOTES_DROPPED = 19,
    HF_BUNDLE_HAS_LOSS = 20,
    HF_BUNDLE_COMMAND = 21, /* a string */
    HF_BUNDLE_PROCESS_ID = 22,
    HF_BUNDLE_PROCESS_START = 23,
    HF_BUNDLE_PEAK_BYTES = 24,
    HF_BUNDLE_PEAK_AFTER_MS = 25,
    HF_BUNDLE_BEGAN_MS = 26,
    HF_BUNDLE_HAS_CLASSES = 27,
    HF_BUNDLE_EPOCH_SHIFT = 28,
    HF_BUNDLE_BLOCKS = 29, /* of a stack: classes of profile/lifetimes.h */
    HF_BUNDLE_START_AFTER_MS = 30,
    HF_BUNDLE_CURVE = 31,
    HF_BUNDLE_PEAK_MOST_BYTES = 32,
    HF_BUNDLE_WEIGHT_PER_MILLE = 33,
};
#define HF_BUNDLE_CLASSES_IN_USE 2 /* of HF_BUNDLE_HAS_CLASSES: has_no_freed */
enum hf_bundle_type_field { HF_BUNDLE_TYPE_NAME = 1, HF_BUNDLE_TYPE_UNIT = 2 };
enum hf_bundle_module_field {
    HF_BUNDLE_MODULE_PATH = 1,
    HF_BUNDLE_MODULE_BUILD_ID = 2,
    HF_BUNDLE_MODULE_WHY_UNNAMED = 3,
    HF_BUNDLE_MODULE_IS_DELETED = 4,
    HF_BUNDLE_MODULE_SEGMENT = 5, /* a message each */
};
enum hf_bundle_segment_field {
    HF_BUNDLE_SEGMENT_START = 1,
    HF_BUNDLE_SEGMENT_SIZE = 2,
    HF_BUNDLE_SEGMENT_FILE_OFFSET = 3,
    HF_BUNDLE_SEGMENT_IS_EXECUTABLE = 4,
};
enum hf_bundle_thread_field { HF_BUNDLE_THREAD_UID = 1, HF_BUNDLE_THREAD_NAME = 2 };
enum hf_bundle_frame_field {
    HF_BUNDLE_FRAME_FLAGS = 1, /* enum hf_frame_flag */
    HF_BUNDLE_FRAME_MODULE = 2,
    HF_BUNDLE_FRAME_OFFSET = 3,
    HF_BUNDLE_FRAME_NAME = 4,
    HF_BUNDLE_FRAME_FILE = 5,
    HF_BUNDLE_FRAME_LINE = 6,
    HF_BUNDLE_FRAME_SYMBOL = 7,
    HF_BUNDLE_FRAME_VARIANT = 8,
    HF_BUNDLE_FRAME_PAST_START = 9,
};
enum hf_bundle_names_field {
    HF_BUNDLE_NAMES_OF = 1,    /* the address frame */
    HF_BUNDLE_NAMES_CALLS = 2, /* packed: its named frames, leaf first */
};
enum hf_bundle_sample_field {
    HF_BUNDLE_SAMPLE_STACK = 1,  /* packed: frames, leaf first; missing: as in the sample before */
    HF_BUNDLE_SAMPLE_THREAD = 2, /* its number + 1; 0: the whole process */
    HF_BUNDLE_SAMPLE_VALUES = 3, /* packed: one for each type; then, of a difference, released */
};
enum hf_bundle_curve_field {
    HF_BUNDLE_CURVE_SHIFT = 1,
    HF_BUNDLE_CURVE_IN_USE = 2, /* packed, as the next */
    HF_BUNDLE_CURVE_ALLOCATED = 3,
};
enum hf_bundle_blocks_field {
    HF_BUNDLE_BLOCKS_STACK = 1, /* packed: frames, leaf first */
    HF_BUNDLE_BLOCKS_CLASS0 =
        2, /* packed: of each kind of class a field; class and two values each */
};
enum hf_bundle_note_field {
    HF_BUNDLE_NOTE_KIND = 1, /* enum hf_note_kind */
    HF_BUNDLE_NOTE_TIMES = 2,
    HF_BUNDLE_NOTE_TEXT = 3, /* bytes */
};

/* Writes the message alone, not compressed; `type` is the value to show first. */
HF_MUST_CHECK enum hf_status hf_bundle_write(
    const struct hf_profile *profile, size_t type, struct hf_out *out, struct hf_error *err);

#endif
