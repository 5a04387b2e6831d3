#include "source/slots.h"

#include "source/callees.h"
#include "source/climb.h"
#include "source/compiled.h"
#include "source/text/words.h"

uint32_t hf_source_slot_of(const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    bool is_object =
        hf_source_means(tokens, token, HF_SOURCE_OBJECT) ||
        (function != HF_SOURCE_NO && hf_source_parameter_of(at->file, function,
                                         hf_source_text_of(at, token)) != HF_SOURCE_NO);
    if (!is_object || !hf_source_is_member_sign(tokens, token + 1))
        return token;
    uint32_t name = token + 2 + hf_source_is_sign(tokens, token + 2, "{"); /* "$self->{open}" */
    return hf_source_is_kind(tokens, name, HF_SOURCE_NAME) ? name : token;
}

/* The last token of the chain whose slot's name stands at `name`. */
static uint32_t slot_last(const struct hf_source_tokens *tokens, uint32_t name)
{
    return name + (name != 0 && hf_source_is_sign(tokens, name - 1, "{") &&
                      hf_source_is_sign(tokens, name + 1, "}"));
}

/* It is that of an object: "t->open", "$self->{open}". */
static bool slot_is_part(const struct hf_source_tokens *tokens, uint32_t name)
{
    return name != 0 && (hf_source_is_member_sign(tokens, name - 1) ||
                            (slot_last(tokens, name) != name && name > 1 &&
                                hf_source_is_member_sign(tokens, name - 2)));
}

/* The same slot may stand at `at`: that of an object, if the other is, or the variable. */
static bool slot_is_at(const struct hf_source_at *at, uint32_t slot, uint32_t name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    return tokens->items[name].kind == HF_SOURCE_NAME &&
           tokens->items[name].sigil == tokens->items[slot].sigil &&
           slot_is_part(tokens, slot) == slot_is_part(tokens, name) &&
           hf_text_equal(hf_source_text_of(at, slot), hf_source_text_of(at, name));
}

/* Nothing stands from `begin` on: "NULL", "[]", "{}", "Vec::new()", "new Map()". */
static bool slot_is_nothing(const struct hf_source_tokens *tokens, uint32_t begin)
{
    if (hf_source_means(tokens, begin, HF_SOURCE_NOTHING) ||
        (hf_source_is_kind(tokens, begin, HF_SOURCE_NUMBER) && tokens->items[begin].size == 1))
        return true;
    begin += hf_source_is_word(tokens, begin, "new");
    while (hf_source_is_kind(tokens, begin, HF_SOURCE_NAME) ||
           hf_source_is_sign(tokens, begin, "::") || hf_source_is_sign(tokens, begin, "."))
        begin++;
    return begin < tokens->count && tokens->items[begin].pair == begin + 1;
}

/* The name says that what is called for a container gives a part of it, which is then no longer
 * there: "queue.pop()", "ring_take(&ring)". */
static bool slot_is_taker(const struct hf_source_tokens *tokens, uint32_t callee)
{
    static const char *const takers[] = {"pop", "shift", "take", "dequeue", "remove", "recv",
        "receive", "poll", "drain", "delete", "extract", "pull"};
    struct hf_text name = hf_source_token_text(tokens, callee);
    bool is_get = hf_text_is(name, "get") && tokens->language == HF_SOURCE_PYTHON &&
                  hf_source_is_sign(tokens, callee + 1, "(") &&
                  tokens->items[callee + 1].pair == callee + 2;
    for (size_t i = 0; i < HF_COUNT(takers) && !is_get; i++)
        is_get = hf_text_has(name, takers[i]);
    return is_get;
}

/* A part of what is there is taken out: "self.open.pop(id)", "queue_pop(&desk->inbox)",
 * "delete $self->{open}{$id}"; *value becomes that part. */
