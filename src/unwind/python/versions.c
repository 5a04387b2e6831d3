#include "unwind/python/versions.h"

static const struct hf_python_layout layouts[] = {
    {
        .version = 0x030b,
        .entry = HF_PYTHON_ENTRY_FLAG,
        .key = 592,
        .current = 576,
        .thread_id = 152,
        .chain = 56,
        .active = HF_PYTHON_NOWHERE,
        .cframe_frame = 8,
        .cframe_previous = 16,
        .frame_code = 32,
        .frame_previous = 48,
        .frame_instruction = 56,
        .frame_owner = 69,
        .frame_is_entry = 68,
        .code_first_line = 72,
        .code_file = 112,
        .code_name = 128,
        .code_lines = 136,
        .code_instructions = 184,
        .ascii_bytes = 48,
        .compact_bytes = 72,
    },
    {
        .version = 0x030c,
        .entry = HF_PYTHON_ENTRY_SHIM,
        .key = 1544,
        .current = HF_PYTHON_NOWHERE,
        .thread_id = 136,
        .chain = 56,
        .active = 24, /* _status: initialized, bound, unbound, bound_gilstate, active */
        .active_mask = 1u << 4,
        .active_value = 1u << 4,
        .cframe_frame = 0,
        .cframe_previous = 8,
        .frame_code = 0,
        .frame_previous = 8,
        .frame_instruction = 56,
        .frame_owner = 70,
        .frame_is_entry = HF_PYTHON_NOWHERE,
        .code_first_line = 68,
        .code_file = 112,
        .code_name = 128,
        .code_lines = 136,
        .code_instructions = 192,
        .ascii_bytes = 40,
        .compact_bytes = 56,
    },
    {
        .version = 0x030d,
        .entry = HF_PYTHON_ENTRY_SHIM,
        .key = 2160,
        .current = HF_PYTHON_NOWHERE,
        .thread_id = 152,
        .chain = 72,
        .active = 40, /* state: 1 is attached */
        .active_mask = UINT32_MAX,
        .active_value = 1,
        .cframe_frame = HF_PYTHON_NOWHERE,
        .cframe_previous = HF_PYTHON_NOWHERE,
        .frame_code = 0,
        .frame_previous = 8,
        .frame_instruction = 56,
        .frame_owner = 70,
        .frame_is_entry = HF_PYTHON_NOWHERE,
        .code_first_line = 68,
        .code_file = 112,
        .code_name = 128,
        .code_lines = 136,
        .code_instructions = 200,
        .ascii_bytes = 40,
        .compact_bytes = 56,
    },
};

const struct hf_python_layout *hf_python_layout_find(uint32_t py_version)
{
    for (size_t i = 0; i < HF_COUNT(layouts); i++) {
        if (layouts[i].version == py_version >> 16)
            return &layouts[i];
    }
    return NULL;
}

/* _Py_DebugOffsets of 3.13, in words: only those that are used here. */
enum {
    DEBUG_COOKIE = 0,
    DEBUG_VERSION = 1,
    DEBUG_FREE_THREADED = 2,
    DEBUG_THREAD = 19,
    DEBUG_FRAME = 28,
    DEBUG_CODE = 34,
    DEBUG_WORDS = 44,
};

static bool debug_offsets_fit(const struct hf_python_layout *layout, const uint64_t *words)
{
    const uint64_t *thread = words + DEBUG_THREAD, *frame = words + DEBUG_FRAME,
                   *code = words + DEBUG_CODE;
    return words[DEBUG_VERSION] >> 16 == layout->version && words[DEBUG_FREE_THREADED] == 0 &&
           thread[4] == layout->chain && thread[5] == layout->thread_id &&
           frame[1] == layout->frame_previous && frame[2] == layout->frame_code &&
           frame[3] == layout->frame_instruction && frame[5] == layout->frame_owner &&
           code[1] == layout->code_file && code[3] == layout->code_name &&
           code[4] == layout->code_lines && code[5] == layout->code_first_line &&
           code[9] == layout->code_instructions;
}

bool hf_python_layout_fits(const struct hf_python_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t runtime)
{
    uint64_t words[DEBUG_WORDS];
    if (layout->version < 0x030d)
        return true;
    return hf_interpreted_copy(memory, runtime, words, sizeof words) &&
           memcmp(words, "xdebugpy", 8) == 0 && debug_offsets_fit(layout, words);
}
