/*
 * flame_text.h: the words of a flame graph: names and numbers.
 *
 * Everything written here is escaped for XML content and for quoted attributes.
 *
 * The hover text of a frame is its name and, in one pair of round brackets, its numbers:
 *
 *     malloc (1,234 samples, 12.34%)                       counts, or a count name is given
 *     malloc (52,428,800 bytes, 50.0 MiB, 93.10%)          bytes
 *     malloc (1,234 samples, 12.34%; +0.21%)               two columns: its own change
 *     malloc (+2 objects grew, −1 released, net +1, 0.30%) a difference; bytes there are written
 *     malloc (+100.0 MiB grew, 40.00%; +104,857,600 bytes) human first, then exact
 *
 * The root's percentage is 100% without decimals. The script writes the same for frames that it
 * draws (web/src/svg/titles.ts); tests/e2e/svg-redraw-browser.mjs compares the two.
 */
#ifndef HF_RENDER_FLAME_TEXT_H
#define HF_RENDER_FLAME_TEXT_H

#include "base/strings/out.h"
#include "render/flame/flame.h"

#include <stdbool.h>

#define HF_FLAME_NAME_MAX_BYTES 512 /* of a name as hover text; the rest is told by its size */

struct hf_flame_groups;

struct hf_flame_text {
    const struct hf_profile *folded;
    const struct hf_flame_options *options;
    size_t type;                          /* shown */
    struct hf_text type_name;             /* "inuse_space" */
    struct hf_text noun;                  /* what is counted: "bytes", "objects", "samples" */
    bool noun_is_plain;                   /* letters and blanks: nothing to escape */
    bool shows_bytes;                     /* with human units */
    uint64_t total;                       /* 100 % */
    bool has_owners;                      /* frames are marked as owners; set by the caller */
    const struct hf_flame_groups *groups; /* that colours stand for, or NULL; set by the caller */
};

/* `type` is an index of the profile's types. Borrows all of it. */
void hf_flame_text_init(struct hf_flame_text *text, const struct hf_profile *folded,
    const struct hf_flame_options *options, size_t type, uint64_t total);

/* The short form of a value: "50.0 MiB", or the number with commas. */
void hf_flame_put_short(const struct hf_flame_text *text, uint64_t value, struct hf_out *out);

/* grew - released in the short form, with its sign. */
void hf_flame_put_net(const struct hf_flame_text *text, struct hf_total sums, struct hf_out *out);

/* A blank and what is counted. */
void hf_flame_put_noun(const struct hf_flame_text *text, struct hf_out *out);

/* `label` as shown: without annotation (_[k]), at most HF_FLAME_NAME_MAX_BYTES. Unescaped. */
struct hf_text hf_flame_shown_name(struct hf_text label);

/* The same, escaped, and how long it is if it was cut. */
void hf_flame_put_name(struct hf_text label,
    void (*escape)(struct hf_out *out, struct hf_text text), struct hf_out *out);

/* Fewer columns never show a number. */
#define HF_FLAME_NUMBERS_COLUMNS 16

/* "  10.4 MiB  29 %"; of a difference "  +10.4 MiB": what changed. Unescaped. */
void hf_flame_put_box_numbers(
    const struct hf_flame_text *text, struct hf_total sums, uint64_t width, struct hf_out *out);

/* "24 frames: first ... last", each name as far as there is room. Unescaped. */
void hf_flame_put_chain(uint32_t count, struct hf_text first, struct hf_text last, size_t columns,
    struct hf_out *scratch, struct hf_out *out);

/* Whether all of `name` has room in `columns` characters. */
bool hf_flame_fits(struct hf_text name, size_t columns, struct hf_out *scratch);

/*
 * The hover text of a frame behind its name; `width` is in units of the value. `change` is that of
 * its own values (flame_tree.h), or NULL.
 */
void hf_flame_put_title_numbers(const struct hf_flame_text *text, struct hf_total sums,
    const struct hf_total *change, uint64_t width, bool is_root, struct hf_out *out);

/*
 * What fits of `name` into `columns` characters: all of it, or its start and "..", or nothing when
 * `columns` is below 3. A wide (East Asian) character is two columns. `scratch` is reused memory.
 */
void hf_flame_put_fitted(
    struct hf_text name, size_t columns, struct hf_out *scratch, struct hf_out *out);

#endif
