#include "render/graph/graph_label.h"

#include "base/strings/escape.h"
#include "base/strings/utf8.h"

#define LONG_BYTES 96   /* longer names lose what stands in brackets */
#define SHORT_BYTES 384 /* of a name without its brackets; more is cut */
#define LINE_COLUMNS 32 /* a line breaks at the first chance that keeps it within */
#define PIECE_BYTES 96  /* a piece without any chance to break is cut into such */

#define ELLIPSIS "…"

struct shortened {
    char bytes[SHORT_BYTES + sizeof ELLIPSIS];
    size_t size;
    bool is_full;
};

static void graph_label_append(struct shortened *s, struct hf_text text)
{
    if (s->is_full || text.size > SHORT_BYTES - s->size) {
        s->is_full = true;
        return;
    }
    memcpy(s->bytes + s->size, text.data, text.size);
    s->size += text.size;
}

/* Bytes at the start that are no brackets although they look so: operator<<, (anonymous ...). */
static size_t literal_size(struct hf_text rest)
{
    static const char *const literals[] = {"operator()", "operator<=>",
        "operator<<=", "operator>>=", "operator<<", "operator>>",
        "operator<=", "operator>=", "operator->", "operator<", "operator>", "(anonymous namespace)",
        "->"};
    for (size_t i = 0; i < HF_COUNT(literals); i++) {
        if (hf_text_starts(rest, literals[i]))
            return strlen(literals[i]);
    }
    return 0;
}

/*
 * Copies what stands outside of brackets. Rust's "<Type as Trait>::method" has its subject in
 * them: of a name that starts with "<", that first pair is kept.
 */
static void graph_label_shorten(struct hf_text name, struct shortened *s)
{
    size_t kept_depth = hf_text_starts(name, "<") ? 1 : 0;
    size_t depth = 0;
    for (size_t at = 0; at < name.size;) {
        struct hf_text rest = hf_text_from(name, at);
        size_t size = literal_size(rest);
        uint32_t point = 0;
        if (size == 0)
            size = hf_utf8_next(rest, &point);
        bool is_opening = point == '<' || point == '(';
        bool is_closing = point == '>' || point == ')';
        if (is_closing && depth != 0 && --depth < kept_depth)
            kept_depth = 0;
        if (depth <= kept_depth)
            graph_label_append(s, hf_text_first(rest, size));
        if (is_opening && ++depth == kept_depth + 1)
            graph_label_append(s, HF_TEXT(ELLIPSIS));
        at += size;
    }
}

static bool may_break_after(struct hf_text name, size_t at)
{
    char c = name.data[at];
    char next = at + 1 < name.size ? name.data[at + 1] : '\0';
    bool is_scope_end = c == ':' && at > 0 && name.data[at - 1] == ':';
    return is_scope_end || next == '<' || next == '(' || c == ' ' || c == '/' ||
           (c == ',' && next != ' ');
}

/* Bytes of the next piece that is not to be broken. */
static size_t piece_size(struct hf_text name)
{
    size_t size = 0;
    while (size < name.size) {
        uint32_t point;
        size_t step = hf_utf8_next(hf_text_from(name, size), &point);
        if (size + step > PIECE_BYTES)
            return size;
        size += step;
        if (may_break_after(name, size - 1))
            return size;
    }
    return size;
}

void hf_graph_label(struct hf_text name, struct hf_out *out)
{
    struct shortened s = {.size = 0};
    if (name.size > LONG_BYTES) {
        graph_label_shorten(name, &s);
        name = (struct hf_text){s.bytes, s.size};
    }
    size_t columns = 0;
    bool is_blank_due = false; /* a blank is written before a piece, never at the end of a line */
    while (name.size != 0) {
        struct hf_text piece = hf_text_first(name, piece_size(name));
        name = hf_text_from(name, piece.size);
        if (columns != 0 && columns + piece.size > LINE_COLUMNS) {
            hf_out_string(out, "\\n");
            columns = 0;
        } else if (is_blank_due) {
            hf_out_char(out, ' ');
        }
        columns += piece.size;
        is_blank_due = piece.data[piece.size - 1] == ' ';
        hf_escape_dot(out, hf_text_first(piece, piece.size - (is_blank_due ? 1 : 0)));
    }
    hf_out_string(out, s.is_full ? ELLIPSIS "\\n" : "\\n");
}
