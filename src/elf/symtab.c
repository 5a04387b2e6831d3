#include "elf/symtab.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "elf/twins.h"

#include <stdio.h>
#include <stdlib.h>

/* Of names, as quickly looked at as a symbol. */
#define BYTES_A_STEP 64
#define MACHINE_STEPS 35 /* of one step */

struct symtab_search {
    const struct hf_elf *elf;
    const uint64_t *addresses;
    const struct hf_symbol *given; /* by address: its plain name */
    size_t count;
    struct hf_symbol *found;     /* by address: contains it */
    struct hf_symbol *preceding; /* by address: the nearest at or before it, of any size */
    struct hf_twin_list twins;   /* functions that contain one */
    struct hf_text strings;
    bool is_dynamic; /* the table read now is .dynsym */
    uint64_t steps;  /* at most HF_LIMIT_SYMBOL_STEPS */
    bool is_cut;     /* there were more */
    bool has_no_memory;
    struct hf_symbol_query *queries;
    size_t query_count;
    hf_symbol_visit *told;
    void *context;
    bool is_thread_local; /* such variables are told of, and nothing else */
};

static uint32_t rank_of(const Elf64_Sym *symbol)
{
    uint32_t binding = 0;
    switch (ELF64_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE: binding = 2; break;
    case STB_WEAK: binding = 1; break;
    default: break;
    }
    return binding * 2 + (ELF64_ST_TYPE(symbol->st_info) != STT_NOTYPE);
}

static size_t underscores(struct hf_text name)
{
    size_t count = 0;
    while (count < name.size && name.data[count] == '_')
        count++;
    return count;
}

bool hf_symbol_is_better(const struct hf_symbol *a, const struct hf_symbol *b)
{
    if (a->rank != b->rank)
        return a->rank > b->rank;
    size_t a_lead = underscores(a->name), b_lead = underscores(b->name);
    if (a_lead != b_lead)
        return a_lead < b_lead;
    if (a->name.size != b->name.size)
        return a->name.size < b->name.size;
    return hf_text_compare(a->name, b->name) < 0;
}

/* True if the plain name is a part of the mangled one: "4size" of "_ZN3Box4sizeEv". */
static bool is_called(struct hf_text mangled, struct hf_text plain)
{
    char part[256];
    struct hf_text name = hf_text_first(plain, hf_text_find(plain, '<'));
    if (name.size == 0 || name.size > sizeof part - 8 || !hf_text_starts(mangled, "_Z"))
        return false;
    int size = snprintf(part, sizeof part, "%zu%.*s", name.size, (int)name.size, name.data);
    return memmem(mangled.data, mangled.size, part, (size_t)size) != NULL;
}

bool hf_symbol_is_better_for(
    const struct hf_symbol *a, const struct hf_symbol *b, struct hf_text plain)
{
    bool a_is = is_called(a->name, plain);
    bool b_is = is_called(b->name, plain);
    return a_is != b_is ? a_is : hf_symbol_is_better(a, b);
}

static bool is_better_at(const struct symtab_search *s, size_t address, const struct hf_symbol *a)
{
    const struct hf_symbol *b = &s->found[address];
    return b->name.size == 0 || hf_symbol_is_better_for(a, b, s->given[address].plain);
}

/* For looking at `bytes` of names, too: a hostile table of strings is one long name. */
static bool spend_step(struct symtab_search *s, size_t bytes)
{
    uint64_t steps = 1 + bytes / BYTES_A_STEP;
    s->is_cut = s->is_cut || steps > HF_LIMIT_SYMBOL_STEPS - s->steps ||
                !hf_budget_step(steps * MACHINE_STEPS);
    s->steps += s->is_cut ? 0 : steps;
    return !s->is_cut;
}

/* As the table has it. */
static struct hf_text symtab_name_of(struct symtab_search *s, const Elf64_Sym *raw)
{
    struct hf_cursor c = hf_cursor_of(s->strings.data, s->strings.size, s->elf->name);
    hf_cursor_seek(&c, raw->st_name);
    size_t left = hf_cursor_left(&c);
    struct hf_text name = hf_cursor_string(&c);
    (void)spend_step(s, hf_cursor_failed(&c) ? left : name.size);
    return name;
}

/* Without the version, which ld appends to the name in .symtab: "take@@V2". */
static struct hf_symbol symbol_of(struct symtab_search *s, const Elf64_Sym *raw)
{
    struct hf_text name = symtab_name_of(s, raw);
    size_t version = hf_text_find(name, '@');
    return (struct hf_symbol){.name = version != 0 ? hf_text_first(name, version) : name,
        .address = raw->st_value,
        .size = raw->st_size,
        .rank = rank_of(raw)};
}

