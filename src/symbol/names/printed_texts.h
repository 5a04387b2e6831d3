/*
 * printed_texts.h: names and paths of look-ups as they are printed: each is made once, found again
 * by where it lies, not by what it says.
 *
 * That is right as long as the same bytes are the same text: hf_lookup.generation tells. What is
 * kept is bounded, a quarter of HF_LIMIT_RESIDENT_BYTES for each table, and what one look-up adds:
 * when the newer half is full, the older one goes, and what is asked for of the older one comes
 * into the newer. So what is printed often stays, however much is printed once.
 */
#ifndef HF_SYMBOL_PRINTED_TEXTS_H
#define HF_SYMBOL_PRINTED_TEXTS_H

#include "base/containers/arena.h"
#include "base/containers/map.h"
#include "base/strings/out.h"

struct hf_printed_half {
    struct hf_map by_place; /* of the first byte */
    struct hf_text *printed;
    size_t count, capacity;
    struct hf_arena arena; /* of the printed ones */
};

/* All-zero is empty. */
struct hf_printed_texts {
    struct hf_printed_half newer, older;
    uint64_t generation;
};

void hf_printed_texts_done(struct hf_printed_texts *texts);

/* Before the texts of a look-up of this generation are printed. Those given out before may go. */
void hf_printed_texts_begin(struct hf_printed_texts *texts, uint64_t generation);

/* The rare part of hf_printed_texts_find. */
struct hf_text hf_printed_texts_find_older(struct hf_printed_texts *texts, struct hf_text text);

/* What `text` is printed as; NULL data if that is not known. */
static inline struct hf_text hf_printed_texts_find(
    struct hf_printed_texts *texts, struct hf_text text)
{
    const uint32_t *known = hf_map_find(&texts->newer.by_place, (uintptr_t)text.data);
    return known != NULL ? texts->newer.printed[*known] : hf_printed_texts_find_older(texts, text);
}

/* What `printed` holds is what `text` is printed as from now on. NULL data: no memory. */
struct hf_text hf_printed_texts_add(
    struct hf_printed_texts *texts, struct hf_text text, const struct hf_out *printed);

/* What the printed ones take. */
size_t hf_printed_texts_bytes(const struct hf_printed_texts *texts);

#endif
