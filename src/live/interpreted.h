/*
 * interpreted.h: frames of interpreters in a live table, i.e. lines of code that are in no module.
 *
 * A *code* is a function of a program that an interpreter runs. It stands in the table's text,
 * without alignment: a struct hf_live_code, then the bytes of its name. The name of its file stands
 * elsewhere in the text. A frame is a code and a line in it (layout.h: HF_LIVE_CODE).
 *
 * Example:
 *
 *     struct hf_live_code code = {.name_bytes = 5, .file_bytes = 7, .file = 16};
 *     uint32_t position = 40; // of `code` in the text
 *     uint64_t frame = hf_live_code_frame(position, 12);
 *     if (hf_live_frame_module(frame) == HF_LIVE_CODE &&
 *         hf_live_frame_offset(frame) >> HF_LIVE_CODE_LINE_BITS == position)
 *         status = code.name_bytes != 0 ? HF_OK : HF_ERR_INPUT;
 */
#ifndef HF_LIVE_INTERPRETED_H
#define HF_LIVE_INTERPRETED_H

#include "live/layout.h"

/* Interpreters whose frames are known. */
enum hf_live_language {
    HF_LIVE_PYTHON = 0,
    HF_LIVE_PHP = 1,
    HF_LIVE_PERL = 2,
    HF_LIVE_RUBY = 3,
    HF_LIVE_V8 = 4,   /* JavaScript; the version is that of V8 */
    HF_LIVE_JAVA = 5, /* the version's minor is 0 */
    HF_LIVE_LUA = 6,  /* the version includes the release */
};

/* What became of the frames of the interpreter in the process. */
enum hf_live_interpreter {
    HF_LIVE_INTERPRETER_NONE = 0,
    HF_LIVE_INTERPRETER_READ = 1,    /* its frames are in the stacks */
    HF_LIVE_INTERPRETER_UNKNOWN = 2, /* heapflame does not know how this version keeps them */
    HF_LIVE_INTERPRETER_UNFIT = 3,   /* its memory does not look as it should in this version */
};

/* The field `interpreter` of the state. The version is Py_Version for Python, major << 16 | minor
 * << 8 | release for Lua, and major << 8 | minor for the others; 0: not known. */
static inline uint64_t hf_live_interpreter_word(
    enum hf_live_language language, enum hf_live_interpreter what, uint32_t version)
{
    return (uint64_t)language << 48 | (uint64_t)what << 32 | version;
}

/* A function that an interpreter runs. It stands in the text without alignment, and the bytes of
 * its name follow. */
struct hf_live_code {
    uint16_t name_bytes, file_bytes;
    uint32_t file; /* in the text */
};

_Static_assert(sizeof(struct hf_live_code) == 8, "packed");

#define HF_LIVE_CODE_LINE_BITS 20
#define HF_LIVE_CODE_LINE_MAX ((1u << HF_LIVE_CODE_LINE_BITS) - 1)
#define HF_LIVE_CODE_TEXT_MAX (1u << 28)

/* The frame of a line in the code at `position`, which is below HF_LIVE_CODE_TEXT_MAX. A line that
 * is too large becomes 0: unknown. */
static inline uint64_t hf_live_code_frame(uint32_t position, uint32_t line)
{
    line = line <= HF_LIVE_CODE_LINE_MAX ? line : 0;
    return hf_live_frame(HF_LIVE_CODE, (uint64_t)position << HF_LIVE_CODE_LINE_BITS | line);
}

#endif
