#include "net/answer.h"

#include "base/limits.h"

#include <jansson.h>
#include <string.h>

/* NULL unless the body is one JSON object that is not too long. */
static json_t *read_object(struct hf_text body)
{
    if (body.size == 0 || body.size > HF_LIMIT_HTTP_JSON_BYTES)
        return NULL;
    json_t *root = json_loadb(body.data, body.size, 0, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* Copies what fits, whole UTF-8 characters only, so that the cut shows no broken one. */
static bool answer_keep(struct hf_text text, char out[HF_ANSWER_TEXT_MAX])
{
    size_t size = text.size;
    if (size >= HF_ANSWER_TEXT_MAX) {
        size = HF_ANSWER_TEXT_MAX - 1;
        while (size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
            size--;
    }
    if (size != 0)
        memcpy(out, text.data, size);
    out[size] = '\0';
    return size != 0;
}

bool hf_answer_json_error(struct hf_text body, char out[HF_ANSWER_TEXT_MAX])
{
    out[0] = '\0';
    json_t *root = read_object(body);
    if (root == NULL)
        return false;
    const json_t *error = json_object_get(root, "error");
    if (json_is_object(error))
        error = json_object_get(error, "message");
    if (!json_is_string(error))
        error = json_object_get(root, "message");
    const char *sentence = json_string_value(error);
    bool found = sentence != NULL && answer_keep(hf_text_of(sentence), out);
    json_decref(root);
    return found;
}

bool hf_answer_line(struct hf_text body, char out[HF_ANSWER_TEXT_MAX])
{
    struct hf_text line = hf_text_first(body, hf_text_find(body, '\n'));
    line = hf_text_first(line, hf_text_find(line, '\0'));
    if (hf_text_ends(line, "\r"))
        line.size--;
    if (hf_text_starts(line, "<") || hf_text_starts(line, "{"))
        line.size = 0;
    return answer_keep(line, out);
}

bool hf_answer_active(struct hf_text body, bool *out_is_active)
{
    json_t *root = read_object(body);
    if (root == NULL)
        return false;
    const json_t *active = json_object_get(root, "active");
    bool found = json_is_boolean(active);
    if (found)
        *out_is_active = json_is_true(active);
    json_decref(root);
    return found;
}

enum hf_answer_problem hf_answer_problem(const char *sentence)
{
    /* The first that is found decides: "the feature is not enabled" is about building. */
    static const struct {
        const char *words;
        enum hf_answer_problem problem;
    } known[] = {
        {"feature", HF_ANSWER_NOT_BUILT}, /* GreptimeDB: The 'mem-prof' feature is disabled */
        {"not supported", HF_ANSWER_NOT_BUILT},
        {"not compiled", HF_ANSWER_NOT_BUILT},
        {"not activated", HF_ANSWER_NOT_ACTIVE}, /* the jemalloc_pprof crate's example */
        {"not active", HF_ANSWER_NOT_ACTIVE},
        {"not enabled", HF_ANSWER_NOT_ARMED}, /* GreptimeDB: Memory profiling is not enabled */
        {"prof:true", HF_ANSWER_NOT_ARMED},
        {"opt.prof", HF_ANSWER_NOT_ARMED},
    };
    for (size_t i = 0; i < HF_COUNT(known); i++) {
        if (strcasestr(sentence, known[i].words) != NULL)
            return known[i].problem;
    }
    return HF_ANSWER_UNKNOWN;
}

const char *hf_answer_remedy(enum hf_answer_problem problem)
{
    switch (problem) {
    case HF_ANSWER_NOT_BUILT:
        return "it was built without heap profiling; rebuild it with that feature, then start it "
               "with MALLOC_CONF=prof:true";
    case HF_ANSWER_NOT_ARMED:
        return "restart it with MALLOC_CONF=prof:true in its environment "
               "(_RJEM_MALLOC_CONF=prof:true if its jemalloc is built with a prefix, as in most "
               "Rust programs); it cannot be switched on later";
    case HF_ANSWER_NOT_ACTIVE:
        return "switch sampling on with heapflame dump --activate, and let it run a while";
    case HF_ANSWER_UNKNOWN: break;
    }
    return NULL;
}
