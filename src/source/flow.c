#include "source/flow.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "source/callees.h"
#include "source/climb.h"
#include "source/slots.h"
#include "source/text/words.h"

#include <stdlib.h>

#define BEHIND_MAX 60u  /* tokens behind a call */
#define ASYNC_TOKENS 3u /* "async def name", "async function name" */
#define HOPS_MAX 4      /* async functions that wait for each other */

/* "rows.push_back(x)", "text += x" of C, C++ and Rust: what is there grows. False: nothing does. */
static bool flow_grows(
    const struct hf_source_at *at, uint32_t token, uint32_t callee, struct hf_source_end *out_end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    if (!hf_source_is_compiled(tokens->language))
        return false;
    if (callee != HF_SOURCE_NO) {
        bool is_method = callee >= statement->begin + 2 &&
                         hf_source_is_member_sign(tokens, callee - 1) &&
                         !hf_source_is_sign(tokens, callee - 1, "::");
        bool grows = is_method && (hf_source_means(tokens, callee, HF_SOURCE_VERB) ||
                                      hf_source_means(tokens, callee, HF_SOURCE_GROWER));
        if (grows)
            *out_end = hf_source_into(at, number, callee - 2);
        return grows;
    }
    bool adds = hf_source_is_sign(tokens, token, "+=") && token > statement->begin;
    if (adds)
        *out_end = hf_source_into(at, number, token - 1);
    return adds;
}

/* What a call gives goes where that goes which stands behind it: "parse(x).unwrap()" is the value,
 * "load(x).size()" is another one. */
static struct hf_source_end flow_climb_call(
    const struct hf_source_at *at, struct hf_source_value value)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t end = hf_source_statement_of(at, value.statement)->end, call;
    bool is_path;
    if (!hf_source_is_compiled(tokens->language) ||
        !hf_source_is_kind(tokens, value.begin, HF_SOURCE_NAME) || value.end >= end ||
        !(hf_source_is_sign(tokens, value.end, ".") ||
            (hf_source_is_sign(tokens, value.end, "->") && tokens->language != HF_SOURCE_RUST)))
        return hf_source_climb(at, value);
    end = end - value.end > BEHIND_MAX ? value.end + BEHIND_MAX : end;
    value.end = hf_source_chain_end(at->file, value.end - 1, end, &call, &is_path);
    bool is_same = call != HF_SOURCE_NO && (hf_source_means(tokens, call, HF_SOURCE_SAME) ||
                                               hf_source_means(tokens, call, HF_SOURCE_MAPPER));
    return is_same || hf_source_is_word(tokens, value.end - 1, "await") ? hf_source_climb(at, value)
                                                                        : HF_SOURCE_END_STAYS;
}

/* "vec![" of Rust. */
static bool flow_is_macro(const struct hf_source_tokens *tokens, uint32_t open)
{
    return tokens->language == HF_SOURCE_RUST && open >= 2 &&
           hf_source_is_sign(tokens, open - 1, "!") &&
           hf_source_is_kind(tokens, open - 2, HF_SOURCE_NAME);
}

/* "for row in self.reader:" of Python: what that gives, one by one. */
static bool flow_is_source(const struct hf_source_tokens *tokens, uint32_t token,
    const struct hf_source_statement *statement)
{
    return tokens->language == HF_SOURCE_PYTHON && statement->is_header &&
           hf_source_is_word(tokens, token, "in") &&
           hf_source_is_word(tokens, statement->begin, "for");
}

