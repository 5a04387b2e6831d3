#include "source/climb.h"

#include "source/callees.h"
#include "source/closures.h"
#include "source/compiled.h"
#include "source/slots.h"
#include "source/text/words.h"

#define CLIMB_MAX 40 /* brackets around it */
#define TYPE_MAX 12  /* tokens of the type that a function without a name returns */

/* The call makes an object of its arguments: "Order(id, items)", "std::move(x)". */
static bool climb_makes(
    const struct hf_source_at *at, uint32_t begin, uint32_t callee, uint32_t place, bool is_method)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    bool is_compiled = hf_source_is_compiled(tokens->language);
    bool is_class = hf_source_is_capital(hf_source_text_of(at, callee)) &&
                    tokens->language != HF_SOURCE_LUA && tokens->language != HF_SOURCE_C &&
                    (tokens->language != HF_SOURCE_CPP || hf_source_is_class_at(at, callee));
    if (is_compiled && place != HF_SOURCE_NO) {
        uint32_t function;
        struct hf_source_at in = hf_source_at_place(at, place, &function);
        is_class = tokens->language == HF_SOURCE_CPP && hf_source_is_constructor(&in, function);
        return is_class || hf_source_is_word(tokens, begin, "new");
    }
    bool is_counted = is_compiled && hf_source_is_word(tokens, callee, "clone") && is_method &&
                      hf_source_means(tokens, callee - 2, HF_SOURCE_COUNTED);
    bool makes = is_counted ||
                 hf_source_means(tokens, callee, is_method ? HF_SOURCE_MAKING : HF_SOURCE_MAKER);
    return hf_source_is_word(tokens, begin, "new") || is_class ||
           (makes && place == HF_SOURCE_NO) || hf_source_is_word(tokens, callee, "new");
}

struct hf_source_end hf_source_into_argument(
    const struct hf_source_at *at, uint32_t open, uint32_t number)
{
    uint32_t name = hf_source_argument_name(&at->file->tokens, open, number);
    uint32_t statement = at->file->tokens.items[open].statement;
    if (name == HF_SOURCE_NO || statement == HF_SOURCE_NO)
        return HF_SOURCE_END_UNKNOWN;
    return hf_source_into_name(at, hf_source_statement_of(at, statement)->function, name);
}

/* The value is an argument. *out_goes_on: so is what the call gives, `value` becomes that. */
static struct hf_source_end climb_call(const struct hf_source_at *at, uint32_t function,
    const struct hf_source_level *level, uint32_t callee, struct hf_source_value *value,
    bool *out_goes_on)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t floor = hf_source_statement_of(at, value->statement)->begin, number = level->commas;
    uint32_t begin = hf_source_chain_begin(at->file, callee, floor);
    bool is_method = callee > floor && hf_source_is_member_sign(tokens, callee - 1);
    struct hf_source_value call = {value->statement, begin, level->end + 1};
    uint32_t place = hf_source_function_called(at, callee, function);
    *out_goes_on = false;
    if (tokens->language == HF_SOURCE_CPP && place == HF_SOURCE_NO && callee > floor &&
        hf_source_is_declared_at(at, callee)) /* "Order order(id, items);" */
        return hf_source_follow(at, function, hf_source_text_of(at, callee));
    if (climb_makes(at, begin, callee, place, is_method)) {
        *value = call;
        *out_goes_on = true;
        return HF_SOURCE_END_STAYS;
    }
    if (place != HF_SOURCE_NO) {
        bool is_keyword = level->assignment != HF_SOURCE_NO && level->assignment == level->item + 1;
        struct hf_text keyword =
            is_keyword ? hf_source_text_of(at, level->item) : (struct hf_text){NULL, 0};
        struct hf_source_end end =
            hf_source_end_of_argument(at, place, number, keyword, out_goes_on);
        if (*out_goes_on)
            *value = call;
        if (end.fate == HF_SOURCE_KEPT && hf_source_is_closure_at(at, level->item)) {
            /* A function that keeps functions is a list of them: who made this one has it stay. */
            end = (struct hf_source_end){.fate = HF_SOURCE_KEPT,
                .slot = HF_SOURCE_NO,
                .file = at->number,
                .function = function,
                .line = tokens->items[callee].line};
            return end;
        }
        if (end.fate != HF_SOURCE_FILLS && !hf_source_is_for_any(at, place, number, &end))
            return hf_source_end_of_receiver(at, function, begin, callee,
                hf_source_end_of_stored(at, function, level->open, end));
        uint32_t name = hf_source_argument_name(&at->file->tokens, level->open, end.parameter);
        return name != HF_SOURCE_NO ? hf_source_into_name(at, function, name) : HF_SOURCE_END_STAYS;
    }
    if (hf_source_means(tokens, callee, HF_SOURCE_VERB)) {
        if (hf_source_is_compiled(tokens->language) && !is_method)
            return HF_SOURCE_END_UNKNOWN;
        bool is_first = hf_source_is_word(tokens, callee, "heappush") ||
                        hf_source_is_word(tokens, callee, "insort") || !is_method ||
                        (hf_source_is_word(tokens, callee, "insert") && is_method &&
                            hf_source_is_word(tokens, callee - 2, "table"));
        if (is_first && number == 0)
            return HF_SOURCE_END_STAYS;
        uint32_t name =
            is_first ? hf_source_argument_name(&at->file->tokens, level->open, 0) : HF_SOURCE_NO;
        if (is_first)
            return name != HF_SOURCE_NO ? hf_source_into_name(at, function, name)
                                        : HF_SOURCE_END_UNKNOWN;
        return hf_source_into_chain(at, function, value->statement, callee - 2);
    }
    if (begin + 2 == callee && hf_source_is_word(tokens, callee, "send"))
        return hf_source_sent(at, function, begin);
    bool maps = hf_source_means(tokens, callee, HF_SOURCE_MAPPER);
    if (maps) {
        *value = call;
        *out_goes_on = true;
    }
    return maps ? HF_SOURCE_END_STAYS : HF_SOURCE_END_UNKNOWN;
}

