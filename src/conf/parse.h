/*
 * parse.h: MALLOC_CONF as jemalloc itself reads it, with its mistakes.
 *
 *   conf  = pair { "," pair }
 *   pair  = key ":" value
 *   key   = { letter | digit | "_" }
 *   value = any bytes but ","
 *
 * A pair with an unknown key or a wrong value is skipped. Another byte in a key, or a key without a
 * colon, ends the reading: the rest is dropped. Source: conf_next and conf_handle_* of jemalloc
 * 5.3.0, and its answers.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_CONF_PARSE_H
#define HF_CONF_PARSE_H

#include "conf/table.h"

enum hf_conf_step {
    HF_CONF_PAIR,
    HF_CONF_END,
    HF_CONF_KEY_ALONE, /* the text ends before the colon of `key` */
    HF_CONF_MALFORMED, /* a byte that no key has: at `stop` */
};

struct hf_conf_cursor {
    struct hf_text text; /* ends at its first NUL, as in C */
    size_t at;
    size_t stop;
    bool ends_with_comma; /* jemalloc complains, and took the pair */
};

struct hf_conf_pair {
    struct hf_text key, value; /* of the text; key.data says where */
};

struct hf_conf_cursor hf_conf_open(struct hf_text text);
enum hf_conf_step hf_conf_next(struct hf_conf_cursor *cursor, struct hf_conf_pair *out_pair);

/* What jemalloc makes of a value. */
enum hf_conf_verdict {
    HF_CONF_TAKEN,
    HF_CONF_CLIPPED,      /* taken as the nearest number in range */
    HF_CONF_INVALID,      /* skipped: "Invalid conf value" */
    HF_CONF_OUT_OF_RANGE, /* skipped: "Out-of-range conf value" */
};

/* The number is 0 or 1 for HF_CONF_BOOL, 2^64 - n for -n, 0 where the value is no number. */
enum hf_conf_verdict hf_conf_value(
    const struct hf_conf_option *option, struct hf_text value, uint64_t *out_number);

/* The entry of a list "a,b,c" that `name` is, or begins if `is_beginning`; size 0: none. */
struct hf_text hf_conf_choice(const char *choices, struct hf_text name, bool is_beginning);

#endif
