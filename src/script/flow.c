#include "script/flow.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "script/origin.h"
#include "script/words.h"

#include <stdlib.h>

#define CLIMB_MAX 40   /* brackets around it */
#define TARGETS_MAX 16 /* that one assignment has */

static const struct hf_script_end flow_unknown = {.fate = HF_SCRIPT_UNKNOWN};
static const struct hf_script_end flow_stays = {.fate = HF_SCRIPT_STAYS};
static const struct hf_script_end flow_returned = {.fate = HF_SCRIPT_RETURNED};

static struct hf_script_end flow_variable(
    const struct hf_script_at *at, uint32_t function, struct hf_text name);

/* What becomes of a part counts for less than what becomes of the whole, but for more than nothing.
 */
static int flow_strength(struct hf_script_end end)
{
    return end.is_of_part && end.fate > HF_SCRIPT_STAYS ? (int)end.fate
                                                        : (int)end.fate * (HF_SCRIPT_KEPT + 1);
}

static struct hf_script_end flow_stronger(struct hf_script_end a, struct hf_script_end b)
{
    return flow_strength(b) > flow_strength(a) ? b : a;
}

static struct hf_script_end flow_kept(
    const struct hf_script_at *at, uint32_t function, uint32_t token)
{
    return (struct hf_script_end){.fate = HF_SCRIPT_KEPT,
        .file = at->number,
        .function = function,
        .line = at->file->tokens.items[token].line};
}

/* What stands behind the name at `token` is a member of it: "journal.saved[1]". */
static bool flow_has_member(const struct hf_script_at *at, uint32_t token)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    bool has_member = hf_script_is_member_sign(tokens, token + 1) &&
                      !hf_script_means(tokens, token + 2, HF_SCRIPT_VERB);
    return has_member && tokens->language != HF_SCRIPT_PERL;
}

/* A value is put into the container that begins with the name at `token`. */
static struct hf_script_end flow_into(
    const struct hf_script_at *at, uint32_t function, uint32_t token)
{
    struct hf_script_origin origin = {.root = HF_SCRIPT_IS_STATE};
    if (!hf_script_is_state(at, token))
        origin = hf_script_origin_of(at, function, hf_script_text_of(at, token));
    switch (origin.root) {
    case HF_SCRIPT_IS_STATE:
        return hf_script_is_constructor(at, function) ? flow_returned
                                                      : flow_kept(at, function, token);
    case HF_SCRIPT_IS_PARAMETER:
        if (flow_has_member(at, token))
            return flow_kept(at, function, token); /* that is what the function is for */
        return (struct hf_script_end){.fate = HF_SCRIPT_FILLS, .parameter = origin.parameter};
    default: return flow_variable(at, function, hf_script_text_of(at, token));
    }
}

/* The container that begins the chain which ends with token `last`. */
static struct hf_script_end flow_into_chain(
    const struct hf_script_at *at, uint32_t function, uint32_t statement, uint32_t last)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t begin =
        hf_script_chain_begin(at->file, last, hf_script_statement_of(at, statement)->begin);
    while (begin < last &&
           (hf_script_is_sign(tokens, begin, "(") || hf_script_is_sign(tokens, begin, "{")))
        begin++;
    if (!hf_script_is_kind(tokens, begin, HF_SCRIPT_NAME))
        return flow_unknown;
    /* "self.posting(word).positions.append(x)": what the function gives is whose? */
    for (uint32_t i = begin; i <= last; i++) {
        if (!hf_script_is_sign(tokens, i, "(") || hf_script_callee(at->file, i) == HF_SCRIPT_NO)
            continue;
        uint32_t place = hf_script_function_called(at, i - 1, function);
        if (place != HF_SCRIPT_NO)
            return hf_script_gives_state(at, place) ? flow_kept(at, function, begin) : flow_stays;
    }
    return flow_into(at, function, begin);
}

