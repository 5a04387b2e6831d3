/*
 * addresses.h: what text profiles of allocators share: stacks of return addresses, and the memory
 * map at their end that says in which files these lie.
 *
 *     stack  = { " 0x" hex }                                   leaf first
 *     map    = "MAPPED_LIBRARIES:" LF { line of /proc/PID/maps }
 *            | "--- Memory map:" LF { "build=" folder LF | start "-" end ": " path LF }
 *
 * Source: jemalloc(3); gperftools, memory-map of its heap profiles; google/pprof, legacy formats.
 * "$build" in a path stands for the last folder given. What is stored of an address is address - 1,
 * a byte of the call itself: first with no module, then, when the map is known, as a place in a
 * file. Names given to a frame before (formats/heap/symbolized.c) go along.
 */
#ifndef HF_FORMATS_ADDRESSES_H
#define HF_FORMATS_ADDRESSES_H

#include "base/strings/out.h"
#include "formats/heap/maps.h"
#include "os/input.h"

struct hf_addresses {
    struct hf_input *input; /* its name and line are for the notes */
    struct hf_profile *profile;
    struct hf_map frames; /* address -> frame, so that each is interned once */
    uint64_t *by_frame;   /* and back, for frames of stacks */
    size_t frame_capacity;
    uint64_t *stack; /* addresses of the stack read last, leaf first */
    size_t depth, capacity;
    struct hf_maps maps;
    struct hf_out build;   /* what $build stands for */
    struct hf_out line;    /* scratch: a line with $build replaced */
    bool has_no_map;       /* set by the reader: this kind of profile ends without one */
    bool has_heading;      /* the map has begun */
    bool has_last_mapping; /* its last line is one that ends every /proc/PID/maps */
};

/* An all-zero object with `input` and `profile` set is ready. */
void hf_addresses_done(struct hf_addresses *a);

/* As hf_input_next; a line that is cut short is noted, left out, and the last. */
bool hf_addresses_next(
    struct hf_addresses *a, struct hf_text *out_line, enum hf_status *status, struct hf_error *err);

/* Reads a stack. *out_is_sound is false, and there is no node, if `text` has another form. */
HF_MUST_CHECK enum hf_status hf_addresses_stack(struct hf_addresses *a, struct hf_text text,
    uint32_t *out_node, bool *out_is_sound, struct hf_error *err);

/* The frame of an address before its place is known: address - 1, in no module. */
HF_MUST_CHECK enum hf_status hf_addresses_raw_frame(
    struct hf_profile *profile, uint64_t address, uint32_t *out_frame, struct hf_error *err);

/* True if the line begins the map: what follows goes to hf_addresses_map_line. */
bool hf_addresses_heading(struct hf_addresses *a, struct hf_text line);
HF_MUST_CHECK enum hf_status hf_addresses_map_line(
    struct hf_addresses *a, struct hf_text line, struct hf_error *err);

/* Gives every address its module, and notes what the map lacks. */
HF_MUST_CHECK enum hf_status hf_addresses_place(struct hf_addresses *a, struct hf_error *err);

/* Notes a line of another form than `expected`, which is left out. */

#endif
