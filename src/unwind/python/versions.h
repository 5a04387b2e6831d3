/*
 * versions.h: where CPython keeps what leads to the frames of a thread, version by version.
 *
 * Sources: Include/internal/pycore_frame.h, pycore_runtime.h, Include/cpython/pystate.h, code.h and
 * unicodeobject.h of each version, as the compiler lays them out on x86-64. A layout holds for all
 * releases of its minor version; there is one for each that was run (docs/agent.md). From 3.13 on
 * the interpreter says its own offsets at the start of _PyRuntime (_Py_DebugOffsets), which are
 * compared.
 *
 * Not supported: builds without the global lock, and those that trace references, whose objects
 * begin differently; the types of objects tell.
 */
#ifndef HF_UNWIND_PYTHON_VERSIONS_H
#define HF_UNWIND_PYTHON_VERSIONS_H

#include "base/attr.h"
#include "unwind/interpreted/memory.h"

/* How a frame shows that it is the outermost of one run of the eval function. */
enum hf_python_entry {
    HF_PYTHON_ENTRY_FLAG, /* it has a flag; the run's _PyCFrame is on the C stack */
    HF_PYTHON_ENTRY_SHIM, /* a frame without code, on the C stack, is outward of it */
};

#define HF_PYTHON_SHIM_OWNER 3 /* FRAME_OWNED_BY_CSTACK */
#define HF_PYTHON_THREAD_BYTES 176
#define HF_PYTHON_CFRAME_BYTES 24
#define HF_PYTHON_FRAME_BYTES 80
#define HF_PYTHON_CODE_BYTES 144
#define HF_PYTHON_NOWHERE UINT16_MAX

/* Offsets in bytes, unless something else is said. */
struct hf_python_layout {
    uint32_t version; /* upper half of Py_Version: 0x030b */
    enum hf_python_entry entry;
    /* _PyRuntimeState */
    uint16_t key;     /* Py_tss_t of the thread states */
    uint16_t current; /* that which holds the lock; HF_PYTHON_NOWHERE: `active` says it */
    /* PyThreadState */
    uint16_t thread_id;
    uint16_t chain;  /* its _PyCFrame, or the innermost frame */
    uint16_t active; /* u32; the thread holds the lock if `active_mask` leaves `active_value` */
    uint32_t active_mask, active_value;
    /* _PyCFrame; HF_PYTHON_NOWHERE: there is none */
    uint16_t cframe_frame, cframe_previous;
    /* _PyInterpreterFrame */
    uint16_t frame_code, frame_previous, frame_instruction, frame_owner, frame_is_entry;
    /* PyCodeObject */
    uint16_t code_first_line, code_file, code_name, code_lines, code_instructions;
    /* bytes of PyASCIIObject and PyCompactUnicodeObject, which the characters follow */
    uint16_t ascii_bytes, compact_bytes;
};

/* That of the version with these upper halves of Py_Version; NULL: it was never run. */
const struct hf_python_layout *hf_python_layout_find(uint32_t py_version);

/* True if the interpreter whose _PyRuntime lies at `runtime` says nothing else, if it says
 * anything. */
HF_MUST_CHECK bool hf_python_layout_fits(const struct hf_python_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t runtime);

#endif