/* A value that a statement makes: a call, a literal, what is assigned or returned. */
static struct hf_source_end flow_made(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_token *items = tokens->items;
    uint32_t number = items[token].statement;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    uint32_t pair = items[token].pair;
    bool opens = pair != HF_SOURCE_NO && pair > token && pair < statement->end;
    bool is_push =
        tokens->language == HF_SOURCE_PERL &&
        (hf_source_is_word(tokens, token, "push") || hf_source_is_word(tokens, token, "unshift"));
    struct hf_source_value value = {number, token, opens ? pair + 1 : token + 1};
    uint32_t callee = opens ? hf_source_callee(at->file, token) : HF_SOURCE_NO;
    if (callee != HF_SOURCE_NO)
        value.begin = hf_source_chain_begin(at->file, callee, statement->begin);
    struct hf_source_end grown;
    if (flow_grows(at, token, callee, &grown))
        return grown;
    bool is_literal =
        opens && callee == HF_SOURCE_NO && !hf_source_is_index(at->file, token) &&
        !(hf_source_is_sign(tokens, token, "(") && tokens->language != HF_SOURCE_PYTHON);
    if (callee != HF_SOURCE_NO && hf_source_means(tokens, callee, HF_SOURCE_VERB) &&
        pair > token + 1) /* the container grows */
        value = (struct hf_source_value){number, token + 1, token + 2};
    bool is_macro = opens && flow_is_macro(tokens, token);
    if (is_macro)
        value.begin = token - 2;
    is_literal |= is_macro;
    bool is_string = items[token].kind == HF_SOURCE_STRING && items[token].is_filled;
    bool is_rest =
        (hf_source_assigns(tokens, token) &&
            (!hf_source_is_compiled(tokens->language) || hf_source_is_sign(tokens, token, "="))) ||
        hf_source_is_word(tokens, token, "return") || hf_source_is_word(tokens, token, "yield") ||
        (hf_source_is_sign(tokens, token, "<<") && tokens->language == HF_SOURCE_RUBY);
    static const char *const loops[] = {"for", "foreach", "while", "until", NULL};
    is_rest |= flow_is_source(tokens, token, statement);
    if (is_rest && hf_source_assigns(tokens, token) &&
        hf_source_is_any_word(tokens, statement->begin, loops) && statement->is_header)
        return HF_SOURCE_END_UNKNOWN; /* "for i = 1, 9 do" */
    uint32_t begin = token + 1;
    while (is_push && begin < statement->end && !hf_source_is_sign(tokens, begin, ","))
        begin = hf_source_next(tokens, begin);
    if (is_rest || is_push) {
        value = (struct hf_source_value){number, begin + is_push, statement->end};
        if (value.begin >= value.end || hf_source_level_at(at, value).open != HF_SOURCE_NO)
            return HF_SOURCE_END_UNKNOWN;
    }
    if (callee != HF_SOURCE_NO && value.end == pair + 1)
        return flow_climb_call(at, value);
    return callee != HF_SOURCE_NO || is_literal || is_string || is_rest || is_push
               ? hf_source_climb(at, value)
               : HF_SOURCE_END_UNKNOWN;
}

/* Perl has the line of a condition for all that stands in its block. */
static struct hf_source_end flow_body(const struct hf_source_at *at, uint32_t header)
{
    struct hf_source_end found = HF_SOURCE_END_UNKNOWN;
    for (uint32_t i = header + 1; i < at->file->outline.statement_count && hf_source_step(at->flow);
         i++) {
        const struct hf_source_statement *statement = hf_source_statement_of(at, i);
        if (statement->control != header)
            continue;
        for (uint32_t k = statement->begin; k < statement->end; k++) {
            if (at->file->tokens.items[k].statement == i)
                found = hf_source_stronger(found, flow_made(at, k));
        }
    }
    return found;
}

/* The tokens [begin, end) of a line. Frames of JavaScript have the first line of their function
 * instead of their own: that stands for all of it. */
static void flow_range(
    const struct hf_source_at *at, uint32_t line, uint32_t *out_begin, uint32_t *out_end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t function = hf_source_function_at(at->file, line);
    *out_begin = (uint32_t)HF_FIRST_FROM(tokens->items, tokens->count, line, line);
    *out_end = *out_begin;
    while (*out_end < tokens->count && tokens->items[*out_end].line <= line)
        ++*out_end;
    if (tokens->language == HF_SOURCE_JAVASCRIPT && function != HF_SOURCE_NO &&
        tokens->items[at->file->outline.functions[function].begin].line == line)
        hf_source_range_of(at, function, out_begin, out_end);
}

/* The statement is of a block whose header stands on that line: Perl has that line for it. */
static bool flow_is_below(const struct hf_source_at *at, uint32_t number, uint32_t line)
{
    uint32_t header = hf_source_statement_of(at, number)->control;
    return at->file->tokens.language == HF_SOURCE_PERL && header != HF_SOURCE_NO &&
           at->file->tokens.items[hf_source_statement_of(at, header)->begin].line == line;
}

/* Nothing is done with what the call gives: "world.step()". */
static bool flow_is_ignored(const struct hf_source_at *at, struct hf_source_value value)
{
    return hf_source_statement_of(at, value.statement)->begin == value.begin &&
           !hf_source_is_value(at, value.statement) &&
           !hf_source_is_compiled(at->file->tokens.language);
}

struct hf_source_end hf_source_flow_call(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[token].statement;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    uint32_t pair =
        hf_source_is_sign(tokens, token + 1, "(") ? tokens->items[token + 1].pair : token;
    struct hf_source_value value = {number,
        hf_source_chain_begin(at->file, token, statement->begin),
        pair < statement->end ? pair + 1 : token + 1};
    at->flow->closure = statement->is_of_closure ? statement->within : HF_SOURCE_NO;
    struct hf_source_end end = flow_climb_call(at, value);
    return end.fate == HF_SOURCE_UNKNOWN && flow_is_ignored(at, value) ? HF_SOURCE_END_STAYS : end;
}

