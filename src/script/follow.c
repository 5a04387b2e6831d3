/* Where a variable goes: every place of its function that reads it. */
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "script/climb.h"
#include "script/compiled.h"
#include "script/words.h"

/* One place where a variable is read. */
static struct hf_script_end follow_occurrence(const struct hf_script_at *at, uint32_t token)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement, call;
    const struct hf_script_statement *statement = hf_script_statement_of(at, number);
    bool is_path;
    uint32_t end = hf_script_chain_end(at->file, token, statement->end, &call, &is_path);
    struct hf_script_value value = {number, token, end};
    bool is_part = is_path && call == HF_SCRIPT_NO && at->flow->with_parts;
    if (is_path && !is_part &&
        (call == HF_SCRIPT_NO || !hf_script_means(tokens, call, HF_SCRIPT_SAME)))
        return HF_SCRIPT_END_STAYS;
    if (end < statement->end && hf_script_assigns(tokens, end))
        return HF_SCRIPT_END_STAYS; /* it is given something */
    if (hf_script_is_copied(at, value))
        return HF_SCRIPT_END_STAYS;
    struct hf_script_end found = hf_script_climb(at, value);
    return found.fate == HF_SCRIPT_UNKNOWN ? HF_SCRIPT_END_STAYS : found;
}

/* A function within this one sees the variable: where that function goes, it goes. */
static struct hf_script_end follow_captured(
    const struct hf_script_at *at, uint32_t function, uint32_t token)
{
    uint32_t statement = at->file->tokens.items[token].statement;
    uint32_t inner =
        statement != HF_SCRIPT_NO ? hf_script_statement_of(at, statement)->function : function;
    if (inner == HF_SCRIPT_NO || inner == function || function == HF_SCRIPT_NO)
        return HF_SCRIPT_END_STAYS;
    const struct hf_script_function *of = &at->file->outline.functions[inner];
    if (hf_script_parameter_of(at->file, inner, hf_script_text_of(at, token)) != HF_SCRIPT_NO)
        return HF_SCRIPT_END_STAYS;
    return hf_script_follow(at, function, of->name);
}

static struct hf_script_end follow_occurrences(
    const struct hf_script_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    struct hf_script_end found = HF_SCRIPT_END_STAYS;
    uint32_t first, end_at;
    hf_script_range_of(at, function, &first, &end_at);
    uint32_t header =
        function != HF_SCRIPT_NO ? at->file->outline.functions[function].header : HF_SCRIPT_NO;
    for (uint32_t i = first; i < end_at && hf_script_step(at->flow); i++) {
        uint32_t statement = tokens->items[i].statement;
        if (statement == HF_SCRIPT_NO || statement == header || !hf_script_is_variable(tokens, i) ||
            !hf_text_equal(hf_script_text_of(at, i), name))
            continue;
        uint32_t of_function = hf_script_statement_of(at, statement)->function;
        struct hf_script_end end =
            of_function == function ? follow_occurrence(at, i) : follow_captured(at, function, i);
        found = hf_script_stronger(found, end);
    }
    return found;
}

struct hf_script_end hf_script_follow(
    const struct hf_script_at *at, uint32_t function, struct hf_text name)
{
    struct hf_script_flow *flow = at->flow;
    bool is_new;
    uint64_t key = hf_hash_u64(
        hf_hash_bytes(name.data, name.size) ^ hf_hash_u64((uint64_t)at->number << 32 | function));
    if (name.size == 0 || flow->depth >= HF_SCRIPT_DEPTH ||
        !hf_vec_reserve(&flow->ends, &flow->capacity, flow->count + 1, sizeof *flow->ends))
        return HF_SCRIPT_END_STAYS;
    const uint32_t *number = hf_map_put(&flow->known, key, (uint32_t)flow->count, &is_new);
    if (number == NULL)
        return HF_SCRIPT_END_STAYS;
    if (!is_new)
        return flow->ends[*number];
    uint32_t mine = (uint32_t)flow->count++, closure = flow->closure;
    bool with_parts = flow->with_parts;
    flow->ends[mine] = HF_SCRIPT_END_STAYS; /* while it is asked: what flows in circles stays */
    flow->depth++;
    flow->closure = HF_SCRIPT_NO;
    flow->with_parts = false;
    struct hf_script_end end = follow_occurrences(at, function, name);
    if (end.fate == HF_SCRIPT_STAYS) {
        flow->with_parts = true;
        end = follow_occurrences(at, function, name);
        end.is_of_part = true;
    }
    flow->closure = closure;
    flow->with_parts = with_parts;
    flow->depth--;
    flow->ends[mine] = end;
    return end;
}
