#include "unwind/ruby/structures.h"

#include "base/text.h"

static const struct hf_ruby_layout ruby_layouts[] = {
    {
        .version = 0x0301,
        .vm_heap = 1104,
        .heap_flags = 16,
        .heap_is_collecting = 1u << 5, /* during_gc */
        .context_stack = 0,
        .context_stack_words = 8,
        .context_frame = 16,
        .context_thread = 48,
        .thread_vm = 32,
        .thread_context = 40,
        .thread_blocking = 168,
        .frame_pc = 0,
        .frame_sequence = 16,
        .frame_environment = 32,
        .sequence_code = 16,
        .code_kind = 0,
        .code_words = 4,
        .code_start = 8,
        .code_path = 64,
        .code_base_label = 72,
        .code_label = 80,
        .code_first_line = 88,
        .code_lines = 120,
        .code_line_count = 136,
        .code_line_index = 144,
        .code_local = 176,
        .code_kind_method = 1,
        .line_bytes = 12,
        .method_definition = 16,
        .method_owner = 32,
        .definition_mask = 0x0f,
        .definition_is_code = 0,
        .special_method = 8,
        .string_length = 16,
        .string_pointer = 24,
        .string_bytes = 16,
        .array_items = 16,
        .class_more = 24,
        .more_variables = 8,
        .table_start = 32,
        .table_bound = 40,
        .table_entries = 48,
    },
};

const struct hf_ruby_layout *hf_ruby_layout_find(uint32_t version)
{
    for (size_t i = 0; i < HF_COUNT(ruby_layouts); i++) {
        if (ruby_layouts[i].version == version)
            return &ruby_layouts[i];
    }
    return NULL;
}