/* "$x", "$d.1": where code and data alternate (ELF for the Arm 64-bit Architecture, 5.5). */
static bool is_mapping_symbol(struct symtab_search *s, const Elf64_Sym *raw)
{
    return s->elf->machine == EM_AARCH64 && ELF64_ST_TYPE(raw->st_info) == STT_NOTYPE &&
           hf_text_starts(symtab_name_of(s, raw), "$");
}

/* True for symbols that can name code: defined, in an executable section, function or label. */
static bool symtab_is_code(const struct symtab_search *s, const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name == 0)
        return false;
    if (symbol->st_shndx >= s->elf->section_count)
        return type != STT_NOTYPE && symbol->st_shndx < SHN_LORESERVE;
    return (s->elf->sections[symbol->st_shndx].flags & SHF_EXECINSTR) != 0;
}

static enum hf_status symtab_check(const struct symtab_search *s, struct hf_error *err)
{
    if (!s->is_cut)
        return HF_OK;
    if (hf_budget_is_used_up())
        return hf_budget_refuse(err);
    return hf_error_set(err, HF_ERR_LIMIT,
        "its symbol tables take more than %u steps to search (HF_LIMIT_SYMBOL_STEPS)",
        HF_LIMIT_SYMBOL_STEPS);
}

/* False: no memory. */
static bool take_twin(struct symtab_search *s, const struct hf_symbol *symbol)
{
    s->has_no_memory = s->has_no_memory || !hf_twin_list_add(&s->twins, symbol);
    return !s->has_no_memory;
}

/* Puts a sized symbol at every address it contains. */
static void cover(struct symtab_search *s, const Elf64_Sym *raw, size_t first)
{
    struct hf_symbol symbol = {0};
    for (size_t i = first; i < s->count && s->addresses[i] - raw->st_value < raw->st_size; i++) {
        if (symbol.name.size == 0)
            symbol = symbol_of(s, raw);
        if (symbol.name.size == 0 || !spend_step(s, symbol.name.size))
            return;
        if (i == first && !take_twin(s, &symbol))
            return;
        if (is_better_at(s, i, &symbol))
            s->found[i] = symbol;
    }
}

static void visit(struct symtab_search *s, const Elf64_Sym *raw)
{
    size_t first = hf_lower_bound_u64(s->addresses, s->count, raw->st_value);
    if (first == s->count)
        return;
    if (raw->st_size != 0)
        cover(s, raw, first);
    /* Only the first address is told; the rest learns it from its neighbour, in finish(). */
    struct hf_symbol *preceding = &s->preceding[first];
    if (preceding->name.size != 0 && raw->st_value < preceding->address)
        return;
    struct hf_symbol symbol = symbol_of(s, raw);
    bool is_first = preceding->name.size == 0 || symbol.address > preceding->address;
    bool is_nearer = is_first || symbol.size > preceding->size ||
                     (symbol.size == preceding->size && hf_symbol_is_better(&symbol, preceding));
    if (symbol.name.size != 0 && is_nearer)
        *preceding = symbol;
}

uint64_t hf_elf_code_end(const struct hf_elf *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *section = &elf->sections[i];
        if ((section->flags & SHF_EXECINSTR) != 0 && address >= section->address &&
            address - section->address < section->size)
            return section->address + section->size;
    }
    return 0;
}

/* Addresses in no sized symbol: the nearest one before them, if it has no size of its own. */
static void symtab_finish(struct symtab_search *s)
{
    struct hf_symbol nearest = {0};
    for (size_t i = 0; i < s->count; i++) {
        if (s->preceding[i].name.size != 0)
            nearest = s->preceding[i];
        if (s->found[i].name.size != 0 || nearest.name.size == 0 || nearest.size != 0)
            continue;
        if (s->addresses[i] < hf_elf_code_end(s->elf, nearest.address))
            s->found[i] = nearest;
    }
}

/* In an object that is not linked, symbols count from their section, which has its place if code
 * was loaded from it. */
static uint64_t symbol_base(const struct symtab_search *s, const Elf64_Sym *raw)
{
    return s->elf->type == ET_REL && raw->st_shndx < s->elf->section_count
               ? s->elf->sections[raw->st_shndx].address
               : 0;
}

