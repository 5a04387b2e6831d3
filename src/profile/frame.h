/*
 * frame.h: one frame of a stack, before and after it has a name.
 *
 * Vocabulary: an *address frame* is (module, offset) as captured; a *named frame* is a function,
 * with the source line where it is known. Symbolizing expands one address frame into one or more
 * named frames (inlined calls, leaf first). Folding turns both into display frames by clearing the
 * fields that the asked-for granularity does not show, so equal frames get equal ids.
 */
#ifndef HF_PROFILE_FRAME_H
#define HF_PROFILE_FRAME_H

#include <stdint.h>

#define HF_NO_STRING 0u /* string id 0 is the empty text */
#define HF_NO_MODULE 0u /* module id 0 stands for "in no mapped file" */

enum hf_frame_flag {
    HF_FRAME_NAMED = 1,      /* `name` holds a truthful name */
    HF_FRAME_INLINED = 2,    /* was inlined into the next frame towards the root */
    HF_FRAME_HAS_OFFSET = 4, /* `module` and `offset` say something */
    HF_FRAME_LINKED = 8,     /* `offset` is an address as linked, not an offset in the file */
};

/* No padding: frames are interned by their bytes. */
struct hf_frame {
    uint64_t offset;  /* address frames: offset in the module's *file*; without module: address */
    uint32_t module;  /* module id */
    uint32_t name;    /* string id */
    uint32_t file;    /* string id: source file */
    uint32_t line;    /* source line, 0 unknown */
    uint32_t flags;   /* enum hf_frame_flag */
    uint32_t variant; /* 0, or tells apart what one address is called in two builds of a file */
};

_Static_assert(sizeof(struct hf_frame) == 32, "frames are interned bytewise: no padding");

#endif
