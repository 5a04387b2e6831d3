#include "elf/plt.h"

#include "base/attr.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/cursor.h"

#include <stdlib.h>

#define LAZY_ENTRY_BYTES 16
#define SHORT_ENTRY_BYTES 8
#define SUFFIX "@plt"

/* An entry of a table, and the addresses in it. */
struct plt_entry {
    uint64_t start, size, slot;
    size_t first, end;   /* of the addresses; those in one entry follow each other */
    bool is_told;        /* by a relocation, where it leads */
    struct hf_text name; /* empty: not known */
    uint64_t resolver;   /* 0: there is none */
};

struct plt_search {
    const struct hf_elf *elf;
    struct plt_entry *entries;
    size_t count, capacity;
    uint64_t bytes_left; /* of tables and names: in a sound file they do not overlap */
};

static bool is_indirect_jump(struct hf_text code)
{
    return hf_text_starts(code, "\xff\x25");
}

/* lld says no size, and binutils none for entries without lazy binding, which are short. */
static uint64_t entry_size(const struct hf_elf_section *table, struct hf_text code)
{
    if (table->entry_size != 0)
        return table->entry_size;
    return is_indirect_jump(hf_text_from(code, SHORT_ENTRY_BYTES)) ? SHORT_ENTRY_BYTES
                                                                   : LAZY_ENTRY_BYTES;
}

/* Reads the entry that holds `address`; false if it jumps to no slot. */
static bool plt_read_entry(const struct hf_elf_section *table, struct hf_text code,
    uint64_t address, struct plt_entry *out_entry)
{
    uint64_t size = entry_size(table, code);
    uint64_t offset = (address - table->address) / size * size;
    struct hf_text jump = hf_text_first(hf_text_from(code, offset), size);
    (void)hf_text_take(&jump, "\xf3\x0f\x1e\xfa"); /* endbr64 */
    (void)hf_text_take(&jump, "\xf2");             /* bnd */
    int32_t distance;
    if (!is_indirect_jump(jump) || jump.size < 2 + sizeof distance)
        return false;
    memcpy(&distance, jump.data + 2, sizeof distance);
    uint64_t next = table->address + (uint64_t)(jump.data - code.data) + 2 + sizeof distance;
    *out_entry = (struct plt_entry){.start = table->address + offset, .size = size};
    out_entry->slot = next + (uint64_t)distance;
    return true;
}

/* Adds the entries of one table that hold addresses without a symbol. */
static enum hf_status list_entries(struct plt_search *s, const char *name,
    const uint64_t *addresses, size_t count, const struct hf_symbol *symbols, struct hf_error *err)
{
    const struct hf_elf_section *table = hf_elf_section(s->elf, name);
    if (table == NULL)
        return HF_OK;
    struct hf_text code = hf_elf_section_bytes(s->elf, table);
    size_t i = hf_lower_bound_u64(addresses, count, table->address);
    for (; i < count && addresses[i] - table->address < code.size; i++) {
        struct plt_entry *last = s->count != 0 ? &s->entries[s->count - 1] : NULL;
        if (symbols[i].name.size != 0)
            continue;
        if (last != NULL && last->end == i && addresses[i] - last->start < last->size) {
            last->end++;
            continue;
        }
        struct plt_entry entry;
        if (!plt_read_entry(table, code, addresses[i], &entry))
            continue;
        entry.first = i;
        entry.end = i + 1;
        if (!hf_vec_reserve(&s->entries, &s->capacity, s->count + 1, sizeof entry))
            return hf_error_memory(err);
        s->entries[s->count++] = entry;
    }
    return HF_OK;
}

