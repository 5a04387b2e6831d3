#include "source/targets.h"

#include "source/callees.h"
#include "source/climb.h"
#include "source/closures.h"
#include "source/compiled.h"
#include "source/slots.h"
#include "source/text/words.h"

#define TARGETS_MAX 16 /* that one assignment has */

/* What becomes of a part counts for less than what becomes of the whole, but for more than nothing.
 */
static int target_strength(struct hf_source_end end)
{
    return end.is_of_part && end.fate > HF_SOURCE_STAYS ? (int)end.fate
                                                        : (int)end.fate * (HF_SOURCE_KEPT + 1);
}

struct hf_source_end hf_source_stronger(struct hf_source_end a, struct hf_source_end b)
{
    bool are_two = a.fate == HF_SOURCE_KEPT && b.fate == HF_SOURCE_KEPT &&
                   (a.file != b.file || a.function != b.function);
    bool is_one_replaced = are_two && a.is_replaced != b.is_replaced;
    bool is_second = is_one_replaced ? a.is_replaced : target_strength(b) > target_strength(a);
    enum hf_source_fate other = is_second ? a.fate : b.fate;
    if (is_second) {
        b.is_returned |= a.is_returned;
        a = b;
    }
    a.is_torn |= are_two && !is_one_replaced;
    a.is_returned |= b.is_returned || other == HF_SOURCE_RETURNED;
    a.is_put |= b.is_put;
    return a;
}

static struct hf_source_end target_kept(
    const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    bool is_of_class = function != HF_SOURCE_NO && tokens->language == HF_SOURCE_CPP &&
                       at->file->outline.functions[function].class.size != 0;
    return (struct hf_source_end){.fate = HF_SOURCE_KEPT,
        .is_of_object = is_of_class || hf_source_means(tokens, token, HF_SOURCE_OBJECT),
        .file = at->number,
        .function = function,
        .slot = hf_source_slot_of(at, function, token),
        .line = tokens->items[token].line};
}

/* What stands behind the name at `token` is a member of it: "journal.saved[1]". */
static bool target_has_member(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    bool has_member = hf_source_is_member_sign(tokens, token + 1) &&
                      !hf_source_means(tokens, token + 2, HF_SOURCE_VERB);
    return has_member && tokens->language != HF_SOURCE_PERL;
}

/* The same of a container that the caller gave, or what a variable leads to from there. */
static struct hf_source_end target_into_parameter(
    const struct hf_source_at *at, uint32_t function, uint32_t token, uint32_t parameter)
{
    bool is_other =
        hf_source_is_compiled(at->file->tokens.language) &&
        hf_source_parameter_of(at->file, function, hf_source_text_of(at, token)) == HF_SOURCE_NO;
    if (!target_has_member(at, token) && !is_other)
        return (struct hf_source_end){.fate = HF_SOURCE_FILLS, .parameter = parameter};
    /* That is what the function is for: "journal->last = x". */
    struct hf_source_end kept = target_kept(at, function, token);
    kept.is_stored = true;
    kept.parameter = parameter;
    return kept;
}

struct hf_source_end hf_source_into_name(
    const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    struct hf_source_origin origin = {.root = HF_SOURCE_IS_STATE};
    if (!hf_source_is_state(at, token))
        origin = hf_source_origin_of(at, function, hf_source_text_of(at, token));
    if (origin.is_mixed && hf_source_is_compiled(at->file->tokens.language)) {
        struct hf_source_end end = hf_source_follow(at, function, hf_source_text_of(at, token));
        if (end.fate > HF_SOURCE_STAYS)
            return end;
    }
    if (origin.root == HF_SOURCE_IS_FRESH && (hf_source_is_of_stored_closure(at, function, token) ||
                                                 hf_source_takes_values(at, function)))
        return target_kept(at, function, token);
    switch (origin.root) {
    case HF_SOURCE_IS_NOTHING: return HF_SOURCE_END_UNKNOWN;
    case HF_SOURCE_IS_STATE:
        return hf_source_is_constructor(at, function) && !hf_source_is_of_all(at, function, token)
                   ? HF_SOURCE_END_RETURNED
                   : target_kept(at, function, token);
    case HF_SOURCE_IS_PARAMETER:
        return target_into_parameter(at, function, token, origin.parameter);
    default: break;
    }
    struct hf_source_end end = hf_source_follow(at, function, hf_source_text_of(at, token));
    end.is_put = true;
    return end;
}

