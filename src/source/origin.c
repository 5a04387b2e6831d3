#include "source/origin.h"

#include "base/containers/hash.h"
#include "source/callees.h"
#include "source/closures.h"
#include "source/compiled.h"
#include "source/text/words.h"

#define QUESTION_OUTSIDE HF_SOURCE_NO
#define QUESTION_MAKER (HF_SOURCE_NO - 2)
#define QUESTION_ORIGIN (HF_SOURCE_NO - 3)

static struct hf_source_origin root_of_value(
    const struct hf_source_at *at, uint32_t function, uint32_t begin, uint32_t end);

static bool origin_is_maker(const struct hf_source_at *at, uint32_t function)
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

/* A method of a script that only constructors call, for the object that they make: "self.load()".
 */
static bool origin_is_part_of_maker(const struct hf_source_at *at, uint32_t function)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_function *of = &at->file->outline.functions[function];
    bool is_new, is_called = false;
    if (hf_source_is_compiled(tokens->language) || of->class.size == 0)
        return false;
    uint32_t *known = hf_source_asked(at, QUESTION_MAKER, of->name, &is_new);
    if (known == NULL || !is_new)
        return known != NULL && *known != 0;
    for (uint32_t i = 2; i < tokens->count; i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            return false;
        if (tokens->items[i].statement == HF_SOURCE_NO ||
            !hf_text_equal(hf_source_text_of(at, i), of->name))
            continue;
        uint32_t by = hf_source_statement_of(at, tokens->items[i].statement)->function;
        bool is_definition =
            by != HF_SOURCE_NO && i == at->file->outline.functions[by].begin; /* or of a subclass */
        for (size_t k = 0; k < at->file->outline.function_count && !is_definition; k++)
            is_definition = i == at->file->outline.functions[k].begin;
        if (is_definition)
            continue;
        bool is_method = hf_source_is_member_sign(tokens, i - 1);
        bool is_own = is_method ? hf_source_means(tokens, i - 2, HF_SOURCE_OBJECT)
                                : tokens->language == HF_SOURCE_RUBY;
        if (by == HF_SOURCE_NO || !is_own || !origin_is_maker(at, by))
            return false;
        is_called = true;
    }
    *known = is_called;
    return is_called;
}

/* What it puts into its object is what it makes. */
bool hf_source_is_constructor(const struct hf_source_at *at, uint32_t function)
{
    return function != HF_SOURCE_NO &&
           (origin_is_maker(at, function) || origin_is_part_of_maker(at, function));
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
    /* In these a variable may begin with a capital, too. */
    bool is_c = tokens->language == HF_SOURCE_C || tokens->language == HF_SOURCE_CPP;
    return is_rubys ||
           (!is_hash && is_object && hf_source_means(tokens, token, HF_SOURCE_OBJECT)) ||
           (sigil == 0 && !is_c && hf_source_is_capital(hf_source_text_of(at, token)));
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

/* The word at `word` declares what stands at `token`, not only what is given that: "my $x", "let x,
 * y", but not y of "my $x = $y{z}" and of "for my $x (@y)". */
static bool origin_declares(const struct hf_source_tokens *tokens, uint32_t word, uint32_t token)
{
    static const char *const sources[] = {"in", "of", NULL};
    uint32_t i = word + 1;
    if (hf_source_is_sign(tokens, i, "(") && tokens->language == HF_SOURCE_PERL)
        return tokens->items[i].pair > token; /* "my ($x, $y)" */
    for (bool is_given = false; i < token; i = hf_source_next(tokens, i)) {
        is_given |= hf_source_assigns(tokens, i) || hf_source_is_any_word(tokens, i, sources);
        is_given &= !hf_source_is_sign(tokens, i, ",");
        bool is_below = is_given || tokens->language == HF_SOURCE_PERL;
        if (is_below && hf_source_next(tokens, i) >= token)
            return false;
    }
    return true;
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
            is_declared |= (hf_source_means(tokens, k, HF_SOURCE_DECLARING) ||
                               hf_source_is_any_word(tokens, k, loops)) &&
                           origin_declares(tokens, k, i);
        is_declared |= !needs_word && (language != HF_SOURCE_PYTHON ||
                                          origin_given(at, i, statement) != HF_SOURCE_NO);
    }
    return is_declared;
}

