#include "elf/go_table.h"

#include "base/attr.h"
#include "base/budget.h"
#include "base/limits.h"

#define POINTER 8
#define MACHINE_STEPS 8 /* of one step: an entry of a table */
#define GO_ALIGNMENT 32
#define INLINE_TABLE 2           /* Go's PCDATA_InlTreeIndex */
#define GO_TRIES 16              /* pointers to the table that are taken for moduledata's */
#define GO_SCAN_WORDS (1u << 22) /* of data looked through for moduledata: 32 MiB */

/* Of the function that is looked at. */
struct go_function {
    uint64_t entry;
    uint32_t name, files, lines, unit; /* files and lines: tables */
    uint32_t table_count, data_count;
    struct hf_cursor rest; /* tables, then data */
};

/* One inlined call. */
struct go_inlined {
    uint32_t name, place;
};

static struct hf_cursor go_cursor(
    const struct hf_go_table *table, struct hf_text bytes, uint64_t at)
{
    struct hf_cursor c = hf_cursor_of(bytes.data, bytes.size, table->elf->name);
    hf_cursor_seek(&c, at);
    return c;
}

static uint64_t go_read(struct hf_cursor *c, size_t width)
{
    return width == POINTER ? hf_cursor_u64(c) : hf_cursor_u32(c);
}

/* From `address` to the end of its section; empty if none has it in the file. */
static struct hf_text go_bytes_at(const struct hf_elf *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *section = &elf->sections[i];
        if ((section->flags & SHF_ALLOC) != 0 && address - section->address < section->size)
            return hf_text_from(hf_elf_section_bytes(elf, section), address - section->address);
    }
    return HF_TEXT("");
}

/* The next relocation of the file; `at` begins as all-zero. */
struct go_relocation_place {
    size_t section, byte;
};

static bool next_relocation(
    const struct hf_elf *elf, struct go_relocation_place *at, Elf64_Rela *out_relocation)
{
    for (; at->section < elf->section_count; at->section++, at->byte = 0) {
        const struct hf_elf_section *section = &elf->sections[at->section];
        struct hf_text bytes = hf_elf_section_bytes(elf, section);
        if (section->type != SHT_RELA || bytes.size - at->byte < sizeof *out_relocation)
            continue;
        memcpy(out_relocation, bytes.data + at->byte, sizeof *out_relocation);
        at->byte += sizeof *out_relocation;
        return true;
    }
    return false;
}

/* A linker for programs that lie anywhere may leave a pointer to its relocation. */
static uint64_t relocated(const struct hf_elf *elf, uint64_t address)
{
    struct go_relocation_place at = {0};
    Elf64_Rela relocation;
    while (next_relocation(elf, &at, &relocation)) {
        if (relocation.r_offset == address)
            return (uint64_t)relocation.r_addend;
    }
    return 0;
}

static uint64_t go_pointer_at(const struct hf_elf *elf, uint64_t address)
{
    struct hf_text bytes = go_bytes_at(elf, address);
    struct hf_cursor c = hf_cursor_of(bytes.data, bytes.size, elf->name);
    uint64_t value = hf_cursor_u64(&c);
    return value != 0 || hf_cursor_failed(&c) ? value : relocated(elf, address);
}

/* Its words: table, 3 slices with their sizes ... code from and to ...; the last is the one. */
static bool take_moduledata(struct hf_go_table *table, uint64_t at, uint64_t section)
{
    enum { NAMES = 1, FIRST = 20, TEXT = 22, DATA_18 = 38, DATA_20 = 40 };
    const struct hf_elf *elf = table->elf;
    if (table->tries++ >= GO_TRIES)
        return false;
    uint64_t names = section + (uint64_t)(table->names.data - table->bytes.data);
    if (go_pointer_at(elf, at + POINTER * NAMES) != names ||
        go_pointer_at(elf, at + POINTER * TEXT) != table->start ||
        go_pointer_at(elf, at + POINTER * FIRST) < table->start)
        return false;
    table->data =
        go_pointer_at(elf, at + (table->version == 18 ? DATA_18 : DATA_20) * (uint64_t)POINTER);
    return true;
}

/* Where a relocation puts the address of the table. */
static void go_find_relocated(struct hf_go_table *table, uint64_t section)
{
    struct go_relocation_place at = {0};
    Elf64_Rela relocation;
    while (next_relocation(table->elf, &at, &relocation)) {
        if ((uint64_t)relocation.r_addend == section &&
            take_moduledata(table, relocation.r_offset, section))
            return;
    }
}

