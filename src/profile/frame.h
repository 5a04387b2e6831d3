/*
 * frame.h: one frame of a stack, before and after it has a name.
 *
 * Vocabulary: an *address frame* is (module, offset) as captured; a *named frame* is a function,
 * with the source line where it is known. Symbolizing expands one address frame into one or more
 * named frames (inlined calls, leaf first). Folding turns both into display frames by clearing the
 * fields that the asked-for granularity does not show, so equal frames get equal ids.
 *
 * Some captures tell an address by a symbol: "palloc+0xcd". Such a frame holds for every place a
 * module was loaded at, and it is named without the binary. One exception: a return address
 * `next+0x0` belongs to a call that ends the function before `next`; its offset is -1 and it has no
 * name until a symbol table tells what lies there.
 */
#ifndef HF_PROFILE_FRAME_H
#define HF_PROFILE_FRAME_H

#include <stdint.h>

#define HF_NO_STRING 0u /* string id 0 is the empty text */
#define HF_NO_MODULE 0u /* module id 0 stands for "in no mapped file" */

enum hf_frame_flag {
    HF_FRAME_NAMED = 1,        /* `name` holds a truthful name */
    HF_FRAME_INLINED = 2,      /* was inlined into the next frame towards the root */
    HF_FRAME_HAS_OFFSET = 4,   /* `module` and `offset` say something */
    HF_FRAME_LINKED = 8,       /* `offset` is an address as linked, not an offset in the file */
    HF_FRAME_RETURN = 16,      /* the input has the address behind the call: shown as offset + 1 */
    HF_FRAME_IS_LONG = 32,     /* `name` came as C++ or Rust, maybe mangled: to be shortened */
    HF_FRAME_INTERRUPTED = 64, /* by a signal, at offset + 1: what is there called nothing */
    HF_FRAME_IS_LINKAGE = 128, /* `name` is as the module's file has it: to be demangled */
    HF_FRAME_IS_MODULE = 256,  /* without a name it is "[module]" by function, wherever it lies */
    HF_FRAME_IS_NEAR = 512,    /* `line` is that of the code before, shown as ~LINE: it has none */
    HF_FRAME_IS_HELPER = 1024, /* a function that makes things for its callers (dwarf/helpers.h) */
    HF_FRAME_MAY_KEEP = 2048,  /* it is one that may keep them, too */
};

/*
 * Of a named frame, how many functions have the bytes of its own, because the linker or the
 * compiler made them one: any of them may have been called. In `flags`, above these; 0: one.
 */
#define HF_FRAME_TWINS_SHIFT 16
#define HF_FRAME_TWINS (0xffffu << HF_FRAME_TWINS_SHIFT)
#define HF_FRAME_TWINS_MAX 100u /* stands for so many or more */

#define HF_FRAME_ALL_FLAGS (2u * HF_FRAME_MAY_KEEP - 1 + HF_FRAME_TWINS)

/* No padding: frames are interned by their bytes. */
struct hf_frame {
    uint64_t offset;  /* address frames: offset in the module's *file*; without module: address */
    uint32_t module;  /* module id */
    uint32_t name;    /* string id */
    uint32_t file;    /* string id: source file */
    uint32_t line;    /* source line, 0 unknown */
    uint32_t flags;   /* enum hf_frame_flag, HF_FRAME_TWINS */
    uint32_t variant; /* 0, or tells apart what one address is called in two builds of a file */
    uint32_t symbol;  /* string id: the symbol that `offset` counts from; 0: see `offset` */
    uint32_t past_start; /* bytes from the start of its function, if that has no name; else 0 */
};

_Static_assert(sizeof(struct hf_frame) == 40, "frames are interned bytewise: no padding");

#endif