static int compare_slots(const void *a, const void *b)
{
    const struct plt_entry *x = a, *y = b;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static int compare_resolvers(const void *a, const void *b)
{
    const struct plt_entry *x = a, *y = b;
    return (x->resolver > y->resolver) - (x->resolver < y->resolver);
}

static bool spend(struct plt_search *s, uint64_t bytes)
{
    bool is_enough = bytes <= s->bytes_left;
    s->bytes_left = is_enough ? s->bytes_left - bytes : 0;
    return is_enough;
}

/* The name, without version, of a symbol of the table that a section of relocations is linked to.
 */
static struct hf_text symbol_name(
    struct plt_search *s, const struct hf_elf_section *relocations, uint64_t index)
{
    const struct hf_elf_section *sections = s->elf->sections;
    if (relocations->link >= s->elf->section_count ||
        sections[relocations->link].link >= s->elf->section_count)
        return HF_TEXT("");
    const struct hf_elf_section *table = &sections[relocations->link];
    struct hf_text symbols = hf_elf_section_bytes(s->elf, table);
    struct hf_text strings = hf_elf_section_bytes(s->elf, &sections[table->link]);
    struct hf_cursor c = hf_cursor_of(symbols.data, symbols.size, s->elf->name);
    hf_cursor_seek(&c, index * sizeof(Elf64_Sym));
    strings = hf_text_first(hf_text_from(strings, hf_cursor_u32(&c)), s->bytes_left);
    struct hf_text name = hf_text_first(strings, hf_text_find(strings, '\0'));
    if (!spend(s, name.size) || name.size == strings.size || hf_cursor_failed(&c))
        return HF_TEXT("");
    return hf_text_first(name, hf_text_find(name, '@'));
}

/* Tells all entries of the relocation's slot where they lead. */
static void relocate(
    struct plt_search *s, const struct hf_elf_section *relocations, const Elf64_Rela *relocation)
{
    uint64_t type = ELF64_R_TYPE(relocation->r_info);
    bool is_symbol = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    const struct plt_entry key = {.slot = relocation->r_offset};
    if (!is_symbol && type != R_X86_64_IRELATIVE)
        return;
    struct plt_entry *found = bsearch(&key, s->entries, s->count, sizeof key, compare_slots);
    if (found == NULL || found->is_told)
        return;
    struct hf_text name = HF_TEXT("");
    if (is_symbol)
        name = symbol_name(s, relocations, ELF64_R_SYM(relocation->r_info));
    while (found != s->entries && found[-1].slot == key.slot)
        found--;
    for (; found != s->entries + s->count && found->slot == key.slot; found++) {
        found->is_told = true;
        found->name = name;
        found->resolver = is_symbol ? 0 : (uint64_t)relocation->r_addend;
    }
}

static void read_relocations(struct plt_search *s)
{
    for (size_t i = 0; i < s->elf->section_count; i++) {
        const struct hf_elf_section *section = &s->elf->sections[i];
        struct hf_text table = hf_elf_section_bytes(s->elf, section);
        if (section->type != SHT_RELA || !spend(s, table.size))
            continue;
        Elf64_Rela relocation;
        for (size_t at = 0; at + sizeof relocation <= table.size; at += sizeof relocation) {
            memcpy(&relocation, table.data + at, sizeof relocation);
            relocate(s, section, &relocation);
        }
    }
}

/* An IFUNC is called by the name of the symbol that its resolver has. */
static enum hf_status name_resolvers(struct plt_search *s, struct hf_error *err)
{
    uint64_t *addresses = calloc(s->count, sizeof *addresses);
    struct hf_symbol *symbols = calloc(s->count, sizeof *symbols);
    enum hf_status status = addresses != NULL && symbols != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK) {
        qsort(s->entries, s->count, sizeof *s->entries, compare_resolvers);
        for (size_t i = 0; i < s->count; i++)
            addresses[i] = s->entries[i].resolver;
        status = hf_symtab_resolve(s->elf, addresses, s->count, symbols, err);
        for (size_t i = 0; i < s->count; i++) {
            if (s->entries[i].resolver != 0 && symbols[i].address == s->entries[i].resolver)
                s->entries[i].name = symbols[i].name;
        }
    }
    free(addresses);
    free(symbols);
    return status == HF_ERR_LIMIT ? HF_OK : status;
}

static enum hf_status plt_put_names(struct plt_search *s, const char *suffix,
    struct hf_symbol *symbols, struct hf_arena *names, struct hf_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct plt_entry *entry = &s->entries[i];
        if (entry->name.size == 0 || !spend(s, entry->name.size))
            continue;
        char *name = hf_arena_alloc(names, entry->name.size + strlen(suffix) + 1);
        if (name == NULL)
            return hf_error_memory(err);
        memcpy(name, entry->name.data, entry->name.size);
        memcpy(name + entry->name.size, suffix, strlen(suffix) + 1);
        for (size_t at = entry->first; at < entry->end; at++)
            symbols[at] = (struct hf_symbol){
                .name = hf_text_of(name), .address = entry->start, .size = entry->size};
    }
    return HF_OK;
}

/* Names the entries that were listed, by their slots. */
static enum hf_status plt_name(struct plt_search *s, const char *suffix, struct hf_symbol *symbols,
    struct hf_arena *names, struct hf_error *err)
{
    if (s->count == 0)
        return HF_OK;
    qsort(s->entries, s->count, sizeof *s->entries, compare_slots);
    read_relocations(s);
    enum hf_status status = name_resolvers(s, err);
    return status == HF_OK ? plt_put_names(s, suffix, symbols, names, err) : status;
}

enum hf_status hf_plt_resolve(const struct hf_elf *elf, const uint64_t *addresses, size_t count,
    struct hf_symbol *symbols, struct hf_arena *names, struct hf_error *err)
{
    static const char *const tables[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
    struct plt_search s = {.elf = elf, .bytes_left = 2 * (uint64_t)elf->bytes.size};
    enum hf_status status = HF_OK;
    if (elf->machine != EM_X86_64)
        return HF_OK;
    for (size_t i = 0; i < HF_COUNT(tables) && status == HF_OK; i++)
        status = list_entries(&s, tables[i], addresses, count, symbols, err);
    if (status == HF_OK)
        status = plt_name(&s, SUFFIX, symbols, names, err);
    free(s.entries);
    return status;
}

enum hf_status hf_plt_resolve_slots(const struct hf_elf *elf, const uint64_t *slots, size_t count,
    struct hf_symbol *symbols, struct hf_arena *names, struct hf_error *err)
{
    struct plt_search s = {.elf = elf, .bytes_left = 2 * (uint64_t)elf->bytes.size};
    if (elf->machine != EM_X86_64)
        return HF_OK;
    s.entries = calloc(count + 1, sizeof *s.entries);
    if (s.entries == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++)
        s.entries[s.count++] = (struct plt_entry){.start = slots[i],
            .size = sizeof(uint64_t),
            .slot = slots[i],
            .first = i,
            .end = i + 1};
    enum hf_status status = plt_name(&s, "", symbols, names, err);
    free(s.entries);
    return status;
}
