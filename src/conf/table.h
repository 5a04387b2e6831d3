/*
 * table.h: the options of jemalloc's MALLOC_CONF, as data.
 *
 * Source: the option tables of jemalloc 5.1.0 and 5.3.0 and the change log for when each came and
 * went; the tests hold the table to the libjemalloc that is installed. Ranges, choices and defaults
 * are those of 5.3.0 on 64-bit Linux.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_CONF_TABLE_H
#define HF_CONF_TABLE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Versions compare as numbers. */
#define HF_CONF_VERSION(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define HF_CONF_NEWEST HF_CONF_VERSION(5, 3, 0) /* newest whose table was read whole */

enum hf_conf_kind {
    HF_CONF_BOOL,     /* "true" or "false", nothing else */
    HF_CONF_SIGNED,   /* min .. max; decimal, 0x hexadecimal or 0 octal */
    HF_CONF_UNSIGNED, /* the same, read as unsigned: -1 is 2^64-1 */
    HF_CONF_CHOICE,   /* one of `choices` */
    HF_CONF_PREFIX,   /* as CHOICE, but the first characters of key and value are enough */
    HF_CONF_FRACTION, /* 0.25, up to 65535 */
    HF_CONF_RANGES,   /* from-to:value|from-to:value... */
    HF_CONF_TEXT,     /* anything without a comma */
};

struct hf_conf_option {
    const char *key;
    enum hf_conf_kind kind;
    bool is_clipped;    /* a number out of range becomes the nearest in range; else it is refused */
    bool may_be_choice; /* a number, or one of `choices` */
    const char *build_flag; /* of jemalloc's configure, without which the key is unknown, or NULL */
    uint32_t since, until;  /* first version, last version (0: still there) */
    int64_t min;
    uint64_t max;
    const char *choices; /* "a,b,c" */
    const char *fallback;
    const char *meaning;
    const char *trap; /* what people fall into; NULL: nothing known */
};

struct hf_conf_options {
    const struct hf_conf_option *items;
    size_t count;
};

extern const struct hf_conf_options hf_conf_profiling; /* only of a jemalloc with --enable-prof */
extern const struct hf_conf_options hf_conf_general;

/* All of them, those of profiling first. */
size_t hf_conf_option_count(void);
const struct hf_conf_option *hf_conf_option_at(size_t index);
size_t hf_conf_option_index(const struct hf_conf_option *option);
bool hf_conf_option_is_profiling(const struct hf_conf_option *option);

/* The option of exactly that key, or NULL. */
const struct hf_conf_option *hf_conf_option_find(struct hf_text key);

/* The option that jemalloc takes for `key`: some are found by their first characters, even none. */
const struct hf_conf_option *hf_conf_option_match(struct hf_text key);

#endif
