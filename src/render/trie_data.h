/*
 * trie_data.h: a tree of frames as columns of bytes, small because like stands beside like: what
 * the HTML page (page_data.h) and the SVG (flame_data.h) embed. web/src/data.ts reads it.
 *
 *     names = { shared rest bytes }      ; UTF-8, in the order of the labels' bytes; names[0] is
 *                                        ; "all"; `shared` bytes are those of the name before;
 *                                        ; no name holds a control character
 *     ups   = { levels }                 ; nodes in preorder, without the root: how many levels
 *                                        ; above the node before this one hangs
 *     ids   = { index of the name }      ; by node, with the root
 *
 * Numbers are LEB128. What a node holds follows in columns that are the caller's.
 *
 * Where a browser has no time to read numbers one by one, they are packed: a byte that says how
 * many bytes each has, 1, 2 or 4, and the numbers, little-endian; 0 says that they are LEB128.
 */
#ifndef HF_RENDER_TRIE_DATA_H
#define HF_RENDER_TRIE_DATA_H

#include "profile/order.h"
#include "profile/profile.h"
#include "render/palette.h"

struct hf_trie_data {
    const struct hf_stack_node *nodes; /* borrowed, as is `order` */
    const struct hf_order *order;
    uint32_t *preorder; /* node ids, siblings in their order; [0] is the root */
    size_t node_count;
    uint32_t *name_of_frame; /* index of its name; 0: no node has it */
    uint32_t *frame_of_name; /* [0] is not used */
    uint32_t name_count;     /* with "all" */
};

/*
 * Lists the nodes that are kept, which have to include the root and the parent of each; `count` is
 * that of all nodes, `frame_count` that of all frames. Needs hf_trie_data_done in any case.
 */
HF_MUST_CHECK enum hf_status hf_trie_data_init(struct hf_trie_data *out_data,
    const struct hf_stack_node *nodes, size_t count, const struct hf_order *order,
    size_t frame_count, const bool *is_kept, struct hf_error *err);
void hf_trie_data_done(struct hf_trie_data *data);

/* The columns. `put` writes a label as readers shall see it. Errors of `out` latch there. */
void hf_trie_data_put_names(const struct hf_trie_data *data,
    void (*put)(struct hf_out *out, struct hf_text label), struct hf_out *out);
void hf_trie_data_put_nodes(const struct hf_trie_data *data, struct hf_out *out);

/* The same for readers in a hurry: names as lines, behind their size; ups and ids packed. */
void hf_trie_data_put_lines(const struct hf_trie_data *data,
    void (*put)(struct hf_out *out, struct hf_text label), struct hf_out *out);
void hf_trie_data_put_packed_nodes(const struct hf_trie_data *data, struct hf_out *out);

/* The raw label of a name; "" of the first. */
struct hf_text hf_trie_data_label(const struct hf_trie_data *data, uint32_t name);

/* For the columns of the caller. */
void hf_trie_data_put_number(struct hf_out *out, uint64_t value);

/* So many numbers, packed. `at` is asked twice for each. */
void hf_trie_data_put_packed(struct hf_out *out, size_t count,
    uint64_t (*at)(const void *context, size_t i), const void *context);
void hf_trie_data_put_color(struct hf_out *out, struct hf_color color);

/*
 * Writes what `put_columns` writes, compressed with gzip, as base64; quickly: for a third of the
 * work, with some more bytes.
 */
HF_MUST_CHECK enum hf_status hf_trie_data_pack(
    void (*put_columns)(void *context, struct hf_out *out), void *context, struct hf_out *out,
    struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_trie_data_pack_quickly(
    void (*put_columns)(void *context, struct hf_out *out), void *context, struct hf_out *out,
    struct hf_error *err);

#endif
