#include "heap/thread_variables.h"

#include "elf/dynamic.h"

#include <string.h>

static bool is_position_independent_program(
    const struct hf_elf *elf, const struct hf_elf_segment *dynamic)
{
    struct hf_text bytes = hf_dynamic_bytes_at(elf, dynamic->address);
    Elf64_Dyn entry;
    for (size_t at = 0; bytes.size - at >= sizeof entry; at += sizeof entry) {
        memcpy(&entry, bytes.data + at, sizeof entry);
        if (entry.d_tag == DT_NULL)
            return false;
        if (entry.d_tag == DT_FLAGS_1)
            return (entry.d_un.d_val & DF_1_PIE) != 0;
    }
    return false;
}

bool hf_thread_variables_is_program(const struct hf_elf *elf)
{
    bool is_program = elf->type == ET_EXEC;
    for (size_t i = 0; i < elf->segment_count && !is_program; i++) {
        const struct hf_elf_segment *segment = &elf->segments[i];
        is_program = segment->type == PT_DYNAMIC && is_position_independent_program(elf, segment);
    }
    return is_program;
}

/* The start has the alignment that the segment asks for, and the same remainder. */
uint64_t hf_thread_variables_below(const struct hf_elf *elf)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *segment = &elf->segments[i];
        uint64_t mask = segment->alignment != 0 ? segment->alignment - 1 : 0;
        if (segment->type != PT_TLS)
            continue;
        uint64_t first = -segment->address & mask;
        return ((segment->memory_size - first + mask) & ~mask) + first;
    }
    return 0;
}