bool hf_source_is_of_all(const struct hf_source_at *at, uint32_t function, uint32_t token)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_text name = hf_source_text_of(at, token);
    uint32_t byte = tokens->items[token].at;
    if (hf_source_is_compiled(tokens->language) || hf_source_means(tokens, token, HF_SOURCE_OBJECT))
        return false;
    if (tokens->language == HF_SOURCE_RUBY && tokens->items[token].sigil == '@')
        return byte > 1 && tokens->text.data[byte - 2] == '@';
    return hf_source_parameter_of(at->file, function, name) == HF_SOURCE_NO &&
           !hf_source_declares(at, function, name);
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
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            break;
        const struct hf_source_statement *statement = &in.file->outline.statements[i];
        if (statement->function != function || statement->is_of_closure ||
            !hf_source_step(at->flow))
            continue;
        bool returns = hf_source_is_word(&in.file->tokens, statement->begin, "return");
        bool is_value = statement->is_last && !statement->is_header &&
                        (in.file->tokens.language == HF_SOURCE_RUBY ||
                            in.file->tokens.language == HF_SOURCE_RUST);
        uint32_t begin = statement->begin + returns;
        gives = (returns || is_value) && begin < statement->end &&
                root_of_value(&in, function, begin, statement->end).root == HF_SOURCE_IS_STATE;
    }
    at->flow->depth--;
    return gives;
}

/* The name stands in a statement of the file that is of no function. */
static bool origin_is_in_file(
    struct hf_source_flow *flow, const struct hf_source_file *file, struct hf_text name)
{
    for (uint32_t i = 0; i < file->outline.statement_count; i++) {
        const struct hf_source_statement *statement = &file->outline.statements[i];
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(flow))
            return false;
        if (statement->function != HF_SOURCE_NO || statement->within != HF_SOURCE_NO)
            continue;
        for (uint32_t t = statement->begin; t < statement->end; t++) {
            if (t % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(flow))
                return false;
            if (hf_text_equal(hf_source_token_text(&file->tokens, t), name))
                return true;
        }
    }
    return false;
}

/*
 * What a function of C or C++ does not declare is declared outside of it: a class has members that
 * a header declares, perhaps; any other is in a source that was read, in no function of it.
 */
static bool origin_is_outside(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    enum hf_source_language language = at->file->tokens.language;
    const struct hf_sources *sources = at->flow->sources;
    bool is_c = language == HF_SOURCE_C || language == HF_SOURCE_CPP, is_new, is_there = false;
    if (!is_c || function == HF_SOURCE_NO || at->file->outline.functions[function].class.size != 0)
        return true;
    uint32_t *known = hf_source_asked(at, QUESTION_OUTSIDE, name, &is_new);
    if (known == NULL || !is_new)
        return known != NULL && *known != 0;
    for (size_t i = 0; i < sources->count && !is_there; i++)
        is_there = origin_is_in_file(at->flow, &sources->files[i], name);
    *known = is_there;
    return is_there;
}