/* What stands before the block of a function without a name decides what becomes of its value. */
static bool climb_is_mapped(const struct hf_source_at *at, struct hf_source_value *closure)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t floor = hf_source_statement_of(at, closure->statement)->begin, i = closure->begin;
    if (tokens->language != HF_SOURCE_RUBY && tokens->language != HF_SOURCE_PERL)
        return true; /* it is an argument, as others */
    while (i > floor && !hf_source_is_word(tokens, i, "do") && !hf_source_is_sign(tokens, i, "{") &&
           !hf_source_assigns(tokens, i))
        i--; /* over "|a, b|" */
    if (i == floor || hf_source_assigns(tokens, i))
        return true;
    i--;
    if (hf_source_is_sign(tokens, i, ")") && tokens->items[i].pair > floor &&
        tokens->items[i].pair != HF_SOURCE_NO)
        i = tokens->items[i].pair - 1;
    closure->begin = hf_source_chain_begin(at->file, i, floor);
    return hf_source_means(tokens, i, HF_SOURCE_MAPPER);
}

/* The function without a name that "return" in a statement leaves: the statement of that which lies
 * in it; HF_SOURCE_NO: it leaves the one with a name. A block of Rust within a statement is none:
 * "let x = match y { 0 => return z, ... }". */
static uint32_t climb_left(const struct hf_source_at *at, uint32_t number)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    for (int hops = 0; hops < CLIMB_MAX; hops++) {
        const struct hf_source_statement *statement = hf_source_statement_of(at, number);
        if (!statement->is_of_closure || statement->within == HF_SOURCE_NO)
            return HF_SOURCE_NO;
        if (tokens->language != HF_SOURCE_RUST)
            return number;
        uint32_t open = hf_source_closure_of(at, number).begin, before = open;
        for (uint32_t i = 0; i < TYPE_MAX && before != 0; i++) {
            before--; /* "|x|", "|x| -> T" */
            if (!hf_source_is_kind(tokens, before, HF_SOURCE_NAME) &&
                !hf_source_is_sign(tokens, before, "->") &&
                !hf_source_is_sign(tokens, before, "::"))
                break;
        }
        if (hf_source_is_sign(tokens, before, "|") || hf_source_is_sign(tokens, before, "||"))
            return number;
        number = statement->within;
    }
    return HF_SOURCE_NO;
}

bool hf_source_is_value(const struct hf_source_at *at, uint32_t number)
{
    const struct hf_source_statement *statement = hf_source_statement_of(at, number);
    enum hf_source_language language = at->file->tokens.language;
    if (language == HF_SOURCE_RUST && !statement->is_header) {
        while (statement->is_last && statement->control != HF_SOURCE_NO)
            statement = hf_source_statement_of(at, statement->control);
        return statement->is_last;
    }
    if (language != HF_SOURCE_RUBY && language != HF_SOURCE_PERL)
        return false;
    while (statement->is_last && statement->control != HF_SOURCE_NO)
        statement = hf_source_statement_of(at, statement->control);
    return statement->is_last && !statement->is_header;
}