/* What a call of `callee` on that line gives, of all that bear the name. */
static struct hf_source_end flow_called(
    const struct hf_source_at *at, uint32_t line, struct hf_text callee, bool *out_found)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_source_end found = HF_SOURCE_END_UNKNOWN;
    uint32_t begin, behind, count = (uint32_t)tokens->count;
    flow_range(at, line, &begin, &behind);
    *out_found = false;
    bool has_body = tokens->language == HF_SOURCE_PERL;
    for (uint32_t i = begin; i < behind || (i < count && has_body && !*out_found); i++) {
        const struct hf_source_token *token = &tokens->items[i];
        if (i >= behind && !hf_source_step(at->flow))
            break;
        if (token->statement == HF_SOURCE_NO || token->kind != HF_SOURCE_NAME ||
            !hf_text_equal(hf_source_text_of(at, i), callee) ||
            (i >= behind && !flow_is_below(at, token->statement, line)))
            continue;
        found = hf_source_stronger(found, hf_source_flow_call(at, i));
        *out_found = true;
    }
    return found;
}

/* What was found on the way to another answer, with the steps of that, may be less than all. */
static void flow_forget(struct hf_source_flow *flow)
{
    hf_map_done(&flow->known);
    flow->steps = flow->depth = 0;
    flow->count = 0;
}

/* The line is of a coroutine of C++, which as a whole is what its caller gets. */
static bool flow_is_coroutine(const struct hf_source_at *at, uint32_t line)
{
    static const char *const words[] = {"co_await", "co_yield", "co_return", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t function = hf_source_function_at(at->file, line);
    return tokens->language == HF_SOURCE_CPP && function != HF_SOURCE_NO &&
           hf_source_has_word(at, function, words);
}

/* "async def load(", "async load(": when it goes on after it waited, no caller is on the stack. */
static bool flow_is_async(const struct hf_source_at *at, uint32_t function)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    if (function == HF_SOURCE_NO || hf_source_is_compiled(tokens->language))
        return false;
    uint32_t name = at->file->outline.functions[function].begin;
    for (uint32_t back = 1; back <= ASYNC_TOKENS && back <= name; back++) {
        if (hf_source_is_word(tokens, name - back, "async"))
            return true;
    }
    return false;
}

/* What those who call an async function do with what it gives. */
static struct hf_source_end flow_of_callers(
    struct hf_source_flow *flow, uint32_t file, uint32_t function, int hops)
{
    struct hf_source_end found = HF_SOURCE_END_RETURNED;
    struct hf_source_at of, at;
    if (hops == 0 || !hf_source_at_file(&of, flow, file))
        return found;
    struct hf_text name = of.file->outline.functions[function].name;
    for (uint32_t f = 0; hf_source_at_file(&at, flow, f); f++) {
        const struct hf_source_tokens *tokens = &at.file->tokens;
        for (uint32_t i = 0; i + 1 < tokens->count; i++) {
            uint32_t statement = tokens->items[i].statement, caller, called;
            if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(flow))
                return found;
            if (statement == HF_SOURCE_NO || !hf_source_is_sign(tokens, i + 1, "(") ||
                !hf_text_equal(hf_source_text_of(&at, i), name))
                continue;
            caller = hf_source_statement_of(&at, statement)->function;
            uint32_t place = hf_source_function_called(&at, i, caller);
            if (place == HF_SOURCE_NO || hf_source_at_place(&at, place, &called).number != file ||
                called != function || caller == function)
                continue;
            struct hf_source_end end = hf_source_flow_call(&at, i);
            if (end.fate == HF_SOURCE_RETURNED && flow_is_async(&at, caller))
                end = flow_of_callers(flow, f, caller, hops - 1);
            found = hf_source_stronger(found, end);
        }
    }
    return found;
}