static void go_find_moduledata(struct hf_go_table *table, uint64_t section)
{
    const struct hf_elf *elf = table->elf;
    size_t words = GO_SCAN_WORDS;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *s = &elf->sections[i];
        struct hf_text bytes = hf_elf_section_bytes(elf, s);
        if ((s->flags & SHF_WRITE) == 0)
            continue;
        for (size_t at = 0; at + POINTER <= bytes.size && words != 0; at += POINTER, words--) {
            uint64_t value;
            memcpy(&value, bytes.data + at, sizeof value);
            if (value == section && take_moduledata(table, s->address + at, section))
                return;
        }
    }
    go_find_relocated(table, section);
}

/* Since 1.16: where the parts begin; each reaches to the end, what is too far is not read. */
static bool read_parts(struct hf_go_table *table, struct hf_cursor *c, uint64_t section)
{
    struct hf_text *const parts[] = {
        &table->names, &table->units, &table->files, &table->pairs, &table->records};
    (void)hf_cursor_u64(c); /* number of files */
    if (table->version >= 18) {
        uint64_t at = section + hf_cursor_offset(c);
        table->start = hf_cursor_u64(c);
        if (table->start == 0)
            table->start = relocated(table->elf, at);
    }
    for (size_t i = 0; i < HF_COUNT(parts); i++)
        *parts[i] = hf_text_from(table->bytes, hf_cursor_u64(c));
    return !hf_cursor_failed(c);
}

static size_t entry_width(const struct hf_go_table *table)
{
    return table->version >= 18 ? sizeof(uint32_t) : POINTER;
}

/* 1.2: everything is counted from the start. */
static bool read_early_parts(struct hf_go_table *table, struct hf_cursor *c)
{
    table->names = table->pairs = table->units = table->bytes;
    table->records = hf_text_from(table->bytes, hf_cursor_offset(c));
    hf_cursor_skip(c, table->count * 2 * POINTER + POINTER);
    table->files = hf_text_from(table->bytes, hf_cursor_u32(c));
    return !hf_cursor_failed(c);
}

static uint32_t go_version(uint32_t magic)
{
    switch (magic) {
    case 0xfffffffb: return 2;
    case 0xfffffffa: return 16;
    case 0xfffffff0: return 18;
    case 0xfffffff1: return 20;
    default: return 0;
    }
}

/* The header of a table in a section that a linker made of many: version, zeros, quantum, pointer.
 */
static bool go_find_header(struct hf_text bytes, size_t *out_at)
{
    struct hf_cursor c = hf_cursor_of(bytes.data, bytes.size, "");
    for (size_t at = 0; at < bytes.size; at += GO_ALIGNMENT) {
        hf_cursor_seek(&c, at);
        uint32_t magic = hf_cursor_u32(&c);
        bool is_zero = hf_cursor_u16(&c) == 0;
        uint8_t quantum = hf_cursor_u8(&c);
        if (go_version(magic) != 0 && is_zero && (quantum == 1 || quantum == 4) &&
            hf_cursor_u8(&c) == POINTER) {
            *out_at = at;
            return true;
        }
    }
    return false;
}

/* Where the table is in the image, and its bytes. */
static bool go_find_table(struct hf_go_table *table, uint64_t *out_address)
{
    static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro"};
    bool is_go = hf_elf_section(table->elf, ".go.buildinfo") != NULL;
    size_t at;
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        const struct hf_elf_section *section = hf_elf_section(table->elf, names[i]);
        bool is_joined = i == HF_COUNT(names) - 1; /* in other programs it is large, too */
        if (section == NULL || (is_joined && !is_go))
            continue;
        table->bytes = hf_elf_section_bytes(table->elf, section);
        if (go_find_header(table->bytes, &at)) {
            table->bytes = hf_text_from(table->bytes, at);
            *out_address = section->address + at;
            return true;
        }
    }
    return false;
}

bool hf_go_table_read(struct hf_go_table *table, const struct hf_elf *elf)
{
    uint64_t address;
    *table = (struct hf_go_table){.elf = elf};
    if (!go_find_table(table, &address))
        return false;
    struct hf_cursor c = go_cursor(table, table->bytes, 0);
    table->version = go_version(hf_cursor_u32(&c));
    hf_cursor_skip(&c, 2);
    table->quantum = hf_cursor_u8(&c);
    hf_cursor_skip(&c, 1);
    table->count = hf_cursor_u64(&c);
    if (table->count == 0 || table->count > table->bytes.size)
        return false;
    if (table->version == 2 ? !read_early_parts(table, &c) : !read_parts(table, &c, address))
        return false;
    if ((table->count * 2 + 1) * entry_width(table) > table->records.size)
        return false;
    if (table->version >= 18)
        go_find_moduledata(table, address);
    return true;
}