static bool slot_is_part_taken(const struct hf_source_at *at, struct hf_source_value *value)
{
    static const char *const commands[] = {"shift", "pop", "delete", "splice", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement = hf_source_statement_of(at, value->statement);
    uint32_t call, before = value->begin;
    bool is_path, is_perl = tokens->language == HF_SOURCE_PERL;
    uint32_t end = hf_source_chain_end(at->file, value->end - 1, statement->end, &call, &is_path);
    if (is_path && call != HF_SOURCE_NO && slot_is_taker(tokens, call)) {
        value->end = end;
        return true;
    }
    while (
        is_perl && before > statement->begin &&
        (hf_source_is_sign(tokens, before - 1, "{") || hf_source_is_sign(tokens, before - 1, "(")))
        before--;
    if (is_perl && before > statement->begin &&
        hf_source_is_any_word(tokens, before - 1, commands)) {
        value->begin = before - 1;
        uint32_t close = tokens->items[before].pair;
        value->end = close != HF_SOURCE_NO && close > end ? close + 1 : end;
        return true;
    }
    struct hf_source_level level = hf_source_level_at(at, *value);
    uint32_t callee =
        level.open != HF_SOURCE_NO ? hf_source_callee(at->file, level.open) : HF_SOURCE_NO;
    if (callee == HF_SOURCE_NO || level.commas != 0 || !slot_is_taker(tokens, callee))
        return false;
    value->begin = hf_source_chain_begin(at->file, callee, statement->begin);
    value->end = tokens->items[level.open].pair + 1;
    return true;
}

/* Something else is put there at once: "std::move(open_)", "mem::take(&mut self.open)",
 * "self.open.take()"; *value becomes that. */
static bool slot_is_moved(const struct hf_source_at *at, struct hf_source_value *value)
{
    static const char *const takers[] = {"move", "take", "exchange", "replace", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t end = value->end;
    if (hf_source_is_sign(tokens, end, ".") && hf_source_is_word(tokens, end + 1, "take") &&
        hf_source_is_sign(tokens, end + 2, "(") && tokens->items[end + 2].pair == end + 3) {
        value->end = end + 4;
        return true;
    }
    struct hf_source_level level = hf_source_level_at(at, *value);
    uint32_t callee =
        level.open != HF_SOURCE_NO ? hf_source_callee(at->file, level.open) : HF_SOURCE_NO;
    if (callee == HF_SOURCE_NO || !hf_source_is_any_word(tokens, callee, takers) ||
        level.commas != 0 || !hf_source_is_compiled(tokens->language))
        return false;
    value->begin = hf_source_chain_begin(
        at->file, callee, hf_source_statement_of(at, value->statement)->begin);
    value->end = tokens->items[level.open].pair + 1;
    return true;
}

/* The function leaves nothing in the slot, behind token `from`. */
static bool slot_is_emptied(
    const struct hf_source_at *at, uint32_t slot, uint32_t function, uint32_t from)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    for (uint32_t i = from + 1; i + 2 < end && hf_source_step(at->flow); i++) {
        uint32_t last = slot_last(tokens, i);
        if (slot_is_at(at, slot, i) && hf_source_is_sign(tokens, last + 1, "=") &&
            slot_is_nothing(tokens, last + 2))
            return true;
    }
    return false;
}

/* What becomes of what a function returns, by all that call it. */
static struct hf_source_end slot_given(const struct hf_source_at *at, uint32_t function)
{
    const struct hf_sources *sources = at->flow->sources;
    struct hf_text name = at->file->outline.functions[function].name;
    struct hf_source_end found = HF_SOURCE_END_STAYS;
    for (uint32_t k = 0; k < sources->count; k++) {
        struct hf_source_at in;
        if (!hf_source_at_file(&in, at->flow, k))
            continue;
        const struct hf_source_tokens *tokens = &in.file->tokens;
        for (uint32_t i = 0; i < tokens->count; i++) {
            if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
                return found;
            if (tokens->items[i].kind != HF_SOURCE_NAME ||
                tokens->items[i].statement == HF_SOURCE_NO ||
                !hf_text_equal(hf_source_text_of(&in, i), name))
                continue;
            uint32_t number = tokens->items[i].statement;
            uint32_t by = hf_source_statement_of(&in, number)->function;
            uint32_t place = by != function || in.number != at->number
                                 ? hf_source_function_called(&in, i, by)
                                 : HF_SOURCE_NO;
            if (place != HF_SOURCE_NO && sources->places[place].function == function &&
                sources->places[place].file == at->number)
                found = hf_source_stronger(found, hf_source_flow_call(&in, i));
        }
    }
    return found;
}

/* "first = queue.head; queue.head = first->next;": what is at [begin, end) is given the next one.
 */
static bool slot_is_relinked(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t first, last, size = end - begin;
    hf_source_range_of(at, function, &first, &last);
    for (uint32_t i = end; i + size < last && hf_source_step(at->flow); i++) {
        uint32_t same = 0;
        while (same < size &&
               hf_text_equal(hf_source_text_of(at, begin + same), hf_source_text_of(at, i + same)))
            same++;
        bool is_start = !hf_source_is_member_sign(tokens, i - 1);
        if (same == size && is_start && hf_source_is_sign(tokens, i + size, "=") &&
            hf_source_is_kind(tokens, i + size + 1, HF_SOURCE_NAME) &&
            hf_source_is_sign(tokens, i + size + 2, "->"))
            return true;
    }
    return false;
}

/* What a function does with what it takes from the slot whose name stands at `name`. */
static struct hf_source_end slot_taken(const struct hf_source_at *at, uint32_t slot, uint32_t name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[name].statement;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    uint32_t last = slot_last(tokens, name),
             begin = hf_source_chain_begin(at->file, last, statement->begin);
    struct hf_source_value value = {number, begin, last + 1};
    bool is_whole = !hf_source_is_member_sign(tokens, last + 1) &&
                    !hf_source_is_index(at->file, last + 1) &&
                    !(last + 1 < statement->end && hf_source_assigns(tokens, last + 1));
    uint32_t call;
    bool is_path;
    uint32_t end_at = hf_source_chain_end(at->file, begin, statement->end, &call, &is_path);
    bool is_first = tokens->language == HF_SOURCE_C && statement->function != HF_SOURCE_NO &&
                    !hf_source_is_sign(tokens, end_at, "=") &&
                    slot_is_relinked(at, statement->function, begin, end_at);
    if (is_first)
        value.end = end_at;
    else if (!slot_is_moved(at, &value) && !slot_is_part_taken(at, &value) &&
             (!is_whole || !slot_is_emptied(at, slot, statement->function, last)))
        return HF_SOURCE_END_STAYS;
    struct hf_source_end end = hf_source_climb(at, value);
    if (end.fate == HF_SOURCE_RETURNED && statement->function != HF_SOURCE_NO)
        return slot_given(at, statement->function);
    struct hf_source_level level = hf_source_level_at(at, value);
    bool is_there = end.fate == HF_SOURCE_KEPT && end.function == statement->function &&
                    end.file == at->number && level.assignment != HF_SOURCE_NO &&
                    level.assignment != 0;
    if (is_there && hf_source_is_compiled(tokens->language))
        end.is_known |= hf_source_reads_part(
            at, statement->function, hf_source_text_of(at, level.assignment - 1));
    return end;
}

/* At `name` stands the slot, as a part of whatever object, or as a member by its name alone. */
static bool slot_has_name(const struct hf_source_at *at, uint32_t slot, uint32_t name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    return tokens->items[name].kind == HF_SOURCE_NAME &&
           tokens->items[name].statement != HF_SOURCE_NO &&
           hf_text_equal(hf_source_text_of(at, slot), hf_source_text_of(at, name));
}

struct hf_source_end hf_source_moved_on(struct hf_source_flow *flow, struct hf_source_end end)
{
    struct hf_source_at at;
    struct hf_source_end found = HF_SOURCE_END_STAYS;
    if (end.fate != HF_SOURCE_KEPT || !hf_source_at_file(&at, flow, end.file) ||
        end.slot >= at.file->tokens.count)
        return end;
    const struct hf_source_tokens *tokens = &at.file->tokens;
    flow->closure = HF_SOURCE_NO;
    for (uint32_t i = 0; i < tokens->count; i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(flow))
            return end;
        if (tokens->items[i].statement == HF_SOURCE_NO || !slot_is_at(&at, end.slot, i))
            continue;
        uint32_t function = hf_source_statement_of(&at, tokens->items[i].statement)->function;
        if (function == HF_SOURCE_NO || function == end.function)
            continue;
        struct hf_source_end taken = slot_taken(&at, end.slot, i);
        bool is_back =
            taken.file == end.file &&
            (taken.function == end.function ||
                (taken.slot < tokens->count && slot_has_name(&at, end.slot, taken.slot)));
        if (taken.fate == HF_SOURCE_KEPT && !is_back)
            found = hf_source_stronger(found, taken);
    }
    return found.fate == HF_SOURCE_KEPT ? found : end;
}

