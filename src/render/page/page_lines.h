/*
 * page_lines.h: what each source line of a profile holds, and which lines matter, for the sources
 * in an HTML page; likewise for addresses, for its instructions.
 *
 * A line has *total*, what stacks through it hold, each stack once, and *self*, what was allocated
 * right there. Lines matter in this order: those of functions that own memory (page_owners.h)
 * before others, and the ones that hold more first.
 */
#ifndef HF_RENDER_PAGE_LINES_H
#define HF_RENDER_PAGE_LINES_H

#include "render/trie_data.h"

struct hf_page_line {
    uint32_t file, number; /* `file`: a string of the profile; of an address HF_NO_STRING, and
                              `number` is its frame */
    bool is_owner;
    uint64_t weight;    /* total of the value that is shown first */
    size_t last_sample; /* plus one: of whose stack it has the values */
};

struct hf_page_lines {
    const struct hf_profile *by_line;
    struct hf_page_line *items;
    size_t count, capacity;
    uint32_t *of_frame; /* index of its line plus one; 0: it has none */
    uint64_t *held;     /* by line, by type of the profile: total and self */
};

/*
 * Of a profile folded by line, or with keeps_addresses. `trie` and `owners`, by its names, are
 * those of the page; NULL: who owns what is not known, or is who allocates it. Needs
 * hf_page_lines_done in any case.
 */
HF_MUST_CHECK enum hf_status hf_page_lines_init(struct hf_page_lines *out_lines,
    const struct hf_profile *by_line, size_t type, const struct hf_trie_data *trie,
    const uint32_t *owners, struct hf_error *err);
void hf_page_lines_done(struct hf_page_lines *lines);

/* Sets out_order[count] to the lines: those that matter most first, or by file and number. */
void hf_page_lines_rank(const struct hf_page_lines *lines, const struct hf_page_line **out_order);
void hf_page_lines_sort(const struct hf_page_lines *lines, const struct hf_page_line **out_order);

/* Total and self of a line, by type; no type has this index: zeros. */
const uint64_t *hf_page_lines_held(
    const struct hf_page_lines *lines, const struct hf_page_line *line, size_t type);

#endif
