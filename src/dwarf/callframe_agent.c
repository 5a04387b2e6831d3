#include "dwarf/callframe_agent.h"

#include "base/checked.h"

/* How an address is written (LSB Core 5.0, "DWARF Exception Header Encoding"). */
enum {
    DW_EH_PE_absptr = 0x00,
    DW_EH_PE_uleb128 = 0x01,
    DW_EH_PE_udata2 = 0x02,
    DW_EH_PE_udata4 = 0x03,
    DW_EH_PE_udata8 = 0x04,
    DW_EH_PE_sleb128 = 0x09,
    DW_EH_PE_sdata2 = 0x0a,
    DW_EH_PE_sdata4 = 0x0b,
    DW_EH_PE_sdata8 = 0x0c,
    DW_EH_PE_pcrel = 0x10,
    DW_EH_PE_datarel = 0x30,
    DW_EH_PE_omit = 0xff,
};
#define DW_EH_PE_FORM 0x0f
#define DW_EH_PE_BASE 0xf0

#define TABLE_ENTRY_BYTES 8
#define COPIED_FDE 4096 /* where in a copy the FDE lies; the CIE lies at its start */
#define LETTERS_MAX 8   /* of an augmentation, with the NUL: each stands there once */

static uint64_t callframe_agent_read_value(struct hf_cursor *c, uint8_t encoding)
{
    switch (encoding & DW_EH_PE_FORM) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8: return hf_cursor_u64(c);
    case DW_EH_PE_uleb128: return hf_cursor_uleb(c);
    case DW_EH_PE_sleb128: return (uint64_t)hf_cursor_sleb(c);
    case DW_EH_PE_udata2: return hf_cursor_u16(c);
    case DW_EH_PE_sdata2: return (uint64_t)(int16_t)hf_cursor_u16(c);
    case DW_EH_PE_udata4: return hf_cursor_u32(c);
    case DW_EH_PE_sdata4: return (uint64_t)(int32_t)hf_cursor_u32(c);
    default: hf_cursor_fail(c); return 0;
    }
}

uint64_t hf_callframe_address(struct hf_cursor *c, uint8_t encoding, uint64_t address)
{
    uint64_t place = address + hf_cursor_offset(c);
    uint64_t value = callframe_agent_read_value(c, encoding);
    switch (encoding & DW_EH_PE_BASE) {
    case DW_EH_PE_absptr: return value;
    case DW_EH_PE_pcrel: return place + value;
    default: hf_cursor_fail(c); return 0;
    }
}

struct hf_cursor hf_callframes_entry(const struct hf_callframes *f, uint64_t offset)
{
    struct hf_cursor c = hf_cursor_of(f->frames.data, f->frames.size, ".eh_frame");
    hf_cursor_seek(&c, offset);
    uint32_t length = hf_cursor_u32(&c);
    if (length == 0 || !hf_cursor_need(&c, length))
        hf_cursor_fail(&c);
    else
        c.end = c.at + length;
    return c;
}

static struct hf_text callframe_agent_rest_of(struct hf_cursor *c)
{
    return hf_cursor_bytes(c, hf_cursor_left(c));
}

/* Reads what one letter of the augmentation stands for; an unknown one has bytes of any number. */
static void read_letter(struct hf_cursor *data, char letter, struct hf_cie *cie)
{
    uint8_t encoding;
    switch (letter) {
    case 'L': (void)hf_cursor_u8(data); break;
    case 'R': cie->address_encoding = hf_cursor_u8(data); break;
    case 'P':
        encoding = hf_cursor_u8(data);
        if (encoding != DW_EH_PE_omit)
            (void)callframe_agent_read_value(data, encoding);
        break;
    case 'S': cie->is_signal = true; break;
    case 'B': /* AArch64: return addresses are signed with key B */
    case 'G': /* AArch64: memory of the stack is tagged */ break;
    default: hf_cursor_fail(data); break;
    }
}

/* Augmentation data, which the letter 'z' announces. */
static void read_augmentation(struct hf_cursor *c, struct hf_text letters, struct hf_cie *cie)
{
    if (letters.size == 0)
        return;
    cie->has_augmentation_data = letters.data[0] == 'z';
    if (!cie->has_augmentation_data)
        hf_cursor_fail(c);
    struct hf_cursor data = hf_cursor_sub(c, hf_cursor_uleb(c), c->name);
    for (size_t i = 1; i < letters.size; i++)
        read_letter(&data, letters.data[i], cie);
    if (hf_cursor_failed(&data))
        hf_cursor_fail(c);
}

static bool read_cie(const struct hf_callframes *f, uint64_t offset, struct hf_cie *out_cie)
{
    struct hf_cursor c = hf_callframes_entry(f, offset);
    struct hf_cie cie = {0};
    bool is_cie = hf_cursor_u32(&c) == 0;
    uint8_t version = hf_cursor_u8(&c);
    struct hf_cursor start = c;
    if (hf_cursor_left(&start) > LETTERS_MAX)
        start.end = start.at + LETTERS_MAX;
    struct hf_text letters = hf_cursor_string(&start);
    if (!is_cie || (version != 1 && version != 3) || hf_cursor_failed(&start))
        return false;
    c.at = start.at;
    cie.code_factor = hf_cursor_uleb(&c);
    cie.data_factor = hf_cursor_sleb(&c);
    cie.return_register = version == 1 ? hf_cursor_u8(&c) : hf_cursor_uleb(&c);
    read_augmentation(&c, letters, &cie);
    cie.instructions = callframe_agent_rest_of(&c);
    *out_cie = cie;
    return !hf_cursor_failed(&c);
}