/* The names that a loop gives each part of the value: "for (const row of rows)". */
static struct hf_source_end climb_loop(
    const struct hf_source_at *at, const struct hf_source_value *value)
{
    static const char *const of[] = {"in", "of", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement = hf_source_statement_of(at, value->statement);
    uint32_t begin = statement->begin + 1, end = statement->end, i;
    for (i = value->begin; i < statement->end && !hf_source_is_word(tokens, i, "as"); i++)
        continue;
    if (i < statement->end) { /* "foreach ($rows as $key => $row)" */
        begin = i + 1;
        for (i = begin; i < end; i++) {
            if (hf_source_is_sign(tokens, i, "=>"))
                begin = i + 1;
        }
        end = end > begin && hf_source_is_sign(tokens, end - 1, "{") ? end - 1 : end;
    } else {
        for (i = begin; i < value->begin && !hf_source_is_any_word(tokens, i, of); i++)
            begin += hf_source_is_sign(tokens, i, "(") && i == begin;
        end = i;
        if (end == value->begin) /* "for my $row (rows())" */
            while (end > begin && !hf_source_is_sign(tokens, end, "("))
                end--;
    }
    return hf_source_into_target(at, statement->function, value->statement, begin, end);
}

/* The value stands behind "=": what stands before that is given it. */
static struct hf_source_end climb_assigned(const struct hf_source_at *at,
    const struct hf_source_level *level, const struct hf_source_value *value)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement = hf_source_statement_of(at, value->statement);
    bool is_compiled = hf_source_is_compiled(tokens->language);
    uint32_t begin = level->open == HF_SOURCE_NO ? statement->begin : level->item;
    for (uint32_t i = begin; is_compiled && i < value->begin; i = hf_source_next(tokens, i)) {
        if (hf_source_is_sign(tokens, i, ","))
            begin = i + 1; /* "T *a = f(), *b = g();" */
    }
    struct hf_source_end found = HF_SOURCE_END_STAYS;
    for (uint32_t i = begin; i <= level->assignment; i = hf_source_next(tokens, i)) {
        if (!hf_source_assigns(tokens, i))
            continue;
        if (hf_source_counts(tokens, i)) {
            begin = i + 1;
            continue;
        }
        found = hf_source_stronger(
            found, hf_source_into_target(at, statement->function, value->statement, begin, i));
        begin = i + 1;
    }
    bool returns = hf_source_means(tokens, statement->begin, HF_SOURCE_LEAVING);
    return returns ? hf_source_stronger(found, HF_SOURCE_END_RETURNED) : found;
}

