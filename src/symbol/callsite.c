#include "symbol/callsite.h"

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

bool hf_callsite_ends_at(struct hf_text code, uint64_t offset)
{
    const uint8_t *bytes = (const uint8_t *)code.data;
    if (offset > code.size)
        return false;
    if (offset >= 5 && bytes[offset - 5] == 0xe8)
        return true;
    for (size_t size = 2; size <= 7 && size <= offset; size++) {
        const uint8_t *start = bytes + (offset - size);
        if (start[0] == 0xff && indirect_call_size(start + 1, size - 1) == size)
            return true;
    }
    return false;
}
