#include "source/question.h"

#include "base/containers/hash.h"

#include <ctype.h>

bool hf_source_at_file(struct hf_source_at *at, struct hf_source_flow *flow, uint32_t number)
{
    if (number >= flow->sources->count)
        return false;
    *at = (struct hf_source_at){flow, &flow->sources->files[number], number};
    return true;
}

bool hf_source_step(struct hf_source_flow *flow)
{
    return flow->steps < HF_SOURCE_STEPS && ++flow->steps != 0;
}

struct hf_source_level hf_source_level_at(
    const struct hf_source_at *at, struct hf_source_value value)
{
    uint32_t begin = hf_source_statement_of(at, value.statement)->begin,
             steps = value.begin > begin ? (value.begin - begin) / HF_SOURCE_TOKENS_OF_STEP : 0,
             left = HF_SOURCE_STEPS - at->flow->steps;
    at->flow->steps += steps < left ? steps : left;
    return hf_source_level_of(at->file, value);
}

struct hf_text hf_source_text_of(const struct hf_source_at *at, uint32_t token)
{
    return hf_source_token_text(&at->file->tokens, token);
}

const struct hf_source_statement *hf_source_statement_of(
    const struct hf_source_at *at, uint32_t number)
{
    return &at->file->outline.statements[number];
}

uint32_t *hf_source_asked(
    const struct hf_source_at *at, uint32_t question, struct hf_text name, bool *out_is_new)
{
    uint64_t of_file = hf_hash_u64((uint64_t)question << 32 | at->number);
    return hf_map_put(&at->flow->known, hf_hash_u64(of_file ^ hf_hash_bytes(name.data, name.size)),
        0, out_is_new);
}

bool hf_source_is_capital(struct hf_text name)
{
    return name.size != 0 && isupper((unsigned char)name.data[0]) != 0;
}

/* The tokens of a function, or of all of the file. */
void hf_source_range_of(
    const struct hf_source_at *at, uint32_t function, uint32_t *out_begin, uint32_t *out_end)
{
    const struct hf_source_function *functions = at->file->outline.functions;
    *out_begin = function != HF_SOURCE_NO ? functions[function].begin + 1 : 0;
    *out_end =
        function != HF_SOURCE_NO ? functions[function].end : (uint32_t)at->file->tokens.count;
}

bool hf_source_has_word(const struct hf_source_at *at, uint32_t function, const char *const words[])
{
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = first; i < end && hf_source_step(at->flow); i++) {
        if (hf_source_is_any_word(&at->file->tokens, i, words))
            return true;
    }
    return false;
}

struct hf_source_at hf_source_at_place(
    const struct hf_source_at *at, uint32_t place, uint32_t *out_function)
{
    const struct hf_source_place *of = &at->flow->sources->places[place];
    *out_function = of->function;
    return (struct hf_source_at){
        .flow = at->flow, .file = &at->flow->sources->files[of->file], .number = of->file};
}