/* What is done with the slot that stands at `name`, and with what is reached from there. */
static struct hf_source_end slot_use(const struct hf_source_at *at, uint32_t name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t number = tokens->items[name].statement, call;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    bool is_path;
    uint32_t begin = hf_source_chain_begin(at->file, name, statement->begin);
    struct hf_source_value value = {
        number, begin, hf_source_chain_end(at->file, name, statement->end, &call, &is_path)};
    if (value.end < statement->end && hf_source_assigns(tokens, value.end))
        return HF_SOURCE_END_STAYS;
    return hf_source_climb(at, value);
}

bool hf_source_is_used(struct hf_source_flow *flow, const struct hf_source_end *end)
{
    struct hf_source_at at;
    bool is_used = false;
    if (end->fate != HF_SOURCE_KEPT || !hf_source_at_file(&at, flow, end->file) ||
        end->slot >= at.file->tokens.count || end->function == HF_SOURCE_NO ||
        !hf_source_is_compiled(at.file->tokens.language))
        return false;
    const struct hf_source_function *functions = at.file->outline.functions;
    flow->closure = HF_SOURCE_NO;
    for (uint32_t i = 0; i < at.file->tokens.count; i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(flow))
            return false;
        if (!slot_has_name(&at, end->slot, i))
            continue;
        uint32_t function =
            hf_source_statement_of(&at, at.file->tokens.items[i].statement)->function;
        if (function == HF_SOURCE_NO || function == end->function)
            continue;
        struct hf_source_end use = slot_use(&at, i);
        if (use.fate > HF_SOURCE_STAYS)
            return false;
        is_used |= functions[end->function].class.size != 0 &&
                   hf_text_equal(functions[function].class, functions[end->function].class);
    }
    return is_used;
}
