#include "shadow.h"

#include "pages.h"

#define POINTERS_BYTES (HF_SHADOW_PIECES * sizeof(_Atomic uint32_t *))
#define CELLS_BYTES (HF_SHADOW_PIECE_BYTES / HF_SHADOW_CELL_BYTES * sizeof(_Atomic uint32_t))

bool hf_shadow_begin(struct hf_shadow *shadow)
{
    shadow->pieces = hf_pages_map(POINTERS_BYTES);
    return shadow->pieces != NULL;
}

_Atomic uint32_t *hf_shadow_make(struct hf_shadow *shadow, uintptr_t address)
{
    _Atomic uint32_t *cell = hf_shadow_find(shadow, address), *none = NULL;
    if (cell != NULL || shadow->pieces == NULL || shadow->is_closed ||
        address >= HF_SHADOW_HALF_BYTES)
        return cell;
    _Atomic uint32_t *cells = hf_pages_map(CELLS_BYTES);
    if (cells == NULL)
        return NULL;
    size_t piece = address / HF_SHADOW_PIECE_BYTES;
    if (!atomic_compare_exchange_strong(&shadow->pieces[piece], &none, cells))
        hf_pages_unmap(cells, CELLS_BYTES); /* another thread was faster */
    return hf_shadow_find(shadow, address);
}

void hf_shadow_forget(struct hf_shadow *shadow)
{
    for (size_t i = 0; shadow->pieces != NULL && i < HF_SHADOW_PIECES; i++)
        hf_pages_unmap(atomic_load_explicit(&shadow->pieces[i], memory_order_relaxed), CELLS_BYTES);
    hf_pages_unmap(shadow->pieces, POINTERS_BYTES);
    *shadow = (struct hf_shadow){0};
}
