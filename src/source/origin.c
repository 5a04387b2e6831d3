#include "source/origin.h"

#include "source/compiled.h"
#include "source/words.h"

#include <ctype.h>
#include <strings.h>

#define TOKENS_OF_STEP 16 /* that are looked at one by one */

static struct hf_source_origin root_of_value(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t end);

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
             steps = value.begin > begin ? (value.begin - begin) / TOKENS_OF_STEP : 0,
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

/* What it puts into its object is what it makes. */
bool hf_source_is_constructor(const struct hf_source_at *at, uint32_t function)
{
    static const char *const names[] = {"__init__", "initialize", "__construct", "constructor",
        "new", "BUILD", "__new__", "__post_init__"};
    if (function == HF_SOURCE_NO)
        return false;
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        if (hf_text_is(at->file->outline.functions[function].name, names[i]))
            return true;
    }
    const struct hf_source_function *of = &at->file->outline.functions[function];
    return at->file->tokens.language == HF_SOURCE_CPP && of->class.size != 0 &&
           hf_text_equal(of->name, of->class);
}

/* The object itself, or what is known by a name to the whole program. */
bool hf_source_is_state(const struct hf_source_at *at, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    char sigil = tokens->items[token].sigil;
    bool is_rubys = tokens->language == HF_SOURCE_RUBY && sigil != 0;
    /* "my %self", "$self{name}" */
    bool is_hash = sigil == '%' || sigil == '@' ||
                   (tokens->language == HF_SOURCE_PERL && hf_source_is_index(at->file, token + 1) &&
                       !hf_source_is_sign(tokens, token + 1, "->"));
    /* In C and C++ "self" is a parameter like another. */
    bool is_object =
        tokens->language != HF_SOURCE_C &&
        (tokens->language != HF_SOURCE_CPP || hf_source_is_word(tokens, token, "this"));
    return is_rubys ||
           (!is_hash && is_object && hf_source_means(tokens, token, HF_SOURCE_OBJECT)) ||
           (sigil == 0 && hf_source_is_capital(hf_source_text_of(at, token)));
}

/* Where what the name at `token` is given begins: behind "=", or what a loop goes through;
 * HF_SOURCE_NO: it is given nothing there. */