/* Go's FUNCDATA_InlTree. */
static uint64_t inline_data_number(const struct hf_go_table *table)
{
    return table->version == 2 ? 4 : 3;
}

static bool go_spend(struct hf_go_table *table)
{
    bool is_left = table->steps < HF_LIMIT_GO_STEPS && hf_budget_step(MACHINE_STEPS);
    table->steps += is_left;
    return is_left;
}

/* A text of `bytes` at `at`; empty if it does not end. */
static struct hf_text go_text(struct hf_go_table *table, struct hf_text bytes, uint64_t at)
{
    struct hf_cursor c = go_cursor(table, bytes, at);
    struct hf_text text = hf_cursor_string(&c);
    table->steps += text.size / sizeof(uint64_t);
    return hf_cursor_failed(&c) ? HF_TEXT("") : text;
}

/* The value of a table at `distance` from the entry; false if the table ends before. */
static bool go_value(
    struct hf_go_table *table, uint32_t pairs, uint64_t distance, int32_t *out_value)
{
    struct hf_cursor c = go_cursor(table, table->pairs, pairs);
    uint32_t value = UINT32_MAX;
    uint64_t reached = 0;
    for (bool is_first = true; pairs != 0 && go_spend(table); is_first = false) {
        uint64_t change = hf_cursor_uleb(&c);
        if (hf_cursor_failed(&c) || (change == 0 && !is_first))
            return false;
        value += (uint32_t)(change >> 1) ^ (0 - (uint32_t)(change & 1));
        reached += hf_cursor_uleb(&c) * table->quantum;
        if (distance < reached) {
            *out_value = (int32_t)value;
            return !hf_cursor_failed(&c);
        }
    }
    return false;
}

/* The file that the function calls `number`. */
static struct hf_text go_file(
    struct hf_go_table *table, const struct go_function *function, int32_t number)
{
    uint64_t index = (uint64_t)(uint32_t)number + (table->version == 2 ? 0 : function->unit);
    struct hf_cursor c =
        go_cursor(table, table->version == 2 ? table->files : table->units, index * 4);
    uint32_t at = hf_cursor_u32(&c);
    if (number < 0 || at == UINT32_MAX || hf_cursor_failed(&c))
        return HF_TEXT("");
    return go_text(table, table->version == 2 ? table->bytes : table->files, at);
}

/* The entry of function `i`, or the end of the last. */
static uint64_t go_entry(const struct hf_go_table *table, uint64_t i)
{
    size_t width = entry_width(table);
    struct hf_cursor c = go_cursor(table, table->records, i * 2 * width);
    return table->start + go_read(&c, width);
}

/* The function that `address` is in or behind. */
static bool find_function(const struct hf_go_table *table, uint64_t address, uint64_t *out_index)
{
    uint64_t low = 0, high = table->count;
    if (address < go_entry(table, 0) || address >= go_entry(table, table->count))
        return false;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (go_entry(table, middle) <= address)
            low = middle;
        else
            high = middle;
    }
    *out_index = low;
    return true;
}

static bool read_function(
    const struct hf_go_table *table, uint64_t index, struct go_function *out_function)
{
    size_t width = entry_width(table);
    struct hf_cursor c = go_cursor(table, table->records, index * 2 * width + width);
    struct hf_text bytes = table->version == 2 ? table->bytes : table->records;
    c = go_cursor(table, bytes, go_read(&c, width));
    struct go_function f = {.entry = table->start + go_read(&c, width)};
    f.name = hf_cursor_u32(&c);
    hf_cursor_skip(&c, 12); /* arguments, defer, pcsp */
    f.files = hf_cursor_u32(&c);
    f.lines = hf_cursor_u32(&c);
    f.table_count = hf_cursor_u32(&c);
    f.unit = table->version >= 16 ? hf_cursor_u32(&c) : 0;
    hf_cursor_skip(&c, table->version >= 20 ? 7 : 3);
    f.data_count = hf_cursor_u8(&c);
    f.rest = c;
    *out_function = f;
    return !hf_cursor_failed(&c) && f.entry == go_entry(table, index);
}