/* Something is given to what stands in [begin, end): "x", "self.x[y]", "my ($a, $b)". */
static struct hf_script_end flow_target(const struct hf_script_at *at, uint32_t function,
    uint32_t statement, uint32_t begin, uint32_t end)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    struct hf_script_end found = flow_stays;
    bool is_new = false;
    static const char *const loops[] = {"for", "foreach", "while", "if", NULL};
    while (begin < end &&
           (hf_script_means(tokens, begin, HF_SCRIPT_DECLARING) ||
               hf_script_is_any_word(tokens, begin, loops) ||
               hf_script_is_sign(tokens, begin, "(") || hf_script_is_sign(tokens, begin, "[") ||
               hf_script_is_sign(tokens, begin, "{") || hf_script_is_sign(tokens, begin, "*")))
        is_new |= hf_script_means(tokens, begin++, HF_SCRIPT_DECLARING);
    for (size_t count = 0; begin < end && count < TARGETS_MAX; count++) {
        uint32_t call, behind;
        bool is_path, is_name = hf_script_is_kind(tokens, begin, HF_SCRIPT_NAME);
        behind = is_name ? hf_script_chain_end(at->file, begin, end, &call, &is_path) : begin + 1;
        bool is_place = is_name && (behind >= end || !hf_script_is_sign(tokens, behind, "("));
        if (is_place && (is_path || (!is_new && hf_script_is_state(at, begin) &&
                                        tokens->items[begin].sigil != 0)))
            found = flow_stronger(
                found, behind == begin + 1 ? flow_into(at, function, begin)
                                           : flow_into_chain(at, function, statement, behind - 1));
        else if (is_place)
            found = flow_stronger(
                found, is_new || hf_script_declares(at, function, hf_script_text_of(at, begin))
                           ? flow_variable(at, function, hf_script_text_of(at, begin))
                           : flow_kept(at, function, begin));
        while (behind < end && !hf_script_is_sign(tokens, behind, ","))
            behind = hf_script_next(tokens, behind);
        begin = behind + 1;
    }
    return found;
}

/* What a function of the program does with its argument. *out_is_given: it gives it to its caller.
 */
static struct hf_script_end flow_argument(const struct hf_script_at *at, uint32_t place,
    uint32_t number, struct hf_text keyword, bool *out_is_given)
{
    uint32_t function;
    struct hf_script_at in = hf_script_at_place(at, place, &function);
    if (keyword.size != 0)
        number = hf_script_parameter_of(in.file, function, keyword);
    struct hf_text name = hf_script_parameter(in.file, function, number);
    *out_is_given = false;
    if (name.size == 0)
        return flow_stays;
    struct hf_script_end end = flow_variable(&in, function, name);
    *out_is_given = end.fate == HF_SCRIPT_RETURNED;
    return end;
}

/* The n-th argument of a call: the name that its chain begins with; HF_SCRIPT_NO: it is none. */
static uint32_t flow_argument_name(const struct hf_script_at *at, uint32_t open, uint32_t number)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t end = tokens->items[open].pair, i = open + 1;
    for (; end != HF_SCRIPT_NO && i < end && number != 0; i = hf_script_next(tokens, i))
        number -= hf_script_is_sign(tokens, i, ",");
    return end != HF_SCRIPT_NO && i < end && hf_script_is_kind(tokens, i, HF_SCRIPT_NAME)
               ? i
               : HF_SCRIPT_NO;
}