struct hf_source_end hf_source_flow_of(
    struct hf_source_flow *flow, uint32_t file, uint32_t line, struct hf_text callee)
{
    struct hf_source_end found = HF_SOURCE_END_UNKNOWN;
    struct hf_source_at at;
    if (!hf_source_at_file(&at, flow, file))
        return found;
    const struct hf_source_token *items = at.file->tokens.items;
    flow_forget(flow);
    uint32_t whole = HF_SOURCE_NO, begin, end;
    bool is_called = false;
    if (callee.size != 0)
        found = flow_called(&at, line, callee, &is_called);
    flow_range(&at, line, &begin, &end);
    for (uint32_t i = begin; !is_called && i < end; i++) {
        if (items[i].statement == HF_SOURCE_NO)
            continue;
        if (!hf_source_step(flow))
            break;
        const struct hf_source_statement *statement =
            hf_source_statement_of(&at, items[i].statement);
        flow->closure = statement->is_of_closure ? statement->within : HF_SOURCE_NO;
        found = hf_source_stronger(found, flow_made(&at, i));
        whole = items[i].statement;
    }
    if (!is_called && whole != HF_SOURCE_NO && at.file->tokens.language == HF_SOURCE_PERL)
        found = hf_source_stronger(found, flow_body(&at, whole));
    if (found.fate == HF_SOURCE_UNKNOWN && whole != HF_SOURCE_NO &&
        !hf_source_is_compiled(at.file->tokens.language) && hf_source_is_value(&at, whole))
        found = HF_SOURCE_END_RETURNED;
    if (found.fate == HF_SOURCE_UNKNOWN && callee.size == 0 && flow_is_coroutine(&at, line))
        found = HF_SOURCE_END_RETURNED;
    found = hf_source_moved_on(flow, found);
    found.is_known |= hf_source_is_used(flow, &found);
    if (flow->steps >= HF_SOURCE_STEPS)
        return HF_SOURCE_END_UNKNOWN;
    uint32_t function = hf_source_function_at(at.file, line);
    if (found.fate == HF_SOURCE_RETURNED && flow_is_async(&at, function))
        found = flow_of_callers(flow, file, function, HOPS_MAX);
    bool is_cached = function != HF_SOURCE_NO && at.file->outline.functions[function].is_cached;
    if (is_cached && found.fate == HF_SOURCE_RETURNED)
        return (struct hf_source_end){.fate = HF_SOURCE_KEPT,
            .slot = HF_SOURCE_NO,
            .file = file,
            .function = function,
            .line = line};
    return found;
}

/* The name that `callee` is called by, if none on the line is its own: that of the one member that
 * is called there, "handlers[i].run(x)". HF_SOURCE_NO: nobody can tell. */
static uint32_t flow_by_pointer(
    const struct hf_source_at *at, uint32_t first, uint32_t line, struct hf_text callee)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t found = HF_SOURCE_NO;
    if (tokens->language != HF_SOURCE_C)
        return found;
    for (uint32_t i = first; i < tokens->count && tokens->items[i].line <= line; i++) {
        if (tokens->items[i].statement == HF_SOURCE_NO || !hf_source_is_sign(tokens, i + 1, "("))
            continue;
        if (hf_text_equal(hf_source_text_of(at, i), callee))
            return HF_SOURCE_NO;
        if (i == 0 || !hf_source_is_member_sign(tokens, i - 1))
            continue;
        if (found != HF_SOURCE_NO)
            return HF_SOURCE_NO;
        found = i;
    }
    return found;
}

struct hf_source_end hf_source_flow_of_argument(struct hf_source_flow *flow, uint32_t file,
    uint32_t line, struct hf_text callee, uint32_t number)
{
    struct hf_source_end found = HF_SOURCE_END_UNKNOWN;
    struct hf_source_at at;
    if (!hf_source_at_file(&at, flow, file) || callee.size == 0)
        return found;
    const struct hf_source_tokens *tokens = &at.file->tokens;
    flow_forget(flow);
    flow->closure = HF_SOURCE_NO;
    uint32_t first = (uint32_t)HF_FIRST_FROM(tokens->items, tokens->count, line, line);
    uint32_t by_pointer =
        number != HF_SOURCE_RECEIVER ? flow_by_pointer(&at, first, line, callee) : HF_SOURCE_NO;
    for (uint32_t i = first; i < tokens->count && tokens->items[i].line <= line; i++) {
        bool is_call = tokens->items[i].statement != HF_SOURCE_NO &&
                       hf_source_is_sign(tokens, i + 1, "(") &&
                       hf_text_equal(hf_source_text_of(&at, i), callee);
        if (is_call || i == by_pointer)
            found = hf_source_stronger(found, number == HF_SOURCE_RECEIVER
                                                  ? hf_source_into_receiver(&at, i)
                                                  : hf_source_into_argument(&at, i + 1, number));
    }
    return flow->steps < HF_SOURCE_STEPS ? found : HF_SOURCE_END_UNKNOWN;
}

void hf_source_flow_done(struct hf_source_flow *flow)
{
    hf_budget_put_back(flow->capacity * sizeof *flow->ends);
    hf_map_done(&flow->known);
    free(flow->ends);
    *flow = (struct hf_source_flow){0};
}
