#include "symbol/callsite.h"

#include "base/containers/vec.h"

#include <stdlib.h>

/* Bytes of "FF modrm [sib] [displacement]", from its ModRM byte on; 0 if this is no CALL. */
static size_t indirect_call_size(const uint8_t *modrm, size_t left)
{
    unsigned mod = modrm[0] >> 6, operation = modrm[0] >> 3 & 7, rm = modrm[0] & 7;
    if (operation != 2)
        return 0;
    bool has_sib = mod != 3 && rm == 4;
    if (has_sib && left < 2)
        return 0;
    bool is_bare_displacement = mod == 0 && (rm == 5 || (has_sib && (modrm[1] & 7) == 5));
    size_t displacement = mod == 1 ? 1 : mod == 2 || is_bare_displacement ? 4 : 0;
    return 2 + has_sib + displacement;
}

static bool is_direct_call(struct hf_text code, uint64_t end)
{
    return end >= 5 && (uint8_t)code.data[end - 5] == 0xe8;
}

static bool is_indirect_call(struct hf_text code, uint64_t end)
{
    const uint8_t *bytes = (const uint8_t *)code.data;
    for (size_t size = 2; size <= 7 && size <= end; size++) {
        const uint8_t *start = bytes + (end - size);
        if (start[0] == 0xff && indirect_call_size(start + 1, size - 1) == size)
            return true;
    }
    return false;
}

bool hf_callsite_ends_at(struct hf_text code, uint64_t offset)
{
    return offset <= code.size && (is_direct_call(code, offset) || is_indirect_call(code, offset));
}

static bool callsite_is_code(const struct hf_elf_section *section)
{
    return section->type == SHT_PROGBITS && (section->flags & SHF_EXECINSTR) != 0;
}

/* True if a direct call that ends at `end` leads to code of the image, as every true one does. */
static bool leads_to_code(
    const struct hf_elf *elf, const struct hf_elf_section *section, struct hf_text code, size_t end)
{
    int32_t distance;
    memcpy(&distance, code.data + end - sizeof distance, sizeof distance);
    uint64_t target = section->address + end + (uint64_t)(int64_t)distance;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *to = &elf->sections[i];
        if (callsite_is_code(to) && target >= to->address && target - to->address < to->size)
            return true;
    }
    return false;
}

static bool is_arm_call(struct hf_text code, size_t end)
{
    uint32_t word;
    if (end % sizeof word != 0)
        return false;
    memcpy(&word, code.data + end - sizeof word, sizeof word);
    return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000;
}

static bool is_call(
    const struct hf_elf *elf, const struct hf_elf_section *section, struct hf_text code, size_t end)
{
    if (elf->machine == EM_AARCH64)
        return is_arm_call(code, end);
    return (is_direct_call(code, end) && leads_to_code(elf, section, code, end)) ||
           is_indirect_call(code, end);
}

enum hf_status hf_callsite_list(
    const struct hf_elf *elf, uint64_t **out_addresses, size_t *out_count, struct hf_error *err)
{
    uint64_t *addresses = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *section = &elf->sections[i];
        struct hf_text code = hf_elf_section_bytes(elf, section);
        for (size_t end = 1; callsite_is_code(section) && end <= code.size; end++) {
            if (!is_call(elf, section, code, end))
                continue;
            if (!hf_vec_reserve(&addresses, &capacity, count + 1, sizeof *addresses)) {
                free(addresses);
                return hf_error_memory(err);
            }
            addresses[count++] = section->address + end - 1;
        }
    }
    *out_addresses = addresses;
    *out_count = count;
    return HF_OK;
}