/* The value is all that the statement is about: what is done with it? */
static struct hf_source_end climb_sink(const struct hf_source_at *at,
    const struct hf_source_level *level, struct hf_source_value *value, bool *out_goes_on)
{
    static const char *const loops[] = {"for", "foreach", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_statement *statement = hf_source_statement_of(at, value->statement);
    *out_goes_on = false;
    for (uint32_t i = level->begin; i < value->begin && level->open == HF_SOURCE_NO;
         i = hf_source_next(tokens, i)) { /* "my $row = next_row() or return []" */
        if (i > statement->begin && hf_source_means(tokens, i, HF_SOURCE_LEAVING) &&
            !statement->is_of_closure)
            return HF_SOURCE_END_RETURNED;
    }
    bool is_loop = hf_source_is_any_word(tokens, statement->begin, loops) && statement->is_header;
    if (level->assignment != HF_SOURCE_NO &&
        (is_loop || (hf_source_is_compiled(tokens->language) &&
                        !hf_source_is_sign(tokens, level->assignment, "="))))
        return HF_SOURCE_END_STAYS; /* "for i = 1, #rows do", "sum += f(x)" */
    if (level->assignment != HF_SOURCE_NO)
        return climb_assigned(at, level, value);
    for (uint32_t i = statement->begin; i < value->begin; i = hf_source_next(tokens, i)) {
        if (!hf_source_means(tokens, i, HF_SOURCE_LEAVING))
            continue;
        uint32_t left = climb_left(at, value->statement);
        if (left == HF_SOURCE_NO || at->flow->closure == hf_source_statement_of(at, left)->within)
            return HF_SOURCE_END_RETURNED;
        *value = hf_source_closure_of(at, left);
        *out_goes_on = climb_is_mapped(at, value);
        return HF_SOURCE_END_STAYS;
    }
    if (is_loop)
        return climb_loop(at, value);
    if (!hf_source_is_value(at, value->statement))
        return HF_SOURCE_END_UNKNOWN;
    if (!statement->is_of_closure || at->flow->closure == statement->within)
        return HF_SOURCE_END_RETURNED;
    *value = hf_source_closure_of(at, value->statement);
    *out_goes_on = climb_is_mapped(at, value);
    return HF_SOURCE_END_STAYS;
}

/* "push @rows, $row", "bless \%self, $class", "rows << row": without brackets. *out_found false: no
 * such thing. */
static struct hf_source_end climb_command(const struct hf_source_at *at, uint32_t function,
    const struct hf_source_level *level, const struct hf_source_value *value, bool *out_found)
{
    static const char *const pushes[] = {"push", "unshift", "splice", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    *out_found = !hf_source_is_compiled(tokens->language);
    if (!*out_found)
        return HF_SOURCE_END_UNKNOWN;
    if (tokens->language == HF_SOURCE_RUBY && value->begin > level->begin + 1 &&
        hf_source_is_sign(tokens, value->begin - 1, "<<")) {
        uint32_t place = hf_source_operator(at, function, value->begin - 2, "<<");
        bool is_given;
        return place != HF_SOURCE_NO
                   ? hf_source_end_of_argument(at, place, 0, (struct hf_text){NULL, 0}, &is_given)
                   : hf_source_into_chain(at, function, value->statement, value->begin - 2);
    }
    for (uint32_t i = level->begin; i < value->begin; i = hf_source_next(tokens, i)) {
        if (!hf_source_is_any_word(tokens, i, pushes) || i + 1 >= value->begin ||
            hf_source_is_sign(tokens, i + 1, "("))
            continue;
        uint32_t name = i + 1;
        while (name < value->begin && hf_source_is_sign(tokens, name, "{"))
            name++;
        return hf_source_is_kind(tokens, name, HF_SOURCE_NAME)
                   ? hf_source_into_name(at, function, name)
                   : HF_SOURCE_END_UNKNOWN;
    }
    *out_found = false;
    return HF_SOURCE_END_UNKNOWN;
}

static bool climb_is_blocked(const struct hf_source_at *at, const struct hf_source_level *level,
    const struct hf_source_value *value)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t before = value->begin > level->begin ? value->begin - 1 : HF_SOURCE_NO;
    bool is_compiled = hf_source_is_compiled(tokens->language);
    if (is_compiled && hf_source_is_borrowed(at, level, value))
        return true;
    bool is_splat = before != HF_SOURCE_NO &&
                    (before == level->begin || hf_source_is_sign(tokens, before - 1, ",")) &&
                    tokens->language != HF_SOURCE_LUA;
    is_splat |= is_compiled && hf_source_is_sign(tokens, before, "&");
    if (before != HF_SOURCE_NO && !is_splat && hf_source_means(tokens, before, HF_SOURCE_BLOCKING))
        return true;
    if (before != HF_SOURCE_NO && hf_source_means(tokens, before, HF_SOURCE_BLOCKING_BEFORE)) {
        /* "for x in rows:" goes on; "[f(x) for x in rows]" does not. */
        bool is_loop = hf_source_is_word(tokens, before, "in") &&
                       hf_source_statement_of(at, value->statement)->is_header;
        if (!is_loop)
            return true;
    }
    return value->end < level->end &&
           (hf_source_means(tokens, value->end, HF_SOURCE_BLOCKING) ||
               hf_source_means(tokens, value->end, HF_SOURCE_BLOCKING_BEHIND));
}

/* A value is a key: kept with what is stored there, "seen[key] = row". */
static struct hf_source_end climb_key(
    const struct hf_source_at *at, uint32_t function, uint32_t statement, uint32_t open)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t end = hf_source_statement_of(at, statement)->end, last = tokens->items[open].pair;
    if (hf_source_is_compiled(tokens->language))
        return HF_SOURCE_END_STAYS;
    while (last + 1 < end && hf_source_is_index(at->file, last + 1) &&
           tokens->items[last + 1].pair != HF_SOURCE_NO && tokens->items[last + 1].pair > last)
        last = tokens->items[last + 1].pair;
    struct hf_source_end set;
    if (last + 1 < end && hf_source_assigns(tokens, last + 1) &&
        hf_source_set_item(at, function, last, 0, &set))
        return set;
    return last + 1 < end && hf_source_assigns(tokens, last + 1)
               ? hf_source_into_chain(at, function, statement, last)
               : HF_SOURCE_END_STAYS;
}

/* "for (auto &row : rows)", "for (auto &[key, row] : rows)": what is given each part of the value;
 * HF_SOURCE_END_STAYS of another loop. */