struct hf_source_end hf_source_into_chain(
    const struct hf_source_at *at, uint32_t function, uint32_t statement, uint32_t last)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t begin =
        hf_source_chain_begin(at->file, last, hf_source_statement_of(at, statement)->begin);
    while (begin < last &&
           (hf_source_is_sign(tokens, begin, "(") || hf_source_is_sign(tokens, begin, "{")))
        begin++;
    if (!hf_source_is_kind(tokens, begin, HF_SOURCE_NAME))
        return HF_SOURCE_END_UNKNOWN;
    /* "self.posting(word).positions.append(x)": what the function gives is whose? */
    for (uint32_t i = begin; i <= last; i = hf_source_next(tokens, i)) {
        if (!hf_source_is_sign(tokens, i, "(") || hf_source_callee(at->file, i) == HF_SOURCE_NO)
            continue;
        uint32_t place = hf_source_function_called(at, i - 1, function);
        if (place != HF_SOURCE_NO)
            return hf_source_gives_state(at, place) ? target_kept(at, function, begin)
                                                    : HF_SOURCE_END_STAYS;
    }
    return hf_source_into_name(at, function, begin);
}

struct hf_source_end hf_source_into(
    const struct hf_source_at *at, uint32_t statement, uint32_t last)
{
    return hf_source_into_chain(
        at, hf_source_statement_of(at, statement)->function, statement, last);
}

struct hf_source_end hf_source_into_pattern(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_source_end found = HF_SOURCE_END_STAYS;
    size_t count = 0;
    for (uint32_t i = begin; i < end && count < TARGETS_MAX; i++) {
        if (hf_source_is_sign(tokens, i, ":") &&
            hf_source_level_at(at, (struct hf_source_value){tokens->items[i].statement, i, i + 1})
                    .open == HF_SOURCE_NO)
            break; /* its type */
        bool is_name = hf_source_is_variable(tokens, i) &&
                       !hf_source_means(tokens, i, HF_SOURCE_DECLARING) &&
                       !hf_source_is_any_word(tokens, i,
                           (const char *const[]){"if", "while", "auto", "const", "for", NULL}) &&
                       !hf_source_is_capital(hf_source_text_of(at, i));
        if (!is_name)
            continue;
        count++;
        found = hf_source_stronger(found, hf_source_follow(at, function, hf_source_text_of(at, i)));
    }
    return found;
}

/* An object of a class has one value there, and the next one takes its place. */
static struct hf_source_end target_one(struct hf_source_end end)
{
    end.is_replaced = end.fate == HF_SOURCE_KEPT && end.is_of_object;
    return end;
}

/* "x", "*x" alone. */
static struct hf_source_end target_plain_target(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_text name = hf_source_text_of(at, token);
    uint32_t parameter =
        function != HF_SOURCE_NO ? hf_source_parameter_of(at->file, function, name) : HF_SOURCE_NO;
    bool is_declared = hf_source_is_declared_at(at, token) && tokens->language != HF_SOURCE_RUST;
    bool is_pointed = token > begin && hf_source_is_sign(tokens, token - 1, "*") && !is_declared;
    if (is_pointed || (!is_declared && hf_source_is_reference(at, function, name)))
        return hf_source_into_name(at, function, token);
    if (parameter != HF_SOURCE_NO || hf_source_declares(at, function, name))
        return hf_source_follow(at, function, name);
    if (hf_source_origin_of(at, function, name).root == HF_SOURCE_IS_NOTHING)
        return HF_SOURCE_END_UNKNOWN;
    return hf_source_is_constructor(at, function) ? HF_SOURCE_END_RETURNED
                                                  : target_one(target_kept(at, function, token));
}