static uint32_t origin_given(
    const struct hf_source_at *at, uint32_t token, const struct hf_source_statement *statement)
{
    static const char *const sources[] = {"in", "of", "as", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    uint32_t behind = token + 1;
    if (tokens->language == HF_SOURCE_CPP && statement->is_header &&
        hf_source_is_sign(tokens, behind, ":"))
        return behind + 1; /* "for (auto &row : rows)" */
    while (behind < statement->end && !hf_source_is_any_word(tokens, behind, sources) &&
           (hf_source_is_sign(tokens, behind, ",") || hf_source_is_sign(tokens, behind, ")") ||
               hf_source_is_sign(tokens, behind, "]") || hf_source_is_variable(tokens, behind)))
        behind++;
    if (behind < statement->end && hf_source_assigns(tokens, behind))
        return hf_source_is_copy_at(at, token, behind) ? HF_SOURCE_NO : behind + 1;
    if (hf_source_is_any_word(tokens, behind, sources) && behind < statement->end)
        return behind + 1; /* "for row in rows", in brackets, too */
    if (statement->is_header && token != 0 && hf_source_is_any_word(tokens, token - 1, sources))
        return statement->begin + 2; /* "foreach ($rows as $row)", "with open(a) as b" */
    return statement->is_header && hf_source_is_sign(tokens, behind, "(")
               ? behind + 1 /* "for my $row (@rows)" */
               : HF_SOURCE_NO;
}

/* "my x", "let x", "for x", "x =": the function has a variable of its own of that name. */
bool hf_source_declares(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    enum hf_source_language language = tokens->language;
    bool needs_word =
        language == HF_SOURCE_JAVASCRIPT || language == HF_SOURCE_LUA || language == HF_SOURCE_PERL;
    static const char *const outer[] = {"global", "nonlocal", "static", NULL};
    static const char *const loops[] = {"for", "foreach", NULL};
    bool is_declared = function == HF_SOURCE_NO;
    uint32_t first, end;
    hf_source_range_of(at, function, &first, &end);
    if (language == HF_SOURCE_RUST)
        return !hf_source_is_capital(name);
    for (uint32_t i = first; i < end && !is_declared && hf_source_step(at->flow); i++) {
        if (!hf_source_is_variable(tokens, i) || !hf_text_equal(hf_source_text_of(at, i), name) ||
            tokens->items[i].statement == HF_SOURCE_NO ||
            tokens->items[i].statement == at->file->outline.functions[function].header)
            continue;
        const struct hf_source_statement *statement =
            hf_source_statement_of(at, tokens->items[i].statement);
        if (hf_source_is_any_word(tokens, statement->begin, outer))
            return false;
        if (hf_source_is_compiled(language)) {
            is_declared = hf_source_is_declared_at(at, i);
            continue;
        }
        for (uint32_t k = statement->begin; needs_word && k < i; k++)
            is_declared |= hf_source_means(tokens, k, HF_SOURCE_DECLARING) ||
                           hf_source_is_any_word(tokens, k, loops);
        is_declared |= !needs_word && (language != HF_SOURCE_PYTHON ||
                                          origin_given(at, i, statement) != HF_SOURCE_NO);
    }
    return is_declared;
}

/* The function that is called by the name at `callee`; HF_SOURCE_NO: none, or nobody can tell. */
uint32_t hf_source_function_called(
    const struct hf_source_at *at, uint32_t callee, uint32_t function)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_sources *sources = at->flow->sources;
    uint32_t first = hf_source_place_of(sources, hf_source_text_of(at, callee)),
             found = HF_SOURCE_NO;
    bool is_method = callee >= 2 && hf_source_is_member_sign(tokens, callee - 1);
    struct hf_text receiver =
        is_method ? hf_source_text_of(at, callee - 2) : (struct hf_text){NULL, 0};
    bool is_object = is_method && hf_source_means(tokens, callee - 2, HF_SOURCE_OBJECT);
    struct hf_text own =
        function != HF_SOURCE_NO ? at->file->outline.functions[function].class : (struct hf_text)
    {
        NULL, 0
    };
    bool is_verb = hf_source_means(tokens, callee, HF_SOURCE_VERB) && is_method && !is_object;
    bool is_compiled = hf_source_is_compiled(tokens->language);
    static const char *const libraries[] = {"std", "core", "alloc", "mem", "boost", "absl", NULL};
    if (is_compiled && is_method && hf_source_is_any_word(tokens, callee - 2, libraries))
        return HF_SOURCE_NO;
    if (is_compiled)
        receiver = hf_text_trim_end(receiver, "_");
    size_t count = 0;
    for (uint32_t i = first; i != HF_SOURCE_NO && hf_source_step(at->flow);
         i = sources->places[i].next) {
        const struct hf_source_place *place = &sources->places[i];
        struct hf_text class = sources->files[place->file].outline.functions[place->function].class;
        bool is_named =
            class.size != 0 && receiver.size >= class.size &&
            strncasecmp(receiver.data + receiver.size - class.size, class.data, class.size) == 0;
        bool is_part =
            class.size > receiver.size && receiver.size > 2 &&
            strncasecmp(class.data + class.size - receiver.size, receiver.data, receiver.size) == 0;
        bool is_near = tokens->language != HF_SOURCE_C || place->file == at->number;
        bool is_own = (is_object || !is_method) && hf_text_equal(class, own) && is_near;
        if (is_named || is_part || is_own)
            return i;
        if (!is_verb)
            found = i;
        count++;
    }
    return count == 1 ? found : HF_SOURCE_NO;
}

struct hf_source_at hf_source_at_place(
    const struct hf_source_at *at, uint32_t place, uint32_t *out_function)
{
    const struct hf_source_place *of = &at->flow->sources->places[place];
    *out_function = of->function;
    return (struct hf_source_at){
        .flow = at->flow, .file = &at->flow->sources->files[of->file], .number = of->file};
}

