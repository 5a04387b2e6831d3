/*
 * interpreted.h: frames of interpreters in a live table: lines of code that no module has.
 *
 * A *code* is a function of a program that an interpreter runs. It stands in the text, at any byte:
 * a struct hf_live_code, then the bytes of its name; its file stands elsewhere in the text. A frame
 * is a code and a line of it (layout.h: HF_LIVE_CODE).
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
    HF_LIVE_LUA = 6,  /* the version has the release, too */
};

/* What became of the frames of the interpreter in the process. */
enum hf_live_interpreter {
    HF_LIVE_INTERPRETER_NONE = 0,
    HF_LIVE_INTERPRETER_READ = 1,    /* they are in the stacks */
    HF_LIVE_INTERPRETER_UNKNOWN = 2, /* nobody knows how this version keeps them */
    HF_LIVE_INTERPRETER_UNFIT = 3,   /* its memory is not what it should be in this version */
};

/* `interpreter` of the state. The version of Python is its Py_Version, of Lua major << 16 | minor
 * << 8 | release, of the others major << 8 | minor; 0: it is not known. */
static inline uint64_t hf_live_interpreter_word(
    enum hf_live_language language, enum hf_live_interpreter what, uint32_t version)
{
    return (uint64_t)language << 48 | (uint64_t)what << 32 | version;
}

/* A function of an interpreter's. It stands in the text at any byte, and the name's bytes follow.
 */
struct hf_live_code {
    uint16_t name_bytes, file_bytes;
    uint32_t file; /* in the text */
};

_Static_assert(sizeof(struct hf_live_code) == 8, "packed");

#define HF_LIVE_CODE_LINE_BITS 20
#define HF_LIVE_CODE_LINE_MAX ((1u << HF_LIVE_CODE_LINE_BITS) - 1)
#define HF_LIVE_CODE_TEXT_MAX (1u << 28)

/* Of the code at `position`, below HF_LIVE_CODE_TEXT_MAX; a line that is too large is unknown. */
static inline uint64_t hf_live_code_frame(uint32_t position, uint32_t line)
{
    line = line <= HF_LIVE_CODE_LINE_MAX ? line : 0;
    return hf_live_frame(HF_LIVE_CODE, (uint64_t)position << HF_LIVE_CODE_LINE_BITS | line);
}

#endif
