#include "source/callees.h"

#include "source/closures.h"
#include "source/text/words.h"

#include <strings.h>

#define ARGUMENT_TOKENS 400 /* of a call, without those in brackets within */

/* How sure it is that a call means a function of that name: what it is called for, or where it
 * stands, says so; the sum of these. */
enum {
    CALL_MAY_BE = 1,
    CALL_HAS_COUNT = 2, /* as many parameters as the call has arguments */
    CALL_IS_NEAR = 4,   /* it is of the same file */
    CALL_IS_NAMED = 8,  /* "buffer.put(x)" of the class JitterBuffer */
    CALL_IS_OWN = 16    /* of the same class, and called for the same object */
};

/* What a call looks like. */
struct call_looks {
    struct hf_text receiver, own; /* "index" of "index.add(x)"; the class of who calls */
    uint32_t arguments;
    bool is_method, is_object, is_verb, is_compiled;
};

/* The arguments of the call of the name at `callee`. */
static uint32_t callee_arguments(const struct hf_source_tokens *tokens, uint32_t callee)
{
    uint32_t open = callee + 1, count = 0;
    uint32_t end = hf_source_is_sign(tokens, open, "(") ? tokens->items[open].pair : HF_SOURCE_NO;
    uint32_t i = open + 1;
    for (int hops = 0; end != HF_SOURCE_NO && i < end && hops < ARGUMENT_TOKENS;
         i = hf_source_next(tokens, i), hops++)
        count += i == open + 1 || hf_source_is_sign(tokens, i, ",");
    return count;
}

/* The name of what the method at `callee` is called for: "index" of "self.index.add(x)", and of
 * "$self->{index}->add($x)" of Perl. */
static uint32_t callee_receiver(const struct hf_source_tokens *tokens, uint32_t callee)
{
    uint32_t before = callee - 2;
    bool is_member = hf_source_is_sign(tokens, before, "}") && before >= 2 &&
                     tokens->language == HF_SOURCE_PERL && tokens->items[before].pair == before - 2;
    return before - is_member;
}

static struct call_looks callee_call_at(
    const struct hf_source_at *at, uint32_t callee, uint32_t function)
{
    const struct hf_source_tokens *tokens = &at->file->tokens;
    struct call_looks call = {
        .is_method = callee >= 2 && hf_source_is_member_sign(tokens, callee - 1),
        .is_compiled = hf_source_is_compiled(tokens->language),
        .arguments = callee_arguments(tokens, callee)};
    if (call.is_method)
        call.receiver = hf_source_text_of(at, callee_receiver(tokens, callee));
    if (call.is_compiled)
        call.receiver = hf_text_trim_end(call.receiver, "_");
    call.is_object = call.is_method && hf_source_means(tokens, callee - 2, HF_SOURCE_OBJECT);
    /* The containers of Perl have no methods, and those of Lua none that are called with ":". */
    call.is_verb = hf_source_means(tokens, callee, HF_SOURCE_VERB) && call.is_method &&
                   !call.is_object && tokens->language != HF_SOURCE_PERL &&
                   !hf_source_is_sign(tokens, callee - 1, ":");
    if (function != HF_SOURCE_NO)
        call.own = at->file->outline.functions[function].class;
    return call;
}

/* 0: it is not meant. */
static int callee_rank(const struct hf_source_at *at, const struct call_looks *call,
    const struct hf_source_place *place)
{
    const struct hf_source_file *file = &at->flow->sources->files[place->file];
    struct hf_text class = file->outline.functions[place->function].class,
                   receiver = call->receiver;
    bool is_named =
        class.size != 0 && receiver.size >= class.size &&
        strncasecmp(receiver.data + receiver.size - class.size, class.data, class.size) == 0;
    bool is_part =
        class.size > receiver.size && receiver.size > 2 &&
        strncasecmp(class.data + class.size - receiver.size, receiver.data, receiver.size) == 0;
    bool is_near = place->file == at->number;
    bool is_own = (call->is_object || !call->is_method) && hf_text_equal(class, call->own) &&
                  (is_near || at->file->tokens.language != HF_SOURCE_C);
    int rank = (is_own ? CALL_IS_OWN : 0) + (is_named || is_part ? CALL_IS_NAMED : 0);
    if (rank == 0 && call->is_verb)
        return 0;
    rank += is_near ? CALL_IS_NEAR : 0;
    if (call->is_compiled &&
        hf_source_parameter(file, place->function, call->arguments).size == 0 &&
        (call->arguments == 0 ||
            hf_source_parameter(file, place->function, call->arguments - 1).size != 0))
        rank += CALL_HAS_COUNT;
    return rank + CALL_MAY_BE;
}

/* The function that is called by the name at `callee`: the only one, or that of which is most sure
 * that it is meant; HF_SOURCE_NO: none, or nobody can tell. */
uint32_t hf_source_function_called(
    const struct hf_source_at *at, uint32_t callee, uint32_t function)
{
    static const char *const libraries[] = {"std", "core", "alloc", "mem", "boost", "absl", NULL};
    const struct hf_source_tokens *tokens = &at->file->tokens;
    const struct hf_sources *sources = at->flow->sources;
    const struct call_looks call = callee_call_at(at, callee, function);
    uint32_t found = HF_SOURCE_NO;
    int best = 0;
    size_t count = 0, equals = 0;
    if (call.is_compiled && call.is_method && hf_source_is_any_word(tokens, callee - 2, libraries))
        return HF_SOURCE_NO;
    for (uint32_t i = hf_source_place_of(sources, hf_source_text_of(at, callee));
         i != HF_SOURCE_NO && hf_source_step(at->flow); i = sources->places[i].next) {
        int rank = callee_rank(at, &call, &sources->places[i]);
        count++;
        equals = rank > best ? 1 : equals + (rank == best && rank != 0);
        found = rank > best ? i : found;
        best = rank > best ? rank : best;
    }
    if (count == 0 && !call.is_method)
        return hf_source_given_function(at, function, callee);
    bool is_told = best >= CALL_IS_NAMED && (equals == 1 || !call.is_compiled);
    return count == 1 || is_told ? found : HF_SOURCE_NO;
}