/* Whether a function returns what its object has: "return self.windows[symbol]". */
bool hf_source_gives_state(const struct hf_source_at *at, uint32_t place)
{
    uint32_t function;
    struct hf_source_at in = hf_source_at_place(at, place, &function);
    if (at->flow->depth >= HF_SOURCE_DEPTH)
        return false;
    at->flow->depth++;
    bool gives = false;
    for (size_t i = 0; i < in.file->outline.statement_count && !gives; i++) {
        if (i % TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            break;
        const struct hf_source_statement *statement = &in.file->outline.statements[i];
        if (statement->function != function || statement->is_of_closure ||
            !hf_source_step(at->flow))
            continue;
        bool returns = hf_source_is_word(&in.file->tokens, statement->begin, "return");
        bool is_value = in.file->tokens.language == HF_SOURCE_RUBY && statement->is_last;
        uint32_t begin = statement->begin + returns;
        gives = (returns || is_value) && begin < statement->end &&
                root_of_value(&in, function, begin, statement->end).root == HF_SOURCE_IS_STATE;
    }
    at->flow->depth--;
    return gives;
}

/* What a variable was given, by all that assigns to it in the function. */
struct hf_source_origin hf_source_origin_of(
    const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_source_origin found = {.root = HF_SOURCE_IS_FRESH};
    bool is_made = false;
    uint32_t parameter =
        function != HF_SOURCE_NO ? hf_source_parameter_of(at->file, function, name) : HF_SOURCE_NO;
    if (parameter != HF_SOURCE_NO)
        return (struct hf_source_origin){.root = HF_SOURCE_IS_PARAMETER, .parameter = parameter};
    if (!hf_source_declares(at, function, name))
        return (struct hf_source_origin){.root = HF_SOURCE_IS_STATE};
    if (at->flow->depth >= HF_SOURCE_DEPTH)
        return found;
    at->flow->depth++;
    uint32_t first, last;
    hf_source_range_of(at, function, &first, &last);
    for (uint32_t i = first; i < last && hf_source_step(at->flow); i++) {
        if (!hf_source_is_variable(tokens, i) || !hf_text_equal(hf_source_text_of(at, i), name) ||
            tokens->items[i].statement == HF_SOURCE_NO ||
            hf_source_statement_of(at, tokens->items[i].statement)->function != function)
            continue;
        const struct hf_source_statement *statement =
            hf_source_statement_of(at, tokens->items[i].statement);
        uint32_t begin = origin_given(at, i, statement), end = statement->end;
        if (begin == HF_SOURCE_NO || begin >= end)
            continue;
        struct hf_source_origin origin = root_of_value(at, function, begin, end);
        is_made |=
            origin.root == HF_SOURCE_IS_FRESH && !hf_source_means(tokens, begin, HF_SOURCE_NOTHING);
        if (origin.root > found.root)
            found = origin;
    }
    found.is_mixed = is_made && found.root != HF_SOURCE_IS_FRESH;
    at->flow->depth--;
    return found;
}

/* "pool->bytes + pool->used", "&pool->items[pool->count++]" of C: what a pool gives is as new. */
static bool is_part_of_pool(const struct hf_source_at *at, uint32_t begin, uint32_t behind)
{
    static const char *const sums[] = {"+", "-", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    bool counts = hf_source_is_any_sign(tokens, behind, sums);
    for (uint32_t i = begin; i < behind && !counts; i++)
        counts = hf_source_is_sign(tokens, i, "++");
    return counts && hf_source_is_compiled(tokens->language);
}

/* What a value is reached from. */
static struct hf_source_origin root_of_value(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t end)
{
    static const char *const before[] = {"await", "not", "my", "return", "pairs", "ipairs", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_origin fresh = {.root = HF_SOURCE_IS_FRESH},
                                  state = {.root = HF_SOURCE_IS_STATE};
    while (
        begin < end &&
        (hf_source_is_sign(tokens, begin, "(") || hf_source_is_sign(tokens, begin, "{") ||
            hf_source_is_any_word(tokens, begin, before) ||
            (hf_source_is_compiled(tokens->language) &&
                (hf_source_is_sign(tokens, begin, "&") || hf_source_is_sign(tokens, begin, "*") ||
                    hf_source_is_word(tokens, begin, "mut")))) &&
        !(hf_source_is_sign(tokens, begin, "{") && tokens->language != HF_SOURCE_PERL))
        begin++;
    uint32_t call, behind;
    bool is_path,
        has_sigils = tokens->language == HF_SOURCE_PERL || tokens->language == HF_SOURCE_PHP;
    if (begin >= end || !hf_source_is_kind(tokens, begin, HF_SOURCE_NAME) ||
        hf_source_is_word(tokens, begin, "new") ||
        (has_sigils && tokens->items[begin].sigil == 0 &&
            hf_source_is_sign(tokens, begin + 1, "=>")) ||
        hf_source_means(tokens, begin, HF_SOURCE_NOTHING))
        return fresh;
    behind = hf_source_chain_end(at->file, begin, end, &call, &is_path);
    if (is_part_of_pool(at, begin, behind))
        return fresh;
    if (call != HF_SOURCE_NO && !hf_source_means(tokens, call, HF_SOURCE_GETTER)) {
        uint32_t place = hf_source_function_called(at, call, function);
        bool gives = place != HF_SOURCE_NO && hf_source_gives_state(at, place);
        /* "@timings[key] ||= Timings.new" is reached from the left; "a.b() or c" as its first. */
        return gives ? state : fresh;
    }
    if (hf_source_is_state(at, begin) && (is_path || tokens->items[begin].sigil != 0))
        return state;
    if (hf_source_is_state(at, begin) || (behind < end && hf_source_is_sign(tokens, behind, "(")))
        return fresh;
    return hf_source_origin_of(at, function, hf_source_text_of(at, begin));
}
