#include "base/strings/legible_text.h"

#include "base/strings/escape.h"

#include <string.h>

static size_t legible_text_next(struct hf_text text, size_t from, char c)
{
    const char *found = from < text.size ? memchr(text.data + from, c, text.size - from) : NULL;
    return found != NULL ? (size_t)(found - text.data) : text.size;
}

void hf_legible_text_put(struct hf_out *out, struct hf_text lines)
{
    size_t line_end = legible_text_next(lines, 0, '\n'), tab = legible_text_next(lines, 0, '\t');
    for (size_t start = 0; start < lines.size;) {
        size_t end = line_end < tab ? line_end : tab;
        hf_escape_terminal(out, hf_text_first(hf_text_from(lines, start), end - start));
        if (end < lines.size)
            hf_out_char(out, lines.data[end]);
        start = end + 1;
        if (end == line_end)
            line_end = legible_text_next(lines, start, '\n');
        if (end == tab)
            tab = legible_text_next(lines, start, '\t');
    }
}

/* Bytes at the end that begin a character and may have their others in the next piece. */
static size_t begun(struct hf_text text)
{
    for (size_t back = 1; back <= 3 && back <= text.size; back++) {
        unsigned char byte = (unsigned char)text.data[text.size - back];
        if (byte < 0x80)
            return 0;
        if (byte >= 0xc0)
            return (byte >= 0xf0 ? 4u : byte >= 0xe0 ? 3u : 2u) > back ? back : 0;
    }
    return 0;
}

static enum hf_status legible_text_put(
    void *context, const char *data, size_t size, struct hf_error *err)
{
    struct hf_legible_text *legible = context;
    struct hf_text text = {data, size};
    struct hf_out joined = {0};
    if (legible->kept_size != 0) {
        hf_out_bytes(&joined, legible->kept, legible->kept_size);
        hf_out_text(&joined, text);
        text = hf_out_view(&joined);
    }
    enum hf_status status = joined.error.status == HF_OK ? HF_OK : hf_error_memory(err);
    if (status == HF_OK) {
        legible->kept_size = begun(text);
        hf_legible_text_put(legible->to, hf_text_first(text, text.size - legible->kept_size));
        for (size_t i = 0; i < legible->kept_size; i++)
            legible->kept[i] = text.data[text.size - legible->kept_size + i];
        status = hf_out_finish(legible->to, err);
    }
    hf_out_done(&joined);
    return status;
}

struct hf_out hf_legible_text_out(struct hf_legible_text *legible)
{
    return (struct hf_out){.flush = legible_text_put, .context = legible};
}

enum hf_status hf_legible_text_finish(struct hf_legible_text *legible, struct hf_error *err)
{
    hf_legible_text_put(legible->to, (struct hf_text){legible->kept, legible->kept_size});
    legible->kept_size = 0;
    return hf_out_finish(legible->to, err);
}