/* The value is an argument. *out_goes_on: so is what the call gives, `value` becomes that. */
static struct hf_script_end flow_call(const struct hf_script_at *at, uint32_t function,
    const struct hf_script_level *level, uint32_t callee, struct hf_script_value *value,
    bool *out_goes_on)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t floor = hf_script_statement_of(at, value->statement)->begin, number = level->commas;
    uint32_t begin = hf_script_chain_begin(at->file, callee, floor);
    bool is_method = callee > floor && hf_script_is_member_sign(tokens, callee - 1);
    bool is_class =
        hf_script_is_capital(hf_script_text_of(at, callee)) && tokens->language != HF_SCRIPT_LUA;
    struct hf_script_value call = {value->statement, begin, level->end + 1};
    uint32_t place = hf_script_function_called(at, callee, function);
    *out_goes_on = false;
    bool makes = hf_script_means(tokens, callee, is_method ? HF_SCRIPT_MAKING : HF_SCRIPT_MAKER);
    if (hf_script_is_word(tokens, begin, "new") || is_class || (makes && place == HF_SCRIPT_NO) ||
        hf_script_is_word(tokens, callee, "new")) {
        *value = call;
        *out_goes_on = true;
        return flow_stays;
    }
    if (place != HF_SCRIPT_NO) {
        bool is_keyword = level->assignment != HF_SCRIPT_NO && level->assignment == level->item + 1;
        struct hf_text keyword =
            is_keyword ? hf_script_text_of(at, level->item) : (struct hf_text){NULL, 0};
        struct hf_script_end end = flow_argument(at, place, number, keyword, out_goes_on);
        if (*out_goes_on)
            *value = call;
        if (end.fate != HF_SCRIPT_FILLS)
            return end;
        uint32_t name = flow_argument_name(at, level->open, end.parameter);
        return name != HF_SCRIPT_NO ? flow_into(at, function, name) : flow_stays;
    }
    if (hf_script_means(tokens, callee, HF_SCRIPT_VERB)) {
        bool is_first = hf_script_is_word(tokens, callee, "heappush") ||
                        hf_script_is_word(tokens, callee, "insort") || !is_method ||
                        (hf_script_is_word(tokens, callee, "insert") && is_method &&
                            hf_script_is_word(tokens, callee - 2, "table"));
        if (is_first && number == 0)
            return flow_stays;
        uint32_t name = is_first ? flow_argument_name(at, level->open, 0) : HF_SCRIPT_NO;
        if (is_first)
            return name != HF_SCRIPT_NO ? flow_into(at, function, name) : flow_unknown;
        return flow_into_chain(at, function, value->statement, callee - 2);
    }
    bool maps = hf_script_means(tokens, callee, HF_SCRIPT_MAPPER);
    if (maps) {
        *value = call;
        *out_goes_on = true;
    }
    return maps ? flow_stays : flow_unknown;
}

/* The part of a statement that is a function without a name, of which `inner` is a statement. */
static struct hf_script_value flow_closure(const struct hf_script_at *at, uint32_t inner)
{
    const struct hf_script_statement *of = hf_script_statement_of(at, inner);
    const struct hf_script_statement *outer = hf_script_statement_of(at, of->within);
    const struct hf_script_token *items = at->file->tokens.items;
    uint32_t begin = of->begin, end = of->end;
    while (begin > outer->begin && items[begin].statement != of->within)
        begin--;
    while (end < outer->end && items[end].statement != of->within)
        end++;
    return (struct hf_script_value){of->within, begin, end < outer->end ? end + 1 : end};
}

/* What stands before the block of a function without a name decides what becomes of its value. */
static bool flow_is_mapped(const struct hf_script_at *at, struct hf_script_value *closure)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t floor = hf_script_statement_of(at, closure->statement)->begin, i = closure->begin;
    if (tokens->language != HF_SCRIPT_RUBY && tokens->language != HF_SCRIPT_PERL)
        return true; /* it is an argument, as others */
    while (i > floor && !hf_script_is_word(tokens, i, "do") && !hf_script_is_sign(tokens, i, "{") &&
           !hf_script_assigns(tokens, i))
        i--; /* over "|a, b|" */
    if (i == floor || hf_script_assigns(tokens, i))
        return true;
    i--;
    if (hf_script_is_sign(tokens, i, ")") && tokens->items[i].pair > floor &&
        tokens->items[i].pair != HF_SCRIPT_NO)
        i = tokens->items[i].pair - 1;
    closure->begin = hf_script_chain_begin(at->file, i, floor);
    return hf_script_means(tokens, i, HF_SCRIPT_MAPPER);
}