/* Calls `take` for every symbol of a table that can name code, or, to tell of it, a variable. */
static void each_symbol(struct symtab_search *s, const struct hf_elf_section *table,
    void (*take)(struct symtab_search *s, const Elf64_Sym *raw))
{
    struct hf_text bytes = hf_elf_section_bytes(s->elf, table);
    if (table->link >= s->elf->section_count || table->entry_size != sizeof(Elf64_Sym))
        return;
    s->strings = hf_elf_section_bytes(s->elf, &s->elf->sections[table->link]);
    size_t count = bytes.size / sizeof(Elf64_Sym);
    for (size_t i = 0; i < count && spend_step(s, sizeof(Elf64_Sym)); i++) {
        Elf64_Sym raw;
        memcpy(&raw, bytes.data + i * sizeof raw, sizeof raw);
        raw.st_value += symbol_base(s, &raw);
        unsigned variable = s->is_thread_local ? STT_TLS : STT_OBJECT;
        bool is_variable = ELF64_ST_TYPE(raw.st_info) == variable && raw.st_shndx != SHN_UNDEF;
        if (is_variable && s->told != NULL)
            take(s, &raw);
        else if (s->is_thread_local)
            continue;
        /* Between the exported symbols lie others: there, one without size says nothing. */
        else if (symtab_is_code(s, &raw) && (raw.st_size != 0 || !s->is_dynamic) &&
                 !is_mapping_symbol(s, &raw))
            take(s, &raw);
    }
}

static void each_table(
    struct symtab_search *s, void (*take)(struct symtab_search *s, const Elf64_Sym *raw))
{
    for (size_t i = 0; i < s->elf->section_count; i++) {
        uint32_t type = s->elf->sections[i].type;
        s->is_dynamic = type == SHT_DYNSYM;
        if (type == SHT_SYMTAB || type == SHT_DYNSYM)
            each_symbol(s, &s->elf->sections[i], take);
    }
}

/* What is named already may have more twins here: in the file that has all symbols. */
static void take_found(struct symtab_search *s, size_t address, struct hf_symbol *symbol)
{
    struct hf_text plain = symbol->plain;
    uint32_t before = symbol->twins;
    if (symbol->name.size == 0)
        *symbol = s->found[address];
    symbol->plain = plain;
    uint32_t twins = hf_twin_list_find(&s->twins, symbol);
    symbol->twins = twins > before ? twins : before;
}

enum hf_status hf_symtab_resolve(const struct hf_elf *elf, const uint64_t *addresses, size_t count,
    struct hf_symbol *symbols, struct hf_error *err)
{
    struct symtab_search s = {.elf = elf, .addresses = addresses, .given = symbols, .count = count};
    s.found = calloc(count + 1, sizeof *s.found);
    s.preceding = calloc(count + 1, sizeof *s.preceding);
    enum hf_status status = HF_OK;
    if (s.found == NULL || s.preceding == NULL) {
        status = hf_error_memory(err);
    } else {
        each_table(&s, visit);
        if (!s.is_cut)
            symtab_finish(&s); /* the nearest is known only if all were read */
        status = s.has_no_memory ? hf_error_memory(err) : symtab_check(&s, err);
        hf_twin_list_mark(&s.twins, elf);
        for (size_t i = 0; i < count; i++)
            take_found(&s, i, &symbols[i]);
    }
    hf_twin_list_done(&s.twins);
    free(s.found);
    free(s.preceding);
    return status;
}

static void symtab_answer(struct symtab_search *s, const Elf64_Sym *raw)
{
    struct hf_text name = symtab_name_of(s, raw);
    size_t low = 0, high = s->query_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hf_text_compare(s->queries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->query_count || !hf_text_equal(s->queries[low].name, name))
        return;
    struct hf_symbol_query *query = &s->queries[low];
    query->is_ambiguous =
        query->is_ambiguous || (query->is_found && query->address != raw->st_value);
    query->is_found = true;
    query->address = raw->st_value;
}

enum hf_status hf_symtab_find(
    const struct hf_elf *elf, struct hf_symbol_query *queries, size_t count, struct hf_error *err)
{
    struct symtab_search s = {.elf = elf, .queries = queries, .query_count = count};
    if (count != 0)
        each_table(&s, symtab_answer);
    return symtab_check(&s, err);
}

static void symtab_tell(struct symtab_search *s, const Elf64_Sym *raw)
{
    struct hf_symbol symbol = symbol_of(s, raw);
    if (symbol.name.size != 0)
        s->told(s->context, &symbol, ELF64_ST_TYPE(raw->st_info),
            ELF64_ST_BIND(raw->st_info) == STB_LOCAL);
}

enum hf_status hf_symtab_each(
    const struct hf_elf *elf, hf_symbol_visit *told, void *context, struct hf_error *err)
{
    struct symtab_search s = {.elf = elf, .told = told, .context = context};
    each_table(&s, symtab_tell);
    return symtab_check(&s, err);
}

enum hf_status hf_symtab_each_thread_local(
    const struct hf_elf *elf, hf_symbol_visit *told, void *context, struct hf_error *err)
{
    struct symtab_search s = {
        .elf = elf, .told = told, .context = context, .is_thread_local = true};
    each_table(&s, symtab_tell);
    return symtab_check(&s, err);
}
