/*
 * page_data.h: the tree of a folded profile as the bytes that an HTML page carries.
 * web/src/profile.ts reads it.
 *
 *     data   = lines colors [ places ] [ owners ] ups ids values { thread } ; columns; see
 *                                         ; trie_data.h; of values, ups and ids, each is packed
 *     values = { grew } { released } | { grew } { { step } }  ; the latter of a series
 *     colors = { red green blue }         ; a byte each, by name
 *     places = { module file line }       ; by name: of the head's lists, 0: not known; only if one
 *                                         ; of the lists has something
 *     owners = { name }                   ; by name: who owns it (page_owners.h), 0: nobody; only
 *                                         ; if the head says "hasOwners"
 *     grew   = { value }                  ; by node, with the root: what it holds itself; a column
 *                                         ; for each type of value, or what that grew by, or what
 *                                         ; it held at the first point of a series
 *     released = { value }                ; in a difference, the same for what was released
 *     step   = count { gap more less }    ; from a point to the next, for each type: stacks that
 *                                         ; changed, as distances of nodes, and by how much
 *     thread = { step }                   ; for each type: what it holds, as if it was nothing
 * before
 *
 * Nodes below which nothing is held are left out. Names show what hides or is no UTF-8 in escapes.
 */
#ifndef HF_RENDER_PAGE_DATA_H
#define HF_RENDER_PAGE_DATA_H

#include "analysis/series.h"
#include "profile/places.h"
#include "render/page/page_owners.h"
#include "render/page/page_threads.h"
#include "render/trie_data.h"

struct hf_page_data {
    const struct hf_profile *folded;
    const struct hf_series *series; /* whose change `folded` is; NULL: none */
    struct hf_order order;
    struct hf_trie_data trie;
    size_t *rows;                    /* by node: its sample's row plus one; 0: it has none */
    struct hf_intern modules, files; /* of the names; [0] is "" */
    struct hf_page_place {
        uint32_t module, file, line; /* of the lists above */
    } * places;                      /* by name */
    uint32_t *owners;                /* by name, see page_owners.h; NULL: nothing is known */
    struct hf_page_threads threads;  /* none of a series */
    uint64_t *before, *after;        /* of a series, scratch: by node of `folded` */
};

/* `*out_data` needs hf_page_data_done in any case. Borrows the profile and the
 * series; `places` may be NULL. */
HF_MUST_CHECK enum hf_status hf_page_data_init(struct hf_page_data *out_data,
    const struct hf_profile *folded, const struct hf_series *series, struct hf_places *places,
    struct hf_error *err);
void hf_page_data_done(struct hf_page_data *data);

/* Writes the columns. Errors of `out` latch there. */
void hf_page_data_write(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out);

#endif