/* The same of C, C++ and Rust: "struct row *x", "u.rows[n]", "*out", "let Some(x)". */
static struct hf_source_end target_compiled_target(const struct hf_source_at *at, uint32_t function,
    uint32_t statement, uint32_t begin, uint32_t end)
{
    static const char *const closes[] = {"]", ")", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    bool is_let = false, is_auto = false;
    for (uint32_t i = begin; i < end && i < begin + 3; i++) {
        is_let |= hf_source_is_word(tokens, i, "let") && tokens->language == HF_SOURCE_RUST;
        is_auto |= hf_source_is_word(tokens, i, "auto");
    }
    if (begin >= end)
        return HF_SOURCE_END_UNKNOWN;
    if (is_let || (is_auto && hf_source_is_sign(tokens, end - 1, "]")))
        return hf_source_into_pattern(at, function, begin, end);
    uint32_t last = end - 1, first = hf_source_chain_begin(at->file, last, begin);
    if (!hf_source_is_kind(tokens, first, HF_SOURCE_NAME))
        return HF_SOURCE_END_UNKNOWN;
    if (first == last)
        return target_plain_target(at, function, begin, last);
    bool is_array = hf_source_is_any_sign(tokens, last, closes) &&
                    tokens->language != HF_SOURCE_RUST && tokens->items[last].pair == first + 1 &&
                    hf_source_is_declared_at(at, first); /* "T x[2] = {...}" */
    if (is_array)
        return hf_source_follow(at, function, hf_source_text_of(at, first));
    struct hf_source_end found = hf_source_into_chain(at, function, statement, last);
    return hf_source_is_any_sign(tokens, last, closes) ? found : target_one(found);
}

struct hf_source_end hf_source_end_of_argument(const struct hf_source_at *at, uint32_t place,
    uint32_t number, struct hf_text keyword, bool *out_is_given)
{
    uint32_t function;
    struct hf_source_at in = hf_source_at_place(at, place, &function);
    if (keyword.size != 0)
        number = hf_source_parameter_of(in.file, function, keyword);
    struct hf_text name = hf_source_parameter(in.file, function, number);
    *out_is_given = false;
    if (name.size == 0)
        return HF_SOURCE_END_STAYS;
    struct hf_source_end end = hf_source_follow(&in, function, name);
    *out_is_given = end.fate == HF_SOURCE_RETURNED;
    bool is_there = end.fate == HF_SOURCE_KEPT && end.file == in.number && end.function == function;
    if (is_there && hf_source_is_compiled(in.file->tokens.language))
        end.is_known |= hf_source_reads_part(&in, function, name);
    end.is_typed |= is_there && hf_source_has_own_type(&in, function, name);
    return end;
}

bool hf_source_set_item(const struct hf_source_at *at, uint32_t function, uint32_t last,
    uint32_t number, struct hf_source_end *out_end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    enum hf_source_language language = tokens->language;
    const char *name = language == HF_SOURCE_PYTHON ? "__setitem__" : "offsetSet";
    uint32_t open = tokens->items[last].pair;
    bool is_given;
    if ((language != HF_SOURCE_PYTHON && language != HF_SOURCE_PHP) ||
        !hf_source_is_sign(tokens, last, "]") || open == HF_SOURCE_NO || open == 0)
        return false;
    uint32_t place = hf_source_operator(at, function, open - 1, name);
    if (place != HF_SOURCE_NO)
        *out_end =
            hf_source_end_of_argument(at, place, number, (struct hf_text){NULL, 0}, &is_given);
    return place != HF_SOURCE_NO;
}

struct hf_source_end hf_source_into_target(const struct hf_source_at *at, uint32_t function,
    uint32_t statement, uint32_t begin, uint32_t end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_source_end found = HF_SOURCE_END_STAYS;
    bool is_new = false;
    static const char *const loops[] = {"for", "foreach", "while", "if", NULL};
    if (hf_source_is_compiled(tokens->language))
        return target_compiled_target(at, function, statement, begin, end);
    while (begin < end &&
           (hf_source_means(tokens, begin, HF_SOURCE_DECLARING) ||
               hf_source_is_any_word(tokens, begin, loops) ||
               hf_source_is_sign(tokens, begin, "(") || hf_source_is_sign(tokens, begin, "[") ||
               hf_source_is_sign(tokens, begin, "{") || hf_source_is_sign(tokens, begin, "*")))
        is_new |= hf_source_means(tokens, begin++, HF_SOURCE_DECLARING);
    for (size_t count = 0; begin < end && count < TARGETS_MAX; count++) {
        uint32_t call, behind;
        bool is_path, is_name = hf_source_is_kind(tokens, begin, HF_SOURCE_NAME);
        behind = is_name ? hf_source_chain_end(at->file, begin, end, &call, &is_path) : begin + 1;
        bool is_place = is_name && (behind >= end || !hf_source_is_sign(tokens, behind, "("));
        struct hf_source_end set;
        if (is_place && is_path && hf_source_set_item(at, function, behind - 1, 1, &set))
            found = hf_source_stronger(found, set);
        else if (is_place && hf_source_is_slice(tokens, begin))
            found = hf_source_stronger(found, hf_source_into_name(at, function, begin));
        else if (is_place && (is_path || (!is_new && hf_source_is_state(at, begin) &&
                                             tokens->items[begin].sigil != 0)))
            found = hf_source_stronger(found,
                behind == begin + 1 ? hf_source_into_name(at, function, begin)
                                    : hf_source_into_chain(at, function, statement, behind - 1));
        else if (is_place)
            found = hf_source_stronger(
                found, is_new || hf_source_declares(at, function, hf_source_text_of(at, begin))
                           ? hf_source_follow(at, function, hf_source_text_of(at, begin))
                           : target_kept(at, function, begin));
        while (behind < end && !hf_source_is_sign(tokens, behind, ","))
            behind = hf_source_next(tokens, behind);
        begin = behind + 1;
    }
    return found;
}

bool hf_source_is_made_there(const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    struct hf_text name = hf_source_text_of(at, token);
    return hf_source_is_kind(&at->file->tokens, token, HF_SOURCE_NAME) &&
           hf_source_declares(at, function, name) &&
           hf_source_origin_of(at, function, name).root == HF_SOURCE_IS_FRESH;
}

struct hf_source_end hf_source_end_of_receiver(const struct hf_source_at *at, uint32_t function,
    uint32_t begin, uint32_t callee, struct hf_source_end end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    if (!hf_source_is_compiled(tokens->language) || end.fate != HF_SOURCE_KEPT ||
        !end.is_of_object || begin == callee || hf_source_means(tokens, begin, HF_SOURCE_OBJECT))
        return end;
    if (!hf_source_is_made_there(at, function, begin))
        return end;
    if (hf_source_is_main(at, function)) {
        end.is_of_object = false;
        return end;
    }
    struct hf_source_end of_local = hf_source_follow(at, function, hf_source_text_of(at, begin));
    if (of_local.fate == HF_SOURCE_STAYS && hf_source_shares_itself(at, &end))
        return end;
    return of_local.fate == HF_SOURCE_RETURNED ? of_local : HF_SOURCE_END_UNKNOWN;
}

struct hf_source_end hf_source_end_of_stored(
    const struct hf_source_at *at, uint32_t function, uint32_t open, struct hf_source_end end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    if (tokens->language != HF_SOURCE_C || end.fate != HF_SOURCE_KEPT || !end.is_stored)
        return end;
    uint32_t name = hf_source_argument_name(&at->file->tokens, open, end.parameter);
    if (name == HF_SOURCE_NO || hf_source_is_main(at, function) ||
        !hf_source_is_made_there(at, function, name))
        return end;
    struct hf_source_end of_local = hf_source_follow(at, function, hf_source_text_of(at, name));
    return of_local.fate == HF_SOURCE_RETURNED ? of_local : end;
}

struct hf_source_end hf_source_into_receiver(const struct hf_source_at *at, uint32_t callee)
{
    uint32_t number = at->file->tokens.items[callee].statement;
    if (number == HF_SOURCE_NO)
        return HF_SOURCE_END_UNKNOWN;
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    uint32_t function = statement->function,
             begin = hf_source_chain_begin(at->file, callee, statement->begin);
    bool is_followed = begin + 2 == callee && hf_source_is_made_there(at, function, begin) &&
                       !hf_source_is_main(at, function);
    return is_followed ? hf_source_follow(at, function, hf_source_text_of(at, begin))
                       : HF_SOURCE_END_UNKNOWN;
}
