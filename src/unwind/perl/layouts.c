#include "unwind/perl/layouts.h"

#include "base/text.h"

static const struct hf_perl_layout perl_layouts[] = {
    {
        .version = 0x0524,
        .interpreter_bytes = 3768,
        .current_cop = 208,
        .current_stack = 224,
        .stack_contexts = 8,
        .stack_previous = 16,
        .stack_top = 32,
        .stack_max = 36,
        .context_bytes = 104,
        .context_cop = 16,
        .context_end = 48,
        .context_code = 72,
        .cop_line = 36,
        .cop_file = 48,
        .type_code = 13,
        .type_format = 14,
        .type_glob = 9,
        .type_hash = 12,
        .code_glob = 56,
        .code_flags = 92,
        .code_stash = 32,
        .code_is_named = 0x8000,
        .code_is_lexical = 0x10000,
        .glob_name = 32,
        .glob_stash = 40,
        .glob_effective = 56,
        .hash_name = 32,
        .hash_name_count = 60,
    },
};

const struct hf_perl_layout *hf_perl_layout_find(uint32_t version, uint32_t interpreter_bytes)
{
    for (size_t i = 0; i < HF_COUNT(perl_layouts); i++) {
        const struct hf_perl_layout *layout = &perl_layouts[i];
        if (layout->version == version && layout->interpreter_bytes == interpreter_bytes)
            return layout;
    }
    return NULL;
}
