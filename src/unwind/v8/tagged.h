/*
 * tagged.h: objects of V8's heap, and its strings.
 *
 * While V8 collects garbage, on this thread or with the help of others, objects move: the first
 * word of one that has moved is where it is now, and that is followed. An object's type is that of
 * its map, and nothing else is believed.
 *
 * Strings are Latin-1 or UTF-16. A *text* is a string whose characters stand together: its own, a
 * slice's, its embedder's. A *name* is a copy of the last characters of any string, also of one
 * that V8 joined of others and has not made flat yet.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_V8_TAGGED_H
#define HF_UNWIND_V8_TAGGED_H

#include "unwind/interpreted/memory.h"
#include "unwind/v8/metadata.h"

#define HF_V8_NAME_MAX 256u          /* characters that are kept of a name or path */
#define HF_V8_NAME_BYTES 768u        /* that are written of them, at most */
#define HF_V8_SOURCE_MAX (16u << 20) /* characters of which lines are counted */

struct hf_v8_text {
    uint64_t at; /* the first character */
    uint32_t length;
    uint32_t unit; /* bytes of each */
};

/* The characters end where the array does. */
struct hf_v8_name {
    uint32_t count;
    uint16_t units[HF_V8_NAME_MAX];
};

/* The type of an object, which is where it is now then. False: there is none. */
HF_MUST_CHECK bool hf_v8_object_find(const struct hf_v8 *v8,
    const struct hf_interpreted_memory *memory, uint64_t *object, uint32_t *out_type);

/* A word of an object. */
HF_MUST_CHECK bool hf_v8_object_word(const struct hf_interpreted_memory *memory, uint64_t object,
    int32_t offset, uint64_t *out_word);

/* The length of the string that a word of an object is; 0: it is none, or empty. */
uint32_t hf_v8_string_length(
    const struct hf_v8 *v8, const struct hf_interpreted_memory *memory, uint64_t object);

/* The characters of a string. False: it is none, or they do not stand together. */
HF_MUST_CHECK bool hf_v8_text_find(const struct hf_v8 *v8,
    const struct hf_interpreted_memory *memory, uint64_t object, struct hf_v8_text *out_text);

/* The end of a string. False: it is none, or is joined of too many. */
HF_MUST_CHECK bool hf_v8_name_read(const struct hf_v8 *v8,
    const struct hf_interpreted_memory *memory, uint64_t object, struct hf_v8_name *out_name);

uint64_t hf_v8_name_hash(const struct hf_v8_name *name, uint64_t hash);

/* Writes it as UTF-8, without a NUL; returns the bytes. */
size_t hf_v8_name_write(const struct hf_v8_name *name, char out[HF_V8_NAME_BYTES]);

/* The line of a character, from 1; 0: it is too far, or not there. */
uint32_t hf_v8_text_line(
    const struct hf_interpreted_memory *memory, const struct hf_v8_text *text, uint32_t position);

#endif