bool hf_callframes_fde(const struct hf_callframes *f, uint64_t offset, struct hf_fde *out_fde)
{
    struct hf_cursor c = hf_callframes_entry(f, offset);
    struct hf_fde fde;
    uint64_t place = hf_cursor_offset(&c);
    uint32_t distance = hf_cursor_u32(&c);
    if (hf_cursor_failed(&c) || distance == 0 || distance > place ||
        !read_cie(f, place - distance, &fde.cie))
        return false;
    fde.start = hf_callframe_address(&c, fde.cie.address_encoding, f->frames_address);
    bool is_sound =
        hf_add_u64(fde.start, callframe_agent_read_value(&c, fde.cie.address_encoding), &fde.end);
    if (fde.cie.has_augmentation_data)
        hf_cursor_skip(&c, hf_cursor_uleb(&c));
    fde.instructions_address = f->frames_address + hf_cursor_offset(&c);
    fde.instructions = callframe_agent_rest_of(&c);
    *out_fde = fde;
    return is_sound && fde.start < fde.end && !hf_cursor_failed(&c);
}

bool hf_callframes_read_header(
    struct hf_callframes *f, struct hf_text start, struct hf_text header, uint64_t address)
{
    struct hf_cursor c = hf_cursor_of(start.data, start.size, ".eh_frame_hdr");
    uint8_t version = hf_cursor_u8(&c);
    uint8_t frames_encoding = hf_cursor_u8(&c);
    uint8_t count_encoding = hf_cursor_u8(&c);
    uint8_t table_encoding = hf_cursor_u8(&c);
    uint64_t frames_address = hf_callframe_address(&c, frames_encoding, address);
    uint64_t count = callframe_agent_read_value(&c, count_encoding);
    *f = (struct hf_callframes){0};
    if (version != 1 || table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
        hf_cursor_failed(&c))
        return false;
    f->header_address = address;
    f->frames_address = frames_address;
    f->table = hf_text_from(header, hf_cursor_offset(&c));
    f->count = f->table.size / TABLE_ENTRY_BYTES;
    if (count < f->count)
        f->count = (size_t)count;
    return true;
}

static bool copy_plainly(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return true;
}

/* Of the table or of `starts`; if it cannot be copied, one that is before no address. */
static HF_ALWAYS_INLINE struct hf_callframe_start start_at(
    const struct hf_callframes *f, size_t index, hf_copy_bytes *copy_bytes)
{
    if (f->starts != NULL)
        return f->starts[index];
    int32_t entry[2];
    if (!copy_bytes(entry, f->table.data + index * TABLE_ENTRY_BYTES, sizeof entry))
        return (struct hf_callframe_start){UINT64_MAX, UINT64_MAX};
    return (struct hf_callframe_start){f->header_address + (uint64_t)entry[0],
        f->header_address + (uint64_t)entry[1] - f->frames_address};
}

/* The last that is at or before the address. */
static HF_ALWAYS_INLINE bool callframe_agent_find_start(const struct hf_callframes *f,
    uint64_t address, hf_copy_bytes *copy_bytes, struct hf_callframe_start *out_start)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (start_at(f, middle, copy_bytes).start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low != 0)
        *out_start = start_at(f, low - 1, copy_bytes);
    return low != 0;
}

bool hf_callframes_before(const struct hf_callframes *f, uint64_t address, struct hf_fde *out_fde)
{
    struct hf_callframe_start start;
    return callframe_agent_find_start(f, address, copy_plainly, &start) &&
           hf_callframes_fde(f, start.offset, out_fde) && out_fde->start <= address;
}

/* Copies the entry at `offset` of .eh_frame, and its length before it. Returns the size; 0: it
 * cannot be, or there is no room. */
static size_t copy_entry(const struct hf_callframes *f, uint64_t offset, hf_copy_bytes *copy_bytes,
    char *to, size_t room)
{
    struct hf_text entry = hf_text_from(f->frames, offset);
    uint32_t length;
    if (entry.size < sizeof length || !copy_bytes(&length, entry.data, sizeof length) ||
        length > entry.size - sizeof length || length + sizeof length > room ||
        !copy_bytes(to, entry.data, length + sizeof length))
        return 0;
    return length + sizeof length;
}

bool hf_callframes_copy_one(const struct hf_callframes *f, uint64_t address,
    hf_copy_bytes *copy_bytes, struct hf_callframes_copy *copy, struct hf_callframes *out_one)
{
    struct hf_callframe_start start;
    char *cie = copy->bytes, *fde = cie + COPIED_FDE;
    uint32_t distance; /* from where it stands itself back to the CIE */
    if (!callframe_agent_find_start(f, address, copy_bytes, &start))
        return false;
    size_t size = copy_entry(f, start.offset, copy_bytes, fde, sizeof copy->bytes - COPIED_FDE);
    if (size < 2 * sizeof distance)
        return false;
    memcpy(&distance, fde + sizeof distance, sizeof distance);
    uint64_t cie_offset = start.offset + sizeof distance - distance;
    if (distance == 0 || copy_entry(f, cie_offset, copy_bytes, cie, COPIED_FDE) == 0)
        return false;
    distance = COPIED_FDE + sizeof distance;
    memcpy(fde + sizeof distance, &distance, sizeof distance);
    copy->start = (struct hf_callframe_start){start.start, COPIED_FDE};
    *out_one = (struct hf_callframes){
        .frames = {copy->bytes, COPIED_FDE + size},
        .frames_address = f->frames_address + start.offset - COPIED_FDE,
        .starts = &copy->start,
        .count = 1,
    };
    return true;
}

bool hf_callframes_find(const struct hf_callframes *f, uint64_t address, struct hf_fde *out_fde)
{
    return hf_callframes_before(f, address, out_fde) && address < out_fde->end;
}
