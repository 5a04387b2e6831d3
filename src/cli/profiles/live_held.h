/*
 * live_held.h: what holds the blocks of the rows of a live table that leak, and when the process is
 * to be stopped to find out: when a row leaks that did not in the table before, and at most once in
 * HF_LIVE_HELD_EVERY_NS.
 *
 * A row is known by its name. What was found stays until it is found anew. Of more rows than
 * HF_LIVE_HELD_ROWS, the one that has not leaked for longest is forgotten.
 *
 * Example:
 *
 *     struct hf_live_held held = {0};
 *     hf_live_held_begin(&held);
 *     (void)hf_live_held_find(&held, HF_TEXT("session_open")); // the table is drawn
 *     if (hf_live_held_ask(&held, 5000000000))
 *         hf_out_string(out, "a snapshot is wanted");
 *     hf_live_held_done(&held);
 */
#ifndef HF_CLI_LIVE_HELD_H
#define HF_CLI_LIVE_HELD_H

#include "render/table/growth_report.h"

#include <stdbool.h>

#define HF_LIVE_HELD_EVERY_NS UINT64_C(60000000000)
#define HF_LIVE_HELD_ROWS 64

struct hf_live_held_row {
    char *name;
    struct hf_growth_held held; /* none: not known yet */
    uint64_t table;             /* the last in which it leaked */
    bool is_new;                /* nobody has asked since it leaks */
};

/* All zero: nothing is known. */
struct hf_live_held {
    struct hf_live_held_row rows[HF_LIVE_HELD_ROWS];
    size_t count;
    uint64_t table; /* the number of this one */
    uint64_t asked_ns;
    bool has_asked;
};

/* Before a table is drawn of another look; not before the same one is drawn again. */
void hf_live_held_begin(struct hf_live_held *held);

/* For hf_top_options.find_held, with a struct hf_live_held: the row leaks. */
const struct hf_growth_held *hf_live_held_find(void *holder, struct hf_text name);

/* After it was drawn: true: the process is to be read now, and this counts as having asked. */
HF_MUST_CHECK bool hf_live_held_ask(struct hf_live_held *held, uint64_t now_ns);

/* The names of the rows that leak in this table. Returns how many. */
size_t hf_live_held_names(const struct hf_live_held *held, struct hf_text names[HF_LIVE_HELD_ROWS]);

/* What was found of such a row; takes it, and gives what was known before. */
void hf_live_held_put(struct hf_live_held *held, struct hf_text name, struct hf_growth_held *found);

void hf_live_held_done(struct hf_live_held *held);

#endif