static bool flow_is_value(const struct hf_script_at *at, uint32_t number)
{
    const struct hf_script_statement *statement = hf_script_statement_of(at, number);
    enum hf_script_language language = at->file->tokens.language;
    if (language != HF_SCRIPT_RUBY && language != HF_SCRIPT_PERL)
        return false;
    while (statement->is_last && statement->control != HF_SCRIPT_NO)
        statement = hf_script_statement_of(at, statement->control);
    return statement->is_last && !statement->is_header;
}

/* The names that a loop gives each part of the value: "for (const row of rows)". */
static struct hf_script_end flow_loop(
    const struct hf_script_at *at, const struct hf_script_value *value)
{
    static const char *const of[] = {"in", "of", NULL};
    const struct hf_script_tokens *tokens = &at->file->tokens;
    const struct hf_script_statement *statement = hf_script_statement_of(at, value->statement);
    uint32_t begin = statement->begin + 1, end = statement->end, i;
    for (i = value->begin; i < statement->end && !hf_script_is_word(tokens, i, "as"); i++)
        continue;
    if (i < statement->end) { /* "foreach ($rows as $key => $row)" */
        begin = i + 1;
        for (i = begin; i < end; i++) {
            if (hf_script_is_sign(tokens, i, "=>"))
                begin = i + 1;
        }
        end = end > begin && hf_script_is_sign(tokens, end - 1, "{") ? end - 1 : end;
    } else {
        for (i = begin; i < value->begin && !hf_script_is_any_word(tokens, i, of); i++)
            begin += hf_script_is_sign(tokens, i, "(") && i == begin;
        end = i;
        if (end == value->begin) /* "for my $row (rows())" */
            while (end > begin && !hf_script_is_sign(tokens, end, "("))
                end--;
    }
    return flow_target(at, statement->function, value->statement, begin, end);
}

/* The value is all that the statement is about: what is done with it? */
static struct hf_script_end flow_sink(const struct hf_script_at *at,
    const struct hf_script_level *level, struct hf_script_value *value, bool *out_goes_on)
{
    static const char *const loops[] = {"for", "foreach", NULL};
    const struct hf_script_tokens *tokens = &at->file->tokens;
    const struct hf_script_statement *statement = hf_script_statement_of(at, value->statement);
    *out_goes_on = false;
    for (uint32_t i = level->begin; i < value->begin && level->open == HF_SCRIPT_NO;
         i = hf_script_next(tokens, i)) { /* "my $row = next_row() or return []" */
        if (i > statement->begin && hf_script_means(tokens, i, HF_SCRIPT_LEAVING) &&
            !statement->is_of_closure)
            return flow_returned;
    }
    bool is_loop = hf_script_is_any_word(tokens, statement->begin, loops) && statement->is_header;
    if (level->assignment != HF_SCRIPT_NO && is_loop)
        return flow_stays; /* "for i = 1, #rows do" */
    if (level->assignment != HF_SCRIPT_NO) {
        uint32_t begin = level->open == HF_SCRIPT_NO ? statement->begin : level->item;
        struct hf_script_end found = flow_stays;
        for (uint32_t i = begin; i <= level->assignment; i = hf_script_next(tokens, i)) {
            if (!hf_script_assigns(tokens, i))
                continue;
            found = flow_stronger(
                found, flow_target(at, statement->function, value->statement, begin, i));
            begin = i + 1;
        }
        bool returns = hf_script_means(tokens, statement->begin, HF_SCRIPT_LEAVING);
        return returns ? flow_stronger(found, flow_returned) : found;
    }
    for (uint32_t i = statement->begin; i < value->begin; i = hf_script_next(tokens, i)) {
        if (!hf_script_means(tokens, i, HF_SCRIPT_LEAVING))
            continue;
        bool is_inner = statement->is_of_closure && at->flow->closure != statement->within;
        if (!is_inner || statement->within == HF_SCRIPT_NO)
            return flow_returned;
        *value = flow_closure(at, value->statement);
        *out_goes_on = flow_is_mapped(at, value);
        return flow_stays;
    }
    if (is_loop)
        return flow_loop(at, value);
    if (!flow_is_value(at, value->statement))
        return flow_unknown;
    if (!statement->is_of_closure || at->flow->closure == statement->within)
        return flow_returned;
    *value = flow_closure(at, value->statement);
    *out_goes_on = flow_is_mapped(at, value);
    return flow_stays;
}

