#include "elf/links.h"

#include "base/cursor.h"

static bool open_section(const struct hf_elf *elf, const char *name, struct hf_cursor *out_cursor)
{
    const struct hf_elf_section *section = hf_elf_section(elf, name);
    if (section == NULL)
        return false;
    struct hf_text bytes = hf_elf_section_bytes(elf, section);
    *out_cursor = hf_cursor_of(bytes.data, bytes.size, elf->name);
    return true;
}

bool hf_elf_debuglink(const struct hf_elf *elf, struct hf_text *out_name, uint32_t *out_crc)
{
    struct hf_cursor c;
    if (!open_section(elf, ".gnu_debuglink", &c))
        return false;
    struct hf_text name = hf_cursor_string(&c);
    hf_cursor_seek(&c, (hf_cursor_offset(&c) + 3) & ~(size_t)3);
    uint32_t crc = hf_cursor_u32(&c);
    /* A name with a folder in it could point anywhere: it must be bare. */
    if (hf_cursor_failed(&c) || name.size == 0 || hf_text_find(name, '/') != name.size)
        return false;
    *out_name = name;
    *out_crc = crc;
    return true;
}

/* .debug_sup. False if absent or damaged. */
static bool read_debug_sup(const struct hf_elf *elf, bool *out_is_supplement,
    struct hf_text *out_path, struct hf_text *out_checksum)
{
    struct hf_cursor c;
    if (!open_section(elf, ".debug_sup", &c))
        return false;
    uint16_t version = hf_cursor_u16(&c);
    *out_is_supplement = hf_cursor_u8(&c) != 0;
    *out_path = hf_cursor_string(&c);
    *out_checksum = hf_cursor_bytes(&c, hf_cursor_uleb(&c));
    return !hf_cursor_failed(&c) && version == 5;
}

bool hf_elf_supplement(const struct hf_elf *elf, struct hf_text *out_path, struct hf_text *out_id)
{
    bool is_supplement;
    struct hf_text path, id;
    struct hf_cursor c;
    if (open_section(elf, ".gnu_debugaltlink", &c)) {
        path = hf_cursor_string(&c);
        id = hf_cursor_bytes(&c, hf_cursor_left(&c));
    } else if (!read_debug_sup(elf, &is_supplement, &path, &id) || is_supplement) {
        return false;
    }
    if (path.size == 0 || id.size == 0)
        return false;
    *out_path = path;
    *out_id = id;
    return true;
}

struct hf_text hf_elf_supplement_id(const struct hf_elf *elf)
{
    bool is_supplement;
    struct hf_text path, checksum;
    if (read_debug_sup(elf, &is_supplement, &path, &checksum) && is_supplement)
        return checksum;
    return elf->build_id;
}