/* The array of inlined calls of the function; empty if it has none. */
static struct hf_text inlined_calls(const struct hf_go_table *table, const struct go_function *f)
{
    struct hf_cursor c = f->rest;
    hf_cursor_skip(&c, f->table_count * (uint64_t)4);
    if (f->data_count <= inline_data_number(table))
        return HF_TEXT("");
    if (table->version >= 18) {
        hf_cursor_skip(&c, inline_data_number(table) * 4);
        uint32_t distance = hf_cursor_u32(&c);
        bool is_there = table->data != 0 && distance != UINT32_MAX && !hf_cursor_failed(&c);
        return is_there ? go_bytes_at(table->elf, table->data + distance) : HF_TEXT("");
    }
    const char *start = (const char *)c.at;
    hf_cursor_skip(&c, (uint64_t)(start - table->bytes.data) % POINTER != 0 ? 4 : 0);
    hf_cursor_skip(&c, inline_data_number(table) * POINTER);
    uint64_t address = hf_cursor_u64(&c);
    return address != 0 ? go_bytes_at(table->elf, address) : HF_TEXT("");
}

static bool read_inlined(const struct hf_go_table *table, struct hf_text calls, int32_t index,
    struct go_inlined *out_call)
{
    size_t size = table->version >= 20 ? 16 : 20;
    struct hf_cursor c = go_cursor(table, calls, (uint64_t)(uint32_t)index * size);
    hf_cursor_skip(&c, table->version >= 20 ? 4 : 12);
    out_call->name = hf_cursor_u32(&c);
    out_call->place = hf_cursor_u32(&c);
    return !hf_cursor_failed(&c);
}

/* Empty if no text begins there: the array is something else. */
static struct hf_text inlined_name(struct hf_go_table *table, uint32_t at)
{
    bool is_start = at != 0 && at < table->names.size && table->names.data[at - 1] == '\0';
    return is_start ? go_text(table, table->names, at) : HF_TEXT("");
}

/* File and line at `distance`. */
static void put_line(struct hf_go_table *table, const struct go_function *f, uint64_t distance,
    struct hf_go_call *call)
{
    int32_t file, line;
    if (!go_value(table, f->lines, distance, &line) || line <= 0 ||
        !go_value(table, f->files, distance, &file))
        return;
    call->file = go_file(table, f, file);
    call->line = call->file.size != 0 ? (uint32_t)line : 0;
}

/* The function itself: last, and outermost. */
static size_t put_function(
    struct hf_go_table *table, const struct go_function *f, struct hf_go_call *calls, size_t count)
{
    calls[count].name = go_text(table, table->names, f->name);
    return calls[count].name.size != 0 ? count + 1 : 0;
}

size_t hf_go_table_find(
    struct hf_go_table *table, uint64_t address, struct hf_go_call out_calls[HF_GO_CALLS])
{
    struct go_function f;
    uint64_t index;
    int32_t line, inlined;
    uint32_t inline_table = 0;
    if (!find_function(table, address, &index) || !read_function(table, index, &f))
        return 0;
    uint64_t distance = address - f.entry;
    if (f.lines != 0 && !go_value(table, f.lines, distance, &line))
        return 0; /* behind it */
    struct hf_cursor c = f.rest;
    hf_cursor_skip(&c, (uint64_t)INLINE_TABLE * 4);
    struct hf_text array = inlined_calls(table, &f);
    if (array.size != 0 && f.table_count > INLINE_TABLE)
        inline_table = hf_cursor_u32(&c);
    for (size_t count = 0; count < HF_GO_CALLS; count++) {
        struct go_inlined call;
        out_calls[count] = (struct hf_go_call){0};
        put_line(table, &f, distance, &out_calls[count]);
        if (inline_table == 0 || !go_value(table, inline_table, distance, &inlined) ||
            inlined < 0 || !read_inlined(table, array, inlined, &call))
            return put_function(table, &f, out_calls, count);
        out_calls[count].name = inlined_name(table, call.name);
        if (out_calls[count].name.size == 0)
            return put_function(table, &f, out_calls, count);
        distance = call.place;
    }
    return 0;
}

struct hf_text hf_go_table_function(struct hf_go_table *table, uint64_t address)
{
    struct go_function f;
    uint64_t index;
    if (!find_function(table, address, &index) || !read_function(table, index, &f))
        return HF_TEXT("");
    return go_text(table, table->names, f.name);
}

enum hf_status hf_go_table_check(const struct hf_go_table *table, struct hf_error *err)
{
    if (table->steps < HF_LIMIT_GO_STEPS)
        return HF_OK;
    return hf_error_set(err, HF_ERR_LIMIT,
        "its .gopclntab takes more than %u steps to search (HF_LIMIT_GO_STEPS)", HF_LIMIT_GO_STEPS);
}