/* "def reply(ticket, lines=[]):" of Python: what the parameter has when it is not given stays. */
static bool origin_is_default(const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    static const char *const makers[] = {"list", "dict", "set", "deque", "defaultdict", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_source_function *of = &at->file->outline.functions[function];
    const struct hf_source_statement *header = hf_source_statement_of(at, of->header);
    uint32_t number = hf_source_parameter_of(at->file, function, name), value = header->begin;
    while (value < header->end && !hf_text_equal(hf_source_text_of(at, value), name))
        value++;
    while (value < header->end && !hf_source_is_sign(tokens, value, "=") &&
           !hf_source_is_sign(tokens, value, ","))
        value++;
    if (value + 1 >= header->end || !hf_source_is_sign(tokens, value, "="))
        return false;
    value++;
    if (!hf_source_is_sign(tokens, value, "[") && !hf_source_is_sign(tokens, value, "{") &&
        !hf_source_is_any_word(tokens, value, makers))
        return false;
    for (uint32_t i = 0; i + 1 < tokens->count; i++) {
        if (i % HF_SOURCE_TOKENS_OF_STEP == 0 && !hf_source_step(at->flow))
            return false;
        if (i != of->begin && tokens->items[i].statement != of->header &&
            hf_source_is_sign(tokens, i + 1, "(") &&
            hf_text_equal(hf_source_text_of(at, i), of->name) &&
            hf_source_argument_end(tokens, i + 1, number) == HF_SOURCE_NO)
            return true;
    }
    return false;
}

/* By all that assigns to it in the function. */
static struct hf_source_origin origin_by_assignments(
    const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct hf_source_origin found = {.root = HF_SOURCE_IS_FRESH};
    bool is_made = false;
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
    return found;
}

/*
 * What the answer about a variable is kept as, for whoever asks again: without that, the steps are
 * soon used up where variables are given each other ("s = s->next", "s->next = *slot; *slot = s").
 * An answer that hangs on one that is still being asked is not kept: it may be another one later.
 */
enum { ORIGIN_ASKED, ORIGIN_OPEN, ORIGIN_KNOWN };

static uint32_t origin_pack(struct hf_source_origin origin)
{
    return ORIGIN_KNOWN +
           ((uint32_t)origin.root | (uint32_t)origin.is_mixed << 2 | (origin.parameter << 3));
}

static struct hf_source_origin origin_unpack(uint32_t packed)
{
    packed -= ORIGIN_KNOWN;
    return (struct hf_source_origin){(enum hf_source_root)(packed & 3), packed >> 3, packed & 4};
}

/* What a variable was given. */
struct hf_source_origin hf_source_origin_of(
    const struct hf_source_at *at, uint32_t function, struct hf_text name)
{
    struct hf_source_origin found = {.root = HF_SOURCE_IS_FRESH};
    uint32_t parameter =
        function != HF_SOURCE_NO ? hf_source_parameter_of(at->file, function, name) : HF_SOURCE_NO;
    if (parameter != HF_SOURCE_NO && at->file->tokens.language == HF_SOURCE_PYTHON &&
        origin_is_default(at, function, name))
        return (struct hf_source_origin){.root = HF_SOURCE_IS_STATE};
    if (parameter != HF_SOURCE_NO)
        return (struct hf_source_origin){.root = HF_SOURCE_IS_PARAMETER, .parameter = parameter};
    if (!hf_source_declares(at, function, name))
        return (struct hf_source_origin){.root = origin_is_outside(at, function, name)
                                                     ? HF_SOURCE_IS_STATE
                                                     : HF_SOURCE_IS_NOTHING};
    uint32_t open_before = at->flow->open_count;
    uint64_t key = hf_hash_u64(hf_hash_bytes(name.data, name.size) ^
                               hf_hash_u64((uint64_t)QUESTION_ORIGIN << 32 | at->number) ^
                               hf_hash_u64(function));
    bool is_new;
    uint32_t *known = hf_map_put(&at->flow->known, key, ORIGIN_ASKED, &is_new);
    if (known != NULL && *known >= ORIGIN_KNOWN)
        return origin_unpack(*known);
    if (known == NULL || at->flow->depth >= HF_SOURCE_DEPTH ||
        (!is_new && *known == ORIGIN_ASKED)) {
        at->flow->open_count++;
        return found;
    }
    *known = ORIGIN_ASKED;
    at->flow->depth++;
    found = origin_by_assignments(at, function, name);
    at->flow->depth--;
    known = hf_map_find(&at->flow->known, key);
    *known = at->flow->open_count == open_before ? origin_pack(found) : ORIGIN_OPEN;
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
    static const char *const before[] = {
        "await", "not", "my", "return", "pairs", "ipairs", "bless", NULL};
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
    uint32_t maker = hf_source_is_sign(tokens, begin + 1, "(")
                         ? hf_source_function_called(at, begin, function)
                         : HF_SOURCE_NO;
    if (maker != HF_SOURCE_NO) /* "registry().lock().unwrap()" */
        return hf_source_gives_state(at, maker) ? state : fresh;
    if (hf_source_is_state(at, begin) && (is_path || tokens->items[begin].sigil != 0))
        return state;
    if (hf_source_is_state(at, begin) || (behind < end && hf_source_is_sign(tokens, behind, "(")))
        return fresh;
    return hf_source_origin_of(at, function, hf_source_text_of(at, begin));
}