/* "push @rows, $row", "bless \%self, $class", "rows << row": without brackets. *out_found false: no
 * such thing. */
static struct hf_script_end flow_command(const struct hf_script_at *at, uint32_t function,
    const struct hf_script_level *level, const struct hf_script_value *value, bool *out_found)
{
    static const char *const pushes[] = {"push", "unshift", "splice", NULL};
    const struct hf_script_tokens *tokens = &at->file->tokens;
    *out_found = true;
    if (tokens->language == HF_SCRIPT_RUBY && value->begin > level->begin + 1 &&
        hf_script_is_sign(tokens, value->begin - 1, "<<"))
        return flow_into_chain(at, function, value->statement, value->begin - 2);
    for (uint32_t i = level->begin; i < value->begin; i = hf_script_next(tokens, i)) {
        if (!hf_script_is_any_word(tokens, i, pushes) || i + 1 >= value->begin ||
            hf_script_is_sign(tokens, i + 1, "("))
            continue;
        uint32_t name = i + 1;
        while (name < value->begin && hf_script_is_sign(tokens, name, "{"))
            name++;
        return hf_script_is_kind(tokens, name, HF_SCRIPT_NAME) ? flow_into(at, function, name)
                                                               : flow_unknown;
    }
    *out_found = false;
    return flow_unknown;
}

static bool flow_is_blocked(const struct hf_script_at *at, const struct hf_script_level *level,
    const struct hf_script_value *value)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t before = value->begin > level->begin ? value->begin - 1 : HF_SCRIPT_NO;
    bool is_splat = before != HF_SCRIPT_NO &&
                    (before == level->begin || hf_script_is_sign(tokens, before - 1, ",")) &&
                    tokens->language != HF_SCRIPT_LUA;
    if (before != HF_SCRIPT_NO && !is_splat && hf_script_means(tokens, before, HF_SCRIPT_BLOCKING))
        return true;
    if (before != HF_SCRIPT_NO && hf_script_means(tokens, before, HF_SCRIPT_BLOCKING_BEFORE)) {
        /* "for x in rows:" goes on; "[f(x) for x in rows]" does not. */
        bool is_loop = hf_script_is_word(tokens, before, "in") &&
                       hf_script_statement_of(at, value->statement)->is_header;
        if (!is_loop)
            return true;
    }
    return value->end < level->end &&
           (hf_script_means(tokens, value->end, HF_SCRIPT_BLOCKING) ||
               hf_script_means(tokens, value->end, HF_SCRIPT_BLOCKING_BEHIND));
}

/* A value is a key: kept with what is stored there, "seen[key] = row". */
static struct hf_script_end flow_key(
    const struct hf_script_at *at, uint32_t function, uint32_t statement, uint32_t open)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    uint32_t end = hf_script_statement_of(at, statement)->end, last = tokens->items[open].pair;
    while (last + 1 < end && hf_script_is_index(at->file, last + 1) &&
           tokens->items[last + 1].pair != HF_SCRIPT_NO && tokens->items[last + 1].pair > last)
        last = tokens->items[last + 1].pair;
    return last + 1 < end && hf_script_assigns(tokens, last + 1)
               ? flow_into_chain(at, function, statement, last)
               : flow_stays;
}

