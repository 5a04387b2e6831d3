#include "elf/symbol_index.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "elf/twins.h"

#include <stdlib.h>

#define STEPS_A_SYMBOL 35

void hf_symbol_index_done(struct hf_symbol_index *index)
{
    hf_budget_put_back(index->capacity * sizeof *index->symbols);
    free(index->symbols);
    hf_budget_free(index->reach);
    *index = (struct hf_symbol_index){0};
}

struct symbol_listing {
    struct hf_symbol_index *index;
    bool has_no_memory;
};

static void list_symbol(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    (void)is_local;
    struct symbol_listing *listing = context;
    struct hf_symbol_index *index = listing->index;
    if (type == STT_OBJECT || listing->has_no_memory)
        return;
    if (!hf_vec_reserve(
            &index->symbols, &index->capacity, index->count + 1, sizeof *index->symbols))
        listing->has_no_memory = true;
    else
        index->symbols[index->count++] = *symbol;
}

/* Of those at one address the last is the one that addresses behind it are asked about. */
static int symbol_index_compare(const void *a, const void *b)
{
    const struct hf_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return hf_symbol_is_better(x, y) - hf_symbol_is_better(y, x);
}

enum hf_status hf_symbol_index_make(
    struct hf_symbol_index *index, const struct hf_elf *elf, struct hf_error *err)
{
    struct symbol_listing listing = {.index = index};
    *index = (struct hf_symbol_index){.elf = elf};
    enum hf_status status = hf_symtab_each(elf, list_symbol, &listing, err);
    if (status != HF_OK)
        return status;
    index->reach = hf_budget_calloc(index->count + 1, sizeof *index->reach);
    if (listing.has_no_memory || index->reach == NULL)
        return hf_error_memory(err);
    if (index->count > 1)
        qsort(index->symbols, index->count, sizeof *index->symbols, symbol_index_compare);
    hf_twins_mark(index->symbols, index->count, elf);
    for (size_t i = 0; i < index->count; i++) {
        uint64_t end = UINT64_MAX;
        (void)!hf_add_u64(index->symbols[i].address, index->symbols[i].size, &end);
        index->reach[i] = i != 0 && index->reach[i - 1] > end ? index->reach[i - 1] : end;
    }
    index->is_made = true;
    return HF_OK;
}

/* What is named already may have more twins here: in the file that has all symbols. */
static void find_twins(const struct hf_symbol_index *index, struct hf_symbol *symbol)
{
    size_t at = HF_FIRST_ABOVE(index->symbols, index->count, address, symbol->address);
    while (at != 0 && index->symbols[at - 1].address == symbol->address &&
           index->symbols[at - 1].size > symbol->size)
        at--;
    const struct hf_symbol *last = at != 0 ? &index->symbols[at - 1] : symbol;
    if (last->address == symbol->address && last->size == symbol->size &&
        last->twins > symbol->twins)
        symbol->twins = last->twins;
}

/* False: no steps are left. */
static bool find_symbol(
    const struct hf_symbol_index *index, uint64_t address, struct hf_symbol *symbol)
{
    const struct hf_symbol *found = NULL;
    size_t nearest = HF_FIRST_ABOVE(index->symbols, index->count, address, address);
    for (size_t i = nearest; i != 0 && index->reach[i - 1] > address; i--) {
        const struct hf_symbol *one = &index->symbols[i - 1];
        if (!hf_budget_step(STEPS_A_SYMBOL))
            return false;
        bool holds = address - one->address < one->size;
        if (holds && (found == NULL || hf_symbol_is_better_for(one, found, symbol->plain)))
            found = one;
    }
    if (found == NULL && nearest != 0 && index->symbols[nearest - 1].size == 0 &&
        address < hf_elf_code_end(index->elf, index->symbols[nearest - 1].address))
        found = &index->symbols[nearest - 1];
    struct hf_text plain = symbol->plain;
    if (found != NULL)
        *symbol = *found;
    symbol->plain = plain;
    return true;
}

enum hf_status hf_symbol_index_resolve(const struct hf_symbol_index *index,
    const uint64_t *addresses, size_t count, struct hf_symbol *symbols, struct hf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].name.size != 0)
            find_twins(index, &symbols[i]);
        else if (!find_symbol(index, addresses[i], &symbols[i]))
            return hf_budget_refuse(err);
    }
    return HF_OK;
}
