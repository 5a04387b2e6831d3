/*
 * text.h: a borrowed piece of text: pointer and length, no NUL promised.
 *
 * Whoever hands one out says how long it lives. Safety: any context.
 *
 * Example:
 *
 *     struct hf_text line = HF_TEXT("heap_v2/524288");
 *     if (hf_text_take(&line, "heap_v2/"))
 *         hf_out_text(out, line);
 */
#ifndef HF_BASE_TEXT_H
#define HF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct hf_text {
    const char *data; /* may be NULL when size is 0 */
    size_t size;      /* bytes */
};

#define HF_TEXT(literal) ((struct hf_text){(literal), sizeof(literal) - 1})

static inline struct hf_text hf_text_of(const char *string)
{
    return (struct hf_text){string, strlen(string)};
}

static inline bool hf_text_equal(struct hf_text a, struct hf_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool hf_text_is(struct hf_text a, const char *string)
{
    return hf_text_equal(a, hf_text_of(string));
}

static inline bool hf_text_starts(struct hf_text a, const char *prefix)
{
    size_t size = strlen(prefix);
    return a.size >= size && memcmp(a.data, prefix, size) == 0;
}

static inline bool hf_text_ends(struct hf_text a, const char *suffix)
{
    size_t size = strlen(suffix);
    return a.size >= size && memcmp(a.data + a.size - size, suffix, size) == 0;
}

/* Takes `prefix` off the front; false, and nothing is changed, if the text starts otherwise. */
static inline bool hf_text_take(struct hf_text *a, const char *prefix)
{
    if (!hf_text_starts(*a, prefix))
        return false;
    size_t size = strlen(prefix);
    *a = (struct hf_text){a->data + size, a->size - size};
    return true;
}

/* Bytes [from, size); empty if `from` is past the end. */
static inline struct hf_text hf_text_from(struct hf_text a, size_t from)
{
    if (from >= a.size)
        return (struct hf_text){a.data, 0};
    return (struct hf_text){a.data + from, a.size - from};
}

/* The first `size` bytes, or all if there are fewer. */
static inline struct hf_text hf_text_first(struct hf_text a, size_t size)
{
    return (struct hf_text){a.data, size < a.size ? size : a.size};
}

/* Index of the first or last `c`, or a.size if there is none. */
static inline size_t hf_text_find(struct hf_text a, char c)
{
    const char *at = a.size != 0 ? memchr(a.data, c, a.size) : NULL;
    return at != NULL ? (size_t)(at - a.data) : a.size;
}

static inline size_t hf_text_find_last(struct hf_text a, char c)
{
    const char *at = a.size != 0 ? memrchr(a.data, c, a.size) : NULL;
    return at != NULL ? (size_t)(at - a.data) : a.size;
}

/* Index of the first `string`, or a.size if there is none. */
static inline size_t hf_text_find_string(struct hf_text a, const char *string)
{
    const char *at = a.size != 0 ? memmem(a.data, a.size, string, strlen(string)) : NULL;
    return at != NULL ? (size_t)(at - a.data) : a.size;
}

static inline bool hf_text_has(struct hf_text a, const char *string)
{
    return hf_text_find_string(a, string) != a.size;
}

/* Without the characters of `drop` before it, or behind it. */
static inline struct hf_text hf_text_trim_start(struct hf_text a, const char *drop)
{
    size_t from = 0;
    while (from < a.size && memchr(drop, a.data[from], strlen(drop)) != NULL)
        from++;
    return hf_text_from(a, from);
}

static inline struct hf_text hf_text_trim_end(struct hf_text a, const char *drop)
{
    while (a.size != 0 && memchr(drop, a.data[a.size - 1], strlen(drop)) != NULL)
        a.size--;
    return a;
}

/* What follows the last '/', or everything. */
static inline struct hf_text hf_text_basename(struct hf_text path)
{
    size_t slash = hf_text_find_last(path, '/');
    return slash == path.size ? path : hf_text_from(path, slash + 1);
}

/* Order of bytes, shorter first when one is the start of the other; as strcmp. */
static inline int hf_text_compare(struct hf_text a, struct hf_text b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared != 0 ? memcmp(a.data, b.data, shared) : 0;
    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

#endif