/* From a value outwards: through brackets and calls to what the statement does with it. */
static struct hf_script_end flow_climb(const struct hf_script_at *at, struct hf_script_value value)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    for (int i = 0; i < CLIMB_MAX && hf_script_step(at->flow); i++) {
        uint32_t function = hf_script_statement_of(at, value.statement)->function;
        struct hf_script_level level = hf_script_level_of(at->file, value);
        bool goes_on = false, is_command;
        if (flow_is_blocked(at, &level, &value))
            return flow_stays;
        struct hf_script_end end = flow_command(at, function, &level, &value, &is_command);
        if (is_command)
            return end;
        uint32_t callee =
            level.open != HF_SCRIPT_NO ? hf_script_callee(at->file, level.open) : HF_SCRIPT_NO;
        bool is_use = level.open != HF_SCRIPT_NO && level.open != 0 &&
                      hf_script_is_word(tokens, level.open - 1, "use");
        if (level.open == HF_SCRIPT_NO) {
            end = flow_sink(at, &level, &value, &goes_on);
        } else if (callee != HF_SCRIPT_NO) {
            end = flow_call(at, function, &level, callee, &value, &goes_on);
        } else if (hf_script_is_index(at->file, level.open)) {
            return flow_key(at, function, value.statement, level.open);
        } else if (level.assignment != HF_SCRIPT_NO && hf_script_is_sign(tokens, level.open, "(") &&
                   !is_use) {
            return flow_sink(at, &level, &value, &goes_on);
        } else {
            value.begin = level.open;
            value.end = level.end + 1;
            goes_on = true;
        }
        if (!goes_on || end.fate == HF_SCRIPT_KEPT)
            return end;
    }
    return flow_unknown;
}

/* One place where a variable is read. */
static struct hf_script_end flow_occurrence(const struct hf_script_at *at, uint32_t token)
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
        return flow_stays;
    if (end < statement->end && hf_script_assigns(tokens, end))
        return flow_stays; /* it is given something */
    struct hf_script_end found = flow_climb(at, value);
    return found.fate == HF_SCRIPT_UNKNOWN ? flow_stays : found;
}

/* A function within this one sees the variable: where that function goes, it goes. */
static struct hf_script_end flow_captured(
    const struct hf_script_at *at, uint32_t function, uint32_t token)
{
    uint32_t statement = at->file->tokens.items[token].statement;
    uint32_t inner =
        statement != HF_SCRIPT_NO ? hf_script_statement_of(at, statement)->function : function;
    if (inner == HF_SCRIPT_NO || inner == function || function == HF_SCRIPT_NO)
        return flow_stays;
    const struct hf_script_function *of = &at->file->outline.functions[inner];
    if (hf_script_parameter_of(at->file, inner, hf_script_text_of(at, token)) != HF_SCRIPT_NO)
        return flow_stays;
    return flow_variable(at, function, of->name);
}

static struct hf_script_end flow_occurrences(
    const struct hf_script_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    struct hf_script_end found = flow_stays;
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
            of_function == function ? flow_occurrence(at, i) : flow_captured(at, function, i);
        found = flow_stronger(found, end);
    }
    return found;
}

static struct hf_script_end flow_variable(
    const struct hf_script_at *at, uint32_t function, struct hf_text name)
{
    struct hf_script_flow *flow = at->flow;
    bool is_new;
    uint64_t key = hf_hash_u64(
        hf_hash_bytes(name.data, name.size) ^ hf_hash_u64((uint64_t)at->number << 32 | function));
    if (name.size == 0 || flow->depth >= HF_SCRIPT_DEPTH ||
        !hf_vec_reserve(&flow->ends, &flow->capacity, flow->count + 1, sizeof *flow->ends))
        return flow_stays;
    const uint32_t *number = hf_map_put(&flow->known, key, (uint32_t)flow->count, &is_new);
    if (number == NULL)
        return flow_stays;
    if (!is_new)
        return flow->ends[*number];
    uint32_t mine = (uint32_t)flow->count++, closure = flow->closure;
    bool with_parts = flow->with_parts;
    flow->ends[mine] = flow_stays; /* while it is asked: what flows in circles stays */
    flow->depth++;
    flow->closure = HF_SCRIPT_NO;
    flow->with_parts = false;
    struct hf_script_end end = flow_occurrences(at, function, name);
    if (end.fate == HF_SCRIPT_STAYS) {
        flow->with_parts = true;
        end = flow_occurrences(at, function, name);
        end.is_of_part = true;
    }
    flow->closure = closure;
    flow->with_parts = with_parts;
    flow->depth--;
    flow->ends[mine] = end;
    return end;
}

