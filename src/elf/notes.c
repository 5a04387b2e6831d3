#include "elf/notes.h"

#include "base/cursor.h"

#include <elf.h>

struct hf_text hf_elf_note_build_id(struct hf_text notes)
{
    struct hf_cursor c = hf_cursor_of(notes.data, notes.size, "notes");
    while (hf_cursor_left(&c) >= 12) {
        uint32_t name_size = hf_cursor_u32(&c);
        uint32_t value_size = hf_cursor_u32(&c);
        uint32_t type = hf_cursor_u32(&c);
        struct hf_text name = hf_cursor_bytes(&c, name_size);
        hf_cursor_skip(&c, (4 - name_size % 4) % 4);
        struct hf_text value = hf_cursor_bytes(&c, value_size);
        if (hf_cursor_failed(&c))
            break;
        if (type == NT_GNU_BUILD_ID && name.size == 4 && memcmp(name.data, "GNU", 4) == 0)
            return value;
        hf_cursor_skip(&c, (4 - value_size % 4) % 4);
    }
    return (struct hf_text){NULL, 0};
}
