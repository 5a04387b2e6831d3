#include "elf/twins.h"

#include "base/attr.h"
#include "base/budget.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define STEPS_A_PAIR 30
#define STEPS_A_BYTE 2

static bool twins_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool twins_is_mangled(struct hf_text name)
{
    return hf_text_starts(name, "_Z") || hf_text_starts(name, "_R") ||
           (hf_text_starts(name, "_D") && name.size > 2 && twins_is_digit(name.data[2]));
}

/* Without what a compiler appends: to a clone, and Rust's hash ("17h0123456789abcdefE"). */
static struct hf_text stem_of(struct hf_text name)
{
    static const char *const clones[] = {
        ".cold", ".part.", ".isra.", ".constprop.", ".lto_priv.", ".llvm.", ".localalias"};
    const size_t hash = sizeof "17h0123456789abcdefE" - 1;
    for (size_t i = 0; i < HF_COUNT(clones); i++)
        name = hf_text_first(name, hf_text_find_string(name, clones[i]));
    bool is_rust = hf_text_starts(name, "_ZN") && hf_text_ends(name, "E") && name.size > hash + 3 &&
                   hf_text_starts(hf_text_from(name, name.size - hash), "17h");
    return is_rust ? hf_text_first(name, name.size - hash) : name;
}

/* True if the byte at `at` says which form of a constructor or destructor it is: C1E, D2E, CI21A.
 */
static bool is_form_at(struct hf_text name, size_t at)
{
    if (!twins_is_digit(name.data[at]))
        return false;
    char before = name.data[at - 1], after = at + 1 < name.size ? name.data[at + 1] : '\0';
    if (before == 'I')
        return name.data[at - 2] == 'C';
    return (before == 'C' || before == 'D') && (after == 'E' || after == 'I' || after == 'B');
}

/*
 * Names of C++ that differ at most in the forms of a constructor or destructor: C1 and C2. Nothing
 * else of the mangling is understood: identifiers that differ so, and whose functions were folded,
 * are taken for one function.
 */
static bool is_other_form(struct hf_text a, struct hf_text b)
{
    if (a.size != b.size || !hf_text_starts(a, "_Z") || !hf_text_starts(b, "_Z"))
        return false;
    for (size_t at = 2; at < a.size; at++) {
        if (a.data[at] != b.data[at] && !(is_form_at(a, at) && is_form_at(b, at)))
            return false;
    }
    return true;
}

/* "__libc_malloc" of "malloc". */
static bool is_behind_underscores(struct hf_text longer, struct hf_text name)
{
    return longer.size > name.size && longer.data[0] == '_' && name.size != 0 &&
           hf_text_equal(hf_text_from(longer, longer.size - name.size), name);
}

/* True for names of one function. */
static bool is_same_function(struct hf_text a, struct hf_text b)
{
    a = stem_of(a);
    b = stem_of(b);
    if (hf_text_equal(a, b))
        return true;
    if (twins_is_mangled(a) || twins_is_mangled(b))
        return is_other_form(a, b);
    return is_behind_underscores(a, b) || is_behind_underscores(b, a);
}

/* True if the linker is one that may have folded functions, whatever they are called. */
static bool linker_folds(const struct hf_elf *elf)
{
    const struct hf_elf_section *comment = hf_elf_section(elf, ".comment");
    if (hf_elf_section(elf, ".note.gnu.gold-version") != NULL)
        return true;
    if (comment == NULL)
        return false;
    struct hf_text text = hf_elf_section_bytes(elf, comment);
    return hf_text_has(text, "LLD ") || hf_text_has(text, "mold ");
}

/* How many functions the symbols of one place are; `kept` gets one name of each. */
static size_t count_functions(const struct hf_symbol *symbols, size_t count, bool folds_any,
    struct hf_text kept[HF_TWINS_MAX])
{
    size_t functions = 0;
    for (size_t i = 0; i < count && functions < HF_TWINS_MAX; i++) {
        struct hf_text name = symbols[i].name;
        bool is_label = symbols[i].rank % 2 == 0;
        bool is_known = is_label || (!folds_any && !twins_is_mangled(name));
        for (size_t k = 0; k < functions && !is_known; k++) {
            if (!hf_budget_step(STEPS_A_PAIR + STEPS_A_BYTE * (uint64_t)name.size))
                return 0;
            is_known = is_same_function(name, kept[k]);
        }
        if (!is_known)
            kept[functions++] = name;
    }
    return functions;
}

void hf_twins_mark(struct hf_symbol *symbols, size_t count, const struct hf_elf *elf)
{
    struct hf_text kept[HF_TWINS_MAX];
    bool folds_any = linker_folds(elf);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && symbols[to].address == symbols[from].address &&
                            symbols[to].size == symbols[from].size;)
            to++;
        if (to - from == 1 || symbols[from].size == 0)
            continue;
        size_t functions = count_functions(symbols + from, to - from, folds_any, kept);
        for (size_t i = from; i < to && functions > 1; i++)
            symbols[i].twins = (uint32_t)functions;
    }
}

void hf_twin_list_done(struct hf_twin_list *list)
{
    free(list->items);
    *list = (struct hf_twin_list){0};
}

bool hf_twin_list_add(struct hf_twin_list *list, const struct hf_symbol *symbol)
{
    if (!hf_vec_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return false;
    list->items[list->count++] = *symbol;
    return true;
}

static int twins_compare_places(const void *a, const void *b)
{
    const struct hf_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

void hf_twin_list_mark(struct hf_twin_list *list, const struct hf_elf *elf)
{
    if (list->count == 0)
        return;
    qsort(list->items, list->count, sizeof *list->items, twins_compare_places);
    hf_twins_mark(list->items, list->count, elf);
}

uint32_t hf_twin_list_find(const struct hf_twin_list *list, const struct hf_symbol *symbol)
{
    const struct hf_symbol *found =
        list->count == 0 || symbol->size == 0
            ? NULL
            : bsearch(symbol, list->items, list->count, sizeof *list->items, twins_compare_places);
    return found != NULL ? found->twins : 0;
}