/* A value that a statement makes: a call, a literal, what is assigned or returned. */
static struct hf_script_end flow_made(const struct hf_script_at *at, uint32_t token)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    const struct hf_script_token *items = tokens->items;
    uint32_t number = items[token].statement;
    const struct hf_script_statement *statement = hf_script_statement_of(at, number);
    uint32_t pair = items[token].pair;
    bool opens = pair != HF_SCRIPT_NO && pair > token && pair < statement->end;
    bool is_push =
        tokens->language == HF_SCRIPT_PERL &&
        (hf_script_is_word(tokens, token, "push") || hf_script_is_word(tokens, token, "unshift"));
    struct hf_script_value value = {number, token, opens ? pair + 1 : token + 1};
    uint32_t callee = opens ? hf_script_callee(at->file, token) : HF_SCRIPT_NO;
    if (callee != HF_SCRIPT_NO)
        value.begin = hf_script_chain_begin(at->file, callee, statement->begin);
    bool is_literal =
        opens && callee == HF_SCRIPT_NO && !hf_script_is_index(at->file, token) &&
        !(hf_script_is_sign(tokens, token, "(") && tokens->language != HF_SCRIPT_PYTHON);
    if (callee != HF_SCRIPT_NO && hf_script_means(tokens, callee, HF_SCRIPT_VERB) &&
        pair > token + 1) /* the container grows */
        value = (struct hf_script_value){number, token + 1, token + 2};
    bool is_string = items[token].kind == HF_SCRIPT_STRING && items[token].is_filled;
    bool is_rest = hf_script_assigns(tokens, token) || hf_script_is_word(tokens, token, "return") ||
                   hf_script_is_word(tokens, token, "yield") ||
                   (hf_script_is_sign(tokens, token, "<<") && tokens->language == HF_SCRIPT_RUBY);
    static const char *const loops[] = {"for", "foreach", "while", "until", NULL};
    if (is_rest && hf_script_is_any_word(tokens, statement->begin, loops) && statement->is_header)
        return flow_unknown; /* "for i = 1, 9 do" */
    uint32_t begin = token + 1;
    while (is_push && begin < statement->end && !hf_script_is_sign(tokens, begin, ","))
        begin = hf_script_next(tokens, begin);
    if (is_rest || is_push) {
        value = (struct hf_script_value){number, begin + is_push, statement->end};
        if (value.begin >= value.end || hf_script_level_of(at->file, value).open != HF_SCRIPT_NO)
            return flow_unknown;
    }
    return callee != HF_SCRIPT_NO || is_literal || is_string || is_rest || is_push
               ? flow_climb(at, value)
               : flow_unknown;
}

/* Perl has the line of a condition for all that stands in its block. */
static struct hf_script_end flow_body(const struct hf_script_at *at, uint32_t header)
{
    struct hf_script_end found = flow_unknown;
    for (uint32_t i = header + 1; i < at->file->outline.statement_count && hf_script_step(at->flow);
         i++) {
        const struct hf_script_statement *statement = hf_script_statement_of(at, i);
        if (statement->control != header)
            continue;
        for (uint32_t k = statement->begin; k < statement->end; k++) {
            if (at->file->tokens.items[k].statement == i)
                found = flow_stronger(found, flow_made(at, k));
        }
    }
    return found;
}

