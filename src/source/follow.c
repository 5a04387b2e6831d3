/* Where a variable goes: every place of its function that reads it. */
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "source/climb.h"
#include "source/closures.h"
#include "source/compiled.h"
#include "source/cycles.h"
#include "source/text/words.h"

#define LEVELS_MAX 8 /* brackets around a variable */

/* One place where a variable is read. */
static struct hf_source_end follow_occurrence(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement, call;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    bool is_path;
    uint32_t end = hf_source_chain_end(at->file, token, statement->end, &call, &is_path);
    struct hf_source_value value = {number, token, end};
    bool is_part = is_path && call == HF_SOURCE_NO && at->flow->with_parts;
    if (is_path && !is_part &&
        (call == HF_SOURCE_NO ||
            !(hf_source_means(tokens, call, HF_SOURCE_SAME) ||
                (hf_source_is_word(tokens, call, "clone") &&
                    hf_source_is_counted(at, statement->function, hf_source_text_of(at, token))))))
        return HF_SOURCE_END_STAYS;
    if (end < statement->end && hf_source_assigns(tokens, end))
        return HF_SOURCE_END_STAYS; /* it is given something */
    if (hf_source_is_copied(at, value))
        return HF_SOURCE_END_STAYS;
    struct hf_source_end found = hf_source_climb(at, value);
    if (found.fate != HF_SOURCE_UNKNOWN)
        return found;
    found.fate = HF_SOURCE_STAYS;
    found.is_put = true;
    return found;
}

/* "on_exit(move || journal.flush())" of Rust has the variable at `token`. */
static struct hf_source_end follow_moved(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement;
    struct hf_source_value value = {number, token, token + 1};
    if (hf_source_statement_of(at, number)->is_of_closure)
        value = hf_source_closure_of(at, number);
    for (int i = 0; i < LEVELS_MAX && hf_source_step(at->flow); i++) {
        struct hf_source_level level = hf_source_level_at(at, value);
        if (level.open == HF_SOURCE_NO)
            break;
        if (level.item < value.begin && hf_source_is_word(tokens, level.item, "move")) {
            value.begin = level.item;
            return hf_source_climb(at, value);
        }
        value.begin = level.open;
        value.end = level.end + 1;
    }
    return HF_SOURCE_END_STAYS;
}

/* The same of a function without a name. */
static struct hf_source_end follow_closure(
    const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    uint32_t number = at->file->tokens.items[token].statement;
    if (at->file->tokens.language == HF_SOURCE_RUST) {
        struct hf_source_end moved = follow_moved(at, token);
        return moved.fate == HF_SOURCE_KEPT ? moved : HF_SOURCE_END_STAYS;
    }
    if (hf_source_is_compiled(at->file->tokens.language) ||
        !hf_source_is_captured(at, function, token))
        return HF_SOURCE_END_STAYS;
    struct hf_source_end end = hf_source_climb(at, hf_source_closure_of(at, number));
    return end.fate == HF_SOURCE_KEPT ? end : HF_SOURCE_END_STAYS;
}

/* A function within this one sees the variable: where that function goes, it goes. */
static struct hf_source_end follow_captured(
    const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    uint32_t statement = at->file->tokens.items[token].statement;
    uint32_t inner =
        statement != HF_SOURCE_NO ? hf_source_statement_of(at, statement)->function : function;
    if (inner == HF_SOURCE_NO || inner == function || function == HF_SOURCE_NO)
        return HF_SOURCE_END_STAYS;
    const struct hf_source_function *of = &at->file->outline.functions[inner];
    if (hf_source_parameter_of(at->file, inner, hf_source_text_of(at, token)) != HF_SOURCE_NO)
        return HF_SOURCE_END_STAYS;
    return hf_source_follow(at, function, of->name);
}

static struct hf_source_end follow_occurrences(
    const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_source_end found = HF_SOURCE_END_STAYS;
    uint32_t first, end_at;
    hf_source_range_of(at, function, &first, &end_at);
    uint32_t header =
        function != HF_SOURCE_NO ? at->file->outline.functions[function].header : HF_SOURCE_NO;
    for (uint32_t i = first; i < end_at && hf_source_step(at->flow); i++) {
        uint32_t statement = tokens->items[i].statement;
        if (statement == HF_SOURCE_NO || statement == header || !hf_source_is_variable(tokens, i) ||
            !hf_text_equal(hf_source_text_of(at, i), name))
            continue;
        uint32_t of_function = hf_source_statement_of(at, statement)->function;
        struct hf_source_end end =
            of_function == function ? follow_occurrence(at, i) : follow_captured(at, function, i);
        if (of_function == function && end.fate < HF_SOURCE_KEPT)
            end = hf_source_stronger(end, follow_closure(at, function, i));
        found = hf_source_stronger(found, end);
    }
    return found;
}

struct hf_source_end hf_source_follow(
    const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    struct hf_source_flow *flow = at->flow;
    bool is_new;
    uint64_t key = hf_hash_u64(
        hf_hash_bytes(name.data, name.size) ^ hf_hash_u64((uint64_t)at->number << 32 | function));
    if (name.size == 0 || flow->depth >= HF_SOURCE_DEPTH ||
        !hf_vec_reserve(&flow->ends, &flow->capacity, flow->count + 1, sizeof *flow->ends))
        return HF_SOURCE_END_STAYS;
    const uint32_t *number = hf_map_put(&flow->known, key, (uint32_t)flow->count, &is_new);
    if (number == NULL)
        return HF_SOURCE_END_STAYS;
    if (!is_new)
        return flow->ends[*number];
    uint32_t mine = (uint32_t)flow->count++, closure = flow->closure;
    bool with_parts = flow->with_parts;
    enum hf_source_language language = at->file->tokens.language;
    flow->ends[mine] = HF_SOURCE_END_STAYS; /* while it is asked: what flows in circles stays */
    flow->depth++;
    flow->closure = HF_SOURCE_NO;
    flow->with_parts = false;
    struct hf_source_end end = follow_occurrences(at, function, name);
    if (end.fate == HF_SOURCE_STAYS) {
        flow->with_parts = true;
        end = follow_occurrences(at, function, name);
        /* C++ and Rust copy a part, or move it out of the whole, which then is all that is left. */
        end.is_of_part = language != HF_SOURCE_CPP && language != HF_SOURCE_RUST;
    }
    uint32_t line;
    /* Tied here, it is never freed, whoever else may keep it for a time. */
    bool is_elsewhere =
        end.fate == HF_SOURCE_KEPT && (end.file != at->number || end.function != function);
    if ((end.fate <= HF_SOURCE_RETURNED || is_elsewhere) &&
        hf_source_is_tied(at, function, name, &line))
        end = (struct hf_source_end){.fate = HF_SOURCE_KEPT,
            .slot = HF_SOURCE_NO,
            .file = at->number,
            .function = function,
            .line = line};
    flow->closure = closure;
    flow->with_parts = with_parts;
    flow->depth--;
    flow->ends[mine] = end;
    return end;
}
