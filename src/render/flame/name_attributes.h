/*
 * name_attributes.h: attributes of frames by name, from a file: flamegraph.pl's --nameattr.
 *
 *     file = { name { TAB key "=" value } LF }
 *     key  = "id" | "class" | "title" | "href" | "target" | "g_extra" | "a_extra"
 *
 * `title` replaces the hover text, `href` makes the frame a link. Values are escaped, and links
 * lead to http, https, file or within the page alone: a picture never runs what a file says. The
 * extras are attributes of <g> and <a>, of which data-*, aria-*, rel and role are kept. What is
 * left out is counted.
 */
#ifndef HF_RENDER_NAME_ATTRIBUTES_H
#define HF_RENDER_NAME_ATTRIBUTES_H

#include "base/containers/map.h"
#include "base/error.h"
#include "base/strings/out.h"
#include "base/text.h"

#include <stdint.h>

enum hf_name_attribute {
    HF_ATTRIBUTE_ID,
    HF_ATTRIBUTE_CLASS,
    HF_ATTRIBUTE_TITLE,
    HF_ATTRIBUTE_HREF,
    HF_ATTRIBUTE_TARGET,
    HF_ATTRIBUTE_G_EXTRA,
    HF_ATTRIBUTE_A_EXTRA,
    HF_ATTRIBUTE_COUNT,
};

/* Of one name; texts of size 0 are not given. */
struct hf_name_line {
    struct hf_text name;
    struct hf_text values[HF_ATTRIBUTE_COUNT];
};

/* All-zero is empty. */
struct hf_name_attributes {
    struct hf_name_line *lines; /* sorted by name */
    size_t count, capacity;
    uint64_t left_out; /* lines, keys, links and attributes */
};
void hf_name_attributes_done(struct hf_name_attributes *attributes);

/* Reads a file; borrows `bytes`. The last line of a name counts. */
HF_MUST_CHECK enum hf_status hf_name_attributes_read(
    struct hf_name_attributes *attributes, struct hf_text bytes, struct hf_error *err);

/* What is said of `name`; NULL if nothing is. */
const struct hf_name_line *hf_name_attributes_find(
    const struct hf_name_attributes *attributes, struct hf_text name);

/* Writes the attributes of <g>, each with a blank before it. */
void hf_name_attributes_put(const struct hf_name_line *line, struct hf_out *out);

/* Writes the start of the link; false, and nothing, if there is none. */
bool hf_name_attributes_put_link(const struct hf_name_line *line, struct hf_out *out);

#endif