/* What a call of `callee` on that line gives, of all that bear the name. */
static struct hf_script_end flow_called(
    const struct hf_script_at *at, uint32_t line, struct hf_text callee, bool *out_found)
{
    const struct hf_script_tokens *tokens = &at->file->tokens;
    struct hf_script_end found = flow_unknown;
    *out_found = false;
    for (uint32_t i = (uint32_t)HF_FIRST_FROM(tokens->items, tokens->count, line, line);
         i < tokens->count && tokens->items[i].line <= line; i++) {
        const struct hf_script_token *token = &tokens->items[i];
        if (token->line != line || token->statement == HF_SCRIPT_NO ||
            token->kind != HF_SCRIPT_NAME || !hf_text_equal(hf_script_text_of(at, i), callee))
            continue;
        const struct hf_script_statement *statement = hf_script_statement_of(at, token->statement);
        uint32_t pair = hf_script_is_sign(tokens, i + 1, "(") ? tokens->items[i + 1].pair : i;
        struct hf_script_value value = {token->statement,
            hf_script_chain_begin(at->file, i, statement->begin),
            pair < statement->end ? pair + 1 : i + 1};
        at->flow->closure = statement->is_of_closure ? statement->within : HF_SCRIPT_NO;
        found = flow_stronger(found, flow_climb(at, value));
        *out_found = true;
    }
    return found;
}

/* What was found on the way to another answer, with the steps of that, may be less than all. */
static void flow_forget(struct hf_script_flow *flow)
{
    hf_map_done(&flow->known);
    flow->steps = flow->depth = 0;
    flow->count = 0;
}

struct hf_script_end hf_script_flow_of(
    struct hf_script_flow *flow, uint32_t file, uint32_t line, struct hf_text callee)
{
    struct hf_script_end found = flow_unknown;
    struct hf_script_at at;
    if (!hf_script_at_file(&at, flow, file))
        return found;
    const struct hf_script_token *items = at.file->tokens.items;
    flow_forget(flow);
    uint32_t whole = HF_SCRIPT_NO;
    bool is_called = false;
    if (callee.size != 0)
        found = flow_called(&at, line, callee, &is_called);
    for (uint32_t i = (uint32_t)HF_FIRST_FROM(items, at.file->tokens.count, line, line);
         !is_called && i < at.file->tokens.count && items[i].line <= line; i++) {
        if (items[i].line != line || items[i].statement == HF_SCRIPT_NO)
            continue;
        const struct hf_script_statement *statement =
            hf_script_statement_of(&at, items[i].statement);
        flow->closure = statement->is_of_closure ? statement->within : HF_SCRIPT_NO;
        found = flow_stronger(found, flow_made(&at, i));
        whole = items[i].statement;
    }
    if (!is_called && whole != HF_SCRIPT_NO && at.file->tokens.language == HF_SCRIPT_PERL)
        found = flow_stronger(found, flow_body(&at, whole));
    if (found.fate == HF_SCRIPT_UNKNOWN && whole != HF_SCRIPT_NO && flow_is_value(&at, whole))
        found = flow_returned;
    if (flow->steps >= HF_SCRIPT_STEPS)
        return flow_unknown;
    uint32_t function = hf_script_function_at(at.file, line);
    bool is_cached = function != HF_SCRIPT_NO && at.file->outline.functions[function].is_cached;
    if (is_cached && found.fate == HF_SCRIPT_RETURNED)
        return (struct hf_script_end){
            .fate = HF_SCRIPT_KEPT, .file = file, .function = function, .line = line};
    return found;
}

void hf_script_flow_done(struct hf_script_flow *flow)
{
    hf_budget_put_back(flow->capacity * sizeof *flow->ends);
    hf_map_done(&flow->known);
    free(flow->ends);
    *flow = (struct hf_script_flow){0};
}