static struct hf_source_end climb_range(const struct hf_source_at *at, uint32_t function,
    uint32_t open, const struct hf_source_value *value)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t colon = open + 1;
    while (colon < value->begin && !hf_source_is_sign(tokens, colon, ":"))
        colon = hf_source_next(tokens, colon);
    if (colon >= value->begin || tokens->language != HF_SOURCE_CPP)
        return HF_SOURCE_END_STAYS;
    bool are_many = hf_source_is_sign(tokens, colon - 1, "]");
    return are_many ? hf_source_into_pattern(at, function, tokens->items[colon - 1].pair, colon)
                    : hf_source_follow(at, function, hf_source_text_of(at, colon - 1));
}

/* The brackets around a value of C, C++ or Rust decide; false: they do not. */
static bool climb_in_brackets(const struct hf_source_at *at, uint32_t function, uint32_t open,
    struct hf_source_value *value, struct hf_source_end *out_end)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    enum hf_source_language language = tokens->language;
    *out_end = HF_SOURCE_END_STAYS;
    if (!hf_source_is_compiled(language) || open == HF_SOURCE_NO || open < 2)
        return false;
    bool is_macro = language == HF_SOURCE_RUST && hf_source_is_sign(tokens, open - 1, "!");
    if (is_macro && hf_source_is_word(tokens, open - 2, "vec")) {
        value->begin = open - 2;
        value->end = tokens->items[open].pair + 1;
        *out_end = HF_SOURCE_END_UNKNOWN; /* goes on */
        return true;
    }
    bool is_loop = language != HF_SOURCE_RUST && hf_source_is_word(tokens, open - 1, "for") &&
                   hf_source_is_sign(tokens, open, "(");
    if (is_loop)
        *out_end = climb_range(at, function, open, value);
    if (is_macro || is_loop)
        return true;
    if (language != HF_SOURCE_CPP || !hf_source_is_sign(tokens, open, "{") ||
        !hf_source_is_kind(tokens, open - 1, HF_SOURCE_NAME) ||
        !hf_source_is_declared_at(at, open - 1))
        return false;
    *out_end = hf_source_follow(at, function, hf_source_text_of(at, open - 1));
    return true; /* "Order order{id, items};" */
}

/* "page.render().length": what stands behind the value only says how much it is. */
static bool climb_is_measured(const struct hf_source_at *at, struct hf_source_value value)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t end = hf_source_statement_of(at, value.statement)->end, call;
    bool is_path;
    if (value.begin >= value.end || hf_source_is_compiled(tokens->language))
        return false;
    bool is_chain = hf_source_is_kind(tokens, value.begin, HF_SOURCE_NAME);
    uint32_t last =
        hf_source_chain_end(at->file, is_chain ? value.begin : value.end - 1, end, &call, &is_path);
    return is_path && last >= value.end &&
           hf_source_means(tokens, call != HF_SOURCE_NO ? call : last - 1, HF_SOURCE_MEASURE);
}

/* From a value outwards: through brackets and calls to what the statement does with it. */
struct hf_source_end hf_source_climb(const struct hf_source_at *at, struct hf_source_value value)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    for (int i = 0; i < CLIMB_MAX && hf_source_step(at->flow); i++) {
        uint32_t function = hf_source_statement_of(at, value.statement)->function;
        struct hf_source_level level = hf_source_level_at(at, value);
        bool goes_on = false, is_command;
        if (climb_is_blocked(at, &level, &value) || climb_is_measured(at, value))
            return HF_SOURCE_END_STAYS;
        struct hf_source_end end = climb_command(at, function, &level, &value, &is_command);
        if (is_command)
            return end;
        if (climb_in_brackets(at, function, level.open, &value, &end)) {
            if (end.fate != HF_SOURCE_UNKNOWN)
                return end;
            continue;
        }
        uint32_t callee =
            level.open != HF_SOURCE_NO ? hf_source_callee(at->file, level.open) : HF_SOURCE_NO;
        bool is_use = level.open != HF_SOURCE_NO && level.open != 0 &&
                      hf_source_is_word(tokens, level.open - 1, "use");
        if (level.open == HF_SOURCE_NO) {
            end = climb_sink(at, &level, &value, &goes_on);
        } else if (callee != HF_SOURCE_NO) {
            end = climb_call(at, function, &level, callee, &value, &goes_on);
        } else if (hf_source_is_index(at->file, level.open)) {
            return climb_key(at, function, value.statement, level.open);
        } else if (level.assignment != HF_SOURCE_NO && hf_source_is_sign(tokens, level.open, "(") &&
                   !is_use) {
            return climb_sink(at, &level, &value, &goes_on);
        } else {
            value.begin = level.open;
            value.end = level.end + 1;
            goes_on = true;
        }
        if (!goes_on || end.fate == HF_SOURCE_KEPT)
            return end;
    }
    return HF_SOURCE_END_UNKNOWN;
}
